"""No theorem of the library is vacuous: an independent evaluator finds that its hypotheses hold at a point.

The usual run tries every operation on one chip. The long run tries five chips and prints the counts:

    python -m pytest -q -s tests/attacks/test_soundness_vacuity.py -m long
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

import pytest
from test_laws_library import SOLVED, runs

from roofproof import op, threshold
from roofproof.hardware import Chip
from roofproof.proofs.derivation import Derivation

Point = dict[str, Fraction]


class Undefined(Exception):
    """A division by zero, or an irrational root."""


def value(t: Any, at: Point) -> Fraction:
    head, *parts = t
    if head == "q":
        return Fraction(parts[0], parts[1])
    if head == "v":
        return at[parts[0]]
    if head == "^":
        return value(parts[0], at) ** parts[1]
    args = [value(p, at) for p in parts]
    if head == "+":
        return sum(args, Fraction(0))
    if head == "/":
        if args[1] == 0:
            raise Undefined
        return args[0] / args[1]
    if head == "*":
        out = Fraction(1)
        for a in args:
            out *= a
        return out
    if head == "sqrt":
        roots = [isqrt(abs(n)) for n in (args[0].numerator, args[0].denominator)]
        if args[0] < 0 or Fraction(roots[0], roots[1]) ** 2 != args[0]:
            raise Undefined
        return Fraction(roots[0], roots[1])
    return {"max": max, "min": min, "floor": lambda x: Fraction(floor(x[0])), "ceil": lambda x: Fraction(ceil(x[0]))}[
        head
    ](args)


def true(f: Any, at: Point) -> bool:
    head, *parts = f
    match head:
        case ">" | ">=" | "=":
            a, b = (value(p, at) for p in parts)
            return a > b if head == ">" else a >= b if head == ">=" else a == b
        case "int":
            return value(parts[0], at).denominator == 1
        case "true" | "false":
            return bool(head == "true")
        case "not":
            return not true(parts[0], at)
        case "and":
            return all(true(p, at) for p in parts)
        case "or":
            return any(true(p, at) for p in parts)
        case "=>":
            return not true(parts[0], at) or true(parts[1], at)
        case "<=>":
            return true(parts[0], at) == true(parts[1], at)
    raise AssertionError(head)


def named(part: Any) -> set[str]:
    """Return every variable. One that is only restricted to be positive may have any positive value."""
    if isinstance(part, tuple) and part and part[0] == "v":
        return {part[1]}
    return set().union(*map(named, part)) if isinstance(part, tuple) else set()


def check(certificate: Derivation, counts: Counter[str]) -> None:
    for proof in certificate.known:
        assert proof.witness is not None, f"{proof.statement.says}: no witness"
        counts[f"statements by {proof.trust}"] += 1
        free = named((proof.statement.goal, *proof.statement.assumptions))
        at = {**dict.fromkeys(free, Fraction(1)), **proof.witness}
        names = [*proof.statement.assumptions, *(proof.theorem.hypotheses if proof.theorem else ())]
        held = sum(true(f, at) for f in names)
        assert held == len(names), f"{proof.statement.says}: a hypothesis fails at {at}"
        assert all(v > 0 for v in at.values())
        counts["hypotheses"] += held
        counts["conditional statements"] += bool(proof.statement.assumptions)
        try:
            assert true(proof.statement.goal, at), f"{proof.statement.says}: false at {at}"
            counts["goals true at the witness"] += 1
        except Undefined:
            counts["goals undefined at the witness"] += 1
        if proof.theorem is not None:
            assert proof.theorem.conclusion == proof.statement.goal
            assert proof.theorem.hypotheses <= {
                *proof.statement.assumptions, *((">", ("v", n), ("q", 0, 1)) for n in at)
            }  # fmt: skip


def look(name: str, text: str, on: Chip, counts: Counter[str], dims: int) -> None:
    for symbol in op(name).dims[:dims]:
        proved = threshold(op(text), on, symbol.name)
        check(proved.solved, counts)
        check(proved.symbolic, counts)


def test_every_operation_of_the_library() -> None:
    counts = Counter[str]()
    for i, name in enumerate(SOLVED):
        possible = runs(name)
        look(name, *possible[i % len(possible)], counts, dims=1)
    assert counts["conditional statements"] > 20 and counts["hypotheses"] > 200


@pytest.mark.long
def test_every_operation_on_five_chips(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter[str]()
    for i, name in enumerate(SOLVED):
        possible = runs(name)
        for k in range(min(5, len(possible))):
            look(name, *possible[(i + 7 * k) % len(possible)], counts, dims=9)
    with capsys.disabled():
        print("\n" + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())))
