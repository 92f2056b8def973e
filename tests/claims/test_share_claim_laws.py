"""Claims about estimates at given sizes, compared with every integer one by one, with a start and each corner."""

from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text

PEAK, BANDWIDTH, LAST = 100 * 10**12, 10**12, 3000
BOOK = """
[chips.here]
bf16 = "100 TFLOP/s"
hbm = "1 TB/s"
[chips.here.calibration.bf16]
level = "hbm"
corner = "{corner}"
compute = {{ value = "{e}", low = "{e}", high = "{e}" }}
memory = {{ value = "{d}", low = "{d}", high = "{d}" }}
start = {{ value = "{start} us", low = "{start} us", high = "{start} us" }}
points = 20
error = "0.05"
fit = "example"
source = "example"
[[claim]]
id = "a"
let = {{ D = "{D}", F = "{F}" }}
given = "B integer"
says = "{says}"
"""

machines = st.fixed_dictionaries(
    {
        "corner": st.sampled_from(["max", "sum", "root"]),
        "e": st.sampled_from(["0.6", "0.75", "1"]),
        "d": st.sampled_from(["0.7", "0.9"]),
        "start": st.sampled_from([1, 5, 23]),
        "D": st.sampled_from([96, 512, 1000, 4096]),
        "F": st.sampled_from([64, 768, 4096]),
    }
)


def times(here, B):
    """Return the seconds of the compute unit and of the memory, by the calibrated specs."""
    D, F = here["D"], here["F"]
    flops, moved = 2 * B * D * F, 2 * (B * D + B * F + D * F)
    return flops / (Fraction(here["e"]) * PEAK), moved / (Fraction(here["d"]) * BANDWIDTH)


def is_within(here, B, seconds, strictly=False):
    """Return whether the estimate is at most `seconds`, or less than it. A root is compared by its square."""
    a, q = times(here, B)
    left = seconds - Fraction(here["start"], 10**6)
    corner = {"max": max(a, q), "sum": a + q, "root": a**2 + q**2}[here["corner"]]
    if here["corner"] == "root":
        left = left**2 if left > 0 else Fraction(-1)
    return left > corner if strictly else left >= corner


def judged(here, says):
    [claim] = book_from_text(BOOK.format(**here, says=says)).claims
    return judge(claim)


@settings(max_examples=8)
@given(machines, st.sampled_from(["0.3", "0.5", "0.8", "0.9"]), st.sampled_from([-1, 0, 0, 1]))
def test_where_a_share_is_kept_is_decided_as_every_integer_says(here, share, off):
    kept = [is_within(here, B, times(here, B)[0] / Fraction(share)) for B in range(1, LAST)]
    assume(any(kept))
    first = kept.index(True) + 1
    assert all(kept[first - 1 :])
    least = max(1, first + off)
    verdict = judged(here, f"share(matmul, here) >= {share} <=> B >= {least}")
    assert (verdict.kind, verdict.trust) == ("verified" if least == first else "refuted", "kernel")
    if least != first:
        assert verdict.counterexample["B"] in (first, least)


@settings(max_examples=8)
@given(machines, st.sampled_from(["<", "<="]), st.sampled_from(["0.9", "1", "1.3", "2", "20"]))
def test_a_floor_beside_an_estimate_is_decided_as_every_integer_says(here, relation, factor):
    """The minimum time uses the data-sheet specs. Times a factor, it may exceed the estimate."""
    floor = {**here, "e": "1", "d": "1"}

    def holds(B):
        seconds = Fraction(factor) * max(times(floor, B))
        return not is_within(here, B, seconds, strictly=relation == "<=")

    verdict = judged(here, f"{factor} lower(matmul, here) {relation} estimate(matmul, here)")
    assert (verdict.kind, verdict.trust) in (("verified", "kernel"), ("refuted", "kernel"))
    if verdict.kind == "verified":
        assert all(map(holds, range(1, LAST)))
    else:
        assert not holds(verdict.counterexample["B"])
