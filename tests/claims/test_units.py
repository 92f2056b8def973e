"""Units in claims: the meaning of a unit after a number, a fraction or a product, and rejected texts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language.book import Claim, Unusable, book_from_text
from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import Quantity
from roofproof.formula.units import unit_of, units

TRUE = [
    "5 Wh == 18 kJ",
    "90 min == 1.5 hours",
    "1/2 GB == 500 MB", "(1/2) GB == 500 MB", "3/4 GiB == 768 MiB", "7/50 GB/s == 140 MB/s", "16 Gb == 2 GB",
    "1/29 GB == (1000000000/29) * 1 byte", "10 GFLOP/GB == 10 FLOP/B", "51 TFLOP/TB == 51 FLOP/B",
    "33 FLOP/TB == (33/1000000000000) * 1 FLOP/B", "16 FLOP/bit == 128 FLOP/B", "8 n byte == 64 n bit",
    "8 n byte / (4 TB/s) == 2 n ps", "(a + b) ms == 1000 (a + b) us", "35 hours == 2100 minutes",
    "1 day == 24 hours", "39 ms == 0.00065 minutes", "300 Gb/s == 37.5 GB/s", "2 kW == 2 kJ/s",
    "3 pJ/FLOP == 3e-12 J/FLOP", "1.5 GHz == 1500000000 Hz", "2 bytes * n == 2 n bytes", "2^10 B/s == 1024 B/s",
    "tokens * 2 == 2 tokens", "240 tokens == 240", "10 TFLOP/s/W == 10 TFLOP/J", "2 B D F == 2 F B D",
    "1 kWh == 3600 kJ", "1 kW * 1 hour == 1 kWh", "50 GBps == 400 Gbps", "1 Mtokens/s == 1000 ktoken/s",
    "60 fJ/bit == 480 fJ/byte", "40 GB s == 40 GB * s", "3 n s / (2 ms) == 1500 s n", "2 min(3, 4) == 6",
    "trait(h100-sxm, tdp) == 700 W", "8 trait(h100-sxm, TDP) < 6000 W", "trait(h100-sxm, tdp) * 2 s == 1400 J",
    "trait(h100-sxm, sms) == 132",
    "6 GB/s / GPU == 3 GB/s * 2 / GPU", "6 GB/GPU == 3 GB * 2/GPU", "(4 GB)^2 == 16 GB * 1 GB",
]  # fmt: skip
FALSE = [
    "trait(h100-sxm, tdp) == 500 W",
    "rate(tpu-v5e, hbm) > 3/2 TB/s", "1/2 GB == 2 GB", "1/2 GB == 0.5 GiB", "10 GFLOP/GB == 10 GFLOP/B",
    "16 Gb == 16 GB", "8 n byte == 8 n bit", "35 hours == 35 minutes", "16 FLOP/bit == 2 FLOP/B",
    "(a + b) ms == (a + b) us", "240 tokens == 241", "3 pJ/FLOP == 3 nJ/FLOP", "1.5 GHz == 15 Hz",
    "1 kWh == 1000 kJ", "1 MWh == 1 GJ", "50 GBps == 50 Gbps", "1 Mtoken == 1000 tokens",
]  # fmt: skip
REFUSED = {
    "1 / 2 GB == 500 MB": "column 1: two readings before a unit; write '1/2 ...' for the fraction, "
    "'1 / (2 ...)' for the quotient",
    "GB > 3": "column 1: 'GB' is a unit; a unit follows a number, as in '2 GB'",
    "3 GBs == 3 GB": "column 3: 'GBs' is not a unit; did you mean GB?",
    "3 KB == 3 kB": "column 3: 'KB' is not a unit; did you mean kB or KiB?",
    "1 word == 2 bytes": "column 3: 'word' is not a unit; did you mean bytes, as in a word?",
    "5 gflops > 1": "column 3: 'gflops' is not a unit; did you mean GFLOPS or GFLOPs?",
    "12 kwh == 12 kWh": "column 4: 'kwh' is not a unit; did you mean kWh?",
    "3/2 h == 90 minutes": "column 1: '3/2 h' can be read several ways; write '3/2 hours', '(3/2) * h' or '3/(2 h)'",
    "10 TB/sec == 10 TB/s": "column 7: 'sec' is not a unit; did you mean seconds?",
    "sqrt(4 GB^2) == 2 GB": "column 10: a power of GB can be read two ways; write '(2 GB)^2' or '2 GB * 1 GB'",
    "5 million == 5000000": "column 3: 'million' is not a name; write '* 10^6'",
    "2 * FLOP > 1": "column 5: 'FLOP' is a unit; a unit follows a number, as in '2 FLOP'",
}

DECLARED = "a name, declare it, as in given = 'e > 0'"
UNIT_OR_NAME = {
    "e^(2 x) >= 1": f"column 1: 'e^(2 x)': Euler's number is not supported; if e is {DECLARED}",
    "e^2 ~= 7.39": f"column 1: e is not supported as a constant; if it is {DECLARED}",
    "log(e x) == 1 + log(x)": f"column 1: 'log(e x)': Euler's number is not supported; if e is {DECLARED}",
    "x e^2 > 7 x": f"column 3: e is not supported as a constant; if it is {DECLARED}",
    "solve(x == 3, x) < 2 e": f"column 22: e is not supported as a constant; if it is {DECLARED}",
    "40 GB s == 40": "column 1: '40 GB s' can be read two ways; write '40 GB * 1 second' or '40 GB * s'",
    "3 kW h == 3 kWh": "column 1: '3 kW h' can be read two ways; write '3 kW * 1 hour' or '3 kW * h'",
    "3 n s / (2 ms) > 3": "column 3: 'n s' can be read two ways; write 'n * 1 second' or 'n * s'",
    "2^30 == 1 Gi": "column 9: '1 Gi' can be read two ways; write '1 * 2^30' or '1 * Gi'",
    "6 GB/s/rack == 6": "column 7: 'rack' is not a unit; leave it out, or write '/ rack' for a value of that name",
}


def judged(text: str) -> str:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '''{text}'''").claims
    return judge_quietly(claim).kind


@pytest.mark.parametrize("text", TRUE)
def test_right_sums_of_units_are_verified(text: str) -> None:
    assert judged(text) == "verified"
    assert read_statement(to_text(read_statement(text))) == read_statement(text)


@pytest.mark.parametrize("text", FALSE)
def test_wrong_ones_are_refuted(text: str) -> None:
    assert judged(text) == "refuted"


@pytest.mark.parametrize(("text", "message"), REFUSED.items())
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        read_statement(text)
    assert str(caught.value).splitlines()[0] == message


@pytest.mark.parametrize(("text", "message"), UNIT_OR_NAME.items())
def test_what_may_be_a_unit_or_a_name_is_refused(text: str, message: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '''{text}'''").claims
    assert isinstance(claim, Unusable) and claim.message.endswith(f"says: {message}")


INTRODUCED = [
    "says = 'solve(e == 3, e) == 3'",
    "says = 'argmin(e + 4/e, e) == 2'",
    "says = 'sum(e, e, 1, n) == n (n + 1)/2'\ngiven = 'n integer'",
    "says = 'limit(1/e, e) == 0'",
    "says = 'smallest(e, e > 3) == 4'",
    "says = 'increasing(e^2, e)'",
    "says = 'for all e: e + 1 > e'",
    "says = 'exists pi: pi > 3'",
    "says = 'e + D > D'\ngiven = 'e integer'",
    "says = 'e < 9'\ngiven = 'e <= 8'",
    "says = 'e/(e + 1) -> 1'\nregime = 'e -> oo'",
    "says = '2 pi > 6'\nlet = { pi = '22/7' }",
    "says = 'flops(\"bf16[e], bf16[e] -> bf16[]\") == 2 e'",
    "says = 'a > 1'\nlet = { a = 'flops(\"bf16[e], bf16[e] -> bf16[]\") / e' }",
]


@pytest.mark.parametrize("claim", INTRODUCED)
def test_a_name_that_the_claim_introduces_is_no_constant(claim: str) -> None:
    [read] = book_from_text(f"[[claim]]\nid = 'a'\n{claim}").claims
    assert isinstance(read, Claim) and judge_quietly(read).kind == "verified"


@pytest.mark.parametrize("given", ["x > e", "e x > 3"])
def test_a_constant_in_a_condition_with_others_is_not_introduced_by_it(given: str) -> None:
    [read] = book_from_text(f"[[claim]]\nid = 'a'\nsays = 'x > 1'\ngiven = '{given}'").claims
    assert isinstance(read, Unusable) and "e is not supported as a constant" in read.message


APART = [
    "1/2 GB > 1 ms", "2 kW == 2 kJ", "1 GB/s == 1 FLOP/s", "1 pJ/FLOP == 1 pJ", "trait(h100-sxm, tdp) == 700 GB",
    "trait(h100-sxm, clock-boost) == 2 GB", "trait(h100-sxm, sms) == 132 GB", "trait(gb200, nvlink-latency) == 1 GB",
    "ceiling(h100-sxm, no-fma, fp32-vector) == 33.5 TB/s",
]  # fmt: skip


@pytest.mark.parametrize("text", APART)
def test_different_dimensions_are_never_compared(text: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '''{text}'''").claims
    assert isinstance(claim, Unusable) and "cannot be compared" in claim.message


@given(st.integers(1, 999), st.integers(1, 999), st.sampled_from(sorted(u for u in units() if u != "%")))
def test_a_fraction_before_a_unit_is_that_part_of_it(above: int, below: int, unit: str) -> None:
    quantity = read_value(f"{above}/{below} {unit}")
    assert isinstance(quantity, Quantity) and quantity.unit == unit_of(unit)
    if unit != "B/s":  # after a parenthesis B and s are names
        assert read_value(f"({above}/{below}) {unit}") == quantity


@given(st.sampled_from(sorted(units())), st.sampled_from(["s", "byte", "FLOP", "GB", "J"]))
def test_a_unit_over_another_is_their_quotient(above: str, below: str) -> None:
    whole, part = unit_of(f"{above}/{below}"), unit_of(above)
    if whole is not None and part is not None:
        one = {"s": Fraction(1), "byte": Fraction(1), "FLOP": Fraction(1), "GB": Fraction(10**9), "J": Fraction(1)}
        assert whole.factor * one[below] == part.factor
