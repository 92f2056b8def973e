r"""Tables with booktabs and siunitx: figures with their sources, tensors, thresholds of many chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.inequalities.cases import Above, Below
from roofproof.export.latex.derivation_lines import (
    Style,
    approximately,
    assumed,
    duration,
    listed,
    regime_listed,
    tensor_name,
    time_of,
)
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.thresholds import bound_when, displayed, estimates, sizes
from roofproof.export.outline import Outline
from roofproof.export.text.formatting import unsigned
from roofproof.export.words.catalogue import Catalogue
from roofproof.formula.magnitudes import decimal
from roofproof.hardware import Rate

if TYPE_CHECKING:
    from roofproof.atlas.on_chips import Comparison, OnChip

TERA = 10**12
MOST = 30  # rows that a table has on one page


def quantity(rate: Rate) -> str:
    r"""Return a figure with its unit.

    >>> from roofproof import chip
    >>> print(quantity(chip("tpu-v5e").rate("bf16")))
    \qty{1.97e14}{FLOP/s}
    """
    return rf"\qty{{{decimal(rate.value)}}}{{{rate.unit}}}"


def figures_table(style: Style, rates: Sequence[Rate]) -> str:
    r"""Return figures of a chip with what is known of each: convention, status, source.

    >>> from roofproof import chip, op
    >>> figures = figures_table(Style(op("dot"), "zh"), [chip("hbm=819 GB/s").rate("hbm")])
    >>> print(figures.splitlines()[5].strip())
    hbm & \qty{8.19e11}{B/s} & 合计；给定 \newline given \\
    """
    rows = []
    for r in rates:
        how = escape(Catalogue(style.lang).of_figure(r.convention, r.status))
        rows.append((escape(r.resource), quantity(r), how + r" \newline " + escape(r.source)))
    return table([style.say(key) for key in ("figure", "value", "known")], rows, f"lr{_flowing(0.55)}")


def tensors_table(style: Style) -> str:
    """Return the tensors of an operation with what each moves, over several pages if need be."""
    return table(*tensor_cells(style), rf"l{_flowing(0.23)}l{_flowing(0.26)}{_flowing(0.18)}", long=True)


def tensor_cells(style: Style) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the tensors of an operation with what each moves as the cells of a table: head, rows."""
    said = style.say
    rows: list[tuple[str, ...]] = []
    for key, some in (("reads", style.op.reads), ("writes", style.op.writes)):
        for t in some:
            times = "" if t.times == 1 else f", {said('times-each', times=f'${latex(t.times, inline=True)}$')}"
            shape = listed(t.shape, "[", "]") + times
            rows.append((said(key), tensor_name(t), escape(t.dtype), shape, f"${latex(t.traffic, order=style.order)}$"))
    return [said(key) for key in ("moved", "tensor", "format", "shape", "bytes")], rows


def others_table(style: Style, found: Outline) -> str:
    """Return the ridge point, answer and times under the alternative figures of a chip, or ''."""
    rows = found.rows("other", "other-time")
    if not rows:
        return ""
    head = [
        style.say(key) for key in ("figure", "value", "source", "ridge-head" if rows[0].key == "other" else "times")
    ]
    pointed = any(k.statement.kind == "at-point" for k in rows[0].known)
    if pointed:
        head.append(f"${style.latex(found.unknown)}$")
    cells, several = [], False
    for row in rows:
        rate = row.about.rate
        if row.key == "other":
            told = [
                f"${style.latex(sympy.Symbol(s))} {approximately(v, style.siunitx)}$" for s, v in row.ridges.items()
            ]
        else:
            shown = (k.statement.shows for k in row.known[1:])
            told = [f"${time_of(name.name)} {' '.join(duration(t, style.siunitx))}$" for t, name in shown]
        cell = [escape(rate.resource), quantity(rate), escape(rate.variant), style.say("comma").join(told)]
        if pointed:
            none = style.say("no-such-size" if row.unmet else "never")
            cell.append(none if row.integer is None else f"${row.integer}$")
        several |= len(told) > 1
        cells.append(cell)
    if not any(cell[3] for cell in cells):  # times of sizes that are not given
        head, cells = head[:3], [cell[:3] for cell in cells]
    made = table(head, cells, "lrllr"[: len(head)])
    return rf"{{\footnotesize{made}}}" if several else made


def comparison_table(found: Comparison, *, lang: str = "en") -> str:
    """Return the thresholds of one operation on many chips: figures, ridge points, critical sizes, integer answers."""
    style = Style(found.op, lang, siunitx=True)
    said, pointed = style.say, found.pointed
    numbers: list[list[str]] = []
    rows = []
    compute = found.proved.found.ceilings[0].compute
    started = any(row.started for row in found.rows)
    for row in found.rows:
        title = escape(row.chip.title or row.chip.name)
        if row.missing or row.unfit:
            width = len(found.symbols) + 2 + pointed + started
            lack, figure = row.lack
            why = f"{said(lack)} {escape(figure)}".rstrip()
            rows.append([title, rf"\multicolumn{{{width}}}{{l}}{{{why}}}"])
            continue
        values = [decimal(row.chip.peak(compute).value / TERA), *(unsigned(row.ridges[s.name]) for s in found.symbols)]
        critical = _critical(style, found.unknown, row)
        told = Catalogue(lang, "text").say("table-exactly", answer=critical.strip("{}"))
        values.append(f"{{{told}}}" if row.exact and found.by_rule else critical)
        if pointed:
            none = said("no-such-size" if row.unmet else "never")
            values.append(f"{{{none}}}" if row.integer is None else str(row.integer))
        if started:
            values.append("{}" if row.started_integer is None else str(row.started_integer))
        numbers.append(values)
        rows.append([title, *values])
    head = [said("chip"), rf"{{{escape(compute)}, \unit{{TFLOP/s}}}}"]
    head += [f"{{${style.latex(s)}$}}" for s in found.symbols] + [f"{{{said('answer')}}}"]
    head += [f"{{{said('smallest-head')} ${style.latex(found.unknown)}$}}"] * pointed
    head += [f"{{{said('started-head')}}}"] * started
    columns = "".join(_numeric([row[i] for row in numbers]) for i in range(len(head) - 1))
    own = Catalogue(lang, "text").told(found.own_format)
    text = [f"{escape(own)}{said('stop')}"] if own else []
    text += [bound_when(style, found.proved.found.ceilings, next((r.share for r in found.rows if r.share), None))]
    each = Catalogue(lang, "text").say("table-each", x=f"${style.latex(found.unknown)}$")
    text += displayed(style, found.proved.found.symbolic) if found.one_formula else [each]
    if taken := found.proved.found.supposed:
        text.append(said("assumed", conditions=said("list").join(assumed(style, c) for c in taken)))
    if found.point:
        text.append(said("sizes", sizes=sizes(style, found.point)))
    if found.by_rule and found.rule is not None:
        text.append(said("by-rule", regime=regime_listed(found.proved.rules[0].proved.limit.regime.text)))
    text.append(table(head, rows, f"{_flowing(0.38)}{columns}", long=len(rows) > MOST))
    if found.share is not None:
        text += list(estimates(style, [row.share for row in found.rows if row.share is not None]))
    return "\n".join([*text, said("one-proof" if found.one_formula else "each-proof", trust=said(found.trust))])


def _critical(style: Style, x: sympy.Symbol, row: OnChip) -> str:
    """Return the critical size as a cell of numbers, or in words."""
    match row.at_sizes:
        case None:
            return f"{{{style.say('open')}}}"
        case Above(at) | Below(at) if at.is_number:
            sign = ">" if row.at_sizes.kind == "above" else "<"
            sign += "" if row.at_sizes.strict else "="
            shown = unsigned(at)
            return f"{{${style.latex(x)}$}} {sign} {shown}" if row.at_sizes.kind != "above" else shown
    return f"{{${style.threshold(x, row.at_sizes, inline=True)}$}}"


def _numeric(cells: Sequence[str]) -> str:
    """Return a column of siunitx that aligns these numbers at their points."""
    plain = [c for c in cells if c[0] != "{"]
    before = max((len(c.partition(".")[0]) for c in plain), default=1)
    after = max((len(c.partition(".")[2]) for c in plain), default=0)
    return f"S[table-format={before}.{after}]" if plain and not any("e" in c for c in plain) else "r"


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
    around = "longtable" if long else "tabular"
    lines = [rf"\begin{{{around}}}{{{columns}}}", r"  \toprule", rf"  {' & '.join(head)} \\", r"  \midrule"]
    lines += [r"  \endhead"] * long
    lines += [*(rf"  {' & '.join(row)} \\" for row in rows), r"  \bottomrule", rf"\end{{{around}}}"]
    return "\n".join(lines if long else [r"\begin{center}", *lines, r"\end{center}"])
