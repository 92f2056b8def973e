"""Arithmetic on SymPy expressions, node by node: exact, and bounded so that hostile input stays cheap.

Every bound is a constant at the top of this file. Positions are those of the text an expression comes from.
"""

from collections.abc import Sequence
from typing import Any

from sympy import Abs, Add, Expr, Integer, Max, Min, Mul, Pow, Rational, ceiling, floor, log

from roofproof.errors import quoted
from roofproof.formula.reader import MAX_EXPONENT, MAX_EXPONENT_OF
from roofproof.formula.tokens import error_at
from roofproof.ops.notation.logarithm import exp2, log2

MAX_DEPTH = 40  # levels of the expression that is built: SymPy itself recurses, ten Python frames a level
CALL_DEPTH = 8  # levels that a function counts for: SymPy's assumptions take exponential time in these
MAX_PARTS = 2**64  # of the exponent of a power of two that stays as it is written, such as 2^(10570/201)
MAX_BITS = 8_192  # numerator or denominator of any number that arises
MAX_NODES = 20_000
MAX_ARGUMENTS = 32  # of min and max


def most_exponent(base: object) -> int:
    """Return the largest exponent that is read: of 2 and 10, with which large sizes are written, far more.

    >>> most_exponent(Integer(2)), most_exponent(Integer(3))
    (4096, 64)
    """
    return MAX_EXPONENT_OF.get(base, MAX_EXPONENT)


class Arithmetic:
    """Sums, products, powers and functions, each checked against the bounds when it is made.

    >>> arithmetic = Arithmetic()
    >>> arithmetic.raised(Integer(4), Rational(1, 2), 0)
    2
    >>> arithmetic.applied("max", [Integer(2), Integer(3)], 0)
    3
    """

    symbolic_exponents = False  # whether 2^n is an expression

    def __init__(self) -> None:
        self.depth: dict[Expr, int] = {}  # levels of what was built so far
        self.nodes = 0

    def measured(self, value: Expr, position: int) -> Expr:
        """Take in a value from elsewhere: count its nodes and its levels once."""
        if not value.args or value in self.depth:
            return value
        deepest = 0
        todo = [(value, 1)]
        while todo:
            node, level = todo.pop()
            deepest = max(deepest, level)
            self.nodes += 1
            if self.nodes > MAX_NODES:
                raise error_at(position, "the expression has more than <most> nodes", most=MAX_NODES)
            todo.extend((argument, level + 1) for argument in node.args)
        self.depth[value] = deepest
        return value

    def added(self, terms: Sequence[Expr], position: int) -> Expr:
        return self.bounded(Add(*terms), position, terms)

    def negated(self, value: Expr, position: int) -> Expr:
        return self.bounded(Mul(Integer(-1), value), position, [value], levels=0)

    def multiplied(self, factors: Sequence[Expr], position: int) -> Expr:
        return self.bounded(Mul(*factors), position, factors)

    def reciprocal(self, value: Expr, position: int) -> Expr:
        if value.is_zero:
            raise error_at(position, "division by zero")
        return Pow(value, Integer(-1))

    def raised(self, base: Expr, exponent: Expr, position: int) -> Expr:
        if not exponent.is_Rational:
            if self.symbolic_exponents and (base.is_positive or exponent.is_integer) and exponent.is_real:
                return self.bounded(Pow(base, exponent), position, [base, exponent])
            raise error_at(
                position,
                "the exponent <exponent> is no number; exponents are rational numbers",
                exponent=quoted(exponent),
            )
        most = most_exponent(base)
        if exponent.q > 1 and (abs(exponent.p) > most or exponent.q > MAX_EXPONENT):
            if base == 2 and exponent.q < MAX_PARTS and abs(exponent) <= most:  # as thresholds beside log2 are written
                return self.bounded(exp2(exponent), position, [base])
            due = "the exponent <exponent>: expected a fraction of at most <most> over <least>"
            raise error_at(position, due, exponent=quoted(exponent), most=most, least=MAX_EXPONENT)
        if abs(exponent.p) > most:
            raise error_at(position, "the exponent <exponent> exceeds <most>", exponent=quoted(exponent), most=most)
        if base.is_zero and not exponent.is_positive:
            raise error_at(position, "zero to the power <exponent>", exponent=exponent)
        if base.is_negative and exponent.q > 1:  # of odd roots SymPy takes the complex one
            root = "an odd root" if exponent.q % 2 else "an even root"
            raise error_at(position, "<root> of the negative number <base>", root=root, base=quoted(base))
        if base.is_Rational and max(base.p.bit_length(), base.q.bit_length()) * abs(exponent.p) > MAX_BITS:
            raise error_at(position, "a number of more than <most> bits", most=MAX_BITS)
        return self.bounded(Pow(base, exponent), position, [base])

    def applied(self, function: str, arguments: Sequence[Expr], position: int) -> Expr:
        """Apply min, max, sqrt, log2, log, floor, ceil or abs, or a name that SymPy prints for one of them."""
        if function in ("min", "max", "Min", "Max"):
            if len(arguments) > MAX_ARGUMENTS:
                raise error_at(position, "<function> of more than <most> values", function=function, most=MAX_ARGUMENTS)
            value = _extremum(Max if function in ("max", "Max") else Min, arguments)
            return self.bounded(value, position, arguments, CALL_DEPTH)
        if len(arguments) != 1:
            raise error_at(position, "<function> takes one value, not <count>", function=function, count=len(arguments))
        (x,) = arguments
        if function == "sqrt":
            return self.raised(x, Rational(1, 2), position)
        if function in ("log2", "log"):
            if x.is_nonpositive:
                raise error_at(position, "<function> of <x>, which is not positive", function=function, x=quoted(x))
            return self.bounded(log2(x) if function == "log2" else log(x), position, arguments, CALL_DEPTH)
        if x.is_Rational is not True and function in ("abs", "Abs"):
            return self.bounded(_absolute(x), position, arguments, CALL_DEPTH)
        make = {"floor": floor, "ceil": ceiling, "ceiling": ceiling, "abs": Abs, "Abs": Abs}[function]
        return self.bounded(make(x), position, arguments, CALL_DEPTH)

    def bounded(self, value: Expr, position: int, parts: Sequence[Expr], levels: int = 1) -> Expr:
        """Refuse an expression that is too deep, or a number in it that grew beyond the bounds."""
        if value.args:
            depth = levels + max(self.depth.get(part, 0) for part in parts)
            if depth > MAX_DEPTH:
                raise error_at(position, "the expression has more than <most> levels", most=MAX_DEPTH)
            self.depth[value] = depth
        for part in value.args or (value,):
            number = part.exp if part.is_Pow else part
            if number.is_Rational and max(number.p.bit_length(), number.q.bit_length()) > MAX_BITS:
                raise error_at(position, "a number of more than <most> bits", most=MAX_BITS)
        return value


def _absolute(x: Expr) -> Expr:
    if x.is_nonnegative:
        return x
    return Mul(Integer(-1), x) if x.is_nonpositive else Abs(x, evaluate=False)


def _extremum(function: Any, arguments: Sequence[Expr]) -> Expr:
    """Max or Min with its numbers folded; SymPy's own simplification compares all pairs, at length."""
    flat: list[Expr] = []
    for argument in arguments:
        flat.extend(argument.args if isinstance(argument, function) else [argument])
    numbers = [x for x in flat if x.is_Rational]
    rest = list(dict.fromkeys(x for x in flat if not x.is_Rational))
    if numbers:
        rest.append(max(numbers) if function is Max else min(numbers))
    return rest[0] if len(rest) == 1 else function(*rest, evaluate=False)
