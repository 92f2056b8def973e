from roofproof.audit.audits import audit as audit
