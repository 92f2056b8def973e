from roofproof import trace as trace
from roofproof.api import bound as bound, check as check, chip as chip, evaluate as evaluate, floors as floors
from roofproof.api import intensity as intensity, judge as judge, limit as limit, lower as lower, op as op
from roofproof.api import ridge as ridge, sequential as sequential, sweep as sweep, threshold as threshold
from roofproof.api import time as time, upper as upper, verify as verify
from roofproof.derive import Regime as Regime, attainable as attainable
from roofproof.errors import MissingFigure as MissingFigure, RoofproofError as RoofproofError, Undecided as Undecided
from roofproof.errors import WrongType as WrongType
from roofproof.hardware import Chip as Chip
from roofproof.ops import Operation as Operation
from roofproof.proofs import Known as Known

__version__: str
