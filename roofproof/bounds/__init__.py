"""Lower bounds on the traffic of any schedule with a memory of M bytes, and a tile that comes close to them.

nests         an operation as a projective loop nest: the loops that index each tensor, and its bytes per element
weights       weights of tensors and loops: all vertices of the linear program, exactly
lower         lower bounds on traffic from the weights, each a theorem that assumes a named lemma
tile          a tile: the blocks that it holds and streams, its bytes in memory and its traffic
tiles         the best tile of each kind that has a closed form, and the choice among them
regions       where no schedule is compute-bound, where the tile is, and what is open between
answer        bounds, tile and regions in one answer, for a memory size or a memory level of a chip
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
