"""The verdict on a random sentence over a few points agrees with its truth at each point, computed here.

The sentences are built as data and verified as text. No value comes from the package. An undefined part decides
nothing: `false and ...` is false, `true or ...` is true. The long run:

    python -m pytest -q -s tests/attacks/test_finite_domains.py -m long
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import ceil, floor
from random import Random
from typing import Any

import pytest

from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text

Made = tuple[
    Any, ...
]  # ("number", value), ("name", x), (sign, a, b), (function, a, ...); also relations and connectives
Point = Mapping[str, Fraction]
SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
FUNCTIONS = {"max": max, "min": min, "abs": abs, "floor": floor, "ceil": ceil}
RELATIONS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def value(made: Made, at: Point) -> Fraction:
    """Return the value at a point. Raises ZeroDivisionError if it is undefined."""
    head, *parts = made
    if head in ("number", "name"):
        return at[parts[0]] if head == "name" else parts[0]
    if head == "^":
        return value(parts[0], at) ** parts[1]
    worth = [value(part, at) for part in parts]
    return SIGNS[head](*worth) if head in SIGNS else Fraction(FUNCTIONS[head](*worth))  # type: ignore[operator]


def truth(made: Made, at: Point) -> bool | None:
    """Return the truth of a sentence at a point, or None if it is undefined there."""
    head, *parts = made
    if head in RELATIONS:
        try:
            return bool(RELATIONS[head](*(value(part, at) for part in parts)))
        except ZeroDivisionError:
            return None
    said = [truth(part, at) for part in parts]
    if head == "=>":
        head, said = "or", [None if said[0] is None else not said[0], said[1]]
    if head in ("and", "or"):
        ends = head == "or"
        return ends if ends in said else None if None in said else not ends
    return None if None in said else not said[0] if head == "not" else said[0] == said[1]


def text(made: Made) -> str:
    head, *parts = made
    if head == "number":
        return str(parts[0]) if parts[0].denominator == 1 else f"({parts[0]})"
    if head == "name":
        return str(parts[0])
    if head == "^":
        return f"({text(parts[0])})^({parts[1]})"
    said = [text(part) for part in parts]
    if head in (*FUNCTIONS, "not"):
        return f"{head}({', '.join(said)})"
    return f"{said[0]} {head} {said[1]}" if head in RELATIONS else f"({said[0]}) {head} ({said[1]})"


def formula(random: Random, names: list[str], depth: int) -> Made:
    if depth == 0 or random.random() < 0.12:
        number = ("number", Fraction(random.randint(1, 40), random.choice((1, 1, 1, 2, 3))))
        return ("name", random.choice(names)) if random.random() < 0.7 else number
    head = random.choice(("+", "+", "-", "*", "*", "/", "^", *FUNCTIONS))
    first = formula(random, names, depth - 1)
    if head in ("abs", "floor", "ceil", "^"):
        return (head, first, random.choice((2, 2, 3, -1))) if head == "^" else (head, first)
    return head, first, formula(random, names, depth - 1)


def sentence(random: Random, names: list[str], depth: int) -> Made:
    if depth == 0 or random.random() < 0.4:
        sides = (formula(random, names, random.randint(0, 3)) for _ in range(2))
        return random.choice([*RELATIONS]), *sides
    head = random.choice(("and", "or", "not", "=>", "<=>"))
    return head, *(sentence(random, names, depth - 1) for _ in range(1 if head == "not" else 2))


def domain(random: Random) -> tuple[str, dict[str, list[Fraction]]]:
    """Return the text of `given` and the values of each name."""
    given, values = [], {}
    for name in random.sample("adknpqtuxy", random.randint(1, 3)):
        least = random.randint(1, 12)
        last = least + random.randint(0, 5)
        if random.random() < 0.5:
            listed = sorted({Fraction(random.randint(-9, 40), random.choice((1, 1, 2))) for _ in range(3)})
            given.append(f"{name} in {{{', '.join(map(str, listed))}}}")
        else:
            listed = [Fraction(k) for k in range(least, last + 1)]
            given.append(f"{name} integer; {least} <= {name} < {last + 1}")
        values[name] = listed
    return "; ".join(given), values


def wrong(random: Random, counts: Counter[str]) -> str:
    """Verify a random sentence, and return the error in its verdict, or an empty string."""
    given, values = domain(random)
    made = sentence(random, [*values], random.randint(0, 2))
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{text(made)}'\ngiven = '{given}'").claims
    assert isinstance(claim, Claim), claim
    found = judge_quietly(claim, quick=random.random() < 0.8)
    counts[found.kind] += 1
    points = [dict(zip(values, each, strict=True)) for each in product(*values.values())]
    said = Counter(truth(made, point) for point in points)
    failing = {name: Fraction(str(at)) for name, at in (found.counterexample or {}).items()}
    right = {
        "verified": not said[False] and not said[None],
        "conditional": bool(said[None] or said[False]),
        "refuted": bool(said[False] or said[None])
        and (not values.keys() <= failing.keys() or (failing in points and not truth(made, failing))),
        "undecided": True,
    }
    return "" if right.get(found.kind) else f"{text(made)}; given {given}: {found.kind}, {failing}, {dict(said)}"


def run(count: int, seed: int) -> Counter[str]:
    random, counts = Random(seed), Counter[str]()
    found = [problem for _ in range(count) if (problem := wrong(random, counts))]
    assert not found, "\n".join(found)
    return counts


def test_what_is_said_of_a_few_points_is_what_each_says() -> None:
    counts = run(15, seed=1)
    assert counts["verified"] > 2 and counts["refuted"] > 2 and counts["undecided"] < 2


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 42))
def test_five_thousand_sentences_of_a_few_points(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    counts = run(125, seed)
    with capsys.disabled():
        print(f"\nseed {seed}: {dict(counts)}")
