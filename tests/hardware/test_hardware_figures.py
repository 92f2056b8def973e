"""Specs as text: units are exact, and each mistake has its own message."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

from roofproof.errors import RoofproofError
from roofproof.formula.magnitudes import decimal, prefixed
from roofproof.formula.reader import read_value
from roofproof.formula.to_sympy import to_value
from roofproof.formula.units import unit_of, units
from roofproof.hardware import Chip, Figure, any_chip, chip_from_figures, chip_from_text, load_chip, parse_quantity
from roofproof.hardware.figure import UNITS
from roofproof.symbols import quantity

SI = {"k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5}
numbers = st.decimals("0.001", "9999", places=3).filter(lambda d: d > 0)


@given(numbers, st.sampled_from(sorted(SI)))
def test_si_prefixes_are_powers_of_1000(number: object, prefix: str) -> None:
    exact = Fraction(str(number)) * 1000 ** SI[prefix]
    assert parse_quantity(f"{number} {prefix}B", "B") == exact
    assert parse_quantity(f"{number} {prefix}B/s", "B/s") == exact
    assert parse_quantity(f"{number} {prefix}FLOP/s", "FLOP/s") == exact
    assert parse_quantity(f"{number} {prefix}OPS", "FLOP/s") == exact
    assert parse_quantity(f"{number} {prefix}bit/s", "B/s") == exact / 8
    assert parse_quantity(f"{number}{prefix}bps", "B/s") == exact / 8


@given(numbers, st.sampled_from(sorted(BINARY)))
def test_binary_prefixes_are_powers_of_1024(number: object, prefix: str) -> None:
    exact = Fraction(str(number)) * 1024 ** BINARY[prefix]
    assert parse_quantity(f"{number} {prefix}B", "B") == exact
    assert parse_quantity(f"{number} {prefix}B/s", "B/s") == exact
    assert parse_quantity(f"{number} {prefix}b", "B") == exact / 8


@given(numbers, st.integers(-40, 36))
def test_base_units_and_long_names_agree(number: object, exponent: int) -> None:
    text = f"{number}e{exponent}"
    exact = Fraction(text)
    assert parse_quantity(f"{text} B/s", "B/s") == exact
    assert parse_quantity(f"{text} byte/second", "B/s") == exact
    assert parse_quantity(f"{text} us", "s") == exact / 10**6


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**20))
def test_what_is_printed_reads_back(value: Fraction) -> None:
    assert Fraction(decimal(value)) == value


@given(numbers, st.sampled_from(sorted(units())))
def test_a_unit_means_the_same_in_a_figure_and_in_a_claim(number: object, text: str) -> None:
    unit = unit_of(text)
    assert unit is not None
    for base in UNITS:
        due = unit_of(base, letters=True)
        if due is not None and due.dimension == unit.dimension:
            assert parse_quantity(f"{number} {text}", base) == Fraction(str(number)) * unit.factor
            assert to_value(read_value(f"{number} {text}"), quantity) == Rational(str(number)) * Rational(unit.factor)


@given(st.integers(1, 10**20), st.sampled_from(["B", "B/s", "FLOP/s", "Hz"]))
def test_a_figure_with_a_prefix_reads_back(value: int, unit: str) -> None:
    assert parse_quantity(prefixed(Fraction(value), unit), unit) == value


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("1.97e14 FLOP/s", "FLOP/s", Fraction("1.97e14")),
        ("819 GB/s", "B/s", Fraction("8.19e11")),
        ("16 GiB", "B", Fraction(16 * 2**30)),
        ("1 GiB", "B", Fraction(2**30)),
        ("8 bit", "B", Fraction(1)),
        ("1.2 TFLOP/s", "FLOP/s", Fraction("1.2e12")),
        ("312 TFLOPS", "FLOP/s", Fraction("3.12e14")),
        ("393 TOP/s", "FLOP/s", Fraction("3.93e14")),
        ("200 Gbit/s", "B/s", Fraction("2.5e10")),
        ("900 GBps", "B/s", Fraction("9e11")),
        ("16 gigabytes", "B", Fraction(16 * 10**9)),
        ("1 us", "s", Fraction(1, 10**6)),
        ("1 µs", "s", Fraction(1, 10**6)),
        ("  819   GB / s ", "B/s", Fraction("8.19e11")),
    ],
)
def test_units(text: str, dimension: str, value: Fraction) -> None:
    assert parse_quantity(text, dimension) == value


UNKNOWN = "expected bytes (GB, GiB), bits, FLOP, seconds (us), or a rate such as 'GB/s' (case matters)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("819", "'819' has no unit; expected a rate such as '819 GB/s'"),
        ("8.19e11", "'8.19e11' has no unit; expected a rate such as '8.19e11 B/s'"),
        ("819 GB", "'819 GB' is a size (B); expected a rate (B/s), such as '819 GB/s'"),
        ("819 TFLOP/s", "'819 TFLOP/s' is a compute rate (FLOP/s); expected a rate (B/s), such as '819 GB/s'"),
        ("3 us", "'3 us' is a time (s); expected a rate (B/s), such as '3 GB/s'"),
        (8.19e11, "819000000000.0 is a float, which rounds; write it in quotes with its unit, such as "
         "'819 GB/s'"),
        (819, "'819' is not text; write it in quotes with its unit, such as '819 GB/s'"),
        ("-819 GB/s", "'-819 GB/s' is negative; expected a positive value"),
        ("0 GB/s", "'0 GB/s' is zero; expected a positive value"),
        ("nan GB/s", "'nan GB/s' does not begin with a number; expected a value such as '819 GB/s'"),
        ("inf GB/s", "'inf GB/s' does not begin with a number; expected a value such as '819 GB/s'"),
        ("", "'' does not begin with a number; expected a value such as '819 GB/s'"),
        ("1 Gfoo/s", f"'1 Gfoo/s' has the unknown unit 'Gfoo/s'; {UNKNOWN}"),
        ("1 gb/s", "'1 gb/s' has the unknown unit 'gb/s'; did you mean GB/s?"),
        ("1 KB/s", "'1 KB/s' has the unknown unit 'KB/s'; did you mean kB/s or KiB/s?"),
        ("1 btye/s", "'1 btye/s' has the unknown unit 'btye/s'; did you mean byte/s?"),
        ("1 GB**9**9", f"'1 GB**9**9' has the unknown unit 'GB**9**9'; {UNKNOWN}"),
        ("1 mb/s", "'1 mb/s' has the unknown unit 'mb/s'; did you mean MB/s?"),
        ("1e99 B/s", "'1e99 B/s' has the exponent 99; expected one between -40 and 40"),
        ("1e99999999999 B/s", "'1e99999999999 B/s' has the exponent 99999999999; expected one between -40 "
         "and 40"),
        ("9" * 61, "'99999999999999999999...' has 61 characters; expected at most 60"),
    ],
)  # fmt: skip
def test_figures_that_cannot_be_read(text: object, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        parse_quantity(text, "B/s")
    assert str(caught.value) == message


def test_a_count_is_not_a_rate() -> None:
    assert parse_quantity("197 TFLOPs", "FLOP/s") == parse_quantity("197 TFLOPS", "FLOP/s") == 197 * 10**12
    with pytest.raises(RoofproofError) as caught:
        parse_quantity("197 TFLOP", "FLOP/s")
    assert str(caught.value) == (
        "'197 TFLOP' is a count of operations (FLOP); expected a compute rate (FLOP/s), such as '197 TFLOP/s'"
    )


@given(st.text(max_size=80))
def test_any_text_is_a_figure_or_one_line(text: str) -> None:
    try:
        assert parse_quantity(text, "B/s") > 0
    except RoofproofError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "chip file 'x.toml' has no specs; expected some, such as hbm = \"819 GB/s\""),
        (b"# nothing\n", "chip file 'x.toml' has no specs; expected some, such as hbm = \"819 GB/s\""),
        (b"hbm = 8.19e11", "chip file 'x.toml': hbm: 819000000000.0 is a float, which rounds; write it in "
         "quotes with its unit, such as '819 GB/s'"),
        (b'hbm = "819"', "chip file 'x.toml': hbm: '819' has no unit; expected a rate such as '819 GB/s'"),
        (b'hbm = "-8 GB/s"', "chip file 'x.toml': hbm: '-8 GB/s' is negative; expected a positive value"),
        (b'hbm = "819 GB"', "chip file 'x.toml': hbm: '819 GB' is a size (B); expected a bandwidth such "
         "as '819 GB/s', or the name capacity-hbm for the size"),
        (b'bf16 = "8 GB/s"', "chip file 'x.toml': bf16: '8 GB/s' is a rate (B/s); expected a compute rate "
         "(FLOP/s), such as '8 TFLOP/s'"),
        (b'hbm = "1 GB/s"\nhbm = "2 GB/s"\n', "chip file 'x.toml', line 2, column 15: a name is given twice; "
         "give each spec once, and values of other sources as variants"),
        (b'f32 = "1 TFLOP/s"\nfp32 = "2 TFLOP/s"', "chip file 'x.toml': spec 'fp32' is given twice"),
        (b'hbmm = "1 GB/s"', "chip file 'x.toml': unknown resource 'hbmm'; did you mean 'hbm'?"),
        (b"hbm = ", "chip file 'x.toml', end of file: not TOML: invalid value"),
        (b"hbm = 819 GB/s", "chip file 'x.toml', line 1, column 11: not TOML: expected newline or end of document "
         "after a statement"),
        (b"\xff\xfe", "chip file 'x.toml', line 1: not UTF-8 text"),
        (b"a = " + b"[" * 5000, "chip file 'x.toml': nested too deeply"),
        (b"#" * 70_000, "chip file 'x.toml': larger than 64 KiB; expected one chip a file"),
        (b'[hbm]\nbook = "1 GB/s"', "chip file 'x.toml': spec 'hbm' has no default; expected default = "
         '{ value = "..." } with its variants'),
        (b'[hbm]\nvalue = "1 GB/s"\nsorce = "me"', "chip file 'x.toml': hbm: unknown part of a spec 'sorce'; did "
         "you mean 'source'?"),
        (b'[hbm]\nsource = "me"', "chip file 'x.toml': hbm: the spec has no value; expected one, such as value "
         "= '819 GB/s'"),
        (b'bf16 = "989 TFLOP/s"\nhbm = "3.35 GB/s"', "chip file 'x.toml': bf16 = 9.89e14 FLOP/s over hbm = 3.35e9 "
         "B/s is a ridge of 295220 FLOP/B, outside 1/100 to 20000; probably a wrong unit: hbm too small (GB/s "
         "written for TB/s, or MB/s for GB/s)"),
        (b'bf16 = "989 GFLOP/s"\nhbm = "335 TB/s"', "chip file 'x.toml': bf16 = 9.89e11 FLOP/s over hbm = 3.35e14 "
         "B/s is a ridge of 0.0029522 FLOP/B, outside 1 to 20000; probably a wrong unit: hbm too large (TB/s written "
         "for GB/s, or bits for bytes)"),
        (b'bf16 = "197 TFLOP/s"\nhbm = "819 TB/s"', "chip file 'x.toml': bf16 = 1.97e14 FLOP/s over hbm = 8.19e14 "
         "B/s is a ridge of 0.24054 FLOP/B, outside 1 to 20000; probably a wrong unit: hbm too large (TB/s written for "
         "GB/s, or bits for bytes)"),
        (b'fp32 = "800 TFLOP/s"\ndram = "30 GB/s"', "chip file 'x.toml': fp32 = 8e14 FLOP/s over dram = 3e10 B/s is "
         "a ridge of 26667 FLOP/B, outside 1/100 to 20000; probably a wrong unit: fp32 too large (PFLOP/s written "
         "for TFLOP/s)"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_used(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(content)
    with pytest.raises(RoofproofError) as caught:
        load_chip(file)
    assert str(caught.value) == message


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'title = "Mine"\nbf16 = "197 TFLOP/s"\nvmem = "1 GiB"\nici-latency = "1 us"\n'
        '[hbm]\ndefault = "819 GB/s"\nmeasured = { value = "780 GB/s", status = "measured", source = "STREAM" }\n'
    )
    mine = load_chip(file)
    assert (mine.name, mine.title, mine.memory, mine.variants) == ("mine", "Mine", "hbm", ("measured",))
    assert mine.rate("hbm").status == "given" and mine.rate("hbm").source == "mine.toml"
    assert mine.variant("measured").rate("hbm").value == 780 * 10**9
    assert [rate.value for rate in mine.alternatives(mine.bandwidth("hbm"))] == [780 * 10**9]
    assert mine.trait("ici-latency").value == Fraction(1, 10**6)  # type: ignore[union-attr]


def test_a_memory_on_the_chip_has_a_size_and_a_bandwidth() -> None:
    one = chip_from_text("vmem=128 MiB, l2=5.5 TB/s")
    assert one.capacity("vmem").value == 128 * 2**20
    assert one.bandwidth("l2").value == one.rate("l2-bw").value == Fraction("5.5e12")


@pytest.mark.parametrize(
    ("text", "memory"),
    [("bf16=100 TFLOPs, memory=2 TB/s", "hbm"), ("h100-sxm, memory=2 TB/s", "hbm"),
     ("jetson-orin-nano-8gb, Memory = 2 TB/s", "dram")],
)  # fmt: skip
def test_memory_is_the_main_memory_of_a_chip(text: str, memory: str) -> None:
    one = any_chip(text)
    assert (one.memory, one.bandwidth(memory).value) == (memory, 2 * 10**12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "chip '': '' is not a spec; expected specs such as 'bf16=197 TFLOP/s, hbm=819 GB/s'"),
        ("hbm", "chip 'hbm': 'hbm' is not a spec; expected specs such as 'bf16=197 TFLOP/s, hbm=819 GB/s'"),
        ("hbm=1 B/s, hbm=1 B/s", "chip 'hbm=1 B/s, hbm=1 B/s': spec 'hbm' is given twice"),
        ("sparse-bf16=1 FLOP/s", "chip 'sparse-bf16=1 FLOP/s': unknown resource 'sparse-bf16'; did you mean "
         "'bf16-sparse'?"),
        ("x" * 3000, "chip 'xxxxxxxxxxxxxxxxxxxx...' has 3000 characters; expected at most 2000"),
    ],
)  # fmt: skip
def test_text_that_cannot_be_used(text: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        chip_from_text(text)
    assert str(caught.value) == message


def test_a_rate_checks_itself() -> None:
    with pytest.raises(RoofproofError, match="must be a Fraction, so that no float rounds it; got float"):
        Figure("hbm", 8.19e11, "B/s", "total", "given", "x")  # type: ignore[arg-type]
    with pytest.raises(RoofproofError, match="must be positive; got 0 B/s"):
        Figure("hbm", Fraction(0), "B/s", "total", "given", "x")
    with pytest.raises(RoofproofError, match=r"has the unit 'GB/s'; expected one of FLOP/s; B/s; B; s; Hz; "):
        Figure("hbm", Fraction(1), "GB/s", "total", "given", "x")
    with pytest.raises(RoofproofError, match="has the status 'rumour'; expected one of vendor docs; datasheet;"):
        Figure("hbm", Fraction(1), "B/s", "total", "rumour", "x")


def test_a_chip_checks_itself() -> None:
    hbm = Figure("hbm", Fraction(10**12), "B/s", "total", "given", "x")
    with pytest.raises(RoofproofError, match=r"^chip 'x': spec 'hbm' is given twice$"):
        Chip("x", (hbm, hbm))
    for both in ("h100-sxm, dram=100 GB/s", "bf16=1 TFLOP/s, hbm=1 TB/s, capacity-dram=64 GB"):  # once, hbm won
        with pytest.raises(RoofproofError, match="hbm and dram both name the main memory"):
            any_chip(both)
    with pytest.raises(RoofproofError, match=r"^chip 'x' has no specs"):
        Chip("x", ())
    lacking = (
        r"^chip 'x' has no spec of a main memory \(hbm or dram\); it has l2; add it, as --chip \"..., hbm=NUMBER B/s\"$"
    )
    with pytest.raises(RoofproofError, match=lacking):
        _ = chip_from_figures("x", {"l2": "1 MiB"}).memory
