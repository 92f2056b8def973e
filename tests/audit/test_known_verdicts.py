"""The verdict on a formula that was read rests on proved facts. The verdict on values that were tried rests on none."""

from typing import Any

import pytest

from roofproof.audit import audits
from roofproof.audit.audits import Audit, audit
from roofproof.audit.closed_forms import value_at
from roofproof.audit.formulas import formula
from roofproof.export.explain.audits import explain_audit
from roofproof.export.to_text import untitled_text
from roofproof.hardware import chip
from roofproof.ops import parse_operation
from roofproof.proofs.known import ByCounterexample, Known, Unproved
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions


def read(text: str, name: str = "matmul", quantity: str = "flops", on: str | None = None) -> Audit:
    op = parse_operation(name)
    return audit(formula(text, *(s.name for s in op.dims)), op, quantity, None if on is None else chip(on))


def undecided(said: Statement) -> Known:
    return Known(said, Unproved("nobody looked"))


@pytest.mark.parametrize(
    ("text", "name", "quantity", "on", "trusts"),
    [
        ("2*B*D*F", "matmul", "flops", None, {"kernel"}),
        ("2*B*D*k + 2*B*F*k + 2*D*F*min(E, B*k)", "grouped-matmul", "bytes", None, {"kernel"}),
        ("max(2*N*B*(D + F)/819e9 + 2*N*D*F/819e9, 2*N*B*D*F/197e12)", "batched-matmul", "lower", "tpu-v5e",
         {"kernel", "smt"}),
    ],
)  # fmt: skip
def test_equal_is_known_of_both_forms_at_all_whole_sizes(
    text: str, name: str, quantity: str, on: str | None, trusts: set[str]
) -> None:
    found = read(text, name, quantity, on)
    assert (found.verdict, found.how) == ("equal", "symbols") and found.known is not None
    assert found.known.trust in trusts
    said = found.known.statement
    assert said.goal == ("=", with_functions(found.theirs), with_functions(found.ours)) and not said.somewhere
    assert set(said.integers) == {s.name for s in parse_operation(name).dims}


def test_it_is_known_of_the_sizes_that_the_operation_has() -> None:
    found = read("2*B*(D//n)*F", "sharded-matmul")
    assert found.verdict == "equal" and found.known is not None
    assert found.known.statement.says.startswith("(2*B*D*F)/n = (2*B*D*F)/n where int(D/n) and ")
    wrong = read("4*h*k*W*L", "sliding-window-attention").known
    assert wrong is not None and isinstance(wrong.warrant, ByCounterexample)
    assert ("v", "W") in wrong.statement.assumptions[0] and wrong.warrant.point["W"] <= wrong.warrant.point["L"]


@pytest.mark.parametrize("text", ["1.9*B*D*F", "2*B*D*F + max(0, 3 - B)", "2*B*D*F + B*F"])
@pytest.mark.parametrize("decided", [True, False])
def test_different_is_known_by_sizes_put_in_exactly(text: str, decided: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not decided:
        monkeypatch.setattr(audits, "prove_or_refute", undecided)
        text = text.replace("3 - B", "10**7 - B")
    found = read(text)
    assert found.verdict == "different" and found.known is not None
    assert found.known.statement.somewhere and isinstance(found.known.warrant, ByCounterexample)
    at = {s: int(found.known.warrant.point[s.name]) for s in parse_operation("matmul").dims}
    assert value_at(found.theirs, at) != value_at(found.ours, at)


def test_sizes_beyond_all_that_are_tried_refute_a_formula_that_is_read() -> None:
    found = read("2*B*D*F + min(1, B//100000000)")
    assert (found.verdict, found.known and found.known.trust) == ("different", "kernel")
    assert found.apart is not None and found.apart[0]["B"] >= 10**8 and found.apart[1] - found.apart[2] == 1
    assert "\nat B = " in untitled_text(explain_audit(found))


def test_the_same_closed_forms_that_no_proof_is_found_for_are_known_by_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "prove_or_refute", undecided)
    found = read("2*B*D*F")
    assert (found.verdict, found.known and found.known.trust) == ("equal", "algebra")
    assert read("2*B*D*F + min(1, B//100000000)").verdict == "near"  # it differs beyond all sizes that are tried


def test_nothing_is_known_of_what_was_tried() -> None:
    def counted(B: Any, D: Any, F: Any) -> int:
        return sum(2 for _ in range(int(B))) * int(D) * int(F)

    matmul = parse_operation("matmul")
    tried = [
        audit(counted, matmul),
        audit(lambda B, D, F: counted(B, D, F) + 1, matmul),
        audit(lambda B, D, F: 0 if B == 12345 else 2 * B * D * F, matmul),
        audit(lambda B, D, F: 0 if B > 3 else 2 * B * D * F, matmul),
    ]
    assert [(one.how, one.verdict) for one in tried] == [
        ("samples", "equal"), ("samples", "different"), ("values", "different"), ("values", "different"),
    ]  # fmt: skip
    assert [one.known for one in tried] == [None] * 4


def test_nothing_is_known_to_nine_digits() -> None:
    found = audit(lambda B, D, F: 2.0000000000001 * B * D * F, parse_operation("matmul"))  # float: a tool's constant
    assert (found.verdict, found.decimals, found.known) == ("near", ("2.0000000000001",), None)
