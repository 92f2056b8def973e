"""Operations: what they demand of compute, memory and links, as exact symbolic expressions.

operation  what an operation demands of compute, of memory and of links
tensor     a named tensor: shape, number format, the bytes it takes and moves
resources  names of the resources an operation demands
roles      what sizes count: the range each is met in, and whether it may grow
notation/  every way to write an operation
algebra/   new operations from old
library/   the operations known by name, a family a file
models/    configurations of language models, and what they keep in memory
network/   chips joined by links: topologies, collectives, sharding, parallel strategies
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
