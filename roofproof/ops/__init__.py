"""Operations and their demands on compute, memory and links, as exact symbolic expressions.

operation  a list of kernels, each with its demands on compute, memory and links
tensor     a named tensor: shape, number format, stored bytes and moved bytes
resources  names of the resources an operation demands
roles      roles of sizes: the usual range of each, and whether it may grow
notation/  every way to write an operation
combine    functions that make new operations from existing ones
library/   the built-in operations: those in library.toml, and those defined in Python
models/    configurations of language models, and their memory footprints
network/   chips joined by links: topologies, collectives, sharding, parallel strategies
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
