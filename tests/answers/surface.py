"""The public functions called with arguments from JSON, with each result as a flat dict of fields.

A table as an argument represents a value that JSON lacks: {"op": "matmul"}, {"chip": "tpu-v5e"}, {"symbol": "B"},
{"regime": "N -> oo"}, {"intensity": "matmul"}, {"share": "4/5"}, {"range": [1, 9]}.
"""

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import chdir
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy
import sympy
import traced
from record import kept

import roofproof.ops
from roofproof.proofs.kernel.terms import variables

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MADE: dict[str, Callable[[Any], Any]] = {
    "op": roofproof.op,
    "chip": roofproof.chip,
    "symbol": sympy.Symbol,
    "regime": roofproof.Regime,
    "intensity": roofproof.intensity,
    "share": Fraction,
    "range": lambda ends: range(*ends),
}


KEYS = {"unknown": "for_"}  # the current name of a renamed argument


def made(given: Any) -> Any:
    """Return an argument from JSON as a Python value."""
    if isinstance(given, dict) and len(given) == 1 and (kind := next(iter(given))) in MADE:
        return MADE[kind](given[kind])
    if isinstance(given, dict):
        return {name: made(value) for name, value in given.items()}
    return [made(one) for one in given] if isinstance(given, list) else given


def fields(found: Any, name: str = "value") -> dict[str, Any]:
    """Return the compared fields of any value that the functions return."""
    if isinstance(found, roofproof.Operation):
        return of_operation(found)
    if isinstance(found, roofproof.Chip):
        return of_chip(found)
    if isinstance(found, numpy.ndarray):
        return {f"{name} {k}": float(x) if found.dtype.kind != "U" else str(x) for k, x in enumerate(found.ravel())}
    if isinstance(found, Mapping):
        return {f"{name} {key}": str(value) for key, value in sorted(found.items())}
    if isinstance(found, tuple | list):
        return {key: value for k, one in enumerate(found) for key, value in fields(one, f"{k}").items()}
    return {name: str(found)} if not hasattr(found, "to_dict") else answered(found, name)


def answered(found: Any, name: str) -> dict[str, Any]:
    """Return the fields of a result: those of its record, and whether it has the attributes that every result has."""
    said, prefix = found.to_dict(), "" if name == "value" else f"{name} "
    if "verdict" in said and "grade" not in said:
        said = {"claims": [{**said, "id": said.get("id", "claim")}]}
    of_record = {k: said[k] for k in ("value", "relative_error", "growth", "quantities", "seconds") if k in said}
    own = {
        "integer": found.integer,
        "trust": found.derivation.trust if found.known else None,
        "proved": all(isinstance(one, roofproof.Known) for one in found.known) and bool(found.known),
        "in LaTeX": bool(found.latex()),
        "steps": bool(found.steps),
    }
    return {f"{prefix}{key}": value for key, value in (kept(said) | of_record | own).items()}


def of_operation(op: roofproof.Operation) -> dict[str, Any]:
    moved = {
        f"{side} {t.name or k}": str(t.bytes) for side in ("reads", "writes") for k, t in enumerate(getattr(op, side))
    }
    demanded = {f"engine {engine}": str(count) for engine, count in op.compute.items()}
    flops = None if len(op.units) > 1 else str(op.flops)
    return {"flops": flops, "bytes": str(op.bytes()), "sizes": sorted(map(str, op.dims)), **moved, **demanded}


def of_chip(chip: roofproof.Chip) -> dict[str, Any]:
    return {"name": chip.name, **{f"rate {r.resource}": str(r.value) for r in (*chip.compute, *chip.channels)}}


def figure(chip: str, kind: str, resource: str) -> dict[str, Any]:
    return {"value": str(getattr(roofproof.chip(chip), kind)(resource))}


def error(name: str) -> dict[str, Any]:
    """Return the base classes that catch an error, of those that a caller may name."""
    kind = getattr(roofproof, name)
    return {"caught by": [e for e in ("RoofproofError", "TypeError", "ValueError") if e in map(_name, kind.__mro__)]}


def _name(kind: type) -> str:
    return kind.__name__


def of_regime(text: str) -> dict[str, Any]:
    found = roofproof.Regime(text)
    return {"growing": sorted(map(str, found.growing))}


def known(**of: Any) -> dict[str, Any]:
    """Return the trust of a threshold's first statement, and the error raised when it is made without a warrant."""
    one = roofproof.threshold(**{KEYS.get(key, key): value for key, value in of.items()}).known[0]
    try:
        return {"made": type(roofproof.Known(one.statement, None)).__name__}
    except roofproof.RoofproofError as refusal:
        return {"trust": one.trust, "refused": type(refusal).__name__}


def verified(book: str, page: str = "", **how: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as home, chdir(home):
        Path("book.claims.toml").write_text(book, encoding="utf-8")
        Path("page.md").write_text(page, encoding="utf-8")
        found = roofproof.verify("book.claims.toml", *(["page.md"] if page else []), **how)
        return {f"{r.id} {key}": value for r in found for key, value in answered(r, "value").items() if key != "steps"}


def swept(**how: Any) -> dict[str, Any]:
    found = roofproof.sweep(**how)
    slabs = {f"{k} {name}": column for k, one in enumerate(found.slabs()) for name, column in one.items()}
    numbers = {
        key: value for name, column in slabs.items() for key, value in fields(numpy.asarray(column), name).items()
    }
    return {"points": len(found), **numbers, **{f"formula {k}": str(v) for k, v in found.expressions.items()}}


def trace(by: str, function: str, traffic: str) -> dict[str, Any]:
    called, shapes, where = traced.named(by, function)
    return of_operation(getattr(roofproof.trace, by)(called, shapes, where=where, traffic=traffic))


def model(file: str, name: str = "", shapes: str = "", traffic: str = "fused") -> dict[str, Any]:
    """Trace a module of examples/, or the Hugging Face module for a configuration there."""
    if not name:
        from roofproof.trace.hugging_face import module_of_config

        return of_operation(roofproof.trace.torch(module_of_config(str(EXAMPLES / file)), shapes, traffic=traffic))
    spec = spec_from_file_location(name, EXAMPLES / file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name)
    by = roofproof.trace.torch if isinstance(function, type) else roofproof.trace.jax
    return of_operation(by(function, shapes, traffic=traffic))


def certificates(texts: list[str]) -> dict[str, bool]:
    """Return which certificates the checker accepts, and which ones the proof kernel proves again step by step."""
    from roofproof.proofs.replay.checker import check
    from roofproof.proofs.replay.recheck import rechecked

    def taken(by: Callable[[str], Any], text: str) -> bool:
        try:
            by(text)
        except Exception:
            return False
        return True

    by = {"checker": check, "kernel": lambda text: rechecked(json.loads(text))}
    return {f"{k} {name}": taken(one, text) for k, text in enumerate(texts) for name, one in by.items()}


def algebra(how: str, of: list[str], **sizes: Any) -> dict[str, Any]:
    """Return an operation composed of others, such as `then backward`, with the sizes for the last step."""
    *first, last = how.split()
    made = list(map(roofproof.op, of))
    for step in first:
        made = [getattr(roofproof.ops, step)(*made)]
    found = getattr(roofproof.ops, last)(*made, **sizes)
    parts = {f"part {k}": str(part.bytes()) for k, part in enumerate(found.parts)}
    moved = {f"demand {name}": str(amount) for name, amount in found.demands.items()}
    return of_operation(found) | {"assuming": sorted(map(str, found.conditions)), **moved, **parts}


def rows(of: list[str], chips: list[str]) -> dict[str, Any]:
    """Return the rows of the atlas: the threshold on each chip, and whether its proof leaves the ridge point open."""
    from roofproof.derive.on_chips import thresholds
    from roofproof.derive.roofline.own_format import forms

    on, told = list(map(roofproof.chip, chips)), {}
    asked = ((one, written, x.name) for one in of for written in forms(on, one).values() for x in written.dims)
    for one, written, x in asked:
        for found in thresholds(written, x, on):
            for row in (row for row in found.rows if row.able):
                name = f"{one} {'+'.join(found.units)} {row.chip.name} {x}"
                proved = {symbol for theorem in found.on(row).theorems for symbol in variables(theorem.conclusion)}
                cases = roofproof.threshold(written, row.chip, x).found.cases
                told[f"{name} condition"] = str(cases).replace("\n", "; ")
                told[f"{name} has a ridge unknown"] = bool(set(row.ridges) & proved)
    return told


def called(name: str, function: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """Return a function of arguments from JSON that returns an error as the public class that a caller can catch."""

    def answer(**args: Any) -> dict[str, Any]:
        try:
            found = function(**{KEYS.get(key, key): made(value) for key, value in args.items()})
        except roofproof.RoofproofError as refusal:
            public = next(kind for kind in type(refusal).__mro__ if kind.__name__ in roofproof.__all__)
            asked, quoted = json.dumps(args, ensure_ascii=False), re.findall(r"'([^']+)'", str(refusal))
            return {"refused by": public.__name__, "refused for": sorted({w for w in quoted if w and w in asked})}
        return found if name in OWN else fields(found)

    return answer


OWN: dict[str, Callable[..., dict[str, Any]]] = {
    "Known": known,
    "Regime": of_regime,
    "Chip": figure,
    "error": error,
    "verify": verified,
    "sweep": swept,
    "trace": trace,
    "model": model,
    "certificates": certificates,
    "algebra": algebra,
    "rows": rows,
}
PLAIN = ("op", "chip", "intensity", "threshold", "limit", "ridge", "time", "lower", "upper", "sequential", "attainable")
PLAIN += ("bound", "floors", "evaluate", "judge", "check", "Operation")
CALLS = {name: called(name, OWN.get(name) or getattr(roofproof, name)) for name in (*OWN, *PLAIN)}
