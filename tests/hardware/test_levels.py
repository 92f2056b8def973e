"""Specs have dimensions: bytes cross a memory level at its bandwidth, and blocks fit in its capacity."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof.cli import main
from roofproof.derive import ceilings, lower, ridge, sequential, time
from roofproof.derive.roofline.memory_fit import requirements
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.sweeps import evaluate
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, Figure, chip, chip_from_figures, chip_from_text, chip_names, load_chip
from roofproof.hardware.resources import LEVELS, LINKS, PARTS, units_of_resources
from roofproof.ops import from_expressions, parse_operation, then
from roofproof.ops.combine import over_level

SMALL = "bf16=1e12 FLOP/s, hbm=1e11 B/s, l2=50 MiB"
REFUSED = (
    "chip 'custom' has the capacity of 'l2' (52428800 B) but no bandwidth; add one, "
    'such as --chip "..., l2=NUMBER GB/s"'
)
LAYER = "flops bf16 = 2 B D F; bytes l2 = 2 (B D + D F + B F)"


def said_by(chip_: Chip, channel: str) -> str:
    with pytest.raises(RoofproofError) as caught:
        supply(chip_, channel)
    return str(caught.value)


@pytest.mark.parametrize("name", chip_names())
def test_a_level_of_a_chip_is_a_channel_at_a_rate_or_refused(name: str) -> None:
    one = chip(name)
    rated = {rate.resource for rate in one.channels}
    sized = {size.resource.removesuffix("-total"): size for size in reversed(one.capacities)}
    for level in LEVELS:
        if level in rated:
            assert supply(one, level).unit == "B/s"
        elif level in sized:
            size = one.capacity(level) if level in {c.resource for c in one.capacities} else sized[level]
            assert said_by(one, level).startswith(f"chip {name!r} has the capacity of {level!r} (")
            assert re.search(r"\(([^ ]*) B\) but no bandwidth", said_by(one, level))
            assert Fraction(re.findall(r"\((.*?) B\)", said_by(one, level))[0]) == size.value
        else:
            cure = f'add it, as --chip "{name}, {level}=NUMBER B/s"'
            assert said_by(one, level) == f"chip {name!r} has no spec {level!r}; it has {one._rates()}; {cure}"


@pytest.mark.parametrize("name", chip_names())
def test_a_size_by_its_own_name_is_no_channel(name: str) -> None:
    for figure in chip(name).supplies:
        if not figure.is_rate:
            for text in (figure.resource, f"capacity-{figure.resource}"):
                units = units_of_resources().get(text, ("B",))
                if "B/s" not in units and text.removeprefix("capacity-").removesuffix("-total") in (*LEVELS, text):
                    with pytest.raises(RoofproofError, match=r"is a spec in .*; bytes need|unknown resource"):
                        chip(name).bandwidth(text)


amounts = st.fractions(min_value=1, max_value=10**13).map(lambda value: Fraction(int(value)))
levels = st.sampled_from(sorted(set(LEVELS) - {"hbm", "dram"}))
parts = st.fixed_dictionaries({}, optional={part: amounts for part in PARTS}).filter(bool)


@given(levels, parts)
def test_what_binds_is_what_has_the_dimension(level: str, given_parts: dict[str, Fraction]) -> None:
    """Times of a memory level depend only on its bandwidth, and whether blocks fit only on its capacity."""
    table = {part: f"{value} {PARTS[part][1]}" for part, value in given_parts.items()}
    one = chip_from_figures("x", {"bf16": "1e12 FLOP/s", level: table})
    op = from_expressions("op", {"bf16": 1}, {level: 1})
    if "bandwidth" in given_parts:
        assert one.bandwidth(level).value == given_parts["bandwidth"]
        assert ridge(one, "bf16", level) == Fraction(10**12) / given_parts["bandwidth"]
        assert time(op, one)[level] == 1 / given_parts["bandwidth"]
    else:
        assert "but no bandwidth" in said_by(one, level)
        for bound in (lambda: ridge(one, "bf16", level), lambda: time(op, one)):
            with pytest.raises(RoofproofError, match="but no bandwidth"):
                bound()
    if "capacity" in given_parts:
        assert one.capacity(level).value == given_parts["capacity"]
    else:
        with pytest.raises(RoofproofError, match=f"has no capacity of '{level}'"):
            one.capacity(level)


@given(amounts)
def test_a_level_alone_has_a_ridge_of_its_own(rate: Fraction) -> None:
    """The threshold over l2 equals that of a chip whose main memory is as fast as its l2."""
    fast = chip_from_text(f"bf16=1e12 FLOP/s, l2={rate} B/s, hbm=1e9 B/s")
    [ceiling] = ceilings(over_level(parse_operation("matmul"), "l2"), fast)
    assert ceiling.ridge == Fraction(10**12) / rate
    [plain] = ceilings(parse_operation("matmul"), fast)
    assert (ceiling.flops, ceiling.moved) == (plain.flops, plain.moved) and plain.ridge == 1000


def test_a_level_alone_keeps_what_follows_in_sequence() -> None:
    one = parse_operation("flops bf16 = 6; bytes memory = 1")
    both = then(then(one, parse_operation("flops bf16 = 8")), parse_operation("bytes memory = 4"))
    small = chip_from_text("bf16=2 FLOP/s, hbm=1 B/s, l2=2 B/s")
    assert sequential(over_level(both, "l2"), small) == 3 + 4 + 2  # max(6/2, 1/2) + 8/2 + 4/2
    stated = then(parse_operation("bytes l2 = 6"), one)
    assert over_level(stated, "l2").demands == {"bf16": 6, "l2": 6}  # as stated, without the main memory
    assert sequential(over_level(stated, "l2"), small) == 3 + 3  # 6/2 of bytes, then 6/2 of FLOPs


def test_every_level_stated_is_a_channel_of_one_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    levels_ = "flops bf16 = 2 N^3; bytes hbm = 6 N^2; bytes l2 = N^3/32"
    small = "bf16=96 TFLOP/s, hbm=1 TB/s, l2=2 TB/s"
    assert main(["derive", levels_, "--chip", small, "--for", "N"]) == 0
    text = capsys.readouterr().out
    assert "R_memory = 9.6e13 / 1e12 = 96" in text and "R_l2 = 9.6e13 / 2e12 = 48" in text
    assert "N > 288" in text  # N/3 > 96, and 64 > 48 always
    assert main(["derive", levels_, "--chip", small, "--for", "N", "--level", "l2"]) == 0
    assert "always" in capsys.readouterr().out
    assert main(["derive", levels_, "--chip", small, "--level", "l9"]) == 2
    assert "unknown memory level 'l9'; did you mean " in capsys.readouterr().err
    assert main(["derive", "flops bf16 = N", "--chip", small, "--level", "l2"]) == 2
    assert "moves no bytes, so none cross 'l2'" in capsys.readouterr().err


@given(amounts, amounts)
def test_a_footprint_fits_in_a_capacity_and_never_in_a_rate(size: Fraction, rate: Fraction) -> None:
    tiled = parse_operation("tiled-matmul:b=128,f=128")
    both = chip_from_text(f"bf16=1 TFLOP/s, vmem={size} B, vmem={rate} B/s")
    fits = requirements(tiled, both)[-1]
    assert fits.rhs == size
    fast = chip_from_text(f"bf16=1 TFLOP/s, vmem={rate} B/s")
    assert requirements(tiled, fast) == tiled.conditions


def test_every_question_of_a_rate_refuses_a_capacity() -> None:
    small, op = chip_from_text(SMALL), parse_operation(LAYER)
    for ask in (
        lambda: ridge(small, "bf16", "l2"),
        lambda: lower(op, small),
        lambda: evaluate(op, {"B": 8, "D": 8, "F": 8}, "lower", small),
    ):
        with pytest.raises(RoofproofError) as caught:
            ask()
        assert str(caught.value) == REFUSED


@pytest.mark.parametrize(
    "arguments",
    [
        ["derive", LAYER, "--chip", SMALL],
        ["derive", LAYER, "--chip", SMALL, "--for", "B"],
        ["sweep", LAYER, "--chip", SMALL, "--quantity", "lower", "--over", "B=1:8", "--at", "D=8,F=8"],
        ["slides", LAYER, "--chip", SMALL, "-o", "x.tex"],
        ["plot", LAYER, "--chip", SMALL, "--at", "B=8,D=8,F=8", "-o", "x.svg"],
        ["grade", "--op", LAYER, "--chip", SMALL, "--for", "B", "--answer", "B > 19000000"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_command_refuses_a_capacity(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert REFUSED in " ".join(capsys.readouterr())


def test_a_claim_refuses_a_capacity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book.toml"
    figures = '[chips.x]\nbf16 = "1e12 FLOP/s"\nl2 = "50 MiB"\n'
    claims = (
        ("ridge(x, bf16, l2) ~= 19000", "no bandwidth"),
        ("rate(x, l2) == 52428800", "no bandwidth"),
        ("attainable(x, bf16, I, l2) == 52428800 * I", "no bandwidth"),
        ("rate(x, capacity-l2) == 1", "is a spec in B; bytes need"),
        ("capacity(x, bf16) == 1", "is not a memory level"),
    )
    lines = "".join(f'[[claim]]\nid = "c{i}"\nsays = "{text}"\n' for i, (text, _) in enumerate(claims))
    book.write_text(figures + lines + '[[claim]]\nid = "size"\nsays = "capacity(x, l2) == 50 MiB"\n')
    main(["verify", str(book), "--json"])
    out = json.loads(capsys.readouterr().out)["claims"]
    for claim, (_, why) in zip(out, claims, strict=False):
        assert why in str(claim), claim
    assert [claim["verdict"] for claim in out] == ["unusable"] * len(claims) + ["verified"]


@pytest.mark.parametrize(
    ("content", "figures"),
    [
        ('l2 = { capacity = "50 MiB", bandwidth = "5.5 TB/s" }', {"l2 capacity": "52428800", "l2 bandwidth": "5.5e12"}),
        ('l2 = "50 MiB"\nl2-bw = "5.5 TB/s"', {"l2 capacity": "52428800", "l2 bandwidth": "5.5e12"}),
        ('hbm = "2 TB/s"\ncapacity-hbm = "80 GB"', {"hbm bandwidth": "2e12", "hbm capacity": "8e10"}),
        ('hbm = { bandwidth = "2 TB/s", capacity = "80 GB" }', {"hbm bandwidth": "2e12", "hbm capacity": "8e10"}),
        ('smem-total = "30 MB"\nlds = "64 kB"', {"smem total": "3e7", "smem capacity": "64000"}),
        ('lds-total = "30 MB"', {"smem total": "3e7"}),
        ('[l2.capacity]\ndefault = "50 MB"\nbook = "40 MB"\n[l2.bandwidth]\ndefault = "5 TB/s"\n',
         {"l2 capacity": "5e7", "l2 bandwidth": "5e12"}),
    ],
)  # fmt: skip
def test_a_level_is_read_in_every_form(tmp_path: Path, content: str, figures: dict[str, str]) -> None:
    file = tmp_path / "x.toml"
    file.write_text(content)
    assert {f.label: f.value for f in load_chip(file).supplies} == {k: Fraction(v) for k, v in figures.items()}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('bf16 = { capacity = "50 MiB" }', "chip file 'x.toml': spec 'bf16': capacity, but it is not a memory level; "
         "expected one value"),
        ('l2 = { size = "50 MiB", bandwidth = "5 TB/s" }', "chip file 'x.toml': l2: unknown part of a memory level "
         "'size'; known: bandwidth, capacity, total"),
        ('l2 = { capacity = "5 TB/s" }', "chip file 'x.toml': l2 capacity: '5 TB/s' is a rate (B/s); expected a "
         "size (B), such as '5 GiB'"),
        ('l2 = { bandwidth = "50 MiB" }', "chip file 'x.toml': l2 bandwidth: '50 MiB' is a size (B); expected a "
         "rate (B/s), such as '50 MiB/s'"),
        ('l2 = { bandwidth = "5 TB/s" }\nl2-bw = "5 TB/s"', "chip file 'x.toml': spec 'l2' is given twice"),
    ],
)  # fmt: skip
def test_levels_that_cannot_be_used(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "x.toml"
    file.write_text(content)
    with pytest.raises(RoofproofError) as caught:
        load_chip(file)
    assert str(caught.value) == message


@pytest.mark.parametrize("resource", ["bf16", "hbm", "l2", *LINKS[:2]])
@pytest.mark.parametrize("unit", ["FLOP/s", "B/s", "B", "s", "count"])
def test_a_chip_refuses_a_figure_of_another_dimension(resource: str, unit: str) -> None:
    figure = Figure(resource, Fraction(1), unit, "total", "given", "x")
    if unit in units_of_resources()[resource]:
        assert Chip("x", (figure,)).supplies == (figure,)
    else:
        with pytest.raises(RoofproofError, match=rf"^chip 'x': spec '{resource}' is in {unit}; expected "):
            Chip("x", (figure,))


@pytest.mark.parametrize("text", ["bytes bf16 = N", "bytes f32-vector = N"])
def test_a_number_format_is_no_channel(text: str) -> None:
    with pytest.raises(RoofproofError, match=r"is a number format; expected a memory level or a link$"):
        parse_operation(f"flops bf16 = N; {text}")
    with pytest.raises(RoofproofError, match="'bf16' is a spec in FLOP/s; bytes need"):
        chip("tpu-v5e").bandwidth("bf16")
    with pytest.raises(RoofproofError, match=r"^'hbm' is not a compute unit; expected a number format"):
        ridge(chip("tpu-v5e"), "hbm", "ici")


@pytest.mark.parametrize("text", ["rms-norm", "flops fp32-vector = 4 N; flops exp = N; bytes memory = 6 N"])
def test_a_chip_without_a_peak_for_an_operation_answers_by_its_bytes_and_says_what_is_missing(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def asked(figures: str, *more: str) -> dict[str, Any]:
        at = ["--at", "B=8,D=4096" if text == "rms-norm" else "N=4096"]
        assert main(["derive", text, "--chip", f"bf16=100 TFLOP/s, hbm=1 TB/s{figures}", *at, "--json", *more]) == 0
        return json.loads(capsys.readouterr().out)

    found = asked("")
    assert set(found["time"]["resources"]) == {"memory"} and found["threshold"] is None
    assert found["time"]["lower"] == found["time"]["resources"]["memory"]
    missing = [left["resource"] for left in found["left_out"]]
    assert missing and all(name.endswith("-vector") or name == "exp" for name in missing)
    given = "".join(f", {name}=1000 TFLOP/s" for name in missing)  # so fast that the bytes take longer
    assert asked(given)["time"]["lower"] == found["time"]["lower"] and "left_out" not in asked(given)
    assert (
        main(["derive", text, "--chip", "bf16=100 TFLOP/s, hbm=1 TB/s", "--for", "D" if "norm" in text else "N"]) == 2
    )
    assert "has no spec 'fp32-vector'" in capsys.readouterr().err
