"""How answers are read: LaTeX, pi, powers of two. The same text gives the same tree in an answer and in a claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import roofproof
from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.answers.reading import read_answer, read_condition
from roofproof.claims.answers.tokens import Unreadable
from roofproof.cli import main
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import Call, Comparison, Name, Number, Op, Tree


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{aligned} I &= \frac{2BDF}{2BD+2DF+2BF} \\ &= \frac{BDF}{BD+DF+BF} \end{aligned}",
        r"I{=}\frac{BDF}{BD+DF+BF}\tag{3}",
        r"\mathrm{I}(B, D, F) = \dfrac{1}{\frac1B + \frac1D + \frac1F}",
        r"\sqrt[3]{\left(\frac{BDF}{BD+DF+BF}\right)^{3}}",
        r"$\lvert \frac{B\,D\,F}{B\,D+D\,F+B\,F} \rvert$",
        "√((BDF/(BD+DF+BF))**2)",
        r"\begin{aligned} I &= \frac{BDF}{BD+DF+BF} + 1 \\ &\quad {} - 1 \end{aligned}",
        r"\max\left\{\frac{BDF}{BD+DF+BF}, 0\right\}",
        r"\max\{0, 1/(1/B + 1/D + 1/F)\}",
    ],
)
def test_what_students_write_is_graded(text: str) -> None:
    assert grade(Question(op("matmul")), text).grade == "right"


@pytest.mark.parametrize(
    ("text", "asks", "read"),
    [
        (r"2\text{B} = 16\text{KB}", "bytes", "bytes = 2 byte = 16 kB"),
        (r"$10.3\,\mu s$", "time", "T = 10.3 µs"),
        (r"\frac{5\ln N}{32}", "intensity", "I = 5 log(N)/32"),
        ("35.65 MB / 819 GB/s", "time", "T = 35.65 MB/(819 GB/s)"),
        ("197 TFLOPS / 819 GB/s", "ridge", "R = 197 TFLOPS/(819 GB/s)"),
    ],
)
def test_how_an_answer_is_read(text: str, asks: str, read: str) -> None:
    assert str(read_answer(text, ["N"], asks)) == read


@pytest.mark.parametrize(
    ("reason", "grade_of_never"),
    [("I = 1/8 < 25.3", "right"), ("1/8 < 25.3", "right"), ("I < R", "right"), ("I = 1/4", "unreadable"),
     ("I > R", "unreadable")],
)  # fmt: skip
def test_a_reason_for_never_has_to_hold(reason: str, grade_of_never: str) -> None:
    asked = Question(op("prefix-sum"), chip("t4"), "N")
    assert grade(asked, f"never, since {reason}").grade == grade_of_never


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2N/12N", "'2N/12N' can be read two ways; write '(2N/12) * N' or '2N/(12N)'"),
        ("N/NN", "'N/NN' can be read two ways; write '(N/N) * N' or 'N/(NN)'"),
        ("240 btye", "'btye' is not a unit; did you mean byte?"),
        ("3 MB + 2 ms", "'3 MB' (byte) and '2 ms' (s) cannot be added"),
        ("(" * 150 + "N" + ")" * 150, "the answer has more than 200 words and signs"),
        ("N)", "')' closes nothing"),
        ("(N", "'(' is never closed"),
    ],
)
def test_what_is_refused_says_why(text: str, problem: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_answer(text, ["N"], "bytes")
    assert str(caught.value) == problem


# --- the mathematics of an answer is that of a claim: random texts give the same tree in both


NAMES = ("B", "D", "F", "hd")
leaves = st.sampled_from(NAMES).map(Name) | st.sampled_from((2, 3, 48, 4096)).map(lambda n: Number(n, str(n)))


def _larger(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    joined = st.builds(Op, st.sampled_from("+*"), several)
    quotient = st.builds(lambda above, below: Op("/", (above, below)), parts, parts)
    power = st.builds(lambda base, exponent: Op("^", (Name(base), Number(exponent, str(exponent)))),
                      st.sampled_from(NAMES), st.integers(2, 4))  # fmt: skip
    called = st.builds(Call, st.sampled_from(("max", "min")), several)
    return joined | quotient | power | called | st.builds(lambda x: Op("-", (x,)), st.sampled_from(NAMES).map(Name))


values = st.recursive(leaves, _larger, max_leaves=8)


@given(values)
def test_the_value_of_an_answer_is_that_of_a_claim(tree: Tree) -> None:
    text = to_text(tree)
    assert read_answer(text, NAMES, "flops").value.node == read_value(text, NAMES)


@given(values, st.sampled_from(("<", "<=", ">", ">=")), values)
def test_the_condition_of_an_answer_is_that_of_a_claim(left: Tree, relation: str, right: Tree) -> None:
    text = to_text(Comparison((left, right), (relation,)))
    assert read_condition(text, NAMES) == read_statement(text, NAMES)


# --- `pi` in an answer is the number, unless a size of the question has that name ---


@pytest.mark.parametrize("text", ["2 pi B", "2piB", "2πB", r"2\pi B", r"$2 \pi \cdot B$", "2 𝜋 B"])
def test_it_is_read_in_each_spelling(text: str) -> None:
    assert str(read_answer(text, ["B"], "flops")) == "FLOPs = 2 pi B"


def test_a_product_of_p_and_i_stays_one() -> None:
    assert str(read_answer("2pi", ["p", "i"], "flops")) == "FLOPs = 2 p i"
    assert str(read_answer("2π i", ["p", "i"], "flops")) == "FLOPs = 2 pi i"


@pytest.mark.parametrize(
    ("answer", "grade"),
    [("ceil(86.6 pi)", "right"), ("ceil(86.9 π)", "close"), (r"100 \pi", "wrong"), ("273 pi/pi", "right")],
)
def test_it_is_graded_by_its_value(answer: str, grade: str) -> None:  # 86.6 pi = 272.06..., 86.9 pi = 273.005...
    sizes = {"D": 4096, "F": 4096}
    assert roofproof.check("matmul", "tpu-v5e", "B", answer, at=sizes, asks="smallest").grade == grade


# --- thresholds of an operation with a logarithm: powers of two, in plain text and in LaTeX


ANSWERS = {
    "N > 2^(32R/5)": "Right.",
    r"N > 2^{32R/5}": "Right.",
    r"\log_2 N > \frac{32R}{5}": "Right.",
    "N > 2^(6R)": "Wrong.",
    "N > 2^64": "Wrong.",
}


@pytest.mark.parametrize(("answer", "grade"), ANSWERS.items(), ids=ANSWERS)
def test_a_power_of_two_is_read_without_a_chip(answer: str, grade: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["grade", "--op", "fft", "--for", "N", "--answer", answer])
    assert capsys.readouterr().out.startswith(grade)


@pytest.mark.parametrize(("answer", "grade"), {"log2 N > 64": "Right.", "N > 2^1889": "Wrong."}.items())
def test_a_bound_on_the_logarithm_is_one_on_the_size(
    answer: str, grade: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["grade", "--op", "fft", "--chip", "h100-sxm", "--for", "N", "--answer", answer])
    assert capsys.readouterr().out.startswith(grade)
