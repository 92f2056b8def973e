"""Random formulas in plain text, LaTeX and answers have the value of the fractions that they are built with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import ceil, floor
from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from roofproof.claims.answers.reading import read_answer
from roofproof.formula.latex import read_latex
from roofproof.formula.reader import read, read_value
from roofproof.formula.tree import Call, Comparison, Name, Number, Op, Quantity, Tree

NAMES = {"B": Fraction(3), "D": Fraction(7, 2), "F": Fraction(2), "n": Fraction(5)}
UNITS = {
    "GB": Fraction(10**9),
    "KiB": Fraction(1024),
    "bits": Fraction(1, 8),
    "ms": Fraction(1, 1000),
    "%": Fraction(1, 100),
}
RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "==": operator.eq, "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, "≤": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
IN_LATEX = {"==": "=", "=": "=", "!=": r"\neq", "<": "<", "<=": r"\leq", "≤": "≤", ">": r"\gt", ">=": r"\ge"}
SUM, PRODUCT, SIGN, BESIDE, POWER, ATOM = range(6)  # how tightly the parts of a text bind


class Text(NamedTuple):
    """A formula in plain text and in LaTeX, with its value and how tightly its parts bind."""

    plain: str
    latex: str
    value: Fraction
    power: int

    def inside(self, least: int) -> Text:
        """Return it in brackets if its parts bind less tightly than `least`."""
        return self if self.power >= least else Text(f"({self.plain})", rf"\left({self.latex}\right)", self.value, ATOM)


numbers = st.sampled_from(["2", "3", "0.5", "1.25", "40", "1e3"]).map(lambda t: Text(t, t, Fraction(t), ATOM))
names = st.sampled_from(sorted(NAMES)).map(lambda name: Text(name, name, NAMES[name], ATOM))


def summed(parts: list[Text], signs: list[str]) -> Text:
    """Return the sum of parts with their signs."""
    first, *rest = (part.inside(PRODUCT) for part in parts)
    rest = [part.inside(BESIDE) if part.power == SIGN else part for part in rest]
    pairs = list(zip(signs, rest, strict=False))
    value = sum((part.value * (1 if sign == "+" else -1) for sign, part in pairs), first.value)
    plain, latex = (
        "".join([getattr(first, f), *(f" {s} {getattr(p, f)}" for s, p in pairs)]) for f in ("plain", "latex")
    )
    return Text(plain, latex, value, SUM)


def multiplied(one: Text, other: Text, sign: str) -> Text:
    one, other = one.inside(PRODUCT), other.inside(SIGN)
    return Text(
        f"{one.plain}{sign}{other.plain}", rf"{one.latex} \cdot {other.latex}", one.value * other.value, PRODUCT
    )


def divided(above: Text, below: Text) -> Text:
    """Return a quotient, with the denominator in brackets if it is not a single factor."""
    assume(below.value)
    inside = below.inside(POWER)
    return Text(
        f"{above.inside(PRODUCT).plain} / {inside.plain}",
        rf"\frac{{{above.latex}}}{{{below.latex}}}",
        above.value / below.value,
        PRODUCT,
    )


def side_by_side(parts: list[Text], number: Text | None) -> Text:
    """Return factors side by side, with a number first."""
    held = [part.inside(POWER) for part in parts]
    held = [
        part if part.plain[0] not in "0123456789." else Text(f"({part.plain})", f"({part.latex})", *part[2:])
        for part in held
    ]
    held = [number, *held] if number else held
    plain, latex = (" ".join(getattr(part, field) for part in held) for field in ("plain", "latex"))
    return Text(
        plain, latex, reduce(operator.mul, (part.value for part in held)), BESIDE if len(held) > 1 else held[0].power
    )


def raised(base: Text, exponent: int, sign: str) -> Text:
    assume(base.value or exponent >= 0)
    held = base.inside(ATOM)
    shown = "²" if exponent == 2 and sign else f"^{exponent}" if exponent >= 0 or sign else f"^({exponent})"
    return Text(f"{held.plain}{shown}", f"{held.latex}^{{{exponent}}}", held.value**exponent, POWER)


def negated(inner: Text) -> Text:
    held = inner.inside(BESIDE)
    return Text(f"-{held.plain}", f"-{held.latex}", -held.value, SIGN)


CALLS: dict[str, tuple[Callable[..., Fraction | int], str]] = {
    "floor": (floor, r"\lfloor {} \rfloor"),
    "ceil": (ceil, r"\left\lceil {} \right\rceil"),
    "abs": (abs, r"\lvert {} \rvert"),
    "max": (max, r"\max({}, {})"),
    "min": (min, r"\min({}, {})"),
}


def called(name: str, one: Text, other: Text) -> Text:
    function, latex = CALLS[name]
    arguments = [one, other][: latex.count("{}")]
    plain = f"{name}({', '.join(argument.plain for argument in arguments)})"
    shown = latex.format(*(argument.latex for argument in arguments))
    return Text(plain, shown, Fraction(function(*(argument.value for argument in arguments))), ATOM)


def larger(inner: st.SearchStrategy[Text]) -> st.SearchStrategy[Text]:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        st.builds(summed, several, st.lists(st.sampled_from("+-"), min_size=2, max_size=2)),
        st.builds(multiplied, inner, inner, st.sampled_from([" * ", "*", " · ", " × "])),
        st.builds(divided, inner, inner),
        st.builds(side_by_side, st.lists(inner, min_size=1, max_size=3), st.none() | numbers),
        st.builds(raised, inner, st.sampled_from([0, 1, 2, 3, -1, -2]), st.sampled_from(["", "²"])),
        st.builds(negated, inner),
        st.builds(called, st.sampled_from(sorted(CALLS)), inner, inner),
    )


formulas = st.recursive(numbers | names, larger, max_leaves=8)


def value(tree: Tree) -> Fraction:
    """Return the value of a tree, computed only with fractions."""
    match tree:
        case Number(value=number):
            return number
        case Name(name=name):
            return NAMES[name]
        case Quantity(amount=amount, unit=unit):
            return value(amount) * UNITS[unit.text]
        case Op("+", terms):
            return sum(map(value, terms), Fraction(0))
        case Op("*", factors):
            return reduce(operator.mul, map(value, factors))
        case Op("-", (inner,)):
            return -value(inner)
        case Op("/", (above, below)):
            return value(above) / value(below)
        case Op("^", (base, exponent)):
            return value(base) ** int(value(exponent))
        case Call(function=function, arguments=arguments):
            return Fraction(CALLS[function][0](*map(value, arguments)))
    raise AssertionError(tree)


@given(formulas)
def test_a_formula_has_the_value_of_what_it_is_built_beside(text: Text) -> None:
    assert value(read_value(text.plain)) == value(read_latex(text.latex)) == text.value


@given(formulas, formulas, formulas, st.sampled_from(sorted(RELATIONS)), st.sampled_from(sorted(RELATIONS)))
def test_a_chain_states_what_it_is_built_beside(one: Text, two: Text, three: Text, left: str, right: str) -> None:
    due = RELATIONS[left](one.value, two.value) and RELATIONS[right](two.value, three.value)
    plain = f"{one.plain} {left} {two.plain} {right} {three.plain}"
    latex = f"{one.latex} {IN_LATEX[left]} {two.latex} {IN_LATEX[right]} {three.latex}"
    for tree in (read(plain), read_latex(latex)):
        assert isinstance(tree, Comparison)
        held = [RELATIONS[link.relations[0]](*map(value, link.operands)) for link in tree.links]
        assert all(held) == due


@given(
    numbers | st.builds(raised, numbers, st.sampled_from([2, 3]), st.just("")), st.sampled_from(sorted(UNITS)), formulas
)
def test_a_quantity_is_so_much_of_its_unit(amount: Text, unit: str, factor: Text) -> None:
    plain = multiplied(factor, Text(f"{amount.plain} {unit}", "", amount.value * UNITS[unit], ATOM), " * ")
    assert value(read_value(plain.plain)) == factor.value * amount.value * UNITS[unit]


@given(formulas, st.booleans())
def test_an_answer_has_the_value_of_what_it_is_built_beside(text: Text, latex: bool) -> None:
    said = f"${text.latex}$" if latex else text.plain
    assert value(read_answer(f"I = {said}", [*NAMES], "intensity").value.node) == text.value
