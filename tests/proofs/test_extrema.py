"""Maxima and minima that are equal part by part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof.proofs.kernel.terms import ZERO, Formula, Term
from roofproof.proofs.search.lemmas import by_parts

A, B = Term("v", "a"), Term("v", "b")
PARTS = st.lists(st.tuples(*[st.integers(1, 3)] * 3), min_size=2, max_size=3, unique=True)


def written(i: int, j: int, k: int) -> Term:
    return Term("+", Term("*", Term("q", i, 1), A), Term("*", Term("q", j, 1), B), Term("q", k, 1))


def otherwise(i: int, j: int, k: int) -> Term:
    return Term(
        "/",
        Term("+", Term("q", 2 * k, 1), Term("*", B, Term("q", 2 * j, 1)), Term("*", A, Term("q", 2 * i, 1))),
        Term("q", 2, 1),
    )


@pytest.mark.parametrize("kind", ["max", "min"])
@given(PARTS, st.randoms(use_true_random=False))
def test_the_same_parts_in_another_order_and_without_those_that_never_matter(kind, parts, random) -> None:
    def idle(p: tuple[int, ...]) -> bool:
        pairs = [zip(p, q, strict=True) if kind == "max" else zip(q, p, strict=True) for q in parts if q != p]
        return any(all(x <= y for x, y in pair) for pair in pairs)

    kept = [p for p in parts if not idle(p)]
    random.shuffle(kept)
    terms = [otherwise(*p) for p in kept]
    goal = Formula("=", (kind, *(written(*p) for p in parts)), (kind, *terms) if len(terms) > 1 else terms[0])
    found = by_parts(goal)
    assert found is not None and found.conclusion == goal
    assert found.hypotheses <= {Formula(">", A, ZERO), Formula(">", B, ZERO)}
    step = 1 if kind == "max" else -1
    assert by_parts(Formula("=", goal[1], (kind, *(otherwise(*(n + step for n in p)) for p in kept)))) is None


def test_what_is_no_equation_of_two_maxima_is_left_to_the_search() -> None:
    assert by_parts(Formula(">=", Term("max", A, B), A)) is None
    assert by_parts(Formula("=", A, A)) is None
    assert by_parts(Formula("=", Term("max", A, B), Term("min", A, B))) is None
    many = [Term("v", f"x{k}") for k in range(12)]  # too many for a truth table
    assert by_parts(Formula("=", Term("max", *many), Term("max", *reversed(many)))) is None
