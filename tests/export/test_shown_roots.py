"""Roots told by their polynomials, as the law of what is shown reads them: by what a proof says of their names."""

import pytest
from everything_shown import Shown, Tree

from roofproof.proofs.kernel import kernel
from roofproof.proofs.known import by_kernel
from roofproof.proofs.statement import Statement

R = ("v", "root1")
POWERS = ("^", R, 3), ("*", ("q", -6, 1), ("^", R, 2)), ("*", ("q", 11, 1), R), ("q", -6, 1)
TWO = ("=", ("+", *POWERS), ("q", 0, 1)), (">=", R, ("q", 3, 2)), (">=", ("q", 5, 2), R)  # of 1, 2 and 3
GOAL = (">", ("v", "T"), R)


def wrong(shown: str, latex: bool = False) -> list[str]:
    known = by_kernel(Statement("", (*TWO, GOAL), GOAL), kernel.assume(GOAL))
    assert known is not None
    found = Shown(Tree([known]))
    found.math(shown) if latex else found.plain(shown)
    assert found.checked == 1 or "not read" in found.wrong[0]
    return found.wrong


@pytest.mark.parametrize(
    "told", ["root(x**3 - 8 = 0)", "root(x**3 - 6*x**2 + 11*x - 6 = 0, 2)", "CRootOf(x**2 - 3*x + 2, 1)"]
)
def test_a_root_is_known(told: str) -> None:
    assert wrong(f"T > {told}") == []
    assert wrong(told.replace("**", "^").replace("*", "").replace("root", r"\operatorname{root}"), latex=True) == []


@pytest.mark.parametrize(
    "told", ["root(x**3 - 9 = 0)", "root(x**3 - 6*x**2 + 11*x - 6 = 0, 3)", "CRootOf(x**2 - 3*x + 2, 0)", "root1"]
)
def test_another_root_is_wrong(told: str) -> None:
    assert wrong(f"T > {told}") == [told]


@pytest.mark.parametrize(
    "told", ["root(x**3 - y = 0)", "root(x**3 - 6*x**2 + 11*x - 6 = 0)", "root(x**2 - 1 = 0, 3)", "root(x**2 + 1 = 0)"]
)
def test_what_is_no_root_is_not_read(told: str) -> None:
    assert wrong(f"T > {told}") == [f"not read: {told}"]
