from roofproof import trace as trace
from roofproof.api import attainable as attainable, bound as bound, check as check, chip as chip
from roofproof.api import evaluate as evaluate, intensity as intensity, judge as judge
from roofproof.api import minimum_time as minimum_time, minimum_times as minimum_times
from roofproof.api import limit as limit, lower as lower, op as op, ridge as ridge, sequential as sequential
from roofproof.api import sweep as sweep, threshold as threshold, time as time, upper as upper, verify as verify
from roofproof.derive import Regime as Regime
from roofproof.errors import MissingFigure as MissingFigure, RoofproofError as RoofproofError, Undecided as Undecided
from roofproof.errors import WrongType as WrongType
from roofproof.hardware import Chip as Chip
from roofproof.ops import Operation as Operation
from roofproof.proofs import Known as Known

__version__: str
