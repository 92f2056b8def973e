"""Proofs that an integer is the best: exact values, and monotone gaps between them."""

from fractions import Fraction
from itertools import pairwise

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.extrema import pieces
from roofproof.derive.optima.constraints import domain_of
from roofproof.derive.optima.integer_optima import Discrete
from roofproof.derive.optima.optima import as_quantities
from roofproof.proofs.derivation import Derivation, Proved
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, Term, substitute
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.provers.optimum_stages import by_a_piece
from roofproof.proofs.provers.statements import Refuted, by_rule, prove_statement
from roofproof.proofs.search.certificates import prove_between
from roofproof.proofs.search.roots import NamedRoots
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term
from roofproof.symbols import quantity


class ProvedDiscrete(Proved[Discrete]):
    """The best integer with its proofs.

    >>> from roofproof.derive.optima.integer_optima import argmin_integer
    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> proved = prove_discrete(argmin_integer(x + 20/x, x))
    >>> for proof in proved.derivation.known:
    ...     print(proof.statement.says, "by", proof.trust)
    x + 20/x = 9 at x = 4 by kernel
    x + 20/x = 9 at x = 5 by kernel
    x + 20/x >= 9 for 1 <= x <= 4 by kernel
    x + 20/x >= 9 for x >= 5 by kernel
    """


def prove_discrete(found: Discrete) -> ProvedDiscrete:
    """Prove that no other integer is better, nor any real number between the evaluated integers.

    >>> from dataclasses import replace
    >>> from roofproof.derive.optima.integer_optima import argmin_integer
    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> right = argmin_integer(3*x + 100/x, x)
    >>> prove_discrete(replace(right, at=(5,), value=sympy.Integer(35)))       # 3*6 + 100/6 = 34.67
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: 3*x + 100/x >= 35: false at x = 6

    Raises Refuted with a better point, or with a point whose value differs from the claimed one.
    """
    _, (f,) = as_quantities(found.expr)
    x = quantity(found.unknown.name)
    says, v = plain(found.expr), plain(found.value)
    proofs = []
    for n in found.at:
        there = f.xreplace({x: sympy.Integer(n)})
        if (there - found.value).equals(0) is not True:
            raise Refuted(f"{says} = {v} at {x} = {n}", {x.name: Fraction(n)})
        proofs.append(_equal(f"{says} = {v} at {x} = {n}", f, x, n, found.value))
    for n in found.looked_at:
        if (f.xreplace({x: sympy.Integer(n)}) - found.value).is_negative:
            raise Refuted(f"{says} >= {v}", {x.name: Fraction(n)})
    points = sorted({*found.looked_at, *found.at})
    gaps: list[tuple[int, int | None]] = [(a, b) for a, b in pairwise(points) if b != a + 1]
    _, constraints = as_quantities(*found.subject_to)
    if not domain_of((x,), constraints).highs:
        gaps.append((points[-1], None))
    for low, high in gaps:
        where = f"{low} <= {x} <= {high}" if high is not None else f"{x} >= {low}"
        proofs.append(_gap(f"{says} >= {v} for {where}", f, x, found.value, low, high))
    return ProvedDiscrete(found, Derivation(tuple(proofs)))


def _equal(says: str, f: sympy.Expr, x: sympy.Symbol, n: int, value: sympy.Expr) -> Known:
    roots = NamedRoots([f, value])
    if f.has(sympy.sqrt(x)):
        term = to_term(roots.to_names(f.xreplace({x: sympy.Integer(n)})))
    else:
        term = substitute(to_term(f), {x.name: Term("q", n, 1)})
    goal = Formula("=", term, to_term(roots.to_names(value)))
    statement = Statement(says, tuple(roots.relations), goal)
    if not (known := by_rule(statement)).reason:
        return known
    return prove_statement(statement)


def _gap(says: str, f: sympy.Expr, x: sympy.Symbol, value: sympy.Expr, low: int, high: int | None) -> Known:
    term, bottom = to_term(f), to_term(value)
    ends = [Formula(">=", to_term(x), Term("q", low, 1))]
    if high is not None:
        ends.append(Formula(">=", Term("q", high, 1), to_term(x)))
    statement = Statement(says, tuple(ends), Formula(">=", term, bottom))
    for piece in map(to_term, pieces(f, frozenset([x.name]))[1]):
        made = prove_between(
            Formula(">=", piece, bottom), x.name, Fraction(low), None if high is None else Fraction(high)
        )
        steps = None if made is None or piece == term else by_a_piece(term, piece, bottom, ">=")
        if made is not None and steps is not None:
            made = kernel.propositional(statement.goal, [*steps, made])
        if (known := by_kernel(statement, made)) is not None:
            return known
    return prove_statement(statement)
