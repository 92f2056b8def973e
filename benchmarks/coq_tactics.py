"""Theorems replayed by tactics of Coq, step by step: what the checker proved in Coq is compared with.

Each step of a certificate is a lemma of its own. Denominators are cleared by `field`, the products that a certificate
names are written down one by one, and `ring` and `lra` do the rest. A truth table is `classic` on each
atom, and `tauto`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from roofproof.proofs.kernel.clearing import cleared, relation_of
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    ZERO,
    Formula,
    Polynomial,
    Term,
    atoms_of,
    minus,
    mul,
    normal,
    term_of,
    variables,
)
from roofproof.proofs.replay.certificate import before
from roofproof.proofs.replay.coq import words

RULES = {"assume", "discharge", "propositional", "arith", "trichotomy", "square"}  # those that thresholds need
HEAD = """From Coq Require Import Reals Lra Classical.
Local Open Scope R_scope.
Ltac pos := repeat first [assumption | apply Rplus_lt_0_compat | apply Rmult_lt_0_compat | apply pow_lt | lra].
Ltac sure := first [solve [pos] | solve [lra] | solve [unfold Rgt in *; nra]].
Ltac apart := repeat split; first [apply Rgt_not_eq; unfold Rgt; sure | apply Rlt_not_eq; sure
  | apply Rmult_integral_contrapositive_currified; first [apply Rgt_not_eq; unfold Rgt; sure | apply Rlt_not_eq; sure]].
Lemma turn_gt x f p : f > 0 -> x * f = p -> x > 0 -> p > 0. Proof. intros; subst; nra. Qed.
Lemma turn_ge x f p : f > 0 -> x * f = p -> x >= 0 -> p >= 0. Proof. intros; subst; nra. Qed.
Lemma turn_eq x f p : f > 0 -> x * f = p -> x = 0 -> p = 0. Proof. intros; subst; ring. Qed.
Lemma back_gt x f p : f > 0 -> x * f = p -> p > 0 -> x > 0. Proof. intros; subst; nra. Qed.
Lemma back_ge x f p : f > 0 -> x * f = p -> p >= 0 -> x >= 0. Proof. intros; subst; nra. Qed.
Lemma back_eq x f p : f > 0 -> x * f = p -> p = 0 -> x = 0. Proof. intros; subst; nra. Qed.
"""


class Unwritten(Exception):
    """A rule that these tactics do not know."""


def by_tactics(theorems: Sequence[Theorem]) -> str:
    """Return a file in which each theorem is proved by tactics, with all that it rests on.

    Raises Unwritten for a theorem that needs other rules.
    """
    ordered = before(*theorems)
    if other := {t.rule for t in ordered} - RULES:
        raise Unwritten(", ".join(sorted(other)))
    names = words.coq_names(sorted(frozenset[str]().union(*chain.from_iterable(map(_names, ordered)))))
    places = {t: k for k, t in enumerate(ordered)}
    return HEAD + "\n".join(_lemma(t, places, names) for t in ordered)


def _names(t: Theorem) -> Iterator[frozenset[str]]:
    yield from map(variables, (t.conclusion, *t.hypotheses))
    if t.rule == "arith":
        yield from (variables(m) for m, _ in t.certificate[0])


def _formula(f: Formula, names: words.Names) -> str:
    return words.formula(_strict(f), names)


def _strict(f: Any) -> Any:
    """Return a formula in which a >= b is written as `not b > a`."""
    if f[0] == ">=":
        return ("not", (">", f[2], f[1]))
    return (f[0], *map(_strict, f[1:])) if f[0] in ("not", "and", "or", "=>", "<=>") else f


def _lemma(t: Theorem, places: dict[Theorem, int], names: words.Names) -> str:
    hypotheses = sorted(t.hypotheses, key=repr)
    every = " ".join(names.values())
    said = " -> ".join(f"({_formula(f, names)})" for f in (*hypotheses, t.conclusion))
    steps = [f"intros {every} {' '.join(f'h{k}' for k in range(len(hypotheses)))}."]
    for k, p in enumerate(t.premises if t.rule != "discharge" else ()):
        steps += [f"assert (k{k} : {_formula(p.conclusion, names)}) by (apply (s{places[p]} {every}); assumption)."]
    match t.rule:
        case "assume":
            steps += ["assumption."]
        case "discharge":
            steps += [f"intro; apply (s{places[t.premises[0]]} {every}); assumption."]
        case "trichotomy":
            steps += [f"destruct (total_order_T {_side(t, 1, names)} {_side(t, 2, names)}) as [[?|?]|?]; tauto."]
        case "square":
            steps += ["apply Rle_not_lt, Rle_0_sqr."]
        case "propositional":
            steps += list(_truth_table(t, names))
        case _:
            steps += list(_arith(t, names))
    return f"Lemma s{places[t]} : forall {every} : R, {said}.\nProof. " + "\n  ".join(steps) + " Qed.\n"


def _side(t: Theorem, k: int, names: words.Names) -> str:
    return words.term(t.conclusion[1][k], names, words.ATOM)


def _truth_table(t: Theorem, names: words.Names) -> Iterator[str]:
    atoms: list[Formula] = []
    for f in (t.conclusion, *(p.conclusion for p in t.premises)):
        atoms_of(f, atoms)
    split = "; try tauto; ".join(
        f"destruct (classic ({_formula(a, names)}))" for a in dict.fromkeys(map(_strict, atoms))
    )
    yield f"clear - {' '.join(f'k{k}' for k in range(len(t.premises)))}." if t.premises else ""
    yield f"{split}; tauto." if atoms else "tauto."


def _arith(t: Theorem, names: words.Names) -> Iterator[str]:
    entries, positive, multiplier = t.certificate
    signs: list[Polynomial] = []
    kinds = []

    def text(p: Polynomial) -> str:
        made = term_of(p)
        return words.term(("+", *made[2:]) if len(made) > 2 else made, names, words.ATOM)

    for k, premise in enumerate(t.premises):
        relation, a, b = relation_of(premise.conclusion)
        p, times = _cleared(a, b, positive, signs)
        kinds.append((relation, text(p)))
        signs += [p] if relation == ">" else []
        difference, factor = words.term(minus(a, b), names, words.ATOM), text(times)
        yield f"assert (p{k} : {text(p)} {relation} 0)."
        turn = f"apply (turn_{KINDS[relation]} {difference} {factor}); [sure | field; apart | lra]"
        yield f"{{ first [solve [lra] | {turn}]. }}"
    relation, a, b = (">", ZERO, ZERO) if t.conclusion == ("false",) else relation_of(t.conclusion)
    goal, times = _cleared(a, b, positive, signs)
    summands = []
    for k, (m, chosen) in enumerate(entries):
        facts = [kinds[i] for i in chosen]
        product = " * ".join(f"({p})" for p in (words.term(m, names), *(p for _, p in facts)))
        used = {r for r, _ in facts}
        kind = "=" if "=" in used else ">=" if ">=" in used else ">"
        summands.append(f"({product})")
        how = "repeat (first [apply Rmult_lt_0_compat | apply Rmult_le_pos | lra | left; sure | sure])"
        if kind == "=":
            zero = next(p for r, p in facts if r == "=")
            how = f"replace ({zero}) with 0 by lra; ring"
        yield f"assert (e{k} : {product} {kind} 0) by (try apply Rle_ge; {how})."
    total, scale = " + ".join(summands) or "0", words.term(multiplier, names, words.ATOM)
    yield f"assert (sum : {scale} * ({text(goal)}) = {total}) by (first [ring | field])."
    if t.conclusion == ("false",):
        yield "exfalso; lra."
        return
    difference, factor = words.term(minus(a, b), names, words.ATOM), text(times)
    yield f"assert (g : {text(goal)} {relation} 0) by (first [lra | assert ({scale} > 0) by sure; nra])."
    back = f"apply (back_{KINDS[relation]} _ {factor} {text(goal)}); [sure | field; apart | exact g]"
    yield f"first [solve [lra] | assert (u : {difference} {relation} 0) by ({back}); lra]."


KINDS = {">": "gt", ">=": "ge", "=": "eq"}


def _cleared(a: Term, b: Term, positive: frozenset[Term], signs: Sequence[Polynomial]) -> tuple[Polynomial, Polynomial]:
    """Return the polynomial that a comparison is about, and the positive factor that makes it of the difference."""
    p = dict(cleared(a, b, positive, signs))
    num, den = normal(minus(a, b), [])
    if p == num:
        return p, den
    minus_den = {m: -c for m, c in den.items()}
    return (p, minus_den) if p == {m: -c for m, c in num.items()} else (p, mul(den, den))
