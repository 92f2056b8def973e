"""Models as people write them: copied layers, computed rates, and steps that Python unrolls."""

import pytest

from roofproof.symbols import dimension

pytestmark = pytest.mark.frameworks
torch = pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
nn = torch.nn

from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from roofproof.trace.aten.entry import trace_module  # noqa: E402


class Encoder(nn.Module):
    """An encoder whose layers PyTorch makes by copying one layer."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x):
        return self.layers(x)


def test_layers_that_are_copies_are_the_layers():
    """Each weight is read once, and the FLOPs of products are those that PyTorch counts on `meta`."""
    op, module = trace_module(Encoder, "x:fp32[L,3,8]"), Encoder().to("meta")
    L = dimension("L")
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(torch.empty(5, 3, 8, device="meta"))
    assert op.compute["fp32"].subs(L, 5) == counter.get_total_flops()
    assert op.bytes().subs(L, 5) == 4 * (sum(p.numel() for p in module.parameters()) + 2 * 5 * 3 * 8)


class Rates(nn.Module):
    def __init__(self, depth):
        super().__init__()
        rates = [rate.item() for rate in torch.linspace(0, 0.5, depth)]
        self.layers = nn.ModuleList(nn.Linear(4, 4) for rate in rates if rate > 0.1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def test_values_of_lists_that_code_makes_are_known():
    """Four of 0, 1/8, 1/4, 3/8 and 1/2 are above 1/10, which gives 4 * 2 * 4 * 4 FLOPs per row."""
    assert trace_module(Rates, "depth=5, x:fp32[B,4]").compute["fp32"] == 4 * 32 * dimension("B")


def steps(x, h, w, batch_first):
    """Run a plain recurrence step by step."""
    states = []
    for t in range(x.shape[int(batch_first)]):
        h = torch.tanh((x[:, t] if batch_first else x[t]) + h @ w)
        states.append(h)
    return torch.stack(states)


@pytest.mark.slow
@pytest.mark.parametrize(("batch_first", "shape"), [(False, "101,B,D"), (True, "B,101,D")])
def test_each_step_of_a_recurrence_reads_its_own_part(batch_first, shape):
    """101 B D elements are read and written, besides one state and the weights."""
    op = trace_module(steps, f"x:bf16[{shape}], h:bf16[B,D], w:bf16[D,D], batch_first={batch_first}")
    B, D = dimension("B"), dimension("D")
    assert (op.bytes() - 2 * (2 * 101 * B * D + B * D + D * D)).expand() == 0


def lstm(x, state, w, u, b, c):
    h, cell = state
    i, f, g, o = (x @ w.T + b + (h @ u.T + c)).chunk(4, -1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def gru(x, state, w, u, b, c):
    (h,) = state
    (r, z, n), (hr, hz, hn) = (x @ w.T + b).chunk(3, -1), (h @ u.T + c).chunk(3, -1)
    z, n = (z + hz).sigmoid(), (n + (r + hr).sigmoid() * hn).tanh()
    return ((h - n) * z + n,)


def plain(x, state, w, u, b, c):
    return ((x @ w.T + b + (state[0] @ u.T + c)).tanh(),)


def relu(x, state, w, u, b, c):
    return ((x @ w.T + b + (state[0] @ u.T + c)).relu(),)


def turn_by_turn(cell, layer, x, *state):
    out = []
    for t in range(x.shape[0]):
        state = cell(x[t], state, *layer._flat_weights)
        out.append(state[0])
    return torch.stack(out)


def at_once(_, layer, x, *state):
    state = tuple(s[None] for s in state)
    return layer(x, state if len(state) > 1 else state[0])[0]


class Run(nn.Module):
    """A layer that `how` runs, with its gradient if `backward` is true."""

    def __init__(self, how, cell, layer, backward):
        super().__init__()
        self.how, self.cell, self.layer, self.backward = how, cell, layer, backward

    def forward(self, x, h, c=None):
        out = self.how(self.cell, self.layer, x, *((h,) if c is None else (h, c)))
        if self.backward:
            out.sum().backward()
        return out


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("cell", "kind", "more"),
    [(lstm, nn.LSTM, {}), (gru, nn.GRU, {}), (plain, nn.RNN, {}), (relu, nn.RNN, {"nonlinearity": "relu"})],
)
def test_a_recurrent_layer_is_its_turns(cell, kind, more):
    """FLOPs and bytes agree, but weight gradients are one product over all steps, without the sums over steps."""
    layer = kind(3, 4, **more)
    shapes = "x:fp32[3,B,3], h:fp32[B,4]" + (", c:fp32[B,4]" if cell is lstm else "")
    ours, turns = (trace_module(Run(how, cell, layer, False), shapes) for how in (at_once, turn_by_turn))
    assert dict(ours.compute) == dict(turns.compute) and ours.bytes() == turns.bytes()
    ours, turns = (trace_module(Run(how, cell, layer, True), shapes) for how in (at_once, turn_by_turn))
    spared = 2 * (4 + 3) * layer.weight_hh_l0.shape[0]
    assert ours.bytes() == turns.bytes() and ours.compute["fp32-vector"] == turns.compute["fp32-vector"] - spared
    assert all(ours.compute[engine] == turns.compute[engine] for engine in ("fp32", "exp") if engine in turns.compute)


def test_a_gradient_that_nobody_asks_is_left_out():
    """3 steps take 2 * 16 * (3 + 4) forward and 2 * 16 * 3 back to x. Two take 2 * 16 * 4 back to the last state."""
    layer = nn.LSTM(3, 4)
    op = trace_module(lambda x: torch.autograd.grad(layer(x.requires_grad_())[0].sum(), x)[0], "x:fp32[3,B,3]")
    assert op.compute["fp32"] == (3 * 224 + 3 * 96 + 2 * 128) * dimension("B")
