"""The condition in a verdict is a region: not a point that `given` leaves, and not made up.

Random claims are judged, and each condition found is tested at points that the judge does not choose.
"""

import random
from fractions import Fraction
from itertools import product

import pytest

from roofproof.claims.judge.judge import judge
from roofproof.claims.kinds import CONDITIONAL
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text
from roofproof.formula.conditions import read_conditions
from roofproof.formula.reader import read_statement
from roofproof.proofs.from_tree import to_formula
from roofproof.proofs.known import holds

LEFT = ("x^2", "x y", "x^2 + y", "x/y", "max(x, y)", "x^3", "x + y", "2 x y", "(x - y)^2", "x^2 - 7 y^2", "x/(x + y)")
RIGHT = ("x", "y", "1", "x + y", "2 x", "x y", "1/2", "y^2", "1/x")
RELATIONS = (">=", ">", "<=", "!=", "<")
GIVEN = ("", "x <= 1", "x <= y", "x >= y", "x <= 2; y <= 2", "x >= 1; y >= 1", "1 <= x; x <= y; y <= 1 + x",
         "x, y integer", "x, y integer; x <= 2", "x, y integer; x <= 3; y <= 3", "x, y integer; x <= y")  # fmt: skip
REAL = tuple(Fraction(n, 8) for n in (1, 3, 5, 7, 9, 11, 13, 15, 20, 33, 70, 600))
NEAR = Fraction(1, 64)


def found(says: str, given: str) -> tuple[str, str]:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\ngiven = '{given}'").claims
    assert isinstance(claim, Claim)
    verdict = judge(claim)
    return verdict.kind, verdict.condition or ""


def is_met(formulas: list[object], x: Fraction, y: Fraction) -> bool:
    return all(holds(f, {"x": x, "y": y}) for f in formulas)


def check(says: str, given: str, condition: str) -> None:
    """Test a condition at points: it holds around some or at enough integer points, and the claim is true there."""
    claim, assumed = to_formula(read_statement(says)), read_conditions(given)
    allowed = [to_formula(c) for c in assumed.conditions]
    within = [*allowed, to_formula(read_statement(condition))]
    whole = assumed.domain("x").integer
    points = [p for p in product(map(Fraction, range(1, 41)) if whole else REAL, repeat=2) if is_met(allowed, *p)]
    there = [p for p in points if is_met(within, *p)]
    assert all(holds(claim, {"x": x, "y": y}) for x, y in there)
    if whole:
        assert len(there) >= 2 and 10 * len(there) > len(points), (len(there), len(points))
    else:
        around = [
            p for p in there if all(is_met(within, p[0] + a, p[1] + b) for a in (-NEAR, NEAR) for b in (-NEAR, NEAR))
        ]
        assert around


def random_claims(count: int, seed: int) -> list[tuple[str, str]]:
    chosen = random.Random(seed)
    pick = chosen.choice
    return [(f"{pick(LEFT)} {pick(RELATIONS)} {pick(RIGHT)}", pick(GIVEN)) for _ in range(count)]


@pytest.mark.parametrize("seed", [1, *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 100))])
def test_a_condition_is_a_region(seed: int) -> None:
    met = 0
    for says, given in random_claims(20, seed):
        kind, condition = found(says, given)
        if kind == CONDITIONAL:
            met += 1
            try:
                check(says, given, condition)
            except AssertionError as wrong:
                raise AssertionError(f"{says} given {given}: when {condition}") from wrong
    assert met
