"""What the slides of one operation share: its study, the words of the language, and formulas that fit a slide."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

import sympy

from roofproof.derive.inequalities.cases import Threshold
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.layout import shortened
from roofproof.export.latex.leaves import approximately, number
from roofproof.export.latex.measure import width
from roofproof.export.outline import Outline, outline, rate_of
from roofproof.export.slides.fitting import Style
from roofproof.export.slides.model import Code, Inline, Math
from roofproof.export.slides.sizes import names_of
from roofproof.export.slides.study import Study
from roofproof.export.slides.terms import SlideWords, join
from roofproof.export.slides.tex import Source, Tex, given, tex_lines, tex_of
from roofproof.export.text.formatting import unsigned
from roofproof.formula.magnitudes import decimal
from roofproof.hardware import Chip
from roofproof.proofs.known import Known

LINE = 30.0  # em that a formula on display may take
ROWS = 2  # lines that a sum may take; a longer one is told by the number of its terms
TITLE = 44  # signs of the name of an operation that stand in a title
NAME = 40  # signs of the name of a chip


class DeckContext:
    """A study with the words it is told in.

    >>> from roofproof import chip, op
    >>> from roofproof.export.slides.study import studied
    >>> deck = DeckContext(studied(op("matmul"), "matmul", [chip("tpu-v5e")]), SlideWords("en"))
    >>> [flops] = deck.outline.rows("flops")
    >>> deck.equation("I", "=", flops.known[0], first)
    ('I &= 2BDF',)
    >>> deck.titled("setup")
    ('matmul', ': ', 'setup')
    """

    def __init__(self, study: Study, words: SlideWords) -> None:
        self.study, self.op, self.words = study, study.op, words
        self.style = Style(study.op, words.language)

    @cached_property
    def outline(self) -> Outline:
        """The answer that the slides tell."""
        return outline(self.study.op, self.study.chip, self.study.proved, self.study.sizes)

    def titled(self, key: str) -> Inline:
        """Return the title of a slide: the operation, and what the slide tells of it."""
        return self.words("<op>: <what>", op=clipped(self.study.label, TITLE), what=self.words(key))

    def command(self) -> Code:
        """Return the command that prints everything."""
        label = self.study.label
        quoted = label if label.replace("-", "").isalnum() else f"'{label}'"
        solved = f" --for {self.study.unknown}" if self.study.unknown else ""
        return Code(f"roofproof derive {quoted} --chip {self.study.chip.name or 'CHIP'}{solved}")

    def math(self, source: Source, value: Callable[[Source], sympy.Expr]) -> Math:
        """Return an expression of what is known in a line of text."""
        return Math(tex_of(source, lambda known: self.style.latex(value(known), inline=True)))

    def number(self, known: Known) -> Math:
        """Return the decimal value of a number, with `≈` in front where it is rounded."""
        return Math(tex_of(known, lambda known: approximately(first(known)).removeprefix("= ")))

    def equation(self, left: str, sign: str, source: Source, value: Callable[[Source], sympy.Expr]) -> tuple[Tex, ...]:
        """Return `left sign value` on lines that fit, and what the names stand for that this needed."""
        return tex_lines(source, lambda known: self._equation(left, sign, value(known)))

    def _equation(self, left: str, sign: str, expression: sympy.Expr) -> list[str]:
        limit = LINE - width(left)
        if expression.is_Add:
            rows = self.style.broken(expression, limit)
            if len(rows) > ROWS:
                count = self.words("a sum of <count> terms", count=len(sympy.Add.make_args(expression)))
                return [rf"{left} &{sign} \text{{{escape(''.join(map(str, count)))}}}"]
            return [f"{left} &{sign} {rows[0]}", *(rf"&\quad {row}" for row in rows[1:])]
        [short], names = shortened([expression], [limit], self.style.taken, self.style.latex)
        return [f"{left} &{sign} {self.style.latex(short)}", *self.definitions(names)]

    def definitions(self, names: Iterable[tuple[sympy.Symbol, sympy.Expr]]) -> list[str]:
        """Return a line for each name of a part."""
        out = []
        for name, expression in names:
            self.style.taken.add(name.name)
            out += self._equation(latex(name), "=", expression)
        return out

    def at(self, sizes: Mapping[str, int], of: Iterable[sympy.Expr] = ()) -> Inline:
        """Return sizes as a list of equations, those alone that some expressions depend on."""
        needed = {s for each in of for s in each.free_symbols}
        names = names_of(needed, self.study.op) if needed else list(sizes)
        return join([Math(given(f"{symbol(n)} = {sizes[n]}")) for n in names if n in sizes], self.words[", ||comma"])

    @property
    def threshold_sizes(self) -> Inline:
        """The sizes on which the threshold depends, as a list of equations; nothing where it depends on none."""
        proved = self.study.proved
        needed = {s for case in proved.found.symbolic for s in case.symbols} if proved else set()
        sizes = self.study.sizes
        return self.at({n: sizes[n] for n in names_of(needed, self.study.op) if n in sizes})

    def decimal(self, source: Source, bound: Callable[[Source], Threshold]) -> Math:
        """Return a threshold whose bounds are numbers, in decimals.

        >>> from roofproof import chip, op
        >>> from roofproof.export.slides.study import studied
        >>> deck = DeckContext(studied(op("matmul"), "matmul", [chip("tpu-v5e")]), SlideWords("en"))
        >>> [row] = deck.outline.rows("point")
        >>> deck.decimal(row, lambda row: row.threshold)                        # 240.54/(1 - 240.54 * 2/4096)
        Math(tex='B > 272.55')
        """
        x = sympy.Symbol(self.study.unknown)
        return Math(tex_of(source, lambda known: self.style.threshold(x, bound(known), shown=number_tex)))


def first(known: Known) -> sympy.Expr:
    """Return the expression that a statement shows first: the value that it gives."""
    value: sympy.Expr = known.statement.value
    return value


def number_tex(value: sympy.Expr) -> str:
    r"""Return a number in a few digits.

    >>> number_tex(sympy.Integer(197) * 10**12)
    '1.97 \\times 10^{14}'
    >>> number_tex(sympy.Rational(429287040, 185039))                   # 2319.98..., no whole number
    '2319.98'
    """
    return number(unsigned(value), False)


def figure(known: Known) -> Math:
    r"""Return a figure of a chip with its unit.

    >>> from roofproof import chip
    >>> from roofproof.proofs.provers import roofline
    >>> print(figure(roofline.figure(chip("tpu-v5e").rate("bf16"))).tex)
    1.97 \times 10^{14}\,\text{FLOP/s}
    """
    rate = rate_of(known)
    return Math(tex_of(known, lambda _: rf"{number(decimal(rate.value), False)}\,\text{{{rate.unit}}}"))


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
