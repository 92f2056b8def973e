"""The mutation campaign classifies the mutants of a small package correctly, and each mutant matches its file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mutants import MUTANTS
from mutation import KILLERS, key

ATTACKS = Path(__file__).parent
# Runs the campaign on a small package and a list of mutants in place of the real ones.
RUN = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import forked_tests, mutation
mutation.ROOT, mutation.KILLERS = Path.cwd(), Path("killers.json")
mutation.MUTANTS = tuple(map(tuple, json.loads(sys.argv[2])))
mutation.TESTS, mutation.SAME = {"small": (("small",),)}, {"return n * 1": "times one"}
forked_tests.PATIENCE = 5
sys.exit(mutation.main(sys.argv[3:]))
"""
ENGINE = {
    "roofproof/__init__.py": "",
    "roofproof/pytest_plugin.py": "",
    "roofproof/one.py": "def same(n):\n    return n\n",
    "roofproof/two.py": "from roofproof.one import same\n\nONE = same(1)\n",
    "tests/small/test_ways.py": (
        "import sys\nimport pytest\n"
        "@pytest.mark.parametrize('n', [1, 2], ids=['no more', 'more'])\ndef test_same(n):\n"
        "    from roofproof.one import same\n    assert same(n) == n\n"
        "def test_by_two():\n    from roofproof.two import ONE\n    assert ONE == 1\n"
    ),
    "pyproject.toml": "[tool.pytest.ini_options]\nmarkers = ['slow: none']\n",
}
WAYS = "tests/small/test_ways.py::"
MORE = ["small", "one.py", "return n", "return n + 1"]


@pytest.fixture
def campaign(tmp_path):
    def run(*mutants, killers=(), others=(), record=False):
        for name, text in {**ENGINE, **dict(others)}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        named = {key(m): k for m, k in zip(mutants, killers, strict=False)}
        (tmp_path / "killers.json").write_text(json.dumps(named), encoding="utf-8")
        for command in (["init", "-q"], ["add", "roofproof", "tests", "pyproject.toml"]):
            subprocess.run(["git", *command], cwd=tmp_path, check=True, capture_output=True)
        command = [sys.executable, "-c", RUN, str(ATTACKS), json.dumps(mutants), *["--record"] * record]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert not done.stderr
        kept = json.loads((tmp_path / "killers.json").read_text(encoding="utf-8"))
        return done.returncode, done.stdout, kept

    return run


@pytest.mark.slow
def test_what_changes_nothing_survives_and_the_reason_is_told_where_it_is_known(campaign):
    same = ["small", "one.py", "return n", "return n + 0"]
    known = ["small", "one.py", "return n", "return n * 1"]
    status, said, kept = campaign(same, known, killers=[WAYS + "test_same[more]"] * 2, record=True)
    assert status == 1 and "2 mutants: 1 survived, 1 survived, changes nothing" in said and "times one" in said
    assert len(kept) == 2


@pytest.mark.slow
def test_what_changes_nothing_is_tried_by_the_tests_that_are_named_alone_where_some_are(campaign):
    known = ["small", "one.py", "return n", "return n * 1"]
    reads = "from pathlib import Path\ndef test_text():\n    assert '*' not in Path('roofproof/one.py').read_text()\n"
    for killers, said in ([WAYS + "test_same[more]"], "1 survived, changes nothing"), ([], "1 killed"):
        assert f"1 mutants: {said}" in campaign(known, killers=killers, others={"tests/small/test_text.py": reads})[1]


@pytest.mark.slow
def test_the_test_that_is_named_kills_alone_and_where_it_is_gone_or_blind_others_are_asked(campaign):
    mutants = [["small", "one.py", "return n", f"return n + {k}"] for k in range(1, 6)]
    killers = ["test_by_two", "test_gone", "test_same[gone]", "test_blind"]
    others = {"tests/small/test_ways.py": ENGINE["tests/small/test_ways.py"] + "def test_blind(): pass\n"}
    status, said, kept = campaign(*mutants, killers=[WAYS + k for k in killers], others=others, record=True)
    assert status == 0 and "5 mutants: 5 killed" in said
    assert [*kept.values()] == [WAYS + "test_by_two"] * 5
    status, said, kept = campaign(MORE, killers=["tests/gone.py::test"], record=True)
    assert status == 0 and [*kept.values()] == [WAYS + "test_same[no more]"]


@pytest.mark.slow
def test_a_test_that_fails_on_the_engine_as_it_is_kills_nothing(campaign):
    wrong = {"tests/small/test_wrong.py": "def test_wrong(): assert False"}
    status, said, _ = campaign(MORE, killers=["tests/small/test_wrong.py::test_wrong"], others=wrong)
    assert status == 2 and "fails on the engine as it is" in said and "killed" not in said
    early = {"tests/small/test_early.py": "def test_wrong(): assert False"}
    status, said, kept = campaign(MORE, others=early, record=True)
    assert status == 1 and "1 mutants: 1 broken" in said and not kept


@pytest.mark.slow
def test_what_cannot_be_imported_is_killed_where_its_own_file_has_part_in_that(campaign):
    raises = ["small", "one.py", "return n", "return n + '1'"]
    inside = {"tests/small/test_at_once.py": "from roofproof.two import ONE\ndef test_one(): assert ONE == 1"}
    status, said, kept = campaign(raises, others=inside, record=True)
    assert status == 0 and [*kept.values()] == ["tests/small/test_at_once.py::test_one"]
    large = ["small", "one.py", "return n", "return min(n, 8)"]
    apart = {"tests/small/test_at_once.py": "from roofproof.one import same\nassert same(9) == 9\ndef test_one(): pass"}
    status, said, kept = campaign(MORE, large, others=apart, record=True)
    assert status == 1 and "2 mutants: 1 broken, 1 killed" in said and [*kept.values()] == [WAYS + "test_same[no more]"]


@pytest.mark.slow
def test_what_does_not_end_or_dies_is_killed(campaign):
    endless = ["small", "one.py", "return n", "while True: pass"]
    dies = ["small", "one.py", "return n", "import os; os._exit(0)"]
    status, said, _ = campaign(endless, dies, killers=[WAYS + "test_same[more]"] * 2)
    assert status == 0 and "2 mutants: 2 killed" in said


def test_each_mutant_stands_in_its_file_and_each_test_that_kills_belongs_to_one():
    root = ATTACKS.parents[1]
    gone = [m for m in MUTANTS if m[2] not in (root / "roofproof" / m[1]).read_text(encoding="utf-8")]
    assert not gone, "write these mutants anew"
    keys, killers = set(map(key, MUTANTS)), json.loads(KILLERS.read_text(encoding="utf-8"))
    assert len(keys) == len(MUTANTS) and keys >= killers.keys()
    assert all((root / test.partition("::")[0]).is_file() for test in killers.values())
