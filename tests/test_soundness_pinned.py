"""Values at the edges of what the engine decides: what changes of its source showed that no other test looked at."""

from fractions import Fraction

import pytest

from roofproof.proofs.verdicts.rounding import agreement


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
    ],
)
def test_readings_of_a_printed_number(value: Fraction, printed: str, reading: str | None) -> None:
    found = agreement(value, printed)
    assert (found.reading if found else None) == reading
