"""A derivation as a JSON record: every expression an exact string that SymPy reads back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from roofproof.derive.inequalities.cases import Above, Below, Between, Cases, Outside, Several, Threshold, substitute
from roofproof.derive.roofline.intensities import intensity
from roofproof.derive.roofline.memory_fit import requirements
from roofproof.derive.roofline.other_sources import other_figures
from roofproof.derive.roofline.times import sequential, time
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold


def record(
    op: Operation, chip: Chip | None, proved: ProvedThreshold | None, point: Mapping[str, int], seconds: float
) -> dict[str, Any]:
    """Return the record of `derive --json`; parse a string with `sympify(text, {name: symbol, ...})`.

    >>> from roofproof import op
    >>> record(op("dot"), None, None, {}, 0)["intensity"]
    '(2*N - 1)/(4*N + 2)'
    """
    channels = [n for n in op.demands if n not in op.compute]
    out: dict[str, Any] = {
        "op": op.name,
        "dims": [s.name for s in op.dims],
        "flops": str(op.flops),
        "bytes": {n: str(op.bytes(n)) for n in channels}
        if len(channels) > 1
        else (str(op.bytes(channels[0])) if channels else "0"),
        "tensors": [
            {"name": t.name, "shape": [str(s) for s in t.shape], "dtype": t.dtype, "bytes": str(t.traffic)}
            for t in op.tensors
        ],
        "intensity": str(intensity(op, channels[0]).value) if channels else None,
        "assuming": [str(condition) for condition in requirements(op, chip)],
        "limits": [],
        "chip": chip.name if chip else None,
        "ridge": None,
        "threshold": None,
    }
    if chip:
        times = {name: substitute(t, point) for name, t in time(op, chip).items()}
        out["time"] = {
            "resources": {name: str(t) for name, t in times.items()},
            "lower": str(sympy.Max(*times.values())),
            "sequence": str(substitute(sequential(op, chip), point)),
            "upper": str(sympy.Add(*times.values())),
        }
    if proved:
        found = proved.found
        out["limits"] = [_limit(rule) for rule in proved.rules]
        out["ridge"] = str(found.ceilings[0].ridge if chip else found.ceilings[0].symbol)
        out["ridges"] = {c.channel: str(c.ridge if chip else c.symbol) for c in found.ceilings}
        out["threshold"] = {
            "for": found.unknown.name,
            "cases": _cases(found.cases),
            "at_point": None if found.at_point is None else _bound(found.at_point),
            "integer_at_point": found.integer,
            "trust": proved.trust,
        }
        out["rests_on"] = [
            {"resource": r.resource, "value": str(r.value), "unit": r.unit, "convention": r.convention,
             "status": r.status, "source": r.source}
            for r in proved.figures
        ]  # fmt: skip
        out["other_figures"] = [
            {"resource": other.rate.resource, "value": str(other.rate.value), "variant": other.rate.variant,
             "ridges": {s.name: str(ridge) for s, ridge in other.ridges.items()}, "integer_at_point": other.integer}
            for other in (other_figures(found, chip) if chip else ())
        ]  # fmt: skip
    out["seconds"] = seconds
    return out


def _cases(cases: Cases) -> list[dict[str, Any]]:
    return [{"when": str(case.when), **_bound(case.threshold)} for case in cases]


def _bound(threshold: Threshold) -> dict[str, Any]:
    match threshold:
        case Above(at, strict) | Below(at, strict):
            return {"kind": threshold.kind, "at": str(at), "strict": strict}
        case Between(low, high, strict) | Outside(low, high, strict):
            return {"kind": threshold.kind, "at": [str(low), str(high)], "strict": strict}
        case Several(parts, join):
            return {"kind": threshold.kind, "join": join, "at": [_bound(part) for part in parts]}
    return {"kind": threshold.kind, "at": None}


def _limit(rule: Any) -> dict[str, Any]:
    found = rule.proved.limit
    return {
        "regime": found.regime.text,
        "value": str(found.value),
        "relative_error": None if found.relative_error is None else str(found.relative_error),
        "growth": None if found.growth is None else str(found.growth),
        "growth_error": None if found.growth_error is None else str(found.growth_error),
        "where": str(found.where),
        "warning": found.warning or None,
        "channel": rule.channel,
        "trust": rule.proved.trust,
        "rule": None if rule.threshold is None else _cases(rule.threshold),
    }
