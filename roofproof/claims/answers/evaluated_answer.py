"""An evaluated answer: a relation and a value in the units of the question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

import sympy

from roofproof.claims.answers.parsed import Answer, Link
from roofproof.claims.answers.question import SOLVED, Question
from roofproof.derive.inequalities.cases import substitute
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import exp2
from roofproof.formula.to_sympy import to_value
from roofproof.formula.tree import Number, walk
from roofproof.formula.units import BYTE, FLOP, PLAIN, SECOND, Dimension, per, unit_of
from roofproof.ops.roles import role_of, roles

MAX_DEGREE = 24  # of a formula, as expanding a larger one takes too long
UNITS = {"flops": FLOP, "time": SECOND, **dict.fromkeys(("bytes", "memory"), BYTE),
         **dict.fromkeys(("intensity", "ridge"), per(FLOP, BYTE))}  # fmt: skip
_OF_CHIPS = {"chips"}, {"heads", "heads a group"}, {"layers", "experts", "experts a token"}
COUNTED = {  # the roles of the sizes that a word may count
    "chips": _OF_CHIPS[0], "heads": _OF_CHIPS[1], "elements": {*roles()}.difference(*_OF_CHIPS),
    "things": {"batch", "tokens", "sequence", "window", "block", "chunk", "images", "size"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class EvaluatedAnswer:
    """A relation and a value, with the digits as written (`printed`) for a plain number.

    `factor` is the factor of the unit of the digits. `low` is a lower bound, which is included if `from_low`. With
    `decimal`, the formula contains a number with a decimal point or a power of ten. With `turned`, the digits are those
    of the reciprocal of the value.
    """

    relation: str
    value: sympy.Expr
    printed: str | None = None
    factor: Fraction = Fraction(1)
    low: sympy.Expr | None = None
    decimal: bool = False
    from_low: bool = False
    turned: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the value is a rational number."""
        return bool(self.value.is_Rational)

    @property
    def is_bare(self) -> bool:
        """Whether the answer is a plain value, not a bound."""
        return self.low is None and self.relation in "=≈"


def evaluate_last_value(answer: Answer, asked: Question) -> EvaluatedAnswer:
    """Evaluate the last value of an answer, and its lower bound if it has one."""
    link, below = answer.value, answer.below
    return EvaluatedAnswer(
        answer.relation,
        value_of(link, asked),
        link.printed,
        link.unit.factor if link.unit else Fraction(1),
        None if below is None else value_of(below[1], asked),
        is_decimal(link),
        below is not None and below[0] == ">=",
        is_reciprocal(link, asked),
    )


def is_decimal(link: Link) -> bool:
    """Return whether a value contains a number with a decimal point or a power of ten."""
    return any(isinstance(n, Number) and not {*".e"}.isdisjoint(n.text) for n in walk(link.node))


def rational(value: sympy.Expr) -> Fraction:
    """Return a number as a fraction. An irrational number is rounded to 60 digits, more than is ever printed."""
    near = value if value.is_Rational else sympy.Rational(str(sympy.N(value, 60)))  # float: only compared with digits
    return Fraction(int(near.p), int(near.q))


def value_of(link: Link, asked: Question) -> sympy.Expr:
    """Return a value in base units, with the given sizes substituted.

    Raises RoofproofError for a formula that takes too long to expand.
    """
    value = to_value(link.node, asked.symbols.__getitem__)
    value = value.replace(lambda p: p.is_Pow and p.base == 2 and p.exp.free_symbols, lambda p: exp2(p.exp))
    if _degree(value) > MAX_DEGREE:
        raise RoofproofError("the degree of the formula is too high; the limit is <most>", most=MAX_DEGREE)
    for extreme in (sympy.Max, sympy.Min):  # expanded products can be compared
        value = value.replace(extreme, lambda *args, of=extreme: of(*map(sympy.expand, args)))
    if link.unit is not None:
        value *= sympy.Rational(link.unit.factor)
        value = 1 / value if is_reciprocal(link, asked) and value != 0 else value
    return substitute(value, {n: size for n, size in asked.at.items() if n != asked.unknown})


def _degree(value: sympy.Expr) -> int:
    """Return a bound on the degree of a formula. A power with an exponent that is not rational is not expanded.

    >>> n, B = sympy.symbols("n B", positive=True)
    >>> _degree(n**3 * (1 - 1 / n) ** 2), _degree(n * (1 - 1 / n) ** B), _degree(2 ** sympy.sqrt(3))     # 3 + 2, 1 + 1
    (5, 2, 0)
    """
    if value.is_Pow and value.exp.is_Rational:
        power: int = ceil(abs(value.exp))
        return _degree(value.base) * power
    if isinstance(value, sympy.Pow | exp2) and not _is_worked_out(value):
        return MAX_DEGREE + 1
    if value.is_Mul:
        return sum(map(_degree, value.args))
    return max(map(_degree, value.args), default=int(value.is_Symbol))


def _is_worked_out(power: sympy.Expr) -> bool:
    """Return whether a power has few digits for small sizes, unlike a tower of powers."""
    exponent = power.args[-1]
    if any(inner.args[-1].free_symbols for inner in exponent.atoms(sympy.Pow, exp2)):
        return False
    if isinstance(power, exp2):
        return True
    if not exponent.free_symbols:
        return bool(power.base.is_number or abs(exponent) <= MAX_DEGREE)
    at_one = exponent.subs(dict.fromkeys(exponent.free_symbols, 1))
    return bool(_degree(exponent) <= 2 and abs(at_one) <= MAX_DEGREE)


def wanted_unit(asked: Question) -> Dimension:
    """Return the dimension of the quantity asked for. A message size is in bytes."""
    return UNITS.get(asked.asks, PLAIN) if asked.against is None else BYTE


def has_wrong_unit(link: Link, asked: Question) -> bool:
    """Return whether a value has the unit of another quantity, or a unit that counts things, such as bytes/token."""
    if link.unit is None or link.unit.text == "%":
        return False
    if PLAIN in {u.dimension for word in link.unit.text.split("/") if (u := unit_of(word)) is not None}:
        return True
    return link.unit.dimension != wanted_unit(asked) and not is_reciprocal(link, asked)


def is_reciprocal(link: Link, asked: Question) -> bool:
    """Return whether a value is in bytes per FLOP, but the question asks for FLOPs per byte."""
    return link.unit is not None and asked.asks in ("intensity", "ridge") and link.unit.dimension == per(BYTE, FLOP)


def is_counted(word: str, asked: Question) -> bool:
    """Return whether a word such as tokens or chips counts the unknown. Bytes, FLOPs and times are not counts."""
    if asked.unknown is None or asked.against is not None or asked.asks not in SOLVED:
        return False
    return word == "any" or role_of(asked.op, asked.unknown).name in COUNTED[word]


def one_sided(said: EvaluatedAnswer, printed: str | None, bare: str) -> EvaluatedAnswer:
    """Return a chain reduced to its lower bound if `bare` is `above`, to its upper bound if it is `below`."""
    if bare == "above" and said.low is not None:
        return EvaluatedAnswer(">=" if said.from_low else ">", said.low, printed, decimal=said.decimal)
    return replace(said, low=None, from_low=False) if bare == "below" else said
