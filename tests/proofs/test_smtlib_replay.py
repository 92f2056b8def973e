"""A solver process that shares no code with roofproof proves the statements of the corpus from their SMT-LIB text.

The default run replays every tenth statement. The long run replays all of them, also with cvc5 if it is installed:

    python -m pytest -q -s -m long tests/proofs/test_smtlib_replay.py
"""

import importlib.util
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import sympy

from benchmarks.corpus import Problem, problems
from roofproof.derive.inequalities.cases import Above, Case, Cases
from roofproof.derive.solve import solve
from roofproof.proofs.provers.thresholds import statements
from roofproof.proofs.statement import Statement

SECONDS = 10
CONDITIONS = [p for p in problems() if p.condition is not None]
CVC5 = """
import sys
import cvc5

solver = cvc5.Solver()
solver.setOption("tlimit-per", sys.argv[2])
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
while not (command := parser.nextCommand()).isNull():
    print(command.invoke(solver, parser.getSymbolManager()), end="")
"""


def z3_program() -> str | None:
    """Return the executable that the z3-solver wheel installs."""
    found = Path(sys.executable).with_name("z3")
    return str(found) if found.exists() else None


def commands(second: bool = False) -> list[tuple[str, list[str]]]:
    found = []
    if program := z3_program():
        found.append(("z3", [program, f"-T:{SECONDS}", "-smt2", "FILE"]))
    if second and importlib.util.find_spec("cvc5"):
        found.append(("cvc5", [sys.executable, "-c", CVC5, "FILE", str(1000 * SECONDS)]))
    return found


def replay(statement: Statement, command: Sequence[str], folder: Path) -> str:
    """Return the output of a solver process for the file of a statement."""
    file = folder / "statement.smt2"
    file.write_text(statement.smtlib())
    words = [str(file) if word == "FILE" else word for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=2 * SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "timeout"
    return done.stdout.strip() or done.stderr.strip()


def of(problem: Problem) -> list[Statement]:
    return statements(problem.condition, solve(problem.condition, problem.unknown, problem.assume), problem.assume)


needs_z3 = pytest.mark.skipif(z3_program() is None, reason="no z3 executable beside this interpreter")


@pytest.mark.slow
@needs_z3
def test_a_sample_of_the_proofs_holds_for_another_process(tmp_path: Path) -> None:
    [(_, command)] = commands()
    sample = [o for p in CONDITIONS for o in of(p)][::10]
    assert len(sample) > 20
    assert [o.says for o in sample if replay(o, command, tmp_path) != "unsat"] == []


@needs_z3
def test_a_wrong_statement_is_not_proved(tmp_path: Path) -> None:
    problem = CONDITIONS[0]
    wrong = Cases(problem.unknown, (Case(sympy.true, Above(problem.symbol("R"))),))
    [(_, command)] = commands()
    assert [replay(o, command, tmp_path) for o in statements(problem.condition, wrong)] == ["sat"]


@pytest.mark.long
@pytest.mark.parametrize(("name", "command"), [pytest.param(n, c, id=n) for n, c in commands(second=True)])
def test_every_proof_holds_for_another_process(
    name: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said: Counter[str] = Counter()
    others = []
    for problem in CONDITIONS:
        for statement in of(problem):
            answer = replay(statement, command, tmp_path)
            said[answer[:20]] += 1
            if answer != "unsat":
                others.append(f"{problem.name}: {statement.says}: {answer[:60]}")
    with capsys.disabled():
        print(f"\n{name} on {said.total()} statements of {len(CONDITIONS)} problems: {dict(said)}")
        print(*others, sep="\n  ")
    assert "sat" not in said  # `unknown` and a timeout neither prove nor refute
    if name == "z3":
        assert set(said) == {"unsat"}
