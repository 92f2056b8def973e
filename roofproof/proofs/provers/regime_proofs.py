"""Proving regimes: each leading term leads in all of its cone, and the bound that they give holds everywhere.

That a term leads is proved for the whole cone at once. With y_i the ratio of the leading monomial to the i-th other
one, f over its leading term is (1 + c_1/y_1 + ...)/(1 + d_1/z_1 + ...), an identity, and that tends to 1 as the ratios
grow, however fast each of them does.
"""

from dataclasses import dataclass

import sympy

from roofproof.derive.limits.error_threshold import Closeness
from roofproof.derive.limits.newton_polytope import Leading, Regimes, extreme
from roofproof.proofs.derivation import Derivation, Proved
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, normal, substitute, term_of
from roofproof.proofs.known import Known, Open, by_kernel
from roofproof.proofs.provers.statements import by_rule, prove_statement
from roofproof.proofs.provers.thresholds import certify
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import ONE, cut, implied
from roofproof.proofs.search.mean_bounds import LARGEST, SCALE, sum_bound, total
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term


@dataclass(frozen=True, slots=True)
class ProvedRegimes:
    """Regimes with their proofs: for each leading term an identity and a limit, and the two bounds.

    >>> from roofproof.derive.limits.newton_polytope import regimes
    >>> from roofproof.symbols import quantity
    >>> B, D, F = map(quantity, "BDF")
    >>> proved = prove_regimes(regimes(B*D*F/(B*D + D*F + B*F)))
    >>> proved.trust
    'kernel'
    >>> proved.lower.theorem
    B > 0, D > 0, F > 0 |- (B*D*F)/(B*D + B*F + D*F) >= 1/3*min(B, D, F)
    """

    found: Regimes
    leading: tuple[tuple[Known, Known], ...]
    lower: Known
    upper: Known

    @property
    def trust(self) -> str:
        """The weakest means by which any part is known."""
        return self.derivation.trust

    @property
    def derivation(self) -> Derivation:
        """All that is known of the regimes."""
        return Derivation((*(k for pair in self.leading for k in pair), self.lower, self.upper))


class ProvedCloseness(Proved[Closeness]):
    """Where a limit is within epsilon of the function, proved of the function itself.

    >>> from roofproof.derive.limits.error_threshold import closeness
    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import quantity
    >>> N = quantity("N")
    >>> print(prove_closeness(closeness(limit(N/(2*N + 1), "N -> oo"), "1/100", "N")))     # 1/(2 N) <= 1/100
    N >= 50
    proved by kernel
    """


def prove_closeness(found: Closeness) -> ProvedCloseness:
    """Prove that |limit - f| <= eps f holds exactly where the cases say, or raise Refuted.

    >>> from roofproof.derive.limits.error_threshold import closeness
    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import quantity
    >>> B, D, F = map(quantity, "BDF")
    >>> tends = limit(B*D*F/(B*D + D*F + B*F), "D, F >> B")
    >>> print(prove_closeness(closeness(tends, "1 %", "D", along={"F": D})))
    D >= 200*B
    proved by kernel
    """
    return ProvedCloseness(found, certify(found.statement, found.cases))


def prove_regimes(found: Regimes) -> ProvedRegimes:
    """Return the regimes with their proofs: by the kernel where its tactics reach, else by the z3 oracle.

    >>> from roofproof.derive.limits.newton_polytope import regimes
    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> proved = prove_regimes(regimes(x/(x + y)))                      # 1 or x/y, and half of the lesser at least
    >>> [str(limit.theorem) for _, limit in proved.leading][0]
    '|- (1)/(1 + 1/y1) -> 1 as y1 -> oo'

    Raises Refuted, with a counterexample, for a bound that does not hold.
    """
    return ProvedRegimes(
        found,
        tuple(_leads(found.expr, term) for term in found.terms),
        prove_bound(found, "lower"),
        prove_bound(found, "upper"),
    )


def _leads(expr: sympy.Expr, term: Leading) -> tuple[Known, Known]:
    """Return `f / lead = r(ratios)` and `r(y) -> 1` as every y grows."""
    ratios: list[sympy.Expr] = []
    sides: list[Term] = []
    growing = {name for name, _ in term.rates}
    for first, *others in (term.above, term.below):
        parts = [ONE]
        for other in others:
            small = other / first  # c/y, where c is free of what may grow
            c, rest = small.as_independent(*(s for s in small.free_symbols if s.name in growing), as_Add=False)
            ratios.append(1 / rest)
            parts.append(Term("/", to_term(c), Term("v", f"y{len(ratios)}")))
        sides.append(Term("+", *parts))
    ys = [f"y{i}" for i in range(1, len(ratios) + 1)]
    quotient = Term("/", *sides)
    values = dict(zip(ys, map(to_term, ratios), strict=True))
    same = Formula("=", to_term(expr / term.term), substitute(quotient, values))
    whole = Statement("what a leading term leaves", (), same, "leading")
    goal: Formula = Formula("tends", quotient, tuple(ys), ONE) if ys else Formula("=", quotient, ONE)
    tends = Statement("what it leaves tends to 1", (), goal, "leading")
    if {s.name for s in expr.free_symbols}.intersection(ys):
        taken = Open("a name of a ratio is taken")
        return Known(whole, taken), Known(tends, taken)
    return by_rule(whole), by_rule(tends)


def prove_bound(found: Regimes, side: str) -> Known:
    """Return the proof of `low * envelope <= f` (lower) or `f <= high * envelope` (upper)."""
    f, scaled = to_term(found.expr), _times(found.low if side == "lower" else found.high, to_term(found.envelope))
    goal: Formula = Formula(">=", f, scaled) if side == "lower" else Formula(">=", scaled, f)
    try:
        theorem = _Bounds(found).lower(goal) if side == "lower" else _Bounds(found).upper(goal)
    except KernelError:
        theorem = None
    least = tuple(Formula(">=", Term("v", s.name), Term("q", 1, 1)) for s in found.sizes)
    statement = Statement(f"{side} bound", least if theorem is None or set(least) & theorem.hypotheses else (), goal)
    return by_kernel(statement, theorem) or prove_statement(statement)


class _Bounds:
    """The steps from P and Q, of f = P/Q, to f itself; s = min(u/v, ...) for each leading u, and the largest s."""

    def __init__(self, found: Regimes) -> None:
        self.found = found
        self.f = to_term(found.expr)
        self.names = sorted({s.name for s in found.expr.free_symbols})
        self.P, self.Q = total(found.above), total(found.below)
        self.envelope = to_term(found.envelope)
        tops, bottoms = ([t for t, _ in side.leading] for side in (found.above, found.below))
        self.bottoms = list(map(to_term, bottoms))
        self.parts = [(to_term(extreme(sympy.Min, [u / v for v in bottoms])), to_term(u)) for u in tops]  # (s, u)
        if self.envelope[0] == "max" and {s for s, _ in self.parts} == set(self.envelope[1:]):
            self.parts.sort(key=lambda part: self.envelope.index(part[0]))
        self.fd = _bottom(self.f)

    def upper(self, goal: Formula) -> Theorem | None:
        """M = S Q is at least every u, so K S Q >= P."""
        bound = sum_bound(self.found.above)
        if bound is None or bound[0] != self.found.high:
            return None
        k, theorem = bound
        largest = self.envelope
        facts = [kernel.arith(Formula(">", ONE, ZERO))]
        for s, u in self.parts:
            reaches = tactics.prove(Formula(">=", Term("*", s, self.Q), u))  # whichever of the u/v is s: u Q >= u v
            if reaches is None:
                return None
            meaning = [kernel.definition(largest) if largest != s else kernel.arith(Formula(">=", s, s))]
            least = kernel.propositional(Formula(">=", largest, s), meaning)
            steps = [(self.Q, [0]), (ONE, [1])]  # S Q - u = (S - s) Q + (s Q - u)
            above = Formula(">=", Term("*", largest, self.Q), Term("*", ONE, u))
            facts.append(kernel.arith(above, [least, reaches], steps, self.names, _bottom(s)))
        made = cut(kernel.instantiate(theorem, {LARGEST: Term("*", largest, self.Q), SCALE: ONE}), facts)
        return kernel.arith(Formula(">=", _times(k, largest), self.f), [made], [(self.fd, [0])], self.names, self.Q)

    def lower(self, goal: Formula) -> Theorem | None:
        """M = P is at least s v for every v, so K P >= s Q for each s."""
        bound = sum_bound(self.found.below)
        if bound is None or 1 / bound[0] != self.found.low:
            return None
        k, theorem = bound
        made_each = []
        for s, _ in self.parts:
            steps = [Formula(">=", self.P, Term("*", s, v)) for v in self.bottoms]
            facts = [t for f in [Formula(">", s, ZERO), *steps] if (t := tactics.prove(f)) is not None]
            made = cut(kernel.instantiate(theorem, {LARGEST: self.P, SCALE: s}), facts)
            made_each.append(self.divided(Formula(">=", self.f, _times(1 / k, s)), made, to_term(k)))
        if len(self.parts) == 1:
            return made_each[0]
        largest = Term("max", *(s for s, _ in self.parts))
        known = [*made_each, kernel.definition(largest)]
        for s in largest[1:]:  # f >= c s, and the largest is s
            f, one, most = (Term("v", n) for n in ("f'", "s'", "m'"))
            given = [Formula(">=", f, _times(1 / k, one)), Formula("=", most, one)]
            weights = [(ONE, [0]), (to_term(-1 / k), [1])]
            general = implied(given, Formula(">=", f, _times(1 / k, most)), weights)
            known.append(kernel.instantiate(general, {"f'": self.f, "s'": s, "m'": largest}))
        stated = kernel.propositional(Formula(">=", self.f, _times(1 / k, largest)), known)
        return stated if stated.conclusion == goal else tactics.prove(goal, (), [stated])

    def divided(self, goal: Formula, product: Theorem, k: Term) -> Theorem:
        """From `k P >= s Q` infer `P/Q >= s/k`."""
        scale = Term("*", k, self.Q)
        try:
            return kernel.arith(goal, [product], [(self.fd, [0])], self.names, scale)
        except KernelError:  # f and s have one denominator
            return kernel.arith(goal, [product], [(ONE, [0])], self.names, scale)


def _times(factor: sympy.Rational, term: Term) -> Term:
    return term if factor == 1 else Term("*", to_term(factor), term)


def _bottom(s: Term) -> Term:
    return term_of(normal(s, [])[1])
