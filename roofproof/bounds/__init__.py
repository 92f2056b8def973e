"""What no schedule can beat: traffic below which none goes with a memory of M bytes, and a tile that comes near.

nests         an operation as a projective loop nest: which loops each tensor uses, and its bytes an element
weights       weights of tensors and loops: every vertex of the linear programme, exactly
lower         lower bounds on traffic from the weights, each a theorem from the lemma that is named
tile          a tile: what is held, what comes and goes, the bytes that it takes and moves
tiles         the best tile of a kind in closed form, where it has one; which tile is given
regions       where no schedule is compute-bound, where the tile is, and what is open
answer        all of it in one answer, for a memory of so many bytes or a level of a chip
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
