"""Functions and methods of other people's files: read without running them, to the values that they return."""

import json
from pathlib import Path

import foreign
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.audit.elsewhere import MOST_DEGREE, _read
from roofproof.audit.formulas import formula, formula_in, names_in
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.symbols import dimension

FILE = str(Path(foreign.__file__))
SIZES = st.integers(1, 10**3)  # products of five are whole floats
OWN = {"rows": "m", "inner": "k", "columns": "n"}


@settings(max_examples=10)
@given(st.lists(SIZES, min_size=4, max_size=4), st.booleans())
def test_methods_come_to_what_they_return(sizes, bias):
    m, k, n, b = sizes
    runs = foreign.batched(m, k, n, bias, b)
    at = {"m": m, "k": k, "n": n}
    read = formula_in(f"{FILE}:Batched.flops", bias=bias, batch="b", **OWN)
    assert read(b=b, **at) == runs.flops()
    assert formula_in(f"{FILE}:Batched.bytes", **OWN)(**at) == runs.bytes()
    assert formula_in(f"{FILE}:Batched.bytes", width=4, **OWN)(**at) == runs.bytes(4)
    read = formula_in(f"{FILE}:Model.flops_func", "rows", "inner", "columns", times=3)
    assert read(rows=m, inner=k, columns=n) == foreign.Model.flops_func(m, k, n, times=3)
    assert formula_in(f"{FILE}:Batched.flops", bias=bias, **OWN)(**at) == foreign.Model.flops(runs)


@settings(max_examples=10)
@given(st.lists(SIZES, min_size=5, max_size=5), st.integers(1, 8), st.booleans(), st.sampled_from(foreign.Kind))
def test_a_function_of_a_configuration_comes_to_what_it_returns(sizes, top_k, gated, kind):
    hidden, ffn, length, batch, tile = sizes
    runs, parts = foreign.planned(foreign.config(kind, 8, top_k, hidden, ffn, length, gated, tile), batch, log=False)
    names = {"kind": str(kind), "hidden": "d", "length": "L", "gated": gated, "ffn": "F", "latent": None}
    names |= {"experts": 8, "top_k": top_k} if kind is foreign.Kind.EXPERTS else {}
    at = {"d": hidden, "F": ffn, "L": length, "B": batch}
    read = formula_in(f"{FILE}:planned[0]", batch="B", tile="t", log=False, **names)
    assert read(**at) == runs
    assert formula_in(f"{FILE}:layers", count=3)() == parts["layers"]


@settings(max_examples=10)
@given(st.lists(st.integers(7, 500), min_size=4, max_size=4), st.integers(1, 7), st.integers(1, 4), st.integers(0, 3))
def test_lists_of_sizes_and_loops_over_them(sizes, window, stride, padding):
    n, c, h, w = sizes
    runs = foreign.convolved((n, c, h, w), (8, c, window, window), stride, padding)
    names = {"x_shape": "[N, C, H, W]", "w_shape": ["K", "C", "R", "R"], "stride": stride, "padding": padding}
    assert formula_in(f"{FILE}:convolved", **names)(N=n, C=c, H=h, W=w, K=8, R=window) == runs


def written(tmp_path, text):
    path = tmp_path / "tool.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("def f(n):\n    return n * self_.m", {"n": "B"}, "line 2: self_.m is not given; name its value, as in m=1"),
        ("def f(n):\n    return g(n)", {"n": "B"}, "line 2: g(...) is no function of this file; give its value"),
        ("def f(n):\n    if n > 4:\n        return 1", {"n": "B"}, "line 2: whether 'n > 4' holds is not decided"),
        ("def f(n, c):\n    if c is None:\n        return 1", {"n": "B"}, "line 2: c is not given; name its value"),
        ("def f(n):\n    raise ValueError(n)", {"n": "B"}, "line 2: 'raise ValueError(n)' is reached"),
        ("def f(n):\n    for i in range(n):\n        n += 1", {"n": "B"}, "line 2: 'range(n)': a loop is"),
        ("def f(n):\n    while n:\n        n -= 1", {"n": "B"}, "line 2: 'while n: n -= 1' is no arithmetic of sizes"),
        ("def f(n):\n    return f(n)", {"n": "B"}, "line 2: more than 40 calls within each other"),
        ("def f(n):\n    return n, n", {"n": "B"}, "line 1: f returns several values; name one: f[0], f[1]"),
        ("def f(n):\n    return 'n'", {"n": "B"}, "line 1: f returns no number"),
        ("def f(n):\n    return n ** n", {"n": "B"}, "line 2: power 'B': expected a whole number up to 16"),
        ("def f(n):\n    return n / (n - n)", {"n": "B"}, "line 2: 'n / (n - n)' divides by zero"),
        ("def f(n):\n    return n[3]", {"n": "[B, B]"}, "line 2: 'n[3]': there are 2 of them"),
        ("def f(*n):\n    return h(*n)", {}, "line 2: 'h(*n)': values handed over in a list are not read"),
        ("def f(n):\n    open(n)\n    return n", {"n": "B"}, "line 2: open(...) is no function of this file"),
        ("def f(n):\n    return n", {"n": "B", "m": "D"}, "f reads no 'm'; what is given has to be read"),
        ("def g(n):\n    return n", {"n": "B"}, "unknown name of tool.py 'f'; known: g"),
        ("def f(n:\n", {}, "no Python"),
        ("def f(n):\n    return n", {"n": "B C"}, "n='B C': expected arithmetic of dimensions"),
        ("def f(n):\n    return n", {"n": 1.5}, "'n': '1.5': expected text, a whole number, true, false or a list"),
        ("def f(n):\n    global x\n    return n", {"n": "B"}, "line 2: 'global x' is no arithmetic of sizes"),
        ("x = y\ny = x\ndef f(n):\n    return n * x", {"n": "B"}, "line 4: x is not given; name its value, as in x=1"),
        ("def f(n):\n    return " + "-" * 3000 + "n", {"n": "B"}, ""),
        ("def f(n):\n    return " + "*".join(["n"] * 99), {"n": "B"}, "a formula of degree 99; at most 48 is read"),
        ("def f(n):\n    x = []\n" + "    x = x + [n] * 999\n" * 99 + "    return sum(x)", {"n": "B"}, "more than"),
    ],
)
def test_what_is_not_read_is_refused_where_it_stands(tmp_path, text, names, message, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, text)
    with pytest.raises(RoofproofError) as caught:
        formula_in("tool.py:f", **names)
    said = str(caught.value)
    assert message in said
    assert "\n" not in said


def test_a_long_sum_is_read_and_what_is_costly_is_not_worked_out():
    assert formula("+".join(f"{k}*B*D*F" for k in range(1, 60)), "B", "D", "F")(B=1, D=1, F=1) == 59 * 30
    with pytest.raises(RoofproofError, match="a formula of degree 144; at most 48"):
        formula("((B+D+F)**16*(B+D+F)**16*(B+D+F)**16)**3", "B", "D", "F")
    with pytest.raises(RoofproofError, match="what an `if` asks"):
        formula("1 if (B + D + F + 1)**16 * (B + D)**16 == B else 2", "B", "D", "F")


def test_a_constant_that_objects_set_is_not_that_of_the_class(tmp_path):
    text = "class A:\n    n = 3\n    m = 4\n    def __init__(self, n):\n        self.n = n\n"
    text += "    def f(self):\n        return self.n * self.m\n"
    path = tmp_path / "a.py"
    path.write_text(text)
    with pytest.raises(RoofproofError, match=r"line 7: self\.n is not given"):
        formula_in(f"{path}:A.f")
    assert formula_in(f"{path}:A.f", n="B")(B=2) == 8


def test_a_set_holds_each_of_its_members_once():
    assert formula("len({2, 2, 4}) * M + sum({2, 2, True, 1})", M="B")(B=5) == 2 * 5 + (2 + 1)
    with pytest.raises(RoofproofError, match="whether these are one is not known"):
        formula("sum({M, N})", M="B", N="F")


def test_names_are_read_as_they_are_typed():
    assert names_in(" M=B , shape=[N, f(1, 2)],x = 'a' ") == {"M": "B", "shape": "[N, f(1, 2)]", "x": "'a'"}
    for text in ("M", "=B", "M=", "M=B,M=D"):
        with pytest.raises(RoofproofError):
            names_in(text)


# --- the command and its lists ----------------------------------------------------------------------


def test_a_formula_and_a_place_are_judged_on_the_command_line(capsys):
    assert main(["audit", "2*M*N*K", "--op", "matmul", "--names", "M=B,N=F", "--names", "K=D"]) == 0
    assert capsys.readouterr().out.endswith("equal, for all sizes\n")
    names = ["--names", "rows=B, inner=D, columns=F, bias=True"]
    assert main(["audit", f"{FILE}:Model.flops", "--op", "matmul", *names]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[-2:] == ["  at B = 4, D = 8, F = 16: 1088, where 1024 is right", "  mend: take off B*F"]
    dropped = ["audit", "2*(B*D + B*F)", "--op", "matmul", "--quantity", "bytes"]
    assert main(dropped) == 1
    assert capsys.readouterr().out.endswith("mend: add 2*D*F, as much as the traffic of w\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2*B*D*F"], "--op is missing"),
        (["2*B*D*F", "--op", "matmul", "--seconds", "3"], "--seconds goes with MODULE:FUNCTION"),
        (["math:gcd", "--op", "matmul", "--names", "M=B"], "--names goes with FILE.py:NAME"),
        (["2*B*D*F", "--op", "matmul", "--json"], "--json goes with a list of formulas"),
        (["list.toml", "--op", "matmul"], "--op goes with one function"),
        (["2*M", "--op", "matmul"], "unknown name of a formula 'M'"),
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
        'text = "M"\nread = "x.py:f"\nop = "matmul"',
        'read = "x.py:f"\nop = "matmul"',
        'text = "M"\nop = "matmul"\nexpect = "wrong"',
        'text = "M"\nop = "matmull"',
        'text = "M"\nop = "matmul"\nfoo = 1',
        'read = "elsewhere:f"\nop = "matmul"',
    ]
    path = tmp_path / "list.toml"
    path.write_text("".join(f"[[formula]]\n{entry}\n" for entry in entries), encoding="utf-8")
    assert main(["audit", str(path)]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "2*M*N*K, flops of matmul: equal, for all sizes"
    assert "M*N*K, flops of matmul: NOT AS EXPECTED (equal): different: the function gives 1/2 of" in out
    assert "M*N*K, flops of matmul: different: the function gives 1/2 of" in out
    for message in (
        "asked: cannot be judged: list.toml, line 14: unknown name of a formula 'M'",
        "list.toml, line 18: expected text or read, and op",
        "list.toml, line 22: cannot read file",
        "list.toml, line 25: unknown expect 'wrong'",
        "list.toml, line 29: unknown operation 'matmull'",
        "list.toml, line 32: unknown key 'foo'",
        "list.toml, line 36: read: expected FILE.py:FUNCTION",
    ):
        assert message in out
    assert out.endswith("10 formulas: 8 not as expected\n")
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
