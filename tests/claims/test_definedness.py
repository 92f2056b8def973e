"""A claim that is not defined somewhere is never simply verified: right and cured forms beside each other."""

import pytest

from roofproof.claims.judging.judge import judge
from roofproof.claims.language.book import book_from_text

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
]


def verdict(says: str, given: str) -> object:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\ngiven = '{given}'").claims
    return judge(claim)


@pytest.mark.parametrize(("says", "given", "condition"), SOMEWHERE_UNDEFINED)
def test_what_is_undefined_somewhere_holds_on_a_condition(says: str, given: str, condition: str) -> None:
    found = verdict(says, given)
    assert (found.kind, found.condition, found.note) == ("conditional", condition, "it is not defined elsewhere")


@pytest.mark.parametrize(("says", "given"), CURED)
def test_what_is_given_makes_it_verified(says: str, given: str) -> None:
    assert verdict(says, given).kind == "verified"
