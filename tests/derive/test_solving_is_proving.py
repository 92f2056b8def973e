"""The solver proves each case, that the cases are exhaustive, and that they do not overlap, without a search."""

import sympy
from hypothesis import given
from hypothesis import strategies as st
from pytest import MonkeyPatch, mark

from roofproof import op
from roofproof.derive.roofline.critical_size import threshold
from roofproof.derive.solve import solved
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.ops.library import entries
from roofproof.proofs.known import by_kernel
from roofproof.proofs.oracles import smt
from roofproof.proofs.provers.thresholds import drop_infeasible, refuted, statements
from roofproof.symbols import quantity

x, a, b, c, d = map(quantity, "xabcd")
OPEN = {("generate", "d")}  # its polynomials are too large for the proof checker
FEW = ("matmul", "dot", "fft", "attention-core", "sharded-matmul", "grouped-matmul")


def left_open(condition: sympy.Basic, given: tuple[sympy.Basic, ...] = (), unknown: sympy.Symbol = x) -> list[str]:
    """Return the statements about the cases of a condition that the tree of signs does not prove."""
    found = solved(condition, unknown, given)
    due = statements(condition, drop_infeasible(found.cases, given), given)
    proofs = ((s, found.theorem(s.goal, s.about[1] if s.kind == "case" else None, refuted)) for s in due)
    return [s.says for s, theorem in proofs if by_kernel(s, theorem) is None]


def open_thresholds(names: tuple[str, ...]) -> set[tuple[str, str]]:
    out = set()
    for operation in map(op, names):
        for size in operation.dims:
            try:
                found = threshold(operation, None, size.name)
            except RoofproofError:
                continue  # no threshold in this size
            if left_open(found.symbolic_condition, (*found.assume, *found.facts), found.unknown):
                out.add((operation.name, size.name))
    return out


def test_a_threshold_is_proved_by_what_found_it() -> None:
    assert open_thresholds(FEW) == set()


@mark.slow
def test_each_threshold_of_the_library_is_proved_by_what_found_it() -> None:
    assert open_thresholds(tuple(entries())) == OPEN


def test_no_solver_is_asked_for_a_threshold(monkeypatch: MonkeyPatch) -> None:
    found = threshold(op("mixture-of-experts"), None, "F")
    given = (*found.assume, *found.facts)
    cases = drop_infeasible(found.symbolic, given)
    monkeypatch.setattr(smt, "refute", None)
    tree = solved(found.symbolic_condition, found.unknown, given)
    due = statements(found.symbolic_condition, cases, given)
    assert all(tree.theorem(s.goal, s.about[1] if s.kind == "case" else None, refuted) for s in due)


@mark.parametrize(
    "condition",
    [
        (x - a) * (x - b) > 0,
        (x - a) / (x - b) >= 0,
        1 / (x - a) > b,
        (a - b) * x / (a - c) > 2,
        (x - a) ** 2 * (x - 3) >= 0,
        (x - 1) * (x - 2) * (x - 3) < 0,
        sympy.Eq((a - 1) * x, b),
        sympy.Ne(a * x, b),
        x**2 + a > b * x,
        a * x**2 - b * x + c <= 0,
        sympy.Max(b, a * x) + sympy.Min(c, x) > d,
        sympy.Max(x, 3) ** 2 - 2 * sympy.Max(x, 3) > a,
        sympy.And(a * x > b, x < sympy.Min(c, d)),
        sympy.Or(a * x > b, sympy.And(x > c, d * x > 1)),
        x * log2(x) > a * x,
        sympy.sqrt(a) * x / (x - sympy.sqrt(b)) > c,
        a * x**2 < 5 + 2 * b * x**2,
        a * b * x**2 * (3 * a**2 + 5) < 3 - 2 * b * c,
        sympy.And(x**2 > 2 * a * x + b, x < c),
        sympy.And(b * x**2 < 3, c * x > d),
        sympy.Or(a * x**2 + b * x > c, x < (c - d) / (a - b)),
        4 * x > sympy.Max(a * b, 5 / a) + 2 * x**2 / a,
        x > sympy.pi * a,
        x**3 + x > 30 * x**2 + 150,
        2 * x**4 <= x**3 + x + 7,
        (x**3 + 1) / (x + 5) >= 2,
        2 - x**5 < x**2,
    ],
    ids=str,
)
def test_each_kind_of_condition_is_proved_without_a_search(condition: sympy.Basic) -> None:
    assert left_open(condition) == []


coefficients = st.sampled_from([a, b, c, a - b, b - c, a + 2, sympy.Integer(1), sympy.Integer(-2), a * b - c])
sides = st.builds(lambda p, q, r, n: p * x**n + q * x + r, coefficients, coefficients, coefficients, st.integers(0, 2))
relations = st.sampled_from([sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le])
comparisons = st.builds(lambda r, p: r(p, 0, evaluate=False), relations, sides)


@mark.slow
@given(comparisons)
def test_a_comparison_of_degree_two_is_proved_without_a_search(comparison: sympy.Basic) -> None:
    assert x not in comparison.free_symbols or left_open(comparison) == []


def test_no_bound_is_told_that_the_conditions_of_the_operation_meet_anyway() -> None:
    found = threshold(op("sliding-window-attention"), None, "W")
    assert str(found.symbolic.cases[0].threshold.at) == "L - sqrt(-4*L*R + (L + 1/2)**2) + 1/2"
    assert [str(a) for a in found.assume] == ["W <= L"]
    assert str(threshold(op("chunked-prefill-attention"), None, "L").symbolic.cases[0].threshold.kind) == "between"


whole = st.lists(st.integers(1, 400), min_size=1, max_size=3)


@mark.slow
@given(whole, whole, st.integers(1, 9), st.integers(0, 2), relations)
def test_where_signs_change_once_the_isolated_root_is_proved(
    low: list[int], high: list[int], last: int, gap: int, relation: type
) -> None:
    """A polynomial with one change of sign has one positive root (Descartes), which is proved and right at integers."""
    rows = [*(-c for c in low), *[0] * gap, *high, last]
    p = sum(c * x**k for k, c in enumerate(rows))
    condition = relation(p, 0, evaluate=False)
    [case] = solved(condition, x, ()).cases.cases
    if case.threshold.at.has(sympy.CRootOf):  # not a root of a quadratic factor
        assert left_open(condition) == []
    for n in range(1, 60):
        assert case.threshold.holds(sympy.Integer(n)) == condition.xreplace({x: sympy.Integer(n)}).doit(), n


numbers = st.fractions(min_value="1/4", max_value=9, max_denominator=4).map(sympy.Rational)


@mark.slow
@given(comparisons, st.sampled_from([x <= c, x < a + c, x >= b + 3]), st.lists(st.tuples(*[numbers] * 4), min_size=6))
def test_what_a_limit_of_the_unknown_leaves_out_is_never_missed(
    comparison: sympy.Basic, limit: sympy.Basic, points: list[tuple[sympy.Rational, ...]]
) -> None:
    if x not in comparison.free_symbols:
        return
    cases = solved(comparison, x, (limit,)).cases
    for values in points:
        there = dict(zip((x, a, b, c), values, strict=True))
        if limit.xreplace(there) == sympy.true:
            known = {s.name: v for s, v in there.items()}
            held = cases.at(known).holds(there[x])
            assert held == comparison.xreplace(there).doit(), (comparison, limit, there)


@mark.slow
@given(comparisons, st.sampled_from([x <= c, x < a + c, x >= b + 3]))
def test_what_a_limit_of_the_unknown_leaves_out_is_proved(comparison: sympy.Basic, limit: sympy.Basic) -> None:
    assert x not in comparison.free_symbols or left_open(comparison, (limit,)) == []
