"""Benchmarks held to floors: what no run of each problem beats on a chip, and which measured times lie below.

problems     what a person names: operations, functions, problem files, folders, manifests; each an operation
manifest     problems listed in a file
definitions  problems in the form of SOL-ExecBench
verdicts     a floor at sizes, and a time against it: one exact inequality each, known
records      problems and a table of times together, a record each
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
