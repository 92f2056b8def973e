"""Operations by notation, name and expressions: counts against loop nests, and exact error messages."""

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Add, Integer, Rational, degree

from roofproof.errors import RoofproofError
from roofproof.formats import BITS, bytes_per_element
from roofproof.ops import Einsum, Tensor, einsum, parse_operation
from roofproof.ops.notation.sizes import sizes_from
from roofproof.ops.operation import one_kernel
from roofproof.symbols import dimension

B, D, F, N = map(dimension, "BDFN")


@st.composite
def typed_einsums(draw):
    labels = draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=4, unique=True))
    inputs = draw(st.lists(st.lists(st.sampled_from(labels), max_size=3, unique=True), min_size=1, max_size=3))
    used = list(dict.fromkeys(itertools.chain(*inputs)))
    output = draw(st.lists(st.sampled_from(used), unique=True)) if used else []
    formats = draw(st.lists(st.sampled_from(sorted(BITS)), min_size=len(inputs) + 1, max_size=len(inputs) + 1))
    if any(f.startswith("complex") for f in formats[:-1]):  # a product with complex numbers is complex
        formats[-1] = "complex64"
    sizes = {label: draw(st.integers(1, 3)) for label in used}
    return inputs, output, formats, sizes


def text_of(inputs, output, formats):
    operands = ", ".join(f"{f}[{','.join(i)}]" for i, f in zip(inputs, formats, strict=False))
    return f"{operands} -> {formats[-1]}[{','.join(output)}] @ fp32"


def count(inputs, output, sizes, formats):
    """Run the loop nests, two tensors at a time, and count the products and the additions to existing cells.

    A product of two complex numbers takes four products and two sums, and of a complex and a real one two products.
    A sum of complex numbers takes two sums.
    """
    touched = [len(set(itertools.product(*(range(sizes[i]) for i in labels)))) for labels in inputs]
    flops, todo = 0, [list(labels) for labels in inputs]
    kinds = [f.startswith("complex") for f in formats[: len(inputs)]]
    while todo:
        now, todo = (todo[:2], todo[2:]) if len(todo) > 1 else (todo, [])
        loops = dict.fromkeys(itertools.chain(*now))
        made = [i for i in loops if i in {*itertools.chain(*todo), *output}]
        complexes, kinds = sum(kinds[: len(now)]), kinds[len(now) :]
        product, addition = (0 if len(now) == 1 else (1, 2, 6)[complexes]), 2 if complexes else 1
        cells = set()
        for point in itertools.product(*(range(sizes[label]) for label in loops)):
            at = dict(zip(loops, point, strict=True))
            cell = tuple(at[label] for label in made)
            flops += product + addition * (cell in cells)
            cells.add(cell)
        todo = [made, *todo] if todo else []
        kinds = [complexes > 0, *kinds]
    return flops, touched, len(set(itertools.product(*(range(sizes[i]) for i in output))))


@given(typed_einsums())
def test_counts_are_those_of_the_loop_nest(case):
    inputs, output, formats, sizes = case
    operation = einsum(text_of(inputs, output, formats))
    at = {dimension(label): size for label, size in sizes.items()}
    flops, read, written = count(inputs, output, sizes, formats)
    assert Add(*operation.exact.compute.values()).subs(at) == flops
    moved = sum(n * bytes_per_element(f) for n, f in zip([*read, written], formats, strict=True))
    assert operation.bytes().subs(at) == Rational(moved.numerator, moved.denominator)
    assert [t.elements.subs(at) for t in operation.tensors] == [*read, written]
    assert {str(s) for s in operation.dims} == set(sizes)


@given(typed_einsums())
@settings(max_examples=50, deadline=None)
def test_printed_einsums_read_back(case):
    parsed = Einsum.parse(text_of(*case[:3]))
    assert Einsum.parse(str(parsed)) == parsed


@given(typed_einsums(), st.sampled_from(["int8", "int16", "int32", "int64"]))
@settings(max_examples=50, deadline=None)
def test_intensity_is_homogeneous_in_the_element_size(case, dtype):
    """k times the bytes per element gives 1/k of the intensity, and FLOPs have degree one in each loop."""
    inputs, output, formats, _ = case
    operation = einsum(text_of(inputs, output, ["int4"] * len(formats)))
    wider = einsum(text_of(inputs, output, [dtype] * len(formats)))
    assert (wider.bytes() - operation.bytes() * BITS[dtype] / 4).expand() == 0
    done, wide = Add(*operation.compute.values()), Add(*wider.compute.values())
    assert wide == done
    for symbol in operation.dims:
        assert done == 0 or degree(done, symbol) == 1


@pytest.mark.parametrize(
    ("text", "compute", "flops", "memory"),
    [
        ("bf16[B,D], bf16[D,F] -> bf16[B,F]", "bf16", 2 * B * D * F, 2 * (B * D + D * F + B * F)),
        ("bf16[B,D], int8[D,F] -> bf16[B,F]", "bf16", 2 * B * D * F, 2 * B * D + D * F + 2 * B * F),
        ("x:bf16[B,D], w:int8[D,F] → [B,F] @ bf16 acc fp32", "bf16", 2 * B * D * F, 2 * B * D + D * F + 2 * B * F),
        ("int8[B,D], int8[B,D,F] -> int8[B,F]", "int8", 2 * B * D * F, B * D + B * D * F + B * F),
        ("int4[N], int4[N] -> int32[]", "int4", 2 * N, N + 4),
        ("f32[B], f32[B] -> [B] @ fp32-vector", "fp32-vector", B, 12 * B),
        ("fp32[B,D], bf16[D] -> [B]", "fp32", 2 * B * D, 4 * B * D + 2 * D + 4 * B),
        ("bf16[4*D, D], bf16[D] -> [4 D]", "bf16", 8 * D**2, 8 * D**2 + 2 * D + 8 * D),
        ("bf16[B,D] -> bf16[B]", "fp32-vector", B * D, 2 * B * D + 2 * B),
        ("bf16[B,D] -> bf16[D,B]", "fp32-vector", Integer(0), 4 * B * D),
        ("bf16[1,D], bf16[D] -> fp32[1]", "bf16", 2 * D, 4 * D + 4),
        ("bf16[B], bf16[B], bf16[B] -> bf16[] @ bf16-vector", "bf16-vector", 3 * B, 6 * B + 2),
        (
            "bf16[B,D], bf16[D,N], bf16[N,F] -> bf16[B,F]",
            "bf16",
            2 * B * N * (D + F),
            2 * (B * D + D * N + N * F + B * F),
        ),
        (
            "bf16[B,D], (bf16[D,N], bf16[N,F]) -> [B,F]",
            "bf16",
            2 * D * F * (N + B),
            2 * (B * D + D * N + N * F + B * F),
        ),
        ("matmul:bf16,int4/g128:bf16", "bf16", 2 * B * D * F, 2 * B * D + Rational(33, 64) * D * F + 2 * B * F),
        ("fp8[B,D], mxfp4[D,F] -> bf16[B,F] @ fp8", "fp8", 2 * B * D * F, B * D + Rational(17, 32) * D * F + 2 * B * F),
        ("matmul", "bf16", 2 * B * D * F, 2 * (B * D + D * F + B * F)),
        ("matmul:int8", "int8", 2 * B * D * F, B * D + D * F + B * F),
        ("matmul:bf16,int8", "bf16", 2 * B * D * F, 2 * B * D + D * F + 2 * B * F),
        ("matmul:w=int4, out=fp32 @ bf16", "bf16", 2 * B * D * F, 2 * B * D + D * F / 2 + 4 * B * F),
        ("dot", "bf16", 2 * N - 1, 4 * N + 2),
        ("dot:fp32@fp32-vector", "fp32-vector", 2 * N - 1, 8 * N + 4),
        ("matvec:int8", "int8", 2 * D * F, D + D * F + F),
        ("batched-matmul", "bf16", 2 * B * D * F * N, 2 * N * (B * D + D * F + B * F)),
        ("per-example-weights", "int8", 2 * B * D * F, B * D + B * D * F + B * F),
        ("flops bf16 = 2 B D F; bytes hbm = 2 (B D + D F + B F)", "bf16", 2 * B * D * F, 2 * (B * D + D * F + B * F)),
        ("flops bf16 = 1e12", "bf16", Integer(10) ** 12, Integer(0)),
    ],
)
def test_what_an_operation_demands(text, compute, flops, memory):
    operation = parse_operation(text)
    assert list(operation.compute) == [compute]
    assert (operation.flops - flops).expand() == 0
    assert (operation.bytes() - memory).expand() == 0


def test_split_matmul_is_free_of_batch_and_features():
    split = parse_operation("split-matmul")
    assert split.demands == {"bf16": B * D * F, "ici": 2 * B * F}
    assert split.flops / split.bytes("ici") == D / 2
    assert parse_operation("split-matmul:link=nvlink").bytes("nvlink") == 2 * B * F


def test_dot_is_exact_and_matmul_by_convention_unless_asked():
    assert parse_operation("dot").flops == 2 * N - 1
    assert einsum("bf16[N], bf16[N] -> []").flops == 2 * N
    assert (parse_operation("matmul").exact.flops - B * F * (2 * D - 1)).expand() == 0
    assert einsum("bf16[B,D], bf16[D,F] -> [B,F]", exact=True).flops == parse_operation("matmul").exact.flops


def test_dims_come_in_order_of_appearance_and_tensors_by_name():
    operation = einsum("q:bf16[S,H], k:bf16[T,H] -> bf16[S,T]")
    assert [str(s) for s in operation.dims] == ["S", "H", "T"]
    assert [t.name for t in operation.tensors] == ["q", "k", "z"]
    assert [str(s) for s in parse_operation("flops bf16 = Z Y; bytes hbm = A").dims] == ["Z", "Y", "A"]


def test_operations_are_values():
    one, two = parse_operation("matmul"), parse_operation("matmul")
    assert one == two and hash(one) == hash(two) and one != parse_operation("matmul:int8")
    with pytest.raises(AttributeError):
        one.name = "other"
    with pytest.raises(TypeError):
        one.compute["bf16"] = Integer(0)
    assert repr(parse_operation("dot")) == "Operation(dot: bf16: 2*N - 1, memory: 4*N + 2)"


FORMATS = "uint8, uint4, u8, u4, tf32, s8, ..."  # the nearest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("matmull", "unknown operation 'matmull'; did you mean 'matmul' or 'tiled-matmul' or 'split-matmul'?"),
        ("matmul:bf61", "unknown number format 'bf61'; did you mean 'bf16'?"),
        ("matmul:v=int8", "unknown argument of matmul 'v'; known: B, D, F, compute, out, w, x"),
        ("matmul:x=int8,x=bf16", "'matmul:x=int8,x=bf16': x is given twice"),
        (
            "matmul:bf16,bf16,bf16,bf16",
            "'matmul:bf16,bf16,bf16,bf16': matmul takes 3 formats (x, w, out), and 'bf16' is number 4",
        ),
        ("matmul@", "'matmul@': expected a number format after '@'"),
        ("split-matmul@bf16", "'split-matmul@bf16': split-matmul has no single format of arithmetic; leave out '@'"),
        ("bf16[B,D", "in 'bf16[B,D': column 5: '[' is never closed"),
        (
            "bf16[B,D], bf16[D,F] -> bf16[B,G]",
            "in 'bf16[B,D], bf16[D,F] -> bf16[B,G]': column 32: output index G is in no input; the inputs have B, D, F",
        ),
        (
            "bf16[D,D] -> []",
            "in 'bf16[D,D] -> []': column 8: index D twice in one tensor can be read two ways, as a square and as a "
            "diagonal; write D,D' for the first, whose second index is as long, and D alone for the second",
        ),
        (
            "q:bf16[B,D], k:bf16[c+B,D] -> s:bf16[B]",
            "in 'q:bf16[B,D], k:bf16[c+B,D] -> s:bf16[B]': column 21: index B+c can be read two ways, as B is an index "
            "of another input: B from an offset on, or one of its own of B+c points; write B for the first, and one "
            "new name for the second",
        ),
        (
            "x:bf16[P+R], w:bf16[R] -> z:bf16[P]",
            "in 'x:bf16[P+R], w:bf16[R] -> z:bf16[P]': column 8: index P+R adds indices of other tensors, a window; "
            "write it as the library's convolution does",
        ),
        (
            "x:bf16[B], x:bf16[B] -> []",
            "in 'x:bf16[B], x:bf16[B] -> []': column 12: two tensors named 'x'; each tensor has a name of its own",
        ),
        (
            "int8[B], int4[B] -> []",
            "in 'int8[B], int4[B] -> []': inputs in int8 and int4: the format of the arithmetic "
            "is not clear; add it at the end, as in '@ int8'",
        ),
        (
            "bf16[B], fp16[B] -> []",
            "in 'bf16[B], fp16[B] -> []': inputs in bf16 and fp16: the format of the arithmetic "
            "is not clear; add it at the end, as in '@ bf16'",
        ),
        (
            "bf16[8,D] -> [D]",
            "in 'bf16[8,D] -> [D]': column 6: index 8 is a number; name the dimension and give its size, "
            "as in --at N=8",
        ),
        ("bf16[0] -> []", "in 'bf16[0] -> []': column 6: index '0': expected a size from 1 to 999999999"),
        ("bf61[B] -> [B]", "in 'bf61[B] -> [B]': column 1: unknown number format 'bf61'; did you mean 'bf16'?"),
        ("bf16[B] -> [B] @ zz", f"in 'bf16[B] -> [B] @ zz': column 18: unknown number format 'zz'; known: {FORMATS}"),
        (
            "int[B], y[B] -> []",
            "in 'int[B], y[B] -> []': column 1: unknown number format 'int'; did you mean 'int8' or 'int4' or 'int2'?",
        ),
        ("flops bf16 B", "in 'flops bf16 B': column 12: unexpected 'B'"),
        ("bf16[B]", "in 'bf16[B]': column 8: the text is incomplete; expected '->' or ','"),
        ("-> []", "in '-> []': column 1: unexpected '->'; expected '['"),
        ("bf16[B^2] -> []", "in 'bf16[B^2] -> []': column 6: index 'B^2': expected a name, a product or a sum"),
        ("flops bf16 = B - D", "in 'flops bf16 = B - D': column 7: flops bf16 = B - D is not known to be positive"),
        ("flops bf16 = 1; flops bf16 = 2", "in 'flops bf16 = 1; flops bf16 = 2': flops bf16 is given twice"),
        (
            "flops bf16 = N; bytes = 2 N",
            "in 'flops bf16 = N; bytes = 2 N': column 23: name the resource of bytes, as in 'bytes hbm = ...'",
        ),
        ("flops = N", "in 'flops = N': column 7: name the resource of flops, as in 'flops bf16 = ...'"),
        ("flops bf16 =", "in 'flops bf16 =': column 13: the text is incomplete"),
        (
            "flops bf16 = 1/2 B",
            "in 'flops bf16 = 1/2 B': column 15: '1/2 B' can be read two ways; write '(1/2) * B' or '1/(2 B)'",
        ),
        (
            "x:bf16[B,n*G], w:int4[n*G,F], s:bf16[n,F] -> [B,F]",
            "in 'x:bf16[B,n*G], w:int4[n*G,F], s:bf16[n,F] -> [B,F]': column 10: index n*G has two "
            "readings: n,G (G*n points, shared with n), or a new index (G*n for each n); write n,G or a new name",
        ),
        (
            "x:int4/g0:bf16[B] -> []",
            "in 'x:int4/g0:bf16[B] -> []': column 3: number format 'int4/g0:bf16': expected ELEMENT/gSIZE:SCALE, such "
            "as int4/g128:bf16, with a size from 1 to 1000000",
        ),
        (
            "x:int4/g8:bf61[B] -> []",
            "in 'x:int4/g8:bf61[B] -> []': column 3: unknown number format 'bf61'; did you mean 'bf16'?",
        ),
        ("x:bf16[B], (w:bf16[B] -> []", "in 'x:bf16[B], (w:bf16[B] -> []': column 12: '(' is never closed"),
        ("x:bf16[B], () -> []", "in 'x:bf16[B], () -> []': column 13: unexpected ')'; expected '['"),
        ("x" * 1_000_000, "the operation has 1000000 characters; the limit is 10000"),
        ("[" * 5000, "in '" + "[" * 200 + "...': column 101: brackets are nested more than 100 deep"),
    ],
)
def test_refused(text, message):
    start = time.thread_time()
    with pytest.raises(RoofproofError) as caught:
        parse_operation(text)
    assert str(caught.value) == message
    assert time.thread_time() - start < 2


def test_a_channel_that_is_not_used():
    with pytest.raises(RoofproofError) as caught:
        parse_operation("split-matmul").bytes("icl")
    assert str(caught.value) == "unknown memory level or link of split-matmul 'icl'; did you mean 'ici'?"


def test_a_tensor_checks_itself():
    for shape, message in [
        ((Integer(0),), "tensor 'x': dimension '0' is not a positive integer"),
        ((-B,), "tensor 'x': dimension '-B' is not a positive integer"),
        ((Rational(1, 2),), "tensor 'x': dimension '1/2' is not a positive integer"),
        ((0.5,), "tensor 'x': dimension 0.5 is not an exact number or expression"),
        (("B",), "tensor 'x': dimension 'B' is not an exact number or expression"),
    ]:
        with pytest.raises(RoofproofError) as caught:
            Tensor("x", shape, "bf16")
        assert str(caught.value) == message
    assert Tensor("x", (B, D), "int4").bytes == B * D / 2


def test_an_operation_checks_itself():
    with pytest.raises(RoofproofError) as caught:
        one_kernel("op", work={"bf16": Integer(-1)})
    assert str(caught.value) == "demand of 'bf16': '-1' is negative"
    with pytest.raises(RoofproofError) as caught:
        one_kernel("op", work={"bf16": 1e12})
    assert str(caught.value) == "demand of 'bf16': 1000000000000.0 is not an exact number or expression"
    with pytest.raises(RoofproofError) as caught:
        one_kernel("op", reads=(Tensor("x", (B,), "bf16"),), writes=(Tensor("x", (D,), "bf16"),))
    assert str(caught.value) == "two tensors of one name in 'op': x:bf16[B] and x:bf16[D]"


@given(st.text(alphabet="bf16[]BD,->:@ *4acint8=;flopsmatu→", max_size=40))
def test_nothing_but_a_roofproof_error(text):
    try:
        parse_operation(text)
    except RoofproofError as problem:
        assert "\n" not in str(problem)


@given(st.text(max_size=40))
def test_nothing_but_a_roofproof_error_on_any_text(text):
    try:
        parse_operation(text)
    except RoofproofError as problem:
        assert "\n" not in str(problem)


PIECES = [
    "B",
    "D_1",
    "bf16",
    "int8",
    "x",
    "z",
    ":",
    ",",
    "[",
    "]",
    " ",
    "->",
    "→",
    "@",
    "acc",
    "fp32",
    "*",
    "2",
    "1",
    "(",
]
PIECES += ["@ fp32-vector", "acc fp32", "z:[B]", "_", "x:bf16[B,D]", ", int8[D]", "-> [B]", "/g32:bf16", "\n"]


def amounts(demands, at):
    """Return the demand on each resource, at sizes."""
    return {name: amount.subs(at) for name, amount in demands.items()}


@pytest.mark.slow
@given(typed_einsums(), st.integers(1, 3))
def test_second_indices_count_as_indices_of_their_own_of_one_size(case, size):
    """Renaming a, b, c, ... to a, a', a'', ... gives the demands for indices of equal size."""
    inputs, output, formats, _ = case
    plain, primed = (
        ", ".join(f"{f}[{','.join(map(name, labels))}]" for labels, f in zip(inputs, formats, strict=False))
        + f" -> {formats[-1]}[{','.join(map(name, output))}] @ bf16"
        for name in (str, lambda label: "a" + "'" * "abcde".index(label))
    )
    one, other = einsum(plain), einsum(primed)
    at = {dimension(label): size for label in "abcde"}
    assert amounts(one.demands, at) == amounts(other.demands, at)
    assert amounts(one.exact.demands, at) == amounts(other.exact.demands, at)
    assert {s.name for s in other.dims} <= {"a"}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("x:bf16[c+B,D], w:bf16[D,F] -> z:bf16[B,F]", "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"),
        ("x:bf16[B,D], w:bf16[D,F] -> z:bf16[c+B,F]", "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"),
        ("x:bf16[c+B], y:bf16[c+B] -> z:bf16[B]", "x:bf16[B], y:bf16[B] -> z:bf16[B]"),
        ("q:bf16[B,D], k:bf16[c+B,D] -> s:bf16[B,c+B]", "q:bf16[B,D], k:bf16[S,D] -> s:bf16[B,S]"),
        ("x:bf16[c+B] -> z:bf16[]", "x:bf16[S] -> z:bf16[]"),
    ],
)
def test_a_sum_is_what_is_read_from_an_offset_or_a_size(text, plain):
    found, other = einsum(text), einsum(plain)
    S, c = dimension("S"), dimension("c")
    assert found.flops.expand() == other.flops.subs(S, c + B).expand()
    assert found.bytes().expand() == other.bytes().subs(S, c + B).expand()
    assert c not in found.loops


@given(typed_einsums(), st.sampled_from([", ", " @ ", " ", " * "]))
@settings(max_examples=60, deadline=None)
def test_an_output_that_is_left_out_has_the_indices_of_one_tensor_alone(case, between):
    inputs, _, formats, _ = case
    if len(inputs) < 2:
        return
    once = [i for i in dict.fromkeys(itertools.chain(*inputs)) if sum(i in labels for labels in inputs) == 1]
    operands = between.join(f"{f}[{','.join(i)}]" for i, f in zip(inputs, formats, strict=False))
    written = ", ".join(f"{f}[{','.join(i)}]" for i, f in zip(inputs, formats, strict=False))
    short, whole = einsum(f"{operands} @ fp32"), einsum(f"{written} -> [{','.join(once)}] @ fp32")
    assert (short.demands, short.bytes()) == (whole.demands, whole.bytes())
    assert "the output has the indices that stand in one tensor alone" in short.convention


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("bd,df->bf", "bf16[b,d], bf16[d,f] -> bf16[b,f]"),
        ("n, n ->", "bf16[n], bf16[n] -> bf16[]"),
        ("[b,d], [d,f] -> [b,f]", "bf16[b,d], bf16[d,f] -> bf16[b,f]"),
        ("x[B,D] w[D,F]", "x:bf16[B,D], w:bf16[D,F] -> bf16[B,F]"),
        ("bf16[B,D] @ bf16[D,F]", "bf16[B,D], bf16[D,F] -> bf16[B,F]"),
        ("bf16[B,D] @ int8[D,F] @ int8", "bf16[B,D], int8[D,F] -> [B,F] @ int8"),
        ("x[B, D] * w[D, F]", "x:bf16[B,D], w:bf16[D,F] -> bf16[B,F]"),
    ],
)
def test_what_is_typed_first_is_read(text, same):
    short, whole = parse_operation(text), parse_operation(same)
    assert (short.flops, short.bytes()) == (whole.flops, whole.bytes())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bd,df", "'bd,df' is not an operation; a product of tensors has an output, as in 'bd,df->bf'"),
        ("b d, d f -> b f", "in 'b d, d f -> b f': indices go in brackets, as in "
                            "'x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]'"),
        ("bf16[8k,D] @ bf16[D,F]", "in 'bf16[8k,D] @ bf16[D,F]': column 6: '8k' can be read two ways; write '8*k' or "
                                   "'8*10^3'"),
        ("flops bf16 = 8Ki B; bytes hbm = B", "in 'flops bf16 = 8Ki B; bytes hbm = B': column 14: '8Ki' can be read "
                                              "two ways; write '8*Ki' or '8*2^10'"),
        ("flops bf16 = 2BDG; bytes hbm = B D", "in 'flops bf16 = 2BDG; bytes hbm = B D': column 14: '2BDG' can be read "
         "two ways; write '2 B D G' for the product, or spell a name of its own in another way, such as 'B_DG'"),
    ],
)  # fmt: skip
def test_what_is_typed_first_and_not_read_is_refused_with_the_cure(text, said):
    with pytest.raises(RoofproofError) as problem:
        parse_operation(text)
    assert str(problem.value) == said


def test_a_product_of_sizes_may_be_written_without_spaces():
    short = parse_operation("flops bf16 = 2BDF; bytes hbm = 2BD + 2DF + B + D + F")
    assert short.demands == parse_operation("flops bf16 = 2 B D F; bytes hbm = 2 B D + 2 D F + B + D + F").demands
    assert "8*D*F*k" in str(parse_operation("bf16[4k,D], bf16[D,F], bf16[k] -> bf16[4k,F]").flops)


@given(st.integers(1, 10**12), st.sampled_from(["k", "M", "G", "Ki", "Mi"]))
def test_a_size_is_the_same_number_however_it_is_written(size, prefix):
    factor = {"k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20}[prefix]
    written = [str(size), f"{size:,}", f"{size}e0", f"{size}*1", f"2^0*{size}"]
    assert [sizes_from([f"B={text},D=4"]) for text in written] == [{"B": size, "D": 4}] * len(written)
    assert sizes_from([f"B={size}{prefix}"]) == {"B": size * factor}
    with pytest.raises(RoofproofError, match=r"write 8k .* or 8Ki"):
        sizes_from(["B=8K"])
