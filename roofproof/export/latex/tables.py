r"""Tables with booktabs and siunitx: figures with their sources, tensors, thresholds of many chips."""

from collections.abc import Sequence

import sympy

from roofproof.atlas.on_chips import Comparison, OnChip
from roofproof.derive.inequalities.cases import Above, Below
from roofproof.export.latex.conditions import threshold
from roofproof.export.latex.derivation_lines import (
    Style,
    approximately,
    duration,
    intensity_name,
    listed,
    number,
    regime,
    tensor_name,
)
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.thresholds import displayed, sizes
from roofproof.export.latex.words import say, status
from roofproof.export.outline import Outline
from roofproof.export.text.formatting import unsigned
from roofproof.hardware import Rate
from roofproof.hardware.units import decimal
from roofproof.ops import Operation

TERA = 10**12
MOST = 30  # rows that a table has on one page


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


def others_table(found: Outline, *, lang: str = "en", siunitx: bool = True) -> str:
    """Return what ridge point, answer and times would be with figures that stand beside those in force, or ''."""
    rows = found.rows("other", "other-time")
    if not rows:
        return ""
    style = Style(found.op, lang, siunitx)
    head = [say(lang, "figure"), say(lang, "value"), say(lang, "source")]
    head.append(say(lang, "ridge-head" if rows[0].key == "other" else "times"))
    pointed = any(k.statement.kind == "at-point" for k in rows[0].known)
    if pointed:
        head.append(f"${style.latex(found.unknown)}$")
    cells = []
    for row in rows:
        rate = row.about.rate
        cell = [escape(rate.resource), quantity(rate, siunitx), escape(rate.variant)]
        if row.key == "other":
            told = [f"${style.latex(s)} {approximately(v, siunitx)}$" for s, v in row.about.ridges.items()]
        else:
            shown = (k.statement.shows for k in row.known[1:])
            told = [f"{escape(name.name)} ${' '.join(duration(t, siunitx))}$" for t, name in shown]
        cell.append(say(lang, "comma").join(told))
        if pointed:
            cell.append(say(lang, "never") if row.integer is None else f"${row.integer}$")
        cells.append(tuple(cell))
    return table(head, cells, "lrll" + "r" * (len(head) - 4))


def comparison_table(found: Comparison, *, lang: str = "en") -> str:
    """Return the thresholds of one operation on many chips: figures, ridge points, critical sizes, integer answers."""
    style = Style(found.op, lang, True)
    x = style.latex(found.unknown)
    several = len(found.symbols) > 1
    pointed = found.pointed
    compute = found.proved.found.ceilings[0].compute
    numbers: list[list[str]] = []
    rows = []
    for row in found.rows:
        cells = [escape(row.chip.title or row.chip.name)]
        if row.missing:
            rows.append([*cells, rf"\multicolumn{{{len(found.symbols) + 2 + pointed}}}{{l}}"
                         rf"{{{say(lang, 'no-figure')} {escape(row.missing)}}}"])  # fmt: skip
            continue
        values = [unsigned(row.ridges[s.name]) for s in found.symbols]
        values.append(_critical(style, found.unknown, row))
        if pointed:
            values.append(f"{{{say(lang, 'never')}}}" if row.integer is None else str(row.integer))
        numbers.append(values)
        values.insert(0, decimal(row.chip.peak(compute).value / TERA))
        rows.append([*cells, *values])
    head = [say(lang, "chip"), rf"{{{escape(compute)}, \unit{{TFLOP/s}}}}"]
    head += [f"{{${style.latex(s)}$}}" for s in found.symbols] + [f"{{{say(lang, 'answer')}}}"]
    head += [f"{{{say(lang, 'smallest-head')} ${x}$}}"] * pointed
    columns = "".join(_numeric([row[i] for row in numbers]) for i in range(len(head) - 1))
    text = say(lang, "compute-bound", condition=_exceeds(style, found, several)) + "\n"
    text += "\n".join(displayed(style, found.proved.found.symbolic)) + "\n"
    if found.point:
        text += say(lang, "sizes", sizes=sizes(style, found.point)) + "\n"
    if found.by_rule and found.rule is not None:
        rule = found.proved.rules[0].proved.limit.regime.text
        text += say(lang, "by-rule", regime=listed(regime(rule).split(", "))) + "\n"
    text += table(head, rows, f"{_flowing(0.4)}{columns}", long=len(rows) > MOST)
    return text + "\n" + say(lang, "one-proof", trust=say(lang, found.proved.trust))


def _exceeds(style: Style, found: Comparison, several: bool) -> str:
    said = (f"{intensity_name(c.channel, several)} > {style.latex(c.symbol)}" for c in found.proved.found.ceilings)
    return "$" + rf" \text{{ {style.say('and')} }} ".join(said) + "$"


def _critical(style: Style, x: sympy.Symbol, row: OnChip) -> str:
    """Return the critical size as a cell of numbers, or in words."""
    match row.at_sizes:
        case None:
            return f"{{{style.say('open')}}}"
        case Above(at) | Below(at) if at.is_number:
            sign = ">" if row.at_sizes.kind == "above" else "<"
            sign += "" if row.at_sizes.strict else "="
            shown = unsigned(at)
            return f"{{${style.latex(x)}$}} {sign} {shown}" if sign != ">" else shown
    return f"{{${threshold(x, row.at_sizes, lang=style.lang, inline=True)}$}}"


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
