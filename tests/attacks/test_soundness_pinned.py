"""Edge cases of decisions that no other test covered, as mutation testing showed."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import example, given
from hypothesis import strategies as st

from roofproof import op
from roofproof.claims.judge import readings, side_conditions
from roofproof.claims.judge.decide_formula import Finding, decide
from roofproof.claims.judge.domain import Domain
from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text
from roofproof.claims.printed import ORDER, agreement
from roofproof.derive.inequalities.cases import Above, Below, Between, Outside, Several, Threshold
from roofproof.derive.inequalities.integers import largest_integer, smallest_integer
from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.proofs.oracles import smt

END = 60  # beyond every bound below
at = st.builds(sympy.Rational, st.integers(1, 40), st.sampled_from([1, 1, 2, 3]))
pairs = st.tuples(at, at).map(sorted)
thresholds = st.one_of(
    st.builds(Above, at, st.booleans()),
    st.builds(Below, at, st.booleans()),
    st.builds(lambda ends, strict: Between(ends[0], ends[1], strict), pairs, st.booleans()),
    st.builds(lambda ends, strict: Outside(ends[0], ends[1], strict), pairs, st.booleans()),
    st.builds(lambda ends: Several((Above(ends[0]), Below(ends[1], False)), "and"), pairs),
)


@given(thresholds, st.integers(1, 5))
@example(Between(sympy.Integer(1), sympy.Integer(2)), 1)  # no integer
@example(Outside(sympy.Integer(3), sympy.Integer(16)), 1)
@example(Below(sympy.Integer(3)), 1)
def test_integers_in_a_solution_are_those_of_a_scan(threshold: Threshold, step: int) -> None:
    """The smallest and largest multiples in a solution are those of a scan, also if the bounds are equal."""
    scanned = [m for m in range(step, END, step) if threshold.holds(sympy.Integer(m)) == sympy.true]
    assert smallest_integer(threshold, step) == min(scanned, default=None)
    endless = scanned and scanned[-1] + step >= END
    assert largest_integer(threshold, step) == (None if endless else max(scanned, default=None))


def test_an_operation_has_a_ceiling_for_every_channel() -> None:
    found = ceilings(op("sharded-matmul:n=4"))
    assert [c.channel for c in found] == ["memory", "ici"]
    assert len({c.exceeded for c in found}) == 2


@pytest.mark.parametrize(
    ("value", "printed", "reading"),
    [
        (Fraction(31), "10", "order of magnitude"),  # 3.1^2 < 10
        (Fraction(32), "10", None),  # 3.2^2 > 10
        (Fraction(4), "10", "order of magnitude"),
        (Fraction(3), "10", None),
        (Fraction(41, 20), "2.0", "nearest"),  # a half may round either way
        (Fraction(52, 25), "2.0", "truncated"),
        (Fraction(39, 20), "2.0", "nearest"),
        (Fraction(20, 9), "2", "nearest"),  # one digit: at most 10 % away
        (Fraction(9, 4), "2", "order of magnitude"),
        (Fraction(21, 10), "20e-1", "nearest"),
        (Fraction(-240), "240", None),
        (Fraction(1, 5), "0", None),
    ],
)
def test_readings_of_a_printed_number(value: Fraction, printed: str, reading: str | None) -> None:
    found = agreement(value, printed, ORDER)
    assert (found.reading if found else None) == reading


def test_an_equation_left_open_is_not_taken_for_one_that_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "decide_condition", lambda *_: Finding("open", reason="left open"))
    [claim] = book_from_text('[[claim]]\nid = "a"\nsays = "x y ~= y x + z"').claims
    found = judge(claim)  # type: ignore[arg-type]
    assert (found.kind, found.trust, found.note) == ("undecided", "undecided", "left open")


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("4 x ~= 10 x", "refuted"),  # 4 and 10 agree in order of magnitude, but in no digit
        ("2.84 x ~= 2.8 x", "rounded"),
        ("2.8 x ~= 2 x", "refuted"),  # one digit must not be cut off
        ("1.4 x ~= 2 x", "refuted"),  # 2 * 2/1.4 = 2.86 would also be cut off to 2
        ("2 x ~= 1.4 x", "refuted"),
    ],
)
def test_formulas_that_differ_by_a_number_are_told_by_its_digits(says: str, kind: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"').claims
    assert judge(claim).kind == kind  # type: ignore[arg-type]


def test_what_the_solver_does_not_know_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    n = ("v", "n")
    whole = Domain(integers=frozenset("n"))
    goal = ("not", ("=", ("*", n, ("+", n, ("q", 1, 1))), ("q", 7, 1)))  # no integer is a root
    assert decide(goal, whole).trust == "smt"
    monkeypatch.setattr(smt, "refute", lambda *_: smt.SmtAnswer("unknown", reason="no time"))
    left = decide(goal, whole)
    assert (left.status, left.trust, left.reason) == ("open", "undecided", "no time")


def test_a_condition_that_may_not_suffice_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    [claim] = book_from_text('[[claim]]\nid = "a"\nsays = "1 / x > 0"\ngiven = "x real"').claims
    assert judge(claim).kind == "conditional"  # type: ignore[arg-type]
    monkeypatch.setattr(side_conditions, "decide_condition", lambda *_, **__: Finding("open"))
    assert judge(claim).kind == "refuted"  # type: ignore[arg-type]
