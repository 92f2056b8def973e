"""Operations: what they demand of compute, memory and links, as exact symbolic expressions.

operation  a list of kernels, with what each demands of compute, of memory and of links
tensor     a named tensor: shape, number format, the bytes it takes and moves
resources  names of the resources an operation demands
roles      what sizes count: the range each is met in, and whether it may grow
notation/  every way to write an operation
combine    new operations from old
library/   the operations known by name: library.toml, and those that need Python
models/    configurations of language models, and what they keep in memory
network/   chips joined by links: topologies, collectives, sharding, parallel strategies
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
