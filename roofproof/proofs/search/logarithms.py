"""Logarithms of products as sums, powers of sums as products, so that equal ones look alike; log2(x) > 3 as x > 8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import lcm

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import Budget
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.assumptions import positive
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import MAX_EXPONENT, ZERO, Formula, KernelError, Term, substitute
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import P, Q, cut, order_kept
from roofproof.proofs.search.logarithm_lemmas import of_primes
from roofproof.proofs.translate import to_expr, to_formula, with_functions
from roofproof.symbols import quantity

STEPS = 500_000
ONE = Term("q", 1, 1)
MINUS = Term("q", -1, 1)
TOTAL = sympy.Symbol("total!")


def logarithms_apart(expr: sympy.Basic) -> sympy.Basic:
    """Return an expression or a condition with each log2 of a product as a sum, of numbers by their small primes.

    >>> n = sympy.Symbol("n", positive=True)
    >>> logarithms_apart(log2(1024*n**2)), logarithms_apart(log2(sympy.Rational(12, 5)))     # 12/5 = 2^2 * 3 / 5
    (2*log2(n) + 10, -log2(5) + log2(3) + 2)

    It stays as it is where a name may be zero or negative, or the kernel does not prove the two equal.
    """
    return expr.xreplace({f: _expanded(f) for f in expr.atoms(log2)})


def exponents_apart(expr: sympy.Basic) -> sympy.Basic:
    """Return an expression or a condition with each power of a sum as a product of powers.

    >>> n = sympy.Symbol("n", positive=True)
    >>> exponents_apart(3**(n + 2) + 1)                                          # 3^n * 3^2 + 1
    9*3**n + 1

    It stays as it is where a name in a base may be zero or negative, or the kernel does not prove the two equal.
    """
    return expr.xreplace({p: _apart(p) for p in expr.atoms(sympy.Pow) if p.exp.free_symbols})


def _expanded(logarithm: sympy.Expr) -> sympy.Expr:
    if not _all_positive(logarithm):
        return logarithm
    (inside,) = logarithm.args
    try:
        found = of_primes(with_functions(inside), with_functions(sympy.factor(inside)))
        return _right(found[0], logarithm) if found else logarithm
    except (KernelError, RoofproofError):
        return logarithm


def _apart(power: sympy.Pow) -> sympy.Expr:
    if not _all_positive(power.base):
        return power
    try:
        exponent = with_functions(sympy.expand(power.exp))
        made = kernel.exponential(with_functions(power.base), kernel.identity(exponent, exponent, _names(power)))
        return _right(tactics.without_given(made), power)
    except (KernelError, RoofproofError):
        return power


def _right(equation: Theorem, expr: sympy.Expr) -> sympy.Expr:
    """Return the right side of an equation, in the symbols of an expression."""
    return to_expr(equation.conclusion[2]).xreplace({quantity(s.name): s for s in expr.free_symbols})


def _all_positive(expr: sympy.Expr) -> bool:
    return all(s.is_positive for s in expr.free_symbols)


def _names(expr: sympy.Expr) -> list[str]:
    return sorted(s.name for s in expr.free_symbols if s.is_positive)


def logarithms_compared(condition: Boolean, given: Sequence[Formula] = ()) -> Boolean:
    """Return a condition with comparisons of logarithms, times numbers, as comparisons of products.

    >>> n, m = sympy.symbols("n m", positive=True)
    >>> logarithms_compared(log2(n) > 3), logarithms_compared(sympy.Eq(log2(n)/2, log2(m) - 1))     # 4 n = m^2
    (n > 8, Eq(4*n, m**2))

    A comparison stays as it is where anything else is added to the logarithms, where a name may be zero or negative,
    and where the kernel does not prove that the two say the same under what is given.
    """
    return condition.xreplace(
        {c: _compared(_of_base_two(c), given) for c in condition.atoms(Relational) if c.has(log2, sympy.log)}
    )


def comparison_lemmas(condition: Boolean, given: Sequence[Formula] = ()) -> list[Theorem]:
    """Return the theorems that comparisons of logarithms in a condition say what comparisons of products say.

    >>> n = sympy.Symbol("n", positive=True)
    >>> print(*comparison_lemmas(sympy.Gt(log2(n), 3, evaluate=False)))
    n > 0 |- -3 + log2(n) > 0 <=> n > 8
    """
    found: list[Theorem] = []
    for comparison in sorted(condition.atoms(Relational), key=sympy.default_sort_key):
        if comparison.has(log2, sympy.log):
            _compared(_of_base_two(comparison), given, found)
    return found


def _compared(comparison: Relational, given: Sequence[Formula] = (), lemmas: list[Theorem] | None = None) -> Relational:
    if not all(s.is_positive for s in comparison.free_symbols):
        return comparison
    difference = sympy.expand(logarithms_apart(comparison.lhs - comparison.rhs))
    shares = {t: c for t, c in difference.as_coefficients_dict().items() if c}
    if not shares or not all((isinstance(t, log2) or t == 1) and c.is_Rational for t, c in shares.items()):
        return comparison  # no product has an infinite power
    scale = lcm(*(int(c.q) for c in shares.values()))
    powers = {sympy.Integer(2) if t == 1 else t.args[0]: int(c * scale) for t, c in shares.items()}
    if any(abs(k) > MAX_EXPONENT for k in powers.values()):
        return comparison
    more, less = ({b: s * k for b, k in powers.items() if s * k > 0} for s in (1, -1))
    found = comparison.func(_product(more), _product(less), evaluate=False)
    try:
        theorem = _same(difference * scale, found, more, less, given)
    except (KernelError, RoofproofError):
        return comparison
    if theorem is None:
        return comparison
    if lemmas is not None:
        lemmas.append(theorem)
    return found


def _of_base_two(comparison: Relational) -> Relational:
    """Return a comparison of sums of natural logarithms as one of binary ones, all log(2) times less; or as it is."""
    sides = [sympy.expand(side, log=False).as_coefficients_dict() for side in comparison.args]
    if not all(isinstance(t, sympy.log) or c == 0 for side in sides for t, c in side.items()):
        return comparison
    left, right = (sympy.Add(*(c * log2(t.args[0]) for t, c in side.items() if c != 0)) for side in sides)
    return comparison.func(left, right, evaluate=False)


def _product(powers: Mapping[sympy.Expr, int]) -> sympy.Expr:
    return sympy.Mul(*(base**k for base, k in powers.items()))


def _same(
    difference: sympy.Expr,
    found: Relational,
    more: Mapping[sympy.Expr, int],
    less: Mapping[sympy.Expr, int],
    assumed: Sequence[Formula],
) -> Theorem | None:
    """Return the theorem that a sum of logarithms is to zero as two products are to each other, or None."""
    names = sorted(s.name for s in found.free_symbols)
    total, *sides = (with_functions(e) for e in (difference, found.lhs, found.rhs))
    logs = []
    for side, powers in zip(sides, (more, less), strict=True):
        product = Term("*", *(Term("^", with_functions(b), k) for b, k in powers.items()))
        logs.append(kernel.logarithm(kernel.identity(side, product, names)))
    values = dict(zip(("p!", "q!"), sides, strict=True))
    above, below, equal = (kernel.assume(f) for f in (Formula(">", P, Q), Formula(">", Q, P), Formula("=", P, Q)))
    rules = kernel.rising(above), kernel.rising(below), kernel.logarithm(equal)
    ways = [kernel.instantiate(rule, values) for rule in rules]
    compared = Formula(">", total, ZERO), Formula(">", ZERO, total), Formula("=", total, ZERO)
    signs = (MINUS, ONE), (ONE, MINUS), (MINUS, ONE)
    known = [
        kernel.arith(f, [way, *logs], [(ONE, [0]), (s, [1]), (t, [2])])
        for f, way, (s, t) in zip(compared, ways, signs, strict=True)
    ]
    goal = Formula("<=>", to_formula(found.func(TOTAL, 0, evaluate=False)), to_formula(found))
    goal = substitute(goal, {TOTAL.name: total})
    made = kernel.propositional(goal, order_kept(sides[0], sides[1], *known))
    given = [*positive(names), *assumed]
    search = tactics.Search([*given, *made.hypotheses], Budget(STEPS))
    facts = [search.prove(hypothesis, given) for hypothesis in made.hypotheses]
    return None if None in facts else cut(made, [f for f in facts if f is not None])
