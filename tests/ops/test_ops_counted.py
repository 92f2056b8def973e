"""Formulas against counts: each operation is computed element by element on small shapes, and its cost counted."""

from itertools import product as points
from pathlib import Path

import counting
import pytest
from counts import COUNTS
from hypothesis import assume, given
from hypothesis import strategies as st
from sympy import Rational

from roofproof.errors import RoofproofError
from roofproof.ops import at, entries, parse_operation
from roofproof.ops.notation.typed_einsum import Einsum
from roofproof.symbols import dimension

# Below: operation name: (function that counts it, sizes to try), for exact counts and for counts by convention.
ROWS = [{"B": b, "N": n} for b, n in points((1, 3), (1, 2, 5))]
NORMS = [{"B": b, "D": d} for b, d in points((1, 3), (2, 5))]
LINE = [{"N": n} for n in (1, 7)]
IMAGES = [
    dict(N=2, C=2, K=3, P=2, Q=3, R=2, S=1), dict(N=1, C=1, K=1, P=1, Q=1, R=1, S=1),
    dict(N=1, C=3, K=2, P=3, Q=2, R=3, S=3),
]  # fmt: skip
EXACT = {
    "sum": (counting.total, ROWS),
    "max": (counting.maximum, ROWS),
    "mean": (counting.mean, ROWS),
    "softmax": (counting.softmax, ROWS),
    "layer-norm": (counting.layer_norm, NORMS),
    "rms-norm": (counting.rms_norm, NORMS),
    "convolution": (lambda m, **s: counting.convolution(m, stride=1, **s), IMAGES),
    "convolution:stride=2": (
        lambda m, **s: counting.convolution(m, stride=2, **s),
        [s for s in IMAGES if s["R"] > 1 < s["S"]],
    ),
    "depthwise-convolution": (
        lambda m, **s: counting.convolution(m, stride=1, depthwise=True, K=None, **s),
        [{key: n for key, n in s.items() if key != "K"} for s in IMAGES],
    ),
}
CONVENTION = {
    "rotary": (counting.rotary, [{"T": 2, "h": 3, "k": 4}, {"T": 1, "h": 1, "k": 2}]),
    "embedding": (counting.embedding, [{"T": 3, "V": 5, "D": 4}]),
    "fft": (counting.fft, [{"N": n} for n in (1, 2, 8, 32)]),
    "spmv": (counting.spmv, [{"M": 3, "N": 4, "Z": 9}, {"M": 1, "N": 1, "Z": 1}]),
    "add": (lambda m, N: counting.stream(m, N, "xy", "z", lambda x, y: x + y), LINE),
    "axpy": (lambda m, N: counting.stream(m, N, "xy", "y", lambda x, y: x * 3 + y), LINE),
    "stream-copy": (lambda m, N: counting.stream(m, N, "a", "c", lambda a: a), LINE),
    "stream-scale": (lambda m, N: counting.stream(m, N, "c", "b", lambda c: c * 3), LINE),
    "stream-add": (lambda m, N: counting.stream(m, N, "ab", "c", lambda a, b: a + b), LINE),
    "stream-triad": (lambda m, N: counting.stream(m, N, "bc", "a", lambda b, c: b + c * 3), LINE),
    "flash-attention": (lambda m, h, L, k: counting.attention(m, h, L, L, k), [{"h": 2, "L": 3, "k": 2}]),
    "causal-attention": (
        lambda m, h, L, k: counting.attention(m, h, L, L, k, causal=True),
        [{"h": 2, "L": 4, "k": 3}, {"h": 1, "L": 1, "k": 1}],
    ),
    "decode-attention": (counting.grouped_decode, [{"B": 2, "g": 2, "r": 3, "S": 4, "k": 2}]),
    "latent-attention": (counting.latent_decode, [{"B": 2, "S": 3, "h": 2, "c": 4, "p": 1}]),
}
# Counted by the einsum interpreter, as a whole or part by part.
EINSUMS = ["dot", "matvec", "matmul", "batched-matmul", "per-example-weights"]
SEQUENCES = ["ffn"]
# Operations that no function here computes element by element: the file and the test that count them in another way.
HERE, FRAMEWORKS, PASSES = "test_ops_counted", "test_ops_frameworks", "test_ops_frameworks_models"
PLAYED = "test_network_simulation"
ELSEWHERE = {
    "stencil7": (HERE, "a_stencil_counts_the_points_without_the_rim"),
    "tiled-matmul": ("test_ops_algebra", "tile_counts_what_a_loop_nest_moves"),
    "split-matmul": (HERE, "half_of_a_split_product_is_done_by_each_chip"),
    "adam": (HERE, "adam_does_fourteen_operations_a_parameter"),
    "ssd": (HERE, "chunks_of_a_state_space_model_do_every_pair_and_a_state"),
    "sort": (HERE, "keys_sorted_by_digits_are_read_and_written_once_a_digit"),
    "grouped-matmul": (HERE, "grouped_products_and_windows_agree_with_those_they_are_parts_of"),
    "mixture-of-experts": (HERE, "a_mixture_of_experts_in_which_no_two_tokens_agree"),
    "winograd-convolution": (HERE, "winograd_takes_fewer_products_than_the_convolution"),
    "cholesky": (HERE, "a_cholesky_factorisation_counts_its_triangle"),
    "blocked-stencil": (HERE, "a_blocked_stencil_computes_its_rims_again"),
    "attention-core": (FRAMEWORKS, "jax_counts_a_sequence_and_unfused_attention_as_the_library_does"),
    "flash-attention-backward": (FRAMEWORKS, "torch_counts_the_backward_pass_of_attention_as_five_products"),
    **dict.fromkeys(("gated-ffn", "attention", "transformer-layer", "latent-prefill", "ring-attention"),
                    (PASSES, "torch_counts_parts_of_a_layer_as_the_library_does")),
    **dict.fromkeys(("model-layer", "prefill", "decode-step", "generate", "training-step", "weights", "kv-cache"),
                    (PASSES, "torch_counts_passes_of_a_model_as_the_library_does")),
    "all-gather": (PLAYED, "all_gather_by_passing_chunks_on"),
    "reduce-scatter": (PLAYED, "reduce_scatter_by_adding_on_the_way"),
    "all-reduce": ("test_network_collectives", "all_reduce_is_reduce_scatter_then_all_gather"),
    "all-to-all": (PLAYED, "all_to_all_step_by_step"),
    "point-to-point": (PLAYED, "point_to_point_in_ever_finer_pieces"),
    **dict.fromkeys(("sharded-matmul", "gathered-matmul"), (HERE, "a_product_shared_by_chips_is_done_once")),
    **dict.fromkeys(("data-parallel", "fsdp", "tensor-parallel", "fsdp-tensor-parallel", "pipeline-parallel",
                     "expert-parallel"), ("test_network_parallel", "every_strategy_does_the_whole_work_once")),
}  # fmt: skip


def test_every_operation_has_a_counter():
    """A function computes it element by element, or a test named here counts it in another way."""
    counted = {name.partition(":")[0] for name in [*EXACT, *CONVENTION]} | {*EINSUMS, *SEQUENCES}
    kinds = (counted, set(ELSEWHERE), set(COUNTS))
    assert set().union(*kinds) == set(entries()) and sum(map(len, kinds)) == len(entries())
    for name, (file, test) in ELSEWHERE.items():
        text = (Path(__file__).parent / f"{file}.py").read_text(encoding="utf-8")
        assert f"def test_{test}(" in text, f"the counter of {name} is gone"


def sized(operation, sizes):
    return at(operation, **{n: s for n, s in sizes.items() if n in {str(d) for d in operation.dims}})


def elements(operation):
    found = {("read", t.name): int(t.times * t.elements) for t in operation.reads}
    return found | {("write", t.name): int(t.times * t.elements) for t in operation.writes}


CASES = [(name, sizes, True) for name, (_, tried) in (EXACT | COUNTS).items() for sizes in tried]
CASES += [(name, sizes, False) for name, (_, tried) in CONVENTION.items() for sizes in tried]


@pytest.mark.parametrize(("name", "sizes", "exact"), CASES)
def test_the_formulas_are_what_is_counted(name, sizes, exact):
    meter = counting.Meter()
    (EXACT | COUNTS if exact else CONVENTION)[name][0](meter, **sizes)
    operation = sized(parse_operation(name), sizes)
    assert sum((operation.exact if exact else operation).compute.values()) == meter.total
    assert elements(operation) == meter.elements()


def test_a_stencil_counts_the_points_without_the_rim():
    meter = counting.Meter()
    counting.stencil7(meter, 4)
    operation = at(parse_operation("stencil7"), N=4)
    assert operation.flops == meter.total == 8 * 4**3
    assert meter.elements() == {("read", "x"): 4**3 + 6 * 4**2, ("write", "y"): 4**3}


def run(einsum, sizes):
    """Compute an einsum element by element, two tensors at a time, and return the meter."""
    meter = counting.Meter()
    todo = [(t.name, [str(s) for s in t.shape if s != 1]) for t in einsum.inputs]
    output = einsum.output.name, [str(s) for s in einsum.output.shape if s != 1]
    counting.einsum_in_pairs(meter, todo, output, sizes)
    return meter


@pytest.mark.parametrize("name", [*EINSUMS, *SEQUENCES])
def test_named_einsums(name):
    whole = parse_operation(name)
    sizes = {str(s): 2 + i for i, s in enumerate(whole.dims)}
    counted = 0
    for part in whole.parts or (whole,):
        meter = run(Einsum(part.reads, part.writes[0], "bf16"), sizes)
        operation = sized(part, sizes)
        assert operation.exact.flops == meter.total and elements(operation) == meter.elements()
        counted += meter.total
    assert sized(whole, sizes).exact.flops == counted


@st.composite
def einsums(draw, least=1):
    """Draw a small einsum in which every index of the output is in some input."""
    letters = "BDFKN"[: draw(st.integers(1, 5))]
    shapes = [
        draw(st.lists(st.sampled_from(letters), unique=True, max_size=3)) for _ in range(draw(st.integers(least, 3)))
    ]
    used = sorted({i for shape in shapes for i in shape})
    kept = draw(st.lists(st.sampled_from(used), unique=True)) if used else []
    sizes = {i: draw(st.integers(1, 4)) for i in used}
    text = ", ".join(f"fp32[{','.join(shape)}]" for shape in shapes) + f" -> fp32[{','.join(kept)}]"
    return Einsum.parse(text), sizes, shapes, kept


@pytest.mark.slow
@given(einsums())
def test_any_einsum(case):
    einsum, sizes, _, _ = case
    meter = run(einsum, sizes)
    at_sizes = {dimension(i): n for i, n in sizes.items()}
    assert einsum.exact_flops.subs(at_sizes) == meter.total
    operation = sized(einsum.operation(), sizes)
    assert elements(operation) == meter.elements()
    assert operation.bytes() == 4 * sum(meter.elements().values())


def grouped(draw, items):
    """Return the items of a list in nested pairs, that is, with random parentheses."""
    if len(items) < 2:
        return items[0]
    cut = draw(st.integers(1, len(items) - 1))
    return grouped(draw, items[:cut]), grouped(draw, items[cut:])


def written(tree, texts):
    if isinstance(tree, int):
        return texts[tree]
    left, right = (written(side, texts) for side in tree)
    return f"({left}, {right})"


def path_of(tree, live):
    """Return opt_einsum's path for a tree, and the item it adds to `live`, the list of remaining operands."""
    if isinstance(tree, int):
        return [], ("given", tree)
    left, one = path_of(tree[0], live)
    right, other = path_of(tree[1], live)
    where = tuple(sorted((live.index(one), live.index(other))))
    for item in (one, other):
        live.remove(item)
    live.append(made := ("made", tree))
    return [*left, *right, where], made


@given(einsums(least=2), st.data())
def test_any_einsum_costs_what_opt_einsum_says(case, data):
    """opt_einsum counts the same pairs in the same order: two FLOPs per point if an index is summed, else one."""
    opt_einsum = pytest.importorskip("opt_einsum", reason="cure: pip install -e '.[test]'")
    _, sizes, shapes, kept = case
    assume(sizes)
    tree = grouped(data.draw, list(range(len(shapes))))
    factors = written(tree, [f"fp32[{','.join(shape)}]" for shape in shapes])
    einsum = Einsum.parse(f"{factors} -> fp32[{','.join(kept)}]")
    assert str(Einsum.parse(str(einsum))) == str(einsum)
    text = f"{','.join(''.join(shape) for shape in shapes)}->{''.join(kept)}"
    shaped = [tuple(sizes[i] for i in one) for one in shapes]
    path, _ = path_of(tree, [("given", i) for i in range(len(shapes))])
    _, found = opt_einsum.contract_path(text, *shaped, shapes=True, optimize=path)
    at_sizes = {dimension(i): n for i, n in sizes.items()}
    assert einsum.flops.subs(at_sizes) == int(found.opt_cost)
    assert sum(einsum.operation().compute.values()).subs(at_sizes) == int(found.opt_cost)


@pytest.mark.parametrize(("B", "E", "k"), [(1, 4, 2), (2, 4, 2), (3, 4, 2), (5, 3, 1), (2, 3, 3)])
def test_a_mixture_of_experts_in_which_no_two_tokens_agree(B, E, k):
    sizes = {"B": B, "D": 3, "F": 2, "E": E, "k": k}
    meter = counting.Meter()
    counting.mixture(meter, **sizes)
    operation = at(parse_operation("mixture-of-experts:touched=most"), **sizes)
    assert operation.flops == meter.total
    counted = meter.elements()
    for weight in ("w_router", "w_gate", "w_up", "w_down"):
        moved = sum(t.times * t.elements for t in operation.reads if t.name == weight)
        assert moved == counted["read", weight]
    one_expert = at(parse_operation("gated-ffn"), B=B, D=3, F=2)
    assert operation.flops - 2 * B * 3 * E == k * one_expert.flops


@pytest.mark.parametrize("N", [1, 2, 5])
def test_a_cholesky_factorisation_counts_its_triangle(N):
    meter = counting.Meter()
    m = {(i, j): counting.Number(meter, 1.0 + (i == j) * N) for i in range(N) for j in range(i + 1)}
    for k in range(N):
        m[k, k] = m[k, k].root()
        for i in range(k + 1, N):
            m[i, k] = m[i, k] / m[k, k]
        for i in range(k + 1, N):
            for j in range(k + 1, i + 1):
                m[i, j] = m[i, j] - m[i, k] * m[j, k]
    assert at(parse_operation("cholesky"), N=N).exact.flops == meter.total


@pytest.mark.parametrize(("name", "left"), [("lu", lambda m: m * m), ("cholesky", lambda m: m * (m + 1) // 2)])
@pytest.mark.parametrize(("N", "b"), [(6, 2), (4, 4), (3, 1)])
def test_a_blocked_factorisation_moves_what_is_left_after_each_block(name, left, N, b):
    """After each block of columns, the remaining square or half square is read and written in full blocks."""
    operation = at(parse_operation(f"{name}:b=b"), N=N, b=b)
    assert operation.bytes() == 2 * 8 * b * b * sum(left(m) for m in range(1, N // b + 1))


@pytest.mark.parametrize(("N", "b", "T"), [(4, 2, 1), (6, 3, 2), (4, 4, 3)])
def test_a_blocked_stencil_computes_its_rims_again(N, b, T):
    operation = at(parse_operation("blocked-stencil"), N=N, b=b, T=T)
    blocks = (N // b) ** 3
    assert operation.flops == 8 * blocks * sum((b + 2 * (T - t)) ** 3 for t in range(1, T + 1))
    assert operation.bytes() == 8 * blocks * ((b + 2 * T) ** 3 + b**3)


def test_adam_does_fourteen_operations_a_parameter():
    """This is Algorithm 1 of Kingma and Ba, with the powers of both decay rates given as numbers."""
    meter, P = counting.Meter(), 3
    gradient, first, second, master = (
        meter.array(n, P) for n in ("gradient", "first moment", "second moment", "master")
    )
    written = {n: meter.result(n, P) for n in ("first moment", "second moment", "master", "w")}
    for i in range(P):
        g = gradient[i]
        m, v = first[i] * 0.9 + g * 0.1, second[i] * 0.999 + (g * g) * 0.001
        step = (m / 0.1) * 1e-3 / ((v / 0.001).root() + 1e-8)
        written["first moment"][i], written["second moment"][i] = m, v
        written["master"][i] = written["w"][i] = master[i] - step
    operation = at(parse_operation("adam"), P=P)
    assert operation.flops == meter.total and elements(operation) == meter.elements()


@pytest.mark.parametrize("sizes", [{"h": 2, "L": 4, "k": 2, "v": 3, "c": 2}, {"h": 1, "L": 3, "k": 1, "v": 2, "c": 3}])
def test_chunks_of_a_state_space_model_do_every_pair_and_a_state(sizes):
    meter = counting.Meter()
    h, L, k, v, c = (sizes[n] for n in "hLkvc")
    q, keys, values = meter.array("q", h, L, k), meter.array("keys", h, L, k), meter.array("values", h, L, v)
    o, zero = meter.result("o", h, L, v), counting.Number(meter, 0.0)
    for head in range(h):
        state = {at: zero for at in points(range(k), range(v))}
        for start in range(0, L, c):
            chunk = range(start, start + c)
            for i in chunk:
                scores = [
                    counting.zero_plus(meter, (q[head, i, e] * keys[head, j, e] for e in range(k))) for j in chunk
                ]
                for d in range(v):
                    sums = [s * values[head, j, d] for s, j in zip(scores, chunk, strict=True)]
                    sums += [q[head, i, e] * state[e, d] for e in range(k)]
                    o[head, i, d] = counting.zero_plus(meter, sums)
            for i, (e, d) in points(chunk, tuple(state)):
                state[e, d] = state[e, d] + keys[head, i, e] * values[head, i, d]
    operation = at(parse_operation("ssd"), **sizes)
    assert operation.flops == meter.total and elements(operation) == meter.elements()


def test_half_of_a_split_product_is_done_by_each_chip():
    """Each of two chips multiplies its half of D, and sends half of the partial sums and half of the sums."""
    B, D, F = 3, 4, 2
    meter = counting.Meter()
    halves = [counting.einsum(meter, {"x": ["B", "D"], "w": ["D", "F"]}, ("z", ["B", "F"]), dict(B=B, D=D // 2, F=F))
              for _ in range(2)]  # fmt: skip
    whole = at(parse_operation("split-matmul"), B=B, D=D, F=F)
    assert 2 * whole.flops == meter.total + sum(len(z.values) for z in halves)  # each sum begins with a zero
    assert whole.bytes("ici") == 2 * len(halves[0].values)  # one direction, bf16


@pytest.mark.parametrize(("name", "n"), [("sharded-matmul", 2), ("gathered-matmul", 4)])
def test_a_product_shared_by_chips_is_done_once(name, n):
    sizes = dict(B=4, D=8, F=4)
    shared, whole = at(parse_operation(name), n=n, **sizes), at(parse_operation("matmul"), **sizes)
    assert n * shared.flops == whole.flops
    assert n * shared.bytes() >= whole.bytes()  # each chip moves all the data that it has to hold


def test_keys_sorted_by_digits_are_read_and_written_once_a_digit():
    """A radix sort of 32-bit keys, eight bits at a time, reads and writes every key in each pass."""
    keys, moved = [(k * 2654435761) % 2**32 for k in range(1, 50)], 0
    for digit in range(4):
        keys = sorted(keys, key=lambda k: k >> 8 * digit & 255)
        moved += 2 * 4 * len(keys)
    assert keys == sorted(keys)
    operation = at(parse_operation("sort"), N=len(keys))
    assert operation.flops == 0 and operation.bytes() == moved


@pytest.mark.parametrize(("m", "less"), [(2, (16, 36)), (4, (36, 144))])
def test_winograd_takes_fewer_products_than_the_convolution(m, less):
    sizes = {"N": 2, "C": 3, "K": 2, "P": 8, "Q": 4}
    fast = at(parse_operation(f"winograd-convolution:m={m}"), **sizes)
    plain = at(parse_operation("convolution"), R=3, S=3, **sizes)
    assert fast.flops * less[1] == plain.flops * less[0] and fast.bytes() == plain.bytes()


@pytest.mark.parametrize("m", [0, 1, 3, 5, 6, "b"])
def test_winograd_of_other_tiles_is_refused(m):
    with pytest.raises(RoofproofError, match="unknown m"):
        parse_operation(f"winograd-convolution:m={m}")


def test_grouped_products_and_windows_agree_with_those_they_are_parts_of():
    sizes = dict(B=5, D=3, F=2, E=4, k=2)
    experts, grouped = (at(parse_operation(name), **sizes) for name in ("mixture-of-experts", "grouped-matmul"))
    assert experts.flops - 2 * 5 * 3 * 4 == 3 * grouped.flops
    causal = parse_operation("causal-attention")
    for name, ties in (("sliding-window-attention", {"W": "L"}), ("chunked-prefill-attention", {"S": "L"})):
        same = at(parse_operation(name), **ties)
        assert (same.flops - causal.flops).expand() == 0 and same.bytes() == causal.bytes()
    chunks, state = parse_operation("ssd"), parse_operation("linear-attention")
    assert chunks.bytes() == state.bytes()
    full = at(parse_operation("flash-attention"), k="k")
    within = at(chunks, c="L", v="k").flops - at(state, v="k").flops
    assert (within - full.flops).expand() == 0  # one chunk has every pair


@pytest.mark.parametrize(("touched", "share"), [("most", 1), ("all", 1), ("expected", 1 - (Rational(3, 4)) ** 9)])
def test_experts_touched_at_random(touched, share):
    operation = at(parse_operation(f"grouped-matmul:touched={touched}"), B=9, D=1, F=1, E=8, k=2)
    assert [t.times for t in operation.reads if t.name == "w"] == [share]
