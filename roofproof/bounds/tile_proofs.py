"""Proof that no other sides of a kind of tile move fewer bytes per product in the same memory."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from roofproof.bounds.lower import fraction, powers_between, times
from roofproof.derive.limits.dominant_term import fresh
from roofproof.proofs.assumptions import ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByKernel, Known
from roofproof.proofs.search.certificates import weighted_mean
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term

if TYPE_CHECKING:
    from roofproof.bounds.tile import Tile


def optimum(tile: Tile) -> Known:
    """Prove that F(b) T >= F T(b) for all sides b that fit in the memory of the best tile."""
    nest = tile.nest
    taken = {s.name for s in nest.points.free_symbols} | {tile.memory.name}
    b = {i: Term("v", fresh(f"side of {nest.lengths[i]}", taken)) for i in tile.loops}
    blocks = [(tile.charge(a), Term("*", ONE, *(b[i] for i in tile.loops if i in a.loops))) for a in tile.moving]
    stream = Term("+", *(times(c, t) for c, t in blocks))
    block = Term("*", ONE, *b.values())
    M, w = to_term(tile.memory), tile.held[0].width
    room = Formula(">=", M, Term("+", times(w, block), stream))
    if tile.linear:
        g = to_term(tile.g)
        best = Term("+", times(tile.slope, g), fraction(tile.rest))
        full = Formula("=", M, Term("+", times(w, g), best))
        share = tile.rest / (w + tile.slope)
        certificate = [(fraction(share), [0]), (fraction(-share), [1])]
        names = sorted(t[1] for t in (M, g, *b.values()))
        goal = Formula(">=", Term("*", stream, g), Term("*", best, block))
        theorem = kernel.arith(goal, [kernel.assume(room), kernel.assume(full)], certificate, names)
        return Known(Statement("", (full, room), goal, "best-tile"), ByKernel(theorem))
    k = lcm(*(s.denominator for s in tile.weights))
    a, counts = int(tile.total * k), [int(s * k) for s in tile.weights]
    F, T = Term("v", fresh("F", taken)), Term("v", fresh("T", taken))
    constant = Fraction(a**a)
    for (c, _), n in zip(blocks, counts, strict=True):
        constant *= (c / n) ** n
    C = fraction(constant)
    full, equal = (
        Formula("=", M, Term("+", times(w, T), F)),
        Formula("=", Term("^", F, a), Term("*", C, Term("^", T, k))),
    )
    names = sorted(t[1] for t in (M, F, T, *b.values()))
    mean = weighted_mean([(n, times(c / n, t)) for (c, t), n in zip(blocks, counts, strict=True)])
    known = [mean, *map(kernel.assume, (room, full, equal))]
    # if T(b) > T, then F > F(b), so C T^k = F^a > F(b)^a >= C T(b)^k
    larger = Formula(">", block, T)
    between = powers_between(F, stream, a)
    lift = Term("+", Term("*", C, powers_between(block, T, k)), Term("*", fraction(w), between))
    minus = Term("q", -1, 1)
    signs = [(ONE, [0]), (between, [1]), (Term("*", minus, between), [2]), (minus, [3]), (lift, [4])]
    false = kernel.arith(Formula("false"), [*known, kernel.assume(larger)], signs, names)
    smaller = kernel.propositional(Formula(">=", T, block), [kernel.discharge(false, larger)])
    # if F T(b) > F(b) T, then (F T(b))^a > (F(b) T)^a >= C T(b)^k T^a >= C T^k T(b)^a = (F T(b))^a
    goal = Formula(">=", Term("*", stream, T), Term("*", F, block))
    denied = Formula(">", goal[2], goal[1])
    rest = Term("*", C, Term("^", T, k), Term("^", block, k), powers_between(T, block, a - k))
    signs = [
        (powers_between(goal[2], goal[1], a), [0]),
        (Term("^", T, a), [1]),
        (Term("*", minus, Term("^", block, a)), [2]),
        (rest, [3]),
    ]
    premises = [kernel.assume(denied), mean, kernel.assume(equal), smaller]
    false = kernel.arith(Formula("false"), premises, signs, names)
    theorem = kernel.propositional(goal, [kernel.discharge(false, denied)])
    return Known(Statement("", (equal, full, room), goal, "best-tile"), ByKernel(theorem))
