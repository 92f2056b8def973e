"""Theorems about finite point sets and about runs: the lemma and the phases are proved instead of assumed."""

from __future__ import annotations

from dataclasses import dataclass

from roofproof.proofs.assumptions import positive
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Known
from roofproof.proofs.replay.coq import words
from roofproof.proofs.replay.coq.theorems import Stated
from roofproof.proofs.replay.coq.words import Names, listed


@dataclass(frozen=True, slots=True)
class Phases:
    """The hypotheses about the phases of a run.

    `room` says that the elements of a phase fit in memory, and `enough` that the phases cover all points. `memory` and
    `moved` are names. `bytes` is the traffic of a phase. Each of `tensors` has its bytes per element and the loops that
    its projection keeps. The result comes last.
    """

    room: Formula
    enough: Formula
    memory: str
    moved: str
    bytes: Term
    tensors: tuple[tuple[Term, tuple[bool, ...]], ...]


@dataclass(frozen=True, slots=True)
class Projected:
    """A theorem whose hypothesis `lemma` is the Hölder-Brascamp-Lieb inequality for the points of a loop nest.

    Each of `seen` has the name of an element count, its weight, and the loops that the projection keeps. `loops` and
    `lengths` have the weight and the length of each loop. `points` is the name of the number of points. `power` is the
    common denominator of the weights.
    """

    known: Known
    lemma: Formula
    power: int
    lengths: tuple[Term, ...]
    loops: tuple[int, ...]
    seen: tuple[tuple[str, int, tuple[bool, ...]], ...]
    points: str
    phases: Phases


def of_points(of: Projected, theorem: str, names: Names) -> tuple[str, str]:
    """Return a Coq theorem about points in place of the lemma: its statement, and its full text with proof."""
    stated = Stated.of(of.known.statement)
    sizes = [f"size_{k}" for k, _ in enumerate(of.lengths, 1)]
    masks = {name: _mask(mask) for name, _, mask in of.seen}
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


def of_runs(of: Projected, theorem: str, names: Names) -> tuple[str, str]:
    """Return a Coq theorem about every run, without phases: its statement, and its full text with proof."""
    stated, phases = Stated.of(of.known.statement), of.phases
    sizes = [f"size_{k}" for k, _ in enumerate(of.lengths, 1)]
    widths = listed(words.term(width, names) for width, _ in phases.tensors)
    masks = [_mask(mask) for _, mask in phases.tensors]
    memory, moved, result = names[phases.memory], names[phases.moved], len(masks) - 1
    counts = {name: f"(Raxioms.INR (Projections.used {_mask(mask)} points_))" for name, _, mask in of.seen}
    counts[of.points] = "(Raxioms.INR (length points_))"
    lengths = [f"{words.term(t, names)} = Raxioms.INR {n}" for t, n in zip(of.lengths, sizes, strict=True)]
    of_run = [
        f"Schedules.run (Schedules.width_in {widths}) (Schedules.of_tensor {result}%nat) "
        f"(Schedules.parts 0%nat {listed(masks)}) {memory} [] steps_ inside_",
        f"forall e, List.In e inside_ -> Schedules.of_tensor {result}%nat e = false",
        f"forall p, List.In p (Schedules.made steps_) <-> List.In p (Schedules.box {listed(sizes)})",
        f"{moved} = Schedules.moved (Schedules.width_in {widths}) steps_",
        *lengths,
    ]
    left = [f for f in stated.given
            if f not in (of.lemma, phases.room, phases.enough) and f not in positive([of.points, *counts])]  # fmt: skip
    supposed = [*of_run, *(words.formula(f, names) for f in left)]
    own = [f"h{k}" for k, _ in enumerate(supposed, 1)]
    variables = [names[n] for n in stated.names if n not in counts]
    binders = (
        "(steps_ : list (@Schedules.step Schedules.element Projections.point)) (inside_ : list Schedules.element) "
        f"({' '.join(sizes)} : nat) ({' '.join(variables)} : real)"
    )
    said = f"forall {binders}, {' -> '.join(f'({p})' for p in (*supposed, words.formula(stated.goal, names)))}"
    to_lengths = "".join(f", <- {h}" for h in own[4 : 4 + len(lengths)])
    every = [counts.get(n, names[n]) for n in stated.names]
    proof = [
        f"intros {' '.join(['steps_', 'inside_', *sizes, *variables, *own])}.",
        f"destruct (Schedules.a_phase_of_a_run {listed(sizes)} {widths} {listed(masks)} {result}%nat {memory} "
        f"({words.term(phases.bytes, names)}) steps_ inside_)%R as [points_ [some_ [within_ [room_ enough_]]]].",
        "{ repeat constructor; Schedules.by_arithmetic. }",
        "{ Schedules.by_arithmetic. }",
        "{ Schedules.by_arithmetic. }",
        f"{{ cbn [Schedules.volume]. rewrite {to_lengths.removeprefix(', ')}. "
        "repeat apply RIneq.Rmult_lt_0_compat; Schedules.by_arithmetic. }",
        "{ exact h1. }",
        "{ exact h2. }",
        "{ exact h3. }",
        "cbn [Schedules.volume] in enough_. cbn [Schedules.taken List.nth] in room_.",
        f"rewrite <- h4{to_lengths} in enough_.",
        *(f"assert (some_{k} := RIneq.pos_INR (Projections.used {mask} points_))." for k, mask in enumerate(masks)),
        f"apply ({theorem}_of_points points_ {' '.join([*sizes, *every])}); "
        "first [assumption | reflexivity | Schedules.by_arithmetic].",
    ]
    return said, f"Theorem {theorem}_of_runs :\n  ({said})%R.\nProof.\n  {chr(10).join(proof)}\nQed.\n"


def _mask(kept: tuple[bool, ...]) -> str:
    return listed("true" if each else "false" for each in kept)
