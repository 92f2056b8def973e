"""Minimum times of problems, measured times held against them, and estimates by rates that a fit found.

problems     what a person names: operations, functions, problem files, folders, manifests, definitions
tables       tables of measured times: sizes, labels, one column of times with a unit
profiles     what ncu and PyTorch's profiler write, read as such tables
verdicts     the minimum time at sizes, and a time against it: one exact inequality each, known
records      problems and a table of times together, a record each
validation   a table of one operation: how many times are impossible, how far estimates are off
estimates    FLOPs and bytes of each row, the estimate of its time, and the fit of achievable rates
measure      the rates of this machine: matrix product and copy, as a chip file
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
