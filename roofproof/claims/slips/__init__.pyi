from roofproof.claims.slips.catalogue import CATALOGUE as CATALOGUE, Slip as Slip
from roofproof.claims.slips.diagnosis import diagnose as diagnose
