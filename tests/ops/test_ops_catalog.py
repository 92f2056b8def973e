"""`roofproof show operations`: every operation and model, in full or in a list, and search by part of a name."""

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.explain.library import explain_library
from roofproof.export.to_text import spaced_text
from roofproof.ops import entries, model_names


def browse(part=""):
    return spaced_text(explain_library(part))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sorted(entries()))
def test_every_operation_shows_formula_convention_and_source(name):
    shown = browse(name)
    labels = [line[2:14].strip() for line in shown.splitlines() if line.startswith("  ")]
    assert shown.startswith(f"{name}: {entries()[name].about}\n")
    assert {"FLOPs", "convention", "arguments", "source"} <= set(labels)
    assert ("intensity" in labels) == (bool(entries()[name]().units))


@pytest.mark.parametrize("name", model_names())
def test_every_model_shows_what_it_is_and_what_takes_it(name):
    shown = browse(name)
    assert shown.startswith(f"{name}: ") and f"prefill:{name}" in shown
    assert "published" in shown and "  source      " in shown


def test_the_whole_list_is_grouped_and_complete():
    shown = browse()
    families = [section.splitlines()[0] for section in shown.split("\n\n")]
    assert families[:3] == ["Elementwise", "Reductions", "Normalization"]
    assert families[-1].startswith("models, for weights") and len({*families}) == len(families)
    listed = [line.split()[0] for line in shown.splitlines() if line.startswith("  ")]
    assert listed == [*entries(), *model_names()]
    assert max(map(len, shown.splitlines())) <= 140


def test_part_of_a_name_a_family_or_a_description_finds():
    assert "llama-3-8b" in browse("llama-3") and "prefill:" not in browse("llama-3")
    assert browse("norm").splitlines()[0] == "Normalization"
    assert "axpy" in browse("elementwise")
    assert browse("swiglu").startswith("gated-ffn: ")
    near = browse("attention").partition("see also")[2]
    assert "attention-core, flash-attention" in near


def test_the_formulas_are_those_of_the_field():
    assert "  FLOPs       5*N*log2(N)    fp64-vector\n" in browse("fft")
    assert "  intensity   5*log2(N)/32    FLOP/B over memory\n" in browse("fft")
    assert "  intensity   S*r/(S + r)    FLOP/B over memory\n" in browse("decode-attention")
    assert "  intensity   L/2    FLOP/B over memory\n" in browse("flash-attention")


def test_an_unknown_name_is_refused_with_near_ones():
    with pytest.raises(RoofproofError) as caught:
        browse("flash-atention")
    assert str(caught.value) == (
        "unknown operation 'flash-atention'; "
        "did you mean 'flash-attention' or 'flash-attention-backward' or 'linear-attention'?"
    )
