"""Expressions from users: their values, errors, and quick rejection of hostile text."""

import contextlib
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sympy import Integer, Max, Min, Rational, ceiling, floor, sqrt

from roofproof import chip, op, threshold
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import exp2, log2
from roofproof.formula.to_sympy import parse_expression
from roofproof.symbols import quantity

a, b, c, d, x, y, t, R = map(quantity, ["a", "b", "c", "d", "x", "y", "t", "R"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 a b c", 2 * a * b * c),
        ("2a", 2 * a),
        ("R (a + b)", R * (a + b)),
        ("2(a)", 2 * a),
        ("(a)(b)", a * b),
        ("t (t + 1) / 2", t * (t + 1) / 2),
        ("2 a / b", 2 * a / b),
        ("a b / (c d)", a * b / (c * d)),
        ("a / b * c", a * c / b),
        ("a / b / c", a / (b * c)),
        ("a - b - c", a - b - c),
        ("a - -b", a + b),
        ("-x^2", -(x**2)),
        ("(-x)^2", x**2),
        ("2^3^2", Integer(512)),
        ("x^2^3 y", x**8 * y),
        ("x**-2", x**-2),
        ("2 x^2 y", 2 * x**2 * y),
        ("-a b", -a * b),
        ("x^(1/2)", sqrt(x)),
        ("sqrt(x) y", sqrt(x) * y),
        ("2 sqrt(a c)", 2 * sqrt(a * c)),
        ("√x y", sqrt(x) * y),
        ("√(a c)", sqrt(a * c)),
        ("√2", sqrt(2)),
        ("a × b · x²", a * b * x**2),
        ("x³", x**3),
        ("a − b", a - b),
        ("f (x + 1)", quantity("f") * (x + 1)),
        ("min(a, b, 3, 4)", Min(a, b, 3)),
        ("max(a, max(b, 2), 3)", Max(a, b, 3)),
        ("max(2, 3)", Integer(3)),
        ("ceil(7/2) + floor(7/2)", Integer(7)),
        ("ceil((a - 1) / 2)", ceiling((a - 1) / 2)),
        ("floor(a)", floor(a)),
        ("log2(8)", Integer(3)),
        ("log2(a)", log2(a)),
        ("log2(1024 a / a)", Integer(10)),
        ("abs(-x)", x),
        ("abs(-3)", Integer(3)),
        ("1.97e14", Integer(197) * 10**12),
        ("0.1 + 0.2", Rational(3, 10)),
        (".5e-3", Rational(1, 2000)),
        ("0", Integer(0)),
        ("(" * 100 + "x" + ")" * 100, x),
    ],
)
def test_meaning(text, value):
    assert parse_expression(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected an expression, but the text is empty"),
        (" \n", "expected an expression, but the text is empty"),
        ("a +", "column 4: the text is incomplete"),
        ("a + * b", "column 5: unexpected '*'"),
        ("a, b", "column 2: unexpected ','"),
        ("a $ b", "column 3: unexpected '$'"),
        ("a = b", "column 1: expected a value, got a proposition"),
        ("a//b", "column 3: unexpected '//'; write 'floor(a / b)'"),
        ("sqrt()", "column 1: expected sqrt(number), got 0 arguments"),
        ("x 2", "column 3: the number '2' directly after a factor; write '*' or '^' before it"),
        ("1.5.2", "column 4: the number '.2' directly after a factor; write '*' or '^' before it"),
        ("1_000", "column 2: '_' after a digit; write the digits without it"),
        ("0x10", "column 1: zero times something; write only 0"),
        ("f(x", "column 2: '(' is never closed"),
        ("x)", "column 2: ')' closes nothing"),
        ("(x]", "column 3: expected ')' for '(' in column 1, got ']'"),
        ("a/b c", "column 2: 'a/b c' can be read two ways; write '(a/b) * c' or 'a/(b c)'"),
        ("1/2 B", "column 2: '1/2 B' can be read two ways; write '(1/2) * B' or '1/(2 B)'"),
        ("a/b(c)", "column 3: 'b(c)' may be b at c or a product; write 'b * c' for the product"),
        ("x + a/-b c", "column 6: 'a/-b c' can be read two ways; write '(a/-b) * c' or 'a/(-b c)'"),
        ("2^n", "column 1: the exponent 'n' is not a number; exponents are rational numbers"),
        ("x^65", "column 3: the exponent '65' exceeds 64"),
        ("9**9**9**9", "column 7: the exponent '387420489' exceeds 64"),
        ("3^(7/65)", "column 1: the exponent '7/65': expected a fraction of at most 64 over 64"),
        ("2^(1/2^64)", "column 1: the exponent '1/18446744073709551616': expected a fraction of at most 4096 over 64"),
        ("2^(300001/73)", "column 1: the exponent '300001/73': expected a fraction of at most 4096 over 64"),
        ("((9^64)^64)^64", "column 2: a number of more than 8192 bits"),
        ("1/0", "column 3: division by zero"),
        ("1/(a - a)", "column 4: division by zero"),
        ("0^0", "column 1: zero to the power 0"),
        ("0^-1", "column 1: zero to the power -1"),
        ("sqrt(-2)", "column 1: an even root of the negative number '-2'"),
        ("sqrt(a, b)", "column 1: expected sqrt(number), got 2 arguments"),
        ("log2(0)", "column 1: log2 of '0', which is not positive"),
        ("1e999", "column 1: number '1e999' exceeds 60 characters or the exponent 60"),
        ("9" * 70, "column 1: number '99999999999999999999...' exceeds 60 characters or the exponent 60"),
        ("В + 1", "column 1: 'В' is CYRILLIC CAPITAL LETTER VE; names are ASCII letters, digits and underscores"),
        ("a\0b", r"column 2: '\x00' is U+0000; names are ASCII letters, digits and underscores"),
        ("x + ٣", "column 5: '٣' is ARABIC-INDIC DIGIT THREE; names are ASCII letters, digits and underscores"),
        ("x ＋ 1", "column 3: '＋' is FULLWIDTH PLUS SIGN; write '+'"),
        ("x\u30001", r"column 2: '\u3000' is IDEOGRAPHIC SPACE; write ' '"),
        ("（x + 1)", "column 1: '（' is FULLWIDTH LEFT PARENTHESIS; write '('"),
        ("x – 1", "column 3: '–' is EN DASH; write '-'"),
        ("x 乘以 2", "column 3: '乘以' is not part of this language; write '*'"),
        ("3 万", "column 3: '万' is not part of this language; write '* 10^4'"),
        ("批 + 1", "column 1: '批' is CJK UNIFIED IDEOGRAPH-6279; names are ASCII letters, digits and underscores"),
        ("a" * 1_000_000, "an expression has 1000000 characters; the limit is 10000"),
        ("(" * 4000 + "x" + ")" * 4000, "column 101: brackets are nested more than 100 deep"),
        ("-" * 4000 + "x", "column 1: more than 100 signs one after another"),
        ("sqrt(1+" * 90 + "x" + ")" * 90, "column 281: brackets, calls and signs are nested more than 120 deep"),
        ("max(" + "a," * 40 + "b)", "column 1: max of more than 32 values"),
    ],
)
def test_refused(text, message):
    start = time.thread_time()
    with pytest.raises(RoofproofError) as caught:
        parse_expression(text)
    assert str(caught.value) == message
    assert time.thread_time() - start < 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "text",
    [
        "abs(x-" * 90 + "1" + ")" * 90,
        "abs(x-" * 5 + "1" + ")" * 5,
        "max(x-1," * 5 + "1" + ")" * 5,
        "ceil(1+" * 90 + "x/2" + ")" * 90,
        "x" + "^1" * 4000,
        "+".join(f"a{i}" for i in range(1500)),
        "*".join(f"a{i}" for i in range(1500)),
        " ".join(f"a{i}" for i in range(1500)),
        "a/" * 4999 + "a",
        "max(" + ",".join(f"a{i}" for i in range(32)) + ")",
        "(a+b)^64" * 1000,
        "1/3/(10^60+7)^(1/64)",
        "10^60 * " * 1000 + "1",
        "sqrt(10^60+1) + " * 500 + "1",
        "√" * 150 + "x",
        "((((x^64)^64)^64)^64)^64",
        "log2(" * 30 + "x" + ")" * 30,
    ],
)
def test_hostile_text_is_answered_quickly(text):
    start = time.thread_time()
    with contextlib.suppress(RoofproofError):
        str(parse_expression(text))
    assert time.thread_time() - start < 5


def test_names_come_from_the_caller():
    assert parse_expression("2 P / W", {"P": Integer(6), "W": Integer(3)}) == 4
    with pytest.raises(RoofproofError) as caught:
        parse_expression("2 Q", {"P": Integer(6)})
    assert str(caught.value) == "column 3: unknown name 'Q'; known: P"


def test_a_name_that_doubles_itself_stops():
    value = a + b
    for _ in range(30):
        value = value * (value + 1)
    with pytest.raises(RoofproofError) as caught:
        parse_expression("v", {"v": value})
    assert str(caught.value) == "column 1: the expression has more than 20000 nodes"


def expressions():
    leaf = st.sampled_from([a, b, c, Integer(2), Rational(3, 7)])
    return st.recursive(
        leaf,
        lambda e: st.one_of(
            st.tuples(e, e).map(lambda p: p[0] + p[1]),
            st.tuples(e, e).map(lambda p: p[0] * p[1]),
            st.tuples(e, e).map(lambda p: p[0] / p[1]),
            e.map(sqrt),
            e.map(lambda v: v + a**3),
        ),
        max_leaves=8,
    )


@given(expressions())
def test_what_sympy_prints_reads_back_equal(value):
    assert (parse_expression(str(value)) - value).equals(0)


@given(st.text(alphabet="ab12 .+-*/^()²√,sqrtmax_e", max_size=40))
@example("a" + "(" * 3)
def test_nothing_but_a_roofproof_error(text):
    try:
        parse_expression(text)
    except RoofproofError as problem:
        assert "\n" not in str(problem)


@given(st.text(max_size=60))
def test_nothing_but_a_roofproof_error_on_any_text(text):
    try:
        parse_expression(text)
    except RoofproofError as problem:
        assert "\n" not in str(problem)


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6))
def test_a_power_of_two_that_an_answer_prints_is_read_again(above: int, below: int) -> None:
    """Thresholds with log2 are 2^(p/q) with p and q from a ridge point, and are read back exactly as printed."""
    exponent = Rational(above, below)
    printed = plain(exp2(exponent))
    if abs(exponent) > 4096:
        with pytest.raises(RoofproofError, match=r"exceeds 4096|of at most 4096 over 64|more than 8192 bits"):
            parse_expression(printed)
    else:
        assert parse_expression(printed) in (exp2(exponent), Integer(2) ** exponent)


def test_the_threshold_of_a_transform_is_read_again() -> None:
    asked = op("flops fp32-vector = 201 N log2(N); bytes hbm = 10570 N")
    found = threshold(asked, chip("fp32-vector=1 FLOP/s, hbm=1 B/s"), "N").found
    bound = found.at_point.at
    assert plain(bound) == "2^(10570/201)" and parse_expression(plain(bound)) == bound
    assert parse_expression("3 N * 2^(10570/201)") == 3 * quantity("N") * bound
