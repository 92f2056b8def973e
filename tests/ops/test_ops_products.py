"""Products of three or more tensors: the steps, their compute units, and readings that would be wrong."""

from fractions import Fraction

import pytest
from sympy import Rational

from roofproof.errors import RoofproofError
from roofproof.formats import bytes_per_element
from roofproof.hardware import chip
from roofproof.ops import Einsum, at, backward, parse_operation, with_formats
from roofproof.ops.combine import gradients
from roofproof.symbols import dimension

B, D, F, G, L, S, h, k, n, r, v = map(dimension, ["B", "D", "F", "G", "L", "S", "h", "k", "n", "r", "v"])

LORA = "x:bf16[B,D], a:bf16[D,r], b:bf16[r,F] -> y:bf16[B,F]"
INT4 = "x:bf16[B,n,G], w:int4[n*G,F], s:bf16[n,F], z:int4[n,F] -> y:bf16[B,F]"
FP8 = "x:fp8[B,n,G], w:fp8[n,G,F], sx:fp32[B,n], sw:fp32[n,F] -> y:bf16[B,F]"
ATTENTION = "q:bf16[h,L,k], K:bf16[h,S,k], V:bf16[h,S,v] -> o:bf16[h,L,v]"


@pytest.mark.parametrize(
    ("text", "compute"),
    [
        (LORA, {"bf16": 2 * B * r * (D + F)}),
        ("x:bf16[B,D], (a:bf16[D,r], b:bf16[r,F]) -> y:bf16[B,F]", {"bf16": 2 * D * F * (r + B)}),
        (INT4, {"bf16": 2 * B * n * G * F, "fp32-vector": 3 * B * n * F}),
        ("x:bf16[B,n,G], (w:int4[n,G,F], s:bf16[n,F]) -> [B,F]", {"fp32-vector": n * G * F, "bf16": 2 * B * n * G * F}),
        (FP8, {"fp8": 2 * B * n * G * F, "fp32-vector": 3 * B * n * F}),
        (FP8 + " @ fp16-vector", {"fp16-vector": 2 * B * n * G * F + 3 * B * n * F}),
        (ATTENTION, {"bf16": 2 * h * L * S * (k + v)}),
        ("q:bf16[h,k], K:bf16[h,S,k], V:bf16[h,S,v] -> o:bf16[h,v]", {"bf16": 2 * h * S * (k + v)}),  # one query
    ],
)
def test_each_step_counts_on_its_engine(text, compute):
    found = parse_operation(text).compute
    assert found.keys() == compute.keys()
    assert all((found[name] - amount).expand() == 0 for name, amount in compute.items())


def batch(text, engine, sizes):
    """Return the smallest batch at which a compute unit of an H100 takes longer than memory, by trying each one."""
    h100 = chip("h100-sxm")
    op = at(parse_operation(text), **sizes)
    ridge = Rational(h100.peak(engine).value / h100.bandwidth("hbm").value)
    flops, moved = op.compute[engine], op.bytes()
    return next(b for b in range(1, 2000) if flops.subs(B, b) > ridge * moved.subs(B, b))


def test_scales_move_the_critical_batch_as_far_as_their_bytes_say():
    """2 B/R > bytes per weight + 2 B (1/D + 1/F), with 0.5 + 20/8/128 bytes in groups, 1 + 4/128 with fp32 scales."""
    sizes = {"n": 64, "G": 128, "F": 8192}
    assert batch(INT4, "bf16", sizes) == 83
    assert batch(FP8, "fp8", sizes) == 342
    assert batch("x:bf16[B,D], w:int4/g128:bf16+int4[D,F] -> [B,F]", "bf16", {"D": 8192, "F": 8192}) == 83
    assert batch("x:fp8[B,D], w:fp8[D,F] -> bf16[B,F]", "fp8", {"D": 8192, "F": 8192}) == 332  # without scales


def test_a_written_attention_is_the_one_of_the_library():
    ours = at(parse_operation(ATTENTION), S="L", v="k")
    flash = parse_operation("flash-attention")
    assert (ours.flops - flash.flops).expand() == 0 and (ours.bytes() - flash.bytes()).expand() == 0


def test_the_steps_are_printed_with_what_passes_between_them():
    assert parse_operation(LORA).convention == (
        "two at a time, in the order written: t1[B,r] = x a, 2*B*D*r FLOPs; y[B,F] = t1 b, 2*B*F*r FLOPs; "
        "what passes between the steps stays on chip"
    )
    assert "y[B,F] = t2 z, 2*B*F*n FLOPs on the vector unit (fp32-vector)" in parse_operation(INT4).convention


def test_a_product_of_indices_is_those_indices_and_no_third_loop():
    assert Einsum.parse(INT4) == Einsum.parse(INT4.replace("n*G", "n,G"))
    joined = Einsum.parse("q:bf16[h,L,k], w:bf16[h*k,D] -> y:bf16[L,D]")
    assert joined.inputs[1].shape == (h, k, D) and joined.flops == 2 * h * L * k * D
    apart = Einsum.parse("x:bf16[B,4*D], w:bf16[4*D,D] -> bf16[B,D]")  # 4 is not an index: two loops, 4 D and D
    assert apart.flops == 8 * B * D * D
    wide = Einsum.parse("x:bf16[B,4*D*D], w:bf16[4*D*D,D] -> bf16[B,D]")  # nor can D*D be D and D
    assert wide.flops == 8 * B * D**3


@pytest.mark.parametrize(
    ("text", "times"),
    [(LORA, Rational(5, 2)), ("flash-attention", Rational(5, 2)), ("causal-attention", Rational(5, 2)), ("matmul", 2)],
)
def test_a_backward_pass_does_again_what_stayed_on_chip(text, times):
    op = at(parse_operation(text), F="D") if text == LORA else parse_operation(text)
    assert (gradients(op).flops - times * op.flops).expand() == 0
    assert (backward(op).flops - times * op.flops).expand() == 0
    assert (gradients(op, again=False).flops - 2 * op.flops).expand() == 0


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("mxfp4", Fraction(17, 32)), ("mxfp6", Fraction(25, 32)), ("mxfp8", Fraction(33, 32)),
        ("mxint8", Fraction(33, 32)), ("nvfp4", Fraction(9, 16)), ("int4/g128:bf16", Fraction(33, 64)),
        ("int4/g128:bf16+int4", Fraction(133, 256)), ("fp8/g128:fp32", Fraction(33, 32)),
        ("int8/g32:fp16", Fraction(17, 16)),
    ],
)  # fmt: skip
def test_bytes_of_formats_with_scales(name, size):
    assert bytes_per_element(name) == size


class Counted:
    """A number, real or complex, whose arithmetic is counted in real additions and multiplications."""

    done = 0

    def __init__(self, complex):
        self.complex = complex

    def __mul__(self, other):
        Counted.done += {0: 1, 1: 2, 2: 4 + 2}[self.complex + other.complex]
        return Counted(self.complex or other.complex)

    def __add__(self, other):
        assert self.complex == other.complex
        Counted.done += 2 if self.complex else 1
        return Counted(self.complex)


def done_by(sizes, rows, columns, terms):
    """Return the FLOPs of `rows x columns` results, each a sum of `terms` products of real or complex numbers."""
    Counted.done = 0
    for _ in range(rows * columns):
        products = [Counted(sizes[0]) * Counted(sizes[1]) for _ in range(terms)]
        sum(products[1:], start=products[0])
    return Counted.done


@pytest.mark.parametrize("formats", [("complex64", "complex64"), ("complex64", "fp32"), ("fp64", "complex128")])
def test_a_product_of_complex_numbers_has_the_flops_of_its_parts(formats):
    kinds = [name.startswith("complex") for name in formats]
    made = next(name for name in formats if name.startswith("complex"))
    x, w = formats
    op = parse_operation(f"x:{x}[B,D], w:{w}[D,F] -> z:{made}[B,F] @ fp64")
    B, D, F = op.dims
    for sizes in ((1, 1, 1), (2, 3, 4), (5, 7, 2)):
        at = dict(zip((B, D, F), sizes, strict=True))
        rows, terms, columns = sizes
        assert op.exact.flops.subs(at) == done_by(kinds, rows, columns, terms)
        assert op.flops.subs(at) - op.exact.flops.subs(at) == 2 * rows * columns  # one more addition per result
    alone = parse_operation(f"x:{x}[B], w:{w}[B] -> z:{made}[B] @ fp64")
    assert alone.flops.subs(alone.dims[0], 5) == done_by(kinds, 5, 1, 1)


@pytest.mark.parametrize(
    ("text", "engine", "flops"),
    [
        ("complex64[B,D], complex64[D,F] -> [B,F]", "fp32", "8*B*D*F"),
        ("complex64[B], complex64[B] -> [B]", "fp32-vector", "6*B"),
        ("complex128[B,D] -> complex128[B]", "fp64-vector", "2*B*D"),
        ("complex64[B] -> complex64[B]", "fp32-vector", "0"),
        ("dot:complex64", "fp32", "8*N - 2"),
        ("matmul:complex128", "fp64", "8*B*D*F"),
        ("matvec:complex64", "fp32", "8*D*F"),
        ("add:complex128", "fp64-vector", "2*N"),
        ("axpy:x=complex64", "fp32-vector", "8*N"),
        ("stream-scale:complex64", "fp32-vector", "6*N"),
        ("stream-triad:complex64", "fp32-vector", "8*N"),
    ],
)
def test_operations_on_complex_numbers_by_hand(text, engine, flops):
    assert {name: str(amount) for name, amount in parse_operation(text).compute.items()} == {engine: flops}


def test_a_complex_scale_is_six_flops_on_the_vector_unit():
    scaled = parse_operation("x:complex64[B,D], w:complex64[D,F], s:complex64[F] -> z:complex64[B,F]")
    assert {name: str(amount) for name, amount in scaled.compute.items()} == {"fp32": "8*B*D*F", "fp32-vector": "6*B*F"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("complex64[B,D], fp32[D,F] -> [B,F]", "format of"),
        ("fp64[B], complex64[B] -> [B]", "format of"),
        ("fft:complex64", "fft counts real numbers"),
        ("softmax:complex64", "softmax counts real numbers"),
        ("softmax:x=complex64@fp32-vector", "softmax counts real numbers"),
        ("max:complex64@fp32-vector", "max counts real numbers"),
        ("complex64[B], complex64[B] -> fp32[B]", "give it a complex format"),
        ("matmul:complex64@complex64", "its arithmetic is in fp32"),
        ("flops complex64 = 2 N; bytes hbm = N", "its arithmetic is in fp32"),
        ("x:complex64[B, D_n] * w:complex64[D_n, F] -> z[B, F]", "FLOPs count real numbers"),
    ],
)
def test_complex_numbers_are_refused_where_nobody_counted_them(text, why):
    with pytest.raises(RoofproofError, match=why):
        parse_operation(text)


def test_real_formats_do_not_become_complex_ones():
    with pytest.raises(RoofproofError, match="complex numbers have other FLOPs"):
        with_formats(parse_operation("matmul"), x="complex64")


@pytest.mark.parametrize("text", ["sin(N)", "N exp(M)", "ln(N) + 1", "pow(N, 2)", "round(N/2)"])
def test_a_function_that_is_not_known_is_no_size_that_is_multiplied(text):
    with pytest.raises(RoofproofError, match="unknown function"):
        parse_operation(f"flops bf16 = {text}; bytes hbm = N M")
    assert (
        parse_operation("flops bf16 = B(D + F); bytes hbm = D").flops == parse_operation("flops bf16 = (D + F) B").flops
    )
    assert [s.name for s in parse_operation("flops exp = exp N; bytes hbm = N").dims] == ["exp", "N"]
