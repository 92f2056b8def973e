"""Arguments that are not arrays: sizes, numbers, booleans, None and text are distinguished, or give one-line errors."""

# ruff: noqa: E501 (each message is on one line)

import pytest
from modules import nn, torch

from roofproof import trace
from roofproof.errors import RoofproofError
from roofproof.say import translated
from roofproof.trace.shapes import read

pytestmark = pytest.mark.frameworks

VALUES = {
    "True": True, "false": False, "None": None, "8": 8, "-1": -1, "3.14": 3.14, "1e-5": 1e-5, "'B, D'": "B, D",
    '"none"': "none", "2*3": 6,
}  # fmt: skip


@pytest.mark.parametrize("text", VALUES)
def test_values_are_what_they_are_in_python(text):
    value = read(f"n={text}, x:bf16[B]")[0][0].value
    assert (value, isinstance(value, bool)) == (VALUES[text], isinstance(VALUES[text], bool))


def layer(x, act, scale=1.0, mask=None, causal=True, heads: int = 1, how: str = "sum"):
    """Add one FLOP per element for each value that is set."""
    for asked in (act == "gelu", scale > 3, mask is not None, causal, how == "mean"):
        x = x + 1 if asked else x
    return x * heads


ASKED = {
    "act='gelu', causal=False": 2, "act='relu', causal=True": 2, "act='relu', causal=false, scale=3.14": 2,
    "act=None, mask=None, causal=False": 1, "act=None, mask=1, causal=False": 2, "act=None, how=mean": 3,
    "act=None, causal=False, heads=H": 1,
}  # fmt: skip


@pytest.mark.parametrize("framework", [trace.jax, trace.torch])
@pytest.mark.parametrize("values", ASKED)
def test_a_value_takes_its_branch(framework, values):
    op = framework(layer, f"x:fp32[N], {values}")
    assert str(op.compute["fp32-vector"]) == (f"{ASKED[values]}*N" if ASKED[values] > 1 else "N")


REFUSED = {
    "act=gelu": "act=gelu: no array has a size gelu (sizes: N); write act='gelu' for text, or add --where 'gelu >= 1' for a size",
    "act='gelu', causal=N": "causal=N: expected True or False",
    "act='gelu', act=1": "--shapes: 'act' is given twice, or there are too many arguments",
    "act=1/2": "--shapes: column 16: size '1/2': expected a whole number from 1, a name or a product of these",
    "act=True*2": "--shapes: column 16: 'True' cannot name a size; choose another name",
}


@pytest.mark.parametrize("values", REFUSED)
def test_a_word_that_is_no_size_is_refused(values):
    for framework in (trace.jax, trace.torch):
        with pytest.raises(RoofproofError) as problem:
            framework(layer, f"x:fp32[N], {values}")
        assert str(problem.value) == REFUSED[values]


def test_a_condition_makes_a_word_a_size_and_the_refusal_is_told_in_chinese():
    assert str(trace.jax(lambda x, n: x + n, "x:fp32[N], n=H", where="H >= 1").bytes()) == "8*N"
    with pytest.raises(RoofproofError) as problem:
        trace.jax(lambda x, n: x + n, "x:fp32[N], n=H")
    assert translated(problem.value.said, "zh").startswith("n=H：没有数组有尺寸 H；作为文本请写 n='H'")


def test_modules_are_made_as_their_parameters_say():
    shapes = "in_features=D, out_features=F, input:bf16[B,D]"
    assert dict(trace.torch(nn.Linear, f"{shapes}, bias=False").compute).keys() == {"bf16"}
    assert trace.torch(nn.Linear, shapes, bias=True).compute.keys() == {"bf16", "fp32-vector"}
    same = "in_channels=C, out_channels=K, kernel_size=3, padding=same, x:bf16[B,C,8,8]"
    assert str(trace.torch(nn.Conv2d, same).writes[0].shape) == "(B, K, 8, 8)"


def test_group_normalization_at_numbers():
    n = 2 * 64 * 8 * 8  # 5 per number, 2 for its weight and bias, a sum per group
    op = trace.torch(nn.GroupNorm(8, 64), "input:fp32[2,64,8,8]")
    assert dict(op.compute) == {"exp": 16, "fp32-vector": 7 * n + 16}  # fmt: skip


class Any(nn.Module):
    def forward(self, *arrays):
        return arrays[0] + arrays[1]


def test_arrays_stand_for_parameters_of_forward_in_their_order():
    assert trace.torch(nn.ReLU(), "x:bf16[N]").reads[0].name == "input"
    loss = trace.torch(nn.MSELoss(), "a:bf16[N], b:bf16[N]")
    assert [t.name for t in loss.reads] == ["input", "target"]
    for module in (Any, Any()):
        assert str(trace.torch(module, "a:bf16[N], b:bf16[N]").bytes()) == "6*N"
    with pytest.raises(RoofproofError, match="unknown parameter 'a'; known: input"):
        trace.torch(nn.ReLU(), "a:bf16[N], b:bf16[N]")
    with pytest.raises(RoofproofError, match="unknown parameter 'y'; known: x"):
        trace.torch(lambda x: torch.relu(x), "y:bf16[N]")
