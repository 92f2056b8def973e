"""Models from config.json: published parameters, independent counts layer by layer, floors, and errors."""

import json
from math import prod
from pathlib import Path

import pytest
from sympy import Rational

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text
from roofproof.errors import RoofproofError
from roofproof.ops import at, model, parse_operation
from roofproof.ops.library.language_model import active_parameters, parameters
from roofproof.ops.notation.passes import as_floor
from roofproof.symbols import dimension

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "models"
FILES = sorted(FOLDER.glob("*.json"))
SAME = {  # models that also have a handwritten file
    "llama-3.1-8b": "llama-3-8b",
    "llama-3.1-405b": "llama-3-405b",
    "mixtral-8x7b": "mixtral-8x7b",
    "deepseek-v3": "deepseek-v3",
}
# (parameters of the released weights, published total in billions, published active parameters in billions)
PUBLISHED = {
    "deepseek-v3": (671_026_419_200, "671", "37"),  # active without the embedding table, of which a token reads one row
    "gemma-2-9b": (9_241_705_984, "9.24", None),
    "gemma-3-1b": (999_885_952, "1.0", None),
    "gpt-oss-20b": (20_914_757_184, "20.9", "3.6"),  # active without the embedding table
    "llama-3.1-405b": (405_853_388_800, "406", None),
    "llama-3.1-8b": (8_030_261_248, "8.03", None),
    "mistral-7b-v0.1": (7_241_732_096, "7.24", None),
    "mixtral-8x7b": (46_702_792_704, "46.7", "12.9"),
    "phi-4": (14_659_507_200, "14.7", None),
    "qwen2.5-7b": (7_615_616_512, "7.62", None),
    "qwen3-30b-a3b": (30_532_122_624, "30.5", "3.3"),
    "qwen3-8b": (8_190_735_360, "8.2", None),
}
LOOKED_UP = ("deepseek-v3", "gpt-oss-20b")


def op(text):
    return parse_operation(text)


def rounds(count, printed):
    return printed is None or abs(Rational(count, 10**9) - Rational(printed)) <= Rational(6, 10) / 10 ** len(
        printed.partition(".")[2]
    )


def test_every_file_is_tried():
    assert {f.stem for f in FILES} == set(PUBLISHED)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_parameters_are_those_published(file):
    exact, total, active = PUBLISHED[file.stem]
    assert parameters(str(file)) == exact and rounds(exact, total)
    assert rounds(active_parameters(str(file), embedding=file.stem not in LOOKED_UP), active)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("file", "by_hand"), SAME.items())
def test_a_model_file_written_by_hand_says_the_same(file, by_hand):
    path = str(FOLDER / f"{file}.json")
    for text in ("prefill:model={},w=bf16", "decode-step:model={},w=bf16", "training-step:model={},w=bf16"):
        assert op(text.format(path)).demands == op(text.format(by_hand)).demands
    assert op(f"kv-cache:model={path}").demands == op(f"kv-cache:{by_hand}").demands


class Counted:
    """A model counted by loops over its layers from the raw table, without operations or formulas of the package."""

    def __init__(self, given):
        self.given, n = given, given["num_hidden_layers"]
        self.d, self.h, self.vocabulary = given["hidden_size"], given["num_attention_heads"], given["vocab_size"]
        self.tied = given.get("tie_word_embeddings", given["model_type"].startswith("gemma"))
        self.latent = "kv_lora_rank" in given
        self.g = given["num_key_value_heads"]
        self.k = given.get("head_dim") or self.d // self.h
        kind, window = given["model_type"], given.get("sliding_window")
        near = {
            "mistral": lambda i: True,
            "mixtral": lambda i: True,
            "gemma2": lambda i: i % 2 == 0,
            "gemma3_text": lambda i: (i + 1) % 6 != 0,
            "gpt_oss": lambda i: i % 2 == 0,
        }.get(kind, lambda i: False)
        self.windows = [window if window and near(i) else None for i in range(n)]
        few = given.get("num_local_experts") or given.get("num_experts") or given.get("n_routed_experts")
        self.experts = [few if few and i >= given.get("first_k_dense_replace", 0) else None for i in range(n)]

    def products(self):
        """Yield (shape, number that one token uses, number in the layer) of the weight matrices of each layer."""
        c, d = self.given, self.d
        for few in self.experts:
            if self.latent:
                q, kv, rope = c["q_lora_rank"], c["kv_lora_rank"], c["qk_rope_head_dim"]
                nope, v = c["qk_nope_head_dim"], c["v_head_dim"]
                shapes = [
                    (d, q),
                    (q, self.h * (nope + rope)),
                    (d, kv + rope),
                    (kv, self.h * (nope + v)),
                    (self.h * v, d),
                ]
            else:
                shapes = [(d, (self.h + 2 * self.g) * self.k), (self.h * self.k, d)]
            yield from ((one, 1, 1) for one in shapes)
            width = c.get("moe_intermediate_size", c["intermediate_size"]) if few else c["intermediate_size"]
            times = c["num_experts_per_tok"] if few else 1
            yield from (((d, width), times, few or 1) for _ in range(3))
            if few:
                yield ((d, few), 1, 1)
                yield from (((d, width), 1, 1) for _ in range(3 * c.get("n_shared_experts", 0)))

    def attention(self, queries, seen, decode):
        """Return the FLOPs of scores and sums. The i-th query sees `seen(i)` keys, but at most a window of them."""
        c, total = self.given, 0
        if self.latent:
            each = c["qk_nope_head_dim"] + c["qk_rope_head_dim"] + c["v_head_dim"]
            each = 2 * c["kv_lora_rank"] + c["qk_rope_head_dim"] if decode else each
        else:
            each = 2 * self.k
        for window in self.windows:
            total += sum(2 * self.h * each * min(seen(i), window or seen(i)) for i in range(queries))
        return total

    def weights(self, every):
        """Return the number of weights that a pass reads, without vectors, for all experts or those of one token."""
        total = sum(prod(s) * (there if every else used) for s, used, there in self.products())
        return total + self.vocabulary * self.d

    def cache(self, tokens):
        """Return the number of values in the cache of one sequence."""
        c = self.given
        each = c["kv_lora_rank"] + c["qk_rope_head_dim"] if self.latent else 2 * self.g * self.k
        return sum(each * min(tokens, window or tokens) for window in self.windows)


def vectors(path):
    """Return the number of norm weights and biases, which is the rest of the published number of parameters."""
    counted, published = Counted(json.loads(Path(path).read_text())), parameters(path)
    tables = counted.vocabulary * counted.d * (0 if counted.tied else 1)
    return published - counted.weights(every=True) - tables


@pytest.mark.sampled(7)
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_floor_is_what_loops_over_the_layers_count(file):
    counted, path = Counted(json.loads(file.read_text())), str(file)
    passes = [op(as_floor(f"{path}:{name},w=bf16")) for name in ("decode", "prefill", "training")]
    cache = op(f"kv-cache:model={path}")
    head = 2 * counted.vocabulary * counted.d
    passed = sum(2 * prod(s) * used for s, used, _ in counted.products())
    # expert biases are read only for the experts of one token, and all other vectors are read completely
    small = vectors(path)
    if file.stem == "gpt-oss-20b":
        small -= Rational(28, 32) * 24 * 32 * 3 * 2880
    moved = 2 * (counted.weights(every=False) + small)
    for B, S in [(1, 1), (3, 130), (8, 4099)]:
        decode, prefill, training = (at(p, **{s.name: {"B": B}.get(s.name, S) for s in p.dims}) for p in passes)
        assert decode.flops == B * (passed + head + counted.attention(1, lambda i, S=S: S, decode=True))
        causal = counted.attention(S, lambda i: i + 1, decode=False)
        assert prefill.flops == B * (S * passed + head + causal)
        assert training.flops == 3 * B * (S * (passed + head) + causal)
        assert decode.bytes() == moved + 2 * B * counted.cache(S) + 8 * B
        assert prefill.bytes() == moved + 2 * B * counted.cache(S) + 4 * B * S + 4 * B
        assert training.bytes() == 28 * parameters(path) + 4 * B * S
        assert at(cache, B=B, S=S).bytes() == 2 * B * counted.cache(S)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["llama-3.1-8b", "deepseek-v3", "gemma-3-1b"])
def test_no_pass_in_kernels_moves_less_than_the_floor(name):
    """The proof checker proves this for all sizes, as a claim."""
    path = FOLDER / f"{name}.json"
    rest = "w=bf16,touched=least"
    says = {
        "decode": f"bytes('decode-step:model={path},{rest},traffic=fused') <= bytes('decode-step:model={path},{rest}')",
        "prefill": f"bytes('prefill:model={path},{rest},traffic=fused') <= bytes('prefill:model={path},{rest}')",
    }
    for which, said in says.items():
        quoted = said.replace("'", '"')
        [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{quoted}'").claims
        verdict = judge(claim)
        assert (which, verdict.kind, verdict.trust) == (which, "verified", "kernel")


def test_chips_share_a_floor_and_add_up_over_links():
    path = FOLDER / "llama-3.1-8b.json"
    alone = op(f"{path}:decode,B=16,S=1024")
    shared = op(f"{path}:decode,B=16,S=1024,tensor=8,link=nvlink")
    assert shared.flops * 8 == alone.flops and shared.bytes() * 8 == alone.bytes()
    assert shared.bytes("nvlink") == 2 * 32 * Rational(2 * 7, 8) * 2 * 16 * 4096  # 2 sums per layer, 2 (n - 1)/n each
    both = op(f"{path}:training,B=16,L=1024,tensor=8,data=4,link=nvlink,data_link=dcn")
    assert both.flops * 32 == op(f"{path}:training,B=16,L=1024").flops
    assert both.bytes("nvlink") == 2 * 2 * 32 * Rational(2 * 7, 8) * 2 * 16 * 1024 / 4 * 4096
    assert both.bytes("dcn") == Rational(2 * 3, 4) * 2 * parameters("llama-3-8b") / 8
    one_link = op(f"{path}:training,B=16,L=1024,tensor=8,data=4")
    assert one_link.bytes("ici") == both.bytes("nvlink") + both.bytes("dcn")
    recomputed = op(f"{path}:training,B=16,L=1024,tensor=8,recompute=all")
    assert recomputed.bytes("ici") == 3 * 2 * 32 * Rational(2 * 7, 8) * 2 * 16 * 1024 * 4096
    symbolic = op(f"{path}:decode,S=1024,tensor=n,link=nvlink")
    assert at(symbolic, n=8, B=16).demands == shared.demands
    with pytest.raises(RoofproofError, match="needs 32 divisible by n, which is false"):
        at(symbolic, n=5)


def config(tmp_path, name="llama-3.1-8b", **changed):
    table = json.loads((FOLDER / f"{name}.json").read_text()) | changed
    path = tmp_path / "config.json"
    path.write_text(json.dumps({key: value for key, value in table.items() if value != "gone"}))
    return path


def test_biases_and_windows_change_the_counts(tmp_path):
    plain = parameters("llama-3-8b")
    assert parameters(str(config(tmp_path, attention_bias=True))) - plain == 32 * (48 * 128 + 4096)
    assert parameters(str(config(tmp_path, mlp_bias=True))) - plain == 32 * (2 * 14336 + 4096)
    assert parameters(str(config(tmp_path, tie_word_embeddings=True))) - plain == -128256 * 4096
    mha = config(tmp_path, num_key_value_heads="gone", head_dim=128)
    assert model(str(mha)).attention.groups == 32 and model(str(mha)).name == tmp_path.name
    wide = config(tmp_path, "qwen2.5-7b", use_sliding_window=True, max_window_layers=20, sliding_window=1000)
    windowed = model(str(wide)).part("windowed")
    assert (windowed.attention.limit, windowed.count) == (1000, 8)
    kinds = ["full_attention"] * 40 + ["sliding_attention"] * 2
    assert model(str(config(tmp_path, "gemma-2-9b", layer_types=kinds))).part("windowed").count == 2


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("llama-3.1-8b", {"hidden_size": "gone"}, "hidden_size is missing, which llama needs as a whole number"),
        ("llama-3.1-8b", {"num_hidden_layers": 32.0}, "num_hidden_layers must be a whole number from 1; got '32.0'"),
        ("llama-3.1-8b", {"num_hidden_layers": True}, "num_hidden_layers must be a whole number from 1; got 'True'"),
        ("llama-3.1-8b", {"vocab_size": 10**10}, "vocab_size must be a whole number from 1; got '10000000000'"),
        ("llama-3.1-8b", {"mlp_bias": 1}, "mlp_bias must be true or false; got '1'"),
        (
            "llama-3.1-8b",
            {"num_attention_heads": 33},
            "head_dim is missing, and d/h is 4096/33, which is not a whole number",
        ),
        (
            "llama-3.1-8b",
            {"num_local_experts": 8},
            "key 'num_local_experts' may change what is counted; if it changes no size",
        ),
        ("mistral-7b-v0.1", {"sliding_window": "gone"}, "sliding_window is missing; write null if the model has none"),
        ("mixtral-8x7b", {"num_experts_per_tok": "gone"}, "num_experts_per_tok is missing, which mixtral needs as a"),
        ("qwen3-30b-a3b", {"decoder_sparse_step": 2}, "decoder_sparse_step is '2'; the counts of qwen3_moe hold for 1"),
        ("deepseek-v3", {"q_lora_rank": "gone"}, "q_lora_rank is missing; write null if the model has none"),
        (
            "gpt-oss-20b",
            {"experts_per_token": 2},
            "experts_per_token and num_experts_per_tok differ; they are one size",
        ),
        (
            "gemma-2-9b",
            {"layer_types": ["chunked"] * 42},
            "layer_types has an entry 'chunked'; expected sliding_attention or full_attention",
        ),
        ("llama-3.1-8b", {"model_type": "gone"}, "model_type is missing; known: llama, mistral"),
        ("llama-3.1-8b", {"model_type": "lama"}, "unknown architecture 'lama'; did you mean 'llama'"),
        ("llama-3.1-8b", {"text_config": {"model_type": "siglip"}}, "unknown architecture 'siglip'"),
        ("llama-3.1-8b", {"text_config": {"a": 1}, "llm_config": {"a": 1}}, "text_config and llm_config: which is the"),
    ],
)
def test_what_would_be_counted_wrongly_is_refused(tmp_path, name, changed, message):
    path = config(tmp_path, name, **changed)
    with pytest.raises(RoofproofError) as caught:
        op(f"{path}:decode,w=bf16")
    assert str(caught.value).startswith(f"{str(path)!r}: {message}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1,\n}', ", line 1, column 9: not JSON: Illegal trailing comma before end of object"),
        ('{"a": 1, "a": 2}', ": 'a' is given twice"),
        ("[1]", ": expected the table of a config.json, with model_type"),
        (b"\xff", ": not JSON text in UTF-8 with numbers that can be read"),
        ("[" * 50_000, ": not JSON text in UTF-8 with numbers that can be read"),
        ('{"a": ' + "1" * 5000 + "}", ": not JSON text in UTF-8 with numbers that can be read"),
        (" " * (4 * 1024**2 + 1), ": larger than 4 MiB, so it is not the config.json of a model"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(tmp_path, content, message):
    path = tmp_path / "config.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RoofproofError) as caught:
        model(str(path))
    assert str(caught.value).startswith(f"{str(path)!r}") and ("JSON: " in message or message in str(caught.value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "which pass of the model? one of {}:prefill, {}:decode, {}:training"),
        ("{}:dec", "unknown pass of a model 'dec'; did you mean 'decode'?"),
        ("{}:decode,S=0", "S: expected a whole number from 1, got 0"),
        ("{}:decode,L=5", "unknown dimension of decode-step 'L'; known: B, S"),
        ("{}:decode,tensor=5", "tensor=5: 5 chips do not divide the 32 heads of llama-3.1-8b"),
        ("{}:decode,traffic=kernels,tensor=2", "tensor= and data= require traffic=fused"),
    ],
)
def test_a_pass_that_is_none_is_refused(text, message):
    path = str(FOLDER / "llama-3.1-8b.json")
    with pytest.raises(RoofproofError) as caught:
        op(text.replace("{}", path))
    assert str(caught.value).endswith(message.replace("{}", path))


def test_quantized_weights_need_their_format():
    path = FOLDER / "deepseek-v3.json"
    with pytest.raises(RoofproofError) as caught:
        op(f"{path}:prefill")
    said = "weights of deepseek-v3 are quantized ('fp8'); choose the weight format, such as w=fp8, w=mxfp4 or w=bf16"
    assert str(caught.value) == said
    assert op(f"{path}:prefill,w=fp8").bytes() < op(f"{path}:prefill,w=bf16").bytes()


@pytest.mark.parametrize("w", ["", ",w=mxfp4", ",w=int4/g128:bf16"])
def test_weights_in_two_formats_are_refused(w):
    with pytest.raises(RoofproofError) as caught:
        op(f"{FOLDER}/gpt-oss-20b.json:decode{w}")
    assert str(caught.value) == (
        "weights of gpt-oss-20b are quantized ('mxfp4'), but not model.layers.*.self_attn, model.layers.*.mlp.router, "
        "model.embed_tokens, lm_head; roofproof counts one format of weights, such as w=bf16 for all"
    )
    assert op(f"{FOLDER}/gpt-oss-20b.json:decode,w=bf16").flops != 0


# The default configurations of classes of transformers 5.24, with the parameters of the resulting module.
MADE = {
    "ministral3": ((34, 4096, 32, 8, 128, 14336, 131072), {}, 8_489_553_920),
    "smollm3": ((36, 2048, 16, 4, None, 11008, 128256), {"tie_word_embeddings": True}, 3_075_098_624),
    "seed_oss": ((64, 4096, 80, 8, 128, 27648, 155136), {"attention_bias": True}, 28_921_040_896),
    "glm4": ((40, 4096, 32, 2, 128, 13696, 151552), {"attention_bias": True}, 9_400_279_040),
    "olmo2": ((32, 4096, 32, 32, None, 11008, 50304), {}, 6_888_624_128),
    "ernie4_5": ((18, 1024, 16, 2, 128, 3072, 103424), {"tie_word_embeddings": True}, 360_748_032),
    "granite": ((32, 4096, 32, 32, None, 11008, 32000), {}, 6_738_415_616),
    "olmoe": ((16, 2048, 16, 16, None, 2048, 50304), {"num_experts_per_tok": 8, "num_experts": 64}, 13_361_612_800),
    "granitemoe": (
        (32, 4096, 32, 32, None, 11008, 32000),
        {"num_local_experts": 8, "num_experts_per_tok": 2},
        37_039_116_288,
    ),
}
KEYS = ("num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim",
        "intermediate_size", "vocab_size")  # fmt: skip


def written(tmp_path, table):
    (tmp_path / "config.json").write_text(json.dumps(table))
    return str(tmp_path / "config.json")


@pytest.mark.parametrize("kind", MADE)
def test_an_architecture_has_the_parameters_of_its_module(kind, tmp_path):
    sizes, more, exact = MADE[kind]
    given = {key: size for key, size in zip(KEYS, sizes, strict=True) if size is not None}
    path = written(tmp_path, {"model_type": kind, **given, **more})
    assert parameters(path) == exact
    assert {s.name for s in op(f"{path}:decode,w=bf16").dims} == {"B", "S"}


@pytest.mark.parametrize("part", ["text_config", "llm_config", "language_config"])
def test_the_language_model_of_one_with_several_parts_is_read(part, tmp_path):
    llama = json.loads((FOLDER / "llama-3.1-8b.json").read_text())
    tied = llama.pop("tie_word_embeddings")
    path = written(
        tmp_path, {"model_type": "seeing", part: llama, "tie_word_embeddings": tied, "vision_config": {"a": 1}}
    )
    assert parameters(path) == PUBLISHED["llama-3.1-8b"][0]


def test_what_a_text_config_leaves_out_is_as_its_class_has_it(tmp_path):
    """The published config.json of Gemma 3 4B has few sizes. The model has 4.0B parameters without the vision tower."""
    text = {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
            "sliding_window": 1024}  # fmt: skip
    assert 3_800_000_000 < parameters(written(tmp_path, {"model_type": "gemma3", "text_config": text})) < 4_000_000_000


def test_architectures_that_are_another_of_other_sizes(tmp_path):
    for kind, like in (("kimi_k2", "deepseek-v3"), ("qwen3_vl_text", "qwen3-8b"), ("qwen2_5_vl", "qwen2.5-7b")):
        table = json.loads((FOLDER / f"{like}.json").read_text()) | {"model_type": kind}
        assert parameters(written(tmp_path, table)) == PUBLISHED[like][0]


STORED = {
    "awq": {"quant_method": "awq", "bits": 4, "group_size": 128},
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 128},
    "fp8": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    "compressed-tensors": {"quant_method": "compressed-tensors"},
}
CACHES = [{"kv_cache_scheme": {"num_bits": 8, "type": "float"}}, {"kv_cache_quant_algo": "FP8"}]


@pytest.mark.parametrize("stored", STORED)
def test_quantized_weights_are_priced_in_no_format_that_nobody_said(tmp_path, stored):
    path = config(tmp_path, "llama-3.1-8b", quantization_config=STORED[stored])
    refused = rf"are quantized \('{stored}'\); choose the weight format"
    for text in (f"weights:{path}", f"{path}:decode", f"{path}:prefill", f"model-layer:{path}"):
        with pytest.raises(RoofproofError, match=refused):
            parse_operation(text)
    said = parse_operation(f"weights:{path},w=int4/g128:bf16").bytes()
    assert said == parameters(str(path)) * Rational(4 + Rational(16, 128), 8)
    assert (
        parse_operation(f"kv-cache:{path}").bytes() == parse_operation(f"kv-cache:{FOLDER}/llama-3.1-8b.json").bytes()
    )


@pytest.mark.parametrize("way", CACHES)
def test_quantized_keys_and_values_are_priced_in_no_format_that_nobody_said(tmp_path, way):
    path = config(tmp_path, "llama-3.1-8b", quantization_config=STORED["fp8"] | way)
    for text in (f"kv-cache:{path}", f"{path}:decode,w=fp8", f"{path}:prefill,w=fp8", f"decode-step:{path},w=fp8"):
        with pytest.raises(RoofproofError, match=f"stores its keys and values as {next(iter(way))} says"):
            parse_operation(text)
    whole = parse_operation(f"kv-cache:{FOLDER}/llama-3.1-8b.json").bytes()
    assert parse_operation(f"kv-cache:fp8,model={path}").bytes() == whole / 2
    assert parse_operation(f"{path}:decode,w=fp8,cache=fp8").bytes().expand().coeff(dimension("S")).coeff(
        dimension("B")
    ) == (whole / 2).expand().coeff(dimension("S")).coeff(dimension("B"))


def test_queries_without_a_latent_space_of_their_own(tmp_path):
    """If `q_lora_rank` is null, one matrix makes the queries, as in the smaller of the two published models."""
    path = config(tmp_path, "deepseek-v3", q_lora_rank=None)
    given = json.loads((FOLDER / "deepseek-v3.json").read_text())
    d, q, h, n = (given[key] for key in ("hidden_size", "q_lora_rank", "num_attention_heads", "num_hidden_layers"))
    e = h * (given["qk_nope_head_dim"] + given["qk_rope_head_dim"])
    low = d * q + q * e + q  # two matrices and the norm between them
    assert parameters(str(FOLDER / "deepseek-v3.json")) - parameters(str(path)) == n * (low - d * e)
    before, after = (at(parse_operation(f"{f}:decode,w=fp8"), B=1, S=64) for f in (FOLDER / "deepseek-v3.json", path))
    assert before.flops - after.flops == 2 * n * (d * q + q * e - d * e)


def test_the_gate_of_shared_experts_is_a_product(tmp_path):
    """Each token has one gate value for its shared experts, which takes 2 d FLOPs and d weights per layer."""
    given = dict(
        model_type="qwen2_moe", hidden_size=64, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
        intermediate_size=48, moe_intermediate_size=32, shared_expert_intermediate_size=96, num_experts=8,
        num_experts_per_tok=2, vocab_size=100, decoder_sparse_step=1, sliding_window=None, tie_word_embeddings=False,
    )  # fmt: skip
    path = tmp_path / "config.json"
    path.write_text(json.dumps(given))
    d, F, Z, heads = 64, 32, 96, 4 * 16
    attention = d * (heads + 2 * 32) + heads * d
    used = 3 * (attention + d * 8 + 3 * d * F * 2 + 3 * d * Z + d) + d * 100
    decode = at(parse_operation(f"{path}:decode"), B=1, S=10)
    assert decode.flops == 2 * used + 3 * 4 * heads * 10
    matrices = attention + d * 8 + 8 * 3 * d * F + 3 * d * Z + d
    assert parameters(str(path)) == 3 * (matrices + 2 * d + heads + 2 * 32) + 2 * 100 * d + d


def test_one_network_in_two_dialects_moves_the_same_bytes(tmp_path):
    given = json.loads((FOLDER / "llama-3.1-8b.json").read_text())
    half = {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 5.25}}
    path = tmp_path / "parts.json"
    path.write_text(json.dumps(dict(
        model_type="nemotron-nas", hidden_size=4096, num_attention_heads=32, num_hidden_layers=32, vocab_size=128256,
        intermediate_size=None, num_key_value_heads=None, tie_word_embeddings=False, block_configs=[half] * 32,
    )))  # fmt: skip
    assert given["intermediate_size"] == 14336 and parameters(str(path)) == parameters("llama-3-8b")
    one, other = (at(parse_operation(f"prefill:{m}"), B=1, L=2048) for m in ("llama-3-8b", str(path)))
    assert one.flops == other.flops
    assert one.bytes() == other.bytes()
