"""Formulas against the counters of JAX and PyTorch, if these are installed: `pytest -m frameworks`.

JAX's counts come from the compiler (`cost_analysis` on the CPU, in fp32, which it does not convert). It counts
2 FLOPs per multiply-add, n - 1 for a sum of n terms, and exponentials separately. Every operand and result of a
fused kernel is accessed once. PyTorch counts only matrix products and convolutions, and no bytes.
"""

import re
from math import prod
from pathlib import Path

import pytest

from roofproof.ops import at, backward, parse_operation

pytestmark = pytest.mark.frameworks

SIZES = {"B": 8, "D": 16, "F": 32, "N": 4, "L": 8, "h": 4, "k": 16}
IMAGE = {"N": 2, "C": 3, "K": 5, "P": 8, "Q": 8, "R": 3, "S": 3}


def framework(name, cure):
    return pytest.importorskip(name, reason=f"{name} is not installed; cure: pip install {cure}")


def sized(text, sizes=SIZES):
    operation = parse_operation(text)
    return at(operation, **{n: s for n, s in sizes.items() if n in {str(d) for d in operation.dims}})


def shapes(operation):
    return [tuple(map(int, t.shape)) for t in operation.reads]


def jax_cost(function, *arrays):
    """Return FLOPs, exponentials and bytes as the compiler counts them."""
    jax = framework("jax", "jax")
    given = [jax.ShapeDtypeStruct(shape, jax.numpy.float32) for shape in arrays]
    cost = jax.jit(function).lower(*given).compile().cost_analysis()
    return int(cost["flops"]), int(cost.get("transcendentals", 0)), int(cost["bytes accessed"])


@pytest.mark.parametrize(
    ("name", "einsum"),
    [
        ("matmul:fp32", "bd,df->bf"),
        ("batched-matmul:fp32", "nbd,ndf->nbf"),
        ("per-example-weights:fp32", "bd,bdf->bf"),
        ("matvec:fp32", "d,df->f"),
    ],
)
def test_jax_counts_products_and_bytes_as_the_library_does(name, einsum):
    jnp = framework("jax.numpy", "jax")
    operation = sized(name)
    flops, _, moved = jax_cost(lambda x, w: jnp.einsum(einsum, x, w), *shapes(operation))
    assert (flops, moved) == (operation.flops, operation.bytes())


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("add:fp32", lambda x, y: x + y),
        ("stream-triad:fp32", lambda b, c: b + 3 * c),
        ("stream-scale:fp32", lambda c: 3 * c),
    ],
)
def test_jax_counts_elementwise_kernels_as_the_library_does(name, function):
    operation = sized(name, {"N": 100})
    flops, _, moved = jax_cost(function, *shapes(operation))
    assert (flops, moved) == (operation.flops, operation.bytes())


@pytest.mark.parametrize("name", ["sum", "max"])
def test_jax_counts_reductions_exactly_and_moves_a_start_value(name):
    operation = sized(f"{name}:fp32")
    flops, _, moved = jax_cost(lambda x: getattr(x, name)(1), *shapes(operation))
    assert (flops, moved) == (operation.exact.flops, operation.bytes() + 4)


def test_jax_counts_a_softmax_between_the_exact_count_and_the_convention():
    jax = framework("jax", "jax")
    operation = sized("softmax:fp32")
    flops, exponentials, _ = jax_cost(jax.nn.softmax, *shapes(operation))
    assert exponentials == SIZES["B"] * SIZES["N"]
    least, most = (sum(each.compute.values()) for each in (operation.exact, operation))
    assert least <= flops + exponentials <= most


@pytest.mark.parametrize(("name", "groups"), [("convolution:fp32", 1), ("depthwise-convolution:fp32", 3)])
def test_jax_and_torch_count_convolutions_as_the_library_does(name, groups):
    operation = sized(name, IMAGE)
    image, kernel = shapes(operation)
    kernel = kernel if groups == 1 else (kernel[0], 1, *kernel[1:])
    jax = framework("jax", "jax")
    flops, _, moved = jax_cost(
        lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", feature_group_count=groups), image, kernel
    )
    assert flops == operation.flops
    assert moved >= operation.bytes()  # the compiler may copy an operand into another order
    torch = framework("torch", "torch")
    assert torch_flops(lambda x, w: torch.nn.functional.conv2d(x, w, groups=groups), image, kernel) == operation.flops


def test_jax_counts_a_sequence_and_unfused_attention_as_the_library_does():
    jnp = framework("jax.numpy", "jax")
    network = sized("ffn:fp32")
    flops, _, moved = jax_cost(lambda x, u, v: (x @ u) @ v, (8, 16), (16, 32), (32, 16))
    assert (flops, moved) == (network.flops, network.bytes())
    core = sized("attention-core:fp32,passes=2")  # scores written and read, without a softmax

    def attend(q, keys, values):
        return jnp.einsum("hls,hsk->hlk", jnp.einsum("hlk,hsk->hls", q, keys), values)

    flops, _, moved = jax_cost(attend, *[(4, 8, 16)] * 3)
    assert (flops, moved) == (core.flops, core.bytes())


def torch_flops(function, *arrays, gradients=False):
    torch = framework("torch", "torch")
    from torch.utils.flop_counter import FlopCounterMode

    given = [torch.empty(shape, device="meta", requires_grad=gradients) for shape in arrays]
    with FlopCounterMode(display=False) as counter:
        result = function(*given)
        if gradients:
            result.sum().backward()
    return counter.get_total_flops()


def test_torch_counts_products_forward_and_backward_as_the_library_does():
    framework("torch", "torch")
    for name in ("matmul", "batched-matmul"):
        operation = sized(name)
        both = operation.flops + sized(name).flops * 2
        assert torch_flops(lambda x, w: x @ w, *shapes(operation)) == operation.flops
        assert torch_flops(lambda x, w: x @ w, *shapes(operation), gradients=True) == both
        assert backward(parse_operation(name)).flops == 2 * parse_operation(name).flops


def test_torch_counts_attention_in_one_kernel_as_the_library_does():
    torch = framework("torch", "torch")
    attend = torch.nn.functional.scaled_dot_product_attention
    flash = sized("flash-attention")
    assert torch_flops(attend, *[(1, 4, 8, 16)] * 3) == flash.flops == 4 * prod((4, 8, 8, 16))
    unmasked = torch_flops(lambda *qkv: attend(*qkv, is_causal=True), *[(1, 4, 8, 16)] * 3)
    assert unmasked == flash.flops  # it also counts the pairs that a causal mask hides


def test_torch_counts_a_layer_as_the_library_does(tmp_path):
    """The layer is a small LLaMA layer: grouped heads, a gated network, and weights as in the released code."""
    torch = framework("torch", "torch")
    B, L, d, h, g, k, F = 2, 6, 16, 4, 2, 4, 24

    def layer(x, wq, wk, wv, wo, w1, w2, w3):
        q = (x @ wq).view(B, L, h, k).transpose(1, 2)
        keys, values = ((x @ w).view(B, L, g, k).transpose(1, 2).repeat_interleave(h // g, 1) for w in (wk, wv))
        core = torch.nn.functional.scaled_dot_product_attention(q, keys, values)
        x = core.transpose(1, 2).reshape(B, L, d) @ wo
        return (torch.nn.functional.silu(x @ w1) * (x @ w3)) @ w2

    from roofproof.ops.models import named

    text = (Path(named.__file__).parent / "llama-2-7b.toml").read_text()
    for key, size in (("layers", 1), ("d", d), ("heads", h), ("kv_heads", g), ("head", k), ("hidden", F)):
        text = re.sub(rf"^{key} = .*$", f"{key} = {size}", text, flags=re.MULTILINE)
    (tmp_path / "small.toml").write_text(text)
    assert named.model(f"{tmp_path}/small.toml").part("network").products["w_up"] == (d, F)
    operation = at(parse_operation(f"model-layer:fp32,model={tmp_path}/small.toml"), B=B, L=L)
    weights = [(d, h * k), (d, g * k), (d, g * k), (h * k, d), (d, F), (F, d), (d, F)]
    assert torch_flops(layer, (B, L, d), *weights) == operation.flops
    assert torch_flops(layer, (B, L, d), *weights, gradients=True) == 3 * operation.flops


def test_torch_counts_the_backward_pass_of_attention_as_five_products():
    framework("torch", "torch")
    from torch.utils.flop_counter import sdpa_backward_flop_count

    backward_pass = sized("flash-attention-backward")
    assert sdpa_backward_flop_count(*[(1, 4, 8, 16)] * 4) == backward_pass.flops == 5 * 2 * prod((4, 8, 8, 16))


def test_torch_counts_further_convolutions_as_the_library_does():
    torch = framework("torch", "torch")
    volume = dict(N=2, C=3, K=4, O=3, P=4, Q=2, R=2, S=3, T=2)
    operation = at(parse_operation("convolution-3d"), **volume)
    assert torch_flops(torch.nn.functional.conv3d, *shapes(operation)) == operation.flops
    spread = at(parse_operation("transposed-convolution"), N=2, C=3, K=4, H=5, W=3, R=3, S=2)
    assert torch_flops(torch.nn.functional.conv_transpose2d, *shapes(spread)) == spread.flops


def test_jax_counts_a_low_rank_update_as_the_library_does():
    jnp = framework("jax.numpy", "jax")
    sizes = dict(B=8, D=16, F=32, r=4)
    operation = at(parse_operation("x:fp32[B,D], a:fp32[D,r], b:fp32[r,F] -> y:fp32[B,F]"), **sizes)
    flops, _, _ = jax_cost(lambda x, a, b: jnp.matmul(jnp.matmul(x, a), b), *shapes(operation))
    assert flops == operation.flops
    other = at(parse_operation("x:fp32[B,D], (a:fp32[D,r], b:fp32[r,F]) -> y:fp32[B,F]"), **sizes)
    flops, _, _ = jax_cost(lambda x, a, b: jnp.matmul(x, jnp.matmul(a, b)), *shapes(other))
    assert flops == other.flops
