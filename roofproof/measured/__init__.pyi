from roofproof.measured.amounts import Demands as Demands, demands as demands
from roofproof.measured.ceilings import fit as fit
from roofproof.measured.times import Times as Times, read_times as read_times
from roofproof.measured.validation import Validation as Validation, validate as validate
