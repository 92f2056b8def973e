"""Sharded products simulated on every chip with integers: the plan must give the product at its stated cost."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import simplify

from roofproof.errors import RoofproofError
from roofproof.ops import einsum, parse_operation, shard
from roofproof.ops.network import Switch, Torus, mesh, sharded_einsum
from roofproof.ops.notation.layout import read_layouts
from roofproof.symbols import dimension

SIZES = {"X": 2, "Y": 3}
CHIPS = [dict(zip(SIZES, at, strict=True)) for at in itertools.product(*(range(n) for n in SIZES.values()))]
LENGTH = {"I": 6, "J": 12, "K": 18, "N": 6}
MESH = mesh(**SIZES)


def cut(array, layout, chip, have=None):
    """Return the part of an array that a chip holds. `have` is the layout that the array already has."""
    for i, (d, axes) in enumerate(layout.dims.items()):
        done = have.dims[d] if have else ()
        assert axes[: len(done)] == done, "a slice cannot undo a cut"
        for axis in axes[len(done) :]:
            array = np.split(array, SIZES[axis], axis=i)[chip[axis]]
    return array


def group(chip, axis):
    return [next(i for i, c in enumerate(CHIPS) if c == {**chip, axis: k}) for k in range(SIZES[axis])]


def play(c, local):
    """Run a collective on the arrays of all chips, and check its stated number of bytes."""
    dims = list(c.before.dims)
    after = []
    changed = [i for i, d in enumerate(dims) if c.before.dims[d] != c.after.dims[d]]
    for chip in CHIPS:
        mates = [local[i] for i in group(chip, c.axis)]
        if c.kind == "all-gather":
            [i] = changed
            after.append(np.concatenate(mates, axis=i))
            size = after[-1].size
        elif c.kind == "all-to-all":
            gone = next(i for i in changed if c.axis in c.before.dims[dims[i]])
            come = next(i for i in changed if i != gone)
            whole = np.concatenate(mates, axis=gone)
            after.append(np.split(whole, SIZES[c.axis], axis=come)[chip[c.axis]])
            size = whole.size
        else:
            total = sum(mates)
            size = total.size
            if c.kind == "reduce-scatter":
                [i] = changed
                total = np.split(total, SIZES[c.axis], axis=i)[chip[c.axis]]
            after.append(total)
        assert 2 * size == c.size.subs({dimension(d): n for d, n in LENGTH.items()}), "V is not the bytes moved"
    return after


def run(text):
    """Run a plan on every chip, check its result, FLOPs and bytes, and return it."""
    plan = sharded_einsum(text, MESH)
    operands, output, _, _ = read_layouts(text, MESH)
    random = np.random.default_rng(1)
    wholes = [random.integers(0, 9, [LENGTH[str(d)] for d in o.dims]) for o in operands]
    spec = ",".join("".join(map(str, o.dims)) for o in operands) + "->" + "".join(map(str, output.dims))
    truth = np.einsum(spec, *wholes)
    state = {o.tensor.name: (o, [cut(w, o, chip) for chip in CHIPS]) for o, w in zip(operands, wholes, strict=True)}
    before = [c for c in plan.communications if len(operands) > 1 and c.before.tensor.name in state]
    after = plan.communications[len(before) :]

    def to(layout, name):
        have, local = state[name]
        state[name] = layout, [cut(a, layout, chip, have) for a, chip in zip(local, CHIPS, strict=True)]

    for c in before:
        to(c.before, c.before.tensor.name)
        state[c.after.tensor.name] = c.after, play(c, state[c.after.tensor.name][1])
    for used in plan.operands:
        to(used, used.tensor.name)
    inputs = [state[o.tensor.name][1] for o in plan.operands]
    local = [np.einsum(spec, *(arrays[i] for arrays in inputs)) for i in range(len(CHIPS))]
    if len(operands) == 2:
        loops = {str(d): n for o, arrays in zip(plan.operands, inputs, strict=True)
                 for d, n in zip(o.dims, arrays[0].shape, strict=True)}  # fmt: skip
        points = math.prod(loops.values())
        each = 2 if set(loops) != set(map(str, output.dims)) else 1
        at = {dimension(d): n for d, n in LENGTH.items()}
        assert plan.flops.subs(at) == each * points
        idle = math.prod(n for axis, n in SIZES.items() if axis not in plan.busy)
        assert plan.flops.subs(at) * len(CHIPS) == plan.einsum.flops.subs(at) * idle  # no work is lost or repeated
    layout = plan.product
    for c in after:
        local = [cut(a, c.before, chip, layout) for a, chip in zip(local, CHIPS, strict=True)]
        local, layout = play(c, local), c.after
    local = [cut(a, output, chip, layout) for a, chip in zip(local, CHIPS, strict=True)]
    for chip in CHIPS:
        mates = [i for i, c in enumerate(CHIPS) if all(c[a] == chip[a] for a in SIZES if a not in output.partial)]
        assert (sum(local[i] for i in mates) == cut(truth, output, chip)).all()
    return plan


CUTS = ["", "_X", "_Y", "_XY", "_YX"]
cuts = st.sampled_from(CUTS)
pairs = st.sampled_from([(one, other) for one in CUTS for other in CUTS if not set(one[1:]) & set(other[1:])])


@given(pairs, pairs, pairs)
def test_any_product_of_two_matrices(a, b, c):
    run(f"A[I{a[0]}, J{a[1]}] * B[J{b[0]}, K{b[1]}] -> C[I{c[0]}, K{c[1]}]")


@given(pairs, cuts, pairs)
def test_any_batched_product(a, n, c):
    run(f"A[N{a[0]}, I{a[1]}, J] * B[N{n}, J, K] -> C[N{c[0]}, I, K{c[1]}]")


@given(pairs, pairs)
def test_any_new_layout_of_one_tensor(a, c):
    plan = run(f"A[I{a[0]}, J{a[1]}] -> A[I{c[0]}, J{c[1]}]")
    assert plan.flops == 0
    assert set(plan.operation().demands) <= {"ici"}


@pytest.mark.parametrize(
    ("text", "case", "steps"),
    [
        ("A[I_X, J] * B[J, K_Y] -> C[I_X, K_Y]", 1, []),
        ("A[I, J_X] * B[J, K] -> C[I, K]", 2, ["all-gather over X: A[I, J_X] -> A[I, J], 2*I*J bytes"]),
        ("A[I, J_X] * B[J_X, K] -> C[I, K]", 3, ["all-reduce over X: C[I, K]{U_X} -> C[I, K], 2*I*K bytes"]),
        ("A[I, J_X] * B[J_X, K] -> C[I, K_X]", 3, ["reduce-scatter over X: C[I, K]{U_X} -> C[I, K_X], 2*I*K bytes"]),
        ("A[I, J_X] · B[J_X, K] → C[I, K]{U_X}", 3, []),
        ("A[I_X, J] * B[J, K_X] -> C[I_X, K]", 4, ["all-gather over X: B[J, K_X] -> B[J, K], 2*J*K bytes"]),
        ("A[I_X, J] * B[J, K_X] -> C[I, K_X]", 4, ["all-gather over X: A[I_X, J] -> A[I, J], 2*I*J bytes"]),
        ("A[I_X, J] -> A[I, J_X]", 1, ["all-to-all over X: A[I_X, J] -> A[I, J_X], 2*I*J bytes"]),
    ],
)
def test_the_four_cases(text, case, steps):
    plan = sharded_einsum(text)
    assert plan.cases == (case,)
    assert [str(c) for c in plan.communications] == steps


@pytest.mark.parametrize("n", [1, 2, 4, 8, "n"])
def test_the_algebra_cuts_a_matmul_the_same_way(n):
    for dim, text in [("D", "x[B, D_n] * w[D_n, F] -> z[B, F]"), ("B", "x[B_n, D] * w[D, F] -> z[B_n, F]")]:
        here = sharded_einsum(text, mesh(n=n)).operation()
        there = shard(parse_operation("matmul"), **{dim: n})
        assert set(here.demands) == set(there.demands)
        assert all(simplify(here.demands[k] - there.demands[k]) == 0 for k in here.demands)
        assert here.conditions == there.conditions


def test_formats_and_names():
    plan = sharded_einsum("int8[B_X, D_Y] × w_1:int4[D_Y, F] → bf16[B_X, F] @ bf16")
    assert str(plan) == "A[B_X, D_Y] * w_1[D_Y, F] -> C[B_X, F]"
    B, D, F, X, Y = map(dimension, "BDFXY")
    assert plan.operation().compute == {"bf16": 2 * B * D * F / (X * Y)}
    assert plan.operation().bytes() == B * D / (X * Y) + D * F / (2 * Y) + 2 * B * F / X
    assert plan.collectives[0].size == 2 * B * F / X


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A[I_X, J_X] -> A[I, J]", "column 10: mesh axis X twice in A; an axis cuts one dimension of a tensor"),
        ("A[I_X] -> A[I]{U_X}", "A[I]{U_X} is to hold partial sums over X, but nothing is summed over it"),
        ("A[I_Z] -> A[I]", "column 5: unknown mesh axis 'Z'; the mesh has X, Y"),
        ("A[I_XZ] -> A[I]", "column 5: unknown mesh axis 'XZ'; the mesh has X, Y"),
        ("A[I, J] * B[L, K] -> C[I, K]",
         "dimension J of A is in no other operand and not in C; A has I, J; B has L, K"),
        ("A[I, J] * B[J, K] -> C[I, M]", "dimension M of C is in no operand; A has I, J; B has J, K"),
        ("A[I, I] -> A[I]", "column 6: dimension I twice in A; each has a name of its own"),
        ("A[I] * A[I] -> B[I]", "column 8: two tensors named 'A'; each tensor has a name of its own"),
        ("A[I] * B[I] * C[I] -> D[I]", "column 15: 3 factors; expected two, or one tensor to lay out anew"),
        ("A:q[I] -> A[I]", "column 3: unknown number format 'q' after A:"),
        ("A[I]{V_X} -> A[I]", "column 6: expected U, as in {U_X}: partial sums over X, got 'V'"),
        ("A[I]{U_X} * B[I] -> C[I]", "A[I]{U_X} holds partial sums; reduce it before a product"),
        ("A[I, J * B[J] -> C[I]", "column 2: '[' is never closed"),
        ("A[I] B[I] -> C[I]", "column 6: unexpected 'B'; expected '*' or '->'"),
        ("A[I] -> ", "column 8: the text is incomplete; expected '['"),
        ("", "expected a sharded product, but the text is empty"),
    ],
)  # fmt: skip
def test_what_is_refused(text, message):
    with pytest.raises(RoofproofError, match="^" + re.escape(f"in {text!r}: {message}") + "$"):
        sharded_einsum(text, MESH)


def test_an_axis_is_no_dimension():
    with pytest.raises(
        RoofproofError, match="column 5: X is a dimension and a mesh axis; give one of them another name"
    ):
        sharded_einsum("A[X_X] -> A[X]")


@pytest.mark.parametrize(
    ("over", "sizes", "message"),
    [
        (Torus(sizes=(4, 4)), {"X": 8, "Y": 4}, "mesh X=8, Y=4 has 32 chips; torus of 4 x 4 over ici joins at most 16"),
        (Torus(sizes=(4, 4)), {"X": 8, "Y": 2}, "mesh axis X=8 exceeds axis 0 of a torus of 4 x 4"),
        (Torus(sizes=(4, 4)), {"X": 2, "Y": 2, "Z": 2}, "mesh X=2, Y=2, Z=2 has 3 axes; a torus of 4 x 4 has 2"),
        (Switch("nvlink", 8), {"X": 4, "Y": 4}, "mesh X=4, Y=4 has 16 chips; switch over nvlink joins at most 8"),
        ({"X": Switch("nvlink", 8)}, {"X": 16}, "mesh X=16 has 16 chips; switch over nvlink joins at most 8"),
        ({"X": Switch("nvlink", 8)}, {"Y": 2}, "mesh axis 'Y' has no topology; given: X"),
        (None, {"X": 0}, "mesh axis X: expected a positive integer, got '0'"),
        (None, {"a_b": 2}, "mesh axis 'a_b': expected letters and digits, as in 'X'"),
    ],
)
def test_a_mesh_that_does_not_fit(over, sizes, message):
    with pytest.raises(RoofproofError, match="^" + re.escape(message) + "$"):
        mesh(over, **sizes)


@pytest.mark.parametrize(
    "text",
    [
        "X[B_X, D_Y] * W[D_Y, F] -> Z[B_X, F]",
        "x:int8[B, D_n] * w:int8[D_n, F] → z:bf16[B, F]",
        "A[I_X, J] -> A[I, J_X]",
        "A[I, J_X]{U_Y} -> A[I_Y, J_X]",
    ],
)
def test_the_notation_names_an_operation(text):
    """The notation works as the text of an operation, and its convention names the collectives."""
    named, product = parse_operation(text), sharded_einsum(text)
    assert named.demands == product.operation().demands
    assert all(str(c) in named.convention for c in product.communications) and product.communications


def test_an_einsum_is_no_sharded_product():
    assert parse_operation("bf16[B,D] -> bf16[B]") == einsum("bf16[B,D] -> bf16[B]")
    assert parse_operation("x:bf16[B_X,D], w:bf16[D,F] -> z:bf16[B_X,F]").traffic == {}  # a name with an underscore
