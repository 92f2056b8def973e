"""Realistic PyTorch modules and functions, with FLOPs and bytes counted by hand."""

# ruff: noqa: E741 (sizes have their usual names)

from __future__ import annotations

import math

import pytest
from cases import Case

torch = pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

E, V, I, L = "exp", "fp32-vector", "int32-vector", "int64-vector"


class MLP(nn.Module):
    def __init__(self, d: int, f: int):
        super().__init__()
        self.up, self.down, self.norm = nn.Linear(d, f), nn.Linear(f, d), nn.LayerNorm(d)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class SwiGLU(nn.Module):
    def __init__(self, d: int, f: int):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((d, f), (d, f), (f, d)))

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Norm(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Attention(nn.Module):
    """Attention whose heads share keys and values, as a single operator."""

    def __init__(self, d: int, g: int, r: int, k: int):
        super().__init__()
        self.g, self.r, self.k = g, r, k
        self.q, self.o = nn.Linear(d, g * r * k, bias=False), nn.Linear(g * r * k, d, bias=False)
        self.kv = nn.Linear(d, 2 * g * k, bias=False)

    def forward(self, x):
        B, T, _ = x.shape
        q = self.q(x).view(B, T, self.g * self.r, self.k).transpose(1, 2)
        k, v = self.kv(x).view(B, T, 2, self.g, self.k).unbind(2)
        y = F.scaled_dot_product_attention(q, k.transpose(1, 2), v.transpose(1, 2), enable_gqa=True)
        return self.o(y.transpose(1, 2).reshape(B, T, -1))


class Block(nn.Module):
    def __init__(self, d: int, g: int, r: int, k: int, f: int):
        super().__init__()
        self.first, self.second = Norm(d), Norm(d)
        self.attention, self.mlp = Attention(d, g, r, k), SwiGLU(d, f)

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Stack(nn.Module):
    """A model in the style of Hugging Face: an embedding table, a list of layers and a head."""

    def __init__(self, layers: int, d: int, g: int, r: int, k: int, f: int, vocabulary: int):
        super().__init__()
        self.table = nn.Embedding(vocabulary, d)
        self.layers = nn.ModuleList(Block(d, g, r, k, f) for _ in range(layers))
        self.norm, self.head = Norm(d), nn.Linear(d, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.table(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class LoRA(nn.Module):
    def __init__(self, d: int, f: int, r: int):
        super().__init__()
        self.base, self.a, self.b = (nn.Linear(m, n, bias=False) for m, n in ((d, f), (d, r), (r, f)))

    def forward(self, x):
        return self.base(x) + self.b(self.a(x))


class Experts(nn.Module):
    """A mixture in which each token uses every expert, weighted by a router."""

    def __init__(self, d: int, f: int, e: int):
        super().__init__()
        self.router = nn.Linear(d, e, bias=False)
        self.up, self.down = nn.Parameter(torch.empty(e, d, f)), nn.Parameter(torch.empty(e, f, d))

    def forward(self, x):
        weights = torch.softmax(self.router(x), -1)
        h = torch.relu(torch.einsum("bd,edf->ebf", x, self.up))
        return (torch.einsum("ebf,efd->ebd", h, self.down) * weights.t().unsqueeze(-1)).sum(0)


def scores(q, k, v):
    return torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(k.shape[-1]), -1) @ v


def flash(q, k, v):
    with torch.profiler.record_function("kernel:flash"):
        return scores(q, k, v)


def causal(q, k, v):
    s = q @ k.transpose(-1, -2)
    return torch.softmax(s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), -torch.inf), -1) @ v


def decode(cache, new, q):
    cache[:, 0] = new
    return torch.softmax(torch.einsum("bk,bsk->bs", q, cache), -1)


def rotary(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


def training(x, w1, w2, target):
    for w in (w1, w2):
        w.requires_grad_()
    F.mse_loss(torch.relu(x @ w1) @ w2, target).backward()


def checkpointed(x, w1, w2):
    from torch.utils.checkpoint import checkpoint

    for w in (w1, w2):
        w.requires_grad_()
    y = checkpoint(lambda x: torch.relu(x @ w1), x, use_reentrant=False) @ w2
    return torch.autograd.grad(y.sum(), (w1, w2))


def attention_gradient(q, k, v):
    for t in (q, k, v):
        t.requires_grad_()
    return torch.autograd.grad(F.scaled_dot_product_attention(q, k, v).sum(), (q, k, v))


def convolution_gradient(x, w, b):
    for t in (x, w, b):
        t.requires_grad_()
    y = F.conv2d(x, w, b, stride=2)
    return y, torch.autograd.grad(y.sum(), (x, w, b))


def momentum(w, m, g):
    m.mul_(0.9).add_(g, alpha=0.1)
    w.sub_(m, alpha=0.01)


HEADS = "q:bf16[B,h,T,k], k:bf16[B,h,S,k], v:bf16[B,h,S,k]"
CASES = [
    Case("dot", lambda x, y: x @ y, "x:fp32[N], y:fp32[N]", {"fp32": "2 N"}, "8 N + 4"),
    Case("dot-complex", lambda x, y: torch.vdot(x, y), "x:complex64[N], y:complex64[N]", {"fp32": "8 N"}, "16 N + 8"),
    Case("linear", nn.Linear, "in_features=D, out_features=F, input:bf16[B,D]", {"bf16": "2*B*D*F", V: "B*F"},
         "2*B*D + 2*D*F + 2*F + 2*B*F"),
    Case("mlp", MLP, "d=D, f=F, x:bf16[B,D]", {"bf16": "4*B*D*F", E: "B*F + B", V: "9*B*D + 5*B*F + B"},
         "4*B*D + 4*D*F + 6*D + 2*F"),
    Case("swiglu", SwiGLU, "d=D, f=F, x:bf16[B,D]", {"bf16": "6*B*D*F", E: "B*F", V: "2*B*F"}, "4*B*D + 6*D*F"),
    Case("rms norm", Norm, "d=D, x:bf16[B,D]", {E: "B", V: "4*B*D + B"}, "4*B*D + 2*D"),
    Case("layer norm", nn.LayerNorm, "normalized_shape=D, input:fp32[B,D]", {E: "B", V: "7*B*D + B"}, "8*B*D + 8*D"),
    Case("grouped attention", Attention, "d=d, g=g, r=r, k=k, x:bf16[B,T,d]",
         {"bf16": "4*B*T*d*g*r*k + 4*B*T*d*g*k + 4*B*T^2*g*r*k", E: "B*T^2*g*r", V: "5*B*T^2*g*r - 2*B*T*g*r"},
         "4*B*T*d + 4*d*g*r*k + 4*d*g*k"),
    Case("block", Block, "d=d, g=g, r=r, k=k, f=F, x:bf16[B,T,d]",
         {"bf16": "4*B*T*d*g*r*k + 4*B*T*d*g*k + 4*B*T^2*g*r*k + 6*B*T*d*F", E: "B*T^2*g*r + B*T*F + 2*B*T",
          V: "5*B*T^2*g*r - 2*B*T*g*r + 2*B*T*F + 10*B*T*d + 2*B*T"},
         "4*B*T*d + 4*d*g*r*k + 4*d*g*k + 6*d*F + 4*d"),
    Case("lora", LoRA, "d=D, f=F, r=r, x:bf16[B,D]", {"bf16": "2*B*D*F + 2*B*r*(D + F)", V: "B*F"},
         "2*B*D + 2*D*F + 2*r*(D + F) + 2*B*F"),
    Case("experts", Experts, "d=D, f=F, e=E, x:bf16[B,D]",
         {"bf16": "4*B*D*F*E + 2*B*D*E", E: "B*E", V: "B*F*E + 4*B*E - 2*B + B*D*E + B*D*(E - 1)"},
         "4*B*D + 4*D*F*E + 2*D*E"),
    Case("scores", scores, HEADS, {"bf16": "4*B*h*T*S*k", E: "B*h*T*S", V: "5*B*h*T*S - 2*B*h*T"},
         "4*B*h*T*k + 4*B*h*S*k"),
    Case("flash", flash, HEADS, {"bf16": "4*B*h*T*S*k", E: "B*h*T*S", V: "5*B*h*T*S - 2*B*h*T"},
         "4*B*h*T*k + 4*B*h*S*k"),
    Case("causal", causal, "q:fp32[T,k], k:fp32[T,k], v:fp32[T,k]", {"fp32": "4*T^2*k", E: "T^2", V: "5*T^2 - 2*T"},
         "16*T*k"),
    Case("attention gradient", attention_gradient, HEADS,
         {"bf16": "14*B*h*T*S*k", E: "2*B*h*T*S", V: "10*B*h*T*S - 3*B*h*T + 2*B*h*T*k"}, "4*B*h*T*k + 8*B*h*S*k"),
    Case("multi-head attention", nn.MultiheadAttention,
         "embed_dim=h*k, num_heads=h, batch_first=1, query:bf16[B,L,h*k], key:bf16[B,S,h*k], value:bf16[B,S,h*k]",
         {"bf16": "4*B*(L + S)*h^2*k^2 + 4*B*L*S*h*k", E: "B*L*S*h",  # attention weights are averaged over heads
          V: "3*B*L*h*k + 2*B*S*h*k + 5*B*L*S*h - 2*B*L*h"},
         "4*B*L*h*k + 4*B*S*h*k + 8*h^2*k^2 + 8*h*k + 2*B*L*S"),
    Case("decode", decode, "cache:bf16[B,S,k], new:bf16[B,k], q:bf16[B,k]",
         {"bf16": "2*B*S*k", E: "B*S", V: "4*B*S - 2*B"}, "2*B*(S - 1)*k + 6*B*k + 2*B*S"),
    Case("rotary", rotary, "x:bf16[B,L,2*p], cos:bf16[L,p], sin:bf16[L,p]", {V: "6*B*L*p"}, "8*B*L*p + 4*L*p"),
    Case("embedding", lambda table, i: table[i], "table:bf16[V,D], i:int64[T]", {}, "8*T + 4*T*D", "V >= T"),
    Case("embedding layer", nn.Embedding, "num_embeddings=V, embedding_dim=D, input:int64[T]", {}, "8*T + 8*T*D",
         "V >= T"),
    Case("conv1d", nn.Conv1d, "in_channels=C, out_channels=K, kernel_size=3, input:fp32[N,C,H]",
         {"fp32": "6*N*C*K*(H - 2)", V: "N*K*(H - 2)"}, "4*N*C*H + 12*C*K + 4*K + 4*N*K*(H - 2)", "H >= 3"),
    Case("conv2d", lambda x, w: F.conv2d(x, w, padding=1), "x:bf16[N,C,H,Q], w:bf16[K,C,3,3]",
         {"bf16": "2*N*C*K*(3*H - 2)*(3*Q - 2)"}, "2*N*C*H*Q + 18*C*K + 2*N*K*H*Q", "H >= 3; Q >= 3"),
    Case("depthwise", lambda x, w: F.conv2d(x, w, groups=4), "x:bf16[N,4,H,Q], w:bf16[4,1,3,3]",
         {"bf16": "72*N*(H - 2)*(Q - 2)"}, "8*N*H*Q + 72 + 8*N*(H - 2)*(Q - 2)", "H >= 3; Q >= 3"),
    Case("convolution gradient", convolution_gradient, "x:fp32[N,C,2*P+1,2*Q+1], w:fp32[K,C,3,3], b:fp32[K]",
         {"fp32": "54*N*C*K*P*Q", V: "N*K*P*Q + K*(N*P*Q - 1)"},  # forward and two gradients, the bias and its gradient
         "8*N*C*(2*P + 1)*(2*Q + 1) + 72*C*K + 8*K + 4*N*K*P*Q"),
    Case("transposed", nn.ConvTranspose2d,
         "in_channels=C, out_channels=K, kernel_size=2, stride=2, input:fp32[N,C,H,Q]",
         {"fp32": "8*N*C*K*H*Q", V: "4*N*K*H*Q"}, "4*N*C*H*Q + 16*C*K + 4*K + 16*N*K*H*Q"),
    Case("max pool", nn.MaxPool2d, "kernel_size=2, input:fp32[N,C,H,Q]", {V: "3*N*C*a*b"}, "20*N*C*a*b",
         "H = 2*a; Q = 2*b"),
    Case("nearest", lambda x: F.interpolate(x, scale_factor=2), "x:fp32[N,C,H,Q]", {}, "20*N*C*H*Q"),
    Case("bilinear", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), "x:fp32[N,C,H,Q]",
         {V: "36*N*C*H*Q + 14*H + 14*Q"}, "20*N*C*H*Q"),  # 3 times 3 per element, 7 per row and column for its weight
    Case("softmax", lambda x: torch.softmax(x, -1), "x:fp32[B,N]", {E: "B*N", V: "4*B*N - 2*B"}, "8*B*N"),
    Case("cross entropy", lambda x, y: F.cross_entropy(x, y), "x:fp32[B,C], y:int64[B]",
         {E: "B*C + B", V: "B*(4*C - 2) + 2*B"}, "4*B*C + 8*B + 4"),
    Case("gelu", lambda x: F.gelu(x), "x:fp32[N]", {E: "N", V: "4*N"}, "8*N"),
    Case("dropout", lambda x: F.dropout(x, 0.5), "x:fp32[N]", {V: "3*N", I: "49*N/2"}, "8*N"),
    Case("training", training, "x:fp32[B,D], w1:fp32[D,F], w2:fp32[F,D], target:fp32[B,D]",
         {"fp32": "10*B*D*F", V: "2*B*F + B*F + 3*B*D"}, "8*B*D + 16*D*F"),
    Case("checkpointed", checkpointed, "x:fp32[B,D], w1:fp32[D,F], w2:fp32[F,D]",
         {"fp32": "10*B*D*F", V: "4*B*F"}, "4*B*D + 16*D*F"),
    Case("momentum", momentum, "w:fp32[N], m:fp32[N], g:fp32[N]", {V: "5*N"}, "20*N"),
    Case("batch", torch.vmap(lambda a, w: w @ a, in_dims=(0, None)), "a:bf16[B,D], w:bf16[F,D]", {"bf16": "2*B*D*F"},
         "2*B*D + 2*D*F + 2*B*F"),
    Case("scatter", lambda x, i, s: x.scatter_add(0, i, s), "x:fp32[V], i:int64[T], s:fp32[T]", {V: "T"},
         "8*V + 12*T"),
    Case("sort", lambda x: x.topk(3)[0], "x:fp32[B,V]", {}, "4*B*V + 12*B"),
    Case("recurrent", nn.LSTM, "input_size=4, hidden_size=6, input:fp32[5,B,4]",
         {"fp32": "2400*B", E: "150*B", V: "480*B"}, "248*B + 1152"),
]  # fmt: skip
