"""Trees to SymPy, node by node: exact, and bounded so that hostile input stays cheap.

Every bound is a constant at the top of this file. Positions refer to the text that a tree was read from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import sympy
from sympy import Abs, Add, Expr, Integer, Max, Min, Mul, Pow, Rational, ceiling, floor, log
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, Undecided, quoted, unknown
from roofproof.formula.conditions import TURNED, divisor_of
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.logarithm import exp2, log2
from roofproof.formula.plain import PlainReader
from roofproof.formula.reader import MAX_EXPONENT, MAX_EXPONENT_OF
from roofproof.formula.tokens import error_at, tokens
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Number,
    Op,
    Quantity,
    Tree,
    flat,
    is_statement,
    literal,
)
from roofproof.symbols import dimension, quantity

Names = Callable[[str], Expr] | Mapping[str, Expr]
Functions = Mapping[str, Callable[[Call], Any]]
"""The meaning of calls: an expression, or a condition if the function states something."""
NO_FUNCTIONS: Functions = MappingProxyType({})

_RELATIONS = {"==": sympy.Eq, "!=": sympy.Ne, "<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge}

MAX_DEPTH = 40  # levels of the expression that is built: SymPy itself recurses, ten Python frames per level
CALL_DEPTH = 8  # levels that a function counts for, since SymPy's assumptions take exponential time in them
MAX_PARTS = 2**64  # limit for the denominator of the exponent of a power of two kept as written, such as 2^(10570/201)
MAX_BITS = 8_192  # of the numerator or denominator of any number
MAX_NODES = 20_000
MAX_ARGUMENTS = 32  # of min and max


def parse_expression(text: str, names: Names = quantity) -> Expr:
    """Return the exact SymPy expression of a text in the field's notation.

    >>> parse_expression("2 B D F / (B D + D F)")
    2*B*D*F/(B*D + D*F)
    >>> parse_expression("1.97e14 / 8.2e11")                   # 197/0.82, exactly
    9850/41

    `names` gives the value of a name (a function or a mapping). By default, names are positive reals. Raises
    RoofproofError with the column for text that is not an expression, is ambiguous (`1/2 B`), or exceeds the bounds at
    the top of this file.
    """
    known = () if callable(names) else names.keys()
    return to_sympy(PlainReader(text, tokens(text, "an expression"), known).parse_all(), names)


def to_sympy(tree: Tree, names: Names = quantity, *, symbolic_exponents: bool = False) -> Expr:
    """Return the exact SymPy expression of a value of plain arithmetic. See `parse_expression`.

    >>> from roofproof.formula.reader import read_value
    >>> to_sympy(read_value("2^n"), dimension, symbolic_exponents=True)
    2**n
    """
    return Translation(names, symbolic_exponents=symbolic_exponents).value(tree)


def to_value(tree: Tree, names: Names = quantity, functions: Functions = NO_FUNCTIONS) -> Expr:
    """Return the exact SymPy expression of a value of the language, with quantities in FLOP, byte and second.

    >>> from roofproof.formula.reader import read_value
    >>> to_value(read_value("2 B D + 1.5"))
    2*B*D + 3/2
    >>> to_value(read_value("14 GB / (50 GB/s)"))         # 14e9 / 50e9 s
    7/25

    `names` gives the value of a name, and `functions` the meaning of calls other than arithmetic. Raises RoofproofError
    with the column for a call that is not in `functions` and for an expression without a value.
    """
    value = Translation(names, functions, symbolic_exponents=True).value(tree)
    if value.has(sympy.nan, sympy.zoo):
        raise error_at(tree.span[0], "the value is not defined (division by zero, or infinity less infinity)")
    return value


def to_conditions(tree: Tree, names: Names = dimension) -> tuple[Boolean, ...]:
    """Return the SymPy conditions of a statement about sizes, as written. A chain gives several.

    >>> from roofproof.formula.conditions import read_conditions
    >>> [condition] = read_conditions("128 divides D").conditions
    >>> to_conditions(condition)
    (Eq(Mod(D, 128), 0),)
    """
    if (found := divisor_of(tree)) is not None:
        divisor, whole = (to_sympy(part, names) for part in found[:2])
        return (sympy.Eq(sympy.Mod(whole, divisor), found[2], evaluate=False),)
    match tree:
        case Comparison(relations=relations) if _RELATIONS.keys() >= {*relations}:
            links = [part for link in tree.links for part in _without_rounding(link, names).links]
            return tuple(_relation(link, names) for link in links)
        case Op("or" | "and" as head, args):
            parts = [joined(sympy.And, to_conditions(part, names)) for part in args]
            return (joined(sympy.Or if head == "or" else sympy.And, parts),)
        case Op("=>", (premise, conclusion)):
            return to_conditions(Op("or", (_not(premise), conclusion)), names)
        case Op("<=>", args):  # all of them, or none
            return to_conditions(Op("or", (Op("and", args), Op("and", tuple(map(_not, args))))), names)
        case Op("not", (Comparison(relations=(_,)) as inner,)) if _without_rounding(inner, names) == inner:
            return (sympy.Not(joined(sympy.And, to_conditions(inner, names))),)
        case Op("not", (Comparison(relations=(_,)) as inner,)):
            return to_conditions(Op("not", (_without_rounding(inner, names),)), names)
        case Op("not", (inner,)) if (denied := _denied(inner)) is not None:
            return to_conditions(denied, names)
    raise error_at(tree.span[0], "a condition uses == != < <= > >=")


def _denied(tree: Tree) -> Tree | None:
    """Return the negation of a statement, with `not` before its parts, or None if it has no such form."""
    match tree:
        case Op("not", (inner,)):
            return inner
        case Op("=>", (premise, conclusion)):
            return Op("and", (premise, _not(conclusion)))
        case Op("<=>", args):
            return Op("and", (Op("or", args), Op("or", tuple(map(_not, args)))))
        case Op("and" | "or" as head, args):
            return Op("or" if head == "and" else "and", tuple(map(_not, args)))
        case Comparison():
            return Op("or", tuple(map(_not, tree.links)))
    return None


def _without_rounding(link: Comparison, names: Names) -> Comparison:
    """Return `floor(D/128) == 8` as `8 <= D/128 < 9`, and likewise for other comparisons of rounded values."""
    (left, right), (relation,) = link.operands, link.relations
    if not isinstance(left, Call):
        left, right, relation = right, left, TURNED.get(relation, "")
    if not isinstance(left, Call) or left.function not in ("floor", "ceil") or not to_sympy(right, names).is_integer:
        return link
    [inner], one = left.arguments, literal(1)
    if left.function == "floor":
        after = flat("+", (right, one))
        sides = {"==": (right, "<=", inner, "<", after), ">=": (inner, ">=", right), ">": (inner, ">=", after),
                 "<": (inner, "<", right), "<=": (inner, "<", after)}  # fmt: skip
    else:
        before = flat("+", (right, Op("-", (one,))))
        sides = {"==": (before, "<", inner, "<=", right), ">=": (inner, ">", before), ">": (inner, ">", right),
                 "<": (inner, "<=", before), "<=": (inner, "<=", right)}  # fmt: skip
    found: Any = sides.get(relation)
    return Comparison(found[::2], found[1::2], span=link.span) if found else link


def _not(tree: Tree) -> Tree:
    return Op("not", (tree,), span=tree.span)


def _relation(link: Comparison, names: Names) -> Boolean:
    left, right = (to_sympy(operand, names) for operand in link.operands)
    return _RELATIONS[link.relations[0]](left, right, evaluate=False)


def joined(kind: Any, parts: Sequence[Boolean]) -> Boolean:
    """Return conditions joined, without the simplifications of SymPy's own constructors.

    >>> x = sympy.Symbol("x")
    >>> joined(sympy.And, [x > 1, x <= 1])
    (x > 1) & (x <= 1)
    """
    return parts[0] if len(parts) == 1 else sympy.Basic.__new__(kind, *parts)


class Arithmetic:
    """Sums, products, powers and functions, each checked against the bounds when it is built.

    >>> arithmetic = Arithmetic()
    >>> arithmetic.raised(Integer(4), Rational(1, 2), 0)
    2
    >>> arithmetic.applied("max", [Integer(2), Integer(3)], 0)
    3
    """

    symbolic_exponents = False  # whether 2^n is allowed

    def __init__(self) -> None:
        self.depth: dict[Expr, int] = {}  # levels of each expression built so far
        self.nodes = 0

    def measured(self, value: Expr, position: int) -> Expr:
        """Return a value from elsewhere, after counting its nodes and its levels once."""
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
        most = MAX_EXPONENT_OF.get(base, MAX_EXPONENT)
        if not exponent.is_Rational:
            if base.is_Rational:  # in 2^(10^9 + n), SymPy splits off and evaluates 2^(10^9)
                content, rest = exponent.as_content_primitive()
                fixed = content * rest.as_coeff_Add()[0]
                if fixed.is_Rational and abs(fixed) > most:
                    said = "the exponent <exponent> exceeds <most>"
                    raise error_at(position, said, exponent=quoted(fixed, 20), most=most)
            if self.symbolic_exponents and (base.is_positive or exponent.is_integer) and exponent.is_extended_real:
                return self.bounded(Pow(base, exponent), position, [base, exponent])
            raise error_at(
                position,
                "the exponent <exponent> is not a number; exponents are rational numbers",
                exponent=quoted(exponent),
            )
        if exponent.q > 1 and (abs(exponent.p) > most or exponent.q > MAX_EXPONENT):
            if base == 2 and exponent.q < MAX_PARTS and abs(exponent) <= most:  # thresholds with log2 have this form
                return self.bounded(exp2(exponent), position, [base])
            due = "the exponent <exponent>: expected a fraction of at most <most> over <least>"
            raise error_at(position, due, exponent=quoted(exponent), most=most, least=MAX_EXPONENT)
        if abs(exponent.p) > most:
            raise error_at(position, "the exponent <exponent> exceeds <most>", exponent=quoted(exponent), most=most)
        if base.is_zero and not exponent.is_positive:
            raise error_at(position, "zero to the power <exponent>", exponent=exponent)
        if base.is_negative and exponent.q > 1:  # for an odd root, SymPy takes the complex one
            root = "an odd root" if exponent.q % 2 else "an even root"
            raise error_at(position, "<root> of the negative number <base>", root=root, base=quoted(base))
        if base.is_Rational and max(base.p.bit_length(), base.q.bit_length()) * abs(exponent.p) > MAX_BITS:
            raise error_at(position, "a number of more than <most> bits", most=MAX_BITS)
        return self.bounded(Pow(base, exponent), position, [base])

    def applied(self, function: str, arguments: Sequence[Expr], position: int) -> Expr:
        """Apply min, max, sqrt, log2, log, floor, ceil or abs."""
        if function in ("min", "max"):
            if len(arguments) > MAX_ARGUMENTS:
                raise error_at(position, "<function> of more than <most> values", function=function, most=MAX_ARGUMENTS)
            value = _extremum(Max if function == "max" else Min, arguments)
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
        if x.is_Rational is not True and function == "abs":
            return self.bounded(_absolute(x), position, arguments, CALL_DEPTH)
        make = {"floor": floor, "ceil": ceiling, "abs": Abs}[function]
        return self.bounded(make(x), position, arguments, CALL_DEPTH)

    def bounded(self, value: Expr, position: int, parts: Sequence[Expr], levels: int = 1) -> Expr:
        """Return an expression, and refuse one that is too deep or has a number beyond the bounds."""
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
    """Return Max or Min with its numbers folded, since SymPy's own simplification slowly compares all pairs."""
    flat: list[Expr] = []
    for argument in arguments:
        flat.extend(argument.args if isinstance(argument, function) else [argument])
    numbers = [x for x in flat if x.is_Rational]
    rest = list(dict.fromkeys(x for x in flat if not x.is_Rational))
    if numbers:
        rest.append(max(numbers) if function is Max else min(numbers))
    return rest[0] if len(rest) == 1 else function(*rest, evaluate=False)


class Translation(Arithmetic):
    """The value of each kind of node. Without `functions`, only numbers, names and plain arithmetic have one."""

    def __init__(self, names: Names, functions: Functions | None = None, *, symbolic_exponents: bool = False) -> None:
        super().__init__()
        self.names, self.functions, self.symbolic_exponents = names, functions, symbolic_exponents

    def value(self, tree: Tree) -> Expr:
        at = tree.span[0]
        match tree:
            case Number(value=value):
                return Rational(value)
            case Name(name=name):
                return self.measured(self.named(name, at), at)
            case Op("+", args):
                return self.added([self.value(term) for term in args], at)
            case Op("-", (inner,)):
                return self.negated(self.value(inner), at)
            case Op("*", args):
                return self.multiplied([self.value(factor) for factor in args], at)
            case Op("/", (above, below)):
                top, bottom = self.value(above), self.value(below)
                return self.bounded(Mul(top, self.reciprocal(bottom, below.span[0])), at, [top, bottom])
            case Op("^", (base, exponent)):
                return self.raised(self.value(base), self.value(exponent), at)
            case Call(function=function, arguments=arguments) if function in ARITHMETIC:
                return self.applied(function, [self.value(argument) for argument in arguments], at)
            case Quantity(amount=amount, unit=unit) if self.functions is not None:
                return self.multiplied([self.value(amount), Rational(unit.factor)], at)
            case Constant(name=name) if self.functions is not None:
                return sympy.oo if name == "oo" else sympy.pi
            case Call() if self.functions is not None and not is_statement(tree):
                return self.measured(called(tree, self.functions), at)
            case Quantity(unit=unit):
                said = "<name> is a unit; an amount is a number of FLOPs or bytes, such as 16e6, or a formula of sizes"
                raise error_at(at, said, name=quoted(unit.text))
            case Constant(name=name):
                raise error_at(at, "<name> is not a size", name=quoted(name))
        raise error_at(at, "expected a value, got a proposition" if is_statement(tree) else "expected a value")

    def named(self, name: str, at: int) -> Expr:
        if not callable(self.names) and name not in self.names:
            raise error_at(at, unknown("name", name, self.names).said)
        try:
            return self.names(name) if callable(self.names) else self.names[name]
        except Undecided:
            raise
        except RoofproofError as problem:
            if self.functions is None:
                raise error_at(at, problem.said) from None
            raise error_at(at, "<name>: <problem>", name=name, problem=problem) from None


def called(call: Call, functions: Functions) -> Any:
    """Return the result of a function for a call. An error in it names the column."""
    if call.function not in functions:
        raise error_at(call.span[0], "<function> is not available here", function=call.function)
    try:
        return functions[call.function](call)
    except Undecided:
        raise
    except RoofproofError as problem:
        if str(problem).startswith("column "):
            raise
        raise error_at(call.span[0], problem.said) from None
