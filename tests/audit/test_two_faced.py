"""Functions that are right, wrong, or give something else for symbols than for integers, in one table."""

from __future__ import annotations

import pytest

from roofproof.audit.audits import audit
from roofproof.audit.closed_forms import closed_form
from roofproof.audit.whole_numbers import tells_apart
from roofproof.errors import RoofproofError
from roofproof.hardware import chip
from roofproof.ops import parse_operation
from roofproof.symbols import dimension

HEAD = """
import itertools, numbers, random, time
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
here = ModuleType("here")
here.SIZE = 666667
calls, before, counted = itertools.count(), [0], []
def attempt(B):
    try: return range(B) is None
    except TypeError: return True
def noted(B):
    before.append(B if isinstance(B, int) else 0)
    return before[-2]
def limited(B): return B < 888887
class Limits: size = 777779
class Agreeable(Fraction):
    __eq__, __sub__, __hash__ = (lambda s, o: True), (lambda s, o: Fraction(0)), Fraction.__hash__
"""
RANDOM = "it is random, or keeps state"
DUE = "expected a number"
# the value of a function of B, D, F, and the verdict on it or the message that rejects it. The right value is 2 B D F.
# A value that is right at most sizes is near it, never equal
FUNCTIONS = [
    ("2*B*D*F", "equal"),
    ("(3 if type(B) is int else 2)*B*D*F", "different"),
    ("B*F*(D + D)", "equal"),
    ("(3 if hasattr(B, 'bit_length') else 2)*B*D*F", "different"),
    ("Decimal(2)*B*D*F", "equal"),
    ("(3 if str(B).isdigit() else 2)*B*D*F", "different"),
    ("2.0*B*D*F", "equal"),
    ("(2 if attempt(B) else 3)*B*D*F", "different"),
    ("2*B*D*F + 1000000 - 1000000", "equal"),
    ("int(2.0*B*D*F)", "equal"),
    ("(3 if isinstance(B, numbers.Integral) else 2)*B*D*F", "different"),
    ("round(2*B*D*F)", "equal"),
    ("2*B*D*F + (B == 4097 and isinstance(B, int))", "different"),
    ("2*B*D*F + (B == 5555 and isinstance(B, int))", "different"),
    ("2*B*D*F + (B == 123457)", "different"),
    ("2*B*D*F + (B > 10**12)", "near"),
    ("2*B*D*F + (isinstance(B, int) and B > 10**12)", "near"),
    ("(3 if isinstance(B, int) and B*D*F > 2**30 else 2)*B*D*F", "different"),
    ("2*B*D*F + 0*noted(B)", "equal"),
    ("2*B*D*F + noted(B)", RANDOM),
    ("sum((B*F, B*F))*D", "equal"),
    ("(2 + next(calls) % 2)*B*D*F", RANDOM),
    ("max(2*B*D*F, B*D*F)", "equal"),
    ("2*B*D*F*next(calls)", RANDOM),
    ("2*B*D*F + time.perf_counter_ns()", RANDOM),
    ("2*B*D*F*random.random()", RANDOM),
    ("2*B*D*F + B%2", "different"),
    ("2*(-(-B//128))*128*D*F", "different"),
    ("-2*B*D*F", "different"),
    ("0", "different"),
    ("Agreeable(3)", "different"),
    ("float('nan') if isinstance(B, int) and B > 5000 else 2*B*D*F", DUE),
    ("float('-inf') if isinstance(B, int) and B > 5000 else 2*B*D*F", DUE),
    ("10**5000 if isinstance(B, int) and B > 5000 else 2*B*D*F", "of 16610 bits at B = 5001"),
    ("exit(0) if isinstance(B, int) and B > 5000 else 2*B*D*F", "SystemExit"),
    ("'6'", DUE),
    ("complex(6)", DUE),
    ("(2*B*D*F,)", DUE),
    ("None", DUE),
    ("0 if B >= 999983 else 2*B*D*F", "different"),
    ("2*B*D*F*limited(B)", "different"),
    ("2*B*D*F*(B < Limits.size)", "different"),
    ("2*B*D*F*(B < here.SIZE)", "different"),
]
# values that can be computed with symbols
FOLLOWED = [
    "abs(2*B*D*F)",
    "2*B*D*F + 0*abs(B - D)",
    "2*B*D*F if bool(B) else 0",
    "round(2*B*D*F)",
    "2*B*D*F + B % 8 - B % 8",
    "2*B*D*F + 7 % B - 7 % B",
    "2*B*D*F if B % 2 else D*F*B*2",
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("returned", "verdict"), FUNCTIONS)
def test_a_function(returned: str, verdict: str) -> None:
    space: dict[str, object] = {}
    exec(compile(f"{HEAD}\ndef f(B, D, F): return {returned}", "theirs.py", "exec"), space)  # the test's own text
    try:
        found = audit(space["f"], parse_operation("matmul")).verdict  # type: ignore[arg-type]
    except RoofproofError as refused:
        found = str(refused)
        assert "\n" not in found and verdict in found
    else:
        assert found == verdict


@pytest.mark.parametrize("returned", FOLLOWED)
def test_symbols_go_through(returned: str) -> None:
    space: dict[str, object] = {}
    exec(compile(f"{HEAD}\ndef f(B, D, F): return {returned}", "theirs.py", "exec"), space)  # the test's own text
    found = audit(space["f"], parse_operation("matmul"))  # type: ignore[arg-type]
    assert (found.verdict, found.how) == ("equal", "symbols")


def test_a_remainder_is_that_of_python() -> None:
    size = dimension("N")
    for code in (lambda N: N % 7 + 2, lambda N: -N % 7 + 2, lambda N: 100 % N + 2):
        found = closed_form(code, [size])
        assert found.how == "symbols"
        assert not tells_apart(code, [size], found)


def test_a_whole_number_is_told_from_the_next_however_large() -> None:
    """A difference of 1 from N^8 is smaller than the tolerance for rounded values."""
    size = dimension("N")

    def late(N):  # type: ignore[no-untyped-def]
        return N**8 + 1 if isinstance(N, int) and N > 1000 else N**8

    assert tells_apart(late, [size], closed_form(late, [size]))


def test_a_float_that_is_whole_may_be_a_rounded_one() -> None:
    """Times the rate that the function names, the result is an integer to the precision of a float."""
    seconds = lambda B, D, F: 2 * (B * D + D * F + B * F) / 8.19e11  # noqa: E731
    found = audit(seconds, parse_operation("matmul"), "time:memory", chip("tpu-v5e"))
    assert (found.verdict, found.how) == ("equal", "symbols")
