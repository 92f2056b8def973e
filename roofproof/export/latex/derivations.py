r"""A derivation in LaTeX: what is given, `align*` with the reason beside each line, the threshold as cases, the proof.

Every section is a function of its own, so that slides and notebooks take the ones they need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.export.latex.conditions import condition
from roofproof.export.latex.derivation_lines import MANY, Style, lines, listed, long_convention, regime, time_line
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.lines import aligned
from roofproof.export.latex.tables import figures_table, others_table, tensors_table
from roofproof.export.latex.thresholds import threshold_text
from roofproof.export.latex.words import say
from roofproof.export.outline import TIMES, Outline, Row, outline
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
    found = outline(op, chip, proved, point or {})
    for key, text in sections(found, lang=lang, siunitx=siunitx):
        out.append(rf"\subsection*{{{say(lang, key)}}}" + "\n" + text)
    return "\n\n".join(out) + "\n"


def sections(found: Outline, *, lang: str = "en", siunitx: bool = True) -> Iterator[Section]:
    """Yield the parts of a derivation: given, derivation, threshold, other figures, times, status."""
    style = Style(found.op, lang, siunitx)
    op, solved = found.op, found.rows("compute-bound")
    if figures := found.rows("figure"):
        yield "given", figures_table([row.about for row in figures], lang=lang, siunitx=siunitx)
    # a display that follows a heading at once would leave an empty line
    text = say(lang, "after", source=escape(op.source)) if op.source else say(lang, "start")
    text += "\n" + aligned(list(lines(style, found)))
    if counting := long_convention(style):
        text += "\n" + say(lang, "counted", convention=counting)
    if len(op.tensors) > MANY:
        text += "\n" + tensors_table(op, lang=lang)
    if assumed := found.rows("assumed"):
        text += "\n" + say(lang, "assumed", conditions=_conditions(style, [row.about for row in assumed]))
    for row in found.rows("limit"):
        if orders := row.about.proved.limit.orders:
            text += "\n" + say(lang, "warning", limits=say(lang, "list").join(_order(style, *o) for o in orders))
    yield "derivation", text
    if solved:
        yield "threshold", threshold_text(style, found)
    elif op.flops == 0:
        yield "threshold", say(lang, "no-flops")
    if others := others_table(found, lang=lang, siunitx=siunitx):
        yield "figures", others
    if times := found.rows(*TIMES):
        yield "times", aligned([line for row in times for line in time_line(style, row)])
    if proofs := found.rows("proof", "limit-proof"):
        yield "status", _status(style, found, proofs)


def _order(style: Style, order: str, value: sympy.Expr) -> str:
    limit = f"${style.latex(value, inline=True)}$"
    return f"{limit} {style.say('when')} {listed(regime(order).split(', '))}"


def status(proved: ProvedThreshold, *, lang: str = "en", siunitx: bool = True) -> str:
    """Return how the threshold is known, under which hypotheses, and the figures that it rests on.

    >>> from roofproof import op, threshold
    >>> print(status(threshold(op("matmul"), None, "B")))
    For all $B,$ $D,$ $F,$ $R > 0$: each case holds exactly where it is stated (proved by the proof kernel); the
    cases are exhaustive and mutually exclusive (proved by the proof kernel); the limit $B$ and its error (proved
    by the proof kernel).
    """
    found = outline(proved.found.op, proved.chip, proved, {})
    return _status(Style(found.op, lang, siunitx), found, found.rows("proof", "limit-proof"))


def _status(style: Style, found: Outline, proofs: Sequence[Row]) -> str:
    said: dict[str, list[str]] = {}
    names = ""
    for row in found.rows("for-all"):
        symbols = [*row.about.op.dims, *(c.symbol for c in row.about.ceilings if c.ridge is None)]
        assumed = [condition(each, lang=style.lang) for each in row.about.assume]
        names = listed(symbols, after=" > 0") + "".join(f"{style.say('list')}${each}$" for each in assumed)
        for known in row.known:
            fact = style.say("each-case" if known.statement.kind == "case" else "exhaustive")
            said.setdefault(fact, []).append(known.trust)
    for row in proofs:
        if row.key == "limit-proof":
            value = row.about.proved.limit.stands_for
            fact = style.say("limit-holds", value=f"${style.latex(value, inline=True)}$")
            said.setdefault(fact, []).append(row.trust)
        elif row.known[0].statement.kind not in ("case", "exhaustive", "exclusive"):
            said.setdefault(escape(row.known[0].statement.says), []).append(row.trust)
    how = {fact: style.say("list").join(style.say(t) for t in dict.fromkeys(trust)) for fact, trust in said.items()}
    text = style.say("semicolon").join(f"{fact} ({by})" for fact, by in how.items()) + style.say("stop")
    return _filled(f"{style.say('for-all', names=names)} {text}" if names else text)


def _conditions(style: Style, conditions: Sequence[sympy.Basic]) -> str:
    """Return what an operation assumes, divisibility in words."""
    said = []
    for each in conditions:
        if isinstance(each, sympy.Equality) and isinstance(each.lhs, sympy.Mod) and each.rhs == 0:
            whole, part = (f"${style.latex(a)}$" for a in each.lhs.args)
            said.append(style.say("divides", part=part, whole=whole))
        else:
            said.append(f"${condition(each, lang=style.lang)}$")
    return style.say("list").join(said)


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
