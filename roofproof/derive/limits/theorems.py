"""Theorems about limits: each stage by the proof checker's limit rule, the relative error as an identity.

Symbols that grow together are written with one new variable: D ~ F becomes D t, F t with t growing. A root or a
maximum of fixed symbols gets a name. The theorem holds for any value of that name, so it holds for the root.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import remembered
from roofproof.derive.algebra.polynomial import Ring, sign
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.dominant_term import fresh, on_one_variable
from roofproof.derive.limits.regime import Group, towards
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.assumptions import MINUS, NUMBERS, ONE, TWO
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import OPAQUE, ZERO, Formula, KernelError, Term, variables
from roofproof.proofs.known import ByLeadingTerms, Known, Unproved, by_kernel, warranted
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.polynomials import exchanged
from roofproof.proofs.search.short_proofs import by_sign, prove
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, to_term, with_functions
from roofproof.symbols import quantity, sizes_in

UNPROVED = Unproved("no theorem of the kernel was found")


@remembered(500)
def tends(expr: sympy.Expr, value: sympy.Expr, groups: tuple[Group, ...], assume: tuple[Boolean, ...] = ()) -> Known:
    """Return the statement that an expression tends to a value as groups grow, or equals it if none grows.

    >>> D, F = sympy.symbols("D F", positive=True)
    >>> tends(1/D + 1/F, sympy.Integer(0), ((("D", 1),), (("F", 1),))).trust
    'kernel'
    """
    f, v = (1 / (sympy.sign(value) * expr), sympy.Integer(0)) if value.is_infinite else (expr, value)
    says = f"{plain(f)} -> {plain(v)} as {towards(groups)}" if groups else f"{plain(f)} = {plain(v)}"
    statement = Statement(says, (), Formula("false"), "limit", sizes=sizes_in(v))
    goals: list[Formula] = []
    for goal in limit_goals(expr, value, groups):
        goals.append(goal)
        statement = replace(statement, goal=goal)
        if (known := by_kernel(statement, _theorem(goal))) is not None:
            return known
    if value == sympy.oo and [rate for group in groups for _, rate in group] == [1]:
        above = _above_any_number(expr, groups[0][0][0])
        said = replace(statement, about=f"{plain(expr)} -> oo as {towards(groups)}")
        if above is not None and (known := by_kernel(replace(said, goal=above.conclusion), above)) is not None:
            return known
    for goal in goals[:-3:-1] if len(groups) == 1 else ():
        with suppress(RoofproofError):
            names = variables(goal).difference(goal[2])
            given = tuple(to_formula(g) for g in assume if {s.name for s in g.free_symbols} <= names)
            said = replace(statement, goal=goal, assumptions=given)
            if (by_terms := warranted(said, ByLeadingTerms())) is not None:
                return by_terms
    return Known(statement, UNPROVED)


def _above_any_number(f: sympy.Expr, name: str) -> Theorem | None:
    """Prove `x > 2^c => f > M`, so that f tends to infinity, for f = a log2(x) + b with a > 0, or return None.

    >>> N = sympy.Symbol("N", positive=True)
    >>> print(_above_any_number(5*log2(N)/32, "N"))
    M > 0, N > 0 |- N > power(2, 32/5*M) => 5/32*log2(N) > M
    """
    from roofproof.proofs.search.logarithms import power_log_links

    x = next(s for s in f.free_symbols if s.name == name)
    t, most = sympy.Dummy(positive=True), quantity(fresh("M", {s.name for s in f.free_symbols}))
    apart = sympy.expand(f.xreplace({log2(x): t}))
    slope, rest = apart.coeff(t, 1), apart.coeff(t, 0)
    if x in apart.free_symbols or slope == 0 or sympy.expand(apart - slope * t - rest) != 0:
        return None
    with suppress(RoofproofError, KernelError):
        bound = with_functions(sympy.cancel((most - rest) / slope))
        above, power = Formula(">", with_functions(f), Term("v", most.name)), Term("power", TWO, bound)
        link = next(power_log_links(Term("v", name), power), None)
        rising = link and by_sign(above, [link.conclusion[2]])
        if link and rising:
            goal = Formula("=>", Formula(">", Term("v", name), power), above)
            return kernel.propositional(goal, [link, kernel.discharge(rising, link.conclusion[2])])
    return None


def limit_goals(expr: sympy.Expr, value: sympy.Expr, groups: Sequence[Group]) -> Iterator[Formula]:
    """Yield the goal that an expression tends to a value, in each form that `tends` may prove.

    These are the forms of a rational function and, if there is only one group, of any other function.

    >>> from roofproof.symbols import quantity
    >>> N = quantity("N")
    >>> next(limit_goals(1/N, sympy.Integer(0), [(("N", 1),)]))
    ('tends', ('/', ('q', 1, 1), ('v', 'N')), ('N',), ('q', 0, 1))
    """
    moved, growing = together(expr, groups)
    above = value.is_infinite
    if above:
        moved, value = sympy.sign(value) * moved, sympy.Integer(0)
    for forms, term in ((_forms(moved), to_term), ([moved] if len(groups) == 1 else [], with_functions)):
        with suppress(RoofproofError):  # not a rational function
            for form in forms:
                side, limit = term(form), term(value)
                if above:  # a divisor must be positive far out
                    side = Term("/", ONE, side)
                elif term is with_functions and side[:2] == ("/", ONE):  # also as -1/-g, as the sign of g is unknown
                    yield Formula("tends", Term("/", MINUS, Term("*", MINUS, side[2])), growing, limit)
                yield Formula("tends", side, growing, limit) if growing else Formula("=", side, limit)


def in_roots(
    expr: sympy.Expr, value: sympy.Expr, groups: Sequence[Group]
) -> tuple[sympy.Expr, sympy.Expr, tuple[Group, ...]]:
    """Rewrite a limit with new symbols for the roots of symbols.

    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> in_roots(1/sympy.sqrt(x) + 1/x, sympy.Integer(0), [(("x", 1),)])                       # r^2 = x
    ((x^(1/2) + 1)/x^(1/2)**2, 0, ((('x^(1/2)', 1),),))
    """
    from roofproof.derive.algebra.polynomial import whole_powers

    table = whole_powers([expr, value])
    names = {s.name: power.base.name for s, power in table.items()}
    renamed = tuple(tuple((names.get(n, n), rate) for n, rate in group) for group in groups)
    return sympy.cancel(expr.xreplace(table)) if table else expr, value.xreplace(table), renamed


def _forms(expr: sympy.Expr) -> Iterator[sympy.Expr]:
    """Yield an expression as it is, as n/d and as -n/-d, because denominators must be positive far out."""
    yield expr
    ring = Ring.of(expr)
    num, den = ring.fraction(expr)
    yield ring.expr(num) / ring.expr(den)
    yield ring.expr(-num) / ring.expr(-den)


def together(expr: sympy.Expr, groups: Sequence[Group]) -> tuple[sympy.Expr, tuple[str, ...]]:
    """Return the expression with one growing variable for each group, and these variables.

    >>> x, y, z = sympy.symbols("x y z", positive=True)
    >>> together(x/(y + z), [(("x", 2), ("y", 1)), (("z", 1),)])
    (t**2*x/(t*y + z), ('t', 'z'))
    """
    growing: list[str] = []
    for group in groups:
        expr, t = on_one_variable(expr, group, growing)
        growing.append(t.name)
    return expr, tuple(growing)


def _theorem(goal: Formula, signs: Sequence[Theorem] = (), given: Sequence[Formula] = ()) -> Theorem | None:
    """Prove an equation or a limit by its rule in the proof checker, with names for opaque parts, or return None."""
    table: dict[Term, Term] = {}
    growing = set(goal[2]) if goal[0] == "tends" else set[str]()
    names = frozenset[str]().union(*map(variables, (goal, *given)))
    for part in dict.fromkeys(opaque_parts(goal)):
        if growing & variables(part):
            return None  # a name stands for a fixed value
        table[part] = Term("v", fresh(f"c{len(table) + 1}", names))
    named = exchanged(goal, table)
    positive = sorted(variables(named).union(growing, *map(variables, given)) - NUMBERS)
    with suppress(KernelError):
        if named[0] == "tends":
            theorem = kernel.tends(named[1], named[2], named[3], positive)
        else:
            theorem = kernel.identity(named[1], named[2], positive, signs)
        if table:
            theorem = kernel.instantiate(theorem, {name: part for part, (_, name) in table.items()})
            facts = (prove(Formula(">", part, ZERO)) for part in table)
            theorem = cut(theorem, [fact for fact in facts if fact is not None])
        return theorem
    return None


def opaque_parts(t: object) -> Iterator[Term]:
    """Yield the outermost max, min, roots and roundings in a term or formula."""
    if isinstance(t, tuple):
        if isinstance(t, Term) and t.head in OPAQUE:
            yield t
        else:
            for part in t:
                yield from opaque_parts(part)


def error_known(f: sympy.Expr, lead: sympy.Expr, e: sympy.Expr, assume: Sequence[Boolean] = ()) -> Known:
    """Return the statement `s (v - f) = e f and e >= 0` for a sign s, or only the equation if e contains |...|.

    >>> N = sympy.Symbol("N", positive=True)
    >>> error_known(N/(2*N + 1), sympy.Rational(1, 2), 1/(2*N)).trust
    'kernel'
    """
    bare = e.replace(sympy.Abs, lambda inside: inside)
    in_full = sympy.Mul(bare, f, evaluate=False)  # keeps the error in the form that is printed
    sizes = sorted(bare.free_symbols | f.free_symbols, key=str)
    whole = [
        *map(to_formula, assume),
        *(Formula(">=", Term("v", s.name), Term("q", 1, 1)) for s in sizes if s.is_integer),
    ]
    says = f"{plain(lead)} for {plain(f)} is off by {plain(e)} of it"
    goal = Formula("=", with_functions(lead - f), with_functions(in_full))
    statement = Statement(says, tuple(whole), goal, "error")
    with suppress(RoofproofError):
        below = [sympy.denom(sympy.together(e)) for e in (bare, f)]
        ring = Ring.of(*below)
        # For example, 2N - 1 > 0 needs N >= 1.
        unsure = [with_functions(d) for d in dict.fromkeys(below) if sign(ring.fraction(d)[0]) is None]
        there = [Formula("not", Formula("=", with_functions(d), ZERO)) for d in below[1:]]  # where f is defined
        signs = [t for d in unsure if (t := _positive(d, whole) or _positive(d, [*whole, *there])) is not None]
        for off, turn in product((in_full, bare * f), (1, -1)):
            goal = Formula("=", with_functions(turn * (lead - f)), with_functions(off))
            theorem = _theorem(goal, signs, (*whole, *there))
            if theorem is None:
                continue
            if bare == e and e != 0:
                least = Formula(">=", with_functions(e), ZERO)
                positive = prove(least) or prove(least, whole)
                goal = Formula("and", goal, least)
                theorem = positive and kernel.propositional(goal, [theorem, positive])
            used = tuple(w for w in (*whole, *there) if theorem is not None and w in theorem.hypotheses)
            said = replace(statement, assumptions=used, goal=goal)
            return by_kernel(said, theorem) or Known(said, UNPROVED)
    return Known(replace(statement, goal=Formula("false")), UNPROVED)


def _positive(divisor: Term, given: Sequence[Formula]) -> Theorem | None:
    return prove(Formula(">", divisor, ZERO), given)
