"""Values at the edges of what the engine decides: what changes of its source showed that no other test looked at."""

from fractions import Fraction

import pytest

from roofproof.proofs.language.book import book_from_text
from roofproof.proofs.verdicts import comparing
from roofproof.proofs.verdicts.judge import judge
from roofproof.proofs.verdicts.rounding import agreement
from roofproof.proofs.verdicts.statements import Finding


@pytest.mark.parametrize(
    ("value", "printed", "reading"),
    [
        (Fraction(31), "10", "order of magnitude"),  # 3.1^2 < 10
        (Fraction(32), "10", None),  # 3.2^2 > 10
        (Fraction(4), "10", "order of magnitude"),
        (Fraction(3), "10", None),
        (Fraction(5, 2), "2", "nearest"),  # a half goes either way
        (Fraction(13, 5), "2", "truncated"),
        (Fraction(3, 2), "2", "nearest"),
        (Fraction(3), "2", None),
        (Fraction(-240), "240", None),
        (Fraction(1, 5), "0", None),
    ],
)
def test_readings_of_a_printed_number(value: Fraction, printed: str, reading: str | None) -> None:
    found = agreement(value, printed)
    assert (found.reading if found else None) == reading


def test_an_equation_left_open_is_not_taken_for_one_that_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "decide_condition", lambda *_: Finding("open", "undecided", reason="left open"))
    [claim] = book_from_text('[[claim]]\nid = "a"\nsays = "x y ~= y x + z"').claims
    found = judge(claim)  # type: ignore[arg-type]
    assert (found.kind, found.trust, found.note) == ("undecided", "undecided", "left open")
