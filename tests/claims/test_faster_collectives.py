"""Sizes at which one collective algorithm is faster than another: solved, proved, claimed, asked, checked by steps."""

from __future__ import annotations

import json
from fractions import Fraction
from math import log2

import pytest
import sympy

from roofproof import op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.answers.worked import worked
from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language.book import book_from_text
from roofproof.cli import main
from roofproof.derive.inequalities.cases import Above, Below
from roofproof.derive.roofline.communication import alpha_beta, faster
from roofproof.errors import RoofproofError
from roofproof.proofs.provers.times import prove_faster

STEPS = {  # each algorithm as a loop: the bytes of every step, for V bytes over n chips
    "ring": lambda n, V: [Fraction(V, n)] * (2 * (n - 1)),
    "direct": lambda n, V: [Fraction(V, n) * (n - 1)] * 2,
    "recursive": lambda n, V: 2 * [Fraction(V, 2 ** (k + 1)) for k in range(int(log2(n)))],
    "tree": lambda n, V: [Fraction(V)] * (2 * int(log2(n))),
    "one-shot": lambda n, V: [Fraction(V) * (n - 1)],
}
PAIRS = [(a, b) for a in STEPS for b in STEPS if a != b]


def seconds(algorithm: str, n: int, V: int) -> Fraction:
    return sum((Fraction(1, 10**6) + moved / 10**9 for moved in STEPS[algorithm](n, V)), Fraction(0))


@pytest.mark.parametrize("n", [2, 4, 8, 32])
@pytest.mark.parametrize("algorithm", STEPS)
def test_the_time_is_that_of_its_steps_one_after_the_other(algorithm: str, n: int) -> None:
    value = alpha_beta(op(f"all-reduce:algorithm={algorithm},n={n}"))
    W, t, V = (next(s for s in value.free_symbols if s.name == name) for name in "WtV")
    made = value.subs({W: 10**9, t: sympy.Rational(1, 10**6), V: 4096})
    assert made == sympy.Rational(seconds(algorithm, n, 4096))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_where_it_is_faster_is_proved_and_agrees_with_the_loops(one: str, other: str) -> None:
    found = faster(*(op(f"all-reduce:algorithm={each}") for each in (one, other)), "V")
    cases, proof = prove_faster(found)
    assert proof.trust == "kernel"
    for n in (2, 4, 8, 32):
        values = {"n": n, "l": int(log2(n)), "W": 10**9, "t": sympy.Rational(1, 10**6)}
        there = cases.at(values)
        for V in (1, 999, 10**4, 10**7):
            holds = there.holds(cases.unknown).subs(cases.unknown, V)
            assert bool(holds) is (seconds(one, n, V) < seconds(other, n, V)), (n, V, str(there))


def test_two_levels_are_faster_by_what_their_links_give() -> None:
    found = faster(op("all-reduce:algorithm=two-level,n=32,link=nvlink"), op("all-reduce:n=32,link=dcn"), "V")
    cases, proof = prove_faster(found)
    assert proof.trust == "kernel"
    fast = {"W_nvlink": 9, "W_dcn": 1, "t_nvlink": 1, "t_dcn": 1}
    assert cases.at(fast).kind == "always"
    assert isinstance(cases.at({**fast, "t_nvlink": 5}), Above) and isinstance(
        cases.at({**fast, "W_nvlink": Fraction(1, 2)}), Below
    )


@pytest.mark.parametrize("node", ["8", "g"])
def test_two_levels_of_any_number_of_full_nodes(node: str) -> None:
    """The loops take 2 (g - 1) steps of V/g inside and 2 (n/g - 1) of V/n outside, against 2 (n - 1) of V/n."""
    found = faster(op(f"all-reduce:algorithm=two-level,node={node}"), op("all-reduce"), "V")
    cases, proof = prove_faster(found)
    assert proof.trust == "kernel" and [str(c) for c in found.whole] == [f"Eq(Mod(n, {node}), 0)"]
    for n in (16, 64):
        for inner, outer in ((9, 1), (1, 9), (4, 4)):
            for t, late in ((1, 2), (1, 9), (2, 16)):
                there = cases.at({"n": n, "g": 8, "W_ici": inner, "W_dcn": outer, "t_ici": t, "t_dcn": late})
                for V in (1, 200, 5000):
                    two = 14 * (t + Fraction(V, 8 * inner)) + 2 * (n // 8 - 1) * (late + Fraction(V, n * outer))
                    one = 2 * (n - 1) * (t + Fraction(V, n * inner))
                    assert bool(there.holds(cases.unknown).subs(cases.unknown, V)) is (two < one)


def test_chips_that_fill_no_node_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    asked = "derive all-reduce:algorithm=two-level --faster-than all-reduce --for V --at n=60"
    assert main(asked.split()) == 2
    assert capsys.readouterr().err == "roofproof: at n = 60: 8 divides n, which is false\n"


def test_claims_say_it() -> None:
    book = book_from_text(
        """
[chips.node]
bf16 = "1 TFLOP/s"
nvlink = "450 GB/s"
nvlink-latency = "1 us"
[ops]
ring = "all-reduce:n=8,link=nvlink"
tree = "all-reduce:algorithm=tree,n=8,link=nvlink"
[textbook]
title = "t"
[[claim]]
id = "a"
says = "alpha_beta(tree) < alpha_beta(ring) <=> V < 32/17 * W t"
[[claim]]
id = "b"
says = "alpha_beta(tree, node) < alpha_beta(ring, node) <=> V < 14400000/17 byte"
[[claim]]
id = "c"
says = "alpha_beta(tree) < alpha_beta(ring) <=> V < 2 W t"
""",
        "b.toml",
    )
    assert [judge_quietly(claim).kind for claim in book.claims] == ["verified", "verified", "refuted"]


def test_it_is_asked_and_graded() -> None:
    pair = {"op": "all-reduce:algorithm=tree,n=8,link=nvlink", "against": "all-reduce:n=8,link=nvlink", "for": "V"}
    asked = Question.of(pair, {})
    said = {"V < 32 t W/17": "right", "32*t*W/17": "right", "V < 2 W t": "wrong", "V > 32 t W/17": "wrong"}
    assert {answer: grade(asked, answer).grade for answer in said} == said
    on = Question.of({**pair, "chip": "nvlink=450 GB/s, nvlink-latency=1 us"}, {})
    assert [grade(on, answer).grade for answer in ("847059 byte", "847 kB", "847059 s")] == ["right", "digits", "wrong"]
    for question in (
        asked,
        on,
        Question.of({"op": "all-reduce:algorithm=two-trees", "against": "all-reduce", "for": "V"}, {}),
    ):
        assert worked(question).lines[-1].known.trust == "kernel"


def test_the_command_tells_it_in_both_languages_and_refuses_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["derive", "all-reduce:algorithm=one-shot,n=8", "--faster-than", "all-reduce:n=8"]
    assert main(asked) == 0 and "V < 52*W*t/21" in capsys.readouterr().out
    assert main([*asked, "--lang", "zh"]) == 0 and "依据：证明内核" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0 and json.loads(capsys.readouterr().out)["trust"] == "kernel"
    for rest, said in (
        (["--share", "0.8"], "use either --share or --faster-than, not both"),
        (["--for", "Q"], "unknown dimension 'Q'"),
    ):
        assert main([*asked, *rest]) == 2 and said in capsys.readouterr().err
    assert main(["derive", "all-reduce", "--faster-than", "matmul"]) == 2
    assert "roofproof counts starts only for a single collective" in capsys.readouterr().err
    assert main(["derive", "all-gather:algorithm=tree", "--faster-than", "all-gather"]) == 2
    assert "unknown algorithm 'tree'" in capsys.readouterr().err
    with pytest.raises(RoofproofError, match="solve for the bytes"):
        faster(op("all-reduce:algorithm=tree"), op("all-reduce"), "n")
