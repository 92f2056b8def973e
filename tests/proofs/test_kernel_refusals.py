"""The other rules of the proof checker refuse invalid arguments, and lose no hypothesis."""

import pytest
from second_reading import HALF, MINUS, ONE, TWO, A, B, D, F, X, Y, Z, minus, over, plus, times

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, KernelError, show, truth_table

x_gt_y, y_gt_x = kernel.assume((">", X, Y)), kernel.assume((">", Y, X))
x_ge_y = kernel.assume((">=", X, Y))


def test_the_hypotheses_of_every_premise_stay():
    """A premise that the certificate does not use keeps its hypotheses, as its sign may have cleared a denominator."""
    made = kernel.arith((">=", times(X, X), times(X, X)), [x_gt_y], [], "z")
    assert made.hypotheses == {(">", X, Y), (">", Z, ZERO)}
    assert made.premises == (x_gt_y,)


def test_premises_that_can_be_read_only_once():
    """Hypotheses are kept even if the premises are an iterator, which is empty on a second pass."""
    both = [(ONE, [0]), (ONE, [1])]
    assert kernel.arith(("false",), iter([x_gt_y, y_gt_x]), both).hypotheses == {(">", X, Y), (">", Y, X)}
    whole = kernel.assume(("int", X))
    assert kernel.integral(X, iter([whole])).hypotheses == {("int", X)}
    assert kernel.propositional((">", X, Y), iter([x_gt_y])).hypotheses == {(">", X, Y)}
    with pytest.raises(KernelError):
        kernel.arith(("false",), [kernel.identity(X, X)], [(MINUS, iter([0])), (ONE, [])])
    with pytest.raises(KernelError):
        kernel.tends(D, iter("D"), D, "D")


@pytest.mark.parametrize(
    "goal",
    [
        (">", X, Y),
        ("or", (">", X, Y), ("=", Y, X)),  # the reversed equation is another atom
        ("=>", (">=", X, Y), (">", X, Y)),
        ("not", (">", X, Y)),
        ("or",),
        ("<=>", (">=", X, Y), (">=", Y, X)),
    ],
    ids=show,
)
def test_propositional_refuses(goal):
    with pytest.raises(KernelError):
        kernel.propositional(goal, [x_ge_y] if goal != ("not", (">", X, Y)) else [x_gt_y])


def test_propositional_reads_at_least_as_not_less():
    assert kernel.propositional(("or", (">=", X, Y), (">", Y, X))).hypotheses == frozenset()
    with pytest.raises(KernelError, match="too many atoms"):
        kernel.propositional(("or", *((">", X, ("q", n, 1)) for n in range(20))))


@pytest.mark.parametrize(
    ("term", "whole"),
    [
        (over(X, TWO), [X]),
        (times(HALF, X), [X]),
        (X, []),
        (X, [Y]),
        (times(X, Y), [X]),
        (X, [times(X, X)]),
        (("sqrt", X), [X]),
        (("max", X, Y), [X, Y]),
        (over(X, Y), [X, Y]),
        (HALF, []),
        (plus(("floor", X), HALF), []),
        (over(ONE, ZERO), []),
    ],
    ids=str,
)
def test_what_is_no_integer(term, whole):
    with pytest.raises(KernelError):
        kernel.integral(term, [kernel.assume(("int", w)) for w in whole])


def test_integers():
    term = plus(times(("q", 3, 1), X, X), over(times(TWO, ("floor", Y)), MINUS), ("ceil", over(Y, Z)))
    assert kernel.integral(term, [kernel.assume(("int", X))]).hypotheses == {("int", X)}
    whole = kernel.integral(minus(X, Y), [kernel.assume(("int", X)), kernel.assume(("int", Y))])
    assert kernel.gap(x_gt_y, whole).conclusion == (">=", X, plus(Y, ONE))
    assert kernel.gap(x_gt_y, whole).hypotheses == {(">", X, Y), ("int", X), ("int", Y)}
    for strict, difference in [(x_ge_y, whole), (y_gt_x, whole), (x_gt_y, kernel.assume(("int", X)))]:
        with pytest.raises(KernelError):
            kernel.gap(strict, difference)
    with pytest.raises(KernelError):
        kernel.gap(x_gt_y, x_gt_y)


def test_instantiate_changes_hypotheses_too():
    made = kernel.instantiate(x_gt_y, {"x": Y, "y": X})  # simultaneously, not one after the other
    assert (made.hypotheses, made.conclusion) == ({(">", Y, X)}, (">", Y, X))


def test_instantiate_reads_its_values_once():
    class Fickle(dict):
        asked = 0

        def get(self, key, default=None):
            self.asked += 1
            return ("q", self.asked, 1)

    made = kernel.instantiate(kernel.assume((">", X, ONE)), Fickle(x=MINUS))
    assert (made.hypotheses, made.conclusion) == ({(">", MINUS, ONE)}, (">", MINUS, ONE))


@pytest.mark.parametrize(
    "values",
    [{"D": F}, {"D": ONE}, {"B": D}, {"B": over(ONE, plus(D, ONE))}, {"B": ("max", ONE, ("floor", D))}, {"D": D}],
    ids=str,
)
def test_a_growing_variable_is_neither_replaced_nor_captured(values):
    limit = kernel.tends(over(times(B, D), plus(B, D)), "D", B, "BD")
    for theorem in (limit, kernel.discharge(limit, (">", B, ZERO))):
        with pytest.raises(KernelError, match="growing variable"):
            kernel.instantiate(theorem, values)


def test_a_fixed_variable_of_a_limit_may_be_replaced():
    limit = kernel.tends(over(times(B, D), plus(B, D)), "D", B, "BD")
    made = kernel.instantiate(limit, {"B": plus(A, ONE)})
    assert made.hypotheses == {(">", plus(A, ONE), ZERO)}
    assert made.conclusion[3] == plus(A, ONE)


def test_columns_of_a_truth_table():
    atoms = [(">", X, ("q", n, 1)) for n in range(5)]
    columns, full = truth_table(atoms)
    for row in range(1 << 5):
        assert [columns[a] >> row & 1 for a in atoms] == [row >> k & 1 for k in range(5)]
    assert full == (1 << (1 << 5)) - 1
    assert truth_table([]) == ({}, 1)
    atoms = [("int", ("v", f"x{k}")) for k in range(12)]
    columns, full = truth_table(atoms)
    assert full == 2**2**12 - 1
    for k, atom in enumerate(atoms):
        assert columns[atom] == sum(1 << row for row in range(2**12) if row >> k & 1)
