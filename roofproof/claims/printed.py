"""Numbers as printed: their digits and unit in a tree, and how they agree with an exact value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from operator import eq, ge, le, lt
from typing import NamedTuple

import sympy

from roofproof.derive.algebra.exact_comparison import floor_of
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.tree import Call, Comparison, Name, Number, Op, Quantity, Tree, is_op, names_in, walk
from roofproof.formula.units import PLAIN, Unit
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByExactValue, Known, Unproved, warranted
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions
from roofproof.sentences import Sentence

ORDER = "order of magnitude"
EXACTLY = "exactly"  # no rounding at all: a mistake must give every digit
NEAREST = "nearest"  # at least two digits, cut off only at the last one written: how close a mistake must come
COARSE = Fraction(1, 100)  # of the value: beyond it, rounding does not excuse a number that a mistake gives exactly
ONE_DIGIT = Fraction(1, 10)  # of the value: the most that a number of one digit may be off

_TEN_TO_THE = re.compile(r"10*e[-+]?[0-9]{1,4}", re.IGNORECASE)
_WHOLE = re.compile("[0-9]{1,4}")
_COMPARED = {"=": eq, ">=": ge, "<=": le, "<": lt}
_TURNED = {"=": "=", ">=": "<=", "<=": ">=", "<": ">"}


# --- a number in a tree ---------------------------------------------------------------------------


class Printed(NamedTuple):
    """The digits of a number, with its powers of ten as an exponent, and the value of the unit they are counted in."""

    digits: str
    unit: Fraction


def printed_number(node: Tree) -> Printed | None:
    """Return the digits and the unit of a printed number, None for anything that has to be computed.

    >>> from roofproof.formula.reader import read_value
    >>> def read(text):
    ...     found = printed_number(read_value(text))
    ...     return found and (found.digits, str(found.unit))
    >>> read("280 ms"), read("3.79 * 10^25"), read("-8.3e-2"), read("24 / (1 second)")
    (('280', '1/1000'), ('3.79e25', '1'), ('-8.3e-2', '1'), ('24', '1'))
    >>> read("10^9 FLOP/s"), read("38 / 10^3"), read("2 x"), read("2 * 3"), read("1/3"), read("140 GB / (1 TB/s)")
    (('1e9', '1'), ('38e-3', '1'), None, None, None, None)

    A printed number has one unit. An expression with two units has to be computed.
    """
    node, sign = (node.args[0], "-") if is_op(node, "-") else (node, "")
    if isinstance(node, Number):
        return Printed(sign + node.text, Fraction(1))
    mantissas: list[str] = []
    power, unit, units = 0, Fraction(1), 0
    for part, side in _factors(node, 1):
        if isinstance(part, Fraction):
            unit, units = unit * part**side, units + 1
        elif isinstance(part, int):
            power += side * part
        elif part and side > 0:
            mantissas.append(part)
        else:
            return None
    if len(mantissas) > 1 or units > 1:
        return None
    digits, _, own = (mantissas or ["1"])[0].lower().partition("e")
    power += int(own or 0)
    return Printed(f"{sign}{digits}e{power}" if power else sign + digits, unit)


def _factors(node: Tree, side: int) -> Iterator[tuple[Fraction | int | str, int]]:
    """Yield the factors of a number, each above or below (1 or -1): units, powers of ten, digits, or ""."""
    match node:
        case Quantity(amount=amount, unit=unit):
            if unit.dimension != PLAIN or unit.factor != 1:  # counted things, such as GPUs, are not a unit
                yield unit.factor, side
            yield from _factors(amount, side) if not (isinstance(amount, Number) and amount.text == "1") else ()
        case Op("*", factors):
            for factor in factors:
                yield from _factors(factor, side)
        case Op("/", (above, below)):
            yield from _factors(above, side)
            yield from _factors(below, -side)
        case Number(text=text) if _TEN_TO_THE.fullmatch(text):
            ones, _, power = text.lower().partition("e")
            yield len(ones) - 1 + int(power), side
        case Number(text=text):
            yield text, side
        case Op("^", (Number(text="10"), Number(text=text))) if _WHOLE.fullmatch(text):
            yield int(text), side
        case Op("^", (Number(text="10"), Op("-", (Number(text=text),)))) if _WHOLE.fullmatch(text):
            yield -int(text), side
        case _:
            yield "", side


def stated_on_right(node: Comparison, let: Mapping[str, Tree]) -> Comparison:
    """Return an equation with the stated or printed side on the right and the computed side on the left.

    >>> from roofproof.formula.reader import read_statement
    >>> from roofproof.formula.printing import to_text
    >>> to_text(stated_on_right(read_statement("240 == ridge(tpu-v5e, bf16)"), {}))
    'ridge("tpu-v5e", bf16) == 240'
    >>> to_text(stated_on_right(read_statement("2 x == x + y"), {}))
    '2 x == x + y'

    A plain number or a bare name is stated. A side that calls a function of the claim language or uses a defined name
    is computed. Of two numbers, the right one is stated: `1 GiB ~= 1.07 GB`.
    """
    return both_orders(node, let)[0]


def both_orders(node: Comparison, let: Mapping[str, Tree]) -> tuple[Comparison, ...]:
    """Return the equation with the stated side on the right. For two numbers, return both orders."""
    turned = replace(node, operands=node.operands[::-1])
    left, right = (_work(side, let) for side in node.operands)
    if left == right and not names_in(node):
        return node, turned
    return (node,) if left >= right else (turned,)


def stated_unit(node: Tree, let: Mapping[str, Tree]) -> Unit | None:
    """Return the unit of the value that a claim states, or None if it states no value with a unit.

    >>> from roofproof.formula.reader import read_statement
    >>> stated_unit(read_statement("time(dot, h100-sxm, hbm) == 17 us"), {}).text
    'us'
    """
    if not isinstance(node, Comparison) or node.relations[1:]:
        return None
    stated = stated_on_right(node, let).operands[1]
    stated = let.get(stated.name, stated) if isinstance(stated, Name) else stated
    return stated.unit if isinstance(stated, Quantity) else None


def both_computed(node: Comparison, let: Mapping[str, Tree]) -> bool:
    """Return whether both sides are computed, as in a claim that two answers agree."""
    return all(_work(side, let) == 3 for side in node.operands)


def _work(node: Tree, let: Mapping[str, Tree]) -> int:
    if printed_number(node) is not None:
        return 0
    if isinstance(node, Name) and node.name not in let:
        return 1
    for part in walk(node):
        if isinstance(part, Call) and part.function not in ARITHMETIC:
            return 3
        if isinstance(part, Name) and part.name in let:
            return 3
    return 2


# --- how digits agree with a value ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a printed number with an exact value: the kind of reading, and the number of digits."""

    reading: str  # "exact", "nearest", "truncated", "within", "order of magnitude"
    digits: int
    claimed: Fraction
    unit: Fraction = Fraction(0)  # place value of the last significant digit, or the share of the value for "within"

    def bounds(self) -> list[tuple[str, Fraction]]:
        """Return the bounds on the magnitude of a value that agrees (for an order of magnitude, on its squared ratio).

        >>> [(sign, str(bound)) for sign, bound in readings("240.2")[1].bounds()]
        [('>=', '4803/20'), ('<=', '961/4')]
        """
        size = abs(self.claimed)
        match self.reading:
            case "exact":
                return [("=", size)]
            case "truncated":
                return [(">=", size), ("<", size + self.unit)]
            case "within":
                return _within(size, self.unit)
            case "nearest":
                low, high = _rounded_to(size, self.unit, self.digits)
                return [(">=", low), ("<=", high), *(_within(size, ONE_DIGIT) if self.digits == 1 else [])]
        return [(">=", Fraction(1, 10)), ("<=", Fraction(10))]

    def holds(self, value: Fraction) -> bool:
        """Return whether a value agrees with the number under this reading.

        >>> [each.holds(Fraction(9850, 41)) for each in readings("240")]                # 240.24...
        [False, True, True]
        """
        if value == self.claimed or self.reading == "exact":
            return value == self.claimed
        size = (value / self.claimed) ** 2 if self.reading == ORDER else abs(value)
        return value * self.claimed > 0 and all(_COMPARED[sign](size, bound) for sign, bound in self.bounds())

    def says(self, value: Term) -> Formula:
        """Return the agreement as a formula about the exact value, in exact numbers.

        >>> from roofproof.proofs.kernel.terms import show
        >>> show(agreement(Fraction(9850, 41), "240.2").says(Term("v", "v")))
        'v >= 4803/20 and 961/4 >= v'
        """
        bounds = self.bounds()
        if self.reading == ORDER:
            value = Term("^", Term("/", value, Term.rational(self.claimed)), 2)
        elif self.claimed < 0:
            bounds = [(_TURNED[sign], -bound) for sign, bound in bounds]
        formulas = [
            Formula(_TURNED[sign], Term.rational(bound), value)
            if sign[0] == "<"
            else Formula(sign, value, Term.rational(bound))
            for sign, bound in bounds
        ]
        return formulas[0] if len(formulas) == 1 else Formula("and", *formulas)

    def is_coarse(self, value: Fraction) -> bool:
        """Return whether one digit or cut-off digits agree, over a percent away: a mistake may explain them better.

        >>> [agreement(v, "300").is_coarse(v) for v in (Fraction(2952, 10), Fraction(299))]
        [True, False]
        >>> [agreement(Fraction(125, 8), printed).is_coarse(Fraction(125, 8)) for printed in ("16", "15")]
        [False, True]

        A number with two or more correctly rounded digits is right, even if a mistake gives the same digits.
        """
        excused = self.reading == "truncated" or (self.reading == "nearest" and self.digits == 1)
        return excused and abs(self.claimed - value) > COARSE * abs(value)

    def __str__(self) -> str:
        if self.reading == "exact":
            return "exact"
        if self.reading == "nearest" and self.digits == 1:
            return "rounded to 1 significant digit"
        if self.reading == "nearest":
            return Sentence("rounded to <count> significant digits", count=self.digits)
        if self.reading == "truncated":
            return Sentence("cut off after <count> significant digits", count=self.digits)
        if self.reading == "within":
            return Sentence("within <share> % of the value", share=self.unit * 100)
        return "the order of magnitude only"


def agreement(value: Fraction, printed: str, tolerance: str = "") -> Agreement | None:
    """Return the strictest reading under which `printed` agrees with the exact value, or None.

    >>> print(agreement(Fraction(9850, 41), "240"))              # 240.24...; the zero is no significant digit
    rounded to 2 significant digits
    >>> print(agreement(Fraction(39400, 9), "4377"))             # 4377.78 is 4378 to the nearest
    cut off after 4 significant digits
    >>> print(agreement(Fraction(9890, 335) * 10, "300"))        # 295.2, 1.6 % away
    rounded to 1 significant digit
    >>> agreement(Fraction(9850, 41), "200") is None             # the nearest, but 17 % away
    True
    >>> print(agreement(Fraction(164, 9), "10", "order of magnitude"))       # 18.2/10 is at most sqrt(10)
    the order of magnitude only

    With two or more significant digits, a number agrees if it is the value rounded or cut off to these digits. With
    one, it agrees if it is the nearest and at most 10 % of the value away. `tolerance`, a share such as "10 %" or
    "order of magnitude", widens that. Trailing zeros of a number without a decimal point are not significant.
    """
    return next((way for way in readings(printed, tolerance) if way.holds(value)), None)


def readings(printed: str, tolerance: str = "") -> list[Agreement]:
    """Return every reading under which a printed number agrees with values, the strictest first.

    >>> [each.reading for each in readings("1.0")], [each.reading for each in readings("300", "10 %")]
    (['exact', 'nearest', 'truncated'], ['exact', 'nearest', 'within'])
    """
    number = Decimal(printed)
    claimed = Fraction(number)
    unit, digits = significant(number, "." in printed)
    found = [Agreement("exact", len(number.as_tuple().digits), claimed)]
    if claimed == 0 or tolerance == EXACTLY:
        return found
    if digits > 1 or tolerance != NEAREST:
        found.append(Agreement("nearest", digits, claimed, unit))
    if digits > 1 and (tolerance != NEAREST or unit == Fraction(10) ** int(number.as_tuple().exponent)):
        found.append(Agreement("truncated", digits, claimed, unit))
    if tolerance == ORDER:
        found.append(Agreement(ORDER, 0, claimed))
    elif tolerance not in ("", NEAREST):
        found.append(Agreement("within", digits, claimed, share_of(tolerance)))
    return found


def off_by_digits(value: sympy.Expr, node: Tree, agreed: Agreement) -> bool:
    """Return whether a printed number agrees with an exact value only coarsely, more than a percent away.

    >>> from roofproof.formula.reader import read_value
    >>> printed, value = read_value("300"), sympy.Rational(1476, 5)
    >>> off_by_digits(value, printed, printed_agreement(value, printed, "~="))
    True
    """
    _, unit = printed_number(node) or ("", Fraction(1))
    return agreed.is_coarse(as_fraction(value) / unit)


def printed_agreement(value: sympy.Expr, node: Tree, relation: str, tolerance: str = "") -> Agreement | None:
    """Return the agreement of a printed number with an exact value, or None if the relation does not allow it.

    >>> from roofproof.formula.reader import read_value
    >>> ridge, printed = sympy.Rational(9850, 41), read_value("240.2")               # 240.24...
    >>> print(printed_agreement(ridge, printed, "=="))
    rounded to 4 significant digits
    >>> twelve, half = read_value("12"), sympy.Rational(25, 2)
    >>> print(printed_agreement(half, twelve, "~="), "|", printed_agreement(half, twelve, "=="))
    rounded to 2 significant digits | None

    With `==`, a decimal must have at least two significant digits, all correct, and an integer must be exact. Any other
    relation allows every reading of the digits, and the tolerance.
    """
    found = printed_number(node)
    if found is None:
        return None
    text, unit = found
    widened = "" if relation == "==" and tolerance not in (NEAREST, EXACTLY) else tolerance
    agreed = agreement(as_fraction(value) / unit, text, widened)
    if agreed is None or relation != "==" or agreed.reading == "exact":
        return agreed
    return agreed if "." in text and agreed.reading == "nearest" and agreed.digits > 1 else None


def known_agreement(value: sympy.Expr, node: Tree, agreed: Agreement) -> Known:
    """Return the known statement that an exact value lies in the interval given by the digits of a printed number.

    >>> from roofproof.formula.reader import read_value
    >>> root, printed = sympy.sqrt(2), read_value("1.4")                            # 1.35^2 < 2 < 1.45^2
    >>> known = known_agreement(root, printed, printed_agreement(root, printed, "~="))
    >>> known.statement.says, known.trust
    ('1.4 for sqrt(2): rounded to 2 significant digits', 'kernel')
    """
    text, unit = printed_number(node) or ("", Fraction(1))
    says = Sentence("<printed> for <value>: <how>", printed=text, value=plain(value), how=str(agreed))
    try:
        term = with_functions(value / sympy.Rational(unit))
    except RoofproofError as outside:
        return Known(Statement(says, (), agreed.says(Term("v", "value"))), Unproved(str(outside)))
    statement = Statement(says, (), agreed.says(term))
    return warranted(statement, ByExactValue({})) or Known(
        statement, Unproved("the values are too close to be told apart")
    )


def as_fraction(value: sympy.Expr) -> Fraction:
    """Return a number as a fraction. An irrational number is cut off after 40 decimal places.

    >>> as_fraction(sympy.sqrt(2)) ** 2 - 2 < 0
    True
    """
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    scale = 10**40
    return Fraction(floor_of(value * scale), scale)


def significant(number: Decimal, pointed: bool) -> tuple[Fraction, int]:
    """Return the place value of the last significant digit, and the number of significant digits."""
    figures = "".join(map(str, number.as_tuple().digits)).lstrip("0") or "0"
    fillers = 0 if pointed else len(figures) - len(figures.rstrip("0"))
    return Fraction(10) ** (int(number.as_tuple().exponent) + fillers), max(1, len(figures) - fillers)


def _rounded_to(claimed: Fraction, unit: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return the least and the greatest magnitude that round to this number.

    >>> [str(bound) for bound in _rounded_to(Fraction(10), Fraction(1, 10), 3)]        # 9.96 is carried to 10.0
    ['199/20', '201/20']
    >>> [str(bound) for bound in _rounded_to(Fraction(100), Fraction(100), 1)]         # 94 to one digit is 90
    ['95', '150']
    """
    finer = digits == 1 and claimed == unit  # just below a power of ten, one-digit numbers are ten times closer
    return claimed - unit / (20 if finer else 2), claimed + unit / 2


def _within(size: Fraction, share: Fraction) -> list[tuple[str, Fraction]]:
    """Return the bounds on a value that differs from a number of this size by at most a share of the value."""
    return [(">=", size / (1 + share)), *([("<=", size / (1 - share))] if share < 1 else [])]


def share_of(tolerance: str) -> Fraction:
    """Return a tolerance such as `10 %` as a number.

    >>> share_of("2.5 %")
    Fraction(1, 40)

    Raises RoofproofError for anything else.
    """
    found = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%", tolerance)
    if found is None:
        raise RoofproofError(
            "tolerance <tolerance>: expected a share such as '10 %', or '<order>'",
            tolerance=quoted(tolerance),
            order=ORDER,
        )
    return Fraction(found[1]) / 100


# --- exact values as text -------------------------------------------------------------------------


def shown(value: sympy.Basic, digits: int = 6) -> str:
    """Return an exact value as text. A fraction or root is followed by its decimal value.

    >>> shown(sympy.Rational(9850, 41)), shown(sympy.Integer(3)), shown(sympy.Rational(1, 4))
    ('9850/41 (240.244)', '3', '0.25')
    >>> shown(sympy.Integer(2039 * 10**9))
    '2.039e12'
    """
    if not isinstance(value, sympy.Expr) or not value.is_number or value.is_infinite:
        return plain(value)
    if value.is_Integer:
        text = str(value)
        figures = text.rstrip("0")
        if len(text) > 7 and len(figures) < len(text) - 3:  # 2039000000000 is easier to read as 2.039e12
            sign, figures = ("-", figures[1:]) if value < 0 else ("", figures)
            return f"{sign}{figures[0]}{'.' + figures[1:] if len(figures) > 1 else ''}e{len(text.lstrip('-')) - 1}"
        return text
    context = Context(prec=digits)
    exact = Decimal(floor_of(value * 10**40)).scaleb(-40)
    if value.is_Rational:
        quotient = context.divide(Decimal(int(value.p)), Decimal(int(value.q)))
        if quotient * int(value.q) == int(value.p):
            return f"{quotient.normalize():f}"
    return f"{plain(value)} ({context.plus(exact):g})"


def decimal(value: sympy.Rational, digits: int) -> str:
    """Return a number as a decimal with so many significant digits, without an exponent if it is short.

    >>> decimal(sympy.Rational(6145, 2048), 5), decimal(sympy.Integer(8), 5)
    ('3.0005', '8')
    """
    quotient = Context(prec=digits).divide(Decimal(int(value.p)), Decimal(int(value.q))).normalize()
    return f"{quotient:f}" if abs(quotient.adjusted()) < 2 * digits else f"{quotient:g}"
