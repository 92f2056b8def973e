r"""The lines of a derivation up to the ridge point: FLOPs, bytes tensor by tensor, intensity, limit, ridge."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import sympy

from roofproof.derive.roofline.compute_bound import Ceiling, ceilings_joined
from roofproof.export.latex.conditions import condition, divides, threshold
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.layout import LEAST, AlignedLine, Definition, broken, room, shortened
from roofproof.export.latex.measure import width
from roofproof.export.latex.words import between, convention, words
from roofproof.export.outline import Outline, Row
from roofproof.export.text.formatting import in_seconds, rounded
from roofproof.formula.magnitudes import decimal
from roofproof.ops import Operation
from roofproof.ops.tensor import Tensor
from roofproof.proofs.provers.critical_size import Rule

_ABOUT = r"\approx"
BRIEF = 2.5  # em that a value takes which is written out in the sign of its relative error
MANY = 10  # tensors from which on they go into a table of their own


class Style:
    """How formulas are written in one derivation: language, numbers, the order of terms that the tensors give.

    >>> from roofproof import op
    >>> style = Style(op("matmul"), "en")
    >>> print(style.latex(op("matmul").bytes()))
    2BD + 2DF + 2BF
    """

    def __init__(self, op: Operation, lang: str, siunitx: bool = False) -> None:
        traffic = [t.traffic for t in op.tensors]
        common = sympy.gcd_list([op.flops, *traffic]) if traffic else sympy.Integer(1)
        self.op, self.lang, self.siunitx = op, lang, siunitx
        self.order = tuple(traffic) + (tuple(t / common for t in traffic) if common.free_symbols else ())
        self.say = words(lang).say
        self.latex: Callable[..., str] = partial(latex, order=self.order, siunitx=siunitx)
        self.condition: Callable[..., str] = partial(condition, lang=lang, order=self.order, siunitx=siunitx)
        self.threshold: Callable[..., str] = partial(threshold, lang=lang, order=self.order, siunitx=siunitx)
        self.taken = {s.name for s in op.dims} | {"I", "T", "R"}

    def broken(self, expression: sympy.Expr, limit: float) -> tuple[str, ...]:
        """Return an expression on rows no wider than a limit, where it can be broken."""
        return tuple(broken(expression, limit, order=self.order, siunitx=self.siunitx))

    def named(self, left: str, sign: str, expression: sympy.Expr, because: str) -> Iterator[AlignedLine]:
        """Yield `left sign expression`, and what the names stand for that were needed to make it fit."""
        limit = room(left)
        if expression.is_Add:
            yield AlignedLine(left, sign, self.broken(expression, limit), because)
            return
        [short], names = shortened([expression], [limit], self.taken, self.latex)
        yield AlignedLine(left, sign, (self.latex(short),), because)
        yield from self.definitions(names)

    def definitions(self, names: Sequence[Definition]) -> Iterator[AlignedLine]:
        """Yield a line for each name of a part."""
        for name, expression in names:
            self.taken.add(name.name)
            left = self.latex(name)
            yield AlignedLine(left, "=", self.broken(expression, room(left)), self.say("short"))


def tensor(each: Tensor, sep: str = ": ") -> str:
    r"""Return a tensor as text: its name, format and shape.

    >>> from roofproof import op
    >>> print(tensor(op("matmul").reads[0]))
    $x$: bf16$[B,$ $D]$
    """
    return f"{tensor_name(each)}{sep}{escape(each.dtype)}{listed(each.shape, '[', ']')}"


def listed(parts: Sequence[sympy.Expr | str], before: str = "", after: str = "") -> str:
    r"""Return expressions as text, a formula each, so that a line may break between them.

    >>> from roofproof.symbols import dimension
    >>> print(listed([dimension("B"), dimension("D")/2], "[", "]"))
    $[B,$ $D/2]$
    """
    shown = [part if isinstance(part, str) else latex(part, inline=True) for part in parts]
    return f"${before}{',$ $'.join(shown)}{after}$"


def tensor_name(each: Tensor) -> str:
    """Return the name of a tensor as text: one letter in mathematics, `w_up` with a subscript, others upright."""
    if re.fullmatch("[A-Za-z](_[A-Za-z0-9]+)?", each.name):
        return f"${symbol(each.name)}$"
    return escape(each.name)


def lines(style: Style, found: Outline) -> Iterator[AlignedLine]:
    """Yield the lines of an outline up to the ridge point: FLOPs, bytes tensor by tensor where they are few, ..."""
    several = len(found.rows("intensity")) > 1
    yield from _flops(style, found.rows("flops", "no-flops"))
    for row in found.rows("flops-total"):
        yield from style.named(r"\text{FLOPs}", "=", row.value, style.say("in-all"))
    yield from _bytes(style, found)
    for row in found.rows("footprint"):
        left = rf"\text{{bytes}}_{{\text{{{escape(row.about)}}}}}"
        yield from style.named(left, "=", row.value, style.say("held", place=escape(row.about)))
    for row in found.rows("intensity", "limit", "ridge"):
        if row.key == "intensity" and not row.value.is_zero:
            over = style.say("lowest-terms-over", channel=escape(row.about))
            why = style.say("lowest-terms") if row.about == "memory" and not several else over
            yield from style.named(intensity_name(row.about, several), "=", row.value, why)
        elif row.key == "limit":
            yield from _limit(style, row.about, several)
        elif row.key == "ridge":
            yield _ridge(style, row, several)


def _flops(style: Style, rows: Sequence[Row]) -> Iterator[AlignedLine]:
    some = [(row.about, row.value) for row in rows if row.known and not row.value.is_zero]
    for name, amount in some or [("", sympy.Integer(0))]:
        left = r"\text{FLOPs}" if len(some) < 2 else rf"\text{{FLOPs}}_{{\text{{{name}}}}}"
        parts = [escape(name), "" if long_convention(style) else convention(style.op.convention, style.lang)]
        yield from style.named(left, "=", amount, style.say("semicolon").join(p for p in parts if p))


def counted_from(style: Style) -> str:
    """Return the sentence that says by which source an operation is counted, or by what rule of our own."""
    own = style.op.source.removeprefix("counted: ")
    if own != style.op.source:
        return style.say("counted", convention=convention(own, style.lang))
    return style.say("after", source=escape(own)) if own else style.say("start")


def long_convention(style: Style) -> str:
    """Return the counting convention of the operation where it is too long to stand beside a line, or nothing."""
    text = convention(style.op.convention, style.lang)
    return text if width(rf"\text{{{text}}}") > LEAST * 1.5 else ""


def _bytes(style: Style, found: Outline) -> Iterator[AlignedLine]:
    said, moved = style.say, found.rows("read", "write")
    left, sign = r"\text{bytes}", "="
    if len(moved) > MANY:
        [total] = found.rows("total")
        yield from style.named(left, sign, total.value, said("tensors", count=str(len(moved))))
        moved = ()
    for row in moved:
        text, why = style.latex(row.value), said(row.key, tensor=tensor(row.about, said("colon")))
        if row.value.is_Add and not sign:
            text = rf"({text})"
        if row.about.times != 1:
            why += said("comma") + said("times-each", times=f"${style.latex(row.about.times, inline=True)}$")
        yield AlignedLine(left, sign, (text if sign else f"+ {text}",), why)
        left = sign = ""
    for row in found.rows("over"):
        channel = row.about
        if channel == "memory" and style.op.tensors:
            yield AlignedLine(left, sign, (f"+ {style.latex(row.value)}",), said("over", channel=channel))
        else:
            name = r"\text{bytes}" + ("" if channel == "memory" else rf"_{{\text{{{escape(channel)}}}}}")
            yield from style.named(name, "=", row.value, said("over", channel=escape(channel)))


def intensity_name(channel: str, several: bool) -> str:
    """Return the sign of the intensity against a channel: I, or with the channel where there are several."""
    return rf"I_{{\text{{{escape(channel)}}}}}" if several else "I"


def assumed(style: Style, condition: sympy.Basic) -> str:
    """Return an assumption of an operation, divisibility in words."""
    if divides(condition):
        whole, part = (f"${style.latex(a)}$" for a in condition.lhs.args)
        return style.say("divides", part=part, whole=whole)
    return f"${style.condition(condition)}$"


def exceeds(style: Style, ceilings: Sequence[Ceiling]) -> str:
    """Return the formula for every intensity, or that of some engine, being above its ridge point."""
    several = len(ceilings) > 1
    sign = r"\ge" if ceilings[0].share else ">"
    above = [(c, f"{intensity_name(c.label, several)} {sign} {style.latex(c.symbol)}") for c in ceilings]
    return ceilings_joined(above, *(between(style.say(word)).strip(" ") for word in ("and", "or")))


def _limit(style: Style, rule: Rule, several: bool) -> Iterator[AlignedLine]:
    """Yield what the intensity tends to, and the closed form of what taking that for it neglects."""
    found, said = rule.proved.limit, style.say
    name = intensity_name(rule.channel, several)
    grows = found.growth is not None
    why = said("grows" if grows else "as", regime=regime_listed(found.regime.text))
    if rule.by_letter:
        stay = (f"${symbol(size)}$ ({role.in_language(style.lang)})" for size, role in rule.by_letter.items())
        why += said("comma") + said("by-letter", sizes=", ".join(stay))
    yield from style.named(name, r"\sim" if grows else r"\to", found.stands_for, why)
    error, value = found.growth_error if grows else found.relative_error, style.latex(found.stands_for)
    if error == 0:
        yield AlignedLine(name, "=", (value,), said("no-error"))
    elif error is not None:
        brief = width(value) <= BRIEF
        share = rf"\frac{{\lvert {value} - {name} \rvert}}{{{name}}}" if brief else r"\varepsilon"
        short = f"${style.latex(found.stands_for, inline=True)}$"
        why = said("neglected", value=short) if brief else said("neglected-that")
        if found.where != sympy.true:
            why += said("comma") + said("where", condition=f"${style.condition(found.where)}$")
        yield from style.named(share, "=", error, why)


def _ridge(style: Style, row: Row, several: bool) -> AlignedLine:
    """Return the ridge point: peak over bandwidth."""
    peak, bandwidth = (number(decimal(r.value), style.siunitx) for r in row.about.rests_on)
    share = row.about.share
    if share is not None and share.ceilings is not None:
        peak = rf"{number(decimal(share.compute), style.siunitx)} \cdot {peak}"
        bandwidth = rf"{number(decimal(share.memory), style.siunitx)} \cdot {bandwidth}"
    right = rf"\frac{{{peak}}}{{{bandwidth}}}"
    if share is not None:
        right = rf"{style.latex(share.factor)} \cdot {right}"
    if not row.value.is_Integer:
        right += f" = {style.latex(row.value)}"
    right += f" {approximately(row.value, style.siunitx)}"
    plain = row.about.channel == "memory" and not several
    why = (
        style.say("ridge-kept" if share else "ridge")
        if plain
        else style.say("ridge-over", channel=escape(row.about.channel))
    )
    return AlignedLine(style.latex(row.about.symbol), "=", (right,), why)


def time_line(style: Style, row: Row) -> Iterator[AlignedLine]:
    """Yield a time, in a unit that suits it where it is a number."""
    left = time_of(row.about)
    why = style.say("demand-supply" if row.key == "resource" else row.key)
    if row.value.is_number:
        sign, shown = duration(row.value, style.siunitx)
        yield AlignedLine(left, sign, (shown,), why)
    else:
        yield from style.named(left, "=", row.value, why)


def time_of(name: str) -> str:
    """Return the sign of a time.

    >>> time_of("lower"), time_of("bf16")
    ('T_{\\\\text{max}}', 'T_{\\\\text{bf16}}')
    """
    return rf"T_{{\text{{{escape({'lower': 'max', 'upper': 'sum'}.get(name, name))}}}}}"


def duration(value: sympy.Expr, siunitx: bool = True) -> tuple[str, str]:
    r"""Return the sign that is true of a time in a unit that suits it, and the time.

    >>> print(*duration(sympy.Rational(1, 989)))
    \approx \qty{1.0111}{ms}
    """
    short = in_seconds(value)
    unit = rf"\qty{{{short.text}}}{{{short.unit}}}" if siunitx else rf"{short.text}\,\text{{{short.unit}}}"
    return "=" if short.exact else r"\approx", unit


def number(text: str, siunitx: bool) -> str:
    r"""Return a number written as `1.97e14` in mathematics.

    >>> print(number("1.97e14", False), number("1.97e14", True))
    1.97 \times 10^{14} \num{1.97e14}
    """
    if siunitx:
        return rf"\num{{{text}}}"
    mantissa, _, power = text.partition("e")
    return rf"{mantissa} \times 10^{{{power}}}" if power else mantissa


def approximately(value: sympy.Expr, siunitx: bool = False) -> str:
    r"""Return the decimal value of a number with the sign that is true of it.

    >>> print(approximately(sympy.Rational(9850, 41)), approximately(sympy.Rational(1, 8)))
    \approx 240.24 = 0.125
    """
    short = rounded(value)
    return f"{'=' if short.exact else _ABOUT} {number(short.text, siunitx)}"


def regime(text: str) -> str:
    r"""Return a regime in mathematics.

    >>> print(regime("D, F >> B"), regime("L ~ d^2 >> r"), regime("F = 4 D -> oo"))
    D, F \gg B L \sim d^2 \gg r F = 4 D \to \infty
    """
    signs = {">>": r"\gg", "->": r"\to", "oo": r"\infty", "~": r"\sim", "*": ""}
    return re.sub(
        "[A-Za-z][A-Za-z0-9_]*|>>|->|~|[*]",
        lambda found: signs[found[0]] if found[0] in signs else symbol(found[0]),
        text,
    )


def regime_listed(text: str) -> str:
    r"""Return a regime as text, a formula each, so that a line may break between them.

    >>> print(regime_listed("D, F >> B"))
    $D,$ $F \gg B$
    """
    return listed(regime(text).split(", "))
