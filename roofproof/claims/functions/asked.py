"""What a call asks about, in the terms of algebra: the same for what finds a value and for what the word means."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.domain import domain_of_given, formula_of
from roofproof.claims.judging.obligations import needs
from roofproof.claims.judging.preconditions import divisions
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import named_ceilings
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import ends
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.compute_bound import Ceiling, together
from roofproof.errors import Undecided
from roofproof.formula.tree import Call, Tree, name_of
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.search.logarithms import logarithms_compared
from roofproof.symbols import quantity

STEP = "step!"  # by which a variable rises


def ceilings(env: Environment, operation: Tree, chip: Tree | None, *resources: Tree) -> Boolean:
    """Return the condition for an operation to be compute-bound, over the channels and engines named alone."""
    found = named_ceilings(env, operation, chip, *resources)
    return together(found, lambda c: _exceeded(env, c), evaluate=False)


def _exceeded(env: Environment, ceiling: Ceiling) -> Boolean:
    """Return that intensity exceeds the ridge point, as a condition; on times where nothing may be moved."""
    if ceiling.moved.is_positive:
        ridge = ceiling.symbol if ceiling.ridge is None else ceiling.ridge
        return sympy.Gt(env.bound(ceiling.intensity), ridge, evaluate=False)
    times = ceiling.exceeded
    return sympy.Gt(*map(env.bound, times.args), evaluate=False) if times.args else times


def exceeded(env: Environment, call: Call) -> tuple[Boolean, sympy.Symbol]:
    """Return when the operation of a threshold is compute-bound, and the size that is asked for."""
    operation, *chip, name = call.arguments[:3]
    return ceilings(env, operation, chip[0] if chip else None, *call.arguments[3:]), env.symbol(name_of(name))


def equation(env: Environment, call: Call) -> tuple[Boolean, sympy.Symbol, int, list[Boolean]]:
    """Return the equation of `solve` in y where x = y^n, what else holds of it, its name, n, and what is given of x.

    >>> from roofproof.formula.reader import read_value
    >>> equation(Environment(), read_value("solve(sqrt(x) == 3, x)"))            # y - 3 = 0 for x = y^2
    (Eq(x - 3, 0), x, 2, [])
    """
    x = env.symbol(name_of(call.arguments[1]))
    asked = logarithms_compared(env.to_relation(call.arguments[0]))
    root, power = _without_radicals(asked.lhs - asked.rhs, x)
    own, _ = env.given_about(x)
    own += [w for w in env.where(call.arguments[0]) if x in w.free_symbols]
    condition: Boolean = sympy.Eq(root, 0, evaluate=False)
    if own and power == 1:
        condition = sympy.And(condition, *own, evaluate=False)
    return condition, x, power, own


def _without_radicals(expr: sympy.Expr, x: sympy.Symbol) -> tuple[sympy.Expr, int]:
    """Return the expression in y with x = y^n, where x occurs under an n-th root, and n."""
    powers = {p.exp.q for p in expr.atoms(sympy.Pow) if p.base == x and p.exp.is_Rational}
    n = int(sympy.ilcm(1, 1, *powers))
    if n == 1:
        return expr, 1
    changed = expr.replace(
        lambda p: isinstance(p, sympy.Pow) and p.base == x and p.exp.is_Rational, lambda p: x ** (p.exp * n)
    )
    plain = [t for t in sympy.Add.make_args(expr) if t.has(x) and not any(
        p.base == x and p.exp.is_Rational for p in t.atoms(sympy.Pow))]  # fmt: skip
    for term in plain:
        changed = changed - term + term.xreplace({x: x**n})
    return changed, n


def integers_asked(env: Environment, call: Call) -> tuple[bool, sympy.Symbol, Boolean, tuple[Boolean, ...]]:
    """Return whether the smallest integer is asked for, its name, what holds of it, and what it has to divide.

    >>> from roofproof.formula.reader import read_value
    >>> integers_asked(Environment(), read_value("largest(n, n^2 < 50)"))
    (False, n, n**2 < 50, ())
    >>> integers_asked(Environment(), read_value("smallest(a, sqrt(a - 5) > 9)"))[2]         # 87, and not 1
    (a - 5 >= 0) & (sqrt(a - 5) > 9)
    """
    x = env.symbol(name_of(call.arguments[0]))
    own, _ = env.given_about(x)
    asked = env.held(call.arguments[1], where=partial(needs, env))
    condition = logarithms_compared(sympy.And(asked, *own) if own else asked)
    return call.function == "smallest", x, condition, divisions(env, call.arguments[1], x)


def function_and_name(env: Environment, call: Call) -> tuple[sympy.Expr, sympy.Symbol, list[Boolean], bool]:
    """Return a function, the name in which it is looked at, what is given of that, and whether a place is asked for.

    >>> from roofproof.formula.reader import read_value
    >>> function_and_name(Environment(), read_value("argmin(x + 1/x, x)"))
    (x + 1/x, x, [], True)
    """
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(name_of(call.arguments[1]))
    expr = expr.replace(sympy.Abs, lambda inside: sympy.Max(inside, -inside))
    own, _ = env.given_about(x)
    own += [w for w in env.where(call.arguments[0]) if x in w.free_symbols]
    return expr, x, own, call.function.startswith("arg")


def refuse_zero(env: Environment, call: Call, x: sympy.Symbol, harmless: Boolean) -> None:
    """Refuse to tell the best, or a solution, of a name that may be zero, as positive values alone are looked at.

    Zero does no harm where nothing is defined there, or where what is to be `harmless`, with zero put in, is proved.
    """
    if env.given.domain(x.name).sign != "nonnegative":
        return
    try:
        there = harmless.subs(x, 0)
    except TypeError:  # what is divided by zero is compared with nothing
        return
    if there == sympy.true or there.has(sympy.zoo, sympy.nan, sympy.oo):
        return
    if there != sympy.false and decide_condition(Formula.of(there), domain_of_given(env)).status == "proved":
        return
    raise Undecided("<function> is over positive values; <name> may be zero", function=call.function, name=x)


def added(env: Environment, call: Call) -> tuple[sympy.Expr, sympy.Symbol, sympy.Expr, sympy.Expr]:
    """Return the term of a sum, its index, and its bounds.

    >>> from roofproof.formula.reader import read_value
    >>> added(Environment(), read_value("sum(i^2, i, 1, n)"))
    (i**2, i, 1, n)
    """
    term, _, first, last = call.arguments
    return env.to_sympy(term), env.symbol(name_of(call.arguments[1])), env.to_sympy(first), env.to_sympy(last)


def near(env: Environment, call: Call) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    """Yield, for each side of the place of a limit on which its name may lie, a value near it, and the function there.

    In the value t -> oo is the place.
    """
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(name_of(call.arguments[1]))
    target, place, domain = env.to_sympy(call.arguments[2]), quantity("t"), domain_of_given(env)
    if x.is_integer or place in expr.free_symbols or not target.is_nonnegative:
        raise Undecided("a limit is taken at 0, at infinity, or at a positive <x> that is no whole size", x=x)
    own, _ = env.given_about(x)
    for relation, at in ((sympy.Gt, target + 1 / place), (sympy.Lt, target - 1 / place)):
        side = formula_of(relation(x, target, evaluate=False))
        if domain.can_hold(side) and not any(ends(c.subs(x, at), Regime("t -> oo")) for c in own):
            yield at, expr.subs(x, at)


def functions_in_limit(env: Environment, call: Call) -> list[tuple[sympy.Expr | None, sympy.Expr]]:
    """Return the functions whose limit is asked for: one, or at a place one for each side, with a value near it."""
    return list(near(env, call)) if _at_a_place(env, call) else [(None, env.to_sympy(call.arguments[0]))]


def _at_a_place(env: Environment, call: Call) -> bool:
    """Tell whether a limit is taken where its name may come from both sides, or between whole numbers."""
    if len(call.arguments) < 3 or (target := env.to_sympy(call.arguments[2])) == sympy.oo:
        return False
    x = env.symbol(name_of(call.arguments[1]))
    return bool(target != 0 or x.is_integer or not x.is_nonnegative)


def regime_of(call: Call, env: Environment, regime: Regime | None) -> Regime | None:
    """Return the regime in which a limit is taken, that of the claim where none is named; None for one at a place."""
    if len(call.arguments) == 1:
        if regime is None:
            raise Undecided("a limit needs a regime, or the name that grows as its second argument")
        return regime
    if _at_a_place(env, call):
        return None
    return Regime(f"{name_of(call.arguments[1])} -> {env.to_sympy(call.arguments[2]) if call.arguments[2:] else 'oo'}")


def over_everything(env: Environment, node: Tree, x: sympy.Symbol) -> tuple[Boolean, ...]:
    """Return where the words in a node have values, which must not turn on a name that is bound.

    Raises Undecided where it does.
    """
    where = env.where(node)
    if (turns := next((w for w in where if x in w.free_symbols), None)) is not None:
        raise Undecided("it has a value only where <condition>, which turns on <x>", condition=plain(turns), x=x)
    return where


def outside(where: tuple[Boolean, ...], x: sympy.Symbol) -> tuple[Boolean, ...]:
    """Return those of some conditions that do not turn on a name."""
    return tuple(w for w in where if x not in w.free_symbols)
