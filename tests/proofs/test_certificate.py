"""An independent checker proves theorems again from certificates, and refuses changed certificates."""

import ast
import copy
import json
import runpy
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_attacks import ATTACKS
from second_reading import tries

from roofproof import chip, op, threshold
from roofproof.cli import main
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import RULES
from roofproof.proofs.kernel.terms import KernelError
from roofproof.proofs.known import ByKernel
from roofproof.proofs.replay import checker
from roofproof.proofs.replay.certificate import as_lists, to_json
from roofproof.proofs.replay.recheck import rechecked, tree

FILE = Path(checker.__file__)
THRESHOLDS = [("matmul", "B"), ("split-matmul", "D"), ("decode-attention", "r")]


def theorems(name, unknown):
    found = threshold(op(name), None, unknown).derivation
    return [known.warrant.theorem for known in found if isinstance(known.warrant, ByKernel)]


def test_the_checker_is_one_short_file_of_the_standard_library():
    tree = ast.parse(FILE.read_text("utf-8"))
    found = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    found |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert {name.split(".")[0] for name in found} <= sys.stdlib_module_names
    assert len(FILE.read_text("utf-8").splitlines()) <= 310


@pytest.mark.parametrize("name", RULES)
def test_what_each_rule_proves_is_proved_again(name):
    made = []

    @tries(80)
    @given(ATTACKS[name])
    def replayed(arguments):
        try:
            theorem = RULES[name](*arguments)
        except KernelError:
            return
        made.append(theorem)
        data = to_json(theorem)
        assert checker.check(json.dumps(data)) == (theorem.hypotheses, theorem.conclusion)
        again = rechecked(json.loads(json.dumps(data)))[-1]
        assert again is not theorem and to_json(again) == data

    replayed()
    assert len(made) > 5


def test_an_instance_assumes_what_its_values_make_of_the_hypotheses():
    theorem = kernel.instantiate(kernel.assume((">", ("v", "x"), ("v", "y"))), {"x": ("q", 7, 1)})
    assert checker.check(json.dumps(to_json(theorem))) == (theorem.hypotheses, theorem.conclusion)
    assert theorem.hypotheses == {theorem.conclusion}


# --- changed certificates -------------------------------------------------------------------------


def places(j, path=()):
    """Yield the path of every number, word and non-empty list."""
    if isinstance(j, dict | list):
        for key, part in j.items() if isinstance(j, dict) else enumerate(j):
            yield from places(part, (*path, key))
    if path and not isinstance(j, dict) and j != []:
        yield path


def changed(data, path, random):
    """Return the data with one change: a number, sign or word, or a list item dropped or repeated, or None."""
    data = copy.deepcopy(data)
    *above, last = path
    inside = data
    for key in above:
        inside = inside[key]
    old = inside[last]
    if isinstance(old, int):
        inside[last] = random.choice([old + 1, old - 1, -old, 1.5, True, None])
    elif isinstance(old, str):
        inside[last] = random.choice([*(">", ">=", "=", "+", "*", "and", "or", "x", "B"), "", old + "'"])
    else:
        inside[last] = random.choice([old[1:], old[:-1], [*old, old[-1]], old[::-1], old[0]])
    return data if inside[last] != old or type(inside[last]) is not type(old) else None


def accepted(data):
    try:
        return checker.check(json.dumps(data))
    except ValueError:
        return None


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "unknown"), THRESHOLDS)
def test_a_threshold_is_proved_again_and_a_changed_step_is_refused(name, unknown):
    """A changed certificate is accepted only if the proof checker proves the same statement from it."""
    random, refused, others = Random(1), 0, 0
    for theorem in theorems(name, unknown):
        data = json.loads(json.dumps(to_json(theorem)))
        assert accepted(data) == (theorem.hypotheses, theorem.conclusion)
        for path in random.sample(every := [*places(data)], min(len(every), 150)):
            other = changed(data, path, random)
            if path == ("says",) or other is None:
                continue
            found = accepted(other)
            if found is None:
                refused += 1
                continue
            again = rechecked(other)[-1]
            assert found == (again.hypotheses, again.conclusion)
            others += 1
    assert refused > 20 * others


@tries(150)
@given(st.data())
def test_what_the_checker_takes_the_kernel_takes(data):
    """The proof checker also proves each certificate that was changed in one place and still accepted."""
    name = data.draw(st.sampled_from([n for n in RULES]))
    try:
        theorem = RULES[name](*data.draw(ATTACKS[name]))
    except KernelError:
        return
    given = json.loads(json.dumps(to_json(theorem)))
    random = Random(data.draw(st.integers(0, 9999)))
    for path in random.sample(every := [*places(given)], min(len(every), 20)):
        other = changed(given, path, random)
        found = accepted(other) if other is not None and path != ("says",) else None
        if found is not None:
            again = rechecked(other)[-1]
            assert found == (again.hypotheses, again.conclusion)


def test_a_hypothesis_dropped_or_put_in_is_refused():
    theorem = max(theorems("matmul", "B"), key=lambda t: len(t.hypotheses))
    data = to_json(theorem)
    for step in data["theorems"]:
        kept = step["hypotheses"]
        for other in [kept[:i] + kept[i + 1 :] for i in range(len(kept))] + [
            [*kept, i] for i in range(len(data["formulas"])) if i not in kept
        ]:
            step["hypotheses"] = other
            assert accepted(data) is None
        step["hypotheses"] = kept
    assert accepted(data) is not None


def test_the_command_writes_a_file_for_each_statement(tmp_path, capsys):
    command = ["derive", "matmul", "--chip", "tpu-v5e", "--for", "B", "--certificate"]
    assert main([*command, str(tmp_path / "new" / "out")]) == 0
    files = sorted((tmp_path / "new" / "out").glob("*.json"))
    proved = dict(enumerate(threshold(op("matmul"), chip("tpu-v5e"), "B").derivation, 1))
    proved = {f"{k:02}.json": known for k, known in proved.items() if isinstance(known.warrant, ByKernel)}
    assert [f.name for f in files] == [*proved] and len(files) > 8
    for file, known in zip(files, proved.values(), strict=True):
        hypotheses, conclusion = checker.check(file.read_text("utf-8"))
        assert conclusion == known.statement.goal
        assert hypotheses <= {*known.statement.assumptions, *known.statement.positive()}
        assert json.loads(file.read_text("utf-8"))["says"] == known.statement.says
    capsys.readouterr()
    assert main(["derive", "matmul", "--certificate", str(tmp_path)]) == 2
    assert "--certificate requires --for" in capsys.readouterr().err


X, ZERO, ONE, MINUS = ("v", "x"), ("q", 0, 1), ("q", 1, 1), ("q", -1, 1)
HALF_X, NOT_ZERO = ("*", ("q", 1, 2), X), ("/", X, X)
LIMIT = ("tends", ("/", ("v", "z"), X), ("x",), ZERO)


def arithmetic(terms, positive=(), multiplier=ONE):
    entries = [{"times": m, "premises": chosen} for m, chosen in terms]
    return {"sum": entries, "positive": [*positive], "multiplier": multiplier}


# Each mistake with the rule, conclusion, assumed premises, certificate and hypotheses.
FORGED = {
    "the sign of a denominator is not known": ("arith", ("=", NOT_ZERO, ONE), [], arithmetic([]), []),
    "a growing variable is replaced or captured": (
        "instantiate", ("tends", ("/", X, X), ("x",), ZERO), [LIMIT], {"values": {"z": X}},
        [("tends", ("/", X, X), ("x",), ZERO)],
    ),
    "not a polynomial with integer values": ("integral", ("int", HALF_X), [("int", X)], {}, [("int", X)]),
    "a factor in the sum is not positive": (
        "arith", ("=", X, ZERO), [(">=", X, ZERO)], arithmetic([(ONE, [0])]), [(">=", X, ZERO)],
    ),
    "the integer is not the difference": (
        "gap", (">=", X, ("+", ZERO, ONE)), [(">", X, ZERO), ("int", ONE)], {}, [(">", X, ZERO), ("int", ONE)],
    ),
    "the sum is not the conclusion": ("arith", (">", MINUS, ZERO), [], arithmetic([(ONE, [])], (), MINUS), []),
    "more is told than this rule needs": ("square", (">=", ("*", X, X), ZERO), [], {"values": {}}, []),
}  # fmt: skip


NOT_X = ("*", MINUS, X)
TURNED = ("arith", (">=", NOT_X, ZERO), [(">=", X, ZERO)], arithmetic([(MINUS, [0])]), [(">=", X, ZERO)])  # times -1

STRICT = ("arith", (">", X, ZERO), [(">=", X, ZERO)], arithmetic([(ONE, [0])]), [(">=", X, ZERO)])
WHOLE = ("integral", ("int", X), [], {}, [])
MORE = [("a factor in the sum is not positive", TURNED), ("the sum is not the conclusion", STRICT)]
MORE += [("not a polynomial with integer values", WHOLE)]
APART = (
    "tends",
    ("tends", ("/", X, ("v", "y")), ("x", "y"), ZERO),
    [],
    {"positive": ["x", "y"]},
    [],
)  # one may grow faster than the other
MORE += [("the difference may not tend to zero", APART)]


@pytest.mark.parametrize(("wrong", "step"), [*FORGED.items(), *MORE])
def test_a_false_step_is_refused_for_what_is_wrong_with_it(wrong, step):
    """Each certificate has a single mistake, and the error names it."""
    rule, said, premises, told, hypotheses = step
    formulas = list(dict.fromkeys([*premises, *hypotheses, said]))
    assumed = [(f, "assume", [], [f], {}) for f in premises]
    steps = [*assumed, (said, rule, [*range(len(premises))], hypotheses, told)]
    data = {"format": "roofproof certificate 2", "says": "", "formulas": formulas, "theorems": [
        {"rule": r, "premises": p, "hypotheses": [*map(formulas.index, h)], "conclusion": formulas.index(c),
         "certificate": t} for c, r, p, h, t in steps
    ]}  # fmt: skip
    with pytest.raises(ValueError, match=f"^theorem {len(premises)}: {wrong}$"):
        checker.check(json.dumps(data))


HEAD = '{"format": "roofproof certificate 2", "says": "", "formulas": [["true"]], "theorems": ['
TRUE = '{"rule": "propositional", "premises": [], "hypotheses": [], "conclusion": 0, "certificate": {}}'
UNUSABLE = {
    "nothing": "",
    "no object": "[]",
    "no theorem": HEAD + "]}",
    "the format before": HEAD.replace("certificate 2", "certificate 1") + TRUE + "]}",
    "a key twice": HEAD + TRUE.replace('"rule"', '"rule": "assume", "rule"') + "]}",
    "a premise that comes later": HEAD + TRUE.replace('"premises": []', '"premises": [0]') + "]}",
    "a premise counted from the end": HEAD + TRUE + "," + TRUE.replace('"premises": []', '"premises": [-1]') + "]}",
    "an index that is no integer": HEAD + TRUE.replace('"conclusion": 0', '"conclusion": 0.0') + "]}",
    "an index that is a truth value": HEAD + TRUE.replace('"conclusion": 0', '"conclusion": false') + "]}",
    "an unknown rule": HEAD + TRUE.replace("propositional", "forged") + "]}",
    "more than the rule needs": HEAD + TRUE.replace("{}}", '{"term": ["q", 1, 1]}}') + "]}",
    "too deep": HEAD.replace('["true"]', '["not", ' * 5000 + '["true"]' + "]" * 5000) + TRUE + "]}",
}


@pytest.mark.parametrize("text", UNUSABLE.values(), ids=UNUSABLE)
def test_what_is_no_certificate(text, tmp_path, monkeypatch, capsys):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(HEAD + TRUE + "]}")
    bad.write_text(text)
    monkeypatch.setattr(sys, "argv", [str(FILE), str(good), str(bad)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(FILE), run_name="__main__")
    assert capsys.readouterr() == (f"{good}:  |- true\n", "")
    assert ended.value.code.startswith(f"{bad}: refused: ") and "\n" not in ended.value.code


def test_the_checker_runs_alone(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(HEAD + TRUE + "]}")
    bad.write_text(UNUSABLE["too deep"])
    command = [sys.executable, "-I", str(FILE), str(good)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{good}:  |- true\n", "")
    done = subprocess.run([*command, str(bad)], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith(f"{bad}: refused: ") and done.stderr.count("\n") == 1


def test_a_nameless_variable_is_positive_only_where_it_is_said_to_be():
    """The square root of x gets no sign from the names assumed positive, even if a name is empty."""
    x = ("v", "")
    theorem = kernel.arith((">", ("*", x, x), ("q", 0, 1)), positive=[""])
    data = to_json(theorem)
    assert accepted(data) is not None
    text = json.dumps(data).replace('["v", ""]', '["sqrt", ["v", ""]]')
    assert accepted(json.loads(text)) is None


def test_large_integers_are_text():
    big = 10**40
    theorem = kernel.arith((">", ("q", big, 1), ("q", 0, 1)))
    text = json.dumps(to_json(theorem))
    assert f'"{big}"' in text and checker.check(text) == (frozenset(), theorem.conclusion)


@pytest.mark.parametrize("number", [10**4000, 7 - 2**20001], ids=["long", "negative"])
def test_every_reader_takes_the_longest_integers(number):
    term = ("q", number, 3)
    written = json.loads(json.dumps(as_lists(term)))
    assert written[1].startswith(("0x", "-0x"))
    assert tree(written) == term == checker.read(written, checker.TERMS)


def test_what_coefficients_tell_of_a_sign_comes_before_what_is_assumed():
    """Even if 0 > 1 is assumed, 2 counts as positive, so x/2 > 0 still follows from x > 0."""
    assumed = [kernel.assume((">", ZERO, ONE)), kernel.assume((">", X, ZERO))]
    theorem = kernel.arith((">", ("/", X, ("q", 2, 1)), ZERO), assumed, [(ONE, [1])])
    assert accepted(to_json(theorem)) is not None
