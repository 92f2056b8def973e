"""Limits compared with exact values far out, at rates that the regime allows, and relative errors at exact points."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.dominant_term import NoJointLimit, approach
from roofproof.derive.limits.limits import limit, relative_error
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.kernel.terms import ZERO, Term
from roofproof.proofs.oracles import sampling
from roofproof.proofs.translate import to_formula, to_term
from roofproof.symbols import dimension, quantity

A, B, D, F, R = map(quantity, "ABDFR")
N = dimension("N")
MATMUL = B * D * F / (B * D + D * F + B * F)
T = 10**9  # the distance of points far out, where powers up to the third compete

# For each regime, points far out that it allows. Missing symbols stay fixed.
FAR = {
    "D -> oo": [{"D": T}, {"D": T**3}],
    "D, F >> B": [{"D": T**i, "F": T**j} for i, j in ((1, 1), (1, 6), (6, 1), (2, 3))],
    "D >> F >> B": [{"D": T**10, "F": T}, {"D": T**14, "F": T}],
    "F >> D >> A, B": [{"F": T**10, "D": T}],
    "D ~ F >> B": [{"D": d * T, "F": f * T} for d, f in ((1, 1), (3, 1), (2, 5))],
    "D ~ F^2 -> oo": [{"D": d * T**2, "F": f * T} for d, f in ((1, 1), (3, 1), (2, 5))],
    "D = F -> oo": [{"D": T, "F": T}],
    "D = 3 F^2 -> oo": [{"D": 3 * T**2, "F": T}],
    "D -> 0": [{"D": Fraction(1, T)}, {"D": Fraction(1, T**3)}],
}

monomials = st.builds(
    lambda c, a, b, d, f: c * A**a * B**b * D**d * F**f,
    st.integers(1, 4), st.integers(0, 1), st.integers(0, 1), st.integers(0, 2), st.integers(0, 2),
)  # fmt: skip
sums = st.lists(monomials, min_size=1, max_size=4).map(lambda ms: sympy.Add(*ms))
fixed = st.builds(Fraction, st.integers(1, 5), st.integers(1, 3))
near = Fraction(1, 10**5)


def value(expr, point) -> Fraction:
    return sampling.value(to_term(expr), point)


def places(regime, a, b):
    """Yield points far out. F stays fixed if the regime does not mention it."""
    for place in FAR[regime]:
        yield {"A": a, "B": b, "F": b + 1, **{n: Fraction(v) for n, v in place.items()}}


def tends(found, point) -> bool:
    """Return whether the function is close to its limit at this point."""
    f = value(found.expr, point)
    if found.value.is_infinite or found.value == 0:
        g = value(found.growth, point)
        return abs(g / f - 1) < near and (f > 1 / near if found.value.is_infinite else f < near)
    v = value(found.value, point)
    return abs(v - f) < near * f


@settings(max_examples=60)
@given(sums, sums, st.sampled_from(sorted(FAR)), fixed, fixed)
def test_the_function_is_far_out_what_the_limit_says(top, bottom, regime, a, b):
    expr = top / bottom
    try:
        found = limit(expr, regime)
    except RoofproofError as error:
        if "depends on how fast" not in str(error) or "not seen" in str(error):
            raise
        values = [value(expr, p) for p in places(regime, a, b)]
        assert max(values) > min(values) * (1 + near) or min(values) < near
        return
    assert all(tends(found, p) for p in places(regime, a, b)), found


@settings(max_examples=30)
@given(sums, sums, st.sampled_from(sorted(FAR)))
def test_every_limit_of_positive_terms_is_proved_by_the_kernel(top, bottom, regime):
    try:
        found = limit(top / bottom, regime)
    except RoofproofError:
        assume(False)
    assert found.trust == "kernel"
    assert all(k.theorem is not None for k in (*found.stage_proofs, *found.growth_proofs))
    last = found.tends.statement.goal
    assert last[0] == "=" or last[3] == to_term(0 * A if found.value.is_infinite else found.value)


@settings(max_examples=80)
@given(sums, sums, st.sampled_from(sorted(FAR)), fixed, fixed, fixed, fixed)
def test_the_relative_error_is_exact(top, bottom, regime, a, b, d, f):
    try:
        found = limit(top / bottom, regime)
    except RoofproofError:
        assume(False)
    point = {"A": a, "B": b, "D": d, "F": f}
    for tie in found.regime.ties:
        point[tie.name] = tie.factor * point[tie.driver] ** tie.power
    error = found.relative_error if found.growth is None else found.growth_error
    exact = abs(value(found.leading_value, point) / value(found.expr, point) - 1)
    inner = error.replace(sympy.Abs, lambda e: e)
    assert abs(value(inner, point)) == exact
    if inner == error:
        assert value(error, point) >= 0


def test_the_relative_error_over_integers():
    found = limit((2 * N - 1) / (4 * N + 2), "N -> oo")
    assert found.trust == "kernel"
    for n in range(1, 501):
        f = Fraction(2 * n - 1, 4 * n + 2)
        assert value(found.relative_error, {"N": Fraction(n)}) == abs(Fraction(1, 2) - f) / f


LIMITS = [
    (MATMUL, "D = F >> B", B, 2 * B / D),
    (MATMUL, "F = 4 D >> B", B, 5 * B / (4 * D)),
    (MATMUL, "D ~ F >> B", B, B / D + B / F),
    (MATMUL, "B << D", B * F / (B + F), B * F / (D * (B + F))),
    (MATMUL, "D >> F >> B", B, B / D + B / F),
    (D / (D + F + B), "D ~ F >> B", D / (D + F), B / (D + F)),
    (D / (D + F), "D = F -> oo", sympy.Rational(1, 2), sympy.Integer(0)),
    ((D + F + 1) / (D + F), "D, F -> oo", sympy.Integer(1), 1 / (D + F + 1)),
    ((B - R) * D / (D + 1), "D -> oo", B - R, 1 / D),
    (MATMUL, "N -> oo", MATMUL, sympy.Integer(0)),
    ((D + 3) / (D + 5), "D -> 0", sympy.Rational(3, 5), 2 * D / (5 * (D + 3))),
    (D / (D + 1), "D, B -> oo", sympy.Integer(1), 1 / D),
]


@pytest.mark.parametrize(("expr", "regime", "wanted", "error"), LIMITS)
def test_limits_known_in_closed_form(expr, regime, wanted, error):
    found = limit(expr, regime)
    assert sympy.simplify(found.value - wanted) == 0 and sympy.simplify(found.relative_error - error) == 0
    assert found.growth is None and found.where == sympy.true and found.trust == "kernel"


GROWTH = [
    (D * F / (2 * D + F + B), "D >> F >> B", sympy.oo, F / 2, F / (2 * D) + B / (2 * D)),
    (D * F / (D + F), "D, F >> B", sympy.oo, D * F / (D + F), sympy.Integer(0)),
    (D**2 / (D + 1), "D -> oo", sympy.oo, D, 1 / D),
    ((D + 1) / D**2, "D -> oo", sympy.Integer(0), 1 / D, 1 / (D + 1)),
    (1 / (D**2 + D), "D -> 0", sympy.oo, 1 / D, D),
    (D / F, "F >> D >> B", sympy.Integer(0), D / F, sympy.Integer(0)),
]


@pytest.mark.parametrize(("expr", "regime", "wanted", "growth", "error"), GROWTH)
def test_growth_where_the_limit_is_zero_or_infinite(expr, regime, wanted, growth, error):
    found = limit(expr, regime)
    assert found.value == wanted and found.relative_error is None
    assert sympy.simplify(found.growth - growth) == 0 and sympy.simplify(found.growth_error - error) == 0
    assert found.trust == "kernel"


def test_a_limit_may_be_minus_infinity():
    found = limit((B - R * D**2) / (D + 1), "D -> oo")
    assert found.value == -sympy.oo and found.growth == -R * D and found.trust == "kernel"


@pytest.mark.parametrize("f", [B * D, B * D**2 / (D + 1) + 1, D * log2(D)], ids=str)
def test_the_sign_of_an_infinite_limit_is_proved(f):
    right = limit(f, "D -> oo")
    assert right.tends.trust in ("kernel", "algebra")
    stages = tuple(replace(s, value=-sympy.oo) for s in right.approach.stages)
    wrong = replace(right, approach=replace(right.approach, stages=stages, value=-sympy.oo))
    assert wrong.value == -sympy.oo and wrong.trust == "undecided"


@pytest.mark.parametrize("f", [1 / ((A - B) * log2(D)), 1 / (D * (A - log2(D))), 1 / (A - log2(D))], ids=str)
def test_of_the_sign_of_what_vanishes_nothing_is_asked(f):
    assert limit(f, "D -> oo").trust == "algebra"


def test_the_error_of_what_holds_a_power_of_another_name_is_proved():
    found = limit(2**A * N / (N + 1), "N -> oo")
    assert (found.value, found.relative_error, found.trust) == (2**A, 1 / N, "kernel")


def test_each_stage_is_a_theorem():
    found = limit(D * F / (2 * D + F), "D >> F -> oo")
    first, second = found.stage_proofs
    assert first.statement.goal[2:] == (("D",), to_term(F / 2))
    assert second.statement.goal == ("tends", Term("/", Term("q", 1, 1), to_term(F / 2)), ("F",), ZERO)
    assert [k.statement.goal[3] for k in found.growth_proofs] == [("q", 1, 1)] * 2


def test_growing_together_is_one_new_variable():
    [theorem] = limit(D / (D + F**2), "D ~ F^2 -> oo").stage_proofs
    t = quantity("t")
    assert theorem.statement.goal == (
        "tends",
        to_term(t**2 * D / (t**2 * D + t**2 * F**2)),
        ("t",),
        to_term(D / (D + F**2)),
    )
    [theorem] = limit(quantity("t") * D / (D + F), "D ~ F -> oo").stage_proofs
    assert theorem.statement.goal[2] == ("t'",)


WARNINGS = [
    (D / (D + F), "D >> F >> B",
     "the order matters: 1 when 'D >> F >> B', 0 when 'F >> D >> B', D/(D + F) when 'D ~ F >> B'"),
    (D / (D + F), "F >> D -> oo",
     "the order matters: 0 when 'F >> D -> oo', 1 when 'D >> F -> oo', D/(D + F) when 'F ~ D -> oo'"),
    (MATMUL, "D >> F >> B", ""),
    (D / (D + F), "D ~ F >> B", ""),
    (D * F / (D + F), "D >> F >> B", ""),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "regime", "warning"), WARNINGS)
def test_a_warning_where_the_order_matters(expr, regime, warning):
    assert limit(expr, regime).warning == warning


@settings(max_examples=60)
@given(sums, sums)
def test_without_a_warning_every_order_gives_the_value(top, bottom):
    found = limit(top / bottom, "D >> F >> B")
    groups = {"D": (("D", 1),), "F": (("F", 1),)}
    other = approach(found.expr, [[groups["F"]], [groups["D"]]]).value
    if not found.warning:
        assert other == found.value
    else:
        said = re.findall(r"([^,]+) when '([^']+)'", found.warning.removeprefix("the order matters:"))
        assert len(said) > 1
        for told, regime in said:
            again = limit(found.expr, regime).value
            assert told.strip() == ("infinity" if again.is_infinite else plain(again))


EXTREMES = [
    (sympy.Max(D, B) / (D + B), "D >> B", sympy.Integer(1)),
    (sympy.Min(D, F, B), "D, F >> B", B),
    (sympy.Max(D, 2 * D + B) / D, "D >> B", sympy.Integer(2)),
    (sympy.Min(D, 3 * D) / D, "D -> oo", sympy.Integer(1)),
    (sympy.Max(D * B, F) / (D + F), "F >> D >> B", sympy.Integer(1)),
    (sympy.sqrt(D * B) / (sympy.sqrt(D) + 1), "D >> B", sympy.sqrt(B)),
    (sympy.sqrt(B) * D / (D + sympy.Max(B, R)), "D -> oo", sympy.sqrt(B)),
    (sympy.Max(sympy.sqrt(D), B) / sympy.sqrt(D), "D >> B", sympy.Integer(1)),
    (D / (D + sympy.sqrt(D * F)), "D ~ F >> B", None),
    (D / (D + F) + 1 / sympy.sqrt(D), "D ~ F >> B", D / (D + F)),
    (sympy.Min(B, R) * D / (D + 1), "D -> oo", sympy.Min(B, R)),
]


@pytest.mark.parametrize(("expr", "regime", "wanted"), EXTREMES)
def test_maxima_and_roots_are_taken_apart(expr, regime, wanted):
    found = limit(expr, regime)
    if wanted is not None:
        assert found.value == wanted
    assert found.trust == "kernel"
    for k in range(1, 4):
        point = {"B": Fraction(4), "R": Fraction(9), "F": Fraction((k * T) ** 2), "D": Fraction(T**2)}
        if regime == "F >> D >> B":
            point["F"] = Fraction(T**20)
        v, f = (value(e, point) for e in (found.value, expr))
        assert abs(v - f) <= near * f


@given(st.sampled_from(EXTREMES), *(st.integers(1, 40),) * 4)
def test_what_was_taken_apart_is_equal_where_it_says(case, b, d, f, r):
    expr, regime, _ = case
    found = limit(expr, regime)
    point = {"B": Fraction(b**2), "D": Fraction(d**2), "F": Fraction(f**2), "R": Fraction(r**2)}
    if found.where == sympy.true or sampling.holds(to_formula(found.where), point):
        settled = found.settled.back(found.settled.expr)
        assert value(settled, point) == value(expr, point)
        exact = abs(value(found.value, point) / value(expr, point) - 1)
        assert value(found.relative_error, point) == exact


REFUSED = [
    (D / (D + F + B), "D, F >> B",
     "the limit depends on how fast D, F grow against each other: 1 when 'D >> F >> B', 0 when 'F >> D >> B', "
     "D/(D + F) when 'D ~ F >> B'"),
    (D * F / (D**3 + F**3), "D, F -> oo",
     "cannot tell whether the limit depends on the relative growth of D, F; give an order: 0 when 'D >> F -> oo'"),
    (sympy.Min(D, F) / D, "D, F >> B",
     "the regime does not settle which argument of min(D, F) wins; give the relative rates, or values"),
    (sympy.Max(D, R * D), "D -> oo",
     "the leading term R - 1 may be zero or change its sign; the limit is not settled"),
    (sympy.sqrt(D + F), "D, F -> oo",
     "sqrt(D + F) contains a growing size; only roots of products of powers are expanded"),
    (sympy.floor(D) / F, "D, F -> oo",
     "floor(D) contains D, which grows; limits are supported for rational functions, roots of products, and max or "
     "min where one argument outgrows the others"),
    (sympy.sqrt((B - R) * D), "D -> oo", "sqrt(B - R) may be zero or change its sign; the limit is not settled"),
    (sympy.log(B) * D, "D -> oo", "log(B) may be zero or change its sign; the limit is not settled"),
    (D**D, "D -> oo", "cannot expand D^D: only powers, logarithms and exponentials are supported"),
    (R**D, "D -> oo", "whether R is above or below 1 is not known; give it a value"),
    (sympy.sqrt(D**2 + 2*D + 1) - D - 1, "D -> oo",
     "the leading terms of sqrt(2*D + D^2 + 1) - D - 1 cancel; cannot tell whether it is zero"),
    (N / (N + 1), "N -> 0", "regime 'N -> 0': N is a size, at least 1; it cannot tend to 0"),
    ((B - R) * D, "D -> oo",
     "the leading term D*(B - R) may be zero or change its sign; the limit is not settled"),
    (1 / ((B - R) * D + 1), "D -> oo",
     "the leading term 1/(D*(B - R)) may be zero or change its sign; the limit is not settled"),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "regime", "message"), REFUSED)
def test_refusals_say_why(expr, regime, message):
    with pytest.raises(RoofproofError) as caught:
        limit(expr, regime)
    assert str(caught.value) == message


def test_an_error_that_changes_its_sign_is_a_size():
    assert relative_error(B, B * (D + 2) / (D + B)) == sympy.Abs(B - 2) / (D + 2)
    found = limit((N**2 + 2 * N) / (N**2 + N + 3), "N -> oo")
    assert found.relative_error == sympy.Abs(N - 3) / (N * (N + 2)) and found.trust == "kernel"


def test_independent_growth_is_not_an_order():
    with pytest.raises(NoJointLimit):
        approach(D / F, [[(("D", 1),), (("F", 1),)]])
    assert approach(D / F, [[(("D", 2), ("F", 1))]]).value == sympy.oo


# --- the text of a regime -------------------------------------------------------------------------

FORMS = [
    ("D, F >> B", "D, F >> B", (((("D", 1),), (("F", 1),)),), ("B",)),
    ("N -> infinity", "N -> oo", (((("N", 1),),),), ()),
    ("D ≫ B", "D >> B", (((("D", 1),),),), ("B",)),
    ("L >> d >> r, s", "L >> d >> r, s", (((("L", 1),),), ((("d", 1),),)), ("r", "s")),
    ("L >> d -> oo", "L >> d -> oo", (((("L", 1),),), ((("d", 1),),)), ()),
    ("r << d << L", "L >> d >> r", (((("L", 1),),), ((("d", 1),),)), ("r",)),
    ("D ~ F >> B", "D ~ F >> B", (((("D", 1), ("F", 1)),),), ("B",)),
    ("L ~ d^2, N -> oo", "L ~ d^2, N -> oo", (((("L", 2), ("d", 1)), (("N", 1),)),), ()),
    ("D^2 ~ F**3 -> oo", "D^2 ~ F^3 -> oo", (((("D", 3), ("F", 2)),),), ()),
    ("F = 4 D -> oo", "F = 4 D -> oo", (((("D", 1),),),), ()),
    ("D = F^2 ~ G >> B", "D = F^2 ~ G >> B", (((("F", 1), ("G", 2)),),), ("B",)),
    ("F = 4*D ~ G >> B", "F = 4 D ~ G >> B", (((("D", 1), ("G", 1)),),), ("B",)),
    ("x ~ y^2 -> 0", "x ~ y^2 -> 0", (((("x", -2), ("y", -1)),),), ()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "written", "stages", "fixed"), FORMS)
def test_the_forms_of_a_regime(text, written, stages, fixed):
    regime = Regime(text)
    assert (regime.text, regime.stages, regime.fixed) == (written, stages, fixed)
    assert Regime(regime.text) == regime and repr(regime) == f"Regime('{written}')"


@pytest.mark.parametrize(
    ("text", "tied"),
    [("F = 4 D -> oo", 4 * D**2), ("D = F -> oo", D**2), ("D = F^2 -> oo", F**3), ("8 D^2 = 2 F^2 -> oo", 2 * D**2),
     ("3 F = 8 D -> oo", 3 * F**2 / 8)],
)  # fmt: skip
def test_what_is_equal_is_put_in(text, tied):
    assert Regime(text).tied(D * F) == tied


def test_what_is_equal_is_put_in_where_one_of_them_is_missing():
    assert Regime("N = 4 M -> oo").tied(N) == 4 * dimension("M")
    assert Regime("F = 4 G -> oo").tied(F) == 4 * quantity("G")


EXPECTED = "expected symbols that grow, such as 'D, F >> B' or 'N -> oo'"
BAD = [
    ("sideways", EXPECTED), ("", EXPECTED), ("D >>", EXPECTED), (">> D", EXPECTED), ("D -> 1", EXPECTED),
    ("D,, F >> B", EXPECTED), ("D >> F^2", EXPECTED), ("D >> B << C", EXPECTED), ("D << B -> oo", EXPECTED),
    ("D = >> B", EXPECTED), ("D >> F -> 0", EXPECTED), ("D^x >> B", EXPECTED), ("D^123 >> B", EXPECTED),
    ("0 D = F -> oo", EXPECTED), ("D^0 ~ F -> oo", EXPECTED), ("D F >> B", EXPECTED),
    ("D, D >> B", "D is named twice"), ("D >> F >> D", "D is named twice"), ("D ~ D -> oo", "D is named twice"),
    ("4 D >> B", "a factor as in '4 D' needs '=', as in 'F = 4 D -> oo'; a rate has none"),
    ("4 D ~ F >> B", "a factor as in '4 D' needs '=', as in 'F = 4 D -> oo'; a rate has none"),
    ("D^2 = F^3 -> oo", "D^2 = F^3 makes none of its symbols a whole power of another; '~' compares rates only"),
    ("2 D^2 = F^2 -> oo", "2 D^2 = F^2 makes none of its symbols a whole power of another; '~' compares rates only"),
    ("D^13 >> B", "the power 13 is too large; the limit is 12"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), BAD)
def test_regimes_that_are_none(text, why):
    with pytest.raises(RoofproofError) as caught:
        Regime(text)
    assert str(caught.value) == f"regime {text!r}: {why}"


# --- through the command --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("regime", "said"),
    [
        ("D ~ F >> B", ["I -> B as D ~ F >> B", "replacing I by B has relative error exactly B/D + B/F"]),
        ("F = 4 D >> B", ["I -> B as F = 4 D >> B", "replacing I by B has relative error exactly 5*B/(4*D)"]),
        (
            "B << D",
            ["I -> B*F/(B + F) as D >> B", "replacing I by B*F/(B + F) has relative error exactly B*F/(D*(B + F))"],
        ),
        ("D, F, B -> oo", ["I -> infinity as D, F, B -> oo", "like B*D*F/(B*D + B*F + D*F)"]),
        ("B >> D >> F", ["I -> F as B >> D >> F", "replacing I by F has relative error exactly F/B + F/D"]),
    ],
)
def test_the_command_takes_every_form(capsys, regime, said):
    from roofproof.cli import main

    assert main(["derive", "matmul", "--for", "B", "--regime", regime, "--full"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[lines.index("limit") + 1 :][: len(said)] == said
    assert any(re.fullmatch(r"limit .* and its error +by the proof checker", line) for line in lines)
