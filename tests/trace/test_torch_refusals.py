"""The exact one-line errors for PyTorch code that cannot be traced, with the place in the code and the fix."""

# ruff: noqa: E501 (each message is on one line)

import sys

import pytest
from modules import MLP, F, nn, torch
from torch.nn.attention.flex_attention import flex_attention

from roofproof import trace
from roofproof.errors import RoofproofError
from roofproof.say import translated
from roofproof.symbols import dimension
from roofproof.trace.registry import ADDED

pytestmark = pytest.mark.frameworks
FILE = "test_torch_refusals.py"


def by_value(x):
    if x[0] > 0:
        return x
    return -x


def by_size(x):
    if x.shape[0] > 1024:
        return x
    return -x


def by_turns(x):
    for _ in range(x.shape[0]):
        x = x + 1
    return x


class Scaled(nn.Module):
    def __init__(self, d, x):
        super().__init__()
        self.d = d

    def forward(self, x):
        return x * self.d


@pytest.fixture(autouse=True)
def no_rules_of_others():
    ADDED.clear()
    yield
    ADDED.clear()


def refused(function, *arguments, **named):
    with pytest.raises(RoofproofError) as problem:
        trace.torch(function, *arguments, **named)
    return str(problem.value)


SOME = "if it holds for some sizes, say for which by --where, such as 'N even' or 'C = B'"
REFUSED = [
    (by_value, "x:fp32[N]", 1, "a value of a tensor is needed while tracing, and there is none; use torch.where"),
    (by_size, "x:fp32[N]", 1, "whether N > 1024 is open: this holds for some sizes and not for others; add a condition by --where, such as 'd >= 128' or 'k even'"),
    (by_turns, "x:fp32[N]", 1, "the code uses the size N as a value; give it a number in --shapes, or use --unrolled "
     "N for a loop over layers"),
    (lambda x: x.view(int(x.shape[0] / 2), 2), "x:fp32[N]", 0, "the quotient N/2 is used as a value here; write n // w for int(n / w), or give N a number in the shapes"),
    (lambda q: flex_attention(q, q, q), "q:bf16[B,h,L,k]", 0, "torch.flex_attention has no rule, as its mask is code; call scaled_dot_product_attention, with is_causal=True or attn_mask=MASK for the mask"),
    (lambda x: x.sum().item(), "x:fp32[N]", 0, "a value of a tensor is needed while tracing, and there is none; use torch.where"),
    (lambda x: x[x > 0], "x:fp32[N]", 0, "how many elements an index of truth values takes depends on them; use torch.where with a value for the others"),
    (lambda x: torch.linalg.eigh(x), "x:fp32[8,8]", 0, "the primitive '_linalg_eigh' has no rule; add one by roofproof.trace.rule('_linalg_eigh', compute={'bf16': '...'})"),
    (lambda x: torch.cond(x.sum() > 0, torch.exp, torch.sin, (x,)), "x:fp32[N]", 0, "torch.cond has no rule, as its result depends on values; call the function it stands for"),
    (lambda x, w: x @ w, "x:fp32[A,B], w:fp32[C,D]", 0, f"RuntimeError: a and b must have same reduction dim, but got [A, B] X [C, D].; {SOME}"),
    (lambda x: x.view(2, -1), "x:fp32[N]", 0, f"RuntimeError: shape '[2, -1]' is invalid for input of size N; {SOME}"),
    (lambda x: 1 / 0, "x:fp32[N]", 0, "ZeroDivisionError: division by zero"),
    (lambda x: x.numpy() + 1, "x:fp32[N]", 0, "RuntimeError: .numpy() is not supported for tensor subclasses."),
    (lambda q: F.scaled_dot_product_attention(q, q, q, dropout_p=0.1), "q:bf16[B,h,L,k]", 0, "attention with dropout has no rule; set dropout_p=0, as where the model is used"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "shapes", "below", "message"), REFUSED, ids=range(len(REFUSED)))
def test_code_that_cannot_be_traced(function, shapes, below, message):
    assert refused(function, shapes) == f"{FILE}:{function.__code__.co_firstlineno + below}: {message}"


TEXTS = [
    (MLP, "d=d, x:bf16[B,d]", "no shape of the parameter 'f'; add f:bf16[...] to the shapes, or f=NUMBER"),
    (MLP, "d=d, f=f", "no shape of the parameter 'x'; add x:bf16[...] to the shapes, or x=NUMBER"),
    (MLP, "d=d, f=f, y:bf16[B,d], z:bf16[d]", "unknown parameter 'y'; known: x"),
    (MLP, "d=d, f:bf16[f], x:bf16[B,d]", "f: expected a number where a module is made, not a tensor; write f=8"),
    (Scaled, "d=2, x:bf16[B]", "Scaled takes 'x' when it is made and when it is called; name an instance of it instead"),
    (by_size, "x:mxfp4[N]", "x: PyTorch has no tensors in 'mxfp4'; scales are tensors of their own"),
    (by_size, "x:fp23[N]", "unknown number format 'fp23'; did you mean 'fp32'?"),
    (torch.relu, "x:fp32[N]", "'relu' is not a function with named parameters"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "shapes", "message"), TEXTS, ids=range(len(TEXTS)))
def test_shapes_that_do_not_fit(function, shapes, message):
    assert refused(function, shapes).endswith(message)


IN_CHINESE = {
    by_value: "{}：跟踪时需要张量的值，而此时没有值；请用 torch.where",
    by_size: "{}：N > 1024 是否成立未定：这对某些尺寸成立，对另一些不成立；请用 --where 加上条件，例如 'd >= 128' 或 'k even'",
    by_turns: "{}：这里把尺寸 N 当作数值使用；请在形状中给它一个数；若各层由循环生成，则用 --unrolled N",
}


@pytest.mark.parametrize("function", IN_CHINESE, ids=lambda f: f.__name__)
def test_refusals_in_chinese(function):
    with pytest.raises(RoofproofError) as problem:
        trace.torch(function, "x:fp32[N]")
    place = f"{FILE}:{function.__code__.co_firstlineno + 1}"
    assert translated(problem.value.said, "zh") == IN_CHINESE[function].replace("{}", place)


def test_a_missing_shape_has_the_line_of_the_module():
    made, called = MLP.__init__.__code__, MLP.forward.__code__
    cure = "no shape of the parameter '{0}'; add {0}:bf16[...] to the shapes, or {0}=NUMBER"
    assert refused(MLP, "d=d, x:bf16[B,d]") == f"modules.py:{made.co_firstlineno}: {cure.format('f')}"
    assert refused(MLP, "d=d, f=f") == f"modules.py:{called.co_firstlineno}: {cure.format('x')}"
    assert refused(MLP(4, 8)) == f"modules.py:{called.co_firstlineno}: {cure.format('x')}"


def test_sizes_that_meet_no_condition():
    contradicting = refused(by_turns, "x:fp32[N]", where="N >= 9; N <= 8")
    assert contradicting == "--where: the conditions contradict each other: N >= 9; N <= 8"


def test_a_condition_chooses_the_branch_and_a_rule_answers_a_refusal():
    N = dimension("N")
    assert dict(trace.torch(by_size, "x:fp32[N]", where="N <= 1024").compute) == {"fp32-vector": N}
    assert dict(trace.torch(by_size, "x:fp32[N]", where="N > 1024").compute) == {}
    trace.rule("_linalg_eigh", compute={"fp32": "9 * 8^3"}, source="counted by hand")
    assert trace.torch(lambda x: torch.linalg.eigh(x)[0], "x:fp32[8,8]").compute["fp32"] == 4608


def test_an_operator_of_the_user_is_refused_until_it_has_a_rule():
    @torch.library.custom_op("mine::doubled", mutates_args=())
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    doubled.register_fake(torch.empty_like)
    assert "the primitive 'mine::doubled' has no rule" in refused(lambda x: doubled(x), "x:fp32[N]")
    trace.rule("mine::doubled", compute=lambda step: {"fp32-vector": step.outputs[0].elements})
    assert trace.torch(lambda x: doubled(x), "x:fp32[N]").bytes() == 8 * dimension("N")


def test_without_pytorch_the_cure_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert refused(by_size, "x:fp32[N]") == "PyTorch is not installed; cure: pip install 'roofproof[torch]'"


@pytest.mark.parametrize(
    ("function", "shapes", "what"),
    [
        (lambda a, b: a @ b, "a:bf16[M,K], b:fp32[K,N]", "mm of bf16 and fp32"),
        (lambda a, b: torch.einsum("mk,kn->mn", a, b), "a:bf16[M,K], b:fp32[K,N]", ""),
        (lambda a, b, c: F.linear(a, b, c), "a:bf16[M,K], b:bf16[N,K], c:fp32[N]", "addmm of bf16 and fp32"),
        (lambda a, b: F.linear(a, b), "a:fp16[M,K], b:bf16[N,K]", "mm of fp16 and bf16"),
        (lambda a, b: F.conv2d(a, b), "a:bf16[B,8,16,16], b:fp32[K,8,3,3]", "convolution of bf16 and fp32"),
        (
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
            "q:bf16[B,8,L,64], k:bf16[B,8,S,64], v:fp32[B,8,S,64]",
            "scaled_dot_product_attention of bf16 and fp32",
        ),
        (nn.Linear(64, 32), "input:bf16[B,64]", "addmm of bf16 and fp32"),
        (
            lambda a, b: torch.linalg.solve_triangular(a, b, upper=False),
            "a:fp32[N,N], b:fp64[N,K]",
            "linalg_solve_triangular of fp32 and fp64",
        ),
        (nn.Linear(64, 32, bias=False), "input:bf16[B,64]", "mm of bf16 and fp32"),
    ],
)
def test_products_of_two_formats_are_refused_as_by_pytorch(function, shapes, what):
    told = refused(function, shapes)
    assert f"{what}: PyTorch multiplies numbers of one format; convert one of them" in told if what else told
