from roofproof.claims.slips.catalogue import CATALOGUE as CATALOGUE
from roofproof.claims.slips.diagnosis import diagnose as diagnose
from roofproof.claims.slips.slip import Slip as Slip
