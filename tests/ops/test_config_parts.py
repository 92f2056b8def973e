"""Models with layers of several kinds: counts from config.json against loops and against Hugging Face modules.

The parameter counts are those of the module that transformers 5.24 makes from the same configuration. The sizes are
those of the published files.
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
K3 = dict(
    hidden_size=7168, intermediate_size=33792, moe_intermediate_size=3072, num_hidden_layers=93, num_attention_heads=96,
    num_shared_experts=2, kv_lora_rank=512, q_lora_rank=1536, qk_rope_head_dim=64, v_head_dim=128, qk_nope_head_dim=128,
    num_experts_per_token=16, num_experts=896, first_k_dense_replace=1, vocab_size=163840, attn_res_block_size=12,
    routed_expert_hidden_size=3584, latent_moe_use_norm=True, mla_use_output_gate=True, topk_method="noaux_tc",
    linear_attn_config=dict(
        head_dim=128, num_heads=96, short_conv_kernel_size=4, gate_lower_bound=-5.0, use_full_rank_gate=True,
        full_attn_layers=[*range(4, 93, 4), 93], kda_layers=[n for n in range(1, 92) if n % 4],
    ),
)  # fmt: skip
FLASH = dict(
    hidden_size=4096, num_attention_heads=64, num_key_value_heads=1, head_dim=512, q_lora_rank=1024, o_groups=8,
    o_lora_rank=1024, sliding_window=128, index_n_heads=64, index_head_dim=128, index_topk=512, hc_mult=4,
    num_hash_layers=3, n_routed_experts=256, n_shared_experts=1, num_experts_per_tok=6, moe_intermediate_size=2048,
    num_hidden_layers=43, num_nextn_predict_layers=1, vocab_size=129280,
    compress_ratios=[0, 0, *[4, 128] * 20, 4, 0],
)  # fmt: skip
PRO = FLASH | dict(
    hidden_size=7168, num_attention_heads=128, q_lora_rank=1536, o_groups=16, index_topk=1024, n_routed_experts=384,
    moe_intermediate_size=3072, num_hidden_layers=61, compress_ratios=[128, 128, *[4, 128] * 29, 4, 0],
)  # fmt: skip
STEP = dict(
    hidden_size=4096, num_attention_heads=64, num_key_value_heads=8, head_dim=128, vocab_size=128896,
    intermediate_size=11264, sliding_window=512, first_k_dense_replace=3, num_experts=288, num_experts_per_tok=8,
    moe_intermediate_size=1280, share_expert_dim=1280, num_hidden_layers=45,
    layer_types=[("full" if n % 4 == 0 else "sliding") + "_attention" for n in range(45)],
)  # fmt: skip
USUAL = dict(hidden_size=2048, num_hidden_layers=8, num_attention_heads=16, num_key_value_heads=4, vocab_size=32000,
             intermediate_size=6144)  # fmt: skip
CONVOLVED = dict(conv_L_cache=3, layer_types=["conv", "conv", "full_attention", "conv"] * 2)
MIXED = dict(moe_intermediate_size=768, n_routed_experts=16, first_k_dense_replace=1)
SMALL = {  # recent model families: (settings, parameters of the module plus the biases of its routers)
    "ernie4_5_moe": (dict(moe_num_experts=16, moe_k=6, moe_intermediate_size=768, moe_num_shared_experts=2,
                          moe_layer_start_index=1, use_bias=False), 781_977_712),
    "hunyuan_v1_dense": (dict(head_dim=128, tie_word_embeddings=True), 451_448_832),
    "granitemoehybrid": (dict(shared_intermediate_size=1024, num_local_experts=16, num_experts_per_tok=6,
                              intermediate_size=512, mamba_n_heads=64, mamba_d_head=64, mamba_n_groups=1,
                              mamba_d_state=128, mamba_d_conv=4,
                              layer_types=(["mamba"] * 3 + ["attention"]) * 2), 694_872_704),
    "lfm2": (CONVOLVED, 388_569_600),
    "lfm2_moe": (CONVOLVED | dict(moe_intermediate_size=768, num_experts=16, num_experts_per_tok=4,
                                  num_dense_layers=2, use_expert_bias=True), 715_921_920 + 6 * 16),
    "falcon_h1": (dict(head_dim=64, mamba_d_ssm=3072, mamba_n_heads=24, mamba_n_groups=1, mamba_d_state=256,
                       mamba_d_conv=4, mamba_rms_norm=True), 634_985_024),
    "jamba": (dict(attn_layer_period=8, attn_layer_offset=4, expert_layer_period=2, expert_layer_offset=1,
                   num_experts=4, num_experts_per_tok=2, mamba_expand=2, mamba_d_state=16, mamba_d_conv=4,
                   mamba_dt_rank=128), 1_081_678_944),
    "dots1": (MIXED | dict(head_dim=128, n_shared_experts=2, num_experts_per_tok=6, sliding_window=None),
              847_515_648 + 7 * 16),
    "cohere2": (dict(head_dim=128, sliding_window=1024), 451_430_400),
    "glm4_moe_lite": (MIXED | dict(n_shared_experts=1, num_experts_per_tok=4, num_key_value_heads=16, q_lora_rank=768,
                                   kv_lora_rank=512, qk_nope_head_dim=192, qk_rope_head_dim=64, v_head_dim=256),
                      874_262_528 + 7 * 16),
    "exaone_moe": (dict(head_dim=128, moe_intermediate_size=768, num_experts=16, num_experts_per_tok=8,
                        num_shared_experts=1, first_k_dense_replace=1, sliding_window=128,
                        layer_types=(["sliding_attention"] * 3 + ["full_attention"]) * 2), 814_485_504 + 7 * 16),
    "apertus": ({}, 416_321_552),
}  # fmt: skip
FILES = {  # (settings, parameters of the module)
    "qwen3_5_text": (QWEN35, 26_895_998_464),
    "nemotron_h": (NEMOTRON, 31_577_940_288),
    "llama4_text": (LLAMA4, 400_711_848_960),
    "gemma4_text": (GEMMA4, 25_233_141_790),
    "glm_moe_dsa": (SPARSE, 743_911_218_432),
    "mimo_v2_flash": (MIMO, 308_778_780_864),
    "minimax_m3_vl_text": (MINIMAX, 426_174_572_928),
    "kimi_linear": (KIMI, 49_133_081_120),
    "step3p7": (STEP, 195_844_508_736),
    "deepseek_v4": (FLASH, 284_332_230_231 + 40 * 256),  # the module does not count router biases as parameters
}


def written(tmp_path, kind, **given):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": kind, **given}))
    return str(path)


@pytest.mark.parametrize("kind", FILES)
def test_a_model_of_parts_has_the_parameters_of_its_module(kind, tmp_path):
    given, exact = FILES[kind]
    assert parameters(written(tmp_path, kind, **given)) == exact


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", SMALL)
def test_a_family_of_today_has_the_parameters_of_its_module(kind, tmp_path):
    given, exact = SMALL[kind]
    assert parameters(written(tmp_path, kind, **USUAL | given)) == exact


@pytest.mark.slow
def test_the_passes_of_families_of_today_are_those_by_hand(tmp_path):
    """A step of one sequence with 100 keys counts each weight that a token uses, the pairs, and the states."""
    d, F, head, S = 2048, 6144, 2 * 32000 * 2048, 100
    gated, attention = 3 * 2 * d * F, 2 * (2 * d * d + 2 * d * 512)
    mamba = 2 * d * (2 * 3072 + 2 * 256 + 24) + 2 * 3072 * d + 4 * 3072 * 256
    jamba = 2 * (d * 8192 + 4096 * (128 + 32) + 128 * 4096 + 4096 * d) + 4 * 4096 * 16
    by_hand = {
        "lfm2": 6 * 4 * 2 * d * d + 2 * (attention + 4 * d * S) + 8 * 3 * 2 * d * F * 2 // 3,
        "cohere2": 8 * (attention + 4 * d * S + gated),
        "apertus": 8 * (attention + 4 * d * S + 2 * 2 * d * F),
        "falcon_h1": 8 * (mamba + 2 * (2 * d * 1024 + 2 * d * 256) + 4 * 1024 * S + gated),
        "jamba": attention + 4 * d * S + 7 * jamba + 4 * gated + 4 * (2 * gated + 2 * d * 4),
    }
    for kind, flops in by_hand.items():
        decode = op(f"{written(tmp_path, kind, **USUAL | SMALL[kind][0])}:decode")
        assert at(decode, B=1, S=S).flops == flops + head, kind


def test_what_a_model_hears_with_is_left_out(tmp_path):
    text = USUAL | dict(model_type="qwen3_omni_moe_text", head_dim=128, num_experts=16, num_experts_per_tok=8,
                        moe_intermediate_size=768)  # fmt: skip
    nested = written(tmp_path, "qwen3_omni_moe", thinker_config={"text_config": text, "audio_config": {"a": 1}})
    assert parameters(nested) == parameters(written(tmp_path, "qwen3_moe", **text | {"model_type": "qwen3_moe"}))


def test_a_size_under_its_other_name_alone_and_windows_that_are_not_used(tmp_path):
    sizes = USUAL | CONVOLVED
    del sizes["intermediate_size"]
    off = dict(block_ff_dim=6144, use_sliding_window=False, sliding_window=4096, max_window_layers=4)
    assert parameters(written(tmp_path, "lfm2", **sizes | off)) == SMALL["lfm2"][1]


def test_further_sizes_of_an_architecture(tmp_path):
    """DeepSeek-V4-Pro is compared with its module, and Kimi K3, which has no module here, with its weight shapes."""
    assert parameters(written(tmp_path, "deepseek_v4", **PRO)) == 1_572_997_179_491 + 58 * 384
    d, n, heads = 7168, 96 * 128, 96 * 128
    linear = 4 * d * n + n * d + 96 * d + 128 * d + n * 128 + 3 * n * 4 + n + 128 + 128
    latent = 1536 * d + 1536 + 18432 * 1536 + 576 * d + 512 + 24576 * 512 + heads * d + d * heads
    experts = 896 * 3 * 3072 * 3584 + 896 + 896 * d + 2 * 3584 * d + 3584 + 3 * 6144 * d
    every = 93 * (2 * d + 2 * 2 * d) + 2 * d + d + 2 * 163840 * d
    weights = 69 * linear + 24 * latent + 92 * experts + 3 * 33792 * d + every
    assert parameters(written(tmp_path, "kimi_linear", **K3)) == weights == 2_779_484_478_208
    nested = written(tmp_path, "kimi_k3", text_config=K3 | {"model_type": "kimi_linear"}, vision_config={"a": 1})
    assert parameters(nested) == weights


@pytest.mark.parametrize(("given", "B", "S"), [(FLASH, 1, 3), (FLASH, 3, 1000), (PRO, 2, 5003)])
def test_keys_made_of_several_tokens_are_counted_token_by_token(given, B, S, tmp_path):
    c = given
    d, h, k, W, K = (c[key] for key in ("hidden_size", "num_attention_heads", "head_dim", "sliding_window",
                                        "index_topk"))  # fmt: skip
    q, n, m, s = c["q_lora_rank"], 64, 128, 4
    attention = [(d, q), (q, h * k), (d, k), (h * k, c["o_lora_rank"]), (c["o_groups"] * c["o_lora_rank"], d)]
    experts = [(d, c["n_routed_experts"]), (7 * 3, d, c["moe_intermediate_size"])]
    every, one, kept, before = linear(c, (s * d, s)), 0, 0, 0
    for ratio in c["compress_ratios"][: c["num_hidden_layers"]]:
        made = {0: [], 4: [(4 * d, k), (4 * d, m), (q, n * m), (d, n)], 128: [(2 * d, k)]}[ratio]
        every += linear(c, *attention, *experts, *made, (2, s * d, s * (s + 2)))

        def seen(i, ratio=ratio):
            return min(i, W) + (min(i // 4, K) if ratio == 4 else i // 128 if ratio else 0)

        def pairs(i, ratio=ratio, seen=seen):
            return 2 * 2 * h * k * seen(i) + (2 * n * m * (i // 4) if ratio == 4 else 0)

        one, before = one + pairs(S), before + sum(map(pairs, range(1, S + 1)))
        kept += 2 * (k * seen(S) + (m * (S // 4) if ratio == 4 else 0))
    head = 2 * c["vocab_size"] * d
    path = written(tmp_path, "deepseek_v4", **c)
    decode, prefill = passes(path, B, S)
    assert decode.flops == B * (every + head + one)
    assert prefill.flops == B * (S * every + head + before)
    assert decode.bytes() == 2 * active_parameters(path, embedding=False) + B * kept + 8 * B
    held = sum(k * (min(S, W) + (S // r if r else 0)) + (m * (S // 4) if r == 4 else 0)
               for r in c["compress_ratios"][: c["num_hidden_layers"]])  # fmt: skip
    assert at(op(f"kv-cache:model={path}"), B=B, S=S).bytes() == 2 * B * held


def test_what_weighs_residuals_is_summed_over_no_chips(tmp_path):
    shared = op(f"{written(tmp_path, 'deepseek_v4', **FLASH)}:decode,B=16,S=64,tensor=2,link=nvlink")
    assert shared.bytes("nvlink") == 2 * 43 * 2 * Rational(1, 2) * 2 * 16 * 4096  # two all-reduces per layer


def test_layers_that_are_each_of_their_own_size(tmp_path):
    """These are four layers of Llama-3.3-Nemotron-Super-49B, which has 49,867,145,216 published parameters."""
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
    seen = [[i % 8192 + 1 for i in range(S)], list(range(1, S + 1))]  # for 36 layers, and for 12
    head, pair = 2 * c["vocab_size"] * d, 2 * 2 * h * k
    decode, prefill = passes(path, B, S)
    assert decode.flops == B * (every + head + pair * (36 * seen[0][-1] + 12 * seen[1][-1]))
    assert prefill.flops == B * (S * every + head + pair * (36 * sum(seen[0]) + 12 * sum(seen[1])))
    weights = 2 * (active_parameters(path, embedding=False))
    kept = 2 * 2 * g * k * (36 * seen[0][-1] + 12 * seen[1][-1])  # read, except the last one, which is written
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
    assert shared.bytes("nvlink") == 52 * 2 * Rational(1, 2) * 2 * 16 * 2688  # a sum per part, 2 (n - 1)/n of its bytes
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
        ("kimi_linear", K3, {"linear_attn_config": K3["linear_attn_config"] | {"rank": 2}},
         "key 'linear_attn_config.rank' may change what is counted"),
        ("step3p7", STEP, {"attention_other_setting": {"num_attention_heads": 96, "num_attention_groups": 4}},
         "attention_other_setting.num_attention_groups and num_key_value_heads differ; they are one size"),
        ("deepseek_v4", FLASH, {"compress_ratios": None},
         "layer_types or compress_ratios is missing, which says what each layer is"),
        ("deepseek_v4", FLASH, {"compress_ratios": [2] * 43}, "compress_ratios has an entry '2'; expected 0 or 4 or"),
        ("deepseek_v4", FLASH, {"num_nextn_predict_layers": 2},
         "compress_ratios: each layer has one entry, but there are 43 and 44"),
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
