r"""Tables with booktabs and siunitx: figures with their sources, tensors, thresholds of many chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roofproof.export.latex.counted import Style, approximately, listed, number, tensor_name
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.words import say, status
from roofproof.hardware.units import decimal

if TYPE_CHECKING:
    from roofproof.hardware import Chip, Rate
    from roofproof.ops import Operation
    from roofproof.proofs import ProvedThreshold


def quantity(rate: Rate, siunitx: bool = True) -> str:
    r"""Return a figure with its unit.

    >>> from roofproof import chip
    >>> print(quantity(chip("tpu-v5e").rate("bf16")))
    \qty{1.97e14}{FLOP/s}
    """
    if siunitx:
        return rf"\qty{{{decimal(rate.value)}}}{{{rate.unit}}}"
    return rf"${number(decimal(rate.value), False)}\,\text{{{rate.unit}}}$"


def figures_table(rates: Sequence[Rate], *, lang: str = "en", siunitx: bool = True) -> str:
    """Return figures of a chip with what is known of each: convention, status, source."""
    rows = []
    for r in rates:
        how = say(lang, "semicolon").join(p for p in (escape(r.convention), status(r.status, lang)) if p)
        rows.append((escape(r.resource), quantity(r, siunitx), how + r" \newline " + escape(r.source)))
    head = (say(lang, "figure"), say(lang, "value"), say(lang, "known"))
    return table(head, rows, f"lr{_flowing(0.55)}")


def tensors_table(op: Operation, *, lang: str = "en") -> str:
    """Return the tensors of an operation with what each moves, over several pages if need be."""
    style = Style(op, lang)
    rows = []
    for key, some in (("reads", op.reads), ("writes", op.writes)):
        for t in some:
            times = "" if t.times == 1 else f", {say(lang, 'times-each', times=f'${latex(t.times, inline=True)}$')}"
            shape = listed(t.shape, "[", "]") + times
            rows.append((say(lang, key), tensor_name(t), escape(t.dtype), shape, f"${style.latex(t.traffic)}$"))
    head = tuple(say(lang, key) for key in ("moved", "tensor", "format", "shape", "bytes"))
    return table(head, rows, rf"l{_flowing(0.23)}l{_flowing(0.26)}{_flowing(0.18)}", long=True)


def others_table(proved: ProvedThreshold, chip: Chip, *, lang: str = "en", siunitx: bool = True) -> str:
    """Return what the ridge point and the answer would be with figures that stand beside those in force, or ''."""
    from roofproof.derive.choices import other_figures

    others = other_figures(proved.found, chip)
    if not others:
        return ""
    style = Style(proved.found.op, lang, siunitx)
    head = [say(lang, "figure"), say(lang, "value"), say(lang, "source"), say(lang, "ridge-head")]
    pointed = proved.found.at_point is not None
    if pointed:
        head.append(f"${style.latex(proved.found.unknown)}$")
    rows = []
    for other in others:
        row = [escape(other.rate.resource), quantity(other.rate, siunitx), escape(other.rate.variant)]
        ridges = (f"${style.latex(s)} {approximately(v, siunitx)}$" for s, v in other.ridges.items())
        row.append(say(lang, "comma").join(ridges))
        if pointed:
            row.append(say(lang, "never") if other.integer is None else f"${other.integer}$")
        rows.append(tuple(row))
    return table(head, rows, "lrll" + "r" * (len(head) - 4))


def _flowing(share: float) -> str:
    """Return a column of text that breaks its lines, as a share of the line."""
    return rf">{{\raggedright\arraybackslash}}p{{{share}\linewidth}}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], columns: str, *, long: bool = False) -> str:
    r"""Return a table from cells that are TeX already.

    >>> print(table(["a", "b"], [["1", "2"]], "lr"))
    \begin{center}
    \begin{tabular}{lr}
      \toprule
      a & b \\
      \midrule
      1 & 2 \\
      \bottomrule
    \end{tabular}
    \end{center}
    """
    top = f"  {' & '.join(head)} \\\\\n  \\midrule"
    body = "\n".join(f"  {' & '.join(row)} \\\\" for row in rows)
    if long:
        return (
            f"\\begin{{longtable}}{{{columns}}}\n  \\toprule\n{top}\n  \\endhead\n{body}\n"
            "  \\bottomrule\n\\end{longtable}"
        )
    return (
        f"\\begin{{center}}\n\\begin{{tabular}}{{{columns}}}\n  \\toprule\n{top}\n{body}\n"
        "  \\bottomrule\n\\end{tabular}\n\\end{center}"
    )
