"""What no schedule can beat, as a record of exact strings for JSON."""

from __future__ import annotations

from typing import Any

import sympy

from roofproof.bounds import Bound
from roofproof.bounds.attention import CITED, AttentionTraffic
from roofproof.bounds.lower import LEMMA, PHASES
from roofproof.bounds.stencils import Stencil
from roofproof.derive.algebra.text import plain
from roofproof.hardware.units import decimal


def bound_record(found: Bound) -> dict[str, Any]:
    """Return a lower bound as a record of exact strings.

    >>> from roofproof.bounds import bound
    >>> from roofproof.ops import parse_operation
    >>> record = bound_record(bound(parse_operation("matmul")))
    >>> record["bounds"][0]["bytes"], record["regions"]["never_below"], record["tile"]["limit"]
    ('4*B*D*F*sqrt(2)/sqrt(M) - 2*M', '8*R**2', '1')
    """
    nest, tile, regions, best = found.nest, found.tile, found.regions, found.whole

    def exact(expr: sympy.Expr | None) -> str | None:
        return None if expr is None else plain(expr)

    return {
        "op": nest.name,
        "memory": found.memory.name,
        "memory_bytes": None if found.bytes is None else decimal(found.bytes),
        "chip": found.chip.name if found.chip else None,
        "level": found.level or None,
        "tensors": [
            {"name": a.name, "loops": [plain(nest.lengths[i]) for i in sorted(a.loops)], "bytes": str(a.width)}
            for a in nest.arrays
        ],
        "compulsory": plain(nest.compulsory),
        "bounds": [
            {
                "weights": [str(s) for s in b.weights.arrays],
                "loops": [str(t) for t in b.weights.loops],
                "bytes": plain(b.value),
                "statement": b.known.statement.says,
                "trust": b.known.trust,
            }
            for b in found.lower
        ],
        "tile": tile
        and {
            "kind": {
                "best": "best of its kind",
                "leading": "no schedule beats it as the memory grows",
                "near": "within a constant factor of every schedule",
            }[regions.kind],
            "held": ", ".join(a.name for a in tile.held),
            "streamed": plain(nest.lengths[tile.streamed]),
            "sides": {plain(size): plain(side) for size, side in tile.sides.items()},
            "footprint": plain(tile.footprint(tile.g)),
            "bytes": plain(tile.moved(tile.g)),
            "ratio": exact(regions.ratio),
            "limit": exact(regions.limit),
            "at_most": exact(regions.most),
            "from_memory": plain(regions.room) if regions.room else None,
            "integer_sides": found.integer_sides and {plain(s): n for s, n in found.integer_sides.items()},
            "trust": tile.known.trust if tile.known else None,
        },
        "regions": {
            "ridge": None if found.ridge is None else str(found.ridge),
            "never_in_any_memory_from": exact(regions.never_beyond),
            "never_below": exact(regions.never_below),
            "reached_at": exact(regions.reached_at),
            "reached_at_for_ridge_from": exact(regions.reached_from),
            "here": found.region,
        }
        if nest.per_point
        else None,
        "relaxed": list(found.relaxed),
        "at": dict(found.at or {}),
        "least": exact(found.least),
        "reached": exact(found.reached),
        "best_whole_tile": best
        and {
            "streamed": plain(nest.lengths[best.tile.streamed]),
            "sides": {plain(nest.lengths[i]): n for i, n in best.sides.items()},
            "bytes": decimal(best.moved),
        },
        "rests_on": [LEMMA, PHASES] if found.lower else [],
        "trust": found.derivation.trust,
    }


def other_record(found: Stencil | AttentionTraffic) -> dict[str, Any]:
    """Return the bound of a stencil or of attention as a record of exact strings.

    >>> from roofproof.bounds.stencils import Stencil
    >>> other_record(Stencil("stencil5"))["layers"][1]
    {'dims': 2, 'hits': 3, 'misses': 2, 'bytes': '32*N - 16', 'fits': None}
    """
    size = None if found.bytes is None else decimal(found.bytes)
    known = [{"says": k.statement.says, "trust": k.trust} for k in found.derivation]
    if isinstance(found, Stencil):
        layers = [
            {"dims": c.dims, "hits": c.hits, "misses": c.misses, "bytes": plain(c.room),
             "fits": None if (fits := found.largest(c.dims)) is None else plain(fits)}
            for c in found.conditions
        ]  # fmt: skip
        swept = {"bytes": plain(found.swept), "footprint": plain(found.footprint), "computes": plain(found.computed)}
        return {"stencil": found.name, "memory_bytes": size, "layers": layers, "swept": swept, "known": known}
    return {
        "op": found.name, "memory_bytes": size, "footprint": plain(found.footprint), "side": plain(found.side),
        "bytes": plain(found.moved), "bytes_at_most": plain(found.at_most), "lower_bound": CITED, "known": known,
    }  # fmt: skip
