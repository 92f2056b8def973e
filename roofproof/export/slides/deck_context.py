"""What the slides of one operation share: its study, the words of the language, and formulas that fit a slide."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import sympy

from roofproof.derive.inequalities.cases import Threshold
from roofproof.export.latex.derivation_lines import Style, approximately, number
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.layout import shortened
from roofproof.export.latex.measure import width
from roofproof.export.outline import Outline, outline
from roofproof.export.slides.model import Code, Inline, Math
from roofproof.export.slides.sizes import names_of
from roofproof.export.slides.study import Study
from roofproof.export.slides.terms import Words, join
from roofproof.export.text.formatting import unsigned
from roofproof.hardware import Chip, Rate
from roofproof.hardware.units import decimal

LINE = 30.0  # em that a formula on display may take
ROWS = 2  # lines that a sum may take; a longer one is told by the number of its terms
TITLE = 44  # signs of the name of an operation that stand in a title
NAME = 40  # signs of the name of a chip


class DeckContext:
    """A study with the words it is told in.

    >>> from roofproof import chip, op
    >>> from roofproof.export.slides.study import studied
    >>> deck = DeckContext(studied(op("matmul"), "matmul", [chip("tpu-v5e")]), Words("en"))
    >>> deck.equation("I", "=", deck.study.op.flops)
    ['I &= 2BDF']
    >>> deck.titled("setup")
    ('matmul', ': ', 'setup')
    """

    def __init__(self, study: Study, words: Words) -> None:
        self.study, self.op, self.words = study, study.op, words
        self.style = Style(study.op, words.language)

    @cached_property
    def outline(self) -> Outline:
        """The answer that the slides tell."""
        return outline(self.study.op, self.study.chip, self.study.proved, self.study.sizes)

    def titled(self, key: str) -> Inline:
        """Return the title of a slide: the operation, and what the slide tells of it."""
        return self.words("frame-title", op=clipped(self.study.label, TITLE), what=self.words(key))

    def command(self) -> Code:
        """Return the command that prints everything."""
        label = self.study.label
        quoted = label if label.replace("-", "").isalnum() else f"'{label}'"
        solved = f" --for {self.study.unknown}" if self.study.unknown else ""
        return Code(f"roofproof derive {quoted} --chip {self.study.chip.name or 'CHIP'}{solved}")

    def math(self, expression: sympy.Expr) -> Math:
        """Return an expression in a line of text."""
        return Math(self.style.latex(expression, inline=True))

    def number(self, value: sympy.Expr) -> Math:
        """Return the decimal value of a number, with `≈` in front where it is rounded."""
        return Math(approximately(value).removeprefix("= "))

    def equation(self, left: str, sign: str, expression: sympy.Expr) -> list[str]:
        """Return `left sign expression` on lines that fit, and what the names stand for that this needed."""
        limit = LINE - width(left)
        if expression.is_Add:
            rows = self.style.broken(expression, limit)
            if len(rows) > ROWS:
                count = self.words("long-sum", count=len(sympy.Add.make_args(expression)))
                return [rf"{left} &{sign} \text{{{escape(''.join(map(str, count)))}}}"]
            return [f"{left} &{sign} {rows[0]}", *(rf"&\quad {row}" for row in rows[1:])]
        [short], names = shortened([expression], [limit], self.style.taken, self.style.latex)
        return [f"{left} &{sign} {self.style.latex(short)}", *self.definitions(names)]

    def definitions(self, names: Iterable[tuple[sympy.Symbol, sympy.Expr]]) -> list[str]:
        """Return a line for each name of a part."""
        out = []
        for name, expression in names:
            self.style.taken.add(name.name)
            out += self.equation(latex(name), "=", expression)
        return out

    def at(self, sizes: Mapping[str, int], of: Iterable[sympy.Expr] = ()) -> Inline:
        """Return sizes as a list of equations, those alone that some expressions depend on."""
        needed = {s for each in of for s in each.free_symbols}
        names = names_of(needed, self.study.op) if needed else list(sizes)
        return join([Math(f"{symbol(n)} = {sizes[n]}") for n in names if n in sizes], self.words["comma"])

    @property
    def threshold_sizes(self) -> Inline:
        """The sizes on which the threshold depends, as a list of equations; nothing where it depends on none."""
        proved = self.study.proved
        needed = {s for case in proved.found.symbolic for s in case.symbols} if proved else set()
        sizes = self.study.sizes
        return self.at({n: sizes[n] for n in names_of(needed, self.study.op) if n in sizes})

    def decimal(self, bound: Threshold) -> Math:
        """Return a threshold whose bounds are numbers, in decimals.

        >>> from roofproof import chip, op
        >>> from roofproof.derive.inequalities.cases import Between
        >>> from roofproof.export.slides.study import studied
        >>> deck = DeckContext(studied(op("matmul"), "matmul", [chip("tpu-v5e")]), Words("en"))
        >>> deck.decimal(Between(sympy.Rational(1, 2), sympy.Rational(7, 3)))
        Math(tex='0.5 < B < 2.3333')
        """
        return Math(self.style.threshold(sympy.Symbol(self.study.unknown), bound, shown=plain))


def plain(value: sympy.Expr) -> str:
    r"""Return a number in a few digits.

    >>> plain(sympy.Integer(197) * 10**12)
    '1.97 \\times 10^{14}'
    >>> plain(sympy.Rational(429287040, 185039))                   # 2319.98..., no whole number
    '2319.98'
    """
    return number(unsigned(value), False)


def figure(rate: Rate) -> Math:
    r"""Return a figure of a chip with its unit.

    >>> from roofproof import chip
    >>> print(figure(chip("tpu-v5e").rate("bf16")).tex)
    1.97 \times 10^{14}\,\text{FLOP/s}
    """
    return Math(rf"{number(decimal(rate.value), False)}\,\text{{{rate.unit}}}")


def named(chip: Chip) -> str:
    """Return the name of a chip as its maker prints it, without remarks; with its variant.

    >>> from roofproof import chip
    >>> named(chip("h100-sxm"))
    'NVIDIA H100 SXM5 80GB'
    """
    title = (chip.title or chip.name).partition(" (")[0]
    _, at, variant = chip.name.partition("@")
    return clipped(f"{title} @{variant}" if at and chip.title else title, NAME)


def clipped(text: str, most: int) -> str:
    """Return a text on one line, cut where it is longer than that many signs.

    >>> clipped("an operation", 6)
    'an op…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
