"""Language models: published parameter counts, FLOPs and bytes of a pass, and errors in model files."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from sympy import Integer, Min, Poly, Rational, limit, oo, simplify

import roofproof.ops.models as data
from roofproof.errors import RoofproofError
from roofproof.ops import at, backward, einsum, model, model_names, over, parse_operation, then
from roofproof.ops.library.language_model import active_parameters, parameters
from roofproof.symbols import dimension

B, L, S, N, d, h, t, V, k, E = map(dimension, ["B", "L", "S", "N", "d", "h", "t", "V", "k", "E"])
MODELS = model_names()
DENSE = [name for name in MODELS if not model(name).mixture]


def op(text):
    return parse_operation(text)


def part_flops(operation, *names):
    """Return the FLOPs of the parts whose names end in one of `names`."""
    return sum((p.flops for p in operation.parts if p.name.endswith(names)), Integer(0))


def agrees(exact, printed):
    """Return whether a number rounds to a printed one such as 6.74B."""
    digits = Fraction(printed.removesuffix("B"))
    unit = Fraction(1, 10 ** len(printed.removesuffix("B").partition(".")[2]))
    return abs(Fraction(int(exact), 10**9) - digits) <= unit / 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MODELS)
def test_parameters_agree_with_those_published(name):
    published = model(name).published
    assert published["source"] and model(name).source and model(name).title
    assert agrees(parameters(name), published["parameters"])
    if "active" in published:
        active = active_parameters(name, embedding=published.get("active_embedding", True))
        assert agrees(active, published["active"])
    else:
        assert active_parameters(name) == parameters(name)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("llama-2-7b", 6_738_415_616),
        ("llama-2-13b", 13_015_864_320),
        ("llama-2-70b", 68_976_648_192),
        ("llama-3-8b", 8_030_261_248),
        ("llama-3-70b", 70_553_706_496),
        ("llama-3-405b", 405_853_388_800),
        ("phi-3-mini", 3_821_079_552),
        ("mixtral-8x7b", 46_702_792_704),
        ("deepseek-v3", 671_026_419_200),
    ],
)
def test_parameters_are_those_of_the_released_weights(name, count):
    assert parameters(name) == count
    assert op(f"weights:{name}").bytes() == 2 * count
    assert op(f"weights:{name},int4").bytes() == Rational(count, 2)


def test_every_model_is_one_file():
    files = {p.stem for p in Path(data.__file__).parent.glob("*.toml")}
    assert files == set(MODELS) and len(files) >= 10


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["standard", *MODELS])
@pytest.mark.parametrize("what", ["prefill", "decode-step", "training-step", "prefill:mask=causal"])
def test_the_parts_of_a_pass_are_the_pass(name, what):
    entry, _, arguments = what.partition(":")
    whole = op(f"{entry}:{name}" + f",{arguments}" * bool(arguments))
    assert simplify(sum(p.flops for p in whole.parts) - whole.flops) == 0
    assert simplify(sum(p.exact.flops for p in whole.parts) - whole.exact.flops) == 0
    assert simplify(sum(p.bytes() for p in whole.parts) - whole.bytes()) == 0


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [name for name in ("standard", *MODELS) if name != "deepseek-v3"])
def test_a_pass_is_its_layers_and_its_ends(name):
    """DeepSeek-V3 is excluded, because it has two kinds of layers."""
    for what in ("full", "causal"):
        one, whole = op(f"model-layer:{name},mask={what}"), op(f"prefill:{name},mask={what}")
        head = next(p for p in whole.parts if p.name.endswith("head"))
        assert (whole.flops - model(name).layers * one.flops - head.flops).expand() == 0


def test_llama_2_7b_prefill_of_2048_tokens():
    """This is the standard convention: a GELU network of two matrices with F = 4 d, 32 layers and d = 4096."""
    prefill = at(op("prefill"), B=1, L=2048, N=32, d=4096)
    attention = part_flops(prefill, "qkv", "core", "output")
    assert attention == 10_995_116_277_760 and part_flops(prefill, "up", "down") == 17_592_186_044_416
    assert attention / (attention + part_flops(prefill, "up", "down")) == Rational(5, 13)


def test_the_share_of_attention_comes_out_of_the_sums():
    prefill = op("prefill")
    attention = part_flops(prefill, "qkv", "core", "output")
    share = attention / (attention + part_flops(prefill, "up", "down"))
    assert simplify(share - (2 * d + L) / (6 * d + L)) == 0
    assert share.subs(L, d / 2).simplify() == Rational(5, 13)
    assert [limit(share, L, 0), share.subs(L, d).simplify(), limit(share, L, oo)] == [Rational(1, 3), Rational(3, 7), 1]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["standard", "llama-2-7b", "llama-3-70b", "gpt-3", "mixtral-8x7b"])
def test_generated_tokens_are_the_sum_of_their_steps(name):
    generate, prefill, step = op(f"generate:{name}"), op(f"prefill:{name}"), op(f"decode-step:{name}")
    by_hand = [prefill, *(at(step, S=L + i) for i in range(1, 6))]
    five = at(generate, t=5)
    assert (five.flops - sum(one.flops for one in by_hand)).expand() == 0
    assert simplify(five.bytes() - sum(one.bytes() for one in by_hand)) == 0
    assert op(f"generate:{name},tokens=5").bytes().equals(five.bytes())


@pytest.mark.parametrize("name", ["standard", "llama-2-70b", "gpt-3"])
def test_a_causal_prefill_is_decoding_token_by_token(name):
    """The attention core of a causal prefill is the sum of the cores of L decode steps over 1 to L keys."""
    step = next(p for p in op(f"decode-step:{name}").parts if p.name.endswith("core"))
    assert (part_flops(op(f"prefill:{name},mask=causal"), "core") - over(step, "S", 1, "L").flops).expand() == 0


@pytest.mark.parametrize("name", DENSE)
def test_decode_intensity_is_near_one_whatever_the_model(name):
    """At B = 1 in fp16 there are 2 FLOPs per weight of 2 bytes, and the intensity is below one by a known part."""
    step = at(op(f"decode-step:{name},fp16"), B=1)
    intensity = (step.flops / step.bytes()).subs(S, 1)
    assert Rational(99, 100) < intensity < 1
    matrices = (step.flops.subs(S, 0)) / 2
    assert 0 <= (parameters(name) - matrices) / parameters(name) < Rational(7, 100)


def test_decode_intensity_tends_to_one_with_its_error():
    """1 - I comes from the bytes other than weights: it is (36 d + ...)/(24 d^2 + ...), below 2/d."""
    step = at(op("decode-step:fp16"), B=1, S=1, V="d")
    intensity = simplify(step.flops / step.bytes())
    assert limit(intensity, d, oo) == 1
    top, bottom = (1 - intensity).together().as_numer_denom()
    assert Poly(top, d).degree() == Poly(bottom, d).degree() - 1
    assert limit((1 - intensity) * d, d, oo).subs(N, 32) < 2
    for size in (1024, 4096, 16384):
        assert 0 < (1 - intensity).subs({d: size, N: 32}) < Rational(2, size)


def test_batch_shares_weights_and_not_the_cache():
    """Each sequence has its own cache, so with many keys the intensity of grouped heads limits that of the step."""
    step = op("decode-step:llama-2-70b")
    core = next(p for p in step.parts if p.name.endswith("core"))
    assert simplify(core.flops / core.bytes() - 8 * S / (S + 8)) == 0
    assert limit((step.flops / step.bytes()).subs(B, 1), S, oo) == 8
    assert op("kv-cache:llama-2-70b").bytes() == 2 * 2 * 80 * 8 * 128 * B * S
    assert op("kv-cache:llama-2-7b").bytes() / op("kv-cache:llama-3-8b").bytes() == 4
    read = next(p for p in op("decode-step:llama-2-70b").parts if p.name.endswith("core"))
    cached = sum(x.traffic for x in read.reads if x.name in ("keys", "values"))
    assert cached == op("kv-cache:llama-2-70b").bytes()


def test_the_latent_cache_serves_all_heads():
    assert op("kv-cache:deepseek-v3").bytes() == 2 * 61 * (512 + 64) * B * S
    core = op("latent-attention")
    c, p = dimension("c"), dimension("p")
    assert simplify(limit(core.flops / core.bytes(), S, oo) - h * (2 * c + p) / (c + p)) == 0
    expanded, absorbed = op("prefill:deepseek-v3"), op("decode-step:deepseek-v3")
    linear = sum(q.flops for q in expanded.parts if not q.name.endswith(("core", "head")))
    step = sum(q.flops for q in absorbed.parts if not q.name.endswith(("core", "head")))
    assert (linear - L * step).expand() == 0  # the products with weights cost the same either way


def test_experts_are_counted_as_chosen_and_read_as_touched():
    moe = op("mixture-of-experts")
    D, F = dimension("D"), dimension("F")
    one = op("gated-ffn").flops
    assert (moe.flops - (k * one + 2 * B * D * E)).expand() == 0
    weights = {x.name: x for x in op("mixture-of-experts:touched=most").reads}
    assert weights["w_gate"].elements == E * D * F and weights["w_gate"].times == Min(E, B * k) / E
    every, least = (op(f"mixture-of-experts:touched={x}").bytes() for x in ("all", "least"))
    assert (every - least - 6 * D * F * (E - k)).expand() == 0
    one_of_one = at(moe, E=1, k=1)
    assert (one_of_one.flops - one - 2 * B * D).expand() == 0
    step = op("decode-step:mixtral-8x7b")
    assert at(step, B=1).bytes() == op("decode-step:mixtral-8x7b,touched=least").bytes().subs(B, 1)
    assert at(step, B=64).bytes() == op("decode-step:mixtral-8x7b,touched=all").bytes().subs(B, 64)


def test_training_is_three_forward_passes_and_six_flops_a_parameter_and_token():
    step = op("training-step")
    assert (step.flops - 3 * (24 * N * d**2 + 4 * L * N * d + 2 * V * d) * B * L).expand() == 0
    per_token = (op("training-step:llama-2-70b").flops / (B * L)).expand().subs(L, 0)
    assert 0 < 1 - per_token / (6 * parameters("llama-2-70b")) < Rational(1, 200)
    assert simplify(op("training-step:recompute=all").flops / step.flops) == Rational(4, 3)


def test_the_optimiser_moves_28_bytes_a_parameter():
    P = dimension("P")
    assert op("adam").bytes() == (2 + 12 + 12 + 2) * P
    step = next(p for p in op("training-step:llama-2-7b").parts if p.name == "adam")
    assert step.bytes() == 28 * parameters("llama-2-7b") and step.flops == 0


def test_backward_doubles_the_flops_of_every_sequence_of_products():
    for name in ("ffn", "matmul", "batched-matmul"):
        assert (backward(op(name)).flops - 2 * op(name).flops).expand() == 0
    chain = then(einsum("x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]", "up"), op("ffn"))
    assert backward(chain).flops == 2 * chain.flops


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "prefill:llama-2-7",
            "unknown model 'llama-2-7'; did you mean 'llama-2-7b' or 'llama-2-70b' or 'llama-3-70b'?",
        ),
        ("weights:LLaMA_2 7b,int9", "unknown number format 'int9'; did you mean 'int8' or 'int4' or 'int2'?"),
        ("prefill:gpt-3,mask=triangle", "unknown mask 'triangle'; known: causal, full"),
        ("training-step:recompute=some", "unknown recompute 'some'; known: all, none"),
        ("generate:tokens=0", "tokens: expected a whole number from 1, got 0"),
        ("softmax:passes=0", "passes: expected a whole number from 1, got 0"),
        (
            "prefill:absent.toml",
            "cannot read model file 'absent.toml': No such file or directory; see `roofproof show operations`",
        ),
        ("mixture-of-experts:touched=2x", "touched: expected a whole number, got '2x'"),
    ],
)
def test_refused(text, message):
    with pytest.raises(RoofproofError) as caught:
        parse_operation(text)
    assert str(caught.value) == message


def test_a_file_of_ones_own(tmp_path):
    text = (Path(data.__file__).parent / "mixtral-8x7b.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace("layers = 32", "layers = 16"))
    assert model(str(tmp_path / "mine.toml")).layers == 16
    assert op(f"kv-cache:{tmp_path}/mine.toml").bytes() == 2 * 2 * 16 * 8 * 128 * B * S


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("layers =", "lyers =", "model 'mine': unknown key 'lyers'; did you mean 'layers'?"),
        ("layers = 32\n", "", "model 'mine': layers is missing"),
        ("layers = 32", "layers = 0", "model 'mine': layers must be a whole number from 1; got '0'"),
        ("layers = 32", "layers = 32.0", "model 'mine': layers must be a whole number from 1; got '32.0'"),
        ("gated = true", "gated = 1", "model 'mine': gated must be true or false; got '1'"),
        ('norm = "rms"', 'norm = "batch"', "model 'mine': norm is 'rms' or 'layer', not 'batch'"),
        ("kv_heads = 8", "kv_heads = 5", "model 'mine': 5 kv_heads do not divide 32 heads"),
        ("chosen = 2", "chosen = 9", "model 'mine': 9 experts are chosen of 8"),
        ("chosen = 2", "dense_layers = 1", "model 'mine', [experts]: chosen is missing"),
        ("chosen = 2", "chosen = 2\ndense_layers = 32", "model 'mine': 32 of 32 layers are dense, so none has experts"),
        ("chosen = 2", "chosn = 2", "model 'mine', [experts]: unknown key 'chosn'; did you mean 'chosen' or 'count'?"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path, old, new, message):
    text = (Path(data.__file__).parent / "mixtral-8x7b.toml").read_text()
    assert len(re.findall(re.escape(old), text)) == 1 or old == "layers ="
    (tmp_path / "mine.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(RoofproofError) as caught:
        model(str(tmp_path / "mine.toml"))
    assert str(caught.value) == message
