"""Formulas as text are read exactly, audited like a function, and never run."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof import op
from roofproof.audit import audit
from roofproof.audit.formulas import formula, names_in
from roofproof.audit.remote_function import MOST_DEGREE, _read
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.symbols import dimension


def plain(problem: RoofproofError) -> str:
    return re.sub(r"column \d+: ", "", str(problem))


SIZES = st.integers(1, 10**6)


@given(B=SIZES, D=SIZES, F=SIZES)
def test_a_text_has_the_value_that_python_gives_it(B, D, F):
    text = "int(10*B*D/3) + (B + 127) // 128 * D % 7 + max(B, D, F) - min(B, ceil(D / F)) + (F if bias else 0)"
    due = 10 * B * D // 3 + (B + 127) // 128 * D % 7 + max(B, D, F) - min(B, -(-D // F)) + F
    assert formula(text, B="B", D="D", F="F", bias=True)(B=B, D=D, F=F) == due


def test_a_formula_is_judged_like_a_function():
    theirs = formula("(2*M*N + N) * elem_bytes", M="B", N="D", elem_bytes=2)
    assert audit(theirs, op("rms-norm"), "bytes").verdict == "equal"
    grouped = formula("(num_experts*3*f*d + 2*t*d) * 2", num_experts="E", f="F", d="D", t="B")
    assert audit(grouped, op("mixture-of-experts:touched=least"), "bytes").verdict == "different"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B.shape[0]", "formula: 'B.shape[0]' is not arithmetic of sizes"),
        ("__import__('os')", "formula: unknown name '__import__'; known: B, D; map it, as in --names __import__=SIZE"),
        ("int('os')", "formula: \"'os'\" is not arithmetic of sizes"),
        ("B**D", "formula: power 'D': expected a whole number up to 16"),
        ("2**9**9", "formula: power '387420489': expected a whole number up to 16"),
        ("B * G", "formula: unknown name 'G'; known: B, D; map it, as in --names G=SIZE"),
        ("B if B - D else 0", "formula: the condition of an `if` must be a number, 0 for false"),
        ("2 B", "formula '2 B': expected arithmetic of sizes, as Python writes it"),
        ("(" * 999, "formula '(((("),
        ("((9**16)**16)**16", "formula: '((9 ** 16) ** 16) ** 16': a number of more than 4096 bits"),
        ("1e-400", "formula: '1e-400': expected a number from 1e-300 to 1e300"),
        ("0e99999999999", "formula: '0e99999999999': expected a number from 1e-300 to 1e300"),
        ("B / (1 - 1.0)", "formula: 'B / (1 - 1.0)' divides by zero"),
        ("log2(0)", "formula: 'log2(0)' has no value"),
        ("int(1, 2)", "formula: 'int(1, 2)' is not arithmetic of sizes"),
        ("max(B)", "formula: 'max(B)' is not arithmetic of sizes"),
        ("max", "formula: 'max' is not arithmetic of sizes"),
        ("B(2)", "formula: 'B(2)' is not arithmetic of sizes"),
        ("sum([B, D])", "formula: unknown name 'sum'; known: B, D; map it, as in --names sum=SIZE"),
        ("B if 'a' in 'ab' else D", "formula: \"'a' in 'ab'\" is not arithmetic of sizes"),
        ("~B", "formula: '~B' is not arithmetic of sizes"),
    ],
)
def test_what_is_no_arithmetic_of_sizes_is_refused(text, message):
    with pytest.raises(RoofproofError) as caught:
        formula(text, B="B", D="D")
    assert plain(caught.value).startswith(message)


@pytest.mark.parametrize("n", [0, 7])
@pytest.mark.parametrize(
    "text",
    [
        "1 if n > 6 else 2", "3 if n and n < 8 else 4", "(n or 5) + (0 or 6) - (n and 9)", "1 * (0 < n <= 7 != 8)",
        "not n == 7", "2 if 7 <= n < 7 else -n % 4", "-(-n // 2) + int(-n / 2)", "True + (n != 0) * 2", "n >= 0",
        "min(n, 3, 5) * max(2, n)", "ceil(n) - floor(n) + abs(-n)", "+n ** 2 if not (n and 0) else 1 // 0",
    ],
)  # fmt: skip
def test_what_is_decided_is_what_python_decides(text, n):
    assert formula(text, n=n)() == eval(text, vars(math) | {"n": n})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "'n': '1.5': expected text, a whole number, true or false"),
        (None, "'n': 'None': expected text"),
        ("B C", "n='B C': expected arithmetic of dimensions"),
        ("[N, C]", "n: '[N, C]' is not arithmetic of sizes"),
        ("1/0", "n: '1 / 0' divides by zero"),
        ("+".join("B" * 3000), "'n': a value of 5999 characters; the limit is 4000"),
        ("-" * 3000 + "B", ""),
        ("*".join("B" * 99), "the formula has degree 99; the limit is 48"),
    ],
)
def test_what_a_name_stands_for_is_arithmetic_too(value, message):
    assert formula("2*text", text="max(B, 3)")(B=2) == 6
    with pytest.raises(RoofproofError) as caught:
        formula("n", n=value)
    assert message in plain(caught.value) and "\n" not in str(caught.value)


def test_a_number_is_the_decimal_that_is_written():
    assert str(formula("0.1234567890123456789 * 10**16 * 1000 + 0.0")()) == "1234567890123456789"


def test_a_long_sum_is_read_and_what_is_costly_is_not_worked_out():
    assert formula("+".join(f"{k}*B*D*F" for k in range(1, 60)), "B", "D", "F")(B=1, D=1, F=1) == 59 * 30
    with pytest.raises(RoofproofError, match="the formula has degree 144; the limit is 48"):
        formula("((B+D+F)**16*(B+D+F)**16*(B+D+F)**16)**3", "B", "D", "F")
    with pytest.raises(RoofproofError, match="the condition of an `if`"):
        formula("1 if (B + D + F + 1)**16 * (B + D)**16 == B else 2", "B", "D", "F")


def test_names_are_read_as_they_are_typed():
    assert names_in(" M=B , n=min(N, f(1, 2)),x = True ") == {"M": "B", "n": "min(N, f(1, 2))", "x": "True"}
    for text in ("M", "=B", "M=", "M=B,M=D"):
        with pytest.raises(RoofproofError):
            names_in(text)


def test_a_formula_is_judged_on_the_command_line(capsys):
    assert main(["audit", "2*M*N*K", "--op", "matmul", "--names", "M=B,N=F", "--names", "K=D"]) == 0
    assert capsys.readouterr().out.startswith("equal, for all sizes\n")
    names = ["--names", "rows=B, inner=D, columns=F, bias=True"]
    text = "2 * rows * inner * columns + (rows * columns if bias else 0)"
    assert main(["audit", text, "--op", "matmul", *names]) == 1
    told = capsys.readouterr().out.splitlines()
    assert (told[0], told[-1]) == ("differs: subtract B*F", "at B = 4, D = 8, F = 16: 1088, where 1024 is right")
    assert main(["audit", "2*B*D*F + 2*B*F - 3*B*D", "--op", "matmul"]) == 1
    assert capsys.readouterr().out.startswith("differs: subtract 2*B*F - 3*B*D\n")  # not: add, or subtract -2*...
    dropped = ["audit", "2*(B*D + B*F)", "--op", "matmul", "--quantity", "bytes"]
    assert main(dropped) == 1
    assert capsys.readouterr().out.startswith("differs: add 2*D*F, as much as the traffic of w\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2*B*D*F"], "--op is missing"),
        (["2*B*D*F", "--op", "matmul", "--seconds", "3"], "--seconds requires MODULE:FUNCTION"),
        (["math:gcd", "--op", "matmul", "--names", "M=B"], "--names requires a formula"),
        (["2*B*D*F", "--op", "matmul", "--json"], "--json requires a list of formulas"),
        (["list.toml", "--op", "matmul"], "--op requires one formula"),
        (["2*M", "--op", "matmul"], "unknown name 'M'"),
        (["perf.py:GEMM.flops"], "`audit FILE.py:NAME` was removed; use `roofproof audit MODULE:NAME`"),
        (["../a/ops.yml:RMSNorm", "--op", "rms-norm"], "`audit FILE.yaml:NAME` was removed; use the formula"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, message, capsys):
    assert main(["audit", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_list_is_held_to_what_it_expects_and_goes_on_after_what_is_wrong(tmp_path, capsys):
    entries = [
        'text = "2*M*N*K"\nop = "matmul"\nnames = { M = "B", N = "F", K = "D" }',
        'text = "M*N*K"\nop = "matmul"\nnames = { M = "B", N = "F", K = "D" }',
        'text = "M*N*K"\nop = "matmul"\nnames = { M = "B", N = "F", K = "D" }\nexpect = "different"',
        'text = "M*N*K"\nop = "matmul"\nname = "asked"',
        'text = "M"',
        'read = "x.py:f"\nop = "matmul"',
        'text = "M"\nop = "matmul"\nexpect = "wrong"',
        'text = "M"\nop = "matmull"',
        'text = "M"\nop = "matmul"\nfoo = 1',
    ]
    path = tmp_path / "list.toml"
    path.write_text("".join(f"[[formula]]\n{entry}\n" for entry in entries), encoding="utf-8")
    assert main(["audit", str(path)]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "2*M*N*K, flops of matmul: equal, for all sizes"
    assert "M*N*K, flops of matmul: NOT AS EXPECTED (equal): differs: add B*D*F" in out
    assert "M*N*K, flops of matmul: differs: " in out
    for message in (
        "asked: cannot be judged: list.toml, line 14: formula: column 1: unknown name 'M'",
        "list.toml, line 18: expected text and op",
        "list.toml, line 20: `read` was removed; use `text`, the formula itself",
        "list.toml, line 23: unknown expect 'wrong'",
        "list.toml, line 27: unknown operation 'matmull'",
        "list.toml, line 30: unknown key 'foo'",
    ):
        assert message in out
    assert out.endswith("9 formulas: 7 not as expected\n")
    assert main(["audit", str(path), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert rows[1] == {
        "name": "M*N*K", "op": "matmul", "quantity": "flops", "verdict": "different", "expect": "equal",
        "trust": "kernel", "theirs": "B*D*F", "ours": "2*B*D*F", "ratio": "1/2", "at": {"B": 4, "D": 8, "F": 16},
        "mend": "B*D*F",
    }  # fmt: skip
    assert rows[3]["error"].startswith("list.toml, line 14: ")
    for text in ("", "a = 1", "[formula]\nop = 'matmul'", "formula = [{op = 'matmul', text = 'B'}]"):
        path.write_text(text, encoding="utf-8")
        assert main(["audit", str(path)]) == 2
    assert capsys.readouterr().err.count("roofproof: list.toml: ") == 4


def test_the_degree_of_a_sum_from_another_process_is_that_of_its_largest_term() -> None:
    x = dimension("x")
    form = _read(" + ".join(f"x^{k}" for k in range(1, 12)), {"x": x})  # 1 + 2 + ... + 11 = 66
    assert (form - sum(x**k for k in range(1, 12))).expand() == 0
    with pytest.raises(RoofproofError, match="a high degree"):
        _read(f"x^{MOST_DEGREE + 1}", {"x": x})
