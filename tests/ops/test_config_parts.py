"""Models whose layers are of several kinds: what their config.json comes to, against loops and against their modules.

Parameters are those of the module that Hugging Face transformers 5.24 makes of the same configuration; sizes are of
the published files.
"""

import json
from math import ceil, prod

import pytest
from sympy import Rational

from roofproof.errors import RoofproofError
from roofproof.ops import at
from roofproof.ops import parse_operation as op
from roofproof.ops.library.language_model import active_parameters, parameters
from roofproof.ops.models import model

QWEN35 = dict(
    hidden_size=5120, num_attention_heads=24, num_key_value_heads=4, head_dim=256, intermediate_size=17408,
    linear_num_key_heads=16, linear_key_head_dim=128, linear_num_value_heads=48, linear_value_head_dim=128,
    linear_conv_kernel_dim=4, num_hidden_layers=64, vocab_size=248320, full_attention_interval=4,
)  # fmt: skip
NEMOTRON = dict(
    hidden_size=2688, num_attention_heads=32, num_key_value_heads=2, head_dim=128, intermediate_size=1856,
    mamba_num_heads=64, mamba_head_dim=64, n_groups=8, ssm_state_size=128, conv_kernel=4, use_conv_bias=True,
    n_routed_experts=128, num_experts_per_tok=6, moe_intermediate_size=1856, moe_shared_expert_intermediate_size=3712,
    n_shared_experts=1, num_hidden_layers=52, vocab_size=131072, sliding_window=None,
    hybrid_override_pattern="MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
)  # fmt: skip
LLAMA4 = dict(
    hidden_size=5120, num_attention_heads=40, num_key_value_heads=8, head_dim=128, intermediate_size=8192,
    intermediate_size_mlp=16384, attention_chunk_size=8192, interleave_moe_layer_step=2, num_local_experts=128,
    num_experts_per_tok=1, num_hidden_layers=48, vocab_size=202048,
)  # fmt: skip
GEMMA4 = dict(
    hidden_size=2816, num_attention_heads=16, num_key_value_heads=8, head_dim=256, global_head_dim=512,
    num_global_key_value_heads=2, attention_k_eq_v=True, enable_moe_block=True, num_experts=128, top_k_experts=8,
    moe_intermediate_size=704, hidden_size_per_layer_input=0, num_kv_shared_layers=0, intermediate_size=2112,
    sliding_window=1024, layer_types=(["sliding_attention"] * 5 + ["full_attention"]) * 5, num_hidden_layers=30,
    vocab_size=262144,
)  # fmt: skip
SPARSE = dict(
    hidden_size=6144, num_attention_heads=64, q_lora_rank=2048, kv_lora_rank=512, qk_nope_head_dim=192,
    qk_rope_head_dim=64, v_head_dim=256, index_n_heads=32, index_head_dim=128, index_topk=2048,
    first_k_dense_replace=3, intermediate_size=12288, n_routed_experts=256, num_experts_per_tok=8,
    moe_intermediate_size=2048, n_shared_experts=1, num_hidden_layers=78, vocab_size=154880,
)  # fmt: skip
MIMO = dict(
    hidden_size=4096, num_attention_heads=64, num_key_value_heads=4, head_dim=192, v_head_dim=128,
    swa_num_attention_heads=64, swa_num_key_value_heads=8, swa_head_dim=192, swa_v_head_dim=128, sliding_window=128,
    intermediate_size=16384, n_routed_experts=256, num_experts_per_tok=8, moe_intermediate_size=2048,
    n_shared_experts=None, num_hidden_layers=48, vocab_size=152576,
    hybrid_layer_pattern=[int(n not in (0, 5, 11, 17, 23, 29, 35, 41, 47)) for n in range(48)],
    moe_layer_freq=[0] + [1] * 47,
)  # fmt: skip
MINIMAX = dict(
    hidden_size=6144, num_attention_heads=64, num_key_value_heads=4, head_dim=128, intermediate_size=3072,
    dense_intermediate_size=12288, shared_intermediate_size=3072, n_shared_experts=1, num_local_experts=128,
    num_experts_per_tok=4, num_hidden_layers=60, vocab_size=200064, moe_layer_freq=[0] * 3 + [1] * 57,
    sparse_attention_config=dict(
        sparse_block_size=128, sparse_topk_blocks=16, sparse_num_index_heads=4, sparse_index_dim=128,
        sparse_attention_freq=[0] * 3 + [1] * 57,
    ),
)  # fmt: skip
KIMI = dict(
    hidden_size=2304, intermediate_size=9216, moe_intermediate_size=1024, num_hidden_layers=27, num_attention_heads=32,
    num_shared_experts=1, kv_lora_rank=512, q_lora_rank=None, qk_rope_head_dim=64, v_head_dim=128, qk_nope_head_dim=128,
    num_experts_per_token=8, num_experts=256, first_k_dense_replace=1, vocab_size=163840,
    linear_attn_config=dict(
        head_dim=128, num_heads=32, short_conv_kernel_size=4, full_attn_layers=[4, 8, 12, 16, 20, 24],
        kda_layers=[n for n in range(1, 28) if n not in (4, 8, 12, 16, 20, 24)],
    ),
)  # fmt: skip
STEP = dict(
    hidden_size=4096, num_attention_heads=64, num_key_value_heads=8, head_dim=128, vocab_size=128896,
    intermediate_size=11264, sliding_window=512, first_k_dense_replace=3, num_experts=288, num_experts_per_tok=8,
    moe_intermediate_size=1280, share_expert_dim=1280, num_hidden_layers=45,
    layer_types=[("full" if n % 4 == 0 else "sliding") + "_attention" for n in range(45)],
)  # fmt: skip
FILES = {  # with the parameters of the module
    "qwen3_5_text": (QWEN35, 26_895_998_464),
    "nemotron_h": (NEMOTRON, 31_577_940_288),
    "llama4_text": (LLAMA4, 400_711_848_960),
    "gemma4_text": (GEMMA4, 25_233_141_790),
    "glm_moe_dsa": (SPARSE, 743_911_218_432),
    "mimo_v2_flash": (MIMO, 308_778_780_864),
    "minimax_m3_vl_text": (MINIMAX, 426_174_572_928),
    "kimi_linear": (KIMI, 49_133_081_120),
    "step3p7": (STEP, 195_844_508_736),
}


def written(tmp_path, kind, **given):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": kind, **given}))
    return str(path)


@pytest.mark.parametrize("kind", FILES)
def test_a_model_of_parts_has_the_parameters_of_its_module(kind, tmp_path):
    given, exact = FILES[kind]
    assert parameters(written(tmp_path, kind, **given)) == exact


def test_layers_that_are_each_of_their_own_size(tmp_path):
    """Llama-3.3-Nemotron-Super-49B: 49,867,145,216 parameters are published; here four of its layers."""
    heads, none = {"n_heads_in_group": 8, "no_op": False}, {"n_heads_in_group": None, "no_op": True}
    blocks = [
        {"attention": heads, "ffn": {"ffn_mult": 2.625, "no_op": False}},
        {"attention": heads, "ffn": {"ffn_mult": 5.25, "no_op": False}},
        {"attention": none, "ffn": {"ffn_mult": 0.5, "no_op": False}},
        {"attention": none, "ffn": {"ffn_mult": None, "no_op": True}},
    ]
    d, V = 8192, 128256
    path = written(tmp_path, "nemotron-nas", hidden_size=d, num_attention_heads=64, num_hidden_layers=4,
                   vocab_size=V, intermediate_size=None, num_key_value_heads=None, block_configs=blocks)  # fmt: skip
    widths = [256 * ceil(int(Rational(2, 3) * Rational(m) * d) / 256) for m in (2.625, 5.25, 0.5)]
    attention = 2 * d * d + 2 * d * 8 * 128 + d
    assert parameters(path) == 2 * attention + sum(3 * d * F + d for F in widths) + 2 * V * d + d
    assert op(f"{path}:decode").bytes() > 0


def passes(path, B, S):
    decode, prefill = op(f"{path}:decode,touched=least"), op(f"{path}:prefill,touched=least")
    return at(decode, B=B, S=S), at(prefill, B=B, L=S)


def linear(given, *products):
    return 2 * sum(prod(product) for product in products)


@pytest.mark.parametrize(("B", "S"), [(1, 1), (3, 130), (2, 9000)])
def test_chunks_are_counted_query_by_query(B, S, tmp_path):
    c = LLAMA4
    path = written(tmp_path, "llama4_text", **c)
    d, h, g, k, N = (c[key] for key in ("hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim",
                                         "num_hidden_layers"))  # fmt: skip
    every = linear(c, (N, d, h * k + 2 * g * k), (N, h * k, d), (24, 3, d, 16384), (24, d, 128), (24, 6, d, 8192))
    seen = [[i % 8192 + 1 for i in range(S)], list(range(1, S + 1))]  # of 36 layers, and of 12
    head, pair = 2 * c["vocab_size"] * d, 2 * 2 * h * k
    decode, prefill = passes(path, B, S)
    assert decode.flops == B * (every + head + pair * (36 * seen[0][-1] + 12 * seen[1][-1]))
    assert prefill.flops == B * (S * every + head + pair * (36 * sum(seen[0]) + 12 * sum(seen[1])))
    weights = 2 * (active_parameters(path, embedding=False))
    kept = 2 * 2 * g * k * (36 * seen[0][-1] + 12 * seen[1][-1])  # read but for the last, which is written
    assert decode.bytes() == weights + B * kept + 8 * B
    held = 2 * 2 * g * k * (36 * min(S, 8192) + 12 * S)
    assert at(op(f"kv-cache:model={path}"), B=B, S=S).bytes() == B * held
    assert prefill.bytes() == weights + B * held + 4 * B * S + 4 * B


@pytest.mark.parametrize(("B", "S"), [(1, 1), (3, 2048), (2, 9000)])
def test_what_an_index_chooses_is_read_and_the_index_whole(B, S, tmp_path):
    c = SPARSE
    path = written(tmp_path, "glm_moe_dsa", **c)
    d, h, q, latent, rope = 6144, 64, 2048, 512, 64
    attention = [(d, q), (q, h * 256), (d, latent + rope), (latent, h * (192 + 256)), (h * 256, d)]
    index = [(q, 32 * 128), (d, 128), (d, 32)]
    experts = [(d, 256), (9 * 3, d, 2048)]
    every = 78 * linear(c, *attention, *index) + 75 * linear(c, *experts) + 3 * linear(c, (3, d, 12288))
    head = 2 * c["vocab_size"] * d
    decode, prefill = passes(path, B, S)
    chosen = [min(i + 1, 2048) for i in range(S)]
    index_pair, in_latent, by_head = 2 * 32 * 128, 2 * h * (2 * latent + rope), 2 * h * (192 + rope + 256)
    assert decode.flops == B * (every + head + 78 * (in_latent * chosen[-1] + index_pair * S))
    pairs = S * (S + 1) // 2
    assert prefill.flops == B * (S * every + head + 78 * (by_head * sum(chosen) + index_pair * pairs))
    weights = 2 * active_parameters(path, embedding=False)
    assert decode.bytes() == weights + B * 2 * 78 * ((latent + rope) * chosen[-1] + 128 * S) + 8 * B
    assert at(op(f"kv-cache:model={path}"), B=B, S=S).bytes() == B * 2 * 78 * (latent + rope + 128) * S


def test_a_state_is_read_and_renewed_whatever_the_length(tmp_path):
    c = NEMOTRON
    path = written(tmp_path, "nemotron_h", **c)
    pattern, B, S = c["hybrid_override_pattern"], 5, 700
    mamba, experts, heads = (pattern.count(letter) for letter in "ME*")
    d, inner, both = 2688, 64 * 64, 64 * 64 + 2 * 8 * 128
    every = mamba * (2 * d * (inner + both + 64) + 2 * inner * d + 4 * inner * 128)
    every += heads * (2 * d * (32 * 128 + 2 * 2 * 128) + 2 * 32 * 128 * d)
    every += experts * (2 * d * 128 + 2 * 2 * d * 3712 + 6 * 2 * 2 * d * 1856)
    decode, prefill = passes(path, B, S)
    pair, head = heads * 2 * 2 * 32 * 128, 2 * c["vocab_size"] * d
    assert decode.flops == B * (every + head + pair * S)
    assert prefill.flops == B * (S * every + head + pair * S * (S + 1) // 2)
    weights, cache = 2 * active_parameters(path, embedding=False), heads * 2 * 2 * 2 * 128 * S
    state, trail = mamba * 4 * inner * 128, mamba * 2 * both
    assert decode.bytes() == weights + B * (cache + 2 * state + 3 * trail + trail) + 8 * B
    assert prefill.bytes() == weights + B * (cache + state + 3 * trail) + 4 * B * S + 4 * B
    assert "a state renewed and read at each token, one after the other" in decode.convention


def test_chips_share_the_parts_and_add_up_after_each(tmp_path):
    path = written(tmp_path, "nemotron_h", **NEMOTRON)
    alone, shared = op(f"{path}:decode,B=16,S=64"), op(f"{path}:decode,B=16,S=64,tensor=2,link=nvlink")
    assert shared.flops * 2 == alone.flops and shared.bytes() * 2 == alone.bytes()
    assert shared.bytes("nvlink") == 52 * 2 * Rational(1, 2) * 2 * 16 * 2688  # a sum a part, 2 (n - 1)/n of it
    with pytest.raises(RoofproofError, match="has layers of several kinds; ask for a pass"):
        op(f"model-layer:{path}")
    assert model(path).mixture and op(f"{path}:training").flops != 0


@pytest.mark.parametrize(
    ("kind", "given", "changed", "message"),
    [
        ("nemotron_h", NEMOTRON, {"hybrid_override_pattern": "ME"},
         "hybrid_override_pattern: each layer has one entry, but there are 2 and 52"),
        ("nemotron_h", NEMOTRON, {"hybrid_override_pattern": "X" * 52},
         "hybrid_override_pattern has an entry 'X'; expected M or * or - or E"),
        ("nemotron_h", NEMOTRON, {"hybrid_override_pattern": None},
         "layers_block_type or hybrid_override_pattern is missing, which says what each layer is"),
        ("qwen3_5_text", QWEN35, {"num_hidden_layers": 3}, "no layer attends to keys; the counts of qwen3_5_text hold"),
        ("kimi_linear", KIMI, {"num_hidden_layers": 28}, "full_attn_layers: 27 layers are listed of 28"),
        ("kimi_linear", KIMI, {"linear_attn_config": 3}, "linear_attn_config.num_heads is missing, which kimi_linear"),
        ("nemotron_h", NEMOTRON, {"sliding_window": 4096}, "sliding_window: the counts of nemotron_h hold without it"),
        ("nemotron_h", NEMOTRON, {"mamba_num_heads": None}, "mamba_num_heads is missing, which nemotron_h needs as"),
        ("gemma4_text", GEMMA4, {"num_kv_shared_layers": 4}, "num_kv_shared_layers is '4'; the counts of gemma4_text"),
        ("kimi_linear", KIMI, {"routed_expert_hidden_size": 9}, "key 'routed_expert_hidden_size' may change what is"),
        ("mimo_v2_flash", MIMO, {"moe_layer_freq": [True] * 48}, "moe_layer_freq has an entry 'True'; expected 0 or 1"),
        ("llama4_text", LLAMA4, {"add_cross_attention": True}, "add_cross_attention is 'True'; the counts of"),
        ("nemotron-nas", {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "block_configs": [3]},
         {}, "block_configs: attention must be a table without sinks, windows or linear layers"),
    ],
)  # fmt: skip
def test_what_the_parts_do_not_say_is_refused(kind, given, changed, message, tmp_path):
    with pytest.raises(RoofproofError) as caught:
        op(f"{written(tmp_path, kind, **{**given, **changed})}:decode")
    assert message in str(caught.value)
