"""Requests about an operation: its dimensions, its threshold on a chip, the proof, and files to download."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import bounds
from roofproof.derive.roofline.allowed_sizes import allowed_sizes
from roofproof.derive.roofline.critical_size import CriticalSize, checked_point
from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.export.explain.threshold import explain, explain_cases
from roofproof.export.latex.conditions import cases
from roofproof.export.latex.conditions import threshold as threshold_latex
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.leaves import number
from roofproof.export.numbers import digits, rounded
from roofproof.export.outline import outline
from roofproof.export.plots.rooflines import roofline
from roofproof.export.plots.svg import svg
from roofproof.export.site.labels import LABELS
from roofproof.export.to_html import body_html, to_html
from roofproof.formula.magnitudes import decimal
from roofproof.hardware import Chip, any_chip
from roofproof.ops import Operation, parse_operation
from roofproof.ops.notation.sizes import sizes_from
from roofproof.ops.roles import role_of
from roofproof.proofs import ProvedThreshold, threshold
from roofproof.proofs.known import Known, weakest
from roofproof.proofs.provers.critical_size import at_sizes
from roofproof.proofs.translate import formula_if_defined
from roofproof.say import Words

Asked = Mapping[str, str]
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip file, so that equal answers give equal files


def read(asked: Asked) -> tuple[Operation, Chip | None, str, dict[str, int]]:
    """Return the operation, the chip, the dimension to solve for, and the sizes of a request.

    >>> op, chip, name, at = read({"operation": "matmul", "chip": "tpu-v5e", "unknown": "B", "at": "D=4096"})
    >>> op.name, chip.name, name, at
    ('matmul', 'tpu-v5e', 'B', {'D': 4096})

    Raises RoofproofError for a missing operation, and for values that cannot be used.
    """
    if not asked.get("operation", "").strip():
        raise RoofproofError("no operation yet; type one, such as bf16[B,D], bf16[D,F] -> bf16[B,F], or choose one")
    op = parse_operation(asked["operation"])
    chip = any_chip(asked["chip"]) if asked.get("chip", "").strip() else None
    name = asked.get("unknown", "").strip() or (op.dims[0].name if op.dims else "")
    at = sizes_from([asked["at"]]) if asked.get("at", "").strip() else {}
    return op, chip, name, {size: value for size, value in at.items() if size != name}


def proved_threshold(asked: Asked) -> ProvedThreshold:
    """Return the requested threshold with its proofs.

    Raises RoofproofError for values that cannot be used, and if there is no threshold.
    """
    op, chip, name, at = read(asked)
    return threshold(op, chip, name, at, asked.get("regime", "").strip() or None)


def dimensions(asked: Asked) -> dict[str, Any]:
    """Return the name, the dimensions with their ranges, and the formulas of an operation.

    >>> found = dimensions({"operation": "decode-attention"})
    >>> found["intensity"], found["sizes"]["k"]                # a head is 16 to 256 wide, and a slider as long
    ('\\\\frac{Sr}{S + r}', {'least': 16, 'most': 256, 'usual': 128})
    """
    op = read(asked)[0]
    roles = [(s, role_of(op, s.name)) for s in op.dims]
    found = outline(op, None, None, {})
    intensities = found.rows("intensity")
    return {
        "name": op.name,
        "dims": [s.name for s in op.dims],
        "sizes": {s.name: {"least": r.least, "most": r.most, "usual": r.usual} for s, r in roles},
        "flops": latex(op.flops) if len(op.units) < 2 else None,
        "intensity": latex(intensities[0].value) if intensities else None,
        "formats": sorted({t.dtype for t in op.tensors}),
    }


@lru_cache(maxsize=64)
def _without_sizes(operation: str, chip: str, name: str, regime: str) -> ProvedThreshold:
    """Return a threshold for all sizes, cached so that a change of sizes needs no new proof of it."""
    return threshold(parse_operation(operation), any_chip(chip) if chip else None, name, None, regime or None)


def _proved_threshold(asked: Asked) -> tuple[ProvedThreshold, CriticalSize]:
    """Return a threshold with its proofs, and its value at the requested sizes."""
    op, chip, name, at = read(asked)
    checked_point(op, at, name, chip)
    try:
        proved = _without_sizes(
            asked["operation"], asked.get("chip", "").strip(), name, asked.get("regime", "").strip()
        )
    except RoofproofError:
        # There may still be an answer with numbers for all other sizes. This also reports an invalid regime.
        proved = threshold(op, chip, name, at, asked.get("regime", "").strip() or None)
        return proved, proved.found
    return proved, _at(proved.found, at, chip)


def _at(found: CriticalSize, at: Mapping[str, int], chip: Chip | None) -> CriticalSize:
    """Return a threshold with its value at these sizes, and with the sizes that are allowed there."""
    names = {s.name for s in found.op.dims}
    point = {size: value for size, value in at.items() if size in names}
    needed = {s.name for case in found.cases for s in case.symbols} - {found.unknown.name}
    there = found.cases.at(point) if needed <= set(point) else None
    if there is not None and any(too_long(b) for b in bounds(there)):
        there = None
    allowed = allowed_sizes(found.op, chip, found.unknown.name, at, found.allowed.multiple_of)  # not only `point`
    return replace(found, point=point, at_point=there, allowed=allowed)


def derive(asked: Asked) -> dict[str, Any]:
    """Return the threshold of an operation on a chip, at the given sizes, and how it was proved.

    >>> asked = {"operation": "matmul", "chip": "tpu-v5e", "unknown": "B", "at": "D=4096,F=4096", "lang": "en"}
    >>> found = derive(asked)
    >>> found["integer"], found["trust"], found["never"], found["ridges"][0]["about"]
    (273, 'kernel', False, '≈ 240.54')

    `place` is a size of the dimension solved for. If all other sizes are given, the roofline is drawn at it.
    """
    (proved, found), lang = _proved_threshold(asked), asked["lang"]
    known: list[Known] = [*proved.solved, *proved.symbolic]
    if found.at_point is not None:
        known += at_sizes(formula_if_defined(found.condition), found, found.point, found.at_point, found.integer)
    trust, words = weakest(known), Words(lang, LABELS)
    return {
        "name": found.op.name,
        "dims": [s.name for s in found.op.dims],
        "unknown": found.unknown.name,
        "intensities": [latex(c.intensity) for c in found.ceilings],
        "ridges": [
            {"name": c.symbol.name, "exact": str(c.ridge), "about": digits(c.ridge)} for c in found.ceilings if c.ridge
        ],
        "threshold": body_html(explain_cases(found.op, found.symbolic, found.supposed), lang),
        "cases": cases(found.cases, lang=lang),
        "figures": [{"name": r.resource, "value": decimal(r.value), "unit": r.unit} for r in proved.figures],
        "never": found.cases.never,
        "at": None if found.at_point is None else _at_point(found, lang),
        "integer": found.integer,
        "says": _says(found, words),
        "trust": trust,
        "known": words[f"proved: {trust}"],
        "picture": _picture(found, proved.chip, asked),
    }


def _at_point(found: CriticalSize, lang: str) -> str:
    """Return a threshold at the sizes as a formula, with a decimal if it is a fraction."""
    assert found.at_point is not None
    told = threshold_latex(found.unknown, found.at_point, lang=lang)
    ends = bounds(found.at_point)
    if len(ends) != 1 or not ends[0].is_Rational or ends[0].is_Integer:
        return told
    short = rounded(ends[0], 5)
    sign = "=" if short.exact else r"\approx"
    return f"{told} {sign} {number(short.text, False)}"


def _says(found: CriticalSize, words: Words) -> tuple[str, str]:
    """Return the integer answer at the sizes and the text behind it, both empty if sizes are missing."""
    name, there = str(found.unknown), found.at_point
    if found.cases.never:
        return words["never compute-bound"], ""
    if there is None:
        return "", ""
    if there.kind == "never":
        return words["never at these sizes"], ""
    said = f" {words['and']} ".join(words.translate(plain(c)) for c in found.allowed.conditions)
    such = words.say(" such that <conditions>", conditions=said) if said else ""
    if found.integer is None:
        return words.say("no integer <x>", x=name), such
    if there.kind == "always" and not such:
        return words.say("at every <x>", x=name), ""
    return f"{name} = {found.integer}", words[
        "the largest integer" if there.kind == "below" else "the smallest integer"
    ] + such


def _picture(found: CriticalSize, chip: Chip | None, asked: Asked) -> str:
    """Return the roofline at the given sizes, or nothing if the chip or a size is missing."""
    size, names = asked.get("place", "").strip(), {s.name for s in found.op.dims}
    if chip is None or not size:
        return ""
    sizes = {**found.point, **sizes_from([f"{found.unknown.name}={size}"])}
    if not names <= set(sizes):
        return ""
    return svg(roofline([found.op], [chip], [sizes], asked["lang"]))


def proof(asked: Asked) -> dict[str, Any]:
    """Return the full answer as HTML, with the proof line by line and the reason for each line.

    >>> "the intensity" in proof({"operation": "dot", "unknown": "N", "lang": "en"})["html"]
    True
    """
    proved = proved_threshold(asked)
    found = outline(proved.found.op, proved.chip, proved, proved.found.point, steps=True)
    return {"html": to_html(explain(found), asked["lang"]), "trust": proved.trust}


def file(asked: Asked) -> dict[str, Any]:
    """Return an answer as a file to download, where `what` is coq, latex, deck, json or text.

    >>> made = file({"operation": "dot", "unknown": "N", "what": "latex", "lang": "en"})
    >>> made["name"], made["text"].splitlines()[1]
    ('dot.tex', '\\\\documentclass[11pt,a4paper]{article}')
    """
    what = asked.get("what", "")
    refuse_unknown("file", what, FILES)
    return FILES[what](asked)


def _latex(asked: Asked) -> dict[str, Any]:
    from roofproof.export.latex.documents import document, summary_comment
    from roofproof.export.latex.leaves import Style
    from roofproof.export.to_latex import inline, to_latex

    proved, lang = proved_threshold(asked), asked["lang"]
    op, chip = proved.found.op, proved.chip
    doc = explain(outline(op, chip, proved, proved.found.point, steps=True))
    title, about = inline(doc.title, Style(lang)), summary_comment(op, chip, proved)
    return {"name": f"{_name(proved)}.tex", "text": document(to_latex(doc, lang), title, lang=lang, about=about)}


def _deck(asked: Asked) -> dict[str, Any]:
    from roofproof.export.slides.beamer import beamer
    from roofproof.export.slides.decks import deck

    op, chip, name, at = read(asked)
    made = deck([(asked["operation"].strip(), op)], [chip] if chip else [], asked["lang"], name, at)
    return {"name": f"{_plain(op.name)}-slides.tex", "text": beamer(made)}


def _coq(asked: Asked) -> dict[str, Any]:
    from roofproof.export.coq import of_threshold
    from roofproof.proofs.replay.coq.files import coq_files

    proved = proved_threshold(asked)
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as folder:
        for path, (text, _) in coq_files([of_threshold(proved, proved.found.op.name).page()]).items():
            folder.writestr(ZipInfo(f"{_name(proved)}-coq/{path}", EPOCH), text)
    return {"name": f"{_name(proved)}-coq.zip", "base64": b64encode(packed.getvalue()).decode("ascii")}


def _json(asked: Asked) -> dict[str, Any]:
    from json import dumps

    from roofproof.export.record import record

    proved = proved_threshold(asked)
    made = record(proved.found.op, proved.chip, proved, proved.found.point, 0, steps=True)
    del made["seconds"]
    return {"name": f"{_name(proved)}.json", "text": dumps(made, indent=2, ensure_ascii=False) + "\n"}


def _text(asked: Asked) -> dict[str, Any]:
    from roofproof.export.to_text import to_text

    proved = proved_threshold(asked)
    found = outline(proved.found.op, proved.chip, proved, proved.found.point, steps=True)
    text = to_text(explain(found), asked["lang"])
    return {"name": f"{_name(proved)}.txt", "text": text + "\n"}


FILES: Mapping[str, Callable[[Asked], dict[str, Any]]] = {
    "coq": _coq, "latex": _latex, "deck": _deck, "json": _json, "text": _text,
}  # fmt: skip


def _name(proved: ProvedThreshold) -> str:
    chip = proved.chip
    return "-".join(_plain(part) for part in (proved.found.op.name, *([chip.name] if chip else [])))


def _plain(name: str) -> str:
    """Return a name that is valid as a file name on every system."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in name)[:60].strip("-.") or "answer"
