"""Claims about one size of an operation that rounds or has a power, decided by bounds on blocks of whole numbers."""

from fractions import Fraction

import pytest

from roofproof.claims.judging.judge import judge
from roofproof.claims.language.book import book_from_text

OPS = """
[ops]
experts = "flops bf16 = 2 k B D F; bytes hbm = 2 B D + 2 B F + 2 E D F (1 - (1 - k/E)^B)"
[[claim]]
id = "a"
let = { D = "64", F = "64", E = "16", k = "2" }
"""


def verdict(says, given=""):
    [claim] = book_from_text(f'{OPS}given = "{given}"\nsays = "{says}"' if given else f'{OPS}says = "{says}"').claims
    return judge(claim)


def reached(B):
    """2 k B D F FLOPs over the bytes, with the experts touched as they are counted, exactly."""
    D, F, E, k = 64, 64, 16, 2
    touched = E * (1 - Fraction(E - k, E) ** B)
    return Fraction(2 * k * B * D * F) / (2 * B * D + 2 * B * F + 2 * D * F * touched)


@pytest.mark.parametrize(("least", "off"), [(2, 0), (30, 0), (30, 1), (57, -1)])
def test_where_a_power_reaches_a_number_is_decided(least, off):
    """`I >= I(n) <=> B >= n` holds for the n at which the value is reached, and for no other."""
    number = reached(least)
    found = verdict(f"intensity(experts) >= {number.numerator}/{number.denominator} <=> B >= {least + off}")
    if off == 0:
        assert (found.kind, found.condition, found.known[0].trust) == ("conditional", "B <= 1073741824", "kernel")
    else:
        assert found.kind == "refuted" and found.counterexample == {"B": least - (off < 0)}


def test_what_is_given_bounds_the_search():
    number = reached(9)
    says = f"intensity(experts) >= {number.numerator}/{number.denominator} <=> B >= 9"
    assert verdict(says, "B <= 1000").kind == "verified"
    assert verdict(says.replace(">= 9", ">= 8"), "B <= 7").kind == "verified"  # neither side holds anywhere
    assert verdict(says.replace(">= 9", ">= 8"), "B <= 8").kind == "refuted"
