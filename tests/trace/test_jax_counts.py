"""Traces of JAX functions against hand counts at three points and concrete traces, and the order of the models."""

import pytest
import sympy
from cases import Case, at, counted, points, program
from functions import BLOCK, CASES, attention, block, jax, jnp, lax, stacked

from roofproof.errors import RoofproofError
from roofproof.symbols import dimension
from roofproof.trace.jaxpr.entry import traced
from roofproof.trace.operation import Traced, operation_of
from roofproof.trace.result import Trace
from roofproof.trace.shapes import read
from roofproof.trace.traffic import MODELS

pytestmark = pytest.mark.frameworks
BY_NAME = {case.name: case for case in CASES}


def operation(found: Trace, model: str = "fused") -> Traced:
    return operation_of(found.program, model, found.name, found.conditions, "", "")


@pytest.mark.sampled(7)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_counts_are_those_made_by_hand_and_those_of_a_concrete_trace(case):
    op = operation(program(case, traced))
    assert list(op.compute) or not case.flops
    for point in points(case):
        by_hand = {engine: counted(text).subs(point) for engine, text in case.flops.items()}
        assert {engine: n.subs(point) for engine, n in op.compute.items()} == by_hand
        assert op.bytes().subs(point) == counted(case.moved).subs(point)
    concrete = traced(case.function, at(case, points(case)[0]))
    for model in MODELS:
        symbolic, number = operation(program(case, traced), model), operation(concrete, model)
        assert {engine: n.subs(points(case)[0]) for engine, n in symbolic.compute.items()} == dict(number.compute)
        assert symbolic.bytes().subs(points(case)[0]) == number.bytes(), model


@pytest.mark.sampled(7)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_larger_kernels_never_move_more_and_rows_add_up(case):
    models = [operation(program(case, traced), model) for model in MODELS]
    for point in points(case):
        least, fused, kernels, unfused = (op.bytes().subs(point) for op in models)
        assert least <= fused <= kernels <= unfused
    assert all(op.rows for op in models if op.demands)  # rows that do not add up are dropped


def test_scopes_are_kernels():
    """Attention as one kernel moves only inputs and outputs. Step by step, it also moves its scores four times."""
    shapes = BY_NAME["attention"].shapes
    apart, together = (traced(BY_NAME[name].function, shapes) for name in ("attention", "flash"))
    B, L, S, h = map(dimension, "BLSh")
    assert operation(together, "kernels").bytes() == operation(together, "fused").bytes()
    gap = operation(apart, "kernels").bytes() - operation(apart, "fused").bytes()
    assert sympy.expand(gap) == 8 * B * L * S * h


def test_two_calls_of_one_kernel_are_two_kernels():
    def one(x):
        with jax.named_scope("kernel:twice"):
            return jnp.exp(x) * 2

    N = dimension("N")
    inner = jax.jit(one)
    assert operation(traced(lambda x: inner(inner(x)), x="fp32[N]"), "kernels").bytes() == 16 * N
    assert (
        operation(traced(lambda x: one(one(x)), x="fp32[N]"), "kernels").bytes() == 8 * N
    )  # the same scope twice in a row is one kernel


def test_what_is_updated_in_place_moves_the_update_and_what_is_copied_moves_all():
    S, D = dimension("S"), dimension("D")

    def in_place(cache, new):
        return cache.at[0].set(new)

    def copied(cache, new):
        return cache.at[0].set(new), jnp.sum(cache)

    shapes = "cache:fp32[S,D], new:fp32[D]"
    found = traced(in_place, shapes)
    assert (found.overwritten, operation(found).bytes()) == (("cache",), 8 * D)
    found = traced(copied, shapes)
    assert (found.overwritten, operation(found).bytes()) == ((), 8 * S * D + 4 * D + 4)


def test_masks_and_indices_are_no_work():
    op = operation(traced(lambda x: jnp.where(jnp.arange(x.shape[0]) % 2 == 0, x, 0), x="fp32[N]"))
    assert dict(op.compute) == {"fp32-vector": dimension("N")}
    op = operation(traced(lambda t, i: t[i + 1], t="fp32[100,D]", i="int32[1]"))
    assert dict(op.compute) == {}
    op = operation(traced(lambda t: t[jnp.floor(jnp.arange(8) * 0.5).astype(int)], t="fp32[100,D]"))
    assert dict(op.compute) == {}
    op = operation(traced(lambda t, x: t[jnp.floor(x * 0.5).astype(int)], t="fp32[100,D]", x="fp32[T]"))
    assert dict(op.compute) == {"fp32-vector": 2 * dimension("T")}  # arithmetic on an input is work
    op = operation(traced(lambda t, i: (t[i + 1], i + 1), t="fp32[100,D]", i="int32[T]"))  # here a result
    assert dict(op.compute) == {"int32-vector": dimension("T")}


def test_complex_numbers_are_two_of_theirs():
    """Real parts are half of the bytes. An addition is two FLOPs, and a magnitude two squares, a sum and a root."""
    B, L, N = map(dimension, "BLN")
    op = operation(traced(lambda x: jnp.fft.ifft(x).real, x="complex64[B,64]"))
    assert (dict(op.compute), op.bytes()) == ({"fp32-vector": 5 * 64 * 6 * B}, 8 * 64 * B + 4 * 64 * B)
    assert operation(traced(lambda x: x.real + x.imag, x="complex64[N]")).bytes() == 8 * N + 4 * N
    assert operation(traced(lambda x: x.real * 2, x="complex64[N]")).bytes() == 4 * N + 4 * N
    assert dict(operation(traced(jnp.abs, x="complex64[N]")).compute) == {"fp32-vector": 3 * N, "exp": N}
    assert dict(operation(traced(jnp.sum, a="complex64[N]")).compute) == {"fp32-vector": 2 * N - 2}
    product = operation(traced(lambda x, w: x @ w, x="complex64[B,L]", w="complex64[L,N]"))
    assert dict(product.compute) == {"fp32": 8 * B * L * N}  # 4 products and 4 additions for each of L
    op = operation(traced(lambda x, y: jnp.einsum("b,n->bn", x, y), x="complex64[B]", y="complex64[N]"))
    assert dict(op.compute) == {"fp32-vector": 6 * B * N}
    with pytest.raises(RoofproofError, match="reduce_prod of complex numbers has no rule"):
        traced(lambda x: jnp.prod(x), x="complex64[N]")


def test_a_condition_decides_what_a_size_is():
    L, c = dimension("L"), dimension("c")
    op = operation(traced(lambda x: x.reshape(-1, 64).sum(1), x="fp32[L]", where="64 divides L"))
    assert op.bytes() == 4 * L + L / 16 and op.conditions == (sympy.Eq(sympy.Mod(L, 64), 0, evaluate=False),)
    op = operation(traced(lambda x: x * 2, x="fp32[h]", where="h = 2*c"))
    assert op.bytes() == 16 * c


def test_pytrees_have_dotted_names():
    def step(params, cache, n):
        return {"out": params["w"] @ cache[0] + n, "kept": [cache[1] * 2]}

    op = operation(traced(step, "params.w:bf16[D,F], cache[0]:bf16[F], cache[1]:bf16[F], n=3"))
    assert [t.name for t in op.reads] == ["params.w", "cache[0]", "cache[1]"]
    assert sorted(t.name for t in op.writes) == ["result.kept[0]", "result.out"]


def test_each_row_has_its_line():
    op = operation(traced(attention, BY_NAME["attention"].shapes))
    first = attention.__code__.co_firstlineno
    assert [(row.place.file, row.place.line) for row in op.rows] == [
        ("functions.py", first + 1),
        ("functions.py", first + 2),
    ]


def test_a_loop_in_a_loop_reads_what_changes_with_its_turn():
    """The outer index chooses the row and the inner loop reuses it, so 5 rows are read, not 35."""

    def rows(x):
        return lax.fori_loop(0, 5, lambda i, a: lax.fori_loop(0, 7, lambda j, b: b + x[i], a), jnp.zeros_like(x[0]))

    D = dimension("D")
    op = operation(traced(rows, x="fp32[5,D]"))
    assert (dict(op.compute), op.bytes()) == ({"fp32-vector": 35 * D}, 24 * D)


def test_any_number_of_blocks_is_traced_once():
    """A scan over N blocks has N times the FLOPs and weights of one block, and moves x once."""
    N = dimension("N")
    shapes = BLOCK.replace("[", "[N,").replace("x:bf16[N,", "x:bf16[")
    one, many = (operation(traced(f, s, where="k even")) for f, s in ((block, BLOCK), (stacked, shapes)))
    assert {engine: sympy.expand(N * n) for engine, n in one.compute.items()} == {
        engine: sympy.expand(n) for engine, n in many.compute.items()
    }
    B, L, d = map(dimension, "BLd")
    assert sympy.expand(many.bytes() - 4 * B * L * d - N * (one.bytes() - 4 * B * L * d)) == 0


ORDERS = [
    ("bd,dr,rf->bf", "x:bf16[B,d*64], y:bf16[d*64,8], z:bf16[8,f*64]"),
    ("bld,dk,bsk->bls", "x:bf16[B,16*L,512], y:bf16[512,8], z:bf16[B,16*S,8]"),
    ("ab,bc,cd,de->ae", "x:fp32[2,64*b], y:fp32[64*b,64*c], z:fp32[64*c,64*d], w:fp32[64*d,64*d]"),
]


@pytest.mark.parametrize(("spec", "shapes"), ORDERS, ids=lambda text: text.partition("->")[0])
def test_einsums_are_done_in_the_order_of_opt_einsum_at_any_size(spec, shapes):
    opt_einsum = pytest.importorskip("opt_einsum", reason="opt_einsum is not installed; cure: pip install opt_einsum")
    names = [one.name for one in read(shapes)[0]]
    function = einsum_of(spec, names)
    found = traced(function, shapes)
    op = operation(found)
    for k in (3, 17, 40):
        sizes = {s: k + i for i, s in enumerate(sorted(op.dims, key=str))}
        numbers = [tuple(int(n.subs(sizes)) for n in one.shape) for one in read(shapes)[0]]
        path, _ = opt_einsum.contract_path(spec, *numbers, shapes=True)
        said = ", ".join(str(step).replace(" ", "") for step in path)
        assert found.notes == (f"{spec} in the order {said}",)
        concrete = traced(function, at(Case("", function, shapes, {}, ""), sizes))  # in JAX's own order
        assert op.flops.subs(sizes) == operation(concrete).flops


def einsum_of(spec, names):
    """Return a function that computes an einsum of as many operands as there are `names`."""
    return {
        3: lambda x, y, z: jnp.einsum(spec, x, y, z),
        4: lambda x, y, z, w: jnp.einsum(spec, x, y, z, w),
    }[len(names)]  # fmt: skip
