"""Sentences that a person reads in one way, right and wrong in pairs: units, digits, exact values of mistakes."""

import pytest

from roofproof.claims.judge.judge import judge, judge_with_slip
from roofproof.claims.language import Claim
from roofproof.claims.language.book import Unusable, book_from_text

FRACTIONS = """
verified | 3/4 TB/s == 750 GB/s
refuted  | 3/4 TB/s == 3 TB/s
verified | rate(tpu-v5e, hbm) > 3/4 TB/s
refuted  | rate(tpu-v5e, hbm) > 5/6 TB/s
verified | 7/8 GiB == 896 MiB
refuted  | 7/8 GiB == 896 MB
verified | 2/3 ms + 1/3 ms == 1 ms
refuted  | 2/3 ms + 1/3 ms == 1 us
verified | 1/4 ms > 249 us
refuted  | 1/4 ms > 251 us
verified | 5/2 pJ/FLOP == 2.5e-12 J/FLOP
refuted  | 5/2 pJ/FLOP == 2.5e-9 J/FLOP
verified | (1/2) n GB == 500 n MB
refused  | 1/2 n GB == 500 n MB
verified | 1/3 day == 8 hours
refuted  | 1/3 day == 6 hours
verified | -1/2 GB + 1 GB == 1/2 GB
refuted  | -1/2 GB + 1 GB == 3/2 GB
verified | (2^3/2^4) GB == 500 MB
refused  | 2^3/2^4 GB == 500 MB
verified | x > 3/2 GB => x > 1 GB
refuted  | x > 3/2 GB => x > 2 GB
verified | 1/2 % == 0.005
refuted  | 1/2 % == 0.05
verified | 3/2 TFLOP/s / (1/2 TB/s) == 3 FLOP/byte
refuted  | 3/2 TFLOP/s / (1/2 TB/s) == 6 FLOP/byte
refused  | 1/2/2 GB == 250 MB
refused  | 3 / 4 TB/s == 750 GB/s
refused  | a/2 GB == 500 MB
verified | (a/2) GB == 500 a MB
refused  | x/2 ms == 500 us
refused  | 1/2 GB > 1/2 ms
verified | 1/2 Gb/s == 62.5 MB/s
"""
COMPOUND = """
verified | 3 GHz * 2 seconds == 6000000000
verified | 3 GHz * 2 s == 6000000000
verified | 6 joules / (2 watts) == 3 seconds
refuted  | 6 joules / (2 watts) == 12 seconds
verified | 6 J / (2 W) == 3 s
verified | 1 TFLOP/J == 1 TFLOP/s/W
refuted  | 1 TFLOP/J == 1 GFLOP/s/W
verified | 4 MFLOP/kB == 4 kFLOP/B
verified | 12 tokens/s == 720 tokens/minute
refuted  | 12 tokens/s == 12 tokens/minute
verified | 2 bytes/element * 10 elements == 20 bytes
refuted  | 8 bits/element * 10 elements == 80 bytes
verified | 36 MB/hour == 10 kB/s
verified | 100 cycles / (1 GHz) == 100 ns
refuted  | 100 cycles / (1 GHz) == 100 us
verified | 8 s byte == 64 s bit
verified | 1 MiB/s == 1048576 B/s
refuted  | 1 MiB/s == 1 MB/s
verified | 1 PFLOP/day > 11 GFLOP/s
refuted  | 1 PFLOP/day > 12 GFLOP/s
refused  | 3 gb == 3 Gb
refused  | 3 secs == 3 seconds
refused  | 3 mins == 3 minutes
refused  | 4 Mhz == 4 MHz
refused  | 1 TB == 1 TFLOP
refused  | 5 GB * 3 GB == 15 GB
refused  | 4 TFLOP/s/GB/s == 4
verified | 4 TFLOP/s / (2 TB/s) == 2 FLOP/B
refused  | 1 GB == 1000000000 B
verified | 1 GB == 1000000000 bytes
refuted  | time(matmul, tpu-v5e, memory) < 3 s
verified | 2 s + 3 GB > 3 GB | s > 1
"""
ONE_DIGIT = """
rounded | 0.93 ~= 0.9
refuted | 0.96 ~= 0.9
rounded | 0.104 ~= 0.1
refuted | 0.13 ~= 0.1
rounded | 1.9 ~= 2
refuted | 1.6 ~= 2
rounded | 2.1 ~= 2
refuted | 2.4 ~= 2
rounded | 5.4 ~= 5
refuted | 5.6 ~= 5
rounded | 96 ~= 100
refuted | 94 ~= 100
rounded | 94 ~= 90
rounded | 994 ~= 1.0e3
refuted | 949 ~= 1.0e3
rounded | 996 ~= 1.0e3
rounded | 9.96 ~= 10.0
refuted | 9.94 ~= 10.0
rounded | 9.996 ~= 10.0
refuted | 149 ~= 100
rounded | 185e9 ~= 200e9
refuted | 180e9 ~= 200e9
rounded | 7.6 ms ~= 8 ms
refuted | 7.4 ms ~= 8 ms
rounded | 2/3 ~= 0.7
refuted | 2/3 ~= 0.6
refuted | 1/6 ~= 0.2
rounded | sqrt(10) ~= 3
refuted | sqrt(12) ~= 3
refuted | ridge(tpu-v5e, bf16) ~= 200
refuted | 3/2 ~= 1
refuted | 3/2 ~= 2
"""
SLIPS = """
refuted | 1 TiB ~= 1 TB
rounded | 1 TiB ~= 1.1 TB
refuted | 1 GiB ~= 1 GB
refuted | smallest(n, 10 n > 105) ~= 10
rounded | 11 ~= 10
rounded | 59/122 ~= 0.5
rounded | 1024 ~= 1000
rounded | ridge(tpu-v5e, bf16) ~= 240
"""


def rows(text: str) -> list[tuple[str, str, str]]:
    parted = ([part.strip() for part in line.split(" | ")] for line in text.splitlines() if line)
    return [(verdict, says, given[0] if given else "") for verdict, says, *given in parted]


def claim(says: str, given: str = "", more: str = "") -> Claim | Unusable:
    [found] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '''{says}'''\ngiven = '{given}'\n{more}").claims
    return found


WORDS = """
refused  | x if y > 1
refused  | x > 1 where y > 1
refused  | 2 x > y given x > y
refused  | B large > 3
refused  | T is 3
refused  | 5 percent == 0.05
verified | 5 % == 0.05
refused  | 7 mod 3 == 1
refused  | sin x <= 1
refused  | exp x > 1
refused  | ln x < 5
refused  | log x > 1
verified | log(x) > 1 | x > 3
refuted  | log(x) > 1 | x > 2
refused  | softmax x > 1
verified | peak / hbm > 1 <=> peak > hbm
refuted  | peak / hbm > 1 <=> peak > 2 hbm
refused  | N == 50k
refused  | N > 3M
refused  | 1e3k > 1
verified | 50k > 49k | k > 1
refuted  | 50k > 51k | k > 1
verified | 2k > k
refused  | 2 h == 7200 s
refused  | 3 d == 72 h
refused  | 2 B == 16 b
verified | 2 hours == 7200 seconds
refuted  | 2 hours == 3600 seconds
verified | 2 h == 6 s | h == 3 s
"""


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("verdict", "says", "given"), rows(FRACTIONS + COMPOUND + ONE_DIGIT + SLIPS + WORDS))
def test_a_sentence(verdict: str, says: str, given: str) -> None:
    found = claim(says, given)
    assert ("refused" if isinstance(found, Unusable) else judge(found).kind) == verdict


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("1/2 n GB > 1", "column 2: '1/2 n GB' can be read two ways; write '(1/2) n GB' or '1/(2 n GB)'"),
        ("a / 2 GB > 1", "column 3: 'a / 2 GB' can be read two ways; write '(a/2) GB' or 'a/(2 GB)'"),
        ("2 ms > 2 h", "column 8: '2 h' can be read two ways; write '2 hours' or '2 * h'"),
        ("1 GB > 2 B", "column 8: '2 B' can be read two ways; write '2 bytes' or '2 * B'"),
        ("4 GB/ms/s > 1", "column 8: '/s' can be read two ways; write '/seconds' or '/ s'"),
        ("2 h == 7200 s", "column 1: '2 h' can be read two ways; write '2 hours' or '2 * h'"),
        ("N == 50k", "column 6: '50k' can be read two ways; write '50 * 10^3' or '50 * k'"),
        ("7B params == 7e9", "column 1: '7B' can be read two ways; write '7 * 10^9' or '7 * B'"),
        ("1.5 M tokens > 3", "column 1: '1.5 M' can be read two ways; write '1.5 * 10^6' or '1.5 * M'"),
        ("sin x > 1", "column 1: unknown function 'sin'"),
        ("2 log x > 1", "column 3: 'log' is read as a function; write 'log(...)'"),
        ("x > 1 if y > 1", "column 7: 'if' is not a name; expected a formula such as 'B > 240 => B D > 1'"),
        ("a > 3 implies a > 2", "column 7: 'implies' is not a name; write '=>'"),
        ("a > 3 AND a > 2", "column 7: 'AND' is not a name; write 'and'"),
        ("a > 3 unless b > 2", "column 7: 'unless' is not a name; write 'or'"),
        ("a > 3 whenever b > 2", "column 7: 'whenever' is not a name; expected a formula such as 'B > 240 => B D > 1'"),
        ("If a > 3", "column 1: 'If' is not a name; expected a formula such as 'B > 240 => B D > 1'"),
        (
            "a == b/(3e6) seconds",
            "column 7: 'b/(3e6) seconds' can be read two ways; write '(b/(3e6)) seconds' or 'b/((3e6) seconds)'",
        ),
        ("intensity(tpu-v5e) > 1", "column 11: 'tpu-v5e' is a chip; expected an operation"),
        ("ridge(matmul, bf16) > 1", "column 7: 'matmul' is an operation; expected a chip"),
        ("a <> b", "column 4: unexpected '<>'; write '!='"),
        ("|a - b| > 1", "column 1: unexpected '|'; write 'abs(a)'"),
        ("a in {1, 2}", "column 6: unexpected 'in {'; write 'given = \"n in {1, 2}\"'"),
        ("1,024 > a", "column 2: ',' after a digit; write the digits without it"),
        (r"\frac{a}{b} > 1", "column 1: this is LaTeX; write plain text, such as 'sqrt(a / b) <= c'"),
        ("exp(a) > 1", "column 1: unknown function 'exp'"),
        (
            "flops(x:bf16[B], y:bf16[B] -> z:bf16[B]) > 1",
            'column 1: an operation goes in quotes, as in flops("bf16[B,D], bf16[D,F] -> bf16[B,F]")',
        ),
        ("3 secs > 1 ms", "column 3: 'secs' is not a unit; did you mean seconds?"),
    ],
)
def test_two_readings_are_both_shown(says: str, message: str) -> None:
    found = claim(says)
    assert isinstance(found, Unusable) and found.message == f"book: claim 'a': says: {message}"


@pytest.mark.parametrize(
    ("says", "slip"),
    [("1 TiB ~= 1 TB", "prefix:binary"), ("smallest(n, 10 n > 105) ~= 10", "off-by-one"),
     ("intensity(dot) ~= 0.5", "limit-for-exact")],
)  # fmt: skip
def test_digits_are_no_excuse_for_what_a_slip_gives_exactly(says: str, slip: str) -> None:
    sizes = 'let = { N = "30" }'
    found, widened = claim(says, more=sizes), claim(says, more=f"{sizes}\ntolerance = '10 %'")
    assert isinstance(found, Claim) and isinstance(widened, Claim)
    told = judge_with_slip(found)
    assert (told.kind, told.slip) == ("refuted", slip)
    assert told.note == "its digits agree, but a known mistake gives it exactly"
    assert judge(widened).kind == "rounded"
