"""Which dimension a slide solves for, and the sizes it shows numbers at, where nobody names them."""

from collections.abc import Mapping

import sympy

from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.errors import RoofproofError
from roofproof.ops import Operation

FIRST = ("B", "L", "b", "r")  # asked for first: a batch, a sequence, a block, a group of queries
USUAL = {
    "B": 256, "D": 4096, "F": 4096, "L": 2048, "S": 2048, "T": 2048, "N": 4096, "M": 4096, "K": 4096,
    "d": 4096, "h": 32, "g": 8, "k": 128, "r": 4, "V": 32000, "P": 10**9, "c": 512, "p": 64, "t": 128,
    "b": 128, "f": 128, "E": 8, "n": 4, "X": 4, "Y": 4, "Z": 8,
}  # fmt: skip
OF = {
    "convolution": {"N": 32, "C": 256, "K": 256, "P": 14, "Q": 14, "R": 3, "S": 3},
    "depthwise-convolution": {"N": 32, "C": 256, "P": 14, "Q": 14, "R": 3, "S": 3},
    "batched-matmul": {"N": 32},
    "prefill": {"N": 32}, "decode-step": {"N": 32}, "generate": {"N": 32}, "training-step": {"N": 32},
    "sliding-window-attention": {"W": 1024},  # at most L
    "weights": {"N": 32}, "kv-cache": {"N": 32},
    "dot": {"N": 2**20}, "add": {"N": 2**20}, "axpy": {"N": 2**20}, "fft": {"N": 2**20}, "stencil7": {"N": 512},
    "spmv": {"M": 2**20, "N": 2**20, "Z": 2**24},
    "sddmm": {"K": 128, "Z": 2**20}, "tiled-matmul": {"t": 32}, "blocked-stencil": {"N": 512, "b": 8, "T": 2},
    "mixture-of-experts": {"k": 2}, "expert-parallel": {"k": 2}, "grouped-matmul": {"k": 2},
    "all-gather": {"V": 2**30}, "reduce-scatter": {"V": 2**30}, "all-reduce": {"V": 2**30}, "all-to-all": {"V": 2**30},
}  # fmt: skip
ANY = 4096  # a dimension that nobody knows


def chosen_dimension(op: Operation) -> str | None:
    """Return the dimension to solve for: the first of the usual ones on which an intensity depends.

    >>> from roofproof.ops import parse_operation
    >>> [chosen_dimension(parse_operation(n)) for n in ("matmul", "flash-attention", "split-matmul", "add")]
    ['B', 'L', 'D', 'N']
    """
    try:
        needed = {s.name for c in ceilings(op) for s in c.intensity.free_symbols}
    except RoofproofError:
        return None
    names = [s.name for s in op.dims]
    candidates = [n for n in (*FIRST, *names) if n in needed and n in names] or names
    return candidates[0] if candidates else None


def usual_sizes(op: Operation, given: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return a size for every dimension of an operation: the given ones, else usual ones.

    >>> from roofproof.ops import parse_operation
    >>> usual_sizes(parse_operation("matmul"), {"D": 1024})
    {'B': 256, 'D': 1024, 'F': 4096}
    """
    special = OF.get(op.name, {})
    return {s.name: (given or {}).get(s.name, special.get(s.name, USUAL.get(s.name, ANY))) for s in op.dims}


def names_of(symbols: frozenset[sympy.Symbol] | set[sympy.Symbol], op: Operation) -> list[str]:
    """Return the names of the dimensions among some symbols, in the order of the operation."""
    names = {s.name for s in symbols}
    return [s.name for s in op.dims if s.name in names]
