"""Operations: what they demand of compute, memory and links, as exact symbolic expressions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofproof.ops.algebra import at as at
    from roofproof.ops.algebra import backward as backward
    from roofproof.ops.algebra import fuse as fuse
    from roofproof.ops.algebra import over as over
    from roofproof.ops.algebra import repeat as repeat
    from roofproof.ops.algebra import shard as shard
    from roofproof.ops.algebra import then as then
    from roofproof.ops.algebra import tile as tile
    from roofproof.ops.algebra import with_formats as with_formats
    from roofproof.ops.expression import parse_expression as parse_expression
    from roofproof.ops.library import Entry as Entry
    from roofproof.ops.library import entries as entries
    from roofproof.ops.notation import Einsum as Einsum
    from roofproof.ops.notation import einsum as einsum
    from roofproof.ops.operation import Operation as Operation
    from roofproof.ops.parse import parse_operation as parse_operation
    from roofproof.ops.tensor import Tensor as Tensor

_HOME = {
    "Einsum": "notation",
    "Entry": "library",
    "Operation": "operation",
    "Tensor": "tensor",
    "einsum": "notation",
    "entries": "library",
    "at": "algebra",
    "backward": "algebra",
    "fuse": "algebra",
    "over": "algebra",
    "repeat": "algebra",
    "shard": "algebra",
    "then": "algebra",
    "tile": "algebra",
    "with_formats": "algebra",
    "parse_expression": "expression",
    "parse_operation": "parse",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
