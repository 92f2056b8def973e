"""The proof checker proves the inequality of weighted means for any weights."""

from hypothesis import given
from hypothesis import strategies as st

from roofproof.proofs.kernel.terms import Formula, Term, normal_form
from roofproof.proofs.search.certificates import weighted_mean

PARTS: list[Term] = [Term("v", name) for name in "abcde"]


def mean(weights: list[int], constant: int) -> Formula:
    """Return the formula (n_1 a + n_2 b + ...)^N >= constant a^n_1 b^n_2 ...."""
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
