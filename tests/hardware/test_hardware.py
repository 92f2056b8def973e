"""Laws for every built-in chip, and the lookup, search and error messages of chips."""

import re
import subprocess
import sys
import tomllib
from fractions import Fraction

import pytest

from roofproof.errors import RoofproofError
from roofproof.hardware import STATUSES, Figure, browse, chip, chip_names, parse_quantity, search
from roofproof.hardware.catalog import aliases, glance, source_text
from roofproof.hardware.resources import LINKS, MAIN_MEMORIES, PARTS, units_of_resources
from roofproof.hardware.table import _SHOWN, _value

CHIPS = chip_names()


def everything(name: str) -> tuple[Figure, ...]:
    return (*chip(name).supplies, *chip(name).others)


def every_figure_is_exact_and_says_what_it_rests_on(name: str) -> None:
    for rate in everything(name):
        assert type(rate.value) is Fraction and rate.value > 0
        assert rate.unit in units_of_resources()[rate.resource]
        assert rate.convention and rate.source
        assert rate.status in STATUSES and rate.status != "given"
    assert chip(name).title and chip(name).vendor


def every_resource_has_one_default_and_variants_of_their_own(name: str) -> None:
    one = chip(name)
    labels = [figure.label for figure in one.supplies]
    assert len(set(labels)) == len(labels)
    assert all(rate.variant == "" for rate in one.supplies)
    assert all(rate.variant for rate in one.others)
    assert len({(rate.label, rate.variant) for rate in one.others}) == len(one.others)
    assert {rate.label for rate in one.others} <= set(labels)


def a_variant_replaces_its_own_figures_and_no_other(name: str) -> None:
    one = chip(name)
    for variant in one.variants:
        other = chip(f"{name}@{variant}")
        assert other.name == f"{name}@{variant}" and set(other.resources) == set(one.resources)
        for rate in other.supplies:
            assert rate.variant == variant or rate in one.supplies
        assert any(rate.variant == variant for rate in other.supplies)
        assert sorted(map(repr, (*other.supplies, *other.others))) == sorted(map(repr, everything(name)))
        assert other.variant(variant).supplies == other.supplies


def values_are_text_and_say_what_was_printed(name: str) -> None:
    """A rate with the convention "printed 819 GB/s" is exactly that, and chip files contain no TOML numbers."""
    data = tomllib.loads(source_text(name), parse_float=lambda text: pytest.fail(f"float {text} in {name}"))
    for fitted in ("calibration", "moving"):  # these have other values and intervals
        data.pop(fitted, None)
    tables = [table for table in data.values() if isinstance(table, dict)]
    levels = [table for table in tables if set(table) <= set(PARTS)]
    assert all("default" in table for table in tables if table not in levels)
    tables = [table for table in tables if table not in levels] + [part for level in levels for part in level.values()]
    figures = [entry for table in tables for entry in table.values()]
    assert len(figures) == len(everything(name))
    for entry in figures:
        assert set(entry) == {"value", "convention", "status", "source"}
        assert all(isinstance(part, str) for part in entry.values())
        printed = re.search(r"printed ([0-9][0-9.e+-]* ?[A-Za-z]+/s)$", entry["convention"])
        if printed:
            dimension = "B/s" if entry["value"].endswith("B/s") else "FLOP/s"
            assert parse_quantity(printed[1], dimension) == parse_quantity(entry["value"], dimension)


def sparse_peaks_are_another_resource(name: str) -> None:
    for rate in everything(name):
        assert rate.resource.endswith("-sparse") == rate.convention.startswith("sparse")
        if rate.resource.endswith("-sparse") and chip(name).has(rate.resource.removesuffix("-sparse")):
            dense = chip(name).rate(rate.resource.removesuffix("-sparse"))
            assert dense.value < rate.value


def links_are_one_way_by_default(name: str) -> None:
    for rate in chip(name).channels:
        if rate.resource in LINKS:
            assert not rate.both_directions and rate.per in ("chip", "link"), rate
            assert "per chip total, " not in rate.convention, rate
            assert rate.per == "link" or rate.resource not in ("ici", "xgmi-link"), rate
            # Not checked if the maker prints no direction, as AWS for NeuronLink of Trainium1.


def what_a_figure_counts_is_read_off_its_convention(name: str) -> None:
    """The parsed convention of a link agrees with the name of its variant, which was chosen by hand."""
    for rate in chip(name).others:
        if rate.is_rate and rate.resource in LINKS:
            assert rate.both_directions == ("both-directions" in rate.variant), rate
            named = re.search("per-(host|node|pod|chip)", rate.variant)
            assert rate.per == (named[1] if named else chip(name).rate(rate.resource).per), rate


def doubtful_figures_are_never_the_default(name: str) -> None:
    for rate in chip(name).supplies:
        doubtful = "do not use" in rate.convention or "counts 1 op/cycle" in rate.convention
        assert not doubtful or not chip(name).alternatives(rate)


def the_list_reads_lines_as_a_toml_parser_does(name: str) -> None:
    about = glance(name, *_SHOWN)
    one = chip(name)
    assert (about["title"], about["vendor"]) == (one.title, one.vendor)
    figures = {name: _value(about[name]) for name in _SHOWN if name in about}
    assert figures
    rates = {rate.resource: rate.value for rate in (*one.compute, *one.channels)}
    needed = {"bf16", "fp16", "int8", *MAIN_MEMORIES, "fp32", "fp32-tensor", "fp32-vector"}
    assert figures == {name: value for name, value in rates.items() if name in needed}


LAWS = (
    every_figure_is_exact_and_says_what_it_rests_on,
    every_resource_has_one_default_and_variants_of_their_own,
    a_variant_replaces_its_own_figures_and_no_other,
    values_are_text_and_say_what_was_printed,
    sparse_peaks_are_another_resource,
    links_are_one_way_by_default,
    what_a_figure_counts_is_read_off_its_convention,
    doubtful_figures_are_never_the_default,
    the_list_reads_lines_as_a_toml_parser_does,
)


@pytest.mark.parametrize("name", CHIPS)
def test_a_chip_keeps_every_law(name: str) -> None:
    for law in LAWS:
        law(name)


def test_all_figures_are_there() -> None:
    assert len(CHIPS) >= 62
    assert sum(len(everything(name)) for name in CHIPS) >= 869


def test_aliases_name_one_chip_each_and_hide_none() -> None:
    listed = [alias for name in CHIPS for alias in tomllib.loads(source_text(name)).get("aliases", [])]
    assert len(listed) == len(set(listed)) == len(aliases())
    assert not set(listed) & set(CHIPS)
    assert chip("v5e") is chip("TPU_V5E") and chip("v5e").name == "tpu-v5e"


def test_formats_have_aliases() -> None:
    assert chip("h100-sxm").rate("float32-vector") == chip("h100-sxm").rate("fp32-vector")
    assert chip("tpu-v5e").memory == "hbm" and chip("apple-m2").memory == "dram"
    assert {rate.unit for rate in chip("tpu-v5e").capacities} == {"B"}
    assert {rate.unit for rate in chip("tpu-v5e").compute} == {"FLOP/s"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tpu-v5", "unknown chip 'tpu-v5'; did you mean 'tpu-v5e' or 'tpu-v5p'?"),
        ("h100", "unknown chip 'h100'; did you mean 'h100-nvl' or 'h100-pcie' or 'h100-sxm'?"),
        ("v100", "unknown chip 'v100'; did you mean 'v100-sxm2-16gb' or 'v100-sxm2-32gb'?"),
        ("h10-sxm", "unknown chip 'h10-sxm'; did you mean 'h100-sxm' or 'h100-sxm5' or 'h800-sxm'?"),
        ("tpu-v5p@vendor", "chip 'tpu-v5p' has no variant 'vendor'; it has both-directions, derived, "
         "jax-source, per-chip, per-chip-both-directions, scaling-book, scaling-book-2025, "
         "scaling-book-text"),
        ("apple-m3-max@x", "chip 'apple-m3-max-40c' has no variant 'x'; it has none"),
    ],
)  # fmt: skip
def test_unknown_names(name: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        chip(name)
    assert str(caught.value) == message


def test_a_missing_figure_is_named_with_what_there_is() -> None:
    with pytest.raises(RoofproofError) as caught:
        chip("v100-sxm2-16gb").rate("bf16")
    assert str(caught.value) == (
        "chip 'v100-sxm2-16gb' has no spec 'bf16'; it has fp16, fp16-vector, fp32-vector, fp64-vector, "
        'exp, hbm, l2, smem, nvlink, pcie; add it, as --chip "v100-sxm2-16gb, bf16=NUMBER FLOP/s"'
    )
    with pytest.raises(RoofproofError, match=r"^unknown resource 'hmb'; did you mean 'hbm'\?$"):
        chip("tpu-v5e").rate("hmb")


@pytest.mark.parametrize(
    ("name", "resource", "message"),
    [
        ("a100-80gb-sxm", "fp64", "no spec 'fp64' but 'fp64-tensor' and 'fp64-vector'"),
        ("gaudi3", "float32", "no spec 'fp32' but 'fp32-tensor'"),
        ("v100-sxm2-16gb", "fp32", "no spec 'fp32' but 'fp32-vector'"),
    ],
)
def test_a_format_without_an_engine_names_the_engines(name: str, resource: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        chip(name).rate(resource)
    assert str(caught.value) == f"chip {name!r} has {message}; name the compute unit, after '@' for an operation"


def test_a_dense_peak_is_never_filled_in_by_a_sparse_one() -> None:
    one = chip("jetson-orin-nx-16gb")
    assert one.has("int8-sparse") and not one.has("int8")
    with pytest.raises(RoofproofError) as caught:
        one.rate("int8")
    assert str(caught.value) == (
        "chip 'jetson-orin-nx-16gb' has no spec 'int8'; it has fp16, int8-sparse, dram; a sparse peak "
        "must be named explicitly, 'int8-sparse'; add it, as --chip \"jetson-orin-nx-16gb, int8=NUMBER FLOP/s\""
    )


def test_searching_and_browsing() -> None:
    assert search("v5") == ("tpu-v5e", "tpu-v5p")
    assert search("orin") == tuple(name for name in CHIPS if "orin" in name)
    listed = browse()
    assert all(re.search(rf"^  {re.escape(name)} ", listed, re.MULTILINE) for name in CHIPS)
    assert browse("h100").count("h100-") >= 3
    one = browse("tpu-v5e")
    assert all(rate.source in one and rate.convention in one for rate in everything("tpu-v5e"))
    with pytest.raises(RoofproofError, match=r"^unknown chip 'zzz'; list them with `roofproof show chips`"):
        browse("zzz")


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys, roofproof.hardware as h; c = h.chip('tpu-v5e@scaling-book'); c.rate('bf16'); h.browse();"
        "h.chip_from_text('bf16=1e15 FLOP/s, hbm=3e12 B/s');"
        "heavy = {'sympy', 'z3', 'numpy'} & {m.partition('.')[0] for m in sys.modules};"
        "sys.exit(' '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["show", "chips"], ["--help"], []])
def test_a_short_answer_starts_fast(arguments: list[str]) -> None:
    """Short commands import none of the slow modules, each of which would double their time."""
    code = (
        "import sys; before = set(sys.modules)\nfrom roofproof.cli import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        "print('imported:', *sorted({m.partition('.')[0] for m in set(sys.modules) - before}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stdout.splitlines()[-1].split())
    slow = {"typing", "dataclasses", "inspect", "tomllib", "difflib", "sympy", "flint", "numpy", "json"}
    assert not imported & slow


def test_the_function_chip_is_not_hidden_by_a_module() -> None:
    code = "import roofproof.hardware.table; from roofproof.hardware import chip; chip('v5e')"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("text", "found"),
    [("RTX 4090", "rtx-4090"), ("rtx4090", "rtx-4090"), ("H100SXM", "h100-sxm"), ("tpuv5e", "tpu-v5e"),
     ("GH200-480GB", "gh200-96gb"), ("ascend910c", "ascend-910c")],
)  # fmt: skip
def test_a_name_is_found_however_its_parts_are_joined(text: str, found: str) -> None:
    assert chip(text).name == found


@pytest.mark.parametrize(
    ("text", "meant"),
    [("gh200", "'gh200-144gb' or 'gh200-96gb'"), ("a100-sxm", "'a100-40gb-sxm' or 'a100-80gb-sxm'"),
     ("h800-pcie", "'h800-sxm'"), ("h100-80gb", "'h100-nvl' or 'h100-pcie' or 'h100-sxm'")],
)  # fmt: skip
def test_a_name_of_several_chips_is_asked_about(text: str, meant: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        chip(text)
    assert str(caught.value).endswith(f"; did you mean {meant}?")


def test_both_gh200_have_the_formats_of_their_gpu() -> None:
    one, other = (chip(name) for name in ("gh200-96gb", "gh200-144gb"))
    for name in ("bf16", "fp16", "tf32", "fp8", "int8", "fp32-vector"):
        assert one.rate(name).value == other.rate(name).value
