"""Weighted means are theorems of the kernel for any weights, and the search finds where one is what is claimed."""

from hypothesis import given
from hypothesis import strategies as st

from roofproof.proofs.kernel.terms import Formula, Term, normal_form
from roofproof.proofs.search.tactics import prove
from roofproof.proofs.search.weighted_means import weighted_mean

PARTS: list[Term] = [Term("v", name) for name in "abcde"]


def mean(weights: list[int], constant: int) -> Formula:
    """(n_1 a + n_2 b + ...)^N >= constant a^n_1 b^n_2 ..."""
    pairs = list(zip(weights, PARTS, strict=False))
    total = Term("+", *(Term("*", Term("q", n, 1), t) for n, t in pairs))
    return Formula(
        ">=", Term("^", total, sum(weights)), Term("*", Term("q", constant, 1), *(Term("^", t, n) for n, t in pairs))
    )


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_a_weighted_mean_is_a_theorem_of_the_kernel(weights: list[int]) -> None:
    theorem = weighted_mean(list(zip(weights, PARTS, strict=False)))
    goal = mean(weights, sum(weights) ** sum(weights))
    assert [normal_form(t)[0] for t in theorem.conclusion[1:]] == [normal_form(t)[0] for t in goal[1:]]
    assert theorem.hypotheses == {Formula(">", Term("v", n), Term("q", 0, 1)) for n in "abcde"[: len(weights)]}


def test_the_weights_of_the_known_bounds() -> None:
    for weights in ([1, 1], [1, 1, 1], [1, 2], [1, 1, 2], [2, 2, 1], [1] * 4, [1, 1, 1, 2], [1] * 5, [2, 2, 2, 3]):
        assert prove(mean(weights, sum(weights) ** sum(weights))) is not None, weights
    assert prove(mean([1, 1, 1], 28)) is None  # 3^3 = 27 at a = b = c = 1


def test_a_power_of_a_sum_that_is_divided() -> None:
    a, b, c = PARTS[:3]
    third = Term("/", Term("+", a, b, c), Term("q", 3, 1))
    assert prove(Formula(">=", Term("^", third, 3), Term("*", a, b, c))) is not None
    assert prove(Formula(">=", Term("^", Term("+", a, b), 3), Term("*", a, b, c))) is None  # the weights do not fit
