"""What Jupyter shows: formulas as LaTeX, operations, chips, proofs and verdicts as small tables."""

from collections.abc import Iterable
from functools import singledispatch
from html import escape as for_html

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.answers.grade import Grade
from roofproof.claims.judging.verdict import Report, Verdict
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.limits.limits import Limit
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.derive.roofline.intensities import Intensity
from roofproof.derive.roofline.memory_fit import assumptions
from roofproof.export.latex.conditions import cases, condition, threshold
from roofproof.export.latex.derivation_lines import approximately, intensity_name, regime
from roofproof.export.latex.escaping import escape as for_tex
from roofproof.export.latex.expressions import latex
from roofproof.export.outline import outline
from roofproof.export.text.solution import section_lines
from roofproof.export.words.catalogue import Catalogue
from roofproof.formula.magnitudes import decimal
from roofproof.hardware.chips import Chip
from roofproof.ops.operation import Operation
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.provers.critical_size import ProvedThreshold

WORDS = Catalogue("en", "text", "steps")


def in_latex(thing: object) -> str | None:
    """Return an object as a formula between dollar signs, None where it is none.

    >>> from roofproof import op, threshold
    >>> print(in_latex(threshold(op("bf16[B], bf16[B] -> []"), None, "B").found.cases))
    $\\displaystyle \\begin{cases}
      B > \\dfrac{R}{1 - 2R} & \\text{when}\\ R < \\frac{1}{2}, \\\\
      \\text{never} & \\text{otherwise}.
    \\end{cases}$
    """
    formula = _formula(thing)
    return None if formula is None else rf"$\displaystyle {formula}$"


def in_html(thing: object) -> str | None:
    """Return an object as HTML, None where its formula says all; what comes from outside is escaped.

    >>> from roofproof import chip
    >>> in_html(chip("bf16=197 TFLOP/s, hbm=819 GB/s")).splitlines()[1]
    '<tr><th>figure</th><th>value</th><th>convention</th><th>known from</th><th>source</th></tr>'
    """
    return _page(thing)


@singledispatch
def _formula(thing: object) -> str | None:
    return None


@_formula.register
def _(thing: Operation) -> str | None:
    channels = [name for name in thing.demands if name not in thing.compute]
    found = outline(thing, None, None, {})
    lines = []
    if total := found.rows("flops-total"):
        lines = [
            rf"\text{{FLOPs}}_{{\text{{{for_tex(row.about)}}}}} &= {latex(row.value)}" for row in found.rows("flops")
        ]
    lines.append(rf"\text{{FLOPs}} &= {latex(total[0].value if total else thing.flops)}")
    lines += [rf"\text{{{_bytes(c, channels)}}} &= {latex(thing.bytes(c))}" for c in channels]
    several = len(found.rows("intensity")) > 1
    for row in found.rows("intensity"):
        if not thing.flops.is_zero:
            lines.append(rf"{intensity_name(row.about, several)} &= {latex(row.value)}")
    return _aligned([*lines, *_assumed(assumptions(thing))])


@_formula.register
def _(thing: Intensity) -> str:
    over = "" if thing.channel == "memory" else rf"_{{\text{{{for_tex(thing.channel)}}}}}"
    return rf"I{over} = {latex(thing.value)}\ \text{{FLOP/B}}"


@_formula.register
def _(thing: Limit) -> str:
    value = r"\infty" if thing.value.is_infinite else latex(thing.value)
    lines = [rf"I &\to {value} && \text{{as }} {regime(thing.regime.text)}"]
    error = thing.relative_error if thing.growth is None else thing.growth_error
    if thing.growth is not None:
        lines.append(rf"I &\sim {latex(thing.growth)}")
    if error is not None:
        lines.append(rf"\text{{relative error}} &= {latex(error)}")
    return _aligned(lines)


@_formula.register
def _(thing: Cases) -> str:
    return cases(thing)


@_formula.register
def _(thing: CriticalSize) -> str:
    rows = [rf"& {cases(thing.symbolic)}"]
    for c in thing.ceilings:
        if c.ridge is not None:
            rows.append(rf"& \text{{with }} {latex(c.symbol)} = {latex(c.ridge)} {_decimal(c.ridge)}")
    if thing.at_point is not None:
        sizes = ", ".join(f"{latex(sympy.Symbol(name))} = {size}" for name, size in thing.point.items())
        x, none = latex(thing.unknown), thing.integer is None
        whole = rf";\ \text{{no integer }} {x}" if none else rf";\ {x} = {thing.integer}"
        whole = "" if none and thing.at_point.kind == "never" else whole
        rows.append(rf"& \text{{at }} {sizes}\colon\ {threshold(thing.unknown, thing.at_point)}{whole}")
    rows += _assumed(thing.supposed)
    return _aligned(rows) if len(rows) > 1 else rows[0].removeprefix("& ")


@_formula.register
def _(thing: ProvedThreshold) -> str | None:
    return _formula(thing.found)


def _assumed(supposed: Iterable[Boolean]) -> list[str]:
    """Return a line with what formulas assume, if they assume anything."""
    every = r",\ ".join(map(condition, supposed))
    return [rf"& \text{{assuming }} {every}"] if every else []


def _aligned(lines: Iterable[str]) -> str:
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def _decimal(value: sympy.Rational) -> str:
    return "" if value.is_Integer else approximately(value)


def _bytes(channel: str, channels: list[str]) -> str:
    return "bytes" if len(channels) == 1 else f"bytes over {for_tex(channel)}"


# --- HTML -----------------------------------------------------------------------------------------


@singledispatch
def _page(thing: object) -> str | None:
    return None


@_page.register
def _(thing: Operation) -> str | None:
    rows = [[how, t.name, t.dtype, " × ".join(plain(s) for s in t.shape) or "1", _math(latex(t.traffic))]
            for how, tensors in (("read", thing.reads), ("write", thing.writes)) for t in tensors]  # fmt: skip
    rows += [["over", channel, "", "", _math(latex(amount))] for channel, amount in thing.traffic.items()]
    table = _table(["", "tensor", "format", "shape", "bytes"], rows) if rows else ""
    return f"<p>{_text(thing.name)}</p>{table}\n<p>{_math(_formula(thing) or '')}</p>"


@_page.register
def _(thing: Chip) -> str | None:
    rows = [[r.label, f"{decimal(r.value)} {r.unit}", r.convention, r.status, r.source] for r in thing.supplies]
    head = ["figure", "value", "convention", "known from", "source"]
    return f"<p>{_text(thing.title or thing.name)}</p>{_table(head, rows)}"


@_page.register
def _(thing: ProvedThreshold) -> str | None:
    found = outline(thing.found.op, thing.chip, thing, thing.found.point, steps=True)
    names = ", ".join(s.name for s in found.op.dims)
    pages = [f"<p>{_math(_formula(thing) or '')}</p>", f"<p>{_text(f'{WORDS[thing.trust]}, for all {names} > 0')}</p>"]
    for heading, pairs in section_lines(found, WORDS):
        pages.append(f"<p><b>{_text(heading)}</b></p>{_table([], [[left, right or ''] for left, right in pairs])}")
    return "\n".join(pages)


@_page.register
def _(thing: Derivation) -> str | None:
    return _table(["what holds", "known by"], [[k.statement.says, k.trust] for k in thing])


@_page.register
def _(thing: Verdict | Report) -> str | None:
    point = ", ".join(f"{name} = {value}" for name, value in (thing.counterexample or {}).items())
    said = {
        "by": WORDS[f"by-{thing.trust}"] if thing.trust else "", "exactly": thing.exact, "when": thing.condition,
        "error": thing.error_bound, "fails at": point, "slip": thing.slip, "note": thing.note,
    }  # fmt: skip
    rows = [[key, value] for key, value in said.items() if value]
    return f"<p><b>{_text(thing.kind)}</b></p>{_table([], rows)}"


@_page.register
def _(thing: Grade) -> str | None:
    said = {"read as": thing.read_as, "slip": thing.slip, "note": thing.note}
    return f"<p><b>{_text(thing.grade)}</b></p>{_table([], [[key, value] for key, value in said.items() if value])}"


class _Math(str):
    """Mathematics that is HTML already."""


def _math(formula: str) -> _Math:
    return _Math(f"$\\displaystyle {for_html(formula)}$")


def _text(text: str) -> str:
    """Return text from anywhere for a page: no mark-up, and no dollar sign that begins a formula."""
    return f'<span class="tex2jax_ignore mathjax_ignore">{for_html(text)}</span>'


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["<table>"]
    if head:
        lines.append("<tr>" + "".join(f"<th>{name}</th>" for name in head) + "</tr>")
    for row in rows:
        cells = (cell if isinstance(cell, _Math) else _text(cell) if cell else "" for cell in row)
        lines.append("<tr>" + "".join(f'<td style="text-align: left">{cell}</td>' for cell in cells) + "</tr>")
    return "\n".join([*lines, "</table>"])
