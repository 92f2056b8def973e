"""Trees turned into SymPy expressions and conditions, exactly and with nothing decided on the way.

Arithmetic is done here; what the engine has to say (flops, ridge, limit, ...) comes from a table of callbacks.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import Iff
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.to_sympy import Arithmetic, Names
from roofproof.formula.tokens import error_at
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Number,
    Op,
    Quantified,
    Quantity,
    Tree,
    is_op,
    is_statement,
)
from roofproof.symbols import quantity

Callback = Callable[[Call], Any]
"""What a call means: an expression, or a condition where the function is a proposition."""

_RELATIONS = {"==": sympy.Eq, "!=": sympy.Ne, "<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge}
_JOINING = {"and": sympy.And, "or": sympy.Or, "=>": sympy.Implies, "<=>": Iff}


def to_sympy(node: Tree, names: Names = quantity, functions: Mapping[str, Callback] | None = None) -> sympy.Expr:
    """Return the exact SymPy expression of a value; quantities are in FLOP, byte and second.

    >>> from roofproof.formula.reader import read_value
    >>> to_sympy(read_value("2 B D + 1.5"))
    2*B*D + 3/2
    >>> to_sympy(read_value("14 GB / (50 GB/s)"))         # 14e9 / 50e9 s
    7/25

    `names` gives the value of a name, `functions` what calls other than arithmetic mean.
    Raises RoofproofError with the column for a call that is not in `functions` and for what has no value.
    """
    value = _Translation(names, functions or {}).value(node)
    if value.has(sympy.nan, sympy.zoo):
        raise error_at(node.span[0], "the value is not defined (division by zero, or infinity less infinity)")
    return value


def to_relation(node: Tree, names: Names = quantity, functions: Mapping[str, Callback] | None = None) -> Relational:
    """Return the SymPy relation of a comparison with one link, neither decided nor turned around.

    >>> from roofproof.formula.reader import read_statement
    >>> to_relation(read_statement("B > -1"))
    B > -1
    """
    if not isinstance(node, Comparison) or len(node.relations) != 1:
        raise error_at(node.span[0], "expected a comparison of two values")
    (relation,) = node.relations
    if relation not in _RELATIONS:
        raise error_at(
            node.span[0],
            "<relation> is no condition between numbers; expected == != < <= > >=",
            relation=quoted(relation),
        )
    left, right = (to_sympy(operand, names, functions) for operand in node.operands)
    return _RELATIONS[relation](left, right, evaluate=False)


def to_boolean(node: Tree, names: Names = quantity, functions: Mapping[str, Callback] | None = None) -> Boolean:
    """Return the SymPy condition of a proposition as it was written; SymPy decides and reorders nothing.

    >>> from roofproof.formula.reader import read_statement
    >>> to_boolean(read_statement("x < 1 and x >= 1"))
    (x < 1) & (x >= 1)

    Chains become conjunctions. Raises RoofproofError for ~= and ->, which are not conditions between numbers.
    """
    if isinstance(node, Comparison):
        return joined(sympy.And, [to_relation(link, names, functions) for link in node.links])
    if is_op(node, "not"):
        return sympy.Not(to_boolean(node.args[0], names, functions), evaluate=False)
    if isinstance(node, Op) and node.head in _JOINING:
        return joined(_JOINING[node.head], [to_boolean(part, names, functions) for part in node.parts])
    if isinstance(node, Call) and is_statement(node):
        return _Translation(names, functions or {}).called(node)
    if isinstance(node, Quantified):
        raise error_at(
            node.span[0], "<quantifier> stands in what a claim says, not in a call", quantifier=quoted(node.quantifier)
        )
    raise error_at(node.span[0], "expected a proposition, got a value")


def joined(kind: Any, parts: list[Boolean]) -> Boolean:
    """Return conditions joined, without the simplifications of SymPy's own constructors.

    >>> x = sympy.Symbol("x")
    >>> joined(sympy.And, [x > 1, x <= 1])
    (x > 1) & (x <= 1)
    """
    if len(parts) == 1:
        return parts[0]
    return sympy.Basic.__new__(kind, *parts)


class _Translation(Arithmetic):
    symbolic_exponents = True

    def __init__(self, names: Names, functions: Mapping[str, Callback]) -> None:
        super().__init__()
        self.names = names
        self.functions = functions

    def value(self, node: Tree) -> sympy.Expr:
        at = node.span[0]
        match node:
            case Number(value=value):
                return sympy.Rational(value)
            case Quantity(amount=amount, unit=unit):
                return self.multiplied([self.value(amount), sympy.Rational(unit.factor)], at)
            case Constant("oo"):
                return sympy.oo
            case Constant("pi"):
                return sympy.pi
            case Name(name=name):
                return self.measured(self.named(name, at), at)
            case Op("+", terms):
                return self.added([self.value(t) for t in terms], at)
            case Op("-", (operand,)):
                return self.negated(self.value(operand), at)
            case Op("*", factors):
                return self.multiplied([self.value(f) for f in factors], at)
            case Op("/", (above, below)):
                top, bottom = self.value(above), self.value(below)
                quotient = sympy.Mul(top, self.reciprocal(bottom, below.span[0]))
                return self.bounded(quotient, at, [top, bottom])
            case Op("^", (base, exponent)):
                return self.raised(self.value(base), self.value(exponent), at)
            case Call(function=function, arguments=arguments) if function in ARITHMETIC:
                return self.applied(function, [self.value(a) for a in arguments], at)
            case Call() if not is_statement(node):
                return self.measured(self.called(node), at)
        raise error_at(at, "expected a value")

    def named(self, name: str, at: int) -> sympy.Expr:
        if not callable(self.names):
            if name not in self.names:
                raise error_at(at, unknown("name", name, self.names).said)
            return self.names[name]
        try:
            return self.names(name)
        except RoofproofError as problem:
            raise error_at(at, "<name>: <problem>", name=name, problem=problem) from None

    def called(self, node: Call) -> Any:
        if node.function not in self.functions:
            raise error_at(node.span[0], "<function> is not available here", function=node.function)
        try:
            return self.functions[node.function](node)
        except RoofproofError as problem:
            if str(problem).startswith("column "):
                raise
            raise error_at(node.span[0], problem.said) from None
