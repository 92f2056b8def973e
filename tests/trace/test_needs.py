"""Loop iterations whose results are not used are dropped, as many as by hand, in both directions."""

import random

import pytest
from functions import jax, jnp

from roofproof import trace

pytestmark = pytest.mark.frameworks
torch = pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
B, T, D, H = 2, 6, 3, 4
WEIGHTS = f"w:fp32[{D},{H}], u:fp32[{H},{H}]"


def turns(places):
    """Return the iterations needed: forward up to the last place that is read, and backward down to the first."""
    return max(places) + 1, T - min(places)


def both_ways(x, w, u):
    """Return the states of a forward and a backward recurrence side by side, for each row of a batch."""

    def turn(h, x):
        h = x @ w + h @ u
        return h, h

    start, x = jnp.zeros((x.shape[0], H)), jnp.swapaxes(x, 0, 1)
    made = [jax.lax.scan(turn, start, x, reverse=reverse)[1] for reverse in (False, True)]
    return jnp.concatenate([jnp.swapaxes(out, 0, 1) for out in made], -1)


class Recurrent(torch.nn.Module):
    """Bidirectional layers, with the results that `taken` selects."""

    def __init__(self, taken, layers: int = 1, cell=torch.nn.RNN):
        super().__init__()
        self.cell = cell(D, H, layers, batch_first=True, bidirectional=True, bias=False)
        self.taken = taken

    def forward(self, x):
        return self.taken(*self.cell(x))


def cuts(seed, many):
    dice = random.Random(seed)
    for _ in range(many):
        start = dice.randrange(T)
        yield slice(start, dice.randint(start + 1, T), dice.choice([1, 1, 2])) if dice.random() < 0.6 else start - T


@pytest.mark.parametrize("cut", [*cuts(5, 4)], ids=str)
def test_turns_are_those_whose_results_are_read(cut):
    there, back = turns(range(T)[cut] if isinstance(cut, slice) else [cut + T])
    made = trace.jax(lambda x, w, u: both_ways(x, w, u)[:, cut], f"x:fp32[{B},{T},{D}], {WEIGHTS}")
    assert made.compute["fp32"] == (there + back) * 2 * B * H * (D + H)
    with torch.device("meta"):
        module = Recurrent(lambda out, _: out[:, cut])
    made = trace.torch(module, f"x:fp32[{B},{T},{D}]")
    assert made.compute["fp32"] == (there + back) * 2 * B * H * (D + H)


def test_a_loop_back_reads_the_places_of_the_turns_it_does():
    def last_two(x, w, u):
        def turn(h, x):
            h = x @ w + h @ u
            return h, h

        return jax.lax.scan(turn, jnp.zeros(H), x, reverse=True)[1][-2:], jnp.exp(x[-2:])

    made = trace.jax(last_two, f"x:fp32[{T},{D}], {WEIGHTS}")
    read = 2 * D + D * H + H * H  # the same two rows, once
    assert made.bytes() == 4 * (read + 2 * H + 2 * D)


def test_what_is_turned_round_is_read_where_it_is_taken():
    class Turned(torch.nn.Module):
        def forward(self, x):
            return torch.flip(x, (0,))[:2] * 3, x[-2:] * 2

    assert trace.torch(Turned(), f"x:fp32[{T},{D}]").bytes() == 4 * (2 * D + 2 * 2 * D)  # the same two rows, once


def test_one_turn_back_is_needed_of_the_last_result_however_long_the_loop_is():
    shapes = f"x:fp32[{B},L,{D}], {WEIGHTS}"
    made = trace.jax(lambda x, w, u: both_ways(x, w, u)[:, -1], shapes, where="L >= 2")
    turn = 2 * B * H * (D + H)
    (length,) = made.dims
    assert (made.compute["fp32"] - (length + 1) * turn).expand() == 0
    assert "does 1 of L turns, as nobody needs the others" in made.convention
    assert made.reads[0].bytes == 4 * B * D * length  # all of it, in the forward direction
    many = trace.jax(lambda x, w, u: both_ways(x, w, u)[:, -1], shapes.replace(f"[{B},", "[N,"), where="L >= 2")
    rows = next(size for size in many.dims if size.name == "N")
    assert dict(many.compute) == {engine: (n * rows / B).expand() for engine, n in made.compute.items()}
    with torch.device("meta"):
        module = Recurrent(lambda out, _: torch.relu(out[:, -1]))
    assert trace.torch(module, f"x:fp32[{B},L,{D}]").compute["fp32"] == made.compute["fp32"]


def test_what_only_turns_that_are_left_out_need_is_left_out():
    layer = 2 * B * H * (D + H), 2 * B * H * (2 * H + H)
    with torch.device("meta"):
        deep = Recurrent(lambda out, _: out[:, -1], layers=2)
        last = Recurrent(lambda _, h: h[-1])
    made = trace.torch(deep, f"x:fp32[{B},{T},{D}]").compute["fp32"]
    assert made == 2 * T * layer[0] + (T + 1) * layer[1]  # the second forward layer reads all of the first
    assert trace.torch(last, f"x:fp32[{B},{T},{D}]").compute["fp32"] == T * layer[0]  # only backward

    def unrolled(x, w):
        outs, h = [], x[0] @ w
        for _ in range(T):
            h = h @ w
            outs.append(h)
        return torch.stack(outs, 1)[:, 2]

    made = trace.torch(unrolled, f"x:fp32[{T},{B},{H}], w:fp32[{H},{H}]")
    assert made.compute["fp32"] == 4 * 2 * B * H * H  # the first product and three iterations


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_what_is_needed_of_a_result_goes_back_through_what_makes_it(framework):
    """Through products, sums, additions, joins and flips, only the rows that are used are read, each address once."""
    lib, tr = (torch, trace.torch) if framework == "torch" else (jnp, trace.jax)

    def joined(x, y):
        return lib.concatenate([x, y])

    shapes = "x:fp32[4,16], y:fp32[8,16]"
    for taken, read in (
        (lambda x, y: lib.exp(joined(x, y))[3:9:2], 3 * 16),
        (lambda x, y: (x @ y.T)[1, :3], 16 + 3 * 16),
        (lambda x, y: (joined(x, y) * 2).sum(1)[2:5], 3 * 16),
        (lambda x, y: lib.flip(x + y[:4], (0,))[:1], 2 * 16),
        (lambda x, y: (lambda z: z[0] + z[3])(x * 2), 2 * 16),
    ):
        made = tr(taken, shapes)
        written = sum(t.bytes for t in made.writes)
        assert made.bytes() - written == 4 * read


def test_sizes_decide_what_is_needed_of_a_product():
    for tr in (trace.torch, trace.jax):
        made = tr(lambda x, w: (x @ w)[:, -1], "x:fp32[B,L,D], w:fp32[D,F]")
        b, d, f = (next(s for s in made.dims if s.name == name) for name in "BDF")
        assert made.compute["fp32"] == 2 * b * d * f
        assert (made.bytes() - 4 * (b * d + d * f + b * f)).expand() == 0


def test_a_gradient_needs_every_turn():
    def loss(x, w, u):
        return both_ways(x, w, u)[:, -1].sum()

    shapes = f"x:fp32[{B},{T},{D}], {WEIGHTS}"
    assert trace.jax(jax.grad(loss), shapes).compute["fp32"] > trace.jax(loss, shapes).compute["fp32"]
