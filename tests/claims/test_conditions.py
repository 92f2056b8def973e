"""Conditions that a claim leaves out: simple, the weakest found, met by some size, and never against `given`."""

import json

import pytest

from roofproof.claims.judge import decide_condition
from roofproof.claims.judge.domain import Domain
from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text
from roofproof.proofs.kernel.terms import Formula, Term

EXACT = "intensity(matmul) > R <=> B > R D F / (D F - R (D + F))"

# says, given, the condition: empty if the claim is refuted, None if it is verified
CONDITIONS = [
    ("N > M and M > L => N < L", "", ""),
    ("N > M and M > L => N > L", "", None),
    ("x > 0", "x >= 0", "x != 0"),
    ("x >= 1", "x >= 0", ""),
    ("x > y", "x >= y", "x != y"),
    ("x >= y", "x > y", None),
    ("x^2 > 0", "x real", "x != 0"),
    ("x^2 >= 0", "x real", None),
    ("x y > 0", "x >= 0; y >= 0", "x*y != 0"),
    ("x y > 0", "x real; y real", ""),
    ("a/b + b/a > 2", "", "a != b"),
    ("a/b + b/a >= 2", "", None),
    ("(x - 3)^2 > 0", "", "x != 3"),
    ("sqrt(x y) < (x + y)/2", "", "x != y"),
    ("max(x, 1/x) > 1", "", "x != 1"),
    ("sqrt(x y) > x", "", "y > x"),
    ("sqrt(x) > 2", "", ""),
    ("x^2 + 9 != 6 x", "", "x != 3"),
    ("x != 3", "", ""),
    ("x < y => x < 2 y", "", None),
    ("x < y => 2 x < y", "", ""),
    ("x > y => x < y", "", ""),
    ("a > b => a c > b c", "c >= 0", "c > 0"),
    ("a >= b => a c >= b c", "c real", "c >= 0"),
    ("floor(n/2) == n/2", "n integer", "n/2 is an integer"),
    ("n^2 > n", "n integer", "n != 1"),
    ("n >= 2", "n integer", ""),
    ("x^2 > x", "", "x > 1"),
    ("x^2 > 4 x", "", ""),
    ("x^2 > 4 x", "x > 4", None),
    ("x^2 >= x", "x >= 1", None),
    ("max(a, b) == a", "", "a >= b"),
    ("min(a, b) == a", "a <= b", None),
    ("sqrt(x^2) == x", "x real", "x >= 0"),
    ("N > 5 => N > 7", "N integer", ""),
    ("N > 5 => N >= 6", "N integer", None),
    ("x/(x + y) > 1/2", "", "x > y"),
    ("increasing(a x - x, x)", "", "a > 1"),
    (EXACT, "", "1/D + 1/F < 1/R"),
    # one point, or one of two integers, is not a region
    ("x^2 >= x", "0 <= x <= 1", ""),
    ("(P - 1)/(P - 1 + m) < 20 %", "m >= 3 P", ""),
    ("(P - 1)/(P - 1 + m) < 20 %", "P, m integer; m >= 3 P", ""),
    ("max(a, b) == a", "a <= b", ""),
    ("a >= b => a c >= b c", "c real; c <= 0", ""),
    ("n^2 > n", "n integer; n <= 2", ""),
    ("n^2 > n", "n integer; n <= 3", "n != 1"),
    ("floor(n/2) == n/2", "n integer; n <= 3", ""),
    ("floor(n/2) == n/2", "n integer; n <= 9", "n/2 is an integer"),
    ("floor(n/6) == n/6", "n integer; n <= 90000", "n/6 is an integer"),
    ("ceil(a/b) == a/b", "a, b integer", "a/b is an integer"),
    ("increasing(a x - x, x)", "a <= 1", ""),
    # it holds outside as well: the order of the names or their sign was made up
    ("n^2 - 7 m^2 != 1", "", ""),
    ("n^2 - 7 m^2 != 1", "n, m integer", ""),
    ("n^2 - 7 m^2 != k", "", ""),
    ("x^3 > -8", "x real", ""),
    ("x/y < 2 x", "", ""),
    ("x y >= x", "", "y >= 1"),
    # defined at single points only
    ("sqrt(x - 1) >= 0", "x <= 1", ""),
    ("sqrt(x) >= 0", "x real; x <= 0", ""),
    ("sqrt(x - 1) >= 0", "x <= 2", "x >= 1"),
    # if b < 0, a quotient rounded up gives less
    ("ceil(a/b) b >= a", "a real; b real", "b > 0"),
    (EXACT, "D F > R (D + F)", None),
]


def verdict(says: str, given: str, more: str = "") -> Verdict:
    book = f"{more}\n[[claim]]\nid = 'a'\nsays = {json.dumps(says)}\ngiven = '{given}'"
    [claim] = book_from_text(book).claims
    assert isinstance(claim, Claim), claim
    return judge(claim)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("says", "given", "condition"), CONDITIONS)
def test_the_condition_found(says: str, given: str, condition: str | None) -> None:
    found = verdict(says, given)
    kind = "verified" if condition is None else "conditional" if condition else "refuted"
    assert (found.kind, found.condition or "") == (kind, condition or "")


# a statement that fails, but is undefined at the point at which a cancelled factor is zero
@pytest.mark.parametrize("says", ["(x - 1)/(x - 1) > 0 => x > 2", "(x - 1)/(x - 1) > x", "(x^2 - 1)/(x - 1) < 2"])
def test_a_counterexample_lies_where_the_sentence_is_defined(says: str) -> None:
    found = verdict(says, "")
    assert found.kind == "refuted" and found.counterexample and found.counterexample["x"] != 1


def test_a_function_is_not_seen_to_fail_where_it_is_not_defined() -> None:
    assert (verdict("decreasing((x - 1)/(x - 1), x)", "").counterexample or {}).get("x") != 1
    assert (verdict("increasing(1/(x - 1), x)", "").counterexample or {}).get("x") == 2


def test_logarithms_of_names_bound_other_names() -> None:
    assert verdict("p <= min(a, c) <=> log2(p) <= min(log2(a), log2(c))", "").kind == "verified"


# says, more fields of the claim, the note: empty if something meets the premise
OF_NOTHING = [
    ("a > b and b > a => a > 5", "", "the premise never holds: a > b and b > a"),
    ("a > b and b > c => a > c", "", ""),
    ("x < -1 => x > 3", "", "the premise never holds: x < -1"),
    ("x < -1 => x < 3", "given = 'x real'", ""),
    ("x^2 < 0 => x > 1", "given = 'x real'", "the premise never holds: x^2 < 0"),
    ("n > 2 and n < 3 => n > 100", "given = 'n integer'", "the premise never holds: n > 2 and n < 3"),
    ("n > 2 and n < 3 => n > 1", "", ""),
    ("x > 5 => x < 2", "given = 'x < 4'", "the premise never holds: x > 5"),
    ("x > 5 => x > 2", "given = 'x < 7'", ""),
    ("1 == 2 => x > 3", "", "the premise never holds: 1 == 2"),
    ("3 > 2 => x + 1 > 1", "", ""),
    ("sqrt(x) < 0 => x > 9", "", "the premise never holds: sqrt(x) < 0"),
    ("sqrt(x) < 3 => x < 9", "", ""),
    ("x < -1 <=> x < -2", "", "neither side ever holds: x < -1"),
    ("2 x < 2 <=> x < 1", "", ""),
    ("(a > b => a >= b) and (a > b and b > a => a > 5)", "", "the premise never holds: a > b and b > a"),
    ("compute_bound(matmul, tpu-v5e) => B > 240", "", ""),
    ("compute_bound(matmul, tpu-v5e) => B > 240", "given = 'D == 100'",
     'the premise never holds: compute_bound(matmul, "tpu-v5e")'),
    ("N < B => N > 20", "regime = 'N >> B'", "true where N > B and N > 20; the premise never holds: N < B"),
    ("B > 5 => N > 20", "regime = 'N >> B'", "true where N > 20"),
]  # fmt: skip


@pytest.mark.parametrize(("says", "more", "said"), OF_NOTHING)
def test_what_is_true_of_nothing_is_said_to_be(says: str, more: str, said: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = {json.dumps(says)}\n{more}").claims
    assert isinstance(claim, Claim)
    found = judge(claim)
    assert (found.kind, str(found.note)) == ("approximate" if "regime" in more else "verified", said)


EDGE = """
[chips.small]
bf16 = "{flops}"
dram = "63 GB/s"

[ops]
mm = "x:fp16[B,D], w:fp16[D,F] -> z:fp8[B,F] @ bf16"
"""


@pytest.mark.parametrize(
    ("flops", "bound", "kind"),
    [("23 GFLOP/s", "3242/63", "refuted"), ("23 GFLOP/s", "0.3", "verified"), ("230 GFLOP/s", "3.6", "verified")],
)
def test_a_condition_that_no_size_meets_is_none(flops: str, bound: str, kind: str) -> None:
    """It would hold for 1/D + 2/F >= 126/23, which no sizes meet, because they are at least 1."""
    found = verdict(f"compute_bound(mm, small) => B > {bound}", "", EDGE.format(flops=flops))
    assert found.kind == kind, found.condition


def test_a_formula_without_logarithms_is_decided_as_it_stands(monkeypatch) -> None:
    x, one = Term("v", "x"), Term("q", 1, 1)
    root = Term("sqrt", x)
    monkeypatch.setattr(decide_condition, "to_condition", None)
    for itself in (Formula("=", Term("/", x, x), one), Formula("=", Term("/", Term("*", root, root), x), one)):
        [known] = decide_condition.decide_condition(itself, Domain()).known
        assert known.statement.goal == itself and known.trust == "kernel"
    with pytest.raises(TypeError):
        decide_condition.decide_condition(Formula(">", Term("log2", x), one), Domain())
