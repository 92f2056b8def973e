"""Proving limits: every stage by the kernel's rule, the relative error as an identity.

Symbols that grow together are written with one new variable: D ~ F becomes D t, F t with t growing. A root or a
maximum of fixed symbols is named; the theorem, which holds whatever it is, is then used for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Ring, sign
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.dominant_term import Approach, approach, fresh, on_one_variable
from roofproof.derive.limits.limits import Limit, relative_error
from roofproof.derive.limits.regime import Group, Regime, towards
from roofproof.errors import RoofproofError
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import OPAQUE, ZERO, Formula, Term, variables
from roofproof.proofs.known import ByLeadingTerms, Known, Open, Unwarranted, by_kernel, warranted
from roofproof.proofs.provers.statements import by_rule
from roofproof.proofs.search.lemmas import MINUS, ONE, cut
from roofproof.proofs.search.polynomials import exchanged
from roofproof.proofs.search.short_proofs import prove
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, to_term, with_functions

UNPROVED = Open("no theorem of the kernel was found")


@dataclass(frozen=True, slots=True)
class ProvedLimit:
    """A limit with what is known of it: one statement for each stage, and what the relative error is.

    For an infinite limit the statement is that the reciprocal tends to zero. `growth` says of each stage that the
    function over its leading term tends to 1; `choices` that what was dropped from a max or min is smaller far out, and
    `orders` what the limit is in each other order of growth of which the answer warns. Raises Unwarranted for a limit
    with another value, or another error, than what is known says.

    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import quantity
    >>> N = quantity("N")
    >>> print(prove_limit(limit(N/(2*N + 1), "N -> oo")).derivation)       # |1/2 - I| = I / (2 N)
    N/(2*N + 1) -> 1/2 as N -> oo                  by kernel
    1/2 for N/(2*N + 1) is off by 1/(2*N) of it    by kernel
    """

    limit: Limit
    stages: tuple[Known, ...]
    growth: tuple[Known, ...]
    choices: tuple[Known, ...]
    error: Known | None
    orders: tuple[Known, ...] = ()

    def __post_init__(self) -> None:
        found, (f, value) = self.limit, self.tends.statement.shows
        if found.value.is_infinite:
            right = (f, value) == (1 / (sympy.sign(found.value) * found.approach.settling[-1].before), 0)
        else:
            right = found.settled.back(value) == found.value
        if not right:
            raise Unwarranted(f"{plain(found.value)} is not the limit that is proved")
        error = found.relative_error if found.growth is None else found.growth_error
        if self.error is not None and found.settled.back(self.error.statement.shows[2]) != error:
            raise Unwarranted(f"{'none' if error is None else plain(error)} is not the error that is proved")

    @property
    def tends(self) -> Known:
        """The statement that gives the value."""
        return self.stages[-1]

    @property
    def derivation(self) -> Derivation:
        """All that is known of the limit."""
        error = (self.error,) if self.error else ()
        return Derivation((*self.stages, *self.growth, *self.choices, *error, *self.orders))

    @property
    def trust(self) -> str:
        return self.derivation.trust


def prove_limit(found: Limit) -> ProvedLimit:
    """Return the limit with what is known of it.

    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import quantity
    >>> B, D, F = map(quantity, "BDF")
    >>> proved = prove_limit(limit(B*D*F/(B*D + D*F + B*F), "D, F >> B"))
    >>> proved.trust
    'kernel'
    >>> proved.tends.statement.goal[3]                         # the value B
    ('v', 'B')
    >>> [k.statement.goal[2:] for k in prove_limit(limit(D/(D + F), "D >> F >> B")).stages]
    [(('D',), ('q', 1, 1))]
    """
    value = _proved_value(found)
    others = (approach(found.settled.expr, Regime(order).stages) for order, _ in found.orders)
    orders = (replace(k, statement=replace(k.statement, kind="order")) for o in others for k in _stages(o))
    return replace(value, growth=_growth(found), error=_error(found), orders=tuple(orders))


def limit_value_known(found: Limit, growth: bool = False) -> tuple[Known, ...]:
    """Return what the value of a limit alone rests on, and with `growth` how fast it is taken, but not its error.

    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import quantity
    >>> [known.trust for known in limit_value_known(limit(quantity("D")/(quantity("D") + 1), "D -> oo"))]
    ['kernel']
    """
    value = _proved_value(found)
    return (*value.stages, *value.choices, *(_growth(found) if growth else ()))


def _proved_value(found: Limit) -> ProvedLimit:
    choices = tuple(t for small in found.settled.smaller for t in _stages(small))
    return ProvedLimit(found, _stages(found.approach, found.assume), (), choices, None)


def _growth(found: Limit) -> tuple[Known, ...]:
    grows = [s for s in found.approach.stages if s.groups and found.growth is not None]
    return tuple(tends(s.before / s.after, sympy.Integer(1), s.groups, found.assume) for s in grows)


def _stages(found: Approach, assume: Sequence[Boolean] = ()) -> tuple[Known, ...]:
    """Return, stage by stage, that the function tends to what is left of it, up to the stage that gives 0 or oo."""
    made = tuple(tends(s.before, s.value, s.groups, assume) for s in found.settling)
    return made or (tends(found.expr, found.value, ()),)


def tends(expr: sympy.Expr, value: sympy.Expr, groups: Sequence[Group], assume: Sequence[Boolean] = ()) -> Known:
    """Return that an expression tends to a value as groups grow, each at its rate; that it is it, if none does.

    >>> D, F = sympy.symbols("D F", positive=True)
    >>> tends(1/D + 1/F, sympy.Integer(0), [(("D", 1),), (("F", 1),)]).trust
    'kernel'
    """
    shows = f, v = (1 / (sympy.sign(value) * expr), sympy.Integer(0)) if value.is_infinite else (expr, value)
    says = f"{plain(f)} -> {plain(v)} as {towards(groups)}" if groups else f"{plain(f)} = {plain(v)}"
    known = Known(Statement(says, (), Formula("false"), "limit", shows=shows), UNPROVED)
    goals: list[Formula] = []
    for goal in limit_goals(expr, value, groups):
        goals.append(goal)
        known = _by_rule(replace(known.statement, goal=goal))
        if not known.reason:
            return known
    for goal in goals[:-3:-1] if len(groups) == 1 else ():
        with suppress(RoofproofError):
            names = variables(goal).difference(goal[2])
            given = tuple(to_formula(g) for g in assume if {s.name for s in g.free_symbols} <= names)
            said = replace(known.statement, goal=goal, assumptions=given)
            if (by_terms := warranted(said, ByLeadingTerms())) is not None:
                return by_terms
    return known


def limit_goals(expr: sympy.Expr, value: sympy.Expr, groups: Sequence[Group]) -> Iterator[Formula]:
    """Yield that an expression tends to a value, in each form in which `tends` may prove it.

    These are those of a rational function and, where one thing grows, of any other.

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
        with suppress(RoofproofError):  # no rational function
            for form in forms:
                side, limit = term(form), term(value)
                if above:  # as a divisor it has to be positive far out
                    side = Term("/", ONE, side)
                elif term is with_functions and side[:2] == ("/", ONE):  # -1/-g, of whose sign nothing is said
                    yield Formula("tends", Term("/", MINUS, Term("*", MINUS, side[2])), growing, limit)
                yield Formula("tends", side, growing, limit) if growing else Formula("=", side, limit)


def in_roots(
    expr: sympy.Expr, value: sympy.Expr, groups: Sequence[Group]
) -> tuple[sympy.Expr, sympy.Expr, list[Group]]:
    """Return a limit, as one symbol after the other grows, in names for the roots of symbols.

    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> in_roots(1/sympy.sqrt(x) + 1/x, sympy.Integer(0), [(("x", 1),)])                       # r^2 = x
    ((x^(1/2) + 1)/x^(1/2)**2, 0, [(('x^(1/2)', 1),)])
    """
    from roofproof.derive.algebra.radicals import whole_powers

    table = whole_powers([expr, value])
    names = {s.name: power.base.name for s, power in table.items()}
    renamed = [tuple((names.get(n, n), rate) for n, rate in group) for group in groups]
    return sympy.cancel(expr.xreplace(table)) if table else expr, value.xreplace(table), renamed


def _forms(expr: sympy.Expr) -> Iterator[sympy.Expr]:
    """Yield an expression as it stands, as n/d, and as -n/-d: the kernel wants a denominator positive far out."""
    yield expr
    ring = Ring.of(expr)
    num, den = ring.fraction(expr)
    yield ring.expr(num) / ring.expr(den)
    yield ring.expr(-num) / ring.expr(-den)


def together(expr: sympy.Expr, groups: Sequence[Group]) -> tuple[sympy.Expr, tuple[str, ...]]:
    """Return the expression with each group on one growing variable, and these variables.

    >>> x, y, z = sympy.symbols("x y z", positive=True)
    >>> together(x/(y + z), [(("x", 2), ("y", 1)), (("z", 1),)])
    (t**2*x/(t*y + z), ('t', 'z'))
    """
    growing: list[str] = []
    for group in groups:
        expr, t = on_one_variable(expr, group, growing)
        growing.append(t.name)
    return expr, tuple(growing)


def _by_rule(statement: Statement, signs: Sequence[Theorem] = ()) -> Known:
    """Return an equation or a limit as known by the kernel's rule for it, applied with names for opaque parts."""
    table: dict[Term, Term] = {}
    growing = set(statement.goal[2]) if statement.goal[0] == "tends" else set()
    for part in dict.fromkeys(opaque_parts(statement.goal)):
        if growing & variables(part):
            return Known(statement, UNPROVED)  # a name would stand for what does not grow
        table[part] = Term("v", fresh(f"c{len(table) + 1}", statement.names))
    named = replace(statement, goal=exchanged(statement.goal, table), shows=())  # which is shown to nobody
    theorem = by_rule(named, signs).theorem
    if theorem is not None and table:
        proofs = (prove(Formula(">", part, ZERO)) for part in table)
        theorem = kernel.instantiate(theorem, {name: part for part, (_, name) in table.items()})
        theorem = cut(theorem, [proof for proof in proofs if proof is not None])
    return by_kernel(statement, theorem) or Known(statement, UNPROVED)


def opaque_parts(t: object) -> Iterator[Term]:
    """Yield the outermost max, min, roots and roundings in a term or formula."""
    if isinstance(t, tuple):
        if isinstance(t, Term) and t.head in OPAQUE:
            yield t
        else:
            for part in t:
                yield from opaque_parts(part)


def _error(found: Limit) -> Known | None:
    """Return `s (v - f) = e f and e >= 0` for a sign s, so that |v - f| = e f; the equation alone where e is |...|."""
    if found.relative_error is None and found.growth_error is None:
        return None
    f = found.settled.expr
    lead = found.approach.value if found.approach.growth is None else found.approach.growth
    e = relative_error(lead, f, found.assume)
    bare = e.replace(sympy.Abs, lambda inside: inside)
    in_full = sympy.Mul(bare, f, evaluate=False)  # in which the error itself stands, as it is shown
    sizes = sorted(bare.free_symbols | f.free_symbols, key=str)
    whole = [
        *map(to_formula, found.assume),
        *(Formula(">=", Term("v", s.name), Term("q", 1, 1)) for s in sizes if s.is_integer),
    ]
    says = f"{plain(lead)} for {plain(f)} is off by {plain(e)} of it"
    goal = Formula("=", to_term(lead - f), to_term(in_full))
    statement = Statement(says, tuple(whole), goal, "error", shows=(f, lead, e))
    with suppress(RoofproofError):
        below = [sympy.denom(sympy.together(e)) for e in (bare, f)]
        ring = Ring.of(*below)
        # 2N - 1 > 0 needs integers to be 1 at least
        unsure = [to_term(d) for d in dict.fromkeys(below) if sign(ring.fraction(d)[0]) is None]
        there = [Formula("not", Formula("=", to_term(d), ZERO)) for d in below[1:]]  # where f is defined
        signs = [t for d in unsure if (t := _positive(d, whole) or _positive(d, [*whole, *there])) is not None]
        for off, turn in product((in_full, bare * f), (1, -1)):
            goal = Formula("=", to_term(turn * (lead - f)), to_term(off))
            supposed = replace(statement, goal=goal, assumptions=(*whole, *there), shows=())  # the equation alone
            theorem = _by_rule(supposed, signs).theorem
            if theorem is None:
                continue
            if bare == e and e != 0:
                least = Formula(">=", to_term(e), ZERO)
                positive = prove(least) or prove(least, whole)
                goal = Formula("and", goal, least)
                theorem = positive and kernel.propositional(goal, [theorem, positive])
            used = tuple(w for w in (*whole, *there) if theorem is not None and w in theorem.hypotheses)
            said = replace(statement, assumptions=used, goal=goal)
            return by_kernel(said, theorem) or Known(said, UNPROVED)
    return Known(replace(statement, goal=Formula("false")), UNPROVED)


def _positive(divisor: Term, given: Sequence[Formula]) -> Theorem | None:
    return prove(Formula(">", divisor, ZERO), given)
