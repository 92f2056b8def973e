"""Every operation of the library on every chip gives an answer, or one line that names the missing spec."""

import re
from collections import Counter
from functools import cache
from itertools import product

import pytest
from set_out import rendered

from roofproof.derive.roofline.ridges import supply
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError
from roofproof.export.outline import outline
from roofproof.hardware import Chip, any_chip, chip, chip_names
from roofproof.ops import Operation, entries, parse_operation
from roofproof.proofs import threshold

LACKS = re.compile(r"chip '([^']+)' has no spec .*; add it, as --chip \"([^\"]+)=NUMBER (FLOP/s|B/s)\"")
ENGINE = re.compile(
    r"chip '([^']+)' has no spec '(\w+)' but '(\2-\w+)'.*; name the compute unit, after '@' for an operation"
)
NUMBER = {"FLOP/s": "2e14 FLOP/s", "B/s": "1e11 B/s"}


@cache
def operation(name: str) -> Operation:
    return parse_operation(name)


def supplied(on: Chip, resource: str) -> Chip:
    """Return a chip that has a rate for a resource, after adding the spec that the error asks for if needed."""
    try:
        supply(on, resource)
        return on
    except RoofproofError as refused:
        said = str(refused)
    if engine := ENGINE.fullmatch(said):
        assert (engine[1], engine[2]) == (on.name, resource) and supply(on, engine[3])
        return on
    lacks = LACKS.fullmatch(said)
    assert lacks and lacks[1] == on.name, said
    more = any_chip(f"{lacks[2]}={NUMBER[lacks[3]]}")
    assert supply(more, resource)
    return more


@pytest.mark.parametrize("name", chip_names())
def test_a_chip_supplies_what_an_operation_demands_or_says_what_it_lacks(name: str) -> None:
    wanted = dict.fromkeys(resource for entry in entries() for resource in operation(entry).demands)
    for resource in wanted:
        supplied(chip(name), resource)


def answered(op: str, on: str) -> str:
    """Derive the threshold in the first dimension as the command does, and return the kind of answer or error."""
    found, figures = operation(op), chip(on)
    try:
        shown = rendered(outline(found, figures, None, {}), "en")
        if not found.units:
            assert "-bound at every size: no FLOPs, only bytes" in shown, shown
            return "moves data only"
        shown += rendered(outline(found, figures, threshold(found, figures, found.dims[0].name), {}), "en")
    except RoofproofError as refused:
        asks = LACKS.fullmatch(str(refused)) or ENGINE.fullmatch(str(refused))
        assert asks and asks[1] == on, refused
        return "asks for a figure" if asks.re is LACKS else "asks for an engine"
    assert "compute-bound when" in shown and "everything overlaps" in shown, shown
    return "answered, something left out" if "left out, as the chip has no spec" in shown else "answered"


def test_two_formats_on_one_engine_are_answered_on_every_chip_or_say_what_is_missing() -> None:
    mixed = parse_operation("flops bf16 = 2 B D F; flops int8 = 2 B D F; bytes hbm = 2 B D + 2 D F")
    answered = 0
    for name in chip_names():
        try:
            answered += bool(time(mixed, chip(name)))
        except RoofproofError as refused:
            assert LACKS.fullmatch(str(refused)) or ENGINE.fullmatch(str(refused)), refused
    assert answered > 20


PAIRS = list(product(entries(), chip_names()))


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("op", "on"), [*PAIRS[:: len(PAIRS) // 30], ("cross-entropy", "snapdragon-8-gen-3")])
def test_a_sample_of_the_matrix_is_derived(op: str, on: str) -> None:
    answered(op, on)


@pytest.mark.long
@pytest.mark.parametrize("op", entries())
def test_the_whole_matrix_is_derived(op: str, capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter(answered(op, on) for on in chip_names())
    with capsys.disabled():
        print(f"\n{op}: " + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("on", "link"), [("h100-sxm", "nvlink"), ("mi300x", "xgmi"), ("tpu-v5e", "ici"), ("l4", "pcie")]
)
def test_a_chip_takes_its_own_link_without_being_told(on: str, link: str) -> None:
    op, figures = operation("sharded-matmul"), chip(on)
    assert time(op, figures)["ici"] == time(parse_operation(f"sharded-matmul:link={link}"), figures)[link]
    assert f"  {link} = " in rendered(outline(op, figures, None, {}), "en")


def test_a_chip_without_a_link_says_how_to_give_one() -> None:
    with pytest.raises(RoofproofError) as refused:
        supply(chip("rtx-4090"), "ici")
    assert str(refused.value) == (
        "chip 'rtx-4090' has no spec of a link to other chips (ici, nvlink, xgmi, neuronlink, nic, pcie); "
        'add it, as --chip "rtx-4090, ici=NUMBER B/s"'
    )
    assert supply(any_chip("rtx-4090, ici=32 GB/s"), "ici").value == 32 * 10**9


@pytest.mark.parametrize(
    "text", ["adam", "adam:fp32", "stream-triad:fp64-vector", "stream-triad@fp64-vector", "stencil7", "fft"]
)
def test_elementwise_operations_run_on_the_vector_unit_of_an_h100(text: str) -> None:
    found = parse_operation(text)
    [engine] = found.compute
    assert engine.endswith("-vector") and time(found, chip("h100-sxm"))
