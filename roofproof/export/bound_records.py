"""Lower bounds on memory traffic, as records of exact strings for JSON."""

from __future__ import annotations

from typing import Any

import sympy

from roofproof.bounds import Bound
from roofproof.bounds.lower import LEMMA, PHASES
from roofproof.formula.magnitudes import decimal


def bound_record(found: Bound) -> dict[str, Any]:
    """Return a lower bound as a record of exact strings.

    >>> from roofproof.bounds import bound
    >>> from roofproof.ops import parse_operation
    >>> record = bound_record(bound(parse_operation("matmul")))
    >>> record["bounds"][0]["bytes"], record["regions"]["never_below"], record["tile"]["limit"]
    ('4*sqrt(2)*B*D*F/sqrt(M) - 2*M', '8*R**2', '1')
    """
    nest, tile, regions = found.nest, found.tile, found.regions

    def exact(expr: sympy.Expr | None) -> str | None:
        return None if expr is None else str(expr)

    return {
        "op": nest.name,
        "memory": found.memory.name,
        "memory_bytes": None if found.bytes is None else decimal(found.bytes),
        "chip": found.chip.name if found.chip else None,
        "level": found.level or None,
        "tensors": [
            {"name": a.name, "loops": [str(nest.lengths[i]) for i in sorted(a.loops)], "bytes": str(a.width)}
            for a in nest.arrays
        ],
        "compulsory": str(nest.compulsory),
        "bounds": [
            {
                "weights": [str(s) for s in b.weights.arrays],
                "loops": [str(t) for t in b.weights.loops],
                "bytes": str(b.value),
                "statement": b.known.statement.says,
                "trust": b.known.trust,
            }
            for b in found.lower
        ],
        "tile": tile
        and {
            "kind": "best of its kind",
            "held": ", ".join(a.name for a in tile.held),
            "streamed": str(nest.lengths[tile.streamed]),
            "sides": {str(size): str(side) for size, side in tile.sides.items()},
            "footprint": str(tile.footprint(tile.g)),
            "bytes": str(tile.moved(tile.g)),
            "ratio": exact(regions.ratio),
            "limit": exact(regions.limit),
            "integer_sides": found.integer_sides and {str(s): n for s, n in found.integer_sides.items()},
            "trust": tile.known.trust if tile.known else None,
        },
        "regions": {
            "ridge": None if found.ridge is None else str(found.ridge),
            "never_in_any_memory_from": exact(regions.never_beyond),
            "never_below": exact(regions.never_below),
            "reached_at": exact(regions.reached_at),
            "here": found.region,
        }
        if nest.per_point
        else None,
        "relaxed": list(found.relaxed),
        "at": dict(found.at or {}),
        "least": exact(found.least),
        "reached": exact(found.reached),
        "rests_on": [LEMMA, PHASES] if found.lower else [],
        "trust": found.derivation.trust,
    }
