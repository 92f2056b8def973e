"""A claim that is undefined somewhere is never simply verified, with the repaired form of each claim."""

import pytest

from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language.book import book_from_text
from roofproof.errors import RoofproofError

SOMEWHERE_UNDEFINED = [
    ("(x - y)/(x - y) > 0", "", "x != y"),
    ("(a^2 - 100) / (a - 10) == a + 10", "", "a != 10"),
    ("0 * (1 / (v - 5)) == 0", "", "v != 5"),
    ("z / z == 1", "z real", "z != 0"),
    ("sqrt(p - q)^2 == p - q", "", "p >= q"),
    ("log2(u) - log2(u) == 0", "u >= 0", "u > 0"),
    ("1/x > 0", "x >= 0", "x != 0"),
    ("max(1/x, 0) >= 0", "x real", "x != 0"),
    ("1/(x - 2) != 0", "x in {1, 2, 3}", "x != 2"),
    ("(x - y)/(x - y) > 0 and 1 < 2", "", "x != y"),
    ("not not ((x - y)/(x - y) > 0)", "", "x != y"),
    ("3 > 2 => (x - y)/(x - y) > 0", "", "x != y"),
    ("x^2/x == x", "x real", "x != 0"),
    ("(n - 1)/(n - 1) == 1", "n integer", "n != 1"),
    ("x (x - 1)^(-1) == x / (x - 1)", "", "x != 1"),
    ("sqrt(c - 2) >= 0", "", "c >= 2"),
    ("sqrt(u - v) >= 0", "", "u >= v"),
    ("sqrt(10 - u) >= 0", "", "10 >= u"),
    ("sqrt(x - 1) < sqrt(x)", "", "x >= 1"),
    ("sum(1/(i - x), i, 1, 3) - sum(1/(i - x), i, 1, 3) == 0", "", "1 != x and 2 != x and 3 != x"),
    ("0 * sum(sqrt(u - i), i, 0, 1) == 0", "", "u >= 1"),
    ("sum(i/(x - 1), i, 1, n) * (x - 1) == n (n + 1)/2", "n integer", "x != 1"),
    ("0.333 * (x - 1)/(x - 1) ~= 1/3", "", "x != 1"),
]
CURED = [
    ("(x - y)/(x - y) > 0", "x > y"),
    ("(a^2 - 100) / (a - 10) == a + 10", "a > 10"),
    ("0 * (1 / (v - 5)) == 0", "v > 5"),
    ("z / z == 1", ""),
    ("sqrt(p - q)^2 == p - q", "p >= q"),
    ("log2(u) - log2(u) == 0", ""),
    ("1/x > 0", "x > 0"),
    ("1/(x - 2) != 0", "x in {1, 3}"),
    ("x > 1 => 1/(x - 1) > 0", ""),
    ("x > y => (x - y)/(x - y) == 1", ""),
    ("(n - 1)/(n - 1) == 1", "n integer; n >= 2"),
    ("x/(x + y) < 1", ""),
    ("sqrt(c - 2) >= 0", "c >= 2"),
    ("x > 2 => sqrt(x - 2) >= 0", ""),
    ("sqrt(x - 1) < sqrt(x)", "x > 1"),
    ("sum(1/(i - x), i, 1, 3) - sum(1/(i - x), i, 1, 3) == 0", "x > 3"),
    ("0 * sum(1/(2 i - 1), i, 0, 99) == 0", ""),
    ("0 * sum(1/(i + x), i, 0, 100) == 0", ""),
    ("sum(1/((i - 1) i), i, 2, n) == 1 - 1/n", "n integer; n >= 2"),
]


def verdict(says: str, given: str) -> Verdict:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\ngiven = '{given}'").claims
    return judge(claim)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "given", "condition"), SOMEWHERE_UNDEFINED)
def test_what_is_undefined_somewhere_holds_on_a_condition(says: str, given: str, condition: str) -> None:
    found = verdict(says, given)
    assert (found.kind, found.condition) == ("conditional", condition)
    assert ("it is not defined elsewhere" in found.note) == ("=>" not in says)  # no claim without the premise


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "given"), CURED)
def test_what_is_given_makes_it_verified(says: str, given: str) -> None:
    assert verdict(says, given).kind == "verified"


A_PART_IS_FALSE = [
    ("x != 1 and 1/(x - 1) != 0", "1"),
    ("1/(x - 3) != 0 and x != 3", "3"),
    ("x < 4 and sqrt(4 - x) >= 0", "4"),
]


@pytest.mark.parametrize(("says", "x"), A_PART_IS_FALSE)
def test_a_conjunction_is_false_where_one_of_its_parts_is(says: str, x: str) -> None:
    found = verdict(says, "")
    assert (found.kind, str(found.counterexample["x"])) == ("refuted", x)


@pytest.mark.parametrize("says", ["x > 0 or 1/(x - 1) > 0", "1/(x - 1) > 0 or x > 0"])
def test_a_disjunction_is_true_where_one_of_its_parts_is(says: str) -> None:
    assert verdict(says, "").kind == "verified"
    assert verdict(says.replace("x > 0", "x > 1"), "").condition == "x > 1"
    assert verdict(says.replace("x > 0", "x < 1"), "").condition == "x != 1"


TRUE_AND_DEFINED = [
    ("(x - 2)/(x - 1) != 0", "x != 2 and x != 1"),
    ("floor(n)/(n - m) == n/(n - m)", "n is an integer and n != m"),
    ("max(x, y)/(z - 3) == x/(z - 3)", "x >= y and z != 3"),
    ("sqrt(x - 1) > 0", "x > 1"),
    ("a != b or (a - c)/(a - c) > 0", "a != c"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "condition"), TRUE_AND_DEFINED)
def test_under_its_condition_a_claim_is_true_and_defined(says: str, condition: str) -> None:
    found = verdict(says, "")
    assert (found.kind, found.condition) == ("conditional", condition)


def test_what_is_no_less_than_all_terms_of_a_long_sum_is_said_of_all() -> None:
    found = verdict("0 * sum(1/(i - x), i, 1, 70) == 0", "")
    assert found.condition == "for all i_any integer: 1 <= i_any and i_any <= 70 => i_any - x != 0"


@pytest.mark.parametrize("part", ["x/(x - x)", "1/log(1)", "log(x - x)", "log(1 - 2)", "(x - x)^(-1/3)", "sqrt(-x)"])
def test_a_part_that_has_a_value_nowhere_is_refused_beside_a_root(part: str) -> None:
    with pytest.raises(RoofproofError, match=r"^column \d\d: "):
        verdict(f"sqrt(x) > {part}", "")


@pytest.mark.parametrize("part", ["log2(0)", "log2(x - x)", "sqrt(-1)", "log2(-x)", "1/(x - x)"])
def test_a_part_that_has_a_value_nowhere_is_refused_beside_a_true_one(part: str) -> None:
    for says in (f"{part} > 1 or x > 0", f"x > 0 and ({part} > 1 or x > 0)", f"{part} > 1 => x > 0"):
        with pytest.raises(RoofproofError, match=r"^column \d+: "):
            verdict(says, "")


SIMPLIFIED = [
    "x > y => (x - y)/(x - y) == 1",
    "x == y or (x^2 - y^2)/(x - y) == x + y",
    "27^(n/3) == 3^n",
    "(4/9)^n == (3/2)^(-2 n)",
    "(y^n > n^n => y > n) or log((x/y)^(x y)) == x y log(x/y)",
]


@pytest.mark.parametrize("says", SIMPLIFIED)
def test_what_is_equal_once_simplified_is_so_for_the_kernel(says: str) -> None:
    assert verdict(says, "").trust == "kernel"


ENDS_IN_A_VERDICT = [  # each once failed: without end, in the solver of another question, or in SymPy
    ("sqrt(log2(t) a) < u", "3 <= u <= 6; u integer; a integer; a <= 9; t integer; 6 < t < 8; 2 divides a"),
    ("sqrt(log2(t) abs(a)) < floor(floor(u))", "3 <= u <= 6; u, a, t integer; 4 <= a <= 9; 6 < t < 8; 2 divides a"),
    ("max(8/(k - b), log2(max(q, 9))) < k", "q in {8, 11}; b in {8, 9}; k in {4, 8}"),
    ("max(8/(k - b), log2(max(q, 9))) < k", "q in {-3, 8}; 12 > b >= 8; k in {4, 6, 11}; b != q; b integer"),
    ("log2(sqrt(2)) log2(floor(b)) > y => b > max(floor(b), y^2)", "y, b integer; 1 < y < 8; 12 <= b <= 14"),
    ("2 b > log2(b b) or sqrt(2) < b^2 + sqrt(q)", "q, b integer; 2 <= q <= 2; 1 < b < 8"),
    ("0 == log2(3 + m) and m < a", "m in {5, 6}"),
    ("exists t: (a t) t > t - t - a/t >= a", ""),
    ("largest(n, max(n, 4) - min(2, n) >= (n - n) (n - n)) == 11", ""),
]


@pytest.mark.parametrize(("says", "given"), ENDS_IN_A_VERDICT)
def test_what_has_no_value_on_the_way_ends_in_a_verdict(says: str, given: str) -> None:
    assert verdict(says, given).kind in ("verified", "conditional", "refuted", "undecided")
