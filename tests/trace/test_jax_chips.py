"""`shard_map` and Pallas kernels: bytes over links by axis, blocks that move repeatedly, and on-chip memory."""

from functools import partial

import pytest
from functions import jax, jnp, lax
from jax.experimental import pallas as pl
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from roofproof import trace
from roofproof.errors import RoofproofError
from roofproof.symbols import dimension
from roofproof.trace.registry import ADDED

pytestmark = pytest.mark.frameworks
MESH = AbstractMesh((4, 2), ("x", "y"))
B, D, F, a, k, m, n = map(dimension, "BDFakmn")


def on_chips(function, ins, outs, shapes, **named):
    split = jax.shard_map(function, mesh=MESH, in_specs=ins, out_specs=outs, check_vma=False)
    links = {"x": "ici", "y": "ici", **named.pop("links", {})}
    return trace.jax(split, shapes, links=links, **named)


def test_an_axis_without_a_link_is_asked_for():
    split = jax.shard_map(lambda x: lax.psum(x, "y"), mesh=MESH, in_specs=P(), out_specs=P(), check_vma=False)
    with pytest.raises(RoofproofError, match=r"the link of axis y of the mesh is missing; name it, such as --links y="):
        trace.jax(split, "x:bf16[B,D]")
    with pytest.raises(RoofproofError, match="the link of axis y"):
        trace.jax(split, "x:bf16[B,D]", links={"x": "ici"})
    one = AbstractMesh((1,), ("z",))
    alone = jax.shard_map(lambda x: lax.psum(x, "z"), mesh=one, in_specs=P(), out_specs=P(), check_vma=False)
    assert trace.jax(alone, "x:bf16[B,D]").demands.keys() == {"memory"}


def test_tensor_parallel_layers_sum_over_an_axis():
    """A ring of 4 moves 2 * 3/4 * (2 B D) bytes, and each chip has a quarter of the weights."""
    shapes = "x:bf16[B,D], up:bf16[D,F], down:bf16[F,D]"
    op = on_chips(
        lambda x, up, down: lax.psum((x @ up) @ down, "x"),
        (P(), P(None, "x"), P("x")),
        P(),
        shapes,
        where="4 divides F",
    )
    assert dict(op.compute) == {"bf16": B * D * F}
    assert (op.bytes("ici"), op.bytes()) == (3 * B * D, 4 * B * D + D * F)


def test_weights_are_gathered():
    shapes = "x:bf16[4*B,4*D], w:bf16[4*D,F]"
    op = on_chips(lambda x, w: x @ lax.all_gather(w, "x", tiled=True), (P("x"), P("x")), P("x"), shapes)
    assert (op.bytes("ici"), op.bytes()) == (6 * D * F, 8 * B * D + 2 * D * F + 2 * B * F)


@pytest.mark.parametrize(
    ("collective", "moved"),
    [
        (lambda x: lax.psum(x, "y"), {"ici": 8 * B * D}),  # 2 * 1/2 * (8*B*D)
        (lambda x: lax.pmean(x, ("x", "y")), {"ici": 12 * B * D, "dcn": 8 * B * D}),
        (lambda x: lax.psum_scatter(x, "x", tiled=True), {"ici": 6 * B * D}),
        (lambda x: lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)]), {"ici": 8 * B * D}),
        (lambda x: lax.all_to_all(x, "x", 0, 0, tiled=True), {"ici": 12 * B * D}),  # 3/8 of 32 B D
        (lambda x: lax.scan(lambda c, _: (lax.ppermute(c, "x", [(0, 1)]), None), x, None, 3)[0], {"ici": 24 * B * D}),
    ],
)
def test_each_collective_has_its_bytes_by_axis(collective, moved):
    links = {"y": "dcn"} if "dcn" in moved else {}
    op = on_chips(collective, P("x"), P("x"), "x:bf16[16*B,D]", links=links)  # 8 B D bytes on a chip
    assert {link: op.bytes(link) for link in moved} == moved
    assert sum(row.moved.get("ici", 0) for row in op.rows) == moved["ici"]


def test_work_outside_a_shard_map_is_refused():
    inside = jax.shard_map(lambda y: lax.psum(y, "x"), mesh=MESH, in_specs=P("x"), out_specs=P())
    for function in (lambda x: inside(x) + 1, lambda x: inside(x * 2)):
        with pytest.raises(RoofproofError, match=r"traced is one chip|traces one chip"):
            trace.jax(function, "x:bf16[8*B,D]", links={"x": "ici"})


def product(x_ref, w_ref, z_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        z_ref[...] = jnp.zeros_like(z_ref)

    z_ref[...] += jnp.dot(x_ref[...], w_ref[...], preferred_element_type=jnp.float32)


def tiled(x, w):
    tile = partial(pl.BlockSpec, (128, 128))
    return pl.pallas_call(
        product,
        grid=(x.shape[0] // 128, w.shape[1] // 128, x.shape[1] // 128),
        in_specs=[tile(lambda i, j, r: (i, r)), tile(lambda i, j, r: (r, j))],
        out_specs=tile(lambda i, j, r: (i, j)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], w.shape[1]), jnp.float32),
    )(x, w)


SHAPES = "x:bf16[128*m,128*k], w:bf16[128*k,128*n]"


@pytest.mark.parametrize("model", ["fused", "kernels", "unfused"])
def test_blocks_of_a_kernel_move_again_in_every_model(model):
    """Each operand moves m n k blocks of 2 * 128^2 bytes, and the result is written once, in fp32."""
    op = trace.jax(tiled, SHAPES, traffic=model)
    assert op.bytes() == 65536 * k * m * n + 65536 * m * n
    assert op.compute["bf16"] == 2 * (128 * m) * (128 * k) * (128 * n)
    assert dict(op.footprint) == {"vmem": 2 * 2 * 128**2 + 4 * 128**2}


def test_what_surrounds_a_kernel_is_written_for_it():
    """Doubling x moves 4 * 128^2 m k bytes before the kernel reads it, and the result is read again."""
    op = trace.jax(lambda x, w: tiled(x * 2, w) + 1, SHAPES)
    assert op.bytes() == trace.jax(tiled, SHAPES).bytes() + 4 * 128**2 * m * k + 8 * 128**2 * m * n


def test_what_is_done_in_some_blocks_counts_in_their_share():
    def last(x_ref, z_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            z_ref[...] = jnp.exp(x_ref[...])

    def call(x):
        spec = pl.BlockSpec((128,), lambda i: (i,))
        return pl.pallas_call(last, grid=(x.shape[0] // 128,), in_specs=[spec], out_specs=spec, out_shape=x)(x)

    assert dict(trace.jax(call, "x:fp32[128*n]").compute) == {"exp": 128}


def test_attention_with_blocks_of_symbolic_width():
    """Flash attention over 128 a tokens of width d has an exponential per score, and one per row and block."""

    def body(q, keys, values, o):
        def step(j, carry):
            acc, most, total = carry
            s = jnp.dot(q[...], keys[pl.ds(j * 128, 128), :].T, preferred_element_type=jnp.float32)
            now = jnp.maximum(most, s.max(-1))
            p, scale = jnp.exp(s - now[:, None]), jnp.exp(most - now)
            part = jnp.dot(p.astype(o.dtype), values[pl.ds(j * 128, 128), :], preferred_element_type=jnp.float32)
            return acc * scale[:, None] + part, now, total * scale + p.sum(-1)

        start = jnp.zeros(q.shape, jnp.float32), jnp.full((128,), -jnp.inf), jnp.zeros((128,))
        acc, _, total = lax.fori_loop(0, keys.shape[0] // 128, step, start)
        o[...] = (acc / total[:, None]).astype(o.dtype)

    def flash(q, keys, values):
        rows, whole = pl.BlockSpec((128, q.shape[1]), lambda i: (i, 0)), pl.BlockSpec(keys.shape, lambda i: (0, 0))
        grid = (q.shape[0] // 128,)
        call = pl.pallas_call(body, grid=grid, in_specs=[rows, whole, whole], out_specs=rows, out_shape=q)
        return call(q, keys, values)

    d = dimension("d")
    op = trace.jax(flash, "q:bf16[128*a,d], keys:bf16[128*a,d], values:bf16[128*a,d]")
    assert (op.compute["bf16"], op.compute["exp"]) == (4 * (128 * a) ** 2 * d, a**2 * (128 * 128 + 128))
    assert (op.bytes(), dict(op.footprint)) == (4 * 2 * 128 * a * d, {"vmem": 512 * a * d + 512 * d})


def test_blocks_that_are_chosen_by_values_and_a_grid_that_is_computed():
    """16 blocks of 8 x 128 and the numbers that choose them move. A rule gives the length of a computed grid."""
    from jax.experimental.pallas import tpu

    def double(chosen, x, out):
        out[...] = x[...] * 2

    def blocks(chosen, x, turns):
        spec = tpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, grid=(turns,), in_specs=[pl.BlockSpec((8, 128), lambda i, chosen: (chosen[i], 0))],
            out_specs=pl.BlockSpec((8, 128), lambda i, chosen: (i, 0)),
        )  # fmt: skip
        return pl.pallas_call(double, grid_spec=spec, out_shape=x)(chosen, x)

    shapes = "chosen:int32[16], x:fp32[128,128]"
    made = trace.jax(lambda chosen, x: blocks(chosen, x, 16), shapes)
    assert made.bytes() == 16 * (2 * 4 * 8 * 128 + 4)
    assert made.compute["fp32-vector"] == 16 * 8 * 128

    def computed(chosen, x):
        return blocks(chosen, x, chosen[0])

    with pytest.raises(RoofproofError, match="computed when it runs; give it by"):
        trace.jax(computed, shapes)
    trace.rule("pallas_call", trips="g")
    try:
        made = trace.jax(computed, shapes)
    finally:
        del ADDED["pallas_call", ""]
    assert (made.compute["fp32-vector"] - 8 * 128 * dimension("g")).expand() == 0
