"""Traces of PyTorch code against hand counts at three points and concrete traces, and the order of the models."""

import pytest
import sympy
from cases import at, counted, points, program
from modules import CASES, F, nn, torch

from roofproof import trace
from roofproof.errors import RoofproofError
from roofproof.symbols import dimension
from roofproof.trace.aten.entry import traced
from roofproof.trace.registry import ADDED
from roofproof.trace.traffic import MODELS

pytestmark = pytest.mark.frameworks
BY_NAME = {case.name: case for case in CASES}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_counts_are_those_made_by_hand(case):
    op = program(case, traced).operation("fused")
    assert list(op.compute) or not case.flops
    for point in points(case):
        by_hand = {engine: counted(text).subs(point) for engine, text in case.flops.items()}
        assert {engine: n.subs(point) for engine, n in op.compute.items()} == by_hand
        assert op.bytes().subs(point) == counted(case.moved).subs(point)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_larger_kernels_never_move_more_and_rows_add_up(case):
    models = [program(case, traced).operation(model) for model in MODELS]
    for point in points(case):
        least, fused, kernels, unfused = (op.bytes().subs(point) for op in models)
        assert least <= fused <= kernels <= unfused
    assert all(op.rows for op in models if op.demands)  # rows that do not add up are dropped


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_symbols_at_a_point_are_the_trace_of_that_point(case):
    point = points(case)[0]
    concrete = traced(case.function, at(case, point))
    for model in MODELS:
        symbolic, number = program(case, traced).operation(model), concrete.operation(model)
        assert {engine: n.subs(point) for engine, n in symbolic.compute.items()} == dict(number.compute)
        assert symbolic.bytes().subs(point) == number.bytes(), model


def test_a_record_function_is_a_kernel():
    h, T, S, B = map(dimension, "hTSB")
    apart, together = (program(BY_NAME[name], traced) for name in ("scores", "flash"))
    assert together.operation("kernels").bytes() == together.operation("fused").bytes()
    gap = apart.operation("kernels").bytes() - apart.operation("fused").bytes()
    assert sympy.expand(gap) == 8 * B * S * T * h


def test_each_row_has_its_line_and_gradients_that_of_what_they_are_of():
    def step(x, w):
        w.requires_grad_()
        y = x @ w
        y.sum().backward()

    first = step.__code__.co_firstlineno
    op = traced(step, "x:fp32[B,D], w:fp32[D,F]").operation("fused")
    assert [(row.place.line, row.primitives) for row in op.rows] == [(first + 2, ("mm",))]


def test_a_module_on_meta_keeps_its_sizes_and_is_left_as_it_was():
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    before = {n: (id(p), p.grad, p.requires_grad) for n, p in model.named_parameters()}

    def train(x, y):
        F.cross_entropy(model(x), y).backward()

    B = dimension("B")
    op = trace.torch(model, "input:fp32[B,64]")
    assert op.compute["fp32"] == 18944 * B
    assert sorted(t.name for t in op.reads) == ["0.bias", "0.weight", "2.bias", "2.weight", "input"]
    op = trace.torch(train, "x:fp32[B,64], y:int64[B]")
    assert op.compute["fp32"] == 3 * 18944 * B - 2 * 64 * 128 * B  # no gradient of the data
    assert sorted(t.name for t in op.writes) == [
        f"model.{n}.grad" for n in ("0.bias", "0.weight", "2.bias", "2.weight")
    ]
    assert before == {n: (id(p), p.grad, p.requires_grad) for n, p in model.named_parameters()}


def test_a_step_of_an_optimizer_reads_and_writes_its_state():
    w = torch.nn.Parameter(torch.empty(8, 4, device="meta"))
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)

    def train(x):
        optimizer.zero_grad()
        (x @ w).sum().backward()
        optimizer.step()

    op = trace.torch(train, "x:fp32[B,8]")
    assert op.compute["fp32"] == 64 * dimension("B")
    assert sorted(t.name for t in op.writes if t.name.startswith("w")) == ["w", "w.grad"]


def test_what_is_updated_in_place_moves_the_update():
    S, D = dimension("S"), dimension("D")

    def in_place(cache, new):
        cache[0] = new

    def copied(cache, new):
        cache = cache.clone()
        cache[0] = new
        return cache

    found = traced(in_place, "cache:fp32[S,D], new:fp32[D]")
    assert (found.overwritten, found.operation("fused").bytes()) == (("cache",), 8 * D)
    found = traced(copied, "cache:fp32[S,D], new:fp32[D]")
    assert (found.overwritten, found.operation("fused").bytes()) == ((), 8 * S * D + 4 * D)


def test_a_part_of_an_argument_that_is_returned_moves_nothing():
    """Half of x is doubled in place and returned as a view: 4 B N bytes are read and 4 B N written."""
    B, N = dimension("B"), dimension("N")
    found = traced(lambda x: x[:, ::2].mul_(2), "x:fp32[B,2*N]")
    assert (found.overwritten, found.operation("fused").bytes()) == (("x",), 8 * B * N)
    assert traced(lambda x: x[:, ::2], "x:fp32[B,2*N]").operation("fused").bytes() == 0


def test_masks_and_indices_are_no_work():
    op = traced(lambda x: torch.where(torch.arange(x.shape[0]) % 2 == 0, x, 0), "x:fp32[N]").operation("fused")
    assert dict(op.compute) == {"fp32-vector": dimension("N")}
    op = traced(lambda t, i: t[i + 1], "t:fp32[100,D], i:int64[T]").operation("fused")
    assert dict(op.compute) == {}


def test_scores_that_choose_rows_are_work_and_positions_are_not():
    T = dimension("T")
    op = traced(lambda t, x: t[(x * 2).argmax(-1)], "t:fp32[100,8], x:fp32[T,100]").operation("fused")
    assert dict(op.compute) == {"fp32-vector": 100 * T + 99 * T}
    op = traced(lambda t: t[(torch.arange(t.shape[0]) * 0.5).floor().long()], "t:fp32[N,8]").operation("fused")
    assert dict(op.compute) == {}
    op = traced(lambda t: t[torch.rand(4).mul(10).long()], "t:fp32[100,8]").operation("fused")
    assert op.compute["fp32-vector"] == 4


def test_complex_numbers_are_two_of_theirs():
    N = dimension("N")
    op = traced(lambda x: x.abs(), "x:complex64[N]").operation("fused")
    assert (dict(op.compute), op.bytes()) == ({"fp32-vector": 3 * N, "exp": N}, 12 * N)
    assert dict(traced(lambda x: x.sum(), "x:complex64[N]").operation("fused").compute) == {"fp32-vector": 2 * N - 2}
    assert dict(traced(lambda x, y: x + y, "x:complex64[N], y:complex64[N]").operation("fused").compute) == {
        "fp32-vector": 2 * N
    }
    with pytest.raises(RoofproofError, match="of complex numbers"):
        traced(lambda x: x.prod(), "x:complex64[N]")


def test_halves_by_chunk_and_windows_need_no_number():
    T, k, P, N = map(dimension, "TkPN")
    found = traced(lambda x: torch.cat([h * 2 for h in x.chunk(2, -1)], -1), "x:fp32[T,k]", where="k even")
    assert dict(found.operation("fused").compute) == {"fp32-vector": T * k}
    found = traced(lambda x, w: F.conv3d(x, w), "x:fp32[N,2,P,P,P], w:fp32[2,2,2,2,2]", where="P >= 3")
    assert found.conditions == (sympy.Ge(P, 3, evaluate=False), sympy.Ge(N, 2, evaluate=False))


def test_a_size_that_is_not_its_least_is_at_least_the_next():
    """PyTorch treats a head of width one separately, and the next multiple of 8 after 8 is 16."""
    found = traced(
        nn.MultiheadAttention, "embed_dim=D, num_heads=8, query:bf16[L,D], key:bf16[L,D], value:bf16[L,D]",
        where="8 divides D",
    )  # fmt: skip
    D, L = dimension("D"), dimension("L")
    assert found.conditions == (
        sympy.Eq(sympy.Mod(D, 8), 0, evaluate=False), sympy.Ge(L, 2, evaluate=False), sympy.Ge(D, 16, evaluate=False),
    )  # fmt: skip


def test_what_was_assumed_is_in_the_conditions():
    N = dimension("N")
    found = traced(lambda x: x.view(2, -1) + 1, "x:fp32[N]", where="N even")
    assert found.conditions == (sympy.Eq(sympy.Mod(N, 2), 0, evaluate=False), sympy.Ge(N, 2, evaluate=False))
    found = traced(lambda x: x.narrow(0, 0, 3) * 2, "x:fp32[N]")  # required by the framework
    assert sympy.Ge(N, 3, evaluate=False) in found.conditions


def windows(x, w: int):
    rows = x.reshape(-1, w * w)
    images = rows.shape[0] // (x.shape[1] * x.shape[2] // (w * w))
    return rows.view(images, -1) * 2


def test_a_quotient_that_is_whole_is_a_size():
    made = trace.torch(windows, "x:fp32[B,56,56], w=7")
    assert made.bytes() == 2 * 4 * 56 * 56 * made.dims[0]


def test_a_quotient_of_a_complex_number():
    """Division by a real number is two quotients. A complex divisor adds 6 for its conjugate and 3 for its square."""
    assert trace.torch(lambda x: x / 3, "x:complex64[N]").compute["fp32-vector"].coeff(dimension("N")) == 2
    assert trace.torch(lambda x, y: x / y, "x:complex64[N], y:complex64[N]").compute["fp32-vector"] == 11 * dimension(
        "N"
    )


def chosen(x, gate, w):
    scores, places = (x @ gate).softmax(-1).topk(1, -1)
    out = torch.zeros_like(x)
    for k in range(4):
        rows, slot = torch.where(places == k)
        out[rows] += (x[rows] @ w[k]) * scores[rows, slot, None]
    return out


def test_experts_that_are_chosen_by_where_under_a_stated_routing():
    """Each of four experts gets a quarter of the rows."""
    shapes = "x:fp32[B,8], gate:fp32[8,4], w:fp32[4,8,8]"
    with pytest.raises(RoofproofError, match="index of truth values"):
        trace.torch(chosen, shapes)
    trace.rule("nonzero", found="B / 4")
    try:
        made = trace.torch(chosen, shapes, where="4 divides B")
    finally:
        del ADDED["nonzero", ""]
    b = made.dims[0]
    assert made.compute["fp32"] == 2 * b * 8 * 4 + 2 * b * 8 * 8


ADDED_TO = {
    torch.addmm: ("c:fp32[M,N], a:fp32[M,K], b:fp32[K,N]", "4 M K + 4 K N", "4 M N", "2 M N K"),
    torch.addmv: ("c:fp32[M], a:fp32[M,K], b:fp32[K]", "4 M K + 4 K", "4 M", "2 M K"),
    torch.baddbmm: ("c:fp32[B,M,N], a:fp32[B,M,K], b:fp32[B,K,N]", "4 B M K + 4 B K N", "4 B M N", "2 B M N K"),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("function", ADDED_TO, ids=lambda f: f.__name__)
def test_what_is_added_times_zero_is_not_read(function, model):
    """If `beta` is zero, the values of the input are ignored, as PyTorch documents. `alpha` is one more product."""
    shapes, read, made, flops = ADDED_TO[function]
    read, made, flops = map(counted, (read, made, flops))
    for beta, alpha in ((0, 1), (0, 2), (1, 1), (1, 2), (3, 1), (3, 2)):
        op = trace.torch(lambda c, a, b: function(c, a, b, beta=beta, alpha=alpha), shapes, traffic=model)  # noqa: B023
        assert sympy.expand(op.bytes() - (read + made * (2 if beta else 1))) == 0, (beta, alpha)
        each = bool(beta) + (beta == 3) + (alpha == 2)
        assert {n: sympy.expand(f) for n, f in op.compute.items()} == {
            "fp32": flops, **({"fp32-vector": each * made / 4} if each else {}),
        }  # fmt: skip
