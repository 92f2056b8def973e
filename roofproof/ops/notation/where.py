"""Conditions on the sizes of an operation, as `--where` and operation files state them, in SymPy.

The language is that of formula/conditions.py: `k even; 128 divides L; E >= 2; h = g r`. The last kind defines a size,
whose value is substituted for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple

import sympy
from sympy import Add, Expr, Mod, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.conditions import divisor_of
from roofproof.formula.dimensions import dimension_of
from roofproof.formula.plain import NO_SIZE, RESERVED, plain_conditions
from roofproof.formula.printing import to_text
from roofproof.formula.to_sympy import to_conditions, to_sympy
from roofproof.formula.tokens import error_at
from roofproof.formula.tree import Comparison, Name, Number, Op, Quantity, Tree, names_in, rebuild, walk
from roofproof.formula.units import PLAIN, Dimension
from roofproof.ops.operation import Operation
from roofproof.symbols import dimension

_COMPARED = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
STEPS = 1_000_000  # z3's resource limit for finding a contradiction


class Where(NamedTuple):
    """Conditions, definitions of sizes, and the names of all sizes in them."""

    conditions: tuple[Boolean, ...]
    defined: dict[Symbol, Expr]
    names: tuple[str, ...]


def read_where(text: str, where: str = "--where", sizes: Collection[str] = ()) -> Where:
    """Return the conditions and the definitions of sizes that a text states. Errors begin with `where`.

    A word may be a product of one-letter `sizes`: B D in `BD > 2`.

    >>> read_where("128 divides L; L >= 2 W; h = g*r")
    Where(conditions=(Eq(Mod(L, 128), 0), L >= 2*W), defined={h: g*r}, names=('L', 'W', 'h', 'g', 'r'))

    Raises RoofproofError for text that cannot be parsed, and for conditions that no sizes meet.
    """
    try:
        found, defined, names = _read(text, sizes)
    except RoofproofError as problem:
        raise RoofproofError("<where>: <problem>", where=where, problem=problem.said) from None
    for size, value in defined.items():  # a definition may use another one
        for _ in defined:
            value = value.subs(defined, simultaneous=True)
        if value.free_symbols & set(defined):
            raise RoofproofError(
                "<where>: the definition of <size> uses <size>; remove the cycle", where=where, size=size
            )
        defined[size] = value
    put = [c.subs(defined, simultaneous=True) if c.free_symbols & set(defined) else c for c in found]
    put = [c if c.free_symbols else c.doit() for c in put]
    if sympy.false in put:
        raise RoofproofError("<where>: <text> holds for no sizes", where=where, text=quoted(text))
    made = tuple(c for c in put if c != sympy.true)
    _refuse_contradictory(made, where)
    return Where(made, defined, names)


def _read(text: str, sizes: Collection[str]) -> Where:
    given = plain_conditions(text, sizes)
    found: list[Boolean] = []
    defined: dict[Symbol, Expr] = {}
    for word in set(given.names) & set(RESERVED):
        raise RoofproofError(NO_SIZE, name=repr(word))
    for condition in map(_without_units, given.conditions):
        if not isinstance(condition, Comparison) or divisor_of(condition) is not None:
            found += to_conditions(condition)
            continue
        for link in condition.links:
            if link.relations != ("==",):
                found += to_conditions(link)
                continue
            definition = _definition(link)
            if definition is None or definition[0] in defined:
                found += to_conditions(link)
            else:
                defined |= [definition]
    return Where(tuple(found), defined, given.names)


class _Sizes(dict[str, Dimension | None]):
    """The physical dimensions of sizes: every name is a plain number."""

    def get(self, name: str, default: object = None) -> Dimension:
        return PLAIN


def _without_units(condition: Tree) -> Tree:
    """Return a condition with quantities in bytes, FLOPs and seconds. Raises RoofproofError for a size with a unit."""
    quantity = next((part for part in walk(condition) if isinstance(part, Quantity)), None)
    if quantity is None:
        return condition
    for link in walk(condition):
        for side in link.operands if isinstance(link, Comparison) else ():
            dimension_of(side, _Sizes())  # raises its own error
    try:
        dimension_of(condition, _Sizes())
    except RoofproofError:
        said = "<quantity> has a unit and sizes have none; write a unit on both sides, as in '2 B D byte <= 128 KiB'"
        raise error_at(quantity.span[0], said, quantity=quoted(to_text(quantity))) from None

    def number(tree: Tree) -> Tree:
        tree = rebuild(tree, number)
        if not isinstance(tree, Quantity):
            return tree
        return Op("*", (tree.amount, Number(tree.unit.factor, str(tree.unit.factor))), span=tree.span)

    return number(condition)


def _definition(link: Comparison) -> tuple[Symbol, Expr] | None:
    """Return the size that an equation defines, on its left or else on its right, and its value."""
    for side, other in (link.operands, link.operands[::-1]):
        if isinstance(side, Name) and side.name not in names_in(other):
            return dimension(side.name), size_of(other)
    return None


def size_of(tree: Tree) -> Expr:
    """Return the size for a tree: a whole number from 1, a name, or an expression of these.

    >>> from roofproof.formula.reader import read_value
    >>> size_of(read_value("4 d"))
    4*d
    """
    size = to_sympy(tree, dimension)
    if size.is_number and not (size.is_Integer and size > 0):
        due = "size <text>: expected a whole number from 1, a name or a product of these"
        raise error_at(tree.span[0], due, text=quoted(to_text(tree)))
    return size


def with_conditions(operation: Operation, text: str, where: str = "--where") -> Operation:
    """Return an operation with the conditions that a text states, and with the sizes that it defines substituted.

    >>> from roofproof.ops import parse_operation
    >>> square = with_conditions(parse_operation("matmul"), "F = 4 D; 128 divides D")
    >>> square.flops, square.conditions                        # 2 B D F at F = 4 D
    (8*B*D**2, (Eq(Mod(D, 128), 0),))

    A size that is defined by a division adds the condition that it is a whole number. Raises RoofproofError for a
    condition on a size that the operation does not have, and for conditions that no sizes meet.
    """
    from roofproof.ops.combine import at

    has = {s for s in operation.dims}
    conditions, defined, names = read_where(text, where, [*map(str, has)])
    given = {str(size): value for size, value in defined.items()}
    known = has.union(*(value.free_symbols for value in defined.values()))
    for size in sorted({*defined} - has | {*map(dimension, names)} - known, key=str):
        said = "<where>: no size <size> in <operation>; its sizes are <sizes>"
        sizes = ", ".join(map(str, operation.dims)) or "none"
        raise RoofproofError(said, where=where, size=repr(str(size)), operation=quoted(operation.name), sizes=sizes)
    whole = []
    for value in defined.values():
        above, below = sympy.fraction(sympy.together(value))
        if not below.is_Integer or below != 1:
            whole.append(sympy.Eq(sympy.Mod(above, below), 0, evaluate=False))
    made = at(operation, **given)
    every = (*made.conditions, *conditions, *whole)
    if len(every) > len(conditions):  # the conditions of the text were checked before
        _refuse_contradictory(every, where)
    return replace(made, conditions=every)


def _refuse_contradictory(conditions: Sequence[Boolean], where: str) -> None:
    if pair := contradictory(conditions):
        due = "<where>: the conditions contradict each other: <conditions>"
        raise RoofproofError(due, where=where, conditions="; ".join(map(condition_text, pair)))


def contradictory(conditions: Sequence[Boolean]) -> tuple[Boolean, ...]:
    """Return conditions among these that contradict each other, or none if no contradiction is found.

    >>> B, D, F = map(dimension, "BDF")
    >>> contradictory((B > D, F > 2 * B, F > B, F < D + B + 2))                  # F >= 2 B + 1 >= B + D + 2
    (B > D, F > 2*B, F < B + D + 2)
    >>> contradictory((B > D, B < D + 2))                                        # B = D + 1
    ()

    z3 checks whether all can be true, with each product of sizes as an independent integer of at least 1.
    """
    import z3

    asked = _Asked(z3)
    for number, condition in enumerate(conditions):
        asked.solver.assert_and_track(asked.formula(condition), asked.z3.Bool(str(number), asked.context))
    asked.add_what_products_are()
    if asked.solver.check() != z3.unsat:
        return ()
    core = {int(str(each)) for each in asked.solver.unsat_core()}
    return tuple(c for number, c in enumerate(conditions) if number in core)


class _Asked:
    """A z3 query about conditions, in its own context, so that no other query changes the result."""

    def __init__(self, z3: Any) -> None:
        self.z3, self.context = z3, z3.Context()
        self.solver = z3.Solver(ctx=self.context)
        self.solver.set("rlimit", STEPS)
        self.solver.set("core.minimize", True)
        self.products: dict[Expr, Any] = {}

    def value(self, size: Expr) -> Any:
        terms = sympy.expand(size).as_coefficients_dict().items()
        factors = [self.z3.RealVal(str(factor), self.context) * self.product(product) for product, factor in terms]
        return self.z3.Sum(self.z3.RealVal(0, self.context), *factors)

    def product(self, product: Expr) -> Any:
        if product == 1:
            return self.z3.RealVal(1, self.context)
        if product not in self.products:
            kind = self.z3.Int if product.is_integer else self.z3.Real
            self.products[product] = kind(f"p{len(self.products)}", self.context)
        variable = self.products[product]
        return self.z3.ToReal(variable) if product.is_integer else variable

    def formula(self, condition: Boolean) -> Any:
        match condition:
            case sympy.Eq(args=(Mod(args=(whole, part)), left)):
                parts = [self.z3.BoolVal(True, self.context)]
                if left == 0 and whole.is_positive:  # a divisor is not larger
                    parts.append(self.value(whole) >= self.value(part))
                if part.is_Integer and all(term.is_integer for term in Add.make_args(sympy.expand(whole))):
                    parts.append(self.z3.ToInt(self.value(whole)) % int(part) == int(left))
                return self.z3.And(*parts)
            case sympy.Or() | sympy.And():
                joined = self.z3.Or if isinstance(condition, sympy.Or) else self.z3.And
                return joined(*map(self.formula, condition.args))
            case Relational():
                return _COMPARED[condition.rel_op](self.value(condition.lhs), self.value(condition.rhs))
        return self.z3.BoolVal(True, self.context)

    def add_what_products_are(self) -> None:
        """Assert that a product of sizes is at least 1, and at least any product of some of its factors."""
        for product in self.products:
            if product.is_positive:
                self.solver.add(self.product(product) >= 1 if product.is_integer else self.product(product) > 0)
            for other in self.products:
                if other != product and other.is_positive and product.is_positive and (product / other).is_integer:
                    self.solver.add(self.product(product) >= self.product(other))


def condition_text(condition: Boolean) -> str:
    """Return a condition as text.

    >>> D = dimension("D")
    >>> condition_text(sympy.Eq(Mod(D, 128), 0)), condition_text(sympy.Or(D < 3, sympy.Eq(D**2, 64)))
    ('128 | D', '(D < 3) or (D**2 = 64)')
    """
    match condition:
        case sympy.Eq(args=(Mod(args=(whole, part)), left)):
            return f"{part} | {whole}" if left == 0 else f"{whole} odd" if part == 2 else f"{whole} mod {part} = {left}"
        case sympy.Eq(args=(left, right)):
            return f"{left} = {right}"
        case sympy.And() | sympy.Or():
            word = " and " if isinstance(condition, sympy.And) else " or "
            return word.join(f"({text})" if " " in (text := condition_text(part)) else text for part in condition.args)
    return str(condition)
