"""Measured times held against the model: floors that none may lie below, estimates, the ceilings that make them.

times         tables of measured times: sizes, labels, one column of times whose name has the unit
profiles      what profilers write, read as such tables
counted       what a profiler counted of each kernel
amounts       FLOPs and bytes of each row of a table, its floor and its estimate on a chip
ceilings      calibrated ceilings from a table, with the error on times held out
validation    a table against floor and estimate: how many lie below, how far off, where it is worst
crossover     the predicted threshold against the measured crossover, with an interval
knees         the knee of times along one size: from following the bytes to following the FLOPs
machine       the roofs of this machine: peaks by several kernels, bandwidths by level
kernels       kernels whose FLOPs and bytes are known exactly, compiled by numba
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
