"""Ambiguous text is rejected with both readings: products without signs, rates, counts, billions. None is guessed.

Each text that is read has one meaning. Next to it is a similar text with two.
"""

from __future__ import annotations

from json import dumps

import pytest

from roofproof import limit
from roofproof.agents.tools import judge
from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language.book import Unusable, book_from_text
from roofproof.claims.scoped import values_from
from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement
from roofproof.ops import parse_operation
from roofproof.pages.judging import judged_page
from roofproof.pages.written import page_from_text

RATES = (
    "2400e6/s * 16 byte == 38.4 GB/s",
    "60 /s == 60 Hz",
    "3.35 TB/s / (140 GB) ~= 24 /s",
    "2400 MT/s * 2 * 8 byte == 38.4 GB/s",
    "32 GT/s * 16 bit == 64 GB/s",
    "1e6 rows/s * 8 byte/row == 8 MB/s",
    "1000 images/s * 8.2 GFLOP/image == 8.2 TFLOP/s",
    "8 cores * 3.8 GHz * 16 FLOP/cycle == 486.4 GFLOP/s",
    "6 * 7e9 * 1e12 FLOP / (312 TFLOP/s * 40 %) ~= 93500 GPU hours",
    "2400e6 * s^-1 * 16 byte == 38.4 GB/s",
    "16 GB/(s) == 16 GB/s",
    "3e9/J * 1 FLOP == 3 GFLOP/J",
)
OPEN_RATES = {  # another factor has no known dimension, so a name may be meant
    "x * 2400e6/s * 16 byte == 38.4 GB/s": ("x * 2400e6/s", "x * 2400e6 / (1 second)", "s"),
    "60 /s * 2 byte > x": ("60 /s", "60 / (1 second)", "s"),
    "2400 MT/s * x == 38.4 GB/s": ("2400 MT", "2400 * 10^6", "MT"),
    "1e6 rows/s * x == 8 MB/s": ("1e6 rows", "1e6", "rows"),
    "8 cores * x * 2 GHz == 2 GHz": ("8 cores", "8", "cores"),
}
PRODUCTS = (
    "flops(matmul) == 2BDF",
    "flops(matmul) == 2 BDF",
    "flops(matmul) == 2 B DF",
    "2BDF / (2BD) == F",
    "D F > R (D + F) => (intensity(matmul) > R <=> B > RDF / (D F - R (D + F)))",
    "bytes(matmul) == 2BD + 2DF + 2BF",
    "bytes(matmul) >= 2 sqrt(BD) sqrt(BD)",
    "DF B > 0 => flops(matmul)/BDF == 2",
)
OPEN_PRODUCTS = {  # some of the letters are not names
    "flops(matmul) == 2BDG": ("2BDG", "2 B D G", "B_DG"),
    "flops(matmul) > BDG": ("BDG", "B D G", "B_DG"),
    "7HW > 2 B": ("7HW", "7 H W", "H_W"),
    "BDF + B > B": ("BDF", "B D F", "B_DF"),
    "flops(matmul) / BW > 0": ("BW", "B W", "B_W"),
}
BILLIONS = {"6.7B * 12 byte ~= 80.4 GB": "6.7B", "6.7B == 6.7e9": "6.7B"}

LETTERS = {  # after a number that is a power, a sum or a quotient
    "capacity(h100-sxm, hbm) == 80 * 10^9 B": ("10^9 B", "10^9 bytes", "10^9 * B"),
    "2^30 B == 1 GiB": ("2^30 B", "2^30 bytes", "2^30 * B"),
    "2^3 h == 480 min": ("2^3 h", "2^3 hours", "2^3 * h"),
    "(1/2) B == 4 bits": ("(1/2) B", "(1/2) * 1 byte", "(1/2) * B"),
    "(1 + 2) s == 3000 ms": ("(1 + 2) s", "(1 + 2) * 1 second", "(1 + 2) * s"),
}


def judged(says: str, **fields: object) -> str:
    """Return the verdict on a claim, or the reason why it cannot be used."""
    more = "\n".join(f"{name} = {dumps(value)}" for name, value in fields.items() if isinstance(value, str))
    let = "\n".join(f"let.{name} = {dumps(value)}" for name, value in dict(fields.get("let") or {}).items())  # type: ignore[call-overload]
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = {dumps(says)}\n{more}\n{let}').claims
    return claim.message if isinstance(claim, Unusable) else judge_quietly(claim).kind


@pytest.mark.parametrize(("says", "ways"), LETTERS.items())
def test_a_letter_after_a_number_is_refused_with_both_readings(says: str, ways: tuple[str, str, str]) -> None:
    whole, unit, product = ways
    assert f"'{whole}' can be read two ways; write '{unit}' or '{product}'" in judged(says)
    assert judged(says.replace(whole, unit)) == "verified"


@pytest.mark.parametrize(("says", "ways"), OPEN_RATES.items())
def test_a_rate_that_may_be_a_name_is_refused_with_both_readings(says: str, ways: tuple[str, str, str]) -> None:
    whole, unit, own = ways
    said = f"'{whole}' can be read two ways; write '{unit}', or given = '{own} > 0' for a value of that name"
    assert judged(says).endswith(said)


@pytest.mark.parametrize("says", RATES)
def test_a_rate_or_a_count_is_what_people_mean(says: str) -> None:
    assert judged(says) in ("verified", "rounded")


@pytest.mark.parametrize(
    ("says", "fields", "kind"),
    [
        ("2400e6 / (1 second) * 16 byte == 38.4 GB/s", {}, "verified"),
        ("32 * 10^9 / (1 second) * 16 bit == 64 GB/s", {}, "verified"),
        ("3 GB/s * n/s == 3 n GB/s / s", {"given": "s > 0"}, "verified"),
        ("8 cores * 2 GHz == 2 GHz * 8 cores", {"given": "cores > 0"}, "verified"),
        ("2 rows * 1 byte == rows * 2 byte", {}, "verified"),  # a name elsewhere, so a name everywhere
        ("8 heads * 2 byte == 16 byte", {"let": {"heads": "1"}}, "verified"),
        ("N/s > 0", {}, "verified"),  # without units a letter is a name
        ("2 x/s < 3 x/s", {}, "verified"),
    ],
)
def test_a_name_that_is_introduced_or_used_elsewhere_is_one(says: str, fields: dict[str, object], kind: str) -> None:
    assert judged(says, **fields) == kind


def test_a_rate_is_one_wherever_it_stands() -> None:
    assert judged("rate * 16 byte == 38.4 GB/s", let={"rate": "2400e6/s"}) == "verified"
    assert "given: column 9: '60/s'" in judged("rate * 2 byte <= 120 B/s", given="rate <= 60/s")


@pytest.mark.parametrize(("says", "ways"), OPEN_PRODUCTS.items())
def test_a_product_without_signs_is_refused_with_both_readings(says: str, ways: tuple[str, str, str]) -> None:
    whole, product, name = ways
    said = f"'{whole}' can be read two ways; write '{product}' for the product, or spell a name of its own in another "
    assert judged(says).endswith(f"{said}way, such as '{name}'")


@pytest.mark.parametrize("says", PRODUCTS)
def test_a_product_without_signs_is_one(says: str) -> None:
    assert judged(says) == "verified"


@pytest.mark.parametrize(
    "says", ["2 BW > BW", "B/BW < 2 B/BW", "total > t => 2 total > t", "n_BD B D > 0", "flops(matmul) / Bw > 0"]
)
def test_a_word_of_which_a_letter_is_no_size_is_a_name(says: str) -> None:
    assert judged(says) == "verified"


def test_a_word_that_a_claim_uses_twice_is_a_name() -> None:
    assert judged("flops(matmul) / BW > 0", given="BW > 2 B") == "verified"
    assert judged("flops(matmul) / BW > x", let={"x": "B D F / BW"}) == "verified"


def test_a_product_is_one_wherever_it_stands() -> None:
    assert judged("flops(matmul) == W", let={"W": "2 BDF"}) == "verified"
    assert judged("flops(matmul) > W", given="W < BDF") == "verified"
    assert judged("BDF > B D F - 1", given="BDF > 1; B D F > 1") == "refuted"  # a name only because `given` mentions it
    assert "let W: column 1: '2BDG' can be read two ways" in judged("flops(matmul) > W", let={"W": "2BDG"})


@pytest.mark.parametrize(
    ("says", "unit"),
    [
        ("bytes(dot) == 4 N + 2 btye", "byte"),
        ("x > 2 n btye", "byte"),
        ("1 KB > 2 bytes", "kB or KiB"),
        ("x byte > 4 secs", "seconds"),
    ],
)
def test_a_word_that_is_nearly_a_unit_is_refused_with_it(says: str, unit: str) -> None:
    assert judged(says).endswith(f"is not a unit; did you mean {unit}?")


def test_an_operation_has_no_sizes_that_may_be_products() -> None:
    with pytest.raises(RoofproofError, match=r"can be read two ways; write '.*' for the product, or spell a name"):
        parse_operation("x:bf16[BD,k], w:bf16[k,B,D] -> z:bf16[k]")


@pytest.mark.parametrize("flops", ["2BDF", "2 B DF"])
def test_a_product_in_an_operation_is_one(flops: str) -> None:
    made = parse_operation(f"flops bf16 = {flops}; bytes memory = 2BD + 2DF + 2BF")
    assert {size.name for size in made.dims} == {"B", "D", "F"}


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("x:bf16[B D], w:bf16[D,F] -> z:bf16[B,F]", "'B D' can be read two ways; write 'B,D' or 'B*D'"),
        ("x:bf16[n n'] -> z:bf16[n]", """"n n'" can be read two ways; write "n,n'" or "n*n'\""""),
    ],
)
def test_two_indices_have_a_comma(text: str, ways: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        parse_operation(text)
    assert str(caught.value).endswith(ways)
    one, other = (parse_operation(f"x:bf16[B,{d}] -> z:bf16[B,{d}]").bytes() for d in ("4 d", "4*d"))
    assert one == other


@pytest.mark.parametrize("formula", ["2BDF/(2BD+2DF+2BF)", "BDF/(BD+DF+BF)"])
def test_the_limit_of_a_product_without_signs_is_that_of_the_product(formula: str) -> None:
    assert str(limit(formula, "D, F >> B").value) == "B"
    with pytest.raises(RoofproofError, match=r"'2BDG' can be read two ways"):
        limit("2BDG/(2BD+2DF+2BF)", "D, F >> B")


def test_the_limit_of_an_operation_is_that_of_its_intensity() -> None:
    assert [str(limit(text, "N -> oo").value) for text in ("dot", "dot:x=fp32,y=fp32")] == ["1/2", "1/4"]
    with pytest.raises(RoofproofError, match="unknown operation 'dott'; did you mean 'dot'"):
        limit("dott", "N -> oo")


@pytest.mark.parametrize(("says", "whole"), BILLIONS.items())
def test_billions_are_among_the_readings(says: str, whole: str) -> None:
    said = f"'{whole}' can be read several ways; write '6.7 * 10^9', '6.7 bytes' or '6.7 * B'"
    assert judged(says).endswith(said)
    assert judged("6.7 * B == 6.7e9", let={"B": "10^9"}) == "verified" == judged("6.7B + B == 7.7 B")


def test_a_name_has_one_value() -> None:
    with pytest.raises(RoofproofError, match="'x' is defined twice"):
        values_from("x = 3; y = 1; x = 4")
    with pytest.raises(RoofproofError, match="'x' is defined twice"):
        judge("x > 2", let="x = 3; x = 4")
    for options in (":let: x = 3; x = 4", ":given: x == 3; x == 4"):
        [found] = judged_page(page_from_text(f"```{{claim}}\n{options}\n\nx > 2\n```\n"))
        assert not found.holds and "'x' is defined twice" in str(found.result.problem)


@pytest.mark.parametrize(
    "says", ["n * tokens > 0", "2 * n * tokens^2 > 0", "(a + b) * GPU > 0", "tokens * n * 3 ms > 0 ms"]
)
def test_a_name_that_is_a_unit_reads_back_as_a_name(says: str) -> None:
    tree = read_statement(says)
    assert read_statement(to_text(tree)) == tree


@pytest.mark.parametrize("says", ["n tokens > 0", "2 n tokens > 0", "(a + b) ms > 0 ms"])
def test_a_unit_reads_back_as_a_unit(says: str) -> None:
    tree = read_statement(says)
    assert read_statement(to_text(tree)) == tree != read_statement("n * tokens > 0")
