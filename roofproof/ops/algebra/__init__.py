"""New operations from old: each function takes operations and returns one, symbolically."""

from roofproof.ops.algebra.at import at
from roofproof.ops.algebra.backward import backward
from roofproof.ops.algebra.beside import beside
from roofproof.ops.algebra.fuse import fuse
from roofproof.ops.algebra.over import over
from roofproof.ops.algebra.over_level import over_level
from roofproof.ops.algebra.repeat import repeat
from roofproof.ops.algebra.shard import shard
from roofproof.ops.algebra.then import then
from roofproof.ops.algebra.tile import tile
from roofproof.ops.algebra.with_formats import with_formats

__all__ = ["at", "backward", "beside", "fuse", "over", "over_level", "repeat", "shard", "then", "tile", "with_formats"]
