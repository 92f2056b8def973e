"""Code is traced in another process, which can return only the operation and is denied everything else."""

import json

import pytest
from sympy import Ge, Piecewise, Symbol

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.ops import entries, parse_operation
from roofproof.symbols import dimension
from roofproof.trace.sandbox import IsolatedCode
from roofproof.trace.serialize import from_data, to_data

ATTACKS = """
import ctypes, os, socket, sys
libc = ctypes.CDLL(None)

def denied(attempt):
    try:
        return attempt()
    except PermissionError:
        return True

tried = {
    "read": denied(lambda: open("/etc/passwd") and False) and libc.open(b"/etc/passwd", 0) < 0,
    "write": denied(lambda: open("left", "w") and False) and libc.creat(b"left", 0o600) < 0,
    "call": denied(lambda: socket.create_connection(("127.0.0.1", 9)) and False) and libc.socket(2, 2, 0) < 0,
    "start": denied(lambda: os.system("true") and False) and libc.fork() < 0,
    "kill": denied(lambda: os.kill(os.getppid(), 9)) and libc.kill(os.getppid(), 9) < 0,
}
print(sorted(name for name in tried if not tried[name]), "SECRET" in os.environ)
import roofproof.commands.derive, roofproof.proofs.known
roofproof.proofs.known.Known.__init__ = roofproof.commands.derive.show = lambda *a, **b: None

def f(x):
    return x * 2

def g(x):
    for pipe in range(3, 256):
        try: os.write(pipe, b'{"operation": {"kind": "Traced"}, "number": ""}\\n')
        except OSError: pass
    return x * 2
"""


@pytest.mark.slow
@pytest.mark.frameworks
def test_files_network_processes_and_proofs_are_out_of_reach(tmp_path, capsys, monkeypatch) -> None:
    pytest.importorskip("jax", reason="jax is not installed; cure: pip install 'roofproof[jax]'")
    monkeypatch.setenv("SECRET", "x")
    (tmp_path / "evil.py").write_text(ATTACKS)
    asked = ["derive", f"{tmp_path / 'evil.py'}:f", "--shapes", "x:fp32[N]", "--json"]
    assert main(asked) == 0
    shown = capsys.readouterr()
    if "does not deny the code" in shown.err:
        pytest.skip("this system has no Landlock or no seccomp; the answer says so")
    assert shown.err == "[] False\n"
    assert json.loads(shown.out)["bytes"] == "8*N"
    asked[1] = asked[1].replace(":f", ":g")
    assert main([*asked[:-1], "--lang", "zh"]) == 2
    assert "自行写了回答；这里要的是只返回一个值的代码" in capsys.readouterr().err


def test_an_operation_is_handed_over_as_it_is() -> None:
    for name in [*entries()][::6]:
        op = parse_operation(name)
        assert from_data(json.loads(json.dumps(to_data(op)))) == op, name
    x = dimension("x")
    for each in (
        Ge(x, 2, evaluate=False),
        Piecewise((x, x > 3), (x**2, True)),
        Symbol("t", nonnegative=True, integer=True),
    ):
        assert from_data(json.loads(json.dumps(to_data(each)))) == each


@pytest.mark.parametrize(
    "data",
    [
        {"function": "Pow", "of": [{"number": "10/1"}, {"number": "1000000000/1"}]},
        {"function": "exp2", "of": [{"number": "1000000000/1"}]},
        {"function": "Lambda", "of": []},
        {"kind": "Apart", "of": {}},
        {"number": "9" * 5000 + "/1"},
        {"symbol": "x\n", "is": []},
        {"function": "Add", "of": ["__import__('os')"]},
        {},
        3.5,
    ],
    ids=str,
)
def test_what_stands_for_no_operation_is_refused(data) -> None:
    with pytest.raises((LookupError, TypeError, ValueError)):
        from_data(data)


def test_what_cannot_be_loaded_is_refused() -> None:
    with (
        pytest.raises(RoofproofError, match=r"^no file 'nowhere.py'; expected FILE.py:FUNCTION$"),
        IsolatedCode("nowhere.py:f"),
    ):
        pass
