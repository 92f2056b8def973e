"""A floor is a lower bound: random programs with random values never need fewer bytes or FLOPs than it has."""

import inspect
import random
from types import SimpleNamespace

import pytest
from functions import jax, jnp

from roofproof import trace
from roofproof.trace.aten.reference import trace_reference

np = pytest.importorskip("numpy")
pytestmark = pytest.mark.frameworks
torch = pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
F = torch.nn.functional
N, D = 6, 4
KINDS = [
    "exp", "exp", "taken", "taken", "masked", "where", "times", "slice", "slice", "twice", "mean", "running", "back",
    "rows", "turns", "window", "conv", "norm", "solved",
]  # fmt: skip


class Needed:
    """An array whose elements are the sets of addresses and exponentials that they depend on."""

    def __init__(self, sets):
        self.sets, self.shape = sets, sets.shape

    def __getitem__(self, key):
        return Needed(self.sets[key])

    def __mul__(self, number):
        return self

    def __add__(self, other):
        return Needed(union(self.sets, other.sets))

    def sum(self, axis):
        return Needed(union.reduce(self.sets, axis))

    def cumsum(self, axis):
        return Needed(union.accumulate(self.sets, axis))

    def flip(self):
        return Needed(self.sets[::-1])


union = np.frompyfunc(lambda a, b: a | b, 2, 1)


class OfTorch:
    """The functions that a program calls, in PyTorch."""

    exp, where = staticmethod(torch.exp), staticmethod(torch.where)

    def times(self, x, mask):
        return x * mask

    def flip(self, x):
        return torch.flip(x, (0,))

    def softmax(self, x):
        return torch.softmax(x, 1)

    def window(self, x, taps, step):
        return F.max_pool2d(x[None], (taps, 1), (step, 1))[0]

    def convolved(self, x):
        return F.conv1d(x.T[:, None], torch.ones(1, 1, 3), padding=1)[:, 0].T

    def norm(self, x):
        return F.layer_norm(x, (D,))

    def solved(self, x):
        return torch.linalg.solve_triangular(torch.tril(torch.ones(x.shape[0], x.shape[0])), x, upper=False)

    def turns(self, x):
        made, carry = [], x[0]
        for row in x:
            carry = carry + row
            made.append(carry * 2)
        return torch.stack(made)


class OfJax:
    """The functions that a program calls, in JAX."""

    exp, where = staticmethod(jnp.exp), staticmethod(jnp.where)

    def times(self, x, mask):
        return x * mask

    def flip(self, x):
        return x[::-1]

    def softmax(self, x):
        return jax.nn.softmax(x, 1)

    def window(self, x, taps, step):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (taps, 1), (step, 1), "VALID")

    def convolved(self, x):
        return jax.lax.conv(x.T[:, None], jnp.ones((1, 1, 3)), (1,), "SAME")[:, 0].T

    def norm(self, x):
        apart = x - x.mean(1, keepdims=True)
        return apart * jax.lax.rsqrt((apart * apart).mean(1, keepdims=True) + 1e-5)

    def solved(self, x):
        return jax.scipy.linalg.solve_triangular(jnp.tril(jnp.ones((x.shape[0], x.shape[0]))), x, lower=True)

    def turns(self, x):
        def turn(carry, row):
            return carry + row, (carry + row) * 2

        return jax.lax.scan(turn, x[0], x)[1]


class Counting:
    """The same functions on `Needed` arrays. A selection needs only the chosen operand, and nothing counts twice."""

    def __init__(self):
        self.made = {}

    def exp(self, x, of=""):
        number, _ = self.made.setdefault((of, id(x)), (len(self.made), x))
        ids = np.arange(x.sets.size).reshape(x.shape)
        return Needed(np.frompyfunc(lambda s, k: s | {("exp", number, k)}, 2, 1)(x.sets, ids))

    def times(self, x, mask):
        return self.where(mask, x, 0.0)

    def flip(self, x):
        return x.flip()

    def softmax(self, x):
        return Needed(np.broadcast_to(union.reduce(self.exp(x, "rows").sets, 1, keepdims=True), x.shape))

    def window(self, x, taps, step):
        rows = range((x.shape[0] - taps) // step + 1)
        return Needed(np.array([union.reduce(x.sets[i * step : i * step + taps], 0) for i in rows]))

    def convolved(self, x):
        n = x.shape[0]
        return Needed(np.array([union.reduce(x.sets[max(i - 1, 0) : min(i + 2, n)], 0) for i in range(n)]))

    def norm(self, x):
        """Return rows that each need one root of the whole row."""
        number, _ = self.made.setdefault(("norm", id(x)), (len(self.made), x))
        rows = union.reduce(x.sets, 1)
        return Needed(np.broadcast_to([[row | {("exp", number, i)}] for i, row in enumerate(rows)], x.shape))

    def solved(self, x):
        return x.cumsum(0)

    def turns(self, x):
        return x.cumsum(0)

    def where(self, mask, x, y):
        others = np.full(mask.shape, frozenset()) if isinstance(y, float) else y.sets
        return Needed(np.where(np.broadcast_to(mask, x.shape), x.sets, others))


def programs(seed, many):
    """Yield (steps, slice of the last array). Each step adds an array of D columns to a list that starts at x[N, D]."""
    dice = random.Random(seed)
    for _ in range(many):
        steps, rows = [], [N]
        for _ in range(dice.randint(1, 6)):
            k = dice.randrange(len(rows))
            kind = dice.choice(KINDS)
            if kind == "taken":
                many_rows = dice.randint(1, N)
                extra = [dice.choice([0, dice.randrange(rows[k])]) for _ in range(many_rows)]
            elif kind in ("masked", "where", "times"):
                extra, many_rows = [[dice.random() < dice.choice([0, 0.5, 1]) for _ in range(D)]] * rows[k], rows[k]
            elif kind == "window":
                extra = dice.randint(1, rows[k]), dice.randint(1, 3)
                many_rows = (rows[k] - extra[0]) // extra[1] + 1
            else:
                extra, many_rows = dice.randrange(rows[k]), rows[k]
                many_rows = rows[k] - extra if kind == "slice" else many_rows
            steps.append((kind, k, dice.choice([i for i, n in enumerate(rows) if n == rows[k]]), extra))
            rows.append(many_rows)
        start = dice.randrange(rows[-1])
        yield steps, slice(start, dice.randint(start + 1, rows[-1]))


def done(lib, steps, x, chosen, cut):
    """Run the steps on x. `chosen` has the indices and masks."""
    arrays, chosen = [x], iter(chosen)
    for kind, k, other, extra in steps:
        a, b = arrays[k], arrays[other]
        if kind == "exp":
            made = lib.exp(a)
        elif kind == "taken":
            made = a[next(chosen)]
        elif kind == "masked":
            made = lib.where(next(chosen), a, 0.0)
        elif kind == "where":
            made = lib.where(next(chosen), a, b)
        elif kind == "times":
            made = lib.times(a, next(chosen))
        elif kind == "slice":
            made = a[extra:]
        elif kind == "twice":
            made = a + b
        elif kind == "mean":
            made = a + a.sum(0)[None] * 0.5
        elif kind == "back":
            made = lib.flip(lib.flip(a).cumsum(0))
        elif kind == "rows":
            made = lib.softmax(a)
        elif kind == "turns":
            made = lib.turns(a)
        elif kind == "window":
            made = lib.window(a, *extra)
        elif kind == "conv":
            made = lib.convolved(a)
        elif kind == "norm":
            made = lib.norm(a)
        elif kind == "solved":
            made = lib.solved(a)
        else:
            made = a.cumsum(0)
        arrays.append(made)
    return arrays[-1][cut], arrays[-2][:1]


def check(library, seed, many):
    front, of_library = (trace.torch, OfTorch()) if library is torch else (trace.jax, OfJax())
    for steps, cut in programs(seed, many):
        values = [(kind, extra) for kind, _, _, extra in steps if kind in ("taken", "masked", "where", "times")]
        chosen = [np.array(extra) for _, extra in values]
        addresses = np.frompyfunc(lambda k: frozenset({k}), 1, 1)(np.arange(N * D).reshape(N, D))
        ends = done(Counting(), steps, Needed(addresses), chosen, cut)
        needed = frozenset().union(*(s for end in ends for s in end.sets.ravel()))
        exps = sum(isinstance(one, tuple) for one in needed)
        shapes = [f"x:fp32[{N},{D}]"]
        shapes += [
            f"k{i}:{'int32' if kind == 'taken' else 'bool'}[{','.join(map(str, array.shape))}]"
            for i, ((kind, _), array) in enumerate(zip(values, chosen, strict=True))
        ]
        named = ["x", *(f"k{i}" for i in range(len(values)))]

        def program(steps=steps, cut=cut, **given):
            return done(of_library, steps, given.pop("x"), given.values(), cut)

        program.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in named])
        op = front(program, ", ".join(shapes), traffic="least")
        read = sum(tensor.bytes * tensor.times for tensor in op.reads if tensor.name == "x")
        assert read <= 4 * (len(needed) - exps), (seed, steps)
        assert op.compute.get("exp", 0) <= exps, (seed, steps)


@pytest.mark.parametrize("library", [torch, jnp])
def test_no_values_of_a_random_program_need_less(library):
    check(library, 1, 25)


@pytest.mark.long
@pytest.mark.parametrize("library", [torch, jnp])
def test_no_values_of_many_random_programs_need_less(library):
    check(library, 2, 1000)


def masked_in_place(x, m):
    x[:4].masked_fill_(m, 0.0)
    return x.sum()


def put_and_read(x, i, v):
    x[i] = v
    return x.sum()


def put_twice(x, i, j):
    x[i] = 0.0
    x[j] = 1.0


def experts(x, w, g):
    chosen = torch.zeros(8, 4).scatter(1, (x @ g).topk(2)[1], 1.0)
    return (chosen.T[:, :, None] * torch.einsum("bd,edf->ebf", x, w)).sum(0)


def attended(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def hidden(q, k, v, m):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, m)


X = "x:fp32[64,16]"
BY_HAND = [  # (..., bytes, FLOPs of one compute unit), with 4 bytes per element and 8 per index of PyTorch
    (torch, lambda x, k: torch.exp(x)[k], f"{X}, k:int64[5]", 64 + 40 + 320, ("exp", 16)),
    (torch, lambda x, i, j: x[i] + x[j], f"{X}, i:int64[5], j:int64[5]", 64 + 80 + 320, ("exp", 0)),
    (torch, masked_in_place, f"{X}, m:bool[4,16]", 60 * 64 + 64 + 4, None),  # other rows, mask and sum
    (torch, lambda x, m: x.masked_fill_(m, 0.0), f"{X}, m:bool[64,16]", 64 * 16, ("fp32-vector", 0)),
    (torch, put_and_read, f"{X}, i:int64[64], v:fp32[64,16]", 512 + 64 + 64 + 4, ("fp32-vector", 1023)),
    (torch, put_twice, f"{X}, i:int64[5], j:int64[5]", 80 + 64, ("exp", 0)),
    (torch, lambda x, i, v: x.index_copy(0, i, v), f"{X}, i:int64[8], v:fp32[8,16]", 56 * 64 + 64 + 64 + 4096, None),
    (torch, lambda x: x.tril(), "x:fp32[64,64]", 4 * 64 * 65 // 2 + 4 * 64 * 64, ("fp32-vector", 0)),
    (torch, lambda a, v: torch.searchsorted(a, v), "a:fp32[1024], v:fp32[4]", 4 + 16 + 32, None),
    (torch, lambda x: x.any(), "x:bool[64]", 2, None),
    (torch, experts, "x:fp32[8,16], w:fp32[4,16,16], g:fp32[16,4]", 512 + 256 + 512, ("fp32", 2 * 8 * 16 * 4)),
    (torch, attended, "q:fp32[2,64,8], k:fp32[2,64,8], v:fp32[2,64,8]", 4 * 4 * 1024, ("fp32", 32 * 2 * 64 * 65 // 2)),
    (torch, attended, "q:fp32[2,4,8], k:fp32[2,64,8], v:fp32[2,64,8]", 4 * 4 * 64, ("fp32", 32 * 2 * 4 * 5 // 2)),
    (torch, hidden, "q:fp32[64,8], k:fp32[64,8], v:fp32[64,8], m:bool[64,64]", 4096 + 32 + 2048, ("fp32", 0)),
    (torch, lambda x: x.softmax(-1)[:2], X, 2 * 2 * 64, ("exp", 32)),
    (torch, lambda x, w: torch.nn.functional.layer_norm(x, (16,), w)[:2], f"{X}, w:fp32[16]", 5 * 64, ("exp", 2)),
    (torch, lambda x: (lambda y: y[0] + y[3])(x * 2), X, 3 * 64, ("fp32-vector", 48)),
    (torch, lambda x: x[1:].exp() + x[:-1].exp(), X, 64 * 64 + 63 * 64, ("exp", 1008)),  # the larger of both
    (jnp, lambda x: (jnp.exp(x) * 2, jnp.exp(x) + 1), X, 3 * 4096, ("exp", 1024)),
    (jnp, lambda x, i: x.at[i].set(1.0).sum(), f"{X}, i:int32[64]", 256 + 4, None),
    (jnp, lambda m, x, y: jnp.where(m, x, y), "m:bool[64], x:fp32[64], y:fp32[64]", 64 + 256, None),
    (jnp, lambda x, i: jax.vmap(lambda row, k: row[k])(jnp.exp(x), i), f"{X}, i:int32[64]", 3 * 256, ("exp", 64)),
    (jnp, lambda i, w: jax.nn.one_hot(i, 64) @ w, f"i:int32[8], {X.replace('x', 'w')}", 32 + 512, ("fp32", 0)),
    (jnp, lambda x: x[jnp.arange(64) % 2], X, 64 + 4096, None),
    (jnp, lambda x, i: jax.lax.fori_loop(0, 5, lambda k, x: x.at[i[k]].add(1.0, mode="clip"), x), f"{X}, i:int32[5]",
     132, None),
    (jnp, lambda x, i: x.at[i].add(1.0), f"{X}, i:int32[5]", 20, None),  # JAX drops indices out of range
    (jnp, lambda x, i: jax.ops.segment_sum(x, i, 8), f"{X}, i:int32[64]", 256 + 512, ("fp32-vector", 0)),
    (jnp, lambda x, i: jnp.take(x, i, axis=0), f"{X}, i:int32[5]", 20 + 320, None),  # JAX fills in its own values
    (jnp, lambda x, i: jnp.take(x, i, axis=0, mode="clip"), f"{X}, i:int32[5]", 20 + 64 + 320, None),
    (jnp, lambda x, i, w: jnp.take(x, i, axis=0, fill_value=0) @ w, f"{X}, i:int32[5], w:fp32[16,8]", 20 + 160, None),
    (jnp, lambda q, k, v, m: jax.nn.softmax(q @ k.T + (1.0 - m) * -1e9) @ v,
     f"q{X[1:]}, k{X[1:]}, v{X[1:]}, m:int32[64]", 256 + 64 + 4096, ("fp32", 0)),
    (jnp, lambda x, w: jax.lax.conv(x, w, (1, 1), "SAME"), "x:fp32[1,64,1,1], w:fp32[64,64,3,3]",
     512 + 4 * 64 * 64, None),
    (jnp, lambda a, b: jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True), "a:fp32[16,16], b:fp32[16,4]",
     4 * 136 + 512, None),
    (jnp, lambda a, b: jnp.logical_or(a, b), "a:bool[64], b:bool[64]", 64 + 64, None),
    (torch, lambda x, m: x * m, f"{X}, m:bool[64,16]", 1024 + 4096, None),
    (torch, lambda x, m, w: torch.relu((x * m[:, None]) @ w) @ w.T, f"{X}, m:bool[64], w:fp32[16,32]",
     64 + 4096, ("fp32", 0)),
    (torch, lambda a, b: a & b, "a:bool[64], b:bool[64]", 64 + 64, None),
    (torch, lambda m: m.amin(0), "m:bool[64,8]", 8 + 8, None),
    (torch, lambda x, w: F.dropout(x, 0.5, True) @ w, f"{X}, w:fp32[16,32]", 2048 + 2048 + 8192, ("fp32", 65536)),
    (torch, lambda x, w: F.dropout(x @ w, 0.5, True), f"{X}, w:fp32[16,32]", 4096 + 1024 + 8192, ("fp32", 32768)),
    (torch, lambda x: F.dropout2d(x, 0.5, True), "x:fp32[4,16,8,8]", 4 * 16 * 64 * 4, None),
    (torch, lambda x: x * (torch.rand_like(x) < 0.5), X, 4096, None),
    (torch, lambda x, y: F.cross_entropy(x, y), f"{X}, y:int64[64]", 512 + 4, ("exp", 0)),  # all targets may be ignored
    (torch, lambda x, y, w: F.nll_loss(x, y, w), f"{X}, y:int64[64], w:fp32[16]", 512 + 4, None),
    (torch, lambda i, w: F.embedding_bag(i, w, mode="sum", padding_idx=0), f"i:int64[4,5], w{X[1:]}", 160 + 256, None),
    (torch, lambda x, v: torch.slice_scatter(x, v, 0, 0, 32), f"{X}, v:fp32[32,16]", 2 * 4096, None),
    (torch, lambda x: torch.linalg.cholesky(x), "x:fp32[16,16]", 4 * 136 + 1024, None),
    (torch, lambda a, b: torch.linalg.solve_triangular(a, b, upper=False, unitriangular=True),
     "a:fp32[16,16], b:fp32[16,4]", 4 * 120 + 512, None),
    (torch, lambda x, w: F.conv2d(x, w, padding=18, dilation=18), "x:fp32[1,64,16,16], w:fp32[64,64,3,3]",
     2 * 64 * 256 * 4 + 64 * 64 * 4, None),  # only the middle one of nine weights
    (torch, lambda x, w: F.conv_transpose2d(x, w, padding=1), "x:fp32[1,64,1,1], w:fp32[64,64,3,3]",
     512 + 64 * 64 * 4, None),
    (torch, lambda x: x**0, X, 4096, None),
    (torch, lambda x, m, g, b, w: F.layer_norm(x * m[:, None], (16,), g, b) @ w,
     f"{X}, m:bool[64], g:fp32[16], b:fp32[16], w:fp32[16,8]", 64 + 64 + 512 + 2048, None),  # only the bias remains
    (jnp, lambda x, y: jax.lax.scan(lambda c, r: (c + jnp.exp(x) + r, None), x, y)[0].sum(), f"{X}, y:fp32[9,64,16]",
     10 * 4096 + 4, ("exp", 1024)),
    (torch, lambda x: torch.cumsum(x, 0)[:4], X, 2 * 4 * 64, ("fp32-vector", 3 * 16)),  # only up to the slice
    (jnp, lambda x: jnp.cumsum(x, 0)[-1], X, 4096 + 64, ("fp32-vector", 63 * 16)),
    (torch, lambda x: F.max_pool2d(x[None], (2, 1))[0][:4], X, (8 + 4) * 64, ("fp32-vector", 4 * 16)),
]  # fmt: skip


@pytest.mark.parametrize(("library", "function", "shapes", "bytes", "work"), BY_HAND)
def test_a_floor_is_what_it_is_by_hand(library, function, shapes, bytes, work):
    op = (trace.torch if library is torch else trace.jax)(function, shapes, traffic="least")
    assert bytes - 64 <= op.bytes() <= bytes  # weights that a row shares may be left out
    assert work is None or op.compute.get(work[0], 0) == work[1]


class Loss(torch.nn.Module):
    def __init__(self, ignored):
        super().__init__()
        self.ignored = ignored

    def forward(self, x, y):
        return F.cross_entropy(x, y, ignore_index=self.ignored)


@pytest.mark.parametrize(("ignored", "read"), [(-100, 4096 + 512), (3, 512), (16, 4096 + 512)])
def test_targets_drawn_from_other_numbers_are_not_ignored(ignored, read):
    file = SimpleNamespace(
        __name__="loss", Model=Loss, get_init_inputs=lambda: [ignored],
        get_inputs=lambda: [torch.rand(64, 16), torch.randint(0, 16, (64,))],
    )  # fmt: skip
    assert trace_reference(file, "least").bytes() == read + 4
