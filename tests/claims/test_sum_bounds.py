"""A sum in a claim needs integer bounds. They are part of the domain, and the note says so."""

import pytest

from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language.book import book_from_text


def verdict(says: str, given: str = "n integer") -> Verdict:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\ngiven = "{given}"\nsays = "{says}"\n').claims
    return judge(claim)


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("sum(i, i, 1, n/2) == n (n + 2) / 8", "verified"),
        ("sum(1, i, 1, n/2) >= 1", "verified"),  # n = 1 is not even
        ("sum(1, i, 1, n/2) != 1/2", "verified"),  # no number of terms is 1/2
        ("sum(i, i, 1, n/2) == n^2 / 8", "refuted"),
    ],
)
def test_half_of_n_is_whole(says: str, kind: str) -> None:
    found = verdict(says)
    assert found.kind == kind
    assert found.note == "the sum over i by its closed form, for n/2 whole"
    if kind == "refuted":
        assert found.counterexample is not None
        assert found.counterexample["n"] % 2 == 0


def test_a_bound_that_is_whole_anyway_is_not_spoken_of() -> None:
    assert verdict("sum(i, i, 1, 2 n) == n (2 n + 1)").note == "the sum over i by its closed form"


@pytest.mark.parametrize(
    ("says", "given", "bound"),
    [
        ("sum(i, i, 1, n/2) == n (n + 2) / 8", "n integer; n >= 3; n <= 3", "n/2"),
        ("sum(i, i, 1, n/2) == 0", "n integer; n >= 3; n <= 3", "n/2"),
        ("sum(i, i, 1, 5/2) == 35/8", "n integer", "5/2"),
        ("sum(i, i, 1/2, 5/2) == 9/2", "n integer", "1/2 and 5/2"),
    ],
)
def test_a_sum_whose_bounds_are_nowhere_whole_says_nothing(says: str, given: str, bound: str) -> None:
    found = verdict(says, given)
    assert (found.kind, found.note) == ("undecided", f"the sum over i has a bound that is not an integer: {bound}")
