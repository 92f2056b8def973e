"""Propositions: the trees that they give, and the exact message of each text that is rejected."""

import time
from fractions import Fraction

import pytest

from roofproof.claims.judge.words import table
from roofproof.errors import RoofproofError
from roofproof.formula.conditions import read_conditions
from roofproof.formula.dimensions import dimension_of
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import Number, Quantity, is_op
from roofproof.formula.units import BYTE, FLOP, PLAIN, SECOND, per, units


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("2 B D F / (D F - R (D + F)) == 1", "2 B D F / (D F - R (D + F)) == 1"),
        ("14e9 / (n * 50e9) <= 0.1", "14e9 / (n * 50e9) <= 0.1"),
        ("7 n <= 100", "7 n <= 100"),
        ("t (t + 1) / 2 > 1", "t (t + 1) / 2 > 1"),
        ("a<b<=c!=d", "a < b <= c != d"),
        ("x**2 > 2^-3", "x^2 > 2^-3"),
        ("not a < b and c > d or e == f", "not a < b and c > d or e == f"),
        ("not (a < b and c > d)", "not (a < b and c > d)"),
        ("a > b => c > d => e > f", "a > b => c > d => e > f"),
        ("(a > b => c > d) => e > f", "(a > b => c > d) => e > f"),
        ("a > b <=> c > d <=> e > f", "a > b <=> c > d <=> e > f"),
        ("(a > b)", "a > b"),
        ("a - (b - c) > 1", "a - (b - c) > 1"),
        ("a + (b + c) > 1", "a + b + c > 1"),
        ("a / (b / c) > 1", "a / (b / c) > 1"),
        ("(1/2) B > 1", "1/2 * B > 1"),
        ("f (x + 1) > 1", "f (x + 1) > 1"),
        ("x → oo", "x -> oo"),
        ("a ≈ b ∧ c ≤ d ∨ ¬ e ≠ f ⇒ g ≥ 1 ⇔ h < ∞", "a ~= b and c <= d or not e != f => g >= 1 <=> h < oo"),
        ("√(a c) × x² · y³ − 1 > 0", "sqrt(a c) x^2 y^3 - 1 > 0"),
        ("argmin(T, X, {1, 2, 4}) == 2", "argmin(T, X, {1, 2, 4}) == 2"),
        ("ridge(tpu-v5e, bf16) ~= 240", 'ridge("tpu-v5e", bf16) ~= 240'),
        ("ridge(tpu-v5e@scaling-book, bf16) > 1", 'ridge("tpu-v5e@scaling-book", bf16) > 1'),
        ("ridge(apple-m3-max-40c, bf16) > 1", 'ridge("apple-m3-max-40c", bf16) > 1'),
        ("ridge(a100-80gb-sxm, bf16-sparse) > 1", 'ridge("a100-80gb-sxm", "bf16-sparse") > 1'),
        ("flops('bf16[N], bf16[N] -> []') == 2 N", 'flops("bf16[N], bf16[N] -> []") == 2 N'),
        ("(a / 8.2) × 10^3 > 1", "(a / 8.2) * 10^3 > 1"),
        ("a / (8.2 * 10^3) > 1", "a / (8.2 * 10^3) > 1"),
        ("a / 8 / 10^3 > 1", "a / 8 / 10^3 > 1"),
        ("R(a + b) > 1", "R (a + b) > 1"),
        ("flops(mm) > 240 bytes(mm)", "flops(mm) > 240 bytes(mm)"),
    ],
)
def test_meaning(text: str, printed: str) -> None:
    tree = read_statement(text)
    assert to_text(tree) == printed
    assert read_statement(printed) == tree


@pytest.mark.parametrize("text", ["240", "8.20e11", "33.3", "0.10", "2.", "0", "0.0024", "1e-3", "1024"])
def test_numbers_keep_their_text(text: str) -> None:
    number = read_value(text)
    assert isinstance(number, Number)
    assert (number.text, number.value) == (text, Fraction(text))


@pytest.mark.parametrize(
    ("text", "factor", "dimension"),
    [
        ("1 GB", 10**9, BYTE),
        ("1 GiB", 2**30, BYTE),
        ("1 kB", 1000, BYTE),
        ("1 byte", 1, BYTE),
        ("1 Gbit/s", Fraction(10**9, 8), per(BYTE, SECOND)),
        ("1 B/s", 1, per(BYTE, SECOND)),
        ("1 TFLOP/s", 10**12, per(FLOP, SECOND)),
        ("1 TFLOPS", 10**12, per(FLOP, SECOND)),
        ("1 GFLOPs", 10**9, FLOP),
        ("1 TOP/s", 10**12, per(FLOP, SECOND)),
        ("1 FLOP/B", 1, per(FLOP, BYTE)),
        ("1 ms", Fraction(1, 1000), SECOND),
        ("1 µs", Fraction(1, 10**6), SECOND),
        ("1 ns", Fraction(1, 10**9), SECOND),
        ("1 %", Fraction(1, 100), PLAIN),
        ("1 PB", 10**15, BYTE),
        ("1 EFLOP/s", 10**18, per(FLOP, SECOND)),
    ],
)
def test_units(text: str, factor: Fraction, dimension: object) -> None:
    quantity = read_value(text)
    assert isinstance(quantity, Quantity)
    assert (quantity.unit.factor, quantity.unit.dimension) == (factor, dimension)


def test_every_unit_reads_back() -> None:
    for text in units():
        quantity = read_value(f"3 {text}")
        assert isinstance(quantity, Quantity), text
        assert read_value(to_text(quantity)) == quantity


def test_bare_letters_are_symbols_and_declared_names_win() -> None:
    assert is_op(read_value("2 B"), "*")
    assert is_op(read_value("5 s"), "*")
    assert isinstance(read_value("5 ms"), Quantity)
    assert is_op(read_value("5 ms", {"ms"}), "*")
    assert is_op(read_value("3 GB/s", {"GB"}), "/")
    assert isinstance(read_value("3 B/s", {"B"}), Quantity)  # s is not a name here, so this is the rate
    assert is_op(read_value("3 B/s", {"B", "s"}), "/")
    assert is_op(read_value("3 B / s"), "/")
    assert isinstance(read_value("10^9 FLOP/s"), Quantity)
    assert isinstance(read_value("240 bytes"), Quantity)
    assert is_op(read_value("240 bytes(mm)"), "*")  # the function


REFUSED = [
    ("x == 3:4", "column 7: unexpected ':'"),
    ("flops(matmul:fp8) == 1", "column 13: unexpected ':'; an operation with options goes in quotes, "
     'as in flops("matmul:fp8")'),
    ("", "expected a statement, but the text is empty"),
    ("B", "column 1: expected a statement such as 'B > 240', got a number or expression"),
    ("B >", "column 4: the text is incomplete"),
    ("T >> 3", "column 3: '>>' goes into the regime, as in regime = \"D, F >> B\""),
    ("max(1,200) == 200", "column 5: '1,200' can be read two ways; write '1200' or '1, 200'"),
    ("argmin(x, x, {1,024}) == 1", "column 15: '1,024' can be read two ways; write '1024' or '1, 024'"),
    ("ln(2) ~= 0.69", "column 1: unknown function 'ln'; write 'log(...)'"),
    ("peak(h100-sxm, bf16) > 0", "column 1: unknown function 'peak'; write 'rate(chip, bf16)'"),
    ("memory-bound(dot, h100-sxm)", "column 8: unknown function 'bound'; write 'not compute_bound(op, chip)'"),
    ("2 divides n", "column 3: 'divides' is not a name; write 'n/2 == floor(n/2)'"),
    ("n mod 2 == 0", "column 3: 'mod' is not a name; write 'a - b*floor(a/b)'"),
    ("n even == 0", "column 3: 'even' is not a name; write 'n/2 == floor(n/2)'"),
    ("T(2 n) == 2 T(n)", "column 13: 'T(n)' may be T at n or a product; write 'T * n' for the product"),
    ("f(2) > 1", "column 1: 'f(2)' may be f at 2 or a product; write 'f * 2' for the product"),
    ("B > 1/2 D", "column 6: '1/2 D' can be read two ways; write '(1/2) * D' or '1/(2 D)'"),
    (
        "1.97 × 10^14 / 8.2 × 10^11 == 240",
        "column 14: '1.97 × 10^14 / 8.2 × 10^11' can be read two ways; write '(1.97 × 10^14/8.2) × 10^11' or "
        "'1.97 × 10^14/(8.2 × 10^11)'",
    ),
    ("a / 8 * 10^3 B/s > 1", "column 3: 'a / 8 * 10^3 B/s' can be read two ways; write '(a/8) * 10^3 B/s' or "
     "'a/(8 * 10^3 B/s)'"),
    ("a / b c > 1", "column 3: 'a / b c' can be read two ways; write '(a/b) * c' or 'a/(b c)'"),
    ("intensty(mm) > 3", "column 1: unknown function 'intensty'; did you mean 'intensity'?"),
    ("quux(3) > 1", "column 1: unknown function 'quux'; for a product write 'quux * (...)'"),
    ("x(3, 4) > 1", "column 1: unknown function 'x'; for a product write 'x * (...)'"),
    ("__import__('os') == 1", "column 1: unknown function '__import__'; for a product write '__import__ * (...)'"),
    ("time == 3", "column 1: time is a function; write time(op, chip[, resource])"),
    ("sqrt(1, 2) > 1", "column 1: expected sqrt(number), got 2 arguments"),
    ("max() > 1", "column 1: expected max(number, ...), got 0 arguments"),
    ("ridge(edge) > 1", "column 1: expected ridge(chip, resource[, resource]), got 1 argument"),
    ("argmin(x, 3) == 1", "column 11: argument 2 of argmin is a name"),
    ("argmin(x, x, 3) == 1", "column 14: argument 3 of argmin is a set such as {1, 2, 4}"),
    ("solve(x, x) == 2", "column 7: argument 1 of solve is an equation such as 'x^2 == 4'"),
    ("smallest(n, n + 1) == 2", "column 13: argument 2 of smallest is a condition such as 'n > 3'"),
    ("flops(a + b) == 2", "column 7: argument 1 of flops is an operation (a name, or a string in quotes)"),
    ("(B > 3) == 2", "column 2: expected a value, got a proposition"),
    ("B > 3 and 4", "column 11: expected a statement such as 'B > 240', got a number or expression"),
    ("'x' > 3", "column 1: expected a value; a string or a chip's name goes into a call that takes one"),
    ("min('x') > 3", "column 5: argument 1 of min is a value"),
    ("a -> b -> c", "column 8: '->' goes between one value and its limit, not in a chain"),
    ("14 gb > 3", "column 4: 'gb' is not a unit; did you mean GB?"),
    ("14 KB > 3", "column 4: 'KB' is not a unit; did you mean kB or KiB?"),
    ("0x10 > 1", "column 1: zero times something; write only 0"),
    ("В > 1", "column 1: 'В' is CYRILLIC CAPITAL LETTER VE; names are ASCII letters, digits and underscores"),
    ("⌈n/2⌉ > 1", "column 1: '⌈' is LEFT CEILING; write 'ceil(a)'"),
    ("λ ⩾ 1", "column 1: 'λ' is GREEK SMALL LETTER LAMDA; write 'lambda'"),
    ("ά > 1", "column 1: 'ά' is GREEK SMALL LETTER ALPHA WITH TONOS; names are ASCII letters, digits and underscores"),
    ("2 > ½", "column 5: '½' is VULGAR FRACTION ONE HALF; write '1/2'"),
    ("9 毫秒 > 1", "column 3: '毫秒' is not part of this language; write 'ms'"),
    ("B ＞ 1", "column 3: '＞' is FULLWIDTH GREATER-THAN SIGN; write '>'"),
    ("B > 1 并且 B < 3", "column 7: '并且' is not part of this language; write 'and'"),
    ("B 大于等于 240", "column 3: '大于等于' is not part of this language; write '>='"),
    ("9**9**9**9 > 1", "column 7: the exponent '387420489' exceeds 64"),
    ("3^65 > 1", "column 3: the exponent '65' exceeds 64"),
    ("2^4097 > 1", "column 3: the exponent '4097' exceeds 4096"),
    ("1e999 > 1", "column 1: number '1e999' exceeds 60 characters or the exponent 60"),
    ("(" * 10_000 + "x" + ")" * 10_000, "a statement has 20001 characters; the limit is 10000"),
    ("(" * 4_000 + "x" + ")" * 4_000, "column 101: brackets are nested more than 100 deep"),
    ("a / " * 100 + "a > 1", "column 1: the text has more than 60 levels"),
    ("not " * 100 + "a > 1", "column 161: the text has more than 60 levels"),
    ("x" * 11_000, "a statement has 11000 characters; the limit is 10000"),
    ("max(" + "a, " * 40 + "b) > 1", "column 1: max of more than 32 values"),
    ("{1, 2} == 3", "column 1: unexpected '{'"),
    ("f(x] > 1", "column 4: expected ')' for '(' in column 2, got ']'"),
    ("a $ b", "column 3: unexpected '$'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[t[:20] for t, _ in REFUSED])
def test_refused(text: str, message: str) -> None:
    start = time.thread_time()
    with pytest.raises(RoofproofError) as caught:
        read_statement(text)
    assert str(caught.value) == message
    assert time.thread_time() - start < 2


@pytest.mark.parametrize(
    "text",
    [
        "ridge(edge, fp16) == 25 FLOP/B",
        "ridge(edge, fp16) == 25",
        "14 GB / (50 GB/s) == 280 ms",
        "attainable(edge, fp16, 15 FLOP/B) == 720 GFLOP/s",
        "attainable(edge, fp16, 15) == 15 * 48 GB/s",
        "flops(mm) == 2 B D F",
        "flops(mm) > 240 bytes(mm)",
        "intensity(mm) / flops(mm) * bytes(mm) == 1",
        "max(14 GB, x) > 3 MB",
        "sqrt((14 GB)^2) == 14 GB",
        "a < 58 %",
        "rate(edge, dram) == 48 GB/s",
    ],
)
def test_dimensions_agree(text: str) -> None:
    assert dimension_of(read_statement(text)) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("14 GB / (50 GB/s) == 280 GB", "column 1: '14 GB / (50 GB/s)' (s) and '280 GB' (byte) cannot be compared"),
        ("1 + (14 GB + 3 ms) > 2", "column 6: '14 GB' (byte) and '3 ms' (s) cannot be added"),
        ("flops(mm) > bytes(mm)", "column 1: 'flops(mm)' (FLOP) and 'bytes(mm)' (byte) cannot be compared"),
        (
            "attainable(edge, fp16, 15 FLOP) > 1",
            "column 24: '15 FLOP' is in FLOP; argument 3 of attainable is in FLOP/byte",
        ),
        ("rate(edge, dram) == 48 GB", "column 1: 'rate(edge, dram)' (byte/s) and '48 GB' (byte) cannot be compared"),
        ("5 % == 3 ms", "column 1: '5 %' (a plain number) and '3 ms' (s) cannot be compared"),
    ],
)
def test_dimensions_contradict(text: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        dimension_of(read_statement(text))
    assert str(caught.value) == message


def test_given() -> None:
    given = read_conditions(
        "D, F integer; a, b >= 0; R > 0; x real; y > -1; n in {1, 2, 4}; D F > R (D + F); 0 < p < 1;"
    )
    signs = {name: given.domain(name).sign for name in ["D", "a", "b", "R", "x", "y", "n", "p", "z"]}
    assert signs == {
        "D": "positive", "a": "nonnegative", "b": "nonnegative", "R": "positive", "x": "real", "y": "real",
        "n": "positive", "p": "positive", "z": "positive",
    }  # fmt: skip
    assert [n for n in "DFabRxyn" if given.domain(n).integer] == ["D", "F"]
    assert [to_text(c) for c in given.conditions] == [
        "y > -1", "n == 1 or n == 2 or n == 4", "D F > R (D + F)", "0 < p < 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B", "column 1: 'B' is not a condition; expected one such as 'B > 0', 'D integer' or '128 divides D'"),
        ("B > 0, D > 0", "column 1: conditions are separated by ';'"),
        ("B + 1 integer", "column 1: expected names before 'integer', as in 'D, F integer'"),
        ("B ~= 3", "column 1: a condition uses == != < <= > >="),
        ("B > 0 and", "column 10: the text is incomplete"),
    ],
)
def test_given_refused(text: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        read_conditions(text)
    assert str(caught.value) == message


def test_every_function_can_be_called_as_its_usage_says() -> None:
    examples = {
        "op": '"bf16[N], bf16[N] -> []"', "chip": "tpu-v5e", "resource": "bf16", "word": "no-fma",
            "number": "x + 1", "name": "x",
        "equation": "x == 2", "proposition": "x > 2", "set": "{1, 2}",
    }  # fmt: skip
    for function in FUNCTIONS.values():
        for kinds in function.signatures:
            call = f"{function.name}({', '.join(examples[kind.rstrip('*')] for kind in kinds)})"
            tree = read_statement(call if function.proposition else f"{call} == 1")
            assert read_statement(to_text(tree)) == tree


def test_every_function_is_worked_out() -> None:
    assert {*table(), *ARITHMETIC} == set(FUNCTIONS)
