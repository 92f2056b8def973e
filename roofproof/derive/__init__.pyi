from roofproof.proofs.derivation import Derivation as Derivation
from roofproof.derive.inequalities.cases import Above as Above, Always as Always, Below as Below, Between as Between
from roofproof.derive.inequalities.cases import Case as Case, Cases as Cases, Never as Never, Outside as Outside
from roofproof.derive.inequalities.cases import Several as Several
from roofproof.derive.solve import solve_inequality as solve_inequality
from roofproof.derive.inequalities.integers import largest_integer as largest_integer
from roofproof.derive.inequalities.integers import smallest_integer as smallest_integer
from roofproof.derive.limits.limits import Limit as Limit, limit as limit
from roofproof.derive.limits.regime import Regime as Regime
from roofproof.derive.optima.extremum import Extremum as Extremum
from roofproof.derive.optima.integer_optima import argmin_integer as argmin_integer
from roofproof.derive.optima.monotone import Monotone as Monotone, decreasing as decreasing, degree as degree
from roofproof.derive.optima.monotone import increasing as increasing, independent as independent
from roofproof.derive.optima.optima import argmax as argmax, argmin as argmin, maximum as maximum, minimum as minimum
from roofproof.derive.roofline.communication import Hidden as Hidden, hidden as hidden
from roofproof.derive.roofline.compute_bound import Ceiling as Ceiling, ceilings as ceilings
from roofproof.derive.roofline.critical_size import CriticalSize as CriticalSize, threshold as threshold
from roofproof.derive.roofline.intensities import Intensity as Intensity, intensity as intensity
from roofproof.derive.roofline.memory_fit import MemoryFit as MemoryFit, capacity as capacity
from roofproof.derive.roofline.ridges import ridge as ridge, supply as supply
from roofproof.derive.roofline.times import attainable as attainable, lower as lower, sequential as sequential
from roofproof.derive.roofline.times import time as time, upper as upper
from roofproof.derive.sweeps import evaluate as evaluate
from roofproof.derive.sweeps import Sweep as Sweep, sweep as sweep
