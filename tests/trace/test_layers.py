"""A symbolic number of layers by difference: the law against traces with numbers, errors, and Hugging Face models."""

import json
from pathlib import Path

import pytest
import sympy
from functions import jnp
from modules import Stack, nn, torch

from roofproof import trace
from roofproof.errors import RoofproofError
from roofproof.ops import at, parse_operation
from roofproof.symbols import dimension
from roofproof.trace.aten.entry import traced

pytestmark = pytest.mark.frameworks
MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
B, D, N, T = map(dimension, "BDNT")
STACK = "d=8, g=2, r=2, k=2, f=12, vocabulary=40, tokens:int64[B,T]"


def tower(x, w, depth):
    for _ in range(depth):
        x = jnp.tanh(x @ w)
    return x


class Tower(nn.Module):
    """A stack of layers, one of which may differ from the others."""

    def __init__(self, layers, other=9):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8, bias=n != other) for n in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def held(made, shapes, model):
    """Return the operation of N layers after comparing it line by line with the trace of three layers."""
    op = trace.torch(made, f"layers=N, {shapes}", unrolled="N", traffic=model)
    three = traced(made, f"layers=3, {shapes}").operation(model)
    assert {engine: sympy.expand(n.subs(N, 3)) for engine, n in op.compute.items()} == {
        engine: sympy.expand(n) for engine, n in three.compute.items()
    }
    assert sympy.expand(op.bytes().subs(N, 3) - three.bytes()) == 0
    assert len(op.rows) == len(three.rows)
    for row, other in zip(op.rows, three.rows, strict=True):
        assert (row.place, sympy.expand(row.bytes.subs(N, 3))) == (other.place, sympy.expand(other.bytes))
    return op


@pytest.mark.parametrize("model", ["fused", "kernels", "unfused"])
def test_a_number_of_layers_is_so_many_layers_and_a_rest(model):
    op = held(Tower, "x:fp32[B,8]", model)
    assert (op.compute["fp32"], op.compute["fp32-vector"]) == (128 * B * N, 8 * B * N)  # 2 * 8 * 8 per row, and a bias
    assert [t.shape for t in op.reads if t.name == "layers.*.weight"] == [(N, 8, 8)]
    assert "N layers alike, counted as at N = 1 and 2, held to a trace at N = 4" in op.convention


@pytest.mark.long
def test_a_stack_of_transformer_blocks_is_so_many_blocks_and_a_rest():
    op = held(Stack, STACK, "kernels")
    assert next(t.shape for t in op.reads if t.name == "layers.*.mlp.gate.weight") == (N, 12, 8)


def test_a_loop_of_python_in_jax_is_one_as_well():
    op = trace.jax(tower, "x:bf16[B,D], w:bf16[D,D], depth=2*N", unrolled="N=5")
    assert dict(op.compute) == {"bf16": 4 * B * D**2 * N, "exp": 2 * B * D * N}
    assert op.bytes() == 4 * B * D + 2 * D**2 and op.rows


REFUSED = [
    (tower, "x:bf16[B,D], w:bf16[D,D], depth=N", "M", "--unrolled: no shape has the size 'M'; sizes: B, D, N"),
    (tower, "x:bf16[B,D], w:bf16[D,D], depth=N", "N=2",
     "--unrolled 'N=2': expected 3 to 1000 layers for the check of the law, such as N=32"),
    (tower, "x:bf16[B,D], w:bf16[D,D], depth=N", "N layers",
     "--unrolled 'N layers': expected the size that says how many, such as N, or N=32"),
    (lambda x, n: x ** (n * n), "x:fp32[B], n=N", "N",
     "test_layers.py:{} on fp32-vector: 0 with one, 2*B with 2, 4*B with 4: these are not N layers alike; "
     "give N a number"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "shapes", "unrolled", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_law_is_refused(function, shapes, unrolled, message):
    with pytest.raises(RoofproofError) as problem:
        trace.jax(function, shapes, unrolled=unrolled)
    assert str(problem.value) == message.format(function.__code__.co_firstlineno)


def test_a_layer_unlike_the_others_is_found_at_the_third_number():
    with pytest.raises(RoofproofError, match="these are not N layers alike; give N a number"):
        trace.torch(Tower, "layers=N, other=2, x:fp32[B,8]", unrolled="N")
    with pytest.raises(RoofproofError, match="--where: N is counted at 1 and 2; leave conditions on it out"):
        trace.torch(Tower, "layers=N, x:fp32[B,8]", where="N >= 2", unrolled="N")


WINDOWED = ("gemma-2-9b", "gemma-3-1b", "gpt-oss-20b")


def huggingface(name, layers):
    """Return a Hugging Face model with the given number of layers, and its configuration."""
    transformers = pytest.importorskip(
        "transformers", reason="transformers is not installed; cure: pip install 'roofproof[transformers]'"
    )
    given = json.loads((MODELS / f"{name}.json").read_text()) | {"num_hidden_layers": layers}
    given.pop("quantization_config", None)
    given |= {"first_k_dense_replace": 0} if "first_k_dense_replace" in given else {}  # a layer with experts
    if name in WINDOWED:  # masks count all pairs, whatever the window
        given["layer_types"] = ["full_attention"] * layers
    settings = {k: v for k, v in given.items() if k not in ("model_type", "architectures", "torch_dtype", "dtype")}
    config = transformers.AutoConfig.for_model(given["model_type"], dtype="bfloat16", **settings)
    with torch.device("meta"):
        made = transformers.AutoModelForCausalLM.from_config(config)
    return made, given


@pytest.mark.parametrize("name", [
    pytest.param("llama-3.1-8b", marks=pytest.mark.slow),
    *(pytest.param(name, marks=pytest.mark.long)
      for name in (*WINDOWED, "deepseek-v3", "mixtral-8x7b", "phi-4", "qwen2.5-7b", "qwen3-8b", "qwen3-30b-a3b")),
])  # fmt: skip
def test_a_model_of_hugging_face_counts_as_its_configuration_does(name, tmp_path):
    """Products agree, except that `prefill` counts only L (L + 1)/2 of L^2 pairs and one row of logits.

    The weights have the same number of bytes.
    """
    made, given = huggingface(name, 1)
    file = tmp_path / f"{name}.json"
    file.write_text(json.dumps(given))
    prefill = parse_operation(f"{file}:prefill")

    def forward(tokens):
        return made(tokens, use_cache=False).logits

    op = trace.torch(forward, "tokens:int64[B,L]")
    L = dimension("L")
    products = op.compute["bf16"] + op.compute.get("fp32", 0)  # some models route in fp32
    found, floor = (sympy.Poly(sympy.expand(each), B, L) for each in (products, prefill.compute["bf16"]))
    head = floor.coeff_monomial(B)
    assert found.coeff_monomial(B * L**2) == 2 * floor.coeff_monomial(B * L**2)
    assert found.coeff_monomial(B * L) - head == floor.coeff_monomial(B * L) - floor.coeff_monomial(B * L**2)
    assert head == 2 * given["vocab_size"] * given["hidden_size"]
    named = {f"made.{weight}" for weight in made.state_dict()}
    weights = sum((t.bytes for t in op.reads if t.name in named), sympy.Integer(0))
    assert weights == parse_operation(f"weights:model={file}").bytes()


WIDE = {"hidden_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 56,
        "intermediate_size": 40, "tie_word_embeddings": False}  # fmt: skip
ROUTED = {"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "n_group": 1, "topk_group": 1}
INDEXED = {"sparse_block_size": 4, "sparse_topk_blocks": 4, "sparse_num_index_heads": 2, "sparse_index_dim": 16,
           "sparse_attention_freq": [0, 1, 1], "use_sparse_attention": True}  # fmt: skip
PARTS = {
    "gemma4_text": {
        "global_head_dim": 20, "num_global_key_value_heads": 1, "attention_k_eq_v": True, "enable_moe_block": True,
        "num_experts": 8, "top_k_experts": 2, "moe_intermediate_size": 16, "hidden_size_per_layer_input": 0,
        "num_kv_shared_layers": 0, "sliding_window": 16, "num_hidden_layers": 3,
        "layer_types": ["sliding_attention", "sliding_attention", "full_attention"]},
    "deepseek_v32": {
        **ROUTED, "q_lora_rank": 24, "kv_lora_rank": 20, "qk_nope_head_dim": 12, "qk_rope_head_dim": 8,
        "v_head_dim": 16, "index_n_heads": 2, "index_head_dim": 16, "index_topk": 16, "first_k_dense_replace": 1,
        "n_shared_experts": 1, "num_hidden_layers": 3, "num_key_value_heads": 4},
    "mimo_v2_flash": {
        **ROUTED, "v_head_dim": 12, "swa_num_attention_heads": 4, "swa_num_key_value_heads": 4, "swa_head_dim": 16,
        "swa_v_head_dim": 12, "sliding_window": 16, "num_hidden_layers": 3, "hybrid_layer_pattern": [0, 1, 1],
        "moe_layer_freq": [0, 1, 1]},
    "minimax_m3_vl_text": {
        "intermediate_size": 32, "dense_intermediate_size": 40, "shared_intermediate_size": 28, "n_shared_experts": 1,
        "num_local_experts": 8, "num_experts_per_tok": 2, "num_hidden_layers": 3, "moe_layer_freq": [0, 1, 1],
        "sparse_attention_config": INDEXED},
    "nemotron_h": {
        **ROUTED, "mamba_num_heads": 4, "mamba_head_dim": 8, "n_groups": 2, "ssm_state_size": 12, "conv_kernel": 4,
        "moe_intermediate_size": 32, "moe_shared_expert_intermediate_size": 28, "n_shared_experts": 1,
        "moe_latent_size": 32, "layers_block_type": ["mamba", "moe", "attention", "mlp"], "num_hidden_layers": 4},
}  # fmt: skip
APART = {  # FLOPs for 64 tokens that only the module has, or that it computes in another way
    "deepseek_v32": 3 * 2 * 64 * 32 * 2,  # the weighted sum of the index over its heads, in three layers
    "nemotron_h": 64 * (2 * 4 * (32 + 48) - 4 * 32 * 12 - 2 * 48 * 8),  # taps, the state in chunks, and the router
}


@pytest.mark.long
@pytest.mark.parametrize("kind", PARTS)
def test_layers_of_several_kinds_count_as_their_module_does(kind, tmp_path):
    """For 2 sequences of 32 tokens, all pairs and logits are counted. Some models route and index in fp32."""
    transformers = pytest.importorskip(
        "transformers", reason="transformers is not installed; cure: pip install 'roofproof[transformers]'"
    )
    given = {**WIDE, **PARTS[kind]}
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"model_type": kind, **given}))
    with torch.device("meta"):
        config = transformers.AutoConfig.for_model(kind, dtype="bfloat16", **given)
        made = transformers.AutoModelForCausalLM.from_config(config)
    kept = {name: value.numel() for name, value in made.state_dict().items()}
    assert sum(kept.values()) == parse_operation(f"weights:model={file},w=int8").bytes()

    def forward(tokens):
        return made(tokens, use_cache=False).logits

    traced_ops = trace.torch(forward, "tokens:int64[2,32]")
    step = at(parse_operation(f"training-step:{file}"), B=2, L=32)
    in_fp32 = 0 if kind == "nemotron_h" else traced_ops.compute.get("fp32", 0)
    assert traced_ops.compute["bf16"] + in_fp32 == step.flops / 3 + APART.get(kind, 0)
