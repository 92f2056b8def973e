"""Each address moves once: random programs of slices, views and shared operands against a count address by address."""

import random

import pytest
from functions import jax
from sympy import Integer, Min, expand

from roofproof import trace
from roofproof.errors import RoofproofError
from roofproof.symbols import dimension
from roofproof.trace.regions import Region, union
from roofproof.trace.sizes import KnownSizes

pytestmark = pytest.mark.frameworks
np = pytest.importorskip("numpy")
pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
FEW, MANY = 20, 2000
LATENT = "q:bf16[16,512], c:bf16[4096,512]"


def views(dice, shape):
    """Return a random chain of views, as a function of a NumPy, PyTorch or JAX array."""
    chain, length = [], dice.randint(1, 4)
    for _ in range(length):
        kind = dice.choice(["slice", "slice", "transpose", "reshape", "stack"])
        if kind == "slice":
            axis = dice.randrange(len(shape))
            start = dice.randrange(shape[axis])
            end, step = dice.randint(start + 1, shape[axis]), dice.choice([1, 1, 2, 3])
            cut = (*[slice(None)] * axis, slice(start, end, step))
            chain.append(lambda x, cut=cut: x[cut])
            shape = [*shape[:axis], -(-(end - start) // step), *shape[axis + 1 :]]
        elif kind == "transpose" and len(shape) > 1:
            i, j = dice.sample(range(len(shape)), 2)
            chain.append(lambda x, i=i, j=j: x.swapaxes(i, j))
            shape = [shape[j] if k == i else shape[i] if k == j else n for k, n in enumerate(shape)]
        elif kind == "reshape" and shape[-1] % 2 == 0:  # splitting an axis in two is always a view
            shape = [*shape[:-1], shape[-1] // 2, 2]
            chain.append(lambda x, shape=tuple(shape): x.reshape(shape))
        elif kind == "stack" and len(shape) > 1 and not chain:
            shape = [shape[0] * shape[1], *shape[2:]]
            chain.append(lambda x, shape=tuple(shape): x.reshape(shape))
    return lambda x: [x := step(x) for step in chain][-1] if chain else x


def programs(seed, many):
    """Yield random shapes, and views of an array of that shape that a program adds up."""
    dice = random.Random(seed)
    for _ in range(many):
        shape = [dice.choice([2, 3, 4, 6, 8]) for _ in range(dice.randint(1, 3))]
        yield shape, [views(dice, shape) for _ in range(dice.randint(1, 4))]


def check(framework, seed, many):
    for shape, taken in programs(seed, many):
        places = np.arange(np.prod(shape)).reshape(shape)
        read = set().union(*(view(places).ravel().tolist() for view in taken))
        op = framework(
            lambda x, taken=taken: sum(view(x).sum() for view in taken), f"x:fp32[{','.join(map(str, shape))}]"
        )
        assert op.bytes() == 4 * len(read) + 4, (shape, seed)  # one sum is written


@pytest.mark.parametrize("framework", [trace.torch, trace.jax])
def test_each_address_of_random_programs_moves_once(framework):
    check(framework, 1, FEW)


@pytest.mark.long
@pytest.mark.parametrize("framework", [trace.torch, trace.jax])
def test_each_address_of_many_random_programs_moves_once(framework):
    check(framework, 2, MANY // 2)


def steps(dice, shapes):
    """Return random steps on arrays: (kind, index of the array, view of it)."""
    found = []
    for _ in range(dice.randint(2, 6)):
        which = dice.randrange(len(shapes))
        found.append((dice.choice(["sum", "sum", "twice", "add", "fill"]), which, views(dice, shapes[which])))
    return found


def done(program, *arrays):
    """Run the steps in PyTorch, and return the sum of the values that they read."""
    total = 0
    for kind, which, view in program:
        seen = view(arrays[which])
        if kind in ("sum", "twice"):
            total = total + seen.sum() if kind == "sum" else total + (seen * seen.flip(0)).sum()
        elif kind == "add":
            total = total + seen.add_(1).sum()
        else:
            seen.fill_(1)
    return total + arrays[0].sum()


def moved(program, shapes):
    """Return the number of addresses read from outside, and the number of addresses changed."""
    places = [np.arange(np.prod(shape)).reshape(shape) for shape in shapes]
    read, changed = set(), set()
    for kind, which, view in [*program, ("sum", 0, lambda x: x)]:
        seen = {(which, k) for k in view(places[which]).ravel().tolist()}
        if kind != "fill":
            read |= seen - changed
        if kind in ("add", "fill"):
            changed |= seen
    return len(read), len(changed)


def check_changes(seed, many):
    dice = random.Random(seed)
    for k in range(many):
        shapes = [[dice.choice([2, 3, 4, 6, 8]) for _ in range(dice.randint(1, 3))] for _ in range(2)]
        program = steps(dice, shapes)
        texts = (f"{name}:fp32[{','.join(map(str, shape))}]" for name, shape in zip("xy", shapes, strict=True))
        op = trace.torch(lambda x, y, program=program: done(program, x, y), ", ".join(texts))
        read, changed = moved(program, shapes)
        assert op.bytes() == 4 * (read + changed + 1), (seed, k, shapes, program)


def test_what_was_changed_here_does_not_come_from_outside():
    check_changes(3, FEW)


@pytest.mark.long
def test_what_was_changed_in_many_random_programs_does_not_come_from_outside():
    check_changes(4, MANY)


def test_a_part_of_a_cache_that_two_products_share_is_read_once():
    """The cache moves 2 * 2048 * 512 bytes, and queries and results 2 * 16 * 512 each."""
    in_torch = trace.torch(lambda q, c: (q @ c[:2048].T).softmax(-1) @ c[:2048], LATENT)
    in_jax = trace.jax(lambda q, c: jax.nn.softmax(q @ c[:2048].T) @ c[:2048], LATENT)
    assert in_torch.bytes() == in_jax.bytes() == 2 * 2048 * 512 + 2 * 2 * 16 * 512 == 2_129_920


def test_latent_attention_that_renews_its_caches_reads_each_place_once():
    """Keys and values share 512 numbers per place, so the caches read 2 B S (512 + 64) bytes and write one place."""
    import torch

    def attend(queries, turned, latent, key, cache, keys, weight, start):
        rows, end = queries.shape[0], start + 1
        folded = torch.einsum("bhd,hdc->bhc", queries, weight[:, :128])
        cache[:rows, start:end] = latent
        keys[:rows, start:end] = key
        scores = torch.einsum("bhc,btc->bht", folded, cache[:rows, :end])
        scores = (scores + torch.einsum("bhr,btr->bht", turned, keys[:rows, :end])).softmax(-1)
        found = torch.einsum("bht,btc->bhc", scores, cache[:rows, :end])
        return torch.einsum("bhc,hdc->bhd", found, weight[:, -128:])

    B, S, h = 4, 2048, 16
    shapes = (
        f"queries:bf16[{B},{h},128], turned:bf16[{B},{h},64], latent:bf16[{B},1,512], key:bf16[{B},1,64], "
        f"cache:bf16[8,4096,512], keys:bf16[8,4096,64], weight:bf16[{h},256,512], start={S}"
    )
    taken = B * h * (128 + 64) + B * (512 + 64) + h * 256 * 512
    caches = B * S * (512 + 64) + B * (512 + 64)  # S places read, one written
    assert trace.torch(attend, shapes).bytes() == 2 * (taken + caches + B * h * 128)


def test_a_place_counted_from_the_end_lies_in_the_row_before():
    """x[1:] has all addresses of x[:, -1] but the first, so (B - 1) T + 1 addresses are read, and one sum written."""
    B, T = dimension("B"), dimension("T")
    for framework in (trace.torch, trace.jax):
        made = framework(lambda x: x[:, -1].sum() + x[1:].sum(), "x:fp32[B,T]", where="B >= 2; T >= 2")
        assert expand(made.bytes() - 4 * ((B - 1) * T + 1) - 4) == 0


def test_slices_by_symbols_are_regions():
    N, D = dimension("N"), dimension("D")
    half = lambda x: x[: x.shape[0] // 2].sum() + (2 * x[: x.shape[0] // 2]).sum()  # noqa: E731
    ends = lambda x: x[: x.shape[0] // 2].sum() + x[x.shape[0] // 2 :].sum()  # noqa: E731
    overlapping = lambda x: x[:, :3].sum() + x[:, 2:].T.sum()  # noqa: E731
    for framework in (trace.jax, trace.torch):
        assert expand(framework(half, "x:fp32[N,D]", where="N even").bytes() - 2 * N * D - 4) == 0
        assert expand(framework(ends, "x:fp32[N,D]", where="N even").bytes() - 4 * N * D - 4) == 0
        assert expand(framework(overlapping, "x:fp32[N,8]").bytes() - 32 * N - 4) == 0


def test_the_union_of_regions_by_symbols_is_exact_or_refused():
    n, m, D = dimension("n"), dimension("m"), dimension("D")
    rows = [Region.of(Integer(0), (k, D), (D, Integer(1))) for k in (n, m)]
    assert expand(union(rows, KnownSizes(())) - D * (n + m - Min(n, m))) == 0
    strides = [Region.of(Integer(0), (n,), (Integer(k),)) for k in (2, 3)]
    assert union(strides, KnownSizes(())) is None
    with pytest.raises(RoofproofError, match="how far the parts of x that are read overlap is open"):
        trace.jax(lambda x: x[::2].sum() + x[::3].sum(), "x:fp32[N]", where="N >= 6")


@pytest.mark.parametrize("seed", range(3))
def test_unions_of_boxes_are_counted_address_by_address(seed):
    dice = random.Random(seed)
    for _ in range(40):
        sizes = [dice.randint(1, 6) for _ in range(3)]
        strides, regions, truth = [sizes[1] * sizes[2], sizes[2], 1], [], set()
        for _ in range(dice.randint(1, 4)):
            cuts = [slice(a := dice.randrange(n), dice.randint(a + 1, n), dice.choice([1, 1, 2, 3])) for n in sizes]
            truth |= set(np.arange(np.prod(sizes)).reshape(sizes)[tuple(cuts)].ravel().tolist())
            offset = sum(cut.start * s for cut, s in zip(cuts, strides, strict=True))
            shape = [Integer(-(-(cut.stop - cut.start) // cut.step)) for cut in cuts]
            steps = [Integer(s * cut.step) for cut, s in zip(cuts, strides, strict=True)]
            order = dice.sample(range(3), 3)
            regions.append(Region.of(Integer(offset), [shape[k] for k in order], [steps[k] for k in order]))
        assert union(regions, KnownSizes(())) == len(truth)
