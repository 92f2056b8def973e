"""What `roofproof show operations` shows: every operation and model, in full or in a list, found by part of a name."""

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.text.catalog import browse_operations
from roofproof.ops import entries, model_names


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sorted(entries()))
def test_every_operation_shows_formula_convention_and_source(name):
    shown = browse_operations(name)
    labels = [line[2:14].strip() for line in shown.splitlines() if line.startswith("  ")]
    assert shown.startswith(f"{name}: {entries()[name].about}\n")
    assert {"FLOPs", "convention", "arguments", "source"} <= set(labels)
    assert ("intensity" in labels) == (entries()[name]().flops != 0)


@pytest.mark.parametrize("name", model_names())
def test_every_model_shows_what_it_is_and_what_takes_it(name):
    shown = browse_operations(name)
    assert shown.startswith(f"{name}: ") and f"prefill:{name}" in shown
    assert "published" in shown and "  source      " in shown


def test_the_whole_list_is_grouped_and_complete():
    shown = browse_operations()
    families = [section.splitlines()[0] for section in shown.split("\n\n")]
    assert families[:3] == ["elementwise", "reductions", "softmax"] and families[-1].startswith("models, for weights")
    listed = [line.split()[0] for line in shown.splitlines() if line.startswith("  ")]
    assert listed == [*entries(), *model_names()]
    assert max(map(len, shown.splitlines())) <= 140


def test_part_of_a_name_a_family_or_a_description_finds():
    assert "llama-3-8b" in browse_operations("llama-3") and "prefill:" not in browse_operations("llama-3")
    assert browse_operations("norm").splitlines()[0] == "normalization"
    assert "axpy" in browse_operations("elementwise")
    assert browse_operations("swiglu").startswith("gated-ffn: ")
    assert "see also    attention-core, flash-attention" in browse_operations("attention")


def test_the_formulas_are_those_of_the_field():
    assert "  FLOPs       5*N*log2(N)    fp64-vector\n" in browse_operations("fft")
    assert "  intensity   5*log2(N)/32    FLOP/B over memory\n" in browse_operations("fft")
    assert "  intensity   S*r/(S + r)    FLOP/B over memory\n" in browse_operations("decode-attention")
    assert "  intensity   L/2    FLOP/B over memory\n" in browse_operations("flash-attention")


def test_an_unknown_name_is_refused_with_near_ones():
    with pytest.raises(RoofproofError) as caught:
        browse_operations("flash-atention")
    assert str(caught.value) == (
        "unknown operation 'flash-atention'; "
        "did you mean 'flash-attention' or 'flash-attention-backward' or 'linear-attention'?"
    )
