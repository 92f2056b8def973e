"""Proofs of minima and maxima: the bound holds at every point, is attained at the claimed point, and only there."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.extrema import pieces
from roofproof.derive.limits.theorems import in_roots, tends
from roofproof.derive.optima.constraints import Domain, domain_of, related_after
from roofproof.derive.optima.extremum import Approached, Attained, Empty, Extremum, Outcome
from roofproof.derive.optima.optima import as_quantities, negated, outcome_as_quantities
from roofproof.derive.optima.optimum_search import univariate
from roofproof.errors import RoofproofError
from roofproof.proofs.derivation import Derivation, Proved
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, substitute
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.provers.optimum_refuted import refuse_wrong
from roofproof.proofs.provers.optimum_stages import Stage, StageProof, chained, in_names
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.thresholds import cover
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import maximum_is
from roofproof.proofs.search.roots import NamedRoots
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, to_term
from roofproof.symbols import quantity


class ProvedExtremum(Proved[Extremum]):
    """A minimum or maximum with its proofs and the weakest trust among them.

    >>> from roofproof.derive.optima.optima import minimum
    >>> from roofproof.symbols import quantity
    >>> a, b, x = map(quantity, "abx")
    >>> proved = prove_extremum(minimum(a*x + b/x, x))                    # (sqrt(a) x - sqrt(b))^2 / x >= 0
    >>> proved.trust
    'kernel'
    >>> for proof in proved.derivation.known:
    ...     print(proof.statement.says, "by", proof.trust)
    a*x + b/x >= 2*sqrt(a)*sqrt(b) by kernel
    a*x + b/x = 2*sqrt(a)*sqrt(b) at x = sqrt(b)/sqrt(a) by kernel
    a*x + b/x > 2*sqrt(a)*sqrt(b) elsewhere by kernel
    """


def prove_extremum(found: Extremum) -> ProvedExtremum:
    """Prove every case of a minimum or maximum, or raise Refuted with a better point.

    >>> from dataclasses import replace
    >>> from roofproof.derive.optima.optima import minimum
    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> right = minimum(x + 4/x, x)                                      # 4 at x = 2
    >>> wrong = replace(right, cases=((sympy.true, Attained(sympy.Integer(5), ((x, sympy.Integer(4)),))),))
    >>> prove_extremum(wrong)
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: x + 4/x >= 5: false at x = 2

    The proved statements are about positive reals. Raises RoofproofError for anything that cannot be stated.
    """
    _, (f, *rest) = as_quantities(found.expr, *found.subject_to, *found.assume)
    constraints, assume = rest[: len(found.subject_to)], rest[len(found.subject_to) :]
    domain = domain_of(tuple(quantity(s.name) for s in found.over), constraints)
    f = domain.without_dependents(f)
    parts = [r for c in constraints for r in sympy.And.make_args(c) if r not in (sympy.true, sympy.false)]
    related = [related_after(domain, r) for r in parts if not isinstance(r, sympy.Equality)]
    bounds = [r for r in related if r not in (True, False)]
    bounds += [sympy.Gt(v, 0, evaluate=False) for _, v in domain.dependent if not v.is_positive]
    proofs: list[Known] = []
    whens = []
    for when, outcome in found.cases:
        _, (when,) = as_quantities(when)
        whens.append(when)
        outcome = outcome_as_quantities(outcome, found.over)
        case = _Case(f if found.sense == "minimum" else -f, domain, (*assume, when), bounds, found.sense)
        proofs += case.prove(outcome if found.sense == "minimum" else negated(outcome))
    if len(whens) > 1 or whens[0] != sympy.true:
        roots = NamedRoots([*whens, *assume])
        made = [to_formula(roots.to_names(w)) for w in whens]
        given = (*roots.relations, *(to_formula(roots.to_names(a)) for a in assume))
        proofs += map(prove_statement, cover(made, given))
    return ProvedExtremum(found, Derivation(tuple(proofs)))


def stages_of(f: sympy.Expr, domain: Domain, given: Sequence[Boolean], outcome: Attained) -> list[Stage] | None:
    """Return one stage per unknown, last unknown first, or None if an inner minimum has no closed form.

    >>> from roofproof.derive.optima.optima import minimum
    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> found = minimum(x + y + 1/(x*y), (x, y))                             # over y first: x + 2/sqrt(x)
    >>> [stage.x for stage in stages_of(found.expr, domain_of((x, y), ()), (), found.cases[0][1])]
    [y, x]
    """
    at, left, out = dict(outcome.at), list(domain.free), []
    while len(left) > 1:
        x = left.pop()
        try:
            [(_, inner)] = univariate(f, Domain((x,)), given)
        except (RoofproofError, ValueError):
            return None
        if not isinstance(inner, Attained):
            return None
        out.append(Stage(f, x, inner.at[0][1], inner.value))
        f = inner.value
    return [*out, Stage(f, left[0], at[left[0]], outcome.value)]


class _Case:
    def __init__(
        self, f: sympy.Expr, domain: Domain, given: Sequence[Boolean], bounds: Sequence[Boolean], sense: str
    ) -> None:
        self.f, self.domain, self.bounds, self.sense = f, domain, bounds, sense
        self.given = [g for g in given if g != sympy.true]
        self.all = [*self.given, *bounds]

    def prove(self, outcome: Outcome) -> Iterator[Known]:
        match outcome:
            case Attained():
                return self.attained(outcome)
            case Approached():
                return self.approached(outcome)
            case Empty():
                return iter([self.direct("no point meets the constraints", self.all, sympy.false)])
        goal = f"1/({plain(-self.f)}) -> 0"
        return iter([self.limit(goal, self.f, -sympy.oo, outcome.towards)])

    def refuse(self, says: str, outcome: Attained | Approached, taken: str = "") -> None:
        refuse_wrong(says, self.f, self.domain.free, self.given, self.bounds, outcome, taken)

    # --- a value that is attained ---------------------------------------------------------------------

    def attained(self, outcome: Attained) -> Iterator[Known]:
        at = dict(outcome.at)
        f, v = self.said(self.f), self.said(outcome.value)
        more, equal = (">=", ">") if self.sense == "minimum" else ("<=", "<")
        says = f"{f} {more} {v}"
        free = {x: at[x] for x in self.domain.free}
        stages = stages_of(self.f, self.domain, self.given, outcome)
        bound = self.by_gaps(stages, says, strict=False)
        where = ", ".join(f"{s} = {plain(e)}" for s, e in outcome.at)
        taken = f"{f} = {v} at {where}"
        if bound is None:
            self.refuse(says, outcome, taken)
        yield bound or self.direct(says, self.all, sympy.Ge(self.f, outcome.value, evaluate=False))
        yield self.value_taken(taken, outcome, free)
        for b in self.bounds:
            there = type(b)(*(side.xreplace(free) for side in b.args), evaluate=False)
            yield self.direct(f"{plain(b)} at {where}", self.given, there)
        for x, e in outcome.at:
            if not e.is_positive:
                yield self.direct(f"{x} > 0 at {where}", self.given, sympy.Gt(e, 0, evaluate=False))
        if outcome.unique:
            elsewhere = f"{f} {equal} {v} elsewhere"
            equations = [sympy.Eq(x, e, evaluate=False) for x, e in free.items()]
            goal = sympy.Or(sympy.And(*equations), sympy.Gt(self.f, outcome.value, evaluate=False))
            yield self.by_gaps(stages, elsewhere, strict=True) or self.direct(elsewhere, self.all, goal)

    def by_gaps(self, stages: list[Stage] | None, says: str, strict: bool) -> Known | None:
        """Prove `given, bounds |- f >= value` (strict: `at the point, or f > value`) by the kernel, or return None."""
        if stages is None:
            return None
        exprs = [e for s in stages for e in (s.f, s.s, s.value)]
        roots, points = in_names([*exprs, *self.all], [(s.x, s.s) for s in stages])
        given = [to_formula(roots.named(g)) for g in self.all]
        loose: list[Theorem] = []
        sharp: list[Theorem] = []
        wanted = [(True, sharp)] if strict else [(False, loose)]
        if strict and len(stages) > 1:
            wanted.insert(0, (False, loose))
        for stage, point in zip(stages, points, strict=True):
            for kind, made in wanted:
                theorem = StageProof(roots, stage, point, given, kind).prove()
                if theorem is None:
                    return None
                made.append(theorem)
        values = [to_term(roots.named(e)) for e in (stages[0].f, *(s.value for s in stages))]
        theorem = chained(values, loose, sharp)
        goal = Formula(">" if strict else ">=", values[0], values[-1])
        if strict and theorem.conclusion[0] == "or":
            sides = [(roots.unknown(s.x), roots.named(p)) for s, p in zip(stages, points, strict=True)]
            equations = [Formula("=", to_term(x), to_term(at)) for x, at in sides]
            goal = Formula("or", equations[0] if len(equations) == 1 else Formula("and", *equations), goal)
        return by_kernel(*roots.statement_with_roots(says, theorem, goal, given))

    def value_taken(self, says: str, outcome: Attained, free: dict[sympy.Symbol, sympy.Expr]) -> Known:
        """Prove f = value with the point substituted for the unknowns."""
        exprs = [self.f, outcome.value, *free.values(), *self.given]
        roots, points = in_names(exprs, list(free.items()))
        table = {roots.unknown(x).name: to_term(roots.named(e)) for x, e in zip(free, points, strict=True)}
        table |= {x.name: to_term(roots.named(e)) for x, e in free.items()}
        value = to_term(roots.named(outcome.value))
        goal = Formula("=", substitute(to_term(roots.named(self.f)), table), value)
        statement = Statement(says, (*roots.relations, *self._inner(roots, self.given)), roots.formula(goal))
        theorem = roots.equal(roots.formula(goal)) or self._equal_by_pieces(roots, table, statement)
        if theorem is not None:
            given = [to_formula(roots.named(g)) for g in self.given]
            try:
                known = by_kernel(
                    *roots.statement_with_roots(says, roots.to_parameters(theorem, goal, given), goal, given)
                )
            except KernelError:  # maxima are opaque: a theorem about them in names cannot be translated back
                known = by_kernel(statement, theorem)
            if known is not None:
                return known
        self.refuse(says, outcome, says)
        return prove_statement(statement)

    def _equal_by_pieces(self, roots: NamedRoots, table: dict[str, Term], wanted: Statement) -> Theorem | None:
        """Prove max(g, ...) = value: some pieces equal the value, and the tactics bound the others."""
        try:
            _, parts = pieces(self.f, frozenset(s.name for s in self.f.free_symbols))
        except RoofproofError:
            return None
        top, v = wanted.goal[1:]
        terms = [roots.formula(substitute(to_term(roots.named(g)), table)) for g in parts]
        tried = [
            roots.equal(Formula("=", t, v)) or tactics.prove(Formula(">=", v, t), wanted.assumptions) for t in terms
        ]
        lemmas = [lemma for lemma in tried if lemma is not None]
        try:
            return maximum_is(top, v, lemmas)
        except KernelError:
            return tactics.prove(wanted.goal, wanted.assumptions, lemmas)

    # --- a value that is not attained -----------------------------------------------------------------

    def approached(self, outcome: Approached) -> Iterator[Known]:
        f, v = self.said(self.f), self.said(outcome.value)
        says = f"{f} {'>' if self.sense == 'minimum' else '<'} {v}"
        known = None
        ends = [(x, e) for x, e in outcome.towards if e not in (0, sympy.oo)]
        if len(self.domain.free) == 1 and ends:
            stage = Stage(self.f, ends[0][0], ends[0][1], outcome.value)
            known = self.by_gaps([stage], says, strict=True)
        self.refuse(says, outcome)
        yield known or self.direct(says, self.all, sympy.Gt(self.f, outcome.value, evaluate=False))
        yield self.limit(f"{f} -> {v}", self.f, outcome.value, outcome.towards)

    def limit(
        self, says: str, f: sympy.Expr, value: sympy.Expr, towards: Sequence[tuple[sympy.Symbol, sympy.Expr]]
    ) -> Known:
        """Prove a limit, after substituting the finite points."""
        at = {x: e for x, e in towards if e not in (0, sympy.oo)}
        groups = [((x.name, 1 if e == sympy.oo else -1),) for x, e in towards if x not in at]
        known = tends(*in_roots(self._eased(f.xreplace(at)), self._eased(value), groups))
        where = ", ".join(f"{x} -> {plain(e)}" for x, e in towards)
        says = f"{says} as {where}" if where else f"{says} along some path"
        return replace(known, statement=replace(known.statement, about=says))

    def _eased(self, f: sympy.Expr) -> sympy.Expr:
        """Apply the conditions of the case: replace a by b for a = b, and by b + d with d > 0 for a > b."""
        for g in self.given:
            for small, large in ((g.lts, g.gts),) if isinstance(g, sympy.Gt | sympy.Lt) else ():
                if large.is_Symbol and large not in small.free_symbols:
                    f = f.xreplace({large: small + quantity(f"{large} - ({plain(small)})")})
            if isinstance(g, sympy.Equality) and g.lhs.is_Symbol:
                f = f.xreplace({g.lhs: g.rhs})
        return f

    # --- shared ---------------------------------------------------------------------------------------

    def said(self, e: sympy.Expr) -> str:
        return plain(-e if self.sense == "maximum" else e)

    def _inner(self, roots: NamedRoots, conditions: Sequence[Boolean]) -> list[Formula]:
        return [roots.formula(to_formula(roots.named(c))) for c in conditions]

    def direct(self, says: str, given: Sequence[Boolean], goal: Boolean) -> Known:
        """Prove a statement, with names for its roots, by the tactics, else by z3."""
        roots = NamedRoots([goal, *given])
        inner = roots.formula(to_formula(roots.named(goal)))
        return prove_statement(Statement(says, (*roots.relations, *self._inner(roots, given)), inner))
