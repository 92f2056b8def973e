"""A derivation as a JSON record, with every expression as an exact string that SymPy can parse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import (
    Above,
    Below,
    Between,
    Cases,
    Outside,
    Several,
    Threshold,
    plain_threshold,
)
from roofproof.derive.roofline.communication import Faster
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.missing_rates import without_missing_rates
from roofproof.derive.roofline.share import Share
from roofproof.export.outline import TIMES, Row, Section, outline, sections_of, time_rows
from roofproof.hardware import Chip
from roofproof.hardware.calibration import as_record
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.steps.step import NoSteps, Step, Steps


def record(
    op: Operation,
    chip: Chip | None,
    proved: ProvedThreshold | None,
    point: Mapping[str, int],
    seconds: float,
    steps: bool = False,
) -> dict[str, Any]:
    """Return the record of `derive --json`. Parse its strings with `sympify(text, {name: symbol, ...})`.

    With `steps` it contains the proof, line by line.

    >>> from roofproof import op
    >>> record(op("dot"), None, None, {}, 0)["intensity"]
    '(2*N - 1)/(4*N + 2)'
    """
    found = outline(op, chip, proved, point, steps)
    channels = [n for n in op.demands if n not in op.compute]
    moved = {n: str(op.bytes(n)) for n in channels}
    intensities = found.rows("intensity")
    out: dict[str, Any] = {
        "op": op.name,
        "dims": [s.name for s in op.dims],
        "flops": None if len(op.units) > 1 else str(op.flops),
        "bytes": moved if len(moved) > 1 else next(iter(moved.values()), "0"),
        "tensors": [
            {"name": t.name, "shape": [str(s) for s in t.shape], "dtype": t.dtype, "bytes": str(row.value)}
            for row in found.rows("read", "write")
            for t in [row.about]
        ],
        "intensity": str(intensities[0].value) if intensities else None,
        "assuming": [str(row.about) for row in found.rows("assumed")],
        "limits": [_limit(row) for row in found.rows("limit")],
        "chip": chip.name if chip else None,
        "ridge": None,
        "threshold": None,
    }  # fmt: skip
    shared = merge_shared_formats(without_missing_rates(op, chip, bytes_alone=True)[0], chip)[1]
    if len(found.rows("flops")) > 1 or shared:
        out["engines"] = {row.about: str(row.value) for row in found.rows("flops")}
    if shared:  # why the units and the intensity have other FLOPs than those counted
        out["on_one_engine"] = [
            {"resource": s.resource, "counted_in": s.within, "factor": str(s.factor)} for s in shared
        ]
    if on_chip := found.rows("footprint"):
        out["on_chip"] = {row.about: str(row.value) for row in on_chip}
    if unchecked := found.rows("unchecked"):
        out["unchecked"] = [str(row.about) for row in unchecked]
    if chip:
        times = found.rows(*TIMES) or time_rows(without_missing_rates(op, chip, bytes_alone=True)[0], chip, point)
        out["time"] = {"resources": {row.about: str(row.value) for row in times if row.key == "resource"}}
        out["time"] |= {row.key: str(row.value) for row in times if row.key != "resource"}
        out["time"].setdefault("sequence", out["time"]["lower"])
        out["time"]["floor"] = out["time"]["lower"]
        for guess, made in zip(found.rows("estimate"), found.rows("estimated"), strict=False):
            of = {"ceilings": as_record(guess.about.ceilings), "borrowed_from": guess.about.of or None}
            out["time"]["estimate"] = {"seconds": str(made.value), **of, "follows_by": made.trust}
    if proved:
        ridges = {row.about.label: str(row.value) for row in found.rows("ridge")}
        out["ridges"] = ridges or {c.label: str(c.symbol) for c in proved.found.ceilings}
        out["ridge"] = next(iter(out["ridges"].values()))
        there = found.rows("point")
        out["threshold"] = {
            "for": proved.found.unknown.name,
            "cases": _cases(found.rows("cases")[-1].about),
            "at_point": _bound(there[0].threshold) if there else None,
            "integer_at_point": there[0].integer if there else None,
            "trust": proved.trust,
        }
        for row in found.rows("for-all"):
            out["threshold"]["for_all"] = [s.name for s in row.about.symbols]
            out["threshold"]["given"] = [str(each) for each in row.about.supposed]
            if row.about.searched:
                out["threshold"]["whole_numbers_to"] = row.about.searched
        if share := proved.found.share:
            out["share"] = _share(share, found.rows("started"))
        if only := found.rows("sizes"):
            out["threshold"]["only_at"] = dict(only[0].about)  # the cases apply only there
        if regions := found.rows("longest"):
            out["takes_longest"] = {row.about.resource: _cases(row.about.cases) for row in regions}
        out["other_figures"] = [
            _other(row) | {"ridges": {name: str(ridge) for name, ridge in row.ridges.items()},
                           "integer_at_point": row.integer}
            for row in found.rows("other")
        ]  # fmt: skip
    elif others := found.rows("other-time"):
        out["other_figures"] = [
            _other(row) | {"time": {s.label: str(s.value) for s in (k.statement for k in row.known[1:])}}
            for row in others
        ]
    out["rests_on"] = [
        {"resource": r.resource, "value": str(r.value), "unit": r.unit, "convention": r.convention,
         "status": r.status, "source": r.source}
        for r in (row.about for row in found.rows("figure"))
    ]  # fmt: skip
    if left := found.rows("left-out"):
        out["left_out"] = [
            {"resource": row.about.resource, "amount": str(row.about.amount),
             "binds_below": {s.label: str(s.value) for s in (k.statement for k in row.known)}}
            for row in left
        ]  # fmt: skip
    if proofs := found.rows("proof"):
        out["proved"] = [{"says": k.statement.says, "trust": k.trust} for row in proofs for k in row.known]
    if steps:
        out["steps"] = [_steps(section) for section in found.sections if section.key.startswith("steps-")]
    out |= op.provenance()
    out["seconds"] = seconds
    return out


def steps_record(told: Iterable[Steps | NoSteps]) -> dict[str, Any]:
    """Return proofs line by line, for JSON.

    >>> steps_record([NoSteps("limit", "the limit uses a series expansion")])["steps"][0]["untold"]
    'the limit uses a series expansion'
    """
    return {"steps": [_steps(section) for section in sections_of(told)]}


def _steps(section: Section) -> dict[str, Any]:
    """Return lines with their reasons, and those of each case with its condition."""
    lines: list[dict[str, Any]] = []
    out: dict[str, Any] = {"key": section.key, "channel": section.about or None, "lines": lines, "cases": []}
    for row in section.rows:
        if row.key == "branch":
            lines = []
            out["cases"].append({"when": str(row.about), "lines": lines})
            continue
        if row.key == "untold":
            out["untold"] = str(row.about)
            continue
        step: Step = row.about
        lines.append(
            {"says": str(step.line), "link": step.link or None, "reason": step.reason.value,
             "by": list(map(str, step.by)), "claims": [k.statement.says for k in step.known[1:]], "trust": row.trust}
        )  # fmt: skip
    return out


def _share(share: Share, started: tuple[Row, ...]) -> dict[str, Any]:
    """Return the share of the peak to keep, the estimate behind it, and the answer with the startup time included."""
    made = share.ceilings
    out: dict[str, Any] = {
        "value": str(share.value),
        "corner": share.corner,
        "factor": str(share.factor),
        "estimate": None if made is None else as_record(made),
        "borrowed_from": share.of or None,
        "with_start": None,
    }
    for row in started:
        out["with_start"] = {
            "at_point": _bound(row.threshold), "integer_at_point": row.integer, "trust": row.trust
        }  # fmt: skip
    return out


def _other(row: Row) -> dict[str, Any]:
    rate = row.about.rate
    return {"resource": rate.resource, "value": str(rate.value), "variant": rate.variant}


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


def _limit(row: Row) -> dict[str, Any]:
    rule, found = row.about, row.about.limit
    return {
        "regime": found.regime.text,
        "value": str(found.value),
        "relative_error": None if found.relative_error is None else str(found.relative_error),
        "growth": None if found.growth is None else str(found.growth),
        "growth_error": None if found.growth_error is None else str(found.growth_error),
        "where": str(found.where),
        "warning": found.warning or None,
        "channel": rule.channel,
        "by_letter": {name: role.name for name, role in rule.by_letter.items()},
        "trust": row.trust,
        "rule": None if rule.threshold is None else _cases(rule.threshold),
    }


def faster_record(
    op: Operation, other: Operation, chip: Chip | None, found: Faster, cases: Cases, proof: Derivation
) -> dict[str, object]:
    """Return the cases in which a collective is faster than another, for JSON."""
    return {
        "operation": op.name, "against": other.name, "chip": None if chip is None else chip.name,
        "unknown": str(cases.unknown), "times": [str(time) for time in found.times],
        "logarithms": {str(depth): f"log2({n})" for depth, n in found.logarithms},
        "given": [*(str(plain(c)) for c in found.whole), *map(str, found.given)],
        "cases": [{"when": str(c.when), "faster": plain_threshold(cases.unknown, c.threshold)} for c in cases],
        "trust": proof.trust,
    }  # fmt: skip
