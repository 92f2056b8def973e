from roofproof.claims.mistakes.catalogue import CATALOGUE as CATALOGUE, Slip as Slip
from roofproof.claims.mistakes.of_claims import diagnose as diagnose
