"""Numbers as printed in a claim: does an exact value agree with the digits somebody wrote?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import sympy

from roofproof.claims.numbers.printed import printed_number
from roofproof.derive.algebra.exact_comparison import floor_of
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.tree import Tree
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByExactValue, Known, Open, warranted
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions
from roofproof.sentences import Sentence

ORDER = "order of magnitude"
EXACTLY = "exactly"  # no rounding at all: what a slip gives to the last digit
NEAREST = "nearest"  # two digits at least, cut off only at the last one written: how close a slip must come
COARSE = Fraction(1, 100)  # of the value: beyond it digits are no excuse for what a slip gives exactly
ONE_DIGIT = Fraction(1, 10)  # of the value: as far as one digit may be off
_number = Term.rational


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a printed number agrees with the exact value: by which reading, to how many significant digits."""

    reading: str  # "exact", "nearest", "truncated", "within", "order of magnitude"
    digits: int
    claimed: Fraction
    unit: Fraction = Fraction(0)  # the place value of the last significant digit; for "within" the share of the value

    def says(self, value: Term) -> Formula:
        """Return the agreement as a formula about the exact value, in exact numbers.

        >>> from roofproof.proofs.kernel.terms import show
        >>> show(agreement(Fraction(9850, 41), "240.2").says(Term("v", "v")))
        'v >= 4803/20 and 961/4 >= v'
        """
        c, u = self.claimed, self.unit
        if self.reading == "exact":
            return Formula("=", value, _number(c))
        if self.reading == "truncated" and c > 0:
            return Formula("and", Formula(">=", value, _number(c)), Formula(">", _number(c + u), value))
        if self.reading == "truncated":
            return Formula("and", Formula(">=", _number(c), value), Formula(">", value, _number(c - u)))
        if self.reading == ORDER:
            return Formula("and", *_between(Fraction(1, 10), Term("^", Term("/", value, _number(c)), 2), Fraction(10)))
        bounds: tuple[Formula, ...] = ()
        if self.reading == "nearest":
            low, high = sorted(m if c > 0 else -m for m in _rounded_to(abs(c), u, self.digits))
            bounds = _between(low, value, high)
        if self.reading == "within" or self.digits == 1:
            share = u if self.reading == "within" else ONE_DIGIT
            low, high = sorted((c / (1 + share), c / (1 - share)))
            bounds += _between(low, value, high)
        return Formula("and", *bounds)

    def is_coarse(self, value: Fraction) -> bool:
        """Tell whether one digit, or digits cut off, make them agree, more than a percent apart: a slip may do better.

        >>> [agreement(v, "300").is_coarse(v) for v in (Fraction(2952, 10), Fraction(299))]
        [True, False]
        >>> [agreement(Fraction(125, 8), printed).is_coarse(Fraction(125, 8)) for printed in ("16", "15")]
        [False, True]

        A value rounded to the two digits or more that are written is what it should be, whatever else gives them.
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

    With two significant digits or more a number agrees when it is the value rounded or cut off to these; with one
    when it is the nearest and at most 10 % of the value away. `tolerance` is a share such as "10 %", or
    "order of magnitude", and widens that. Zeros at the end of a number without a point are no significant digits.
    """
    number = Decimal(printed)
    claimed = Fraction(number)
    if claimed == value:
        return Agreement("exact", len(number.as_tuple().digits), claimed)
    if tolerance == EXACTLY or claimed == 0 or value == 0 or (claimed > 0) != (value > 0):
        return None
    unit, digits = significant(number, "." in printed)
    off = abs(value) - abs(claimed)
    low, high = _rounded_to(abs(claimed), unit, digits)
    nearest = low <= abs(value) <= high
    if digits > 1 and nearest:
        return Agreement("nearest", digits, claimed, unit)
    in_full = unit == Fraction(10) ** int(number.as_tuple().exponent)
    if digits > 1 and 0 <= off < unit and (in_full or tolerance != NEAREST):
        return Agreement("truncated", digits, claimed, unit)
    if tolerance == NEAREST:
        return None
    if digits == 1 and nearest and abs(off) <= ONE_DIGIT * abs(value):
        return Agreement("nearest", digits, claimed, unit)
    if tolerance == ORDER:
        return Agreement(ORDER, 0, claimed) if Fraction(1, 10) <= (value / claimed) ** 2 <= 10 else None
    if tolerance and abs(off) <= (share := share_of(tolerance)) * abs(value):
        return Agreement("within", digits, claimed, share)
    return None


def readings(printed: str, tolerance: str = "") -> list[Agreement]:
    """Return every reading under which a printed number agrees with values, as `agreement` has them.

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
    """Tell whether a printed number agrees with an exact value by its digits only, more than a percent away.

    >>> from roofproof.formula.reader import read_value
    >>> printed, value = read_value("300"), sympy.Rational(1476, 5)
    >>> off_by_digits(value, printed, printed_agreement(value, printed, "~="))
    True
    """
    _, unit = printed_number(node) or ("", Fraction(1))
    return agreed.is_coarse(as_fraction(value) / unit)


def printed_agreement(value: sympy.Expr, node: Tree, relation: str, tolerance: str = "") -> Agreement | None:
    """Return the agreement of a printed number with an exact value that the relation allows.

    >>> from roofproof.formula.reader import read_value
    >>> ridge, printed = sympy.Rational(9850, 41), read_value("240.2")               # 240.24...
    >>> print(printed_agreement(ridge, printed, "=="))
    rounded to 4 significant digits
    >>> twelve, half = read_value("12"), sympy.Rational(25, 2)
    >>> print(printed_agreement(half, twelve, "~="), "|", printed_agreement(half, twelve, "=="))
    rounded to 2 significant digits | None

    What is said to be equal is a decimal with every digit right, two at least; a whole number without a point is
    that number. Any other relation takes every reading of the digits, and the tolerance.
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
    """Return, as known, that an exact value lies where the digits of a printed number say.

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
        return Known(Statement(says, (), agreed.says(Term("v", "value"))), Open(str(outside)))
    statement = Statement(says, (), agreed.says(term))
    return warranted(statement, ByExactValue({})) or Known(statement, Open("the values are too close to be told apart"))


def as_fraction(value: sympy.Expr) -> Fraction:
    """Return a number as a fraction, an irrational one cut off far beyond the digits that anybody prints.

    >>> as_fraction(sympy.sqrt(2)) ** 2 - 2 < 0
    True
    """
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    scale = 10**40
    return Fraction(floor_of(value * scale), scale)


def significant(number: Decimal, pointed: bool) -> tuple[Fraction, int]:
    """Return the place value of the last significant digit, and how many there are."""
    figures = "".join(map(str, number.as_tuple().digits)).lstrip("0") or "0"
    fillers = 0 if pointed else len(figures) - len(figures.rstrip("0"))
    return Fraction(10) ** (int(number.as_tuple().exponent) + fillers), max(1, len(figures) - fillers)


def _rounded_to(claimed: Fraction, unit: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return between which magnitudes a value is rounded to the last place of this number.

    >>> [str(bound) for bound in _rounded_to(Fraction(10), Fraction(1, 10), 3)]        # 9.96 is carried to 10.0
    ['199/20', '201/20']
    >>> [str(bound) for bound in _rounded_to(Fraction(100), Fraction(100), 1)]         # 94 to one digit is 90
    ['95', '150']
    """
    finer = digits == 1 and claimed == unit  # one-digit numbers below a power of ten lie closer
    return claimed - unit / (20 if finer else 2), claimed + unit / 2


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


def _between(low: Fraction, value: Term, high: Fraction) -> tuple[Formula, ...]:
    return Formula(">=", value, _number(low)), Formula(">=", _number(high), value)
