"""Steps to minima and maxima: each line is true at points, and the proof checker proves it."""

import pytest
import sympy

from roofproof.derive.optima.extremum import Extremum
from roofproof.derive.optima.optima import maximum, minimum
from roofproof.errors import RoofproofError
from roofproof.proofs.known import Unwarranted
from roofproof.proofs.provers.optimum_proofs import prove_extremum
from roofproof.proofs.steps.lines import Relation
from roofproof.proofs.steps.optima import optimum_steps
from roofproof.proofs.steps.step import Step
from roofproof.symbols import quantity

a, b, x, y = map(quantity, "abxy")
FOUND = [
    minimum(a * x + b / x, x),
    minimum(x**2 - 3 * x + 7, x),
    maximum(a * x - x**2, x),
    minimum(x + y + 1 / (x * y), (x, y)),
    maximum(x / (x**2 + a), x),
    minimum(x + 1 / x, x, [x >= 2]),
]
SIGNS = {"=": sympy.Eq, ">=": sympy.Ge, "<=": sympy.Le}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("found", FOUND, ids=str)
def test_each_line_is_proved_and_what_it_shows_is_true(found: Extremum) -> None:
    made = optimum_steps(prove_extremum(found)).common
    assert {k.trust for step in made for k in step.known} == {"kernel"}
    value = made[-1].by
    for step in made:
        line = step.line
        assert isinstance(line, Relation)
        for k in (2, 3, 7):
            point = {s: sympy.Rational(k + 3 * i, 1) for i, s in enumerate((x, y, a, b))}
            if step is made[-1]:
                point |= {s: v.xreplace(point) for s, v in zip(value[::2], value[1::2], strict=True)}
            sides = [sympy.nsimplify(e.xreplace(point)) for e in line.shows]
            assert SIGNS[line.sign](sympy.simplify(sides[0] - sides[1]), 0) == sympy.true, (str(line), point)


def test_a_line_that_is_changed_has_no_warrant() -> None:
    first, *_ = optimum_steps(prove_extremum(FOUND[0])).common
    assert isinstance(first.line, Relation)
    for wrong in (
        Relation(first.line.left, "=", 2 * first.line.right),
        Relation(first.line.left, "=", 2 * first.line.right, first.line.stated),
    ):
        with pytest.raises(Unwarranted):
            Step(wrong, first.reason, first.known)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (minimum(1 / x, x), "the optimum has several cases or is not attained"),
        (minimum(x + 1 / x**2, x), "a line is too large for the proof checker"),
    ],
)
def test_what_is_not_told_says_why(found: Extremum, why: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        optimum_steps(prove_extremum(found))
    assert str(refused.value) == why
