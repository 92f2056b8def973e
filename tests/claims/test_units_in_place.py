"""Units as agents and people write them: a letter after a number, a name that is also a unit, given numbers."""

from json import dumps

import pytest

from roofproof.claims.language.book import book_from_text
from roofproof.claims.results import Result
from roofproof.claims.verifying import judged_claim
from roofproof.export.explain.verdicts import details
from roofproof.export.to_text import inline_text

SIZES = {"B": 8, "D": 4096, "F": 4096}


def judged(says: str, given: str = "", let: dict[str, str] | None = None, regime: str = "") -> Result:
    fields = {"says": says, "given": given, "regime": regime}
    lines = [f"{name} = {dumps(text)}" for name, text in fields.items() if text]
    lines += [f"let.{name} = {dumps(value)}" for name, value in (let or {}).items()]
    return judged_claim(book_from_text('[[claim]]\nid = "a"\n' + "\n".join(lines)), 0)


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("0.4 s <= 36 J / 90 W", "verified"),
        ("0.4 s < 36 J / (90 W)", "refuted"),
        ("1 min == 60 s", "verified"),
        ("2 n min == 120000 n ms", "verified"),
        ("min(x, 3) <= 3", "verified"),
        ("3.6 J == 1 mWh", "verified"),
        ("1 Wh == 3600 J", "verified"),
        ("2 s + s == 3 s", "verified"),  # a name elsewhere, so a name everywhere
        ("P < Pb => 2 P < 2 Pb", "verified"),
        ("3 Pb == 375 TB", "verified"),
        ("W/Pb + Pb > W/Pb", "verified"),
        ("Pb^2 >= 2 W Pb - W^2", "verified"),
        ("3 GB/Pb == 3 GB/Pb", "verified"),
        ("flops(matmul, bf16) > 2 s", "unusable"),
        ("162.1 GB / (425 GB/s) ~= 3.814 * 10^(-1) s", "rounded"),
        ("162.1 GB / (425 GB/s) ~= 3.814 * 10^-1 s", "rounded"),
        ("162.1 GB / (425 GB/s) ~= 3.814 * 10^(-1) seconds", "rounded"),
        ("162.1 GB / (425 GB/s) ~= (3.814 * 10^(-1)) seconds", "rounded"),
        ("n seconds * (2 GB/s) == 2 n GB", "verified"),
        ("7e9 params * 2 bytes/param == 14 GB", "verified"),
        ("2 bytes/parameter * 70e9 parameters / (3.35 TB/s) ~= 42 ms", "rounded"),
        ("8 GPUs * 450 GB/s/GPU == 3600 GB/s", "verified"),
        ("6 params n == 6 n", "refuted"),
        ("params == 7 => 2 params == 14", "verified"),
        ("2 B tokens == 2 tokens B", "verified"),
        ("2 D tokens == D * (2 tokens)", "verified"),
        ("tokens * D > 0", "verified"),  # a name
        ("10^6 tokens / day > 11 tokens/second", "unusable"),
        ("3 GB / (1 GB/s) == 3 (seconds)", "unusable"),
        ("60 images/s * 2 s == 120", "verified"),  # a rate times a time
        ("2 s * 60 images/s == 121 images", "refuted"),
        ("60 images/second * 2 seconds == 120", "verified"),
        ("60 tokens/s * 2 s == 120 tokens", "verified"),
        ("3 GHz * 2 s == 6e9", "verified"),
        ("2 kW * 3 s / (6 kJ) == 1", "verified"),
        ("60 fps * 2 s == 120", "unusable"),  # a count or a name
        ("8 cores * 4 == 32", "unusable"),
        ("60 images/s == 60", "unusable"),
        ("5 images + 3 images == 8 images", "verified"),  # in both readings
        ("100 fps * n > 100", "refuted"),
    ],
)
def test_a_unit_where_it_stands(says: str, kind: str) -> None:
    found = judged(says)
    assert found.kind == kind, found.problem


@pytest.mark.parametrize("said", ["2 d tokens f", "2 tokens d f", "2 * d f tokens", "tokens * 2 d f"])
def test_a_size_of_an_operation_is_no_unit(said: str) -> None:
    shapes = "x:bf16[tokens,d], w:bf16[d,f] -> z:bf16[tokens,f]"
    named = f"ops.mm = {dumps(shapes)}\n[[claim]]\nid = 'a'\nsays = 'flops(mm) == {said}'"
    quoted = f"""[[claim]]\nid = 'a'\nsays = 'flops("{shapes}") == {said}'"""
    for text in (named, quoted):
        assert judged_claim(book_from_text(text), 0).kind == "verified"


def test_a_letter_is_a_name_where_it_is_one_elsewhere() -> None:
    assert judged("x == 2 s", given="s == 3", let={"x": "6"}).kind == "verified"
    assert judged("x > 2 s", given="s > 0; x > 3 s").kind == "verified"
    assert judged("1 < 2 s", given="s < 0.6; s > 0.55").kind == "verified"
    assert judged("t < s", let={"t": "2 s"}).kind == "refuted"
    assert "can be read two ways" in str(judged("P < Pb", given="P < 3 Pb").problem)
    assert "can be read several ways" in str(judged("3/2 s < 3 ms").problem)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("says", "given", "kind"),
    [
        ("solve(2 b^2 s == M, b) == sqrt(M/(2 s))", "", "verified"),
        ("sqrt(2 s) < n", "n > 2", "refuted"),
        ("3 s >= 3 n", "n <= 1", "conditional"),
        ("3 s >= 3", "", "refuted"),
        ("4 W / W == 4", "", "verified"),
        ("x^2 s > 2 s", "x >= 2", "verified"),
        ("lower(matmul, tpu-v5e) < 2 s", "B == 1; D == 1; F == 1", "verified"),
        ("lower(matmul, tpu-v5e) < 2 s", "B == 1; D == 1; F == 1; s > 0", "refuted"),
        ("t < 3 ms => t < 2 s", "", "unusable"),
    ],
)
def test_a_letter_is_a_unit_only_where_dimensions_leave_nothing_else(says: str, given: str, kind: str) -> None:
    assert judged(says, given=given).kind == kind


@pytest.mark.parametrize("name", ["Pb", "ms"])
def test_a_unit_in_a_product_is_no_name(name: str) -> None:
    assert "a unit follows a number" in str(judged(f"x < 80 * {name}").problem)


@pytest.mark.parametrize(
    "says",
    [
        "time(matmul, tpu-v5e, memory) ~= 41 us", "flops(matmul) ~= 2.7e8", "intensity(matmul) == 2048/257",
        "smallest(n, n^2 > D) == 65", "B D F ~= 1.3e8", "compute_bound(matmul, tpu-v5e)", "B D F > 1e9",
    ],
)  # fmt: skip
def test_a_number_that_is_given_is_as_good_as_let(says: str) -> None:
    given = judged(says, given="; ".join(f"{name} == {size}" for name, size in SIZES.items()))
    let = judged(says, let={name: str(size) for name, size in SIZES.items()})
    assert given.verdict is not None and let.verdict is not None
    assert (given.kind, given.verdict.exact) == (let.kind, let.verdict.exact)


@pytest.mark.parametrize(
    ("says", "given", "let", "said"),
    [
        ("x > 7000", "x > 8k", {}, "given: column 5: '8k' can be read two ways; write '8 * 10^3', or given = 'k > 0'"),
        ("x n == 8000 n", "", {"x": "8K"}, "let x: column 1: '8K' can be read two ways; write '8 * 10^3'"),
        ("x > 1e9", "", {"x": "7B * 2"}, "let x: column 1: '7B' can be read two ways; write '7 * 10^9'"),
        ("16k n > 1", "", {}, "says: column 1: '16k' can be read two ways; write '16 * 10^3'"),
        ("t > 1 s", "t > 2000 ms", {}, "says: column 5: '1 s' can be read two ways; write '1 second'"),
        ("t > 1000 ms", "t > 2 s", {}, "given: column 5: '2 s' can be read two ways; write '2 seconds'"),
    ],
)
def test_a_letter_after_a_number_is_refused_in_every_text(
    says: str, given: str, let: dict[str, str], said: str
) -> None:
    assert said in str(judged(says, given=given, let=let).problem)
    assert judged("n > 2", given="n > 2K and K > 1").kind == "verified"  # a name elsewhere


def test_a_contradiction_that_is_given_stays_one() -> None:
    assert judged("D + 1 == 0", given="D real; D == -1").kind == "verified"
    assert judged("D > 4", given="D == 9/2; D integer").kind != "verified"
    assert judged("1/D > 0", regime="D -> oo", given="D == 4").kind == "unusable"


@pytest.mark.parametrize(
    ("says", "right"),
    [
        ("time(dot, h100-sxm, hbm) == 17 us", "exactly 2049/1675000000000 s (0.00122328 us)"),
        ("capacity(h100-sxm, hbm) == 80 GiB", "exactly 8e10 bytes (74.5058 GiB)"),
        ("capacity(h100-sxm, hbm) == 90 GB", "exactly 80 GB"),
        ("299 FLOP/B == ridge(h100-sxm, bf16)", "exactly 19780/67 FLOP/B (295.224)"),
        ("1/3 == 34 %", "exactly 1/3 (33.3333 %)"),
        ("17 MB == 2 * 8 MB", "exactly 16 MB"),
        ("2 * 1024 == 2000", "exactly 2048"),
    ],
)
def test_the_right_value_has_the_unit_that_the_claim_states(says: str, right: str) -> None:
    verdict = judged(says, "N = 1024").verdict
    assert verdict is not None and right in [inline_text(each) for each in details(verdict)]


def test_a_name_is_not_a_unit_of_the_right_value() -> None:
    verdict = judged("4 == 3 us", "us > 0").verdict
    assert verdict is not None and verdict.unit is None
