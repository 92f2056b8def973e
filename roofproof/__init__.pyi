from roofproof import trace as trace
from roofproof.api import check as check, chip as chip, evaluate as evaluate, floors as floors, intensity as intensity
from roofproof.api import judge as judge, limit as limit, lower as lower, op as op, ridge as ridge
from roofproof.api import sequential as sequential, sweep as sweep, threshold as threshold, time as time
from roofproof.api import upper as upper, verify as verify
from roofproof.derive import Regime as Regime, attainable as attainable
from roofproof.errors import MissingFigure as MissingFigure, RoofproofError as RoofproofError, Undecided as Undecided
from roofproof.errors import WrongType as WrongType
from roofproof.hardware import Chip as Chip
from roofproof.ops import Operation as Operation
from roofproof.proofs import Known as Known

__version__: str
