"""Theorems about a finite set of points: what the lemma of Hölder, Brascamp and Lieb gives is proved, not supposed."""

from __future__ import annotations

from dataclasses import dataclass

from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Known
from roofproof.proofs.names import positive
from roofproof.proofs.replay.coq import words
from roofproof.proofs.replay.coq.theorems import Stated
from roofproof.proofs.replay.coq.words import Names, listed


@dataclass(frozen=True, slots=True)
class Projected:
    """A theorem whose hypothesis `lemma` is what the lemma says of the points of a nest.

    `seen` has, for each name of a count, its weight and the loops that the projection keeps; `loops` the weight of each
    loop, `lengths` its length; `points` is the name of the number of points, and `power` what the weights are parts of.
    """

    known: Known
    lemma: Formula
    power: int
    lengths: tuple[Term, ...]
    loops: tuple[int, ...]
    seen: tuple[tuple[str, int, tuple[bool, ...]], ...]
    points: str


def of_points(of: Projected, theorem: str, names: Names) -> tuple[str, str]:
    """Return a theorem of Coq with points in place of what the lemma gives: what it states, and all of it."""
    stated = Stated.of(of.known.statement)
    sizes = [f"size_{k}" for k, _ in enumerate(of.lengths, 1)]
    masks = {name: listed("true" if kept else "false" for kept in mask) for name, _, mask in of.seen}
    box = f"Projections.points_of {listed(sizes)} points_"
    lengths = [f"{words.term(t, names)} = Raxioms.INR {n}" for t, n in zip(of.lengths, sizes, strict=True)]
    counts = [f"{names[name]} = Raxioms.INR (Projections.used {mask} points_)" for name, mask in masks.items()]
    points = f"{names[of.points]} = Raxioms.INR (length points_)"
    of_the_set = [box, "points_ <> []", *lengths, *counts, points]
    own = [f"h{k}" for k, _ in enumerate(of_the_set, 1)]
    some = positive([of.points, *masks])
    given = {f: f"h_{k}" for k, f in enumerate(stated.given, 1) if f != of.lemma and f not in some}
    supposed = [*of_the_set, *(words.formula(f, names) for f in given)]
    variables = [names[n] for n in stated.names]
    binders = f"(points_ : list Projections.point) ({' '.join(sizes)} : nat) ({' '.join(variables)} : real)"
    said = f"forall {binders}, {' -> '.join(f'({p})' for p in (*supposed, words.formula(stated.goal, names)))}"
    by_length, by_count, last = own[2 : 2 + len(lengths)], own[2 + len(lengths) : -1], own[-1]
    positives = [f"(Projections.some_points _ _ h2 {last})"]
    positives += [f"(Projections.some_used _ _ _ h2 {h})" for h in by_count]
    reasons = dict(zip(some, positives, strict=True))
    weights = listed(f"({n}, {masks[name]})" for name, n, _ in of.seen)
    proof = [
        f"intros {' '.join(['points_', *sizes, *variables, *own, *given.values()])}.",
        f"assert (h0 : ({words.formula(of.lemma, names)})%R).",
        f"{{ assert (u0 := Projections.points_of_a_nest {of.power} {weights}%nat {listed(of.loops)}%nat "
        f"{listed(sizes)} points_ eq_refl ltac:(repeat constructor) h1).",
        "  cbn [Projections.product Projections.loops] in u0.",
        *(f"  rewrite <- {h} in u0." for h in by_length),
        f"  rewrite {', '.join([*by_count, last])}. Projections.rearranged u0. }}",
        f"exact ({theorem} {' '.join([*variables, *(reasons.get(f, given.get(f, 'h0')) for f in stated.given)])}).",
    ]
    return said, f"Theorem {theorem}_of_points :\n  ({said})%R.\nProof.\n  {chr(10).join(proof)}\nQed.\n"
