"""Proving regimes: each leading term leads in all of its cone, and the bound that they give holds everywhere.

That a term leads is proved for the whole cone at once. With y_i the ratio of the leading monomial to the i-th other
one, f over its leading term is (1 + c_1/y_1 + ...)/(1 + d_1/z_1 + ...), an identity, and that tends to 1 as the ratios
grow, however fast each of them does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy

from roofproof.derive.error_threshold import Closeness
from roofproof.derive.leading_terms import Leading, Regimes
from roofproof.proofs import kernel, tactics
from roofproof.proofs.certify import TRUST, Certificate, Obligation, Proof, certify, prove_obligation
from roofproof.proofs.kernel import Theorem
from roofproof.proofs.terms import Formula, KernelError, Term, substitute, variables
from roofproof.proofs.translate import to_term


@dataclass(frozen=True, slots=True)
class ProvedRegimes:
    """Regimes with their proofs: for each leading term an identity and a limit, and the two bounds.

    >>> from roofproof.derive.leading_terms import regimes
    >>> from roofproof.symbols import quantity
    >>> B, D, F = map(quantity, "BDF")
    >>> proved = prove_regimes(regimes(B*D*F/(B*D + D*F + B*F)))
    >>> proved.trust
    'kernel'
    >>> proved.lower.theorem
    B > 0, D > 0, F > 0 |- (B*D*F)/(B*D + B*F + D*F) >= 1/3*min(B, D, F)
    """

    found: Regimes
    leading: tuple[tuple[Theorem, Theorem] | None, ...]
    lower: Proof
    upper: Proof

    @property
    def trust(self) -> str:
        """The weakest means by which any part is known."""
        if any(pair is None for pair in self.leading):
            return "undecided"
        return max((self.lower.trust, self.upper.trust), key=TRUST.index)


@dataclass(frozen=True, slots=True)
class ProvedCloseness:
    """Where a limit is within epsilon of the function, proved of the function itself.

    >>> from roofproof.derive.error_threshold import closeness
    >>> from roofproof.derive.limits import limit
    >>> from roofproof.symbols import quantity
    >>> N = quantity("N")
    >>> print(prove_closeness(closeness(limit(N/(2*N + 1), "N -> oo"), "1/100", "N")))     # 1/(2 N) <= 1/100
    N >= 50
    proved by kernel
    """

    found: Closeness
    certificate: Certificate

    @property
    def trust(self) -> str:
        """The weakest means by which any part is known."""
        return self.certificate.trust

    def __str__(self) -> str:
        return f"{self.found.cases}\nproved by {self.trust}"


def prove_closeness(found: Closeness) -> ProvedCloseness:
    """Prove that |limit - f| <= eps f holds exactly where the cases say, or raise Refuted.

    >>> from roofproof.derive.error_threshold import closeness
    >>> from roofproof.derive.limits import limit
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

    >>> from roofproof.derive.leading_terms import regimes
    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> proved = prove_regimes(regimes(x/(x + y)))                      # 1 or x/y, and half of the lesser at least
    >>> [str(limit) for _, limit in proved.leading][0]
    '|- (1)/(1 + 1/y1) -> 1 as y1 -> oo'

    Raises Refuted, with a counterexample, for a bound that does not hold.
    """
    return ProvedRegimes(
        found,
        tuple(_leads(found.expr, term) for term in found.terms),
        prove_bound(found, "lower"),
        prove_bound(found, "upper"),
    )


def _leads(expr: sympy.Expr, term: Leading) -> tuple[Theorem, Theorem] | None:
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
    if set(ys) & set(names):
        return None
    quotient: Term = ("/", *sides)
    values = dict(zip(ys, map(to_term, ratios), strict=True))
    try:
        whole = kernel.identity(to_term(expr / term.term), substitute(quotient, values), names)
        if not ys:
            return whole, kernel.identity(quotient, ("q", 1, 1), names)
        return whole, kernel.tends(quotient, ys, ("q", 1, 1), sorted(variables(quotient)))
    except KernelError:
        return None


def _split(small: sympy.Expr, growing: Sequence[str]) -> tuple[sympy.Expr, sympy.Expr]:
    """Return (c, y) with small = c / y, where c is free of what may grow."""
    c, rest = small.as_independent(*(s for s in small.free_symbols if s.name in growing), as_Add=False)
    return c, 1 / rest


def prove_bound(found: Regimes, side: str) -> Proof:
    """Return the proof of `low * envelope <= f` (lower) or `f <= high * envelope` (upper)."""
    f, envelope = to_term(found.expr), to_term(found.envelope)
    factor = to_term(found.low if side == "lower" else found.high)
    scaled: Term = envelope if factor == ("q", 1, 1) else ("*", factor, envelope)
    goal: Formula = (">=", f, scaled) if side == "lower" else (">=", scaled, f)
    says = f"{side} bound"
    least = tuple((">=", ("v", s.name), ("q", 1, 1)) for s in found.sizes)
    single = len(found.above) == 1 or len(found.below) == 1
    theorem = tactics.prove(goal) if single else None
    if theorem is None:
        theorem = (_lower if side == "lower" else _upper)(found, f, factor, goal, least)
    obligation = Obligation(says, least if theorem is None or set(least) & theorem.hypotheses else (), goal)
    if theorem is not None:
        return Proof(obligation, "kernel", theorem)
    return prove_obligation(obligation)


def _upper(found: Regimes, f: Term, factor: Term, goal: Formula, least: Sequence[Formula]) -> Theorem | None:
    """K max(u) >= P and s_a >= u_a/Q give K max(s) >= P/Q."""
    values = _values(found, f)
    us, ss = _pick(values, "u"), _pick(values, "s")
    parts: list[Formula] = [("=", ("v", "f"), ("/", ("v", "P"), ("v", "Q")))]
    parts.append((">=", ("*", factor, _largest(us)), ("v", "P")))
    parts += [(">=", s, ("/", u, ("v", "Q"))) for s, u in zip(ss, us, strict=True)]
    scaled = _largest(ss) if factor == ("q", 1, 1) else ("*", factor, _largest(ss))
    return _chained((">=", scaled, ("v", "f")), parts, values, goal, least)


def _lower(found: Regimes, f: Term, factor: Term, goal: Formula, least: Sequence[Formula]) -> Theorem | None:
    """P >= u_a, max(v) >= k Q and u_a/v_b >= s_a for each b give P/Q >= k s_a for each a."""
    values = _values(found, f)
    us, vs, ss = (_pick(values, kind) for kind in "uvs")
    scale = (lambda t: t) if factor == ("q", 1, 1) else (lambda t: ("*", factor, t))
    base: list[Formula] = [("=", ("v", "f"), ("/", ("v", "P"), ("v", "Q")))]
    base.append((">=", _largest(vs), scale(("v", "Q"))))
    made = []
    for s, u in zip(ss, us, strict=True):
        parts = [*base, (">=", ("v", "P"), u), *((">=", ("/", u, v), s) for v in vs)]
        step: Formula = (">=", ("v", "f"), scale(s))
        theorem = _chained(step, parts, values, substitute(step, values), least)
        if theorem is None:
            return None
        made.append(theorem)
    parts = [(">=", ("v", "f"), scale(s)) for s in ss]
    return _chained((">=", ("v", "f"), scale(_largest(ss))), parts, values, goal, least, made)


def _values(found: Regimes, f: Term) -> dict[str, Term]:
    """Name f = P/Q, its leading terms u above and v below, and s = min(u/v...) for each u."""
    num, den = sympy.fraction(sympy.cancel(found.expr))
    values = {"f": f, "P": to_term(sympy.expand(num)), "Q": to_term(sympy.expand(den))}
    envelope = to_term(found.envelope)
    pairs = [(to_term(u), to_term(_least([u / v for v in found.below]))) for u in found.above]
    if envelope[0] == "max":
        pairs.sort(key=lambda pair: envelope.index(pair[1]))  # so that the maximum proved is the one stated
    values |= {f"u{i}": u for i, (u, _) in enumerate(pairs)}
    values |= {f"v{i}": to_term(v) for i, v in enumerate(found.below)}
    return values | {f"s{i}": s for i, (_, s) in enumerate(pairs)}


def _least(parts: Sequence[sympy.Expr]) -> sympy.Expr:
    parts = list(dict.fromkeys(parts))
    return sympy.Min(*parts, evaluate=False) if len(parts) > 1 else parts[0]


def _pick(values: Mapping[str, Term], kind: str) -> list[Term]:
    return [("v", name) for name in values if name[0] == kind and name[1:].isdigit()]


def _largest(parts: Sequence[Term]) -> Term:
    return ("max", *parts) if len(parts) > 1 else parts[0]


def _chained(
    general: Formula,
    parts: Sequence[Formula],
    values: Mapping[str, Term],
    goal: Formula,
    least: Sequence[Formula],
    known: Sequence[Theorem] = (),
) -> Theorem | None:
    """Prove that the parts give the goal with names for terms, then put the terms in and prove each part of them."""
    theorem = tactics.prove(("=>", ("and", *parts), general))
    if theorem is None:
        return None
    made = kernel.instantiate(theorem, values)
    premises = list(known)
    wanted = [*(h for h in theorem.hypotheses), *parts]
    for formula in wanted:
        said = substitute(formula, values)
        if formula in theorem.hypotheses:
            made = kernel.discharge(made, said)
        if any(t.conclusion == said for t in premises):
            continue
        proved = tactics.prove(said) or (tactics.prove(said, least) if least else None)
        if proved is None:
            return None
        premises.append(proved)
    try:
        stated = kernel.propositional(substitute(general, values), [made, *premises])
        return stated if stated.conclusion == goal else tactics.prove(goal, (), [stated])
    except KernelError:
        return None
