"""Numbers first: what an edit gives is never ruled out by them, and a polynomial says what the comparison does."""

from fractions import Fraction

import pytest

from roofproof.claims.answers import plausible
from roofproof.claims.answers.edits import edits, pairs
from roofproof.claims.answers.grading import Said
from roofproof.claims.answers.plausible import Trial
from roofproof.commands.questions import question_of
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.oracles.points import holds

ASKED = (
    {"op": "matmul", "chip": "tpu-v5e", "for": "B"},
    {"op": "matmul", "for": "D"},
    {"op": "matmul", "chip": "tpu-v5e", "for": "B", "regime": "D, F >> B", "asks": "rule"},
    {"op": "matmul", "chip": "h100-sxm", "for": "B", "at": "D=4096,F=4096", "asks": "smallest"},
    {"op": "matmul", "chip": "tpu-v5e", "for": "B", "at": "D=4096,F=4096", "tolerance": "2%"},
    {"op": "attention", "chip": "h100-sxm", "for": "L", "at": "d=4096"},
    {"op": "tensor-parallel", "chip": "tpu-v5p", "for": "B"},
    {"op": "matmul", "asks": "bytes"},
)


@pytest.mark.parametrize("given", ASKED, ids=lambda g: " ".join(g.values()))
def test_what_an_edit_gives_is_not_ruled_out(given: dict[str, str]) -> None:
    asked, tried = question_of(given), 0
    for edit in (*edits(asked), *pairs(asked)):
        if edit.end is not None:
            tried += 1
            assert Trial(asked, Said("=", edit.end)).may_give(edit), (edit.whole, edit.end)
    assert tried


def test_of_bounds_that_hold_for_the_same_integers_none_is_ruled_out() -> None:
    asked = question_of({"op": "matmul", "chip": "tpu-v5e", "for": "B", "at": "D=4096,F=4096"})
    for edit in (e for e in edits(asked) if e.result is not None and e.end is not None and e.end >= 1):
        least = edit.end.floor() + 1  # B > 241, B >= 241.5 and B >= 242 say the same
        for said in (Said(">=", least), Said(">", least - 1), Said(">=", least - Fraction(1, 2))):
            assert Trial(asked, said).may_give(edit), (edit.whole, edit.end, said)


@pytest.mark.parametrize("given", [g for g in ASKED if "for" in g], ids=lambda g: " ".join(g.values()))
def test_a_polynomial_says_what_the_comparison_does(given: dict[str, str]) -> None:
    asked, sides = question_of(given), set()
    assert asked.unknown is not None
    for k, point in enumerate(plausible._exact(asked)):
        channels = plausible._engines(asked, asked, k)
        for size in (Fraction(1, 3), Fraction(240), Fraction(48_000, 199), Fraction(10**6), Fraction(10**30)):
            met: dict[str, list[bool]] = {}
            for c in asked.ceilings:
                least = (c.symbol if c.ridge is None else c.ridge) * c.moved
                above = holds(Formula(">", Term.of(c.flops), Term.of(least)), {**point, asked.unknown: size})
                met.setdefault(c.channel, []).append(above)
            assert plausible._is_above(channels, size.as_integer_ratio()) == all(map(any, met.values())), (k, size)
            sides.add(all(map(any, met.values())))
    assert sides == {True, False}


def test_what_is_no_polynomial_is_compared_as_it_is() -> None:
    asked = question_of({"op": "flops bf16 = B^2; bytes memory = ceil(B/8)", "chip": "tpu-v5e", "for": "B"})
    [[test]] = plausible._engines(asked, asked, 0)
    assert [test((b, 1)) for b in (1, 30, 31, 1000)] == [
        b * b > Fraction(197_000, 819) * -(-b // 8) for b in (1, 30, 31, 1000)
    ]
