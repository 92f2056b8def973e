"""The exact one-line errors for code that cannot be traced, with the place in the code and the fix."""

# ruff: noqa: E501 (each message is on one line)

import re
import sys

import numpy as np
import pytest
from functions import jax, jnp, lax

from roofproof import trace
from roofproof.errors import RoofproofError
from roofproof.say import translated
from roofproof.symbols import dimension
from roofproof.trace.registry import ADDED

pytestmark = pytest.mark.frameworks
FILE = "test_jax_refusals.py"


def by_value(x):
    if x[0] > 0:
        return x
    return -x


def by_size(x):
    if x.shape[0] > 1024:
        return x
    return -x


def endless(x):
    return lax.while_loop(lambda c: c[1] > 0.5, lambda c: (c[0] * 2, c[1] / 2), (x, x[0]))[0]


def branching(x):
    return lax.cond(x[0] > 0, lambda y: y * 2, lambda y: jnp.exp(y), x)


def line(function, k=1):
    return f"{FILE}:{function.__code__.co_firstlineno + k}"


@pytest.fixture(autouse=True)
def no_rules_of_others():
    ADDED.clear()
    yield
    ADDED.clear()


def refused(function, *arguments, **named):
    with pytest.raises(RoofproofError) as problem:
        trace.jax(function, *arguments, **named)
    return str(problem.value)


REFUSED = [
    (by_value, "x:fp32[N]", "{}: a value of an array is needed while tracing, and there is none; use jnp.where, lax.cond or lax.fori_loop"),
    (by_size, "x:fp32[N]", "{}: Symbolic dimension comparison 'N' > '1024' is inconclusive: this holds for some sizes and not for others; add a condition by --where, such as 'd >= 128' or 'k even'"),
    (lambda x: x[x > 0], "x:fp32[N]", "{0}: how many elements an index of truth values takes depends on them; use jnp.where with a value for the others"),
    (lambda x: jnp.linalg.eigh(x), "x:fp32[8,8]", "{0}: the primitive 'eigh' has no rule; add one by roofproof.trace.rule('eigh', compute={{'bf16': '...'}})"),
    (endless, "x:fp32[N]", "{}: the number of iterations depends on a value; use lax.scan, or roofproof.trace.rule('while', trips='...', where='{}')"),
    (branching, "x:fp32[N]", "{}: which of 2 branches is taken depends on a value; say which by roofproof.trace.rule('cond', branch=1, where='{}'), from 0 to 1"),
    (lambda x, w: x @ w, "x:fp32[M,N], w:fp32[M,N]", "{0}: TypeError: dot_general requires contracting dimensions to have the same shape, got (N,) and (M,)."),
    (lambda x: x * np.sqrt(x.shape[0]), "x:fp32[N]", "{0}: a size that is a symbol is used as a value here; give it a number in the shapes, or, where layers are "
     "made in a loop, its name to --unrolled"),
    (lambda x: 1 / 0, "x:fp32[N]", "{0}: ZeroDivisionError: division by zero"),
    (lambda x: x.sort().shap, "x:fp32[N]", "{0}: AttributeError: DynamicJaxprTracer has no attribute shap"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "shapes", "message"), REFUSED, ids=range(len(REFUSED)))
def test_code_that_cannot_be_traced(function, shapes, message):
    told = refused(function, shapes)
    place = line(function, "{0}" not in message)
    assert told == message.replace("{0}", place).replace("{}", place).replace("{{", "{").replace("}}", "}")


TEXTS = {
    "x:fp32[N": "--shapes: column 7: '[' is never closed",
    "x:fp32": "--shapes: column 7: the text is incomplete",
    "x:fp32[N], x:fp32[N]": "--shapes: 'x' is given twice, or there are too many arguments",
    "x:fp23[N]": "unknown number format 'fp23'; did you mean 'fp32'?",
    "x:mxfp4[N]": "x: JAX has no arrays in 'mxfp4'; scales are arrays of their own",
    "x:fp32[N-N]": "--shapes: column 8: size 'N - N': expected a whole number from 1, a name or a product of these",
    "x:fp32[mod]": "--shapes: column 8: 'mod' cannot name a size; choose another name",
    "y:fp32[N]": "unknown parameter 'y'; known: x",
    "": "test_jax_refusals.py:{}: no shape of the parameter 'x'; add x:bf16[...] to the shapes, or x=NUMBER",
    "x.a:fp32[N], x[1]:fp32[N]": "--shapes: a, 1 name parts of one argument both by key and by number",
}


@pytest.mark.parametrize("text", TEXTS)
def test_shapes_that_are_not_understood(text):
    function = lambda x: x  # noqa: E731
    assert refused(function, text).startswith(TEXTS[text].replace("{}", str(function.__code__.co_firstlineno)))


WHERE = {
    "N": "--where: column 1: 'N' is not a condition; expected one such as 'B > 0', 'D integer' or '128 divides D'",
    "M > 2": "--where: no shape has the size 'M'; sizes: N",
    "3*N = 4": "--where: the conditions contradict each other: 3*N = 4",
    "N = N + 1": "--where: the conditions contradict each other: N = N + 1",
    "N < 3 KiB": "--where: column 5: '3 KiB' has a unit and sizes have none; write a unit on both sides",
    "N = M; M = N": "--where: the definition of N uses N; remove the cycle",
    "__import__('os')": "--where: ",
}


@pytest.mark.parametrize("where", WHERE)
def test_conditions_that_are_not_understood(where):
    assert refused(lambda x: x * 2, "x:fp32[N]", where=where).startswith(WHERE[where])


def test_a_traffic_model_that_is_none():
    assert (
        refused(by_value, "x:fp32[N]", traffic="fusd")
        == "unknown traffic model 'fusd'; did you mean 'fused' or 'unfused'?"
    )


IN_CHINESE = {
    by_value: "{}：跟踪时需要数组的值，而此时没有值；请用 jnp.where、lax.cond 或 lax.fori_loop",
    endless: "{}：这个循环由值决定何时结束，因此循环次数未知；请用 roofproof.trace.rule('while', trips='...', where='{}') 给出，或改用 lax.scan",
    branching: "{}：2 个分支中走哪一个取决于值；请用 roofproof.trace.rule('cond', branch=1, where='{}') 指明，从 0 到 1",
}


@pytest.mark.parametrize("function", IN_CHINESE, ids=lambda f: f.__name__)
def test_refusals_in_chinese(function):
    with pytest.raises(RoofproofError) as problem:
        trace.jax(function, "x:fp32[N]")
    assert translated(problem.value.said, "zh") == IN_CHINESE[function].replace("{}", line(function))


def test_a_missing_shape_and_an_unknown_primitive_in_chinese():
    with pytest.raises(RoofproofError) as problem:
        trace.jax(by_value)
    assert translated(problem.value.said, "zh") == (
        f"{line(by_value, 0)}：参数 'x' 没有形状；请在形状中加上 x:bf16[...]，或 x=数"
    )
    with pytest.raises(RoofproofError) as problem:
        trace.jax(lambda x: jnp.linalg.eigh(x), "x:fp32[8,8]")
    assert translated(problem.value.said, "zh").endswith(
        "：原语 'eigh' 没有规则；请用 roofproof.trace.rule('eigh', compute={'bf16': '...'}) 添加一条"
    )


@pytest.fixture
def rules():
    return trace.rule


def test_a_rule_answers_a_refusal(rules):
    N = dimension("N")
    rules("eigh", compute={"fp32": "9 * 8^3"}, source="Golub, Van Loan, Matrix Computations, section 8.3")
    assert trace.jax(lambda x: jnp.linalg.eigh(x)[0], "x:fp32[8,8]").compute["fp32"] == 4608
    rules("while", trips="10", where=line(endless))
    assert dict(trace.jax(endless, "x:fp32[N]").compute) == {"fp32-vector": 10 * N + 10}
    for branch, counts in ((0, {"exp": N}), (1, {"fp32-vector": N})):
        rules("cond", branch=branch, where=line(branching))
        assert dict(trace.jax(branching, "x:fp32[N]").compute) == counts
    rules("exp", compute=lambda step: {"fp32-vector": 20 * step.outputs[0].elements})  # computed by a polynomial
    assert dict(trace.jax(jnp.exp, "x:fp32[N]").compute) == {"fp32-vector": 20 * N}


def test_a_rule_that_says_nothing_is_refused():
    with pytest.raises(
        RoofproofError, match=re.escape("rule for 'f': give compute={...}, branch=N, trips=N or found=N")
    ):
        trace.rule("f")
    with pytest.raises(RoofproofError, match="unknown number format 'bf61'"):
        trace.rule("f", compute={"bf61": 1})
    assert not ADDED


def test_nothing_is_computed_and_the_function_is_called_once():
    calls = []

    def once(x):
        calls.append(x)
        return x @ x

    trace.jax(once, "x:fp32[N,N]", where="N >= 2")
    assert len(calls) == 1
    assert jax.config.jax_enable_x64 is False


def test_without_jax_the_cure_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    assert refused(lambda x: x, "x:fp32[N]") == "JAX is not installed; cure: pip install 'roofproof[jax]'"
