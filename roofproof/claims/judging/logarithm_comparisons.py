"""Comparisons of logarithms as comparisons of products: log2(x) > 3 says x > 8."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.logarithms import logarithms_apart, where_positive
from roofproof.errors import RoofproofError
from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import MAX_EXPONENT, ZERO, Formula, KernelError, Term, substitute
from roofproof.proofs.translate import to_formula, with_functions

ONE: Term = ("q", 1, 1)
MINUS: Term = ("q", -1, 1)
TOTAL = sympy.Symbol("total!")


def logarithms_compared(condition: Boolean) -> Boolean:
    """Return a condition with comparisons of logarithms, times numbers, as comparisons of products.

    >>> n, m = sympy.symbols("n m", positive=True)
    >>> logarithms_compared(log2(n) > 3), logarithms_compared(sympy.Eq(log2(n)/2, log2(m) - 1))     # 4 n = m^2
    (n > 8, Eq(4*n, m**2))

    A comparison stays as it is where anything else is added to the logarithms, where a name may be zero or negative,
    and where the kernel does not prove that the two say the same.
    """
    return condition.xreplace({c: _compared(c) for c in condition.atoms(Relational) if c.has(log2)})


def _compared(comparison: Relational) -> Relational:
    if not all(s.is_positive for s in comparison.free_symbols):
        return comparison
    difference = sympy.expand(logarithms_apart(comparison.lhs - comparison.rhs))
    shares = {t: c for t, c in difference.as_coefficients_dict().items() if c}
    if not shares or not all(isinstance(t, log2) or t == 1 for t in shares):
        return comparison
    scale = lcm(*(int(c.q) for c in shares.values()))
    powers = {sympy.Integer(2) if t == 1 else t.args[0]: int(c * scale) for t, c in shares.items()}
    if any(abs(k) > MAX_EXPONENT for k in powers.values()):
        return comparison
    more, less = ({b: s * k for b, k in powers.items() if s * k > 0} for s in (1, -1))
    found = comparison.func(_product(more), _product(less), evaluate=False)
    try:
        return found if _same(difference * scale, found, more, less) else comparison
    except (KernelError, RoofproofError):
        return comparison


def _product(powers: Mapping[sympy.Expr, int]) -> sympy.Expr:
    return sympy.Mul(*(base**k for base, k in powers.items()))


def _same(
    difference: sympy.Expr, found: Relational, more: Mapping[sympy.Expr, int], less: Mapping[sympy.Expr, int]
) -> bool:
    """Tell whether the kernel proves that a sum of logarithms is to zero as two products are to each other."""
    names = sorted(s.name for s in found.free_symbols)
    total, *sides = (with_functions(e) for e in (difference, found.lhs, found.rhs))
    logs = []
    for side, powers in zip(sides, (more, less), strict=True):
        product: Term = ("*", *(("^", with_functions(b), k) for b, k in powers.items()))
        logs.append(kernel.logarithm(kernel.identity(side, product, names)))
    level = kernel.instantiate(kernel.logarithm(kernel.assume(("=", ("v", "a!"), ("v", "b!")))), _named(sides))
    up, down = (kernel.rising(kernel.assume((">", a, b))) for a, b in (sides, sides[::-1]))
    plus, turned = ([(ONE, [0]), (s, [1]), (t, [2])] for s, t in ((MINUS, ONE), (ONE, MINUS)))
    known = [
        kernel.discharge(kernel.arith((">", total, ZERO), [up, *logs], plus), (">", *sides)),
        kernel.discharge(kernel.arith((">", ZERO, total), [down, *logs], turned), (">", *sides[::-1])),
        kernel.discharge(kernel.arith(("=", total, ZERO), [level, *logs], plus), ("=", *sides)),
    ]
    goal: Formula = ("<=>", to_formula(found.func(TOTAL, 0, evaluate=False)), to_formula(found))
    goal = substitute(goal, {TOTAL.name: total})
    apart = [kernel.trichotomy(*sides), kernel.trichotomy(total, ZERO), *_at_most_one(total)]
    return where_positive(kernel.propositional(goal, [*known, *apart]), names)


def _named(sides: list[Term]) -> dict[str, Term]:
    return dict(zip(("a!", "b!"), sides, strict=True))


def _at_most_one(total: Term) -> list[Theorem]:
    """Return that no two of total > 0, total = 0 and 0 > total hold together."""
    more, even, less = (
        kernel.assume((">", total, ZERO)),
        kernel.assume(("=", total, ZERO)),
        kernel.assume((">", ZERO, total)),
    )
    made = []
    for first, second, factor in ((more, even, MINUS), (more, less, ONE), (less, even, ONE)):
        false = kernel.arith(("false",), [first, second], [(ONE, [0]), (factor, [1])])
        made.append(kernel.discharge(kernel.discharge(false, second.conclusion), first.conclusion))
    return made
