from roofproof.derive import evaluate as evaluate, intensity as intensity, limit as limit, lower as lower
from roofproof.derive import ridge as ridge, sequential as sequential, time as time, upper as upper
from roofproof.errors import RoofproofError as RoofproofError
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation
from roofproof.proofs import threshold as threshold

__version__: str
chip = any_chip
op = parse_operation
