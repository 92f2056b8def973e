"""One operation on many chips: the ridge points, and the critical size on each, from one proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import sympy

from roofproof.derive.inequalities.cases import Cases, Threshold, plain_threshold
from roofproof.derive.inequalities.integers import largest_integer, smallest_integer
from roofproof.derive.roofline.ridges import ridge, supplier
from roofproof.errors import RoofproofError
from roofproof.export.text.formatting import digits
from roofproof.hardware import Chip, Rate
from roofproof.hardware.units import decimal
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold, threshold


@dataclass(frozen=True, slots=True)
class Row:
    """One chip: its figures, the ridge points by symbol, the threshold at the sizes; or the figure it lacks."""

    chip: Chip
    peak: Rate | None = None
    ridges: Mapping[str, sympy.Rational] | None = None
    answer: Threshold | None = None
    integer: int | None = None
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """An operation on several chips; one proof, in which the ridge point is a symbol, serves them all.

    >>> from roofproof import chip, op
    >>> found = compare(op("matmul"), "B", [chip("tpu-v5e"), chip("h100-sxm")], {"D": 4096, "F": 4096})
    >>> [row.integer for row in found.rows]                    # 240.54/(1 - 240.54/2048), 295.22/(1 - 295.22/2048)
    [273, 345]
    """

    op: Operation
    proved: ProvedThreshold
    point: Mapping[str, int]
    rows: tuple[Row, ...]

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """The ridge points as symbols, one a channel."""
        return tuple(c.symbol for c in self.proved.found.ceilings)

    @property
    def unknown(self) -> sympy.Symbol:
        """The dimension that was solved for."""
        return self.proved.found.unknown

    def able(self) -> Comparison:
        """Return the comparison without the chips that lack a figure.

        Raises RoofproofError where that leaves none.
        """
        rows = tuple(row for row in self.rows if not row.lacks)
        if not rows:
            raise RoofproofError(f"no chip has the figures of {self.op.name}: {self.rows[0].lacks}")
        return replace(self, rows=rows)

    @property
    def by_rule(self) -> bool:
        """Whether the sizes leave the answer open, so that it is that of the rule of thumb."""
        needed = {s.name for case in self.proved.found.symbolic for s in case.symbols}
        return not needed <= {self.unknown.name, *(s.name for s in self.symbols), *self.point}

    @property
    def rule(self) -> Cases | None:
        """The rule of thumb where the sizes do not decide, and it needs none."""
        rules = [r.threshold for r in self.proved.rules if r.threshold is not None]
        if len(rules) != 1 or len(self.symbols) != 1:
            return None
        needed = {s.name for case in rules[0] for s in case.symbols} - {self.unknown.name, self.symbols[0].name}
        return None if needed else rules[0]


def compare(
    op: Operation,
    unknown: str,
    chips: Sequence[Chip],
    at: Mapping[str, int] | None = None,
    regime: str | None = None,
) -> Comparison:
    """Return where an operation is compute-bound on each of several chips, solved for one dimension.

    Where the sizes do not decide, the answer is that of the rule of thumb, if it is free of them. Raises
    RoofproofError for an empty list of chips, and where there is no threshold at all.
    """
    if not chips:
        raise RoofproofError("no chips to compare; name some, as in --chip tpu-v5e --chip h100-sxm, or --chip all")
    point = dict(at or {})
    proved = threshold(op, None, unknown, point, regime)
    comparison = Comparison(op, proved, point, ())
    return Comparison(op, proved, point, tuple(_row(comparison, chip) for chip in chips))


def _row(found: Comparison, chip: Chip) -> Row:
    ceilings = found.proved.found.ceilings
    try:
        ridges = {c.symbol.name: ridge(chip, c.compute, c.channel) for c in ceilings}
    except RoofproofError as problem:
        wanted = dict.fromkeys(r for c in ceilings for r in (c.compute, supplier(chip, c.channel)))
        have = {r.resource for r in (*chip.compute, *chip.channels)}
        sized = {r.resource for r in chip.capacities}
        lacking = [f"bandwidth of {r}" if r in sized else r for r in wanted if r not in have]
        return Row(chip, lacks=", ".join(lacking) or str(problem))
    if found.by_rule:
        rule = found.rule
        answer, integer = (at_ridges(rule, ridges) if rule else None), None  # an integer would claim too much
    else:
        answer = at_ridges(found.proved.found.symbolic, {**found.point, **ridges})
        assert answer is not None
        integer = (largest_integer if answer.kind == "below" else smallest_integer)(answer)
    return Row(chip, chip.peak(ceilings[0].compute), ridges, answer, integer)


def at_ridges(cases: Cases, values: Mapping[str, object]) -> Threshold | None:
    """Return the threshold at given values, or None where they do not decide it.

    >>> from roofproof.derive.inequalities.cases import Above, Case
    >>> B, R = sympy.symbols("B R", positive=True)
    >>> above = Cases(B, (Case(sympy.true, Above(R)),))
    >>> at_ridges(above, {"R": 240}), at_ridges(above, {})
    (Above(at=240, strict=True), None)
    """
    missing = {s.name for case in cases for s in case.symbols} - {cases.unknown.name, *values}
    return None if missing else cases.at(values)


def comparison_cells(found: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the comparison as the cells of a plain table: head, rows.

    >>> from roofproof import chip, op
    >>> head, rows = comparison_cells(compare(op("matmul"), "B", [chip("tpu-v5e")], {"D": 4096, "F": 4096}))
    >>> head
    ['chip', 'bf16', 'R', 'compute-bound', 'integer B']
    >>> rows
    [['tpu-v5e', '1.97e14 FLOP/s', '≈ 240.54', 'B > 272.55', '273']]
    """
    pointed = any(row.integer is not None for row in found.rows)
    compute = found.proved.found.ceilings[0].compute
    head = ["chip", compute, *(s.name for s in found.symbols), "compute-bound"]
    head += [f"integer {found.unknown}"] * pointed
    rows = []
    for row in found.rows:
        if row.ridges is None or row.peak is None:
            rows.append([row.chip.name, f"no figure {row.lacks}", *[""] * (len(head) - 2)])
            continue
        cells = [row.chip.name, f"{decimal(row.peak.value)} {row.peak.unit}"]
        cells += [digits(row.ridges[s.name]) for s in found.symbols]
        cells.append(_answer(found, row))
        cells += ["" if row.integer is None else str(row.integer)] * pointed
        rows.append(cells)
    return head, rows


def _answer(found: Comparison, row: Row) -> str:
    if row.answer is None:
        return "depends on the sizes"
    at = getattr(row.answer, "at", None)
    if at is not None and at.is_number:
        sign = plain_threshold(found.unknown, row.answer).split()[1]
        return f"{found.unknown} {sign} {digits(at).removeprefix('≈ ')}"
    return plain_threshold(found.unknown, row.answer)


def comparison_text(found: Comparison, *, markdown: bool = False) -> str:
    """Return the comparison as text for people, or as a table of Markdown with its formula for KaTeX."""
    head, rows = comparison_cells(found)
    if markdown:
        from roofproof.export.latex.conditions import cases

        lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
        formula = cases(found.proved.found.symbolic)
        return "\n".join([f"$$\n{formula}\n$$", "", *([says_rule(found), ""] if found.by_rule else []), *lines])
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    table = ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)]
    sizes = ", ".join(f"{k} = {v}" for k, v in found.point.items())
    first = f"{found.op.name}, solved for {found.unknown}" + (f", at {sizes}" if sizes else "")
    lines = [first, str(found.proved.found.symbolic), f"proved by {found.proved.trust}", ""]
    return "\n".join([*lines, *([says_rule(found)] if found.by_rule else []), *table])


def says_rule(found: Comparison) -> str:
    """Return that the answers are those of the rule of thumb, or that there is none."""
    if found.rule is None:
        return "the sizes do not decide; name more of them with --at"
    return f"by the rule of thumb ({found.proved.rules[0].proved.limit.regime.text}), not exact:"
