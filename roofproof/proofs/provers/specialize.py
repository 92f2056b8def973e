"""Theorems with numbers substituted for some of their variables: solved and proved once, used for many chips."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from numbers import Rational

import sympy

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, show, substitute, variables
from roofproof.proofs.known import ByKernel, ByOracle, BySamples, Known, Unproved, Warrant
from roofproof.proofs.provers.statements import samples
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.short_proofs import prove
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions

Values = Mapping[str | sympy.Symbol, Fraction | int | sympy.Expr]  # rational, or made of square roots


def instance(theorem: Theorem, values: Values) -> Theorem:
    """Return a theorem with positive rational numbers substituted for some of its variables.

    >>> B, R = Term("v", "B"), Term("v", "R")
    >>> doubled = prove(("<=>", (">", ("*", ("q", 2, 1), B), R), (">", B, ("/", R, ("q", 2, 1)))))
    >>> doubled
    B > 0, R > 0 |- 2*B > R <=> B > R/2
    >>> instance(doubled, {"R": Fraction(9850, 41)})                        # 9850/41 > 0 is no longer a hypothesis
    B > 0 |- 2*B > 9850/41 <=> B > (9850/41)/2

    Raises RoofproofError for a name that does not occur in the theorem, for a value that is not a positive rational
    number, and for the growing variable of a limit, which has no value.
    """
    return _instance(theorem, _occurring(values, (theorem.conclusion, *theorem.hypotheses)))


def derivation_at(derivation: Derivation, values: Values) -> Derivation:
    """Return the statements of a derivation, in the same order, with numbers substituted for some of their variables.

    >>> from roofproof.derive.solve import solve_inequality
    >>> from roofproof.proofs.provers.thresholds import certify
    >>> from roofproof.symbols import quantity
    >>> B, D, R = map(quantity, "BDR")
    >>> symbolic = certify(B*D/(B + D) > R, solve_inequality(B*D/(B + D) > R, B))      # B > R D/(D - R) when D > R
    >>> first = derivation_at(symbolic, {R: Fraction(9850, 41)}).known[0]
    >>> first.trust, sorted(first.theorem.hypotheses)[-1]
    ('kernel', ('>', ('v', 'D'), ('q', 9850, 41)))

    `says` keeps the text of the symbolic statement and adds the values. A statement whose conditions become false at
    the values is vacuously true: its witness is None. Raises RoofproofError as `instance` does.
    """
    terms = _occurring(values, [f for p in derivation for f in (p.statement.goal, *p.statement.assumptions)])
    where = ", ".join(f"{n} = {Fraction(t[1], t[2]) if t[0] == 'q' else show(t)}" for n, t in terms.items())
    return Derivation(tuple(_known_at(p, terms, where) for p in derivation))


def as_terms(values: Values) -> dict[str, Term]:
    """Return the values as terms of the kernel, by name.

    >>> as_terms({"R": Fraction(9850, 41)})
    {'R': ('q', 9850, 41)}
    """
    out: dict[str, Term] = {}
    for key, value in values.items():
        name = key.name if isinstance(key, sympy.Symbol) else key
        if isinstance(value, sympy.Expr) and value.is_algebraic and value.is_positive and not value.is_Rational:
            out[name] = with_functions(value)
            continue
        if isinstance(value, bool) or not isinstance(value, Rational) or value <= 0:
            raise RoofproofError(f"{name} = {value}: expected a positive rational number, as a Fraction or an integer")
        out[name] = Term("q", int(value.numerator), int(value.denominator))
    return out


def _occurring(values: Values, formulas: Iterable[Formula]) -> dict[str, Term]:
    """Return the values as terms of the kernel, or raise RoofproofError for a name that does not occur."""
    terms, names = as_terms(values), set[str]()
    for f in formulas:
        names |= variables(f) | set(f[2] if f[0] == "tends" else ())
    for name in terms:
        if name not in names:
            raise unknown("variable", name, sorted(names))
    return terms


def _instance(theorem: Theorem, terms: Mapping[str, Term]) -> Theorem:
    try:
        made = kernel.instantiate(theorem, terms)
    except KernelError as refused:
        raise RoofproofError(f"no instance of {quoted(str(theorem))}: {refused}") from None
    facts = map(_number_fact, sorted(made.hypotheses - theorem.hypotheses))
    return cut(made, [fact for fact in facts if fact is not None])


@lru_cache(4096)
def _number_fact(formula: Formula) -> Theorem | None:
    """Return `|- formula` for a true comparison of numbers."""
    if formula[0] not in (">", ">=", "=") or variables(formula):
        return None
    try:
        return kernel.arith(formula, (), [] if formula[0] == "=" else None)
    except KernelError:
        return prove(formula) if "sqrt" in repr(formula) else None


def _known_at(known: Known, terms: Mapping[str, Term], where: str) -> Known:
    old = known.statement
    goal, *assumptions = (substitute(f, terms) for f in (old.goal, *old.assumptions))
    left = tuple(f for f in assumptions if _number_fact(f) is None)
    made = Statement(f"{old.says} at {where}", left, goal, old.kind)
    warrant: Warrant = known.warrant
    if isinstance(warrant, ByKernel):
        warrant = ByKernel(_instance(warrant.theorem, terms))
    elif isinstance(warrant, ByOracle):
        warrant = ByOracle(warrant.script, warrant.solver, warrant.version, old, tuple(terms.items()))
    elif isinstance(warrant, BySamples):
        points = samples(made)
        warrant = BySamples(points) if points else Unproved("at no point was it seen to hold")
    return Known(made, warrant)
