"""Machine-checked roofline derivations."""
