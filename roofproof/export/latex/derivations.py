r"""A derivation in LaTeX: what is given, `align*` with the reason beside each line, the threshold as cases, the proof.

Every section is a function of its own, so that slides and notebooks take the ones they need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.times import time
from roofproof.export.latex.derivation_lines import (
    MANY,
    Style,
    counted,
    intensities,
    limit_lines,
    listed,
    long_convention,
    of_intensity,
    ridge_line,
)
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.lines import Line, aligned
from roofproof.export.latex.tables import figures_table, others_table, tensors_table
from roofproof.export.latex.thresholds import threshold_text
from roofproof.export.latex.words import say
from roofproof.export.text.formatting import seconds

if TYPE_CHECKING:
    from roofproof.hardware import Chip
    from roofproof.ops import Operation
    from roofproof.proofs import ProvedThreshold

Section = tuple[str, str]
"""What a part of a derivation is about, as a key of `words`, and its LaTeX."""


def derivation(
    op: Operation,
    chip: Chip | None,
    proved: ProvedThreshold | None,
    point: Mapping[str, int] | None = None,
    *,
    lang: str = "en",
    siunitx: bool = True,
) -> str:
    r"""Return a derivation for pasting into a document with amsmath, booktabs and siunitx.

    >>> from roofproof import op, threshold
    >>> matmul = op("matmul")
    >>> text = derivation(matmul, None, threshold(matmul, None, "B"))
    >>> print(text[text.index(r"\begin{align*}"):].partition(r"\end")[0].strip())
    \begin{align*}
      \text{FLOPs} &= 2BDF && \text{bf16; 2 FLOPs per multiply-add} \\
      \text{bytes} &= 2BD && \text{read $x$: bf16$[B,$ $D]$} \\
        &\quad + 2DF && \text{read $w$: bf16$[D,$ $F]$} \\
        &\quad + 2BF && \text{write $z$: bf16$[B,$ $F]$} \\
      I &= \frac{BDF}{BD + DF + BF} && \text{FLOPs / bytes, in lowest terms} \\
      I &\to B && \text{as $D,$ $F \gg B$} \\
      \frac{\lvert B - I \rvert}{I} &= \frac{B}{D} + \frac{B}{F} && \text{relative error of $B$, exact}

    Without a proved threshold it ends with the intensity and, on a chip, the times. Raises RoofproofError for
    another language.
    """
    out = []
    for key, text in sections(op, chip, proved, point or {}, lang=lang, siunitx=siunitx):
        out.append(rf"\subsection*{{{say(lang, key)}}}" + "\n" + text)
    return "\n\n".join(out) + "\n"


def sections(
    op: Operation,
    chip: Chip | None,
    proved: ProvedThreshold | None,
    point: Mapping[str, int],
    *,
    lang: str = "en",
    siunitx: bool = True,
) -> Iterator[Section]:
    """Yield the parts of a derivation: given, derivation, threshold, figures of other sources, times, status."""
    style = Style(op, lang, siunitx)
    if proved and proved.figures:
        yield "given", figures_table(proved.figures, lang=lang, siunitx=siunitx)
    lines = list(counted(style))
    several = proved is not None and len(proved.found.ceilings) > 1
    if proved is None:
        lines += intensities(style)
    else:
        for c in proved.found.ceilings:
            lines += of_intensity(style, c.intensity, c.channel, several)
            for rule in (r for r in proved.rules if r.channel == c.channel):
                lines += limit_lines(style, rule, several)
            if c.ridge is not None:
                lines.append(ridge_line(style, c, several))
    # a display that follows a heading at once would leave an empty line
    text = say(lang, "after", source=escape(op.source)) if op.source else say(lang, "start")
    text += "\n" + aligned(lines)
    if counting := long_convention(style):
        text += "\n" + say(lang, "counted", convention=counting)
    if len(op.tensors) > MANY:
        text += "\n" + tensors_table(op, lang=lang)
    if op.conditions:
        text += "\n" + say(lang, "assumed", conditions=_conditions(op, lang))
    if proved:
        warnings = [escape(r.proved.limit.warning) for r in proved.rules if r.proved.limit.warning]
        text += "".join("\n" + say(lang, "warning", limits=w.partition(": ")[2]) for w in warnings)
    yield "derivation", text
    if proved is None:
        if op.flops == 0:
            yield "threshold", say(lang, "no-flops")
    else:
        yield "threshold", threshold_text(style, proved)
        if chip and (others := others_table(proved, chip, lang=lang, siunitx=siunitx)):
            yield "figures", others
    if chip and (proved is None or all(s.name in point for s in op.dims)):
        yield "times", aligned(list(_times(style, chip, point)))
    if proved is not None:
        yield "status", status(proved, lang=lang, siunitx=siunitx)


def status(proved: ProvedThreshold, *, lang: str = "en", siunitx: bool = True) -> str:
    """Return how the threshold is known, under which hypotheses, and the figures that it rests on.

    >>> from roofproof import op, threshold
    >>> print(status(threshold(op("matmul"), None, "B")))
    For all $B,$ $D,$ $F,$ $R > 0$: each case holds exactly where it is stated (proved by the kernel); the cases
    are exhaustive and exclude each other (proved by the kernel); the limit $B$ and its error (proved by the
    kernel).
    """
    style = Style(proved.found.op, lang, siunitx)
    found = proved.found
    symbols = [*found.op.dims, *(c.symbol for c in found.ceilings if c.ridge is None)]
    proofs = (*proved.solved, *proved.symbolic)
    shared = [p.trust for p in proofs if isinstance(p.statement.about, str)]
    own = [p.trust for p in proofs if not isinstance(p.statement.about, str)]
    facts = [(say(lang, "each-case"), own), (say(lang, "exhaustive"), shared)]
    for rule in proved.rules:
        value = rule.proved.limit.stands_for
        facts.append((say(lang, "limit-holds", value=f"${style.latex(value, inline=True)}$"), [rule.proved.trust]))
    known = [(fact, say(lang, "list").join(say(lang, t) for t in dict.fromkeys(trust))) for fact, trust in facts]
    said = [f"{fact} ({how})" for fact, how in known if how]
    names = listed(symbols, after=" > 0")
    return _filled(f"{say(lang, 'for-all', names=names)} {say(lang, 'semicolon').join(said)}{say(lang, 'stop')}")


def _conditions(op: Operation, lang: str) -> str:
    """Return what an operation assumes, divisibility in words."""
    from roofproof.export.latex.conditions import condition

    said = []
    for each in op.conditions:
        if isinstance(each, sympy.Equality) and isinstance(each.lhs, sympy.Mod) and each.rhs == 0:
            whole, part = (f"${Style(op, lang).latex(a)}$" for a in each.lhs.args)
            said.append(say(lang, "divides", part=part, whole=whole))
        else:
            said.append(f"${condition(each, lang=lang)}$")
    return say(lang, "list").join(said)


def _times(style: Style, chip: Chip, point: Mapping[str, int]) -> Iterator[Line]:
    """Yield the time of each resource, and the bounds that follow."""
    times = {name: substitute(t, point) for name, t in time(style.op, chip).items()}
    for name, amount in times.items():
        yield from _time(style, rf"T_{{\text{{{escape(name)}}}}}", amount, style.say("demand-supply"))
    if len(times) > 1:
        for key, kind in (("lower", sympy.Max), ("upper", sympy.Add)):
            bound = kind(*times.values())
            left = rf"T_{{\text{{{key}}}}}"
            yield from _time(style, left, bound, style.say(key))


def _time(style: Style, left: str, amount: sympy.Expr, why: str) -> Iterator[Line]:
    if amount.is_number:
        text = seconds(amount)
        sign = r"\approx" if text.startswith("≈") else "="
        value, unit = text.lstrip("≈= ").split(" ")
        shown = rf"\qty{{{value}}}{{{unit}}}" if style.siunitx else rf"{value}\,\text{{{unit}}}"
        yield Line(left, sign, (shown,), why)
    else:
        yield from style.named(left, "=", amount, why)


def _filled(text: str, limit: int = 110) -> str:
    """Return text on lines of a length that a person would write."""
    import textwrap

    return textwrap.fill(text, limit, break_long_words=False, break_on_hyphens=False)


def heading(op: Operation, chip: Chip | None, proved: ProvedThreshold | None, *, lang: str = "en") -> str:
    """Return what a derivation is about, as text.

    >>> from roofproof import chip, op
    >>> print(heading(op("matmul"), chip("tpu-v5e"), None))
    matmul on Google TPU v5e
    """
    parts = {"op": escape(op.name)}
    if chip:
        parts["chip"] = escape(chip.title or chip.name)
    if proved:
        parts["x"] = f"${Style(op, lang).latex(proved.found.unknown)}$"
    key = {(True, True): "title", (True, False): "title-chip", (False, True): "title-unknown"}.get(
        (chip is not None, proved is not None)
    )
    return say(lang, key, **parts) if key else parts["op"]


def summary_comment(op: Operation, chip: Chip | None, proved: ProvedThreshold | None) -> str:
    """Return one line that tells what a fragment holds, for the source of a document.

    >>> from roofproof import op
    >>> summary_comment(op("matmul"), None, None)
    'matmul: 2*B*D*F FLOPs'
    """
    said = f"{op.name}: {plain(op.flops)} FLOPs"
    if proved:
        said += f"; solved for {proved.found.unknown}, known by {proved.trust}"
    return said + (f"; on {chip.name}" if chip else "")
