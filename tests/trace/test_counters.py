"""XLA's and PyTorch's own counts for the functions counted by hand: equal, or different by a stated amount.

XLA counts the FLOPs and transcendentals of the program from JAX before compilation, and the bytes of the arguments and
results of the compiled program. PyTorch counts the FLOPs of products, on `meta`.
"""

import inspect
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import functions
import modules
import pytest
from cases import Case, counted, points, program
from functions import jax
from modules import torch
from sympy import Integer, Symbol
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

from roofproof.trace.aten.entry import traced as traced_torch
from roofproof.trace.aten.modules import is_class
from roofproof.trace.aten.record import called
from roofproof.trace.dtypes import DTYPES
from roofproof.trace.jaxpr.entry import traced
from roofproof.trace.shapes import read

pytestmark = pytest.mark.frameworks
EXACT = 2**24  # XLA adds in single precision
MATRIX = ("bf16", "fp32", "fp8", "int8")

# The FLOPs and transcendentals that XLA counts in addition to the hand count, and why.
XLA = {
    "int4-weights": ("F G n", "0", "conversions"),
    "row-scale": ("B D", "0", "nothing is summed, and an addition counted"),
    "ragged": ("6 T D F + 16 T D + 12", "0", "on a CPU each row meets all 4 matrices, masked"),
    "attention": ("B L S h + B L h", "0", "conversions of the softmax"),
    "flash": ("B L S h + B L h", "0", "conversions of the softmax"),
    "causal": ("B L^2 h + B L h + 2 L^2 + 1", "0", "conversions, and the mask itself"),
    "decode": ("3", "0", "where the update goes"),
    "swiglu": ("3 B F", "0", "a logistic is an exponential and 3 more"),
    "softmax": ("B N + B", "0", "conversions"),
    "rms-norm": ("2 B D", "0", "conversions"),
    "gelu-erf": ("62 N", "0", "erf is a polynomial as well"),
    "silu": ("3 N", "0", "a logistic is an exponential and 3 more"),
    "cross-entropy": ("7 B", "0", "indices held to their range"),
    "embedding": ("T (D + 6)", "0", "indices held to their range, and rows outside filled"),
    "embedding-bag": ("12 B", "0", "indices held to their range"),
    "block": ("3 B L F + B L^2 g r + B L g r + 4 B L d + 2 L^2 + 1 + 2 L k", "0", "logistic, conversions and mask"),
    "layers": ("2 B D^2 (1 - N) + 2", "B D (1 - N)", "the body of a loop once, and its counter"),
    "rnn": ("(2 B D^2 + 2 B D I + B D) (1 - N) + 2", "B D (1 - N)", "the body of a loop once, and its counter"),
    "nested-scan": ("2 B D^2 (1 - 3 N) + 4", "0", "the body of a loop once, and the counters"),
    "fori": ("B D (1 - L) + 6", "0", "the body of a loop once, its counter and index"),
    "cache-in-a-loop": ("D (1 - S) + 9", "0", "the body of a loop once, its counter and index"),
    "two-carries": ("-7 N + 2", "0", "the body of a loop once, and its counter"),
    "grad": ("-B D", "0", "a factor of 1 is folded"),
    "scan-grad": ("(6 B D^2 + 4 B D) (1 - N) + 6", "B D (1 - N)", "the bodies of loops once, and their counters"),
    "argmax": ("8 B (N - 1)", "0", "9 to compare numbers and positions"),
    "cumsum": ("B (N - 1)^2", "0", "a window of N for each of N"),
    "cast": ("N", "0", "conversions"),
    "pad": ("1", "0", "a conversion of the zero"),
    "scatter-add": ("3 T", "0", "indices held to their range"),
    "sort": ("B N ceil(log2(B N))", "0", "comparisons"),
    "dropout": ("12 - 57 N/2", "0", "rounds of random numbers are loops, their bodies once"),
    "ssd-chunk": ("2 L^2 + 1", "0", "the mask itself"),
}
# The bytes of its arguments and results in addition to those that must move, and why.
MOVED = {
    "captured": ("-16384", "a constant is no argument"),
    "decode": ("2 B S k - 2 B k", "keys are written whole where their argument is not given away"),
    "embedding": ("2 V D - 2 T D", "the table whole"),
    "embedding-bag": ("4000 D - 16 D min(B, 250)", "the table whole"),
    "cache-in-a-loop": ("4 S D", "what is overwritten is an argument"),
    "unchanged": ("8 N", "what is returned as it came"),
    "reshape": ("8 M N", "what is returned as it came"),
    "half": ("2 M N", "the half that nobody takes"),
    "scatter-add": ("8 V D - 8 T D", "the table whole, read and written"),
}
# The FLOPs of products that PyTorch counts in addition, and why.
TORCH = {
    "attention gradient": ("-2*B*h*T*S*k", "scores kept, not computed again"),
    "conv2d": ("2*N*C*K*(9*H*Q - (3*H - 2)*(3*Q - 2))", "products with what was padded"),
    "checkpointed": ("2*B*D*F", "a product whose result nobody takes"),
    "dot": ("-2*N", "it counts no product of vectors"),
    "dot-complex": ("-8*N", "it counts no product of vectors"),
}
POSITIONAL = {"recurrent": ("input_size", "hidden_size")}


def numbers(case: Case, point: Mapping[Symbol, int]) -> dict[str, tuple[str, list[int]]]:
    given, _ = read(case.shapes, case.where)
    return {one.name: (one.format, [int(n.subs(point)) for n in one.sizes]) for one in given}


@pytest.mark.sampled(13)
@pytest.mark.parametrize("case", functions.CASES, ids=lambda c: c.name)
def test_counts_are_those_of_xla(case):
    op = program(case, traced).operation("fused")
    ours = sum((n for engine, n in op.compute.items() if engine != "exp"), Integer(0))
    more, special = XLA.get(case.name, ("0", "0"))[:2]
    compared = 0
    for point in points(case):
        arrays = [
            jax.ShapeDtypeStruct(shape, DTYPES.get(format_, format_))
            for format_, shape in numbers(case, point).values()
        ]
        with jax.enable_x64("fp64" in case.shapes):
            lowered = jax.jit(lambda *a: case.function(*a)).lower(*arrays)
            found = lowered.cost_analysis()
            memory = None if compared else lowered.compile().memory_analysis()
        if memory is not None:
            results = len(jax.tree.leaves(lowered.out_info))
            pointers = 8 * results if results > 1 else 0  # a tuple of results is a table of pointers
            moved = memory.argument_size_in_bytes + memory.output_size_in_bytes - pointers
            assert moved == (op.bytes() + counted(MOVED.get(case.name, ("0",))[0])).subs(point)
        if found.get("flops", 0) < EXACT:
            compared += 1
            assert int(found.get("flops", 0)) == (ours + counted(more)).subs(point)
            roots = op.compute.get("exp", Integer(0))
            assert int(found.get("transcendentals", 0)) == (roots + counted(special)).subs(point)
    assert compared


@pytest.mark.sampled(11)
@pytest.mark.parametrize("case", modules.CASES, ids=lambda c: c.name)
def test_products_are_those_of_the_counter_of_pytorch(case):
    op = program(case, traced_torch).operation("fused")
    ours = sum((n for engine, n in op.compute.items() if engine in MATRIX), Integer(0))
    dtypes = {"bf16": torch.bfloat16, "fp32": torch.float32, "int64": torch.int64, "complex64": torch.complex64}
    taken = inspect.signature(case.function).parameters if is_class(case.function) else ()
    names = {*taken, *POSITIONAL.get(case.name, ())}
    for point in points(case):
        given = numbers(case, point)
        made = case.function
        arrays = [
            torch.empty(shape, dtype=dtypes[format_], device="meta") for format_, shape in given.values() if format_
        ]
        with torch.device("meta"):
            if is_class(made):
                settings = {name: shape[0] for name, (format_, shape) in given.items() if name in names and not format_}
                first = [settings.pop(name) for name in POSITIONAL.get(case.name, ())]
                made = made(*first, **settings)
                made = made.to(arrays[0].dtype) if arrays[0].is_floating_point() else made
            with FlopCounterMode(display=False) as counter:
                made(*arrays)
        more = counted(TORCH.get(case.name, ("0",))[0])
        assert counter.get_total_flops() == (ours + more).subs(point)


def test_what_is_told_apart_is_of_a_function():
    assert {*XLA, *MOVED} <= {case.name for case in functions.CASES}
    assert {*TORCH, *POSITIONAL} <= {case.name for case in modules.CASES}


def test_the_documentation_says_how_many_functions_there_are():
    page = (Path(__file__).resolve().parents[2] / "docs" / "evidence.md").read_text()
    jax_cases, torch_cases = len(functions.CASES), len(modules.CASES)
    assert f"hand counts of {jax_cases} functions of JAX and {torch_cases} of PyTorch at three points" in " ".join(
        page.split()
    )


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(64), torch.nn.Linear(64, 256), torch.nn.Linear(256, 64)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def test_pytorch_traces_the_same_operators():
    """Forward and backward, each operator except views occurs as often as in the trace of `make_fx`."""
    network = Network()

    def trained(x, y):
        loss = torch.nn.functional.mse_loss(network(x), y)
        return loss, torch.autograd.grad(loss, [network.up.weight, network.down.bias])

    def seen(function, *arrays):
        graph = make_fx(function, tracing_mode="symbolic", _allow_non_fake_inputs=True)(*arrays).graph
        targets = (node.target for node in graph.nodes if node.op == "call_function")
        return Counter(called(target._schema.name) for target in targets if hasattr(target, "_schema"))

    views = {
        "sym_size",
        "sym_numel",
        "t",
        "view",
        "detach",
        "_unsafe_view",
        "transpose",
        "expand",
        "ones_like",
        "scalar_tensor",
        "full_like",
    }
    x = torch.empty(5, 7, 64)
    for function, shapes, arrays in (
        (network, "x:fp32[B,L,64]", (x,)),
        (trained, "x:fp32[B,L,64], y:fp32[B,L,64]", (x, x)),
    ):
        ours = Counter(e.primitive for e in traced_torch(function, shapes).program.equations)
        theirs = {name: n for name, n in seen(function, *arrays).items() if name not in views}
        assert {name: n for name, n in ours.items() if name not in views} == theirs
