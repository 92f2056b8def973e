"""Proving regimes: each leading term leads in all of its cone, and the bound that they give holds everywhere.

That a term leads is proved for the whole cone at once. With y_i the ratio of the leading monomial to the i-th other
one, f over its leading term is (1 + c_1/y_1 + ...)/(1 + d_1/z_1 + ...), an identity, and that tends to 1 as the ratios
grow, however fast each of them does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy

from roofproof.derive.limits.error_threshold import Closeness
from roofproof.derive.limits.newton_polytope import Leading, Regimes
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    ZERO,
    Formula,
    KernelError,
    Polynomial,
    Term,
    minus,
    normal,
    substitute,
    term_of,
    variables,
)
from roofproof.proofs.known import ByKernel, Known, Open, by_kernel
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.thresholds import certify
from roofproof.proofs.search import tactics
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


@dataclass(frozen=True, slots=True)
class ProvedCloseness:
    """Where a limit is within epsilon of the function, proved of the function itself.

    >>> from roofproof.derive.limits.error_threshold import closeness
    >>> from roofproof.derive.limits.limits import limit
    >>> from roofproof.symbols import quantity
    >>> N = quantity("N")
    >>> print(prove_closeness(closeness(limit(N/(2*N + 1), "N -> oo"), "1/100", "N")))     # 1/(2 N) <= 1/100
    N >= 50
    proved by kernel
    """

    found: Closeness
    derivation: Derivation

    @property
    def trust(self) -> str:
        """The weakest means by which any part is known."""
        return self.derivation.trust

    def __str__(self) -> str:
        return f"{self.found.cases}\nproved by {self.trust}"


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
    for first, *rest in (term.above, term.below):
        parts: list[Term] = [("q", 1, 1)]
        for other in rest:
            c, ratio = _split(other / first, [name for name, _ in term.rates])
            ratios.append(ratio)
            parts.append(("/", to_term(c), ("v", f"y{len(ratios)}")))
        sides.append(("+", *parts))
    ys = [f"y{i}" for i in range(1, len(ratios) + 1)]
    names = sorted({s.name for s in expr.free_symbols})
    quotient: Term = ("/", *sides)
    values = dict(zip(ys, map(to_term, ratios), strict=True))
    one: Term = ("q", 1, 1)
    lead = to_term(expr / term.term)
    whole = Statement("what a leading term leaves", (), ("=", lead, substitute(quotient, values)), "leading")
    goal: Formula = ("tends", quotient, tuple(ys), one) if ys else ("=", quotient, one)
    tends = Statement("what it leaves tends to 1", (), goal, "leading")
    try:
        if set(ys) & set(names):
            raise KernelError("a name of a ratio is taken")
        same = kernel.identity(lead, whole.goal[2], names)
        taken = sorted(variables(quotient))
        limit = kernel.tends(quotient, ys, one, taken) if ys else kernel.identity(quotient, one, names)
        return Known(whole, ByKernel(same)), Known(tends, ByKernel(limit))
    except KernelError as error:
        return Known(whole, Open(str(error))), Known(tends, Open(str(error)))


def _split(small: sympy.Expr, growing: Sequence[str]) -> tuple[sympy.Expr, sympy.Expr]:
    """Return (c, y) with small = c / y, where c is free of what may grow."""
    c, rest = small.as_independent(*(s for s in small.free_symbols if s.name in growing), as_Add=False)
    return c, 1 / rest


def prove_bound(found: Regimes, side: str) -> Known:
    """Return the proof of `low * envelope <= f` (lower) or `f <= high * envelope` (upper)."""
    f, envelope = to_term(found.expr), to_term(found.envelope)
    factor = to_term(found.low if side == "lower" else found.high)
    scaled: Term = envelope if factor == ("q", 1, 1) else ("*", factor, envelope)
    goal: Formula = (">=", f, scaled) if side == "lower" else (">=", scaled, f)
    try:
        theorem = _Bounds(found).lower(goal) if side == "lower" else _Bounds(found).upper(goal)
    except KernelError:
        theorem = None
    least = tuple((">=", ("v", s.name), ("q", 1, 1)) for s in found.sizes)
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
        self.parts: list[tuple[Term, Term, list[tuple[Term, Term]]]] = []  # (s, u, [(u/v, v), ...])
        for u in tops:
            ratios = [u / v for v in bottoms]
            pairs = [(to_term(r), to_term(v)) for r, v in zip(ratios, bottoms, strict=True)]
            self.parts.append((to_term(_least(ratios)), to_term(u), pairs))
        if self.envelope[0] == "max" and {s for s, _, _ in self.parts} == set(self.envelope[1:]):
            self.parts.sort(key=lambda part: self.envelope.index(part[0]))
        divisors: list[Polynomial] = []
        _, fd = normal(self.f, divisors)
        self.fd = term_of(fd)

    def upper(self, goal: Formula) -> Theorem | None:
        """M = S Q is at least every u, so K S Q >= P."""
        bound = sum_bound(self.found.above)
        if bound is None or bound[0] != self.found.high:
            return None
        k, theorem = bound
        largest = self.envelope
        made = kernel.instantiate(theorem, {LARGEST: ("*", largest, self.Q), SCALE: ("q", 1, 1)})
        made = _supplied(made, (">", ("q", 1, 1), ZERO), kernel.arith((">", ("q", 1, 1), ZERO)))
        for s, u, pairs in self.parts:
            reaches = self.reaches(s, u, pairs)
            goal_u: Formula = (">=", ("*", largest, self.Q), ("*", ("q", 1, 1), u))
            if s == largest:
                above = kernel.arith(goal_u, [reaches], [(("q", 1, 1), [0])], self.names)
            else:
                least = kernel.propositional((">=", largest, s), [kernel.definition(largest)])
                bottom = _bottom(s)
                steps = [(self.Q, [0]), (("q", 1, 1), [1])]  # S Q - u = (S - s) Q + (s Q - u)
                above = kernel.arith(goal_u, [least, reaches], steps, self.names, bottom)
            made = _supplied(made, goal_u, above)
        scaled: Term = largest if k == 1 else ("*", to_term(k), largest)
        return kernel.arith((">=", scaled, self.f), [made], [(self.fd, [0])], self.names, self.Q)

    def reaches(self, s: Term, u: Term, pairs: Sequence[tuple[Term, Term]]) -> Theorem:
        """Return `s Q >= u`, whichever of the u/v is the least: u Q >= u v."""
        goal: Formula = (">=", ("*", s, self.Q), u)
        if s[0] != "min":
            return kernel.arith(goal, positive=self.names)
        meaning, cases = kernel.definition(s), []
        for ratio, v in pairs:
            top, bottom = (term_of(p) for p in normal(ratio, []))
            equal: Formula = ("=", s, ratio)
            rest: Term = ("*", top, minus(self.Q, v))
            theorem = kernel.arith(
                goal, [kernel.assume(equal)], [(self.Q, [0]), (rest, [])], self.names, bottom
            )  # d (s Q - u) = (s d - n) Q + n (Q - v), where u/v = n/d
            cases.append(kernel.discharge(theorem, equal))
        return kernel.propositional(goal, [meaning, *cases])

    def lower(self, goal: Formula) -> Theorem | None:
        """M = P is at least s v for every v, so K P >= s Q for each s."""
        bound = sum_bound(self.found.below)
        if bound is None or 1 / bound[0] != self.found.low:
            return None
        k, theorem = bound
        low = to_term(self.found.low)
        made_each = []
        for s, u, pairs in self.parts:
            made = kernel.instantiate(theorem, {LARGEST: self.P, SCALE: s})
            above_zero: Formula = (">", s, ZERO)
            positive = tactics.prove(above_zero)
            if positive is None:
                return None
            made = _supplied(made, above_zero, positive)
            for ratio, v in pairs:
                bottom = _bottom(ratio)
                step: Formula = (">=", self.P, ("*", s, v))
                rest: Term = ("*", bottom, minus(self.P, u))
                if s[0] == "min":  # d (P - s v) = v (n - s d) + d (P - u)
                    least = kernel.propositional((">=", ratio, s), [kernel.definition(s)])
                    held = kernel.arith(step, [least], _nonzero([(v, [0]), (rest, [])]), self.names, bottom)
                else:
                    held = kernel.arith(step, [], _nonzero([(rest, [])]), self.names)
                made = _supplied(made, step, held)
            each: Formula = (">=", self.f, s if k == 1 else ("*", low, s))
            made_each.append(self.divided(each, made, to_term(k)))
        if len(self.parts) == 1:
            return made_each[0]
        variables_for: dict[str, Term] = {"f": self.f} | {f"s{i}": s for i, (s, _, _) in enumerate(self.parts)}
        ss: list[Term] = [("v", n) for n in variables_for if n != "f"]
        scaled = [t if k == 1 else ("*", low, t) for t in (("max", *ss), *ss)]
        return _chained((">=", ("v", "f"), scaled[0]), [(">=", ("v", "f"), t) for t in scaled[1:]],
                        variables_for, goal, made_each)  # fmt: skip

    def divided(self, goal: Formula, product: Theorem, k: Term) -> Theorem:
        """From `k P >= s Q` infer `P/Q >= s/k`."""
        scale: Term = ("*", k, self.Q)
        try:
            return kernel.arith(goal, [product], [(self.fd, [0])], self.names, scale)
        except KernelError:  # f and s have one denominator
            return kernel.arith(goal, [product], [(("q", 1, 1), [0])], self.names, scale)


def _supplied(theorem: Theorem, hypothesis: Formula, proved: Theorem) -> Theorem:
    """Replace a hypothesis by its proof."""
    return kernel.propositional(theorem.conclusion, [kernel.discharge(theorem, hypothesis), proved])


def _nonzero(certificate: list[tuple[Term, list[int]]]) -> list[tuple[Term, list[int]]]:
    return [(m, chosen) for m, chosen in certificate if normal(m, [])[0]]


def _bottom(s: Term) -> Term:
    return term_of(normal(s, [])[1])


def _least(parts: Sequence[sympy.Expr]) -> sympy.Expr:
    parts = list(dict.fromkeys(parts))
    return sympy.Min(*parts, evaluate=False) if len(parts) > 1 else parts[0]


def _chained(
    general: Formula, parts: Sequence[Formula], values: Mapping[str, Term], goal: Formula, known: Sequence[Theorem]
) -> Theorem | None:
    """Prove that the parts give the goal with names for terms, then put the terms in; the parts are known."""
    theorem = tactics.prove(("=>", ("and", *parts), general))
    if theorem is None:
        return None
    made = kernel.instantiate(theorem, values)
    for hypothesis in theorem.hypotheses:
        said = substitute(hypothesis, values)
        proved = tactics.prove(said)
        if proved is None:
            return None
        made = _supplied(made, said, proved)
    stated = kernel.propositional(substitute(general, values), [made, *known])
    return stated if stated.conclusion == goal else tactics.prove(goal, (), [stated])
