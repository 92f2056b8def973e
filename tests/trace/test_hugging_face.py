"""Configurations without a rule here: the module that transformers makes is counted at its sizes, or rejected."""

import json

import pytest
import sympy

from roofproof.errors import RoofproofError
from roofproof.ops import parse_operation
from roofproof.symbols import dimension
from roofproof.trace.sandbox import IsolatedCode

GPT2 = {"model_type": "gpt2", "n_layer": 1, "n_embd": 64, "n_head": 4, "vocab_size": 100, "n_positions": 128}
pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")


def written(tmp_path, given):
    path = tmp_path / "small.json"
    path.write_text(given if isinstance(given, str) else json.dumps(given))
    return f"{path}:module"


@pytest.mark.slow
@pytest.mark.frameworks
def test_a_type_without_a_rule_is_counted_as_its_module_is(tmp_path):
    pytest.importorskip("transformers", reason="transformers is not installed; cure: pip install transformers")
    text = written(tmp_path, GPT2)
    with pytest.raises(RoofproofError, match=r"Else trace the module .* small.json:module"):
        parse_operation(text.replace(":module", ":prefill"))
    B, L, d = dimension("B"), dimension("L"), 64
    with IsolatedCode(text) as code:
        found, long = code.traced(""), code.traced("tokens:int64[B,32]")
    assert sympy.expand(found.compute["bf16"]) == 2 * (12 * d * d + d * 100) * B * L + 4 * d * B * L**2
    assert long.compute["bf16"] == found.compute["bf16"].subs(L, 32)
    said = "at 1 layers of small.json, without weights; its masks count every pair, and every expert is read"
    assert all(str(each.convention).endswith(said) for each in (found, long))


@pytest.mark.slow
@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model_type": "no-such"}, "transformers makes no module of it: 'Unrecognized model identifier: no-such"),
        ({**GPT2, "n_head": 7}, "transformers makes no module of it: "),
        ({}, "expected the table of a config.json, with model_type"),
        ("[", "not JSON"),
    ],
)
def test_a_configuration_without_a_module_is_refused_in_one_line(tmp_path, given, message):
    pytest.importorskip("transformers", reason="transformers is not installed; cure: pip install transformers")
    with pytest.raises(RoofproofError) as caught, IsolatedCode(written(tmp_path, given)) as code:
        code.traced("")
    assert message in str(caught.value) and "\n" not in str(caught.value)
