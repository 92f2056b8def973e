"""The atlas as records of strings and numbers for JSON."""

from collections.abc import Iterable
from typing import Any

from roofproof.derive.atlas import AtlasPart


def atlas_record(found: Iterable[AtlasPart], lacking: bool = False) -> list[dict[str, Any]]:
    """Return every line and problem of an atlas as strings and numbers, and with `lacking` the chips without a spec.

    >>> from roofproof.derive.atlas import parts
    >>> [first, *_] = atlas_record(parts(["fft"], ["h100-sxm"]))
    >>> first["chip"], first["compute"], first["for"], first["ridges"], first["cases"], first["trust"]
    ('h100-sxm', 'fp64-vector', 'N', {'R': '10'}, ['N > 2^(32*R/5)'], 'kernel')
    """
    out: list[dict[str, Any]] = []
    for part in found:
        for line in part.lines:
            out.append({
                "op": line.op, "compute": line.compute, "chip": line.chip, "for": line.unknown,
                "ridges": {name: str(r) for name, r in line.ridges.items()}, "cases": line.cases.split("\n"),
                "assuming": list(line.assuming), "left_out": list(line.left_out),
                "kind_at_point": line.at or None, "integer_at_point": line.integer, "trust": line.trust,
                **({"estimate": line.estimate, "integer_with_start": line.started} if line.estimate else {}),
            })  # fmt: skip
        if part.problem:
            out.append({"op": part.op, "for": part.unknown, "problem": part.problem})
        for what, names in part.lacks.items() if lacking else ():
            for name in names:
                out.append({"op": part.op, "for": part.unknown, "chip": name, "problem": f"no {what}"})
    return out
