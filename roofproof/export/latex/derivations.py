r"""A derivation in LaTeX: what is given, lines with the reason beside each, the threshold as cases, the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from textwrap import fill
from typing import TypeVar

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases
from roofproof.export.latex.derivation_lines import (
    MANY,
    Style,
    assumed,
    counted_from,
    lines,
    listed,
    long_convention,
    regime_listed,
    time_line,
)
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.layout import AlignedLine, aligned
from roofproof.export.latex.steps import headed, step_pieces
from roofproof.export.latex.tables import figures_table, others_table, tensors_table
from roofproof.export.latex.thresholds import displayed, estimated, left_out, parts
from roofproof.export.latex.words import words
from roofproof.export.outline import TIMES, Outline, Row, outline
from roofproof.hardware import Chip, Rate
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold

Piece = (
    str | Cases | list[AlignedLine]
)  # what a derivation is made of beside tables: sentences, cases, lines with reasons
T = TypeVar("T")
FRAME = r"""{\setbeamertemplate{frametitle continuation}[from second]
\begin{frame}[allowframebreaks]{%s}
\footnotesize\ifdim38em>\linewidth\scriptsize\fi\allowdisplaybreaks\setlength{\tabcolsep}{3pt}
%s
\end{frame}}"""


def derivation(
    op: Operation,
    chip: Chip | None,
    proved: ProvedThreshold | None,
    point: Mapping[str, int] | None = None,
    *,
    lang: str = "en",
    steps: bool = False,
    frames: bool = False,
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

    Without a proved threshold it ends with the intensity and, on a chip, the times; with `steps` the proof is in it,
    line by line; with `frames` each part is a frame of Beamer, which goes on to the next where it is long. Raises
    RoofproofError for another language.
    """
    found = outline(op, chip, proved, point or {}, steps)
    style = Style(op, lang, siunitx=True)
    shown = sections(style, found, partial(_shown, style), figures_table, tensors_table, others_table)
    page = FRAME if frames else "\\subsection*{%s}\n%s"
    return "\n\n".join(page % (headed(style.say(key)), "\n".join(texts)) for key, texts in shown) + "\n"


def _shown(style: Style, piece: Piece) -> Iterator[str]:
    if isinstance(piece, Cases):
        yield from displayed(style, piece)
    else:
        yield piece if isinstance(piece, str) else aligned(piece)


def sections(
    style: Style,
    found: Outline,
    shown: Callable[[Piece], Iterable[T]],
    figures: Callable[[Style, Sequence[Rate]], T],
    tensors: Callable[[Style], T],
    others: Callable[[Style, Outline], T],
) -> Iterator[tuple[str, list[T]]]:
    """Yield the parts of a derivation: a key of `words` for what each is about, and its pieces as they are shown."""
    op, said = found.op, style.say

    def told(*pieces: Piece) -> list[T]:
        return [each for piece in pieces for each in shown(piece)]

    if given := found.rows("figure"):
        yield "given", [figures(style, [row.about for row in given])]
    if found.rows("flops", "no-flops"):
        # a display that follows a heading at once would leave an empty line
        text = told(counted_from(style), list(lines(style, found)))
        if counting := long_convention(style):
            text += told(said("counted", convention=counting))
        if len(op.tensors) > MANY:
            text.append(tensors(style))
        if taken := found.rows("assumed"):
            text += told(said("assumed", conditions=said("list").join(assumed(style, row.about) for row in taken)))
        yield "derivation", text + told(*warnings(style, found))
    guess = [piece for row in found.rows("estimate") for piece in estimated(style, row.about)]
    if guess and not found.rows("estimated"):
        yield "estimate", told(*guess)
    if found.rows("compute-bound"):
        yield ("threshold", told(*(part for row in found.section("threshold") for part in parts(style, row, found))))
    elif op.flops == 0:
        yield "threshold", told(said("no-flops"))
    for section in found.sections:
        if section.key.startswith("steps-"):
            yield section.key, told(*step_pieces(style, section))
    if regions := [row.about for row in found.rows("longest")]:
        resources = ((said("resource", name=escape(each.resource)), each.cases) for each in regions)
        yield "longest", told(*chain.from_iterable(resources))
    if left := found.rows("left-out"):
        yield "left-out", told(*(text for row in left for text in left_out(style, row)))
    if found.rows("other", "other-time"):
        yield "figures", [others(style, found)]
    if times := found.rows(*TIMES):
        yield "times", told([line for row in times for line in time_line(style, row)])
    if there := found.rows("estimated"):
        yield "estimate", told(*guess, [line for row in there for line in time_line(style, row)])
    if proofs := found.rows("proof", "limit-proof"):
        yield "status", told(fill(status(style, found, proofs), 110, break_long_words=False, break_on_hyphens=False))


def warnings(style: Style, found: Outline) -> Iterator[str]:
    """Yield a sentence for each memory that the chip tells no size of, and for each limit with an order of growth."""
    for row in found.rows("unchecked"):
        yield headed(escape(words(style.lang).told(row.about))) + style.say("stop")
    for row in found.rows("limit"):
        if orders := row.about.proved.limit.orders:
            yield style.say("warning", limits=style.say("list").join(_order(style, *o) for o in orders))


def _order(style: Style, order: str, value: sympy.Expr) -> str:
    limit = f"${style.latex(value, inline=True)}$"
    return f"{limit} {style.say('when')} {regime_listed(order)}"


def status(style: Style, found: Outline, proofs: Sequence[Row]) -> str:
    """Return the warrant of the threshold, with its hypotheses."""
    said: dict[str, list[str]] = {}
    names = ""
    for row in found.rows("for-all"):
        assumed = (f"{style.say('list')}${style.condition(each)}$" for each in row.about.assume)
        names = listed(row.about.symbols, after=" > 0") + "".join(assumed)
        if row.about.searched:
            names = rf"${style.latex(row.about.unknown, inline=True)} \in \{{1, 2, \dots, {row.about.searched}\}}$"
        for known in row.known:
            fact = style.say("each-case" if known.statement.kind == "case" else "exhaustive")
            said.setdefault(fact, []).append(known.trust)
    for row in proofs:
        if row.key == "limit-proof":
            value = row.about.proved.limit.stands_for
            fact = style.say("limit-holds", value=f"${style.latex(value, inline=True)}$")
            said.setdefault(fact, []).append(row.trust)
        elif row.known[0].statement.kind not in ("case", "exhaustive", "exclusive"):
            statement = row.known[0].statement
            told = escape(statement.says)
            if statement.kind == "at-point" and isinstance(statement.about, tuple):
                unknown, case = statement.about
                if case.threshold.kind not in ("always", "never"):
                    told = f"${style.condition(case.threshold.holds(unknown))}$"
            said.setdefault(told, []).append(row.trust)
    how = {fact: style.say("list").join(style.say(t) for t in dict.fromkeys(trust)) for fact, trust in said.items()}
    text = style.say("semicolon").join(f"{fact} ({by})" for fact, by in how.items()) + style.say("stop")
    if names:
        text = f"{style.say('for-all', names=names)} {text}"
    return text


def heading(op: Operation, chip: Chip | None, proved: ProvedThreshold | None, *, lang: str = "en") -> str:
    """Return the subject of a derivation, as text.

    >>> from roofproof import chip, op
    >>> print(heading(op("matmul"), chip("tpu-v5e"), None))
    matmul on Google TPU v5e
    """
    parts = {"op": escape(op.name)}
    if chip:
        parts["chip"] = escape(chip.title or chip.name)
    if proved:
        parts["x"] = f"${Style(op, lang).latex(proved.found.unknown)}$"
    if not chip and not proved:
        return parts["op"]
    return words(lang).say("title" if chip and proved else "title-chip" if chip else "title-unknown", **parts)


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
