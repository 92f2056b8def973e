"""What the slides of a lecture are put together from: chips, numbers in TeX, tables of what is moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sympy

from roofproof.derive.inequalities.cases import Threshold, bounds
from roofproof.derive.roofline.intensities import intensity
from roofproof.export.latex.derivation_lines import number as number_latex
from roofproof.export.latex.expressions import latex
from roofproof.export.plots.inputs import chip_name
from roofproof.export.slides.model import Block, Frame, Inline, Math, Table
from roofproof.export.slides.study import Study, studied
from roofproof.export.slides.terms import Words, inline
from roofproof.export.text.formatting import digits
from roofproof.hardware import Chip, any_chip
from roofproof.ops import Operation, parse_operation
from roofproof.symbols import quantity

V5E, V5P, V6E, H100 = "tpu-v5e@scaling-book", "tpu-v5p@scaling-book", "tpu-v6e@scaling-book", "h100-sxm"
LINKS = {V5E: "ici", V6E: "ici", H100: "nvlink"}
ABOUT = r"{\approx}\,"
SQUARE = 4096  # D = F, where an example wants sizes
INTENSITY, RIDGE, PEAK, BANDWIDTH = (quantity(name) for name in ("I", "R", "P", "W"))


@dataclass(frozen=True, slots=True)
class Said:
    """The sentences of a lecture in one language, and frames made of them.

    >>> Said("en").frame("three-formulas").title
    ('Three formulas',)
    """

    language: str

    def __call__(self, key: str, **filled: Inline | str | Math | int) -> Inline:
        return _words(self.language)(key, **filled)

    def has(self, key: str) -> bool:
        """Tell whether there is such a sentence."""
        return key in _words(self.language)

    def frame(self, title: str, *blocks: Block, section: str = "", **filled: Inline | str | Math | int) -> Frame:
        """Return a frame whose title is one of the sentences, its gaps filled."""
        return Frame(self(title, **filled), blocks, self(section) if section else ())

    def table(self, header: Sequence[str | Math | Inline], rows: Sequence[Sequence[Inline | str | Math]], align: str,
              total: bool = False) -> Table:  # fmt: skip
        """Return a table: a head is a sentence by its name, or stands as it is."""
        head = tuple(self(h) if isinstance(h, str) and h else inline(h) for h in header)
        return Table(head, tuple(tuple(inline(cell) for cell in row) for row in rows), align, total)

    def moved(self, op: Operation) -> Table:
        """Return the tensors that an operation moves, with their bytes and the sum of them."""
        each = [("read", t) for t in op.reads] + [("write", t) for t in op.writes]
        rows: list[Sequence[Inline | str | Math]] = [
            ((*self(key), " ", Math(t.name)), t.dtype, shape(t.shape), math(t.bytes)) for key, t in each
        ]
        return self.table(
            ["tensor", "format", "shape", "bytes"],
            [*rows, (self("total"), "", "", math(op.bytes("memory"), order=order_of(op)))], "lllr", total=True,
        )  # fmt: skip


@cache
def _words(language: str) -> Words:
    return Words(language, "lecture.toml")


def shape(sizes: Sequence[sympy.Expr]) -> Math:
    """Return a shape as it is written behind the name of a tensor.

    >>> shape(parse_operation("matmul").reads[0].shape).tex
    '[B, D]'
    """
    return Math(f"[{', '.join(latex(s) for s in sizes)}]")


def order_of(op: Operation) -> tuple[sympy.Expr, ...]:
    """Return the terms of a sum of bytes in the order of the tensors."""
    return tuple(t.elements for t in (*op.reads, *op.writes))


def math(expr: sympy.Expr, order: Sequence[sympy.Expr] = ()) -> Math:
    """Return an expression as a formula.

    >>> math(2 * PEAK / BANDWIDTH).tex
    '\\\\frac{2P}{W}'
    """
    return Math(latex(expr, order=order))


def slash(expr: sympy.Expr, order: Sequence[sympy.Expr] = ()) -> Math:
    """Return an expression as a formula on a line of its own height, as a table wants it.

    >>> slash(2 * PEAK / BANDWIDTH).tex
    '2P/W'
    """
    return Math(latex(expr, order=order, inline=True))


def figure(value: sympy.Expr, significant: int = 5) -> Math:
    r"""Return a number as a formula, with the sign for `about` where digits are left out.

    >>> print(figure(sympy.Rational(9850, 41)).tex, figure(sympy.Integer(197) * 10**12).tex)
    {\approx}\,240.24 1.97 \times 10^{14}
    """
    text = digits(value, significant)
    rounded = ABOUT if text.startswith("≈") else ""
    shown = number_latex(text.removeprefix("≈ "), False)
    return Math(rounded + shown.removeprefix(r"1 \times "))


def share(value: sympy.Expr) -> Math:
    r"""Return a share as percent.

    >>> print(share(sympy.Rational(1, 3)).tex)
    {\approx}\,33.3\,\%
    """
    return Math(figure(value * 100, 3).tex + r"\,\%")


def name(chip: Chip) -> str:
    """Return the name of a chip without the source of its figures.

    >>> name(any_chip("tpu-v5e@scaling-book"))
    'TPU v5e'
    """
    return chip_name(chip).partition(" @")[0]


def rate(chip: Chip, resource: str) -> sympy.Rational:
    """Return a figure of a chip, in FLOP/s or B/s."""
    value = chip.rate(resource).value
    return sympy.Rational(value.numerator, value.denominator)


def work(text: str, unknown: str, at: Mapping[str, int] | None = None, chips: Sequence[str] = (V5E,)) -> Study:
    """Return an operation, written or by its name, worked out on chips."""
    return studied(parse_operation(text), text, [any_chip(c) for c in chips], unknown, at)


def intensity_of(op: Operation, channel: str = "memory") -> sympy.Expr:
    """Return the arithmetic intensity of an operation, in lowest terms."""
    return intensity(op, channel).value


def tends(study: Study) -> sympy.Expr:
    """Return what the intensity tends to where a rule of thumb is made of it.

    >>> tends(work("matmul", "B"))
    B
    """
    assert study.proved is not None
    return study.proved.rules[0].proved.limit.value


def rule(study: Study) -> Threshold:
    """Return the threshold that the rule of thumb gives on the first chip."""
    assert study.proved is not None and study.proved.rules[0].threshold is not None
    return study.proved.rules[0].threshold.cases[0].threshold


def at_of(there: Threshold) -> sympy.Expr:
    """Return the one bound of a threshold.

    >>> at_of(rule(work("matmul", "B")))
    9850/41
    """
    (at,) = bounds(there)
    return at


def equal_sizes(sizes: Mapping[str, int | None]) -> Math:
    """Return sizes, those that are equal in one chain.

    >>> equal_sizes({"D": 4096, "F": 4096, "B": 241}).tex
    'D = F = 4096,\\\\; B = 241'
    """
    groups: dict[int | None, list[str]] = {}
    for key, size in sizes.items():
        groups.setdefault(size, []).append(key)
    return Math(r",\; ".join(" = ".join([*keys, str(size)]) for size, keys in groups.items()))


def squares(size: int) -> dict[str, int]:
    """Return sizes of a square matrix of weights."""
    return {"D": size, "F": size}
