r"""The leaves of a document as mathematics and as words, for LaTeX and for KaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN
from functools import singledispatch
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Above, Below, Threshold, bounds
from roofproof.errors import RoofproofError
from roofproof.export import doc as d
from roofproof.export.doc import Code as Code
from roofproof.export.latex.conditions import condition, threshold
from roofproof.export.latex.escaping import escape, has_chinese, within_maths
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.words import between
from roofproof.export.numbers import in_seconds, needs_decimals, rounded, unsigned
from roofproof.export.terms import format_term
from roofproof.export.terms import number as in_tex
from roofproof.export.to_text import in_few_digits
from roofproof.formula.magnitudes import decimal
from roofproof.hardware import Figure
from roofproof.ops.roles import Role
from roofproof.ops.tensor import Tensor
from roofproof.proofs.steps import lines
from roofproof.say import Words, clauses, figure_note, translated
from roofproof.sentences import Name, Resource, Sentence, join_pieces

SIGNS = {
    "=": "=", "+": "+", "<": "<", ">": ">", "<=": r"\leq", ">=": r"\geq", "->": r"\to", "~": r"\sim", "*": r"\cdot",
    "<=>": r"\iff", "=>": r"\implies", ">>": r"\gg", "oo": r"\infty", "≈": r"\approx", "(": "(", ")": ")",
}  # fmt: skip


LINKS = (SIGNS["<=>"], SIGNS["=>"])


@dataclass(frozen=True, slots=True)
class Style:
    """The style of formulas: language, order of terms, siunitx for numbers, and fractions with a slash."""

    lang: str = "en"
    order: tuple[sympy.Expr, ...] = ()
    siunitx: bool = False
    inline: bool = False

    def latex(self, expression: sympy.Expr) -> str:
        """Return an expression as LaTeX."""
        return latex(expression, order=self.order, siunitx=self.siunitx, inline=self.inline)

    def number(self, text: str) -> str:
        """Return a number written as `1.97e14` as LaTeX."""
        return number(text, self.siunitx)


Piece = tuple[bool, str]
"""Whether it is a formula, and its LaTeX, or else its words."""


def pieces(what: d.Inline, style: Style) -> list[Piece]:
    """Return the words and the formulas of an inline, in order. A decimal value stays with its formula.

    >>> pieces(d.say("at <sizes>", sizes=d.sizes({"D": 4096})), Style())
    [(False, 'at '), (True, 'D = 4096')]
    """
    found: list[Piece] = []
    for is_formula, text in _pieces(what, style):
        apart = found[-1:] == [(False, " ")] and len(found) > 1 and is_formula
        if apart and (text.startswith((r"\approx", "= ")) or found[-2][1] in LINKS):
            found[-2:] = [(True, f"{found[-2][1]} {text}")]
        elif found and found[-1][0] == is_formula and not _is_verbatim(text) and not _is_verbatim(found[-1][1]):
            found[-1] = (
                is_formula,
                found[-1][1] + text if is_formula else join_pieces((found[-1][1], text), style.lang),
            )
        elif text:
            found.append((is_formula, text))
    return found


def headed(shown: Iterable[Piece]) -> list[Piece]:
    """Return pieces with a capital letter at the beginning. The letter of a size, a name and Chinese stay unchanged.

    >>> headed([(False, "the limit of "), (True, "I")]), headed([(False, "k of E experts")])
    ([(False, 'The limit of '), (True, 'I')], [(False, 'k of E experts')])
    """
    (is_formula, text), *more = [*shown] or [(False, "")]
    stays = is_formula or _is_verbatim(text) or re.match(r"[b-z]\b", text) or has_chinese(text)
    return [(is_formula, text if stays else text[:1].upper() + text[1:]), *more]


def _is_verbatim(text: str) -> bool:
    """Return whether words are typed text or a name, which stay unchanged."""
    return isinstance(text, Code | Name)


def sentence(shown: Iterable[Piece], lang: str) -> list[Piece]:
    """Return pieces with a capital letter at the beginning and a full stop at the end.

    >>> sentence([(False, "free of "), (True, "B")], "en"), sentence([(False, "then:")], "en")
    ([(False, 'Free of '), (True, 'B'), (False, '.')], [(False, 'Then:')])
    """
    found = headed([(is_formula, text if k else text.lstrip()) for k, (is_formula, text) in enumerate(shown)])
    ended = found[-1][1].endswith((":", "：", "。", "."))
    return found if ended else [*found, (False, "." if lang == "en" else "。")]


def _pieces(what: d.Inline, style: Style) -> Iterator[Piece]:
    match what:
        case tuple():
            for part in what:
                yield from _pieces(part, style)
        case Sentence() | Resource():
            yield False, translated(what, style.lang)
        case str():
            yield False, what
        case d.Say():
            within = replace(style, inline=True)
            for words, gap, in_formula in what.pieces(style.lang):
                if in_formula:
                    yield True, words or math(gap, within)
                elif words:
                    yield False, words
                else:
                    yield from _pieces(gap, within)
        case d.TextOrTypeset():
            yield from _pieces(what.typeset, style)
        case d.Message():
            yield False, translated(what.text, style.lang)
        case d.Typed():
            told = translated(what.text, style.lang, lambda text: f"\0{text}\0").split("\0")
            for k, text in enumerate(told):
                yield from _typed(text) if k % 2 else [(False, text)]
        case d.FigureNote():
            yield False, figure_note(what.convention, what.status, style.lang)
        case d.Convention():
            said = Words(style.lang)["; "].join(clauses(what.text, style.lang))
            formulas = style.lang != "en" and "$" not in what.text  # from the catalogue, never typed by a user
            parts = re.split(r"\$([^$]+)\$", said) if formulas else [said]
            for k, part in enumerate(parts):
                yield from [(True, part)] if k % 2 else _counted(part)
        case Role():
            yield False, what.in_language(style.lang)
        case d.Listed():
            shown = [part if isinstance(part, str) else latex(part, inline=True) for part in what.names]
            for k, text in enumerate(shown):
                last = k == len(shown) - 1
                yield True, f"{text} {what.more}".rstrip() if last else f"{text},"
                yield False, "" if last else " "
        case d.Regime():
            yield from _pieces(d.Listed(tuple(regime(what.text).split(", "))), style)
        case Figure():
            yield from ((False, f"{what.resource} = "), (True, quantity(what, style.siunitx)))
        case Tensor():
            yield from _tensor(what, style)
        case d.Bounded() | lines.Bound() if what.threshold.kind in ("always", "never"):
            yield False, Words(style.lang)[what.threshold.kind]
        case d.Mark() if what.name == what.text:
            yield from _pieces(what.text, style)
        case _:
            yield True, math(what, style)


def _counted(text: str) -> Iterator[Piece]:
    """Yield words, and each product in them such as `2*B*D` as a formula."""
    for k, part in enumerate(re.split(r"(?<![\w*.^/])(\d+(?:\*[A-Za-z]\w*)+)(?![\w*^/(])", text)):
        yield from _typed(part) if k % 2 else [(False, part)]


def _typed(text: str) -> Iterator[Piece]:
    """Yield computed or typed text as mathematics if it is a formula, and otherwise as it was typed."""
    from roofproof.claims.language import to_boolean
    from roofproof.formula.reader import read_statement, read_value
    from roofproof.formula.to_sympy import to_value

    if value := re.fullmatch(r"(.*) (\([0-9.e+-]+\))", text):  # with a decimal value after it
        yield from (*_typed(value[1]), (False, f" {value[2]}"))
        return
    for read, turned, show in ((read_value, to_value, latex), (read_statement, to_boolean, condition)):
        with suppress(RoofproofError):
            yield True, show(turned(read(text)), inline=True)
            return
    yield False, Code(text)


def is_letter(name: str) -> bool:
    """Return whether a name is one letter, optionally with a subscript, which is set as mathematics.

    >>> is_letter("w_up"), is_letter("keys")
    (True, False)
    """
    return re.fullmatch("[A-Za-z](_[A-Za-z0-9]+)?", name) is not None


def _tensor(what: Tensor, style: Style) -> Iterator[Piece]:
    if is_letter(what.name):
        yield True, symbol(what.name)
    else:
        yield False, what.name
    yield False, f"{Words(style.lang)[': ']}{what.dtype}"
    shape = [latex(size, inline=True) for size in what.shape]
    yield True, rf"[{', '.join(shape)}]"
    if what.times != 1:
        yield from _pieces(d.say(", <times> times", times=what.times), style)


@singledispatch
def math(what: d.Inline, style: Style) -> str:
    r"""Return a leaf as mathematics.

    >>> print(math(d.Formula("R", "=", d.Decimal(sympy.Rational(9850, 41))), Style()))
    R = \approx 240.24
    """
    return str(what)


@math.register
def _(what: tuple, style: Style) -> str:  # type: ignore[type-arg]
    parts = (_glue(part, style) for part in what)
    return "".join(part for part in parts if part)


def _glue(part: d.Inline, style: Style) -> str:
    if isinstance(part, d.Say) and not part.parts:
        return between(part.written(style.lang).strip())
    return f" {math(part, style)}" if isinstance(part, d.Decimal) else math(part, style)


@math.register
def _(what: str, style: Style) -> str:
    if what.strip() in ("", *SIGNS):
        return SIGNS.get(what.strip(), "")
    if re.fullmatch(r" +\(\d+\)", what):  # the number of a line
        return rf" \quad {what.strip()}"
    return rf"\text{{{escape(what)}}}"


@math.register
def _(what: d.Say, style: Style) -> str:
    said = what.pieces(style.lang)
    return "".join(within_maths(words) if words else math(gap, style) for words, gap, _ in said)


@math.register
def _(what: d.Formula, style: Style) -> str:
    return " ".join(SIGNS.get(p) or symbol(p) if isinstance(p, str) else math(p, style) for p in what.pieces)


@math.register
def _(what: d.Mark, style: Style) -> str:
    name = symbol(what.name) if len(what.name) == 1 else rf"\text{{{escape(what.name)}}}"
    return name + (rf"_{{\text{{{escape(what.below)}}}}}" if what.below else "")


@math.register
def _(what: d.TextOrTypeset, style: Style) -> str:
    return math(what.typeset, style)


@math.register(sympy.Expr)
def _(what: sympy.Expr, style: Style) -> str:
    return r"\infty" if what is sympy.oo else style.latex(what)


@math.register(Boolean)
def _(what: Boolean, style: Style) -> str:
    return condition(what, lang=style.lang, order=style.order, siunitx=style.siunitx, inline=style.inline)


@math.register
def _(what: d.Decimal, style: Style) -> str:
    shown = approximately(what.value, style.siunitx, what.unit, ROUND_FLOOR if what.down else ROUND_HALF_EVEN)
    return shown if what.equals else shown.removeprefix("= ")


@math.register
def _(what: d.Typed, style: Style) -> str:
    return "".join(text if is_formula else rf"\text{{{escape(text)}}}" for is_formula, text in pieces(what, style))


@math.register
def _(what: d.KernelTerm, style: Style) -> str:
    return format_term(what.term, tex=True)


@math.register
def _(what: d.FewDigits, style: Style) -> str:
    formula, sign, text = in_few_digits(what.value, what.rounding)
    rounded_off, bare = text.startswith("≈ "), text.removeprefix("≈ ")
    shown = [math(formula, style)] if formula != "" else []
    shown += [SIGNS[part] for part in (sign, "≈" * rounded_off) if part]
    return " ".join([*shown, *([style.number(bare)] if bare else [])])


@math.register
def _(what: d.Number, style: Style) -> str:
    return quantity(what.figure, style.siunitx)


@math.register
def _(what: d.Seconds, style: Style) -> str:
    sign, shown = duration(what.value, style.siunitx)
    return shown if what.bare else f"{sign} {shown}"


@math.register
def _(what: d.Duration, style: Style) -> str:
    if what.value.is_number:
        return " ".join(duration(what.value, style.siunitx))
    return f"= {style.latex(what.value)}"


@math.register
def _(what: d.Quotient, style: Style) -> str:
    above, below = (None if s is None else s if isinstance(s, tuple) else (s,) for s in (what.above, what.below))
    shown = [r" \cdot ".join(style.number(decimal(n)) for n in side) for side in (above, below) if side is not None]
    return shown[0] if len(shown) == 1 else rf"\frac{{{shown[0]}}}{{{shown[1]}}}"


@math.register
def _(what: lines.Bound, style: Style) -> str:
    return valued(style, _threshold(what.unknown, what.threshold, style), what.threshold)


def valued(style: Style, text: str, bound: Threshold) -> str:
    """Return the text of a threshold, followed by the decimal value of its bound if that is a non-integer number."""
    if isinstance(bound, Above | Below) and needs_decimals(bound.at):
        text += f" {approximately(bound.at, style.siunitx)}"
    return text


def _threshold(unknown: sympy.Symbol, bound: Threshold, style: Style) -> str:
    return threshold(unknown, bound, lang=style.lang, order=style.order, siunitx=style.siunitx, inline=style.inline)


@math.register
def _(what: d.Bounded, style: Style) -> str:
    bound = what.threshold
    if what.short and all(end.is_number and not end.has(sympy.CRootOf) for end in bounds(bound)):
        return threshold(what.unknown, bound, lang=style.lang, shown=lambda end: style.number(unsigned(end)))
    return _threshold(what.unknown, bound, style)


@math.register
def _(what: lines.Relation, style: Style) -> str:
    return f"{style.latex(what.left)} {SIGNS[what.sign]} {style.latex(what.right)}"


@math.register
def _(what: lines.Tends, style: Style) -> str:
    return rf"{style.latex(what.expr)} \to {math(what.value, style)}"


@math.register
def _(what: d.RelativeError, style: Style) -> str:
    upright = replace(style, inline=False)
    if what.error == 0:
        return "0"
    value, name = upright.latex(what.value), math(what.of, style)
    brief = len(what.value.free_symbols) + len(what.value.args) < 5
    left = rf"\frac{{\lvert {value} - {name} \rvert}}{{{name}}}" if brief else r"\varepsilon"
    return f"{left} = {upright.latex(what.error)}"


@math.register
def _(what: d.Regime, style: Style) -> str:
    return regime(what.text)


@math.register
def _(what: d.Listed, style: Style) -> str:
    return ", ".join(str(part) for _, part in _pieces(what, style) if part.strip())


@math.register
def _(what: d.Estimate, style: Style) -> str:
    share: Any = what.share
    a, q = r"\frac{\text{FLOPs}}{e \cdot \text{peak}}", r"\frac{\text{bytes}}{d \cdot \text{bandwidth}}"
    if share.ceilings is None:
        a, q = r"\frac{\text{FLOPs}}{\text{peak}}", r"\frac{\text{bytes}}{\text{bandwidth}}"
    corners = {"max": rf"\max\Bigl({a},\ {q}\Bigr)", "sum": f"{a} + {q}",
               "root": rf"\sqrt{{\Bigl({a}\Bigr)^2 + \Bigl({q}\Bigr)^2}}"}  # fmt: skip
    if share.ceilings is None:
        return corners[share.corner]
    return f"{math(d.Seconds(sympy.Rational(share.ceilings.start.value), bare=True), style)} + {corners[share.corner]}"


def quantity(figure: Figure, siunitx: bool) -> str:
    r"""Return a spec of a chip with its unit.

    >>> from roofproof import chip
    >>> print(quantity(chip("tpu-v5e").rate("bf16"), True))
    \qty{1.97e14}{FLOP/s}
    """
    return with_unit(decimal(figure.value), figure.unit, siunitx)


def with_unit(text: str, unit: str, siunitx: bool) -> str:
    """Return a number written as `1.97e14` with its unit."""
    shown, typed = (r"\mu\text{s}", r"\micro\second") if unit == "us" else (rf"\text{{{unit}}}", unit)
    return rf"\qty{{{text}}}{{{typed}}}" if siunitx else rf"{number(text, False)}\,{shown}"


def duration(value: sympy.Expr, siunitx: bool = True) -> tuple[str, str]:
    r"""Return the sign for a time in a suitable unit, = or ≈, and the time.

    >>> print(*duration(sympy.Rational(1, 989)))
    \approx \qty{1.0111}{ms}
    """
    short = in_seconds(value)
    return "=" if short.exact else r"\approx", with_unit(short.text, short.unit, siunitx)


def number(text: str, siunitx: bool) -> str:
    r"""Return a number written as `1.97e14` as mathematics.

    >>> print(number("1.97e14", False), number("1.97e14", True))
    1.97 \times 10^{14} \num{1.97e14}
    """
    return rf"\num{{{text}}}" if siunitx else in_tex(text)


def approximately(value: sympy.Expr, siunitx: bool = False, unit: str = "", rounding: str = ROUND_HALF_EVEN) -> str:
    r"""Return the decimal value of a number with its unit, after = or ≈.

    >>> print(approximately(sympy.Rational(9850, 41)), approximately(sympy.Rational(1, 8)))
    \approx 240.24 = 0.125
    """
    short = rounded(value, rounding=rounding)
    sign = "=" if short.exact else SIGNS["≈"]
    return f"{sign} {with_unit(short.text, unit, siunitx) if unit else number(short.text, siunitx)}"


def number_tex(value: sympy.Expr) -> str:
    r"""Return a number in a few digits, without a sign of rounding.

    >>> number_tex(sympy.Integer(197) * 10**12)
    '1.97 \\times 10^{14}'
    >>> number_tex(sympy.Rational(429287040, 185039))                   # 2319.98..., not an integer
    '2319.98'
    """
    return number(unsigned(value), False)


def regime(text: str) -> str:
    r"""Return a regime as mathematics.

    >>> print(regime("D, F >> B"), regime("L ~ d^2 >> r"), regime("F = 4 D -> oo"))
    D, F \gg B L \sim d^2 \gg r F = 4 D \to \infty
    """
    signs = {">>": r"\gg", "->": r"\to", "oo": r"\infty", "~": r"\sim", "*": ""}
    return re.sub(
        "[A-Za-z][A-Za-z0-9_]*|>>|->|~|[*]",
        lambda found: signs[found[0]] if found[0] in signs else symbol(found[0]),
        text,
    )
