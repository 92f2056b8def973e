"""Translate SymPy expressions and conditions to the kernel's terms and formulas, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.largest import extreme
from roofproof.derive.algebra.logic import Iff, negation_normal, related
from roofproof.errors import Undecided
from roofproof.formula.logarithm import exp2, log2
from roofproof.proofs.assumptions import LN2, ONE, PI
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.terms import (
    MAX_EXPONENT,
    OPAQUE,
    SYMPY_CONVERSIONS,
    ZERO,
    Formula,
    Polynomial,
    Term,
    normal,
    term_of,
    variables,
)
from roofproof.proofs.powers import multiplied, over_smallest_base
from roofproof.symbols import quantity

HEADS = ((sympy.Max, "max"), (sympy.Min, "min"), (sympy.floor, "floor"), (sympy.ceiling, "ceil"))
FUNCTIONS = (*HEADS, (log2, "log2"), (sympy.Pow, "power"))
REMEMBERED = 10_000  # cached translations
OUTSIDE = "outside what can be proved: <expr>"


@lru_cache(maxsize=REMEMBERED, typed=True)
def to_term(expr: sympy.Expr) -> Term:
    """Return the kernel's term for an expression, in which symbols are identified by name only.

    >>> x = sympy.Symbol("x")
    >>> to_term(2*x + 1)
    ('+', ('q', 1, 1), ('*', ('q', 2, 1), ('v', 'x')))

    Raises Undecided for anything but rational functions, sqrt, Max, Min, floor, ceiling, Mod, Abs and pi.
    """
    parts = expr.atoms(sympy.Pow, sympy.log, log2, exp2)
    if outside := [part for part in parts if not (part.is_Pow and _half_whole(part.exp))]:
        raise Undecided(OUTSIDE, expr=min(outside, key=sympy.default_sort_key))
    return with_functions(expr)


@lru_cache(maxsize=REMEMBERED, typed=True)
def with_functions(expr: sympy.Expr) -> Term:
    """Return the kernel's term for an expression that may contain logarithms and powers with any exponent.

    >>> n = sympy.Symbol("n", positive=True)
    >>> with_functions(log2(n) + 3**n)
    ('+', ('power', ('q', 3, 1), ('v', 'n')), ('log2', ('v', 'n')))

    A natural logarithm becomes `log(2)` times a binary one, and `log(2)` is a name that denotes that number.

    >>> with_functions(sympy.log(n))
    ('*', ('v', 'log(2)'), ('log2', ('v', 'n')))
    """
    if expr.is_Symbol:
        return Term("v", expr.name)
    if expr.is_Rational:
        return Term("q", int(expr.p), int(expr.q))
    if expr.is_Add:
        return Term("+", *(with_functions(a) for a in expr.args))
    if expr.is_Mul:
        above, below = list[Term](), list[Term]()
        for a in expr.args:
            if a.is_Pow and _half_whole(a.exp) and a.exp.is_negative:
                below.append(with_functions(a.base**-a.exp))
            else:
                above.append(with_functions(a))
        return Term("/", multiplied(above), multiplied(below)) if below else multiplied(above)
    if expr.is_Pow and _half_whole(expr.exp) and abs(expr.exp.p) <= MAX_EXPONENT:
        base, power = with_functions(expr.base), abs(int(expr.exp.p))
        root: Term = base if expr.exp.is_Integer else Term("sqrt", base)
        raised: Term = root if power == 1 else Term("^", root, power)
        return raised if expr.exp.is_positive else Term("/", ONE, raised)
    if expr == sympy.pi:
        return PI
    if isinstance(expr, sympy.Abs):
        inside = with_functions(expr.args[0])
        return Term("max", inside, Term("*", Term("q", -1, 1), inside))
    if isinstance(expr, sympy.Mod):
        whole, part = expr.args
        return with_functions(whole - part * sympy.floor(whole / part))
    if isinstance(expr, sympy.log):
        inside = with_functions(log2(expr.args[0]))
        return LN2 if inside == ONE else Term("*", LN2, inside)
    if isinstance(expr, exp2):
        return over_smallest_base(Term("q", 2, 1), with_functions(expr.args[0]))
    head = next((head for kind, head in FUNCTIONS if isinstance(expr, kind)), "")
    if head and not (head == "power" and _half_whole(expr.exp)):
        if head == "power":
            return over_smallest_base(with_functions(expr.base), with_functions(expr.exp))
        return Term(head, *(with_functions(a) for a in sorted(expr.args, key=sympy.default_sort_key)))
    raise Undecided(OUTSIDE, expr=expr)


def _half_whole(exponent: sympy.Expr) -> bool:
    return bool(exponent.is_Rational and exponent.q <= 2)


JOINS = ((sympy.And, "and"), (sympy.Or, "or"), (sympy.Not, "not"), (sympy.Implies, "=>"))


@lru_cache(maxsize=REMEMBERED, typed=True)
def to_formula(condition: Boolean, term: Callable[[sympy.Expr], Term] = to_term) -> Formula:
    """Return the kernel's formula for a condition, with its sides translated by `term`.

    >>> x = sympy.Symbol("x")
    >>> to_formula(sympy.Lt(x, 2))
    ('>', ('q', 2, 1), ('v', 'x'))
    >>> to_formula(sympy.Lt(log2(x), 2), with_functions)
    ('>', ('q', 2, 1), ('log2', ('v', 'x')))

    No comparison holds if a side is undefined, not even `!=`: if a divisor may be zero, `!=` becomes `>` or `<`.
    """
    if condition in (True, sympy.true):
        return Formula("true")
    if condition in (False, sympy.false):
        return Formula("false")
    if isinstance(condition, Relational):
        a, b = term(condition.lhs), term(condition.rhs)
        if condition.rel_op == "!=":
            return (
                Formula("or", Formula(">", a, b), Formula(">", b, a))
                if _has_poles(condition)
                else Formula("not", Formula("=", a, b))
            )
        head, turned = {">": (">", 0), ">=": (">=", 0), "<": (">", 1), "<=": (">=", 1), "==": ("=", 0)}[
            condition.rel_op
        ]
        return Formula(head, b, a) if turned else Formula(head, a, b)
    parts = condition.args
    if not isinstance(condition, sympy.Implies):
        parts = sorted(parts, key=sympy.default_sort_key)
    for kind, head in JOINS:
        if isinstance(condition, kind):
            return Formula(head, *(to_formula(a, term) for a in parts))
    if isinstance(condition, Iff | sympy.Equivalent):
        first, *rest = (to_formula(a, term) for a in parts)
        links: list[Formula] = [Formula("<=>", first, other) for other in rest]
        return links[0] if len(links) == 1 else Formula("and", *links)
    raise Undecided("outside what can be proved: <condition>", condition=condition)


def _has_poles(condition: Relational) -> bool:
    """Return whether a divisor or the argument of a root is not obviously positive."""
    return any(not p.exp.is_Integer or p.exp < 0 for p in condition.atoms(sympy.Pow) if not p.base.is_positive)


def takes_longer_than_each(channels: Iterable[Sequence[Formula]]) -> Formula:
    """Return the condition that, for each memory level or link, one of its formulas holds: a compute unit takes longer.

    >>> takes_longer_than_each([[Formula("true"), Formula("false")], [Formula("true")]])
    ('and', ('or', ('true',), ('false',)), ('true',))
    """
    every: list[Formula] = [parts[0] if len(parts) == 1 else Formula("or", *parts) for parts in channels]
    return every[0] if len(every) == 1 else Formula("and", *every)


def isolating(root: sympy.CRootOf, name: sympy.Symbol) -> list[Formula]:
    """Return the formulas that define a name as a root of a polynomial: the equation and the isolating interval.

    >>> x = sympy.Symbol("x")
    >>> isolating(sympy.CRootOf(x**3 - x - 1, 0), quantity("root1"))[1:]                    # 1.3247179...
    [('>=', ('v', 'root1'), ('q', 820, 619)), ('>=', ('q', 2819, 2128), ('v', 'root1'))]
    """
    (low, high), _ = root.poly.intervals(eps=sympy.Rational(1, 10**6))[root.index]
    defining = [sympy.Eq(root.poly.as_expr(name), 0, evaluate=False), name >= low, name <= high]
    return [to_formula(d) for d in defining if d != sympy.true]


@lru_cache(maxsize=REMEMBERED)
def to_expr(term: Term, symbol: Callable[[str], sympy.Symbol] = quantity) -> sympy.Expr:
    """Return the SymPy expression of a kernel's term, with symbols made by `symbol` (by default positive quantities).

    >>> to_expr(Term("/", Term("q", 1, 2), Term("v", "x")))
    1/(2*x)
    >>> to_expr(with_functions(sympy.log(sympy.Symbol("x", positive=True))))
    log(x)

    Raises Undecided if a part is a number that is not real or has no value.
    """
    head, *parts = term
    if term == LN2:
        return sympy.log(2)
    if term == PI:
        return sympy.pi
    if head == "v":
        return symbol(parts[0])
    if head == "q":
        return sympy.Rational(*parts)
    if head == "^":
        return to_expr(parts[0], symbol) ** parts[1]
    if head == "*" and parts[:1] == [LN2] and len(parts) == 2 and parts[1][0] == "log2":
        return _real(sympy.log(to_expr(parts[1][1], symbol)), term)
    args = [to_expr(p, symbol) for p in parts]
    if head == "/":
        return args[0] * _real(1 / args[1], term)
    if head in ("max", "min"):
        return extreme(sympy.Max if head == "max" else sympy.Min, *args)
    if head in ("+", "*"):  # sums and products of reals are real
        return (sympy.Add if head == "+" else sympy.Mul)(*args)
    made = {"sqrt": sympy.sqrt, "power": sympy.Pow, "log2": log2, **{h: k for k, h in HEADS}}
    return _real(made[head](*args), term)


def _real(value: sympy.Expr, term: Term) -> sympy.Expr:
    if value.is_real is False:
        raise Undecided("no real number: <term>", term=str(term))
    return value


@lru_cache(maxsize=REMEMBERED)
def to_condition(formula: Formula, symbol: Callable[[str], sympy.Symbol] = quantity) -> Boolean:
    """Return the SymPy condition of a kernel's formula, without evaluating its comparisons.

    >>> to_condition(Formula("not", Formula(">", Term("v", "x"), Term("q", 3, 1))))
    x <= 3
    """
    head, *parts = formula
    if head in ("true", "false"):
        return sympy.true if head == "true" else sympy.false
    if head in (">", ">=", "="):
        a, b = (to_expr(p, symbol) for p in parts)
        turned = {">": "<", ">=": "<=", "=": "=="}
        return related(turned[head], b, a) if a.is_number else related("==" if head == "=" else head, a, b)
    made = [to_condition(f, symbol) for f in parts]
    if head == "not":
        return made[0].negated if isinstance(made[0], Relational) else sympy.Not(made[0], evaluate=False)
    if head == "<=>":
        return Iff(*made)
    kinds = {"and": sympy.And, "or": sympy.Or, "=>": sympy.Implies}
    return kinds[head](*made, evaluate=False)


SYMPY_CONVERSIONS.update(
    term=with_functions, formula=lambda f: to_formula(f, with_functions), expression=to_expr, condition=to_condition
)


def formula_if_defined(condition: Boolean) -> Formula:
    """Return the formula of a condition, false wherever the condition is undefined.

    >>> x = sympy.Symbol("x", positive=True)
    >>> formula_if_defined(2*x > 1)
    ('>', ('*', ('q', 2, 1), ('v', 'x')), ('q', 1, 1))
    """
    return false_if_undefined(to_formula(negation_normal(condition), with_functions))


def false_if_undefined(formula: Formula) -> Formula:
    """Return the formula with every comparison made false wherever one of its denominators is zero.

    >>> x = Term("v", "x")
    >>> from roofproof.proofs.kernel.terms import show
    >>> show(false_if_undefined(Formula(">", Term("/", Term("q", 1, 1), Term("+", x, Term("q", -1, 1))), x)))
    '1/(x + -1) > x and not(0 + 1*x^1 + -1 = 0)'
    """
    if formula[0] in ("and", "or", "not", "=>", "<=>"):
        return Formula(formula[0], *(false_if_undefined(f) for f in formula[1:]))
    divisors: list[Polynomial] = []
    for side in formula[1:]:
        for part in (side, *_inside(side)):
            normal(part, divisors)
    free = frozenset(Term("v", n) for n in variables(formula))
    zero = [Formula("not", Formula("=", term_of(d), ZERO)) for d in divisors if not sign(d, free)]
    return Formula("and", formula, *dict.fromkeys(zero)) if zero else formula


def _inside(term: Term) -> Iterator[Term]:
    """Yield the arguments of roots, logarithms, maxima and other opaque functions in a term."""
    if term[0] not in ("v", "q"):
        for part in term[1:]:
            if isinstance(part, Term):
                yield from (part,) if term[0] in OPAQUE else ()
                yield from _inside(part)
