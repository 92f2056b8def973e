"""Minimum times of problems, verdicts on measured times, and estimates from fitted rates.

problems     problems as a user names them: operations, functions, problem files, folders, manifests, definitions
tables       tables of measured times: sizes, labels, and one column of times with a unit
profiles     reads the output of ncu and of PyTorch's profiler as such tables
verdicts     the minimum time at given sizes and the verdict on a time, each one proved exact inequality
records      one record for each problem, with its minimum time and the verdicts on its times
validation   a table of one operation: impossible times, and the errors of estimates
estimates    FLOPs and bytes of each row, the estimate of its time, and the fit of achievable rates
measure      benchmarks this machine (matrix product and copy) and writes a chip file
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
