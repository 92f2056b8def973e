"""Layers and passes of models against PyTorch's FLOP counter, if it is installed: `pytest -m frameworks`.

Each is written here as usual in PyTorch, on tensors without data. The counter counts only matrix products.
"""

import pytest

from roofproof.ops import at, parse_operation

pytestmark = pytest.mark.frameworks

B, L, N, V, d, h, S, t = 2, 6, 3, 10, 16, 4, 9, 3  # batch, tokens, layers, vocabulary, width, heads, cache, new tokens


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed; cure: pip install torch")


def counted(torch, function, *shapes, gradients=False):
    from torch.utils.flop_counter import FlopCounterMode

    given = [torch.empty(shape, device="meta", requires_grad=gradients) for shape in shapes]
    with FlopCounterMode(display=False) as counter:
        result = function(*given)
        if gradients:
            result.sum().backward()
    return counter.get_total_flops()


def sized(name, **sizes):
    operation = parse_operation(name)
    return at(operation, **{n: s for n, s in sizes.items() if n in {str(x) for x in operation.dims}})


def block(torch, x, keys=None):
    """Return a layer of width d applied to tokens [B, L, d], which attend to `keys` cached keys if it is given."""
    weight = torch.empty((d, d), device="meta", requires_grad=x.requires_grad)
    up, down = (torch.empty(s, device="meta", requires_grad=x.requires_grad) for s in ((d, 4 * d), (4 * d, d)))
    q, k, v = ((x @ weight).view(x.shape[0], -1, h, d // h).transpose(1, 2) for _ in range(3))
    if keys is not None:
        k = v = torch.empty((x.shape[0], h, keys, d // h), device="meta")
    seen = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    x = seen.transpose(1, 2).reshape(x.shape) @ weight
    return torch.nn.functional.gelu(x @ up) @ down


def test_torch_counts_parts_of_a_layer_as_the_library_does(torch):
    attend = torch.nn.functional.scaled_dot_product_attention

    def gated(x, gate, up, down):
        return (torch.nn.functional.silu(x @ gate) * (x @ up)) @ down

    assert counted(torch, gated, (5, 7), (7, 3), (7, 3), (3, 7)) == sized("gated-ffn", B=5, D=7, F=3).flops

    def heads(x, *weights):
        q, k, v = ((x @ w).view(1, L, h, d // h).transpose(1, 2) for w in weights[:3])
        return attend(q, k, v).transpose(1, 2).reshape(L, d) @ weights[3]

    assert counted(torch, heads, (L, d), *[(d, d)] * 4) == sized("attention", L=L, d=d, h=h).flops
    one = sized("transformer-layer", L=L, d=d, h=h)
    assert counted(torch, lambda x: block(torch, x), (1, L, d)) == one.flops

    def latent(cache, q, up_keys, up_values, rotary):
        keys = torch.einsum("lc,chk->hlk", cache, up_keys)
        values = torch.einsum("lc,chv->hlv", cache, up_values)
        scores = torch.einsum("hle,hse->hls", q, torch.cat([keys, rotary], 2))
        return torch.einsum("hls,hsv->hlv", scores, values)

    sizes = dict(L=5, c=7, h=2, k=3, v=4, p=2)
    shapes = (5, 7), (2, 5, 5), (7, 2, 3), (7, 2, 4), (2, 5, 2)
    assert counted(torch, latent, *shapes) == sized("latent-prefill", **sizes).flops

    def ring(q, *blocks):  # each of n chips holds L/n queries, and sees every block of keys and values once
        return sum(attend(q, k, k).sum() for k in blocks)

    n = 3
    share = (1, h, L // n, 4)
    assert counted(torch, ring, *[share] * (n + 1)) == sized("ring-attention", h=h, L=L, k=4, n=n).flops


def test_torch_counts_passes_of_a_model_as_the_library_does(torch):
    sizes = dict(B=B, L=L, N=N, V=V, d=d, h=h, S=S)

    def through(x, keys=None, last=True):
        head = torch.empty((d, V), device="meta", requires_grad=x.requires_grad)
        for _ in range(N):
            x = block(torch, x, keys)
        return (x[:, -1] if last else x) @ head

    tokens, one = (B, L, d), (B, 1, d)
    assert counted(torch, lambda x: block(torch, x), tokens) == sized("model-layer", **sizes).flops
    ahead = counted(torch, through, tokens)
    assert ahead == sized("prefill", **sizes).flops
    assert counted(torch, lambda x: through(x, S), one) == sized("decode-step", **sizes).flops
    steps = [counted(torch, lambda x, k=k: through(x, k), one) for k in range(L + 1, L + t + 1)]
    assert ahead + sum(steps) == sized("generate", **sizes, t=t).flops
    every = counted(torch, lambda x: through(x, last=False), tokens, gradients=True)
    assert every == sized("training-step", **sizes).flops

    # Memory: a module with biases and norms as in GPT, with separate embedding and head, and cached keys and values.
    layer = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)]
    parts = sized("model-layer", **sizes).parts
    norms = sum(part.bytes() for part in parts if part.name == "norms and biases") / 2  # bf16
    inner = sum(torch.nn.Linear(*shape, bias=False, device="meta").weight.numel() for shape in layer)
    ends = 2 * torch.nn.Embedding(V, d, device="meta").weight.numel() + d
    assert sized("weights", **sizes).bytes() == 2 * (N * (inner + norms) + ends)
    caches = [torch.empty((B, S, h, d // h), device="meta") for _ in range(2 * N)]
    assert sized("kv-cache", B=B, N=N, S=S, g=h, k=d // h).bytes() == 2 * sum(map(torch.numel, caches))
