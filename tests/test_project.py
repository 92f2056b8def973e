"""The hook, the action, the workflows, the forms, the citation and the recipe agree."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import roofproof
from roofproof.commands.usage import COMMANDS
from roofproof.pages.written import ENDINGS

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; it comes with myst-parser")


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_the_hook_runs_a_command_there_is_on_what_it_reads() -> None:
    [hook] = read(".pre-commit-hooks.yaml")
    program, command = hook["entry"].split()
    assert hook["id"] == "roofproof-verify" and program in PROJECT["scripts"] and command in COMMANDS
    names = ["book.claims.toml", *(f"page{ending}" for ending in (".md", ".qmd", ".rst", ".tex"))]
    assert all(re.search(hook["files"], name) for name in names) and not re.search(hook["files"], "pyproject.toml")
    assert all(name.rpartition("page")[2] in ENDINGS for name in names[1:])


def test_the_action_uses_the_inputs_that_it_has() -> None:
    action = read("action.yml")
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(action["inputs"])
    # Outside text enters as a variable, never as part of a script.
    assert not any("${{" in step.get("run", "") for step in action["runs"]["steps"])


def test_workflows_run_on_the_pythons_that_are_named() -> None:
    matrix = read(".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    named = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert matrix["python"] == named and len(matrix["os"]) == 3 and len(named) == 4
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        for job in read(f".github/workflows/{path.name}")["jobs"].values():
            assert all("uses" in step or "run" in step for step in job["steps"])
        installed = re.findall(r"\.\[([a-z]+)\]", path.read_text(encoding="utf-8"))
        assert set(installed) <= set(PROJECT["optional-dependencies"])


def test_forms_ask_for_something() -> None:
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        form = read(f".github/ISSUE_TEMPLATE/{path.name}")
        assert form["name"] and form["description"]
        assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_the_recipe_needs_what_the_project_needs() -> None:
    recipe = read("conda/recipe.yaml")
    assert recipe["context"]["version"] == roofproof.__version__
    needed = {re.sub(r"\s*>=\s*", " >=", text) for text in PROJECT["dependencies"]}
    assert set(recipe["requirements"]["run"]) == needed | {f"python {PROJECT['requires-python']}"}
    [entry] = recipe["build"]["python"]["entry_points"]
    assert dict([entry.split(" = ")]) == PROJECT["scripts"]


def test_the_citation_and_the_paper() -> None:
    citation = read("CITATION.cff")
    head = yaml.safe_load((ROOT / "paper.md").read_text(encoding="utf-8").split("---\n")[1])
    assert head["title"] == citation["title"] and [a["name"] for a in head["authors"]] == [
        author["name"] for author in citation["authors"]
    ]
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(head)
    body, entries = ((ROOT / name).read_text(encoding="utf-8") for name in ("paper.md", head["bibliography"]))
    assert set(re.findall(r"@(\w+)\]", body)) == set(re.findall(r"^@\w+\{(\w+),", entries, re.MULTILINE))
    assert citation["version"] <= roofproof.__version__
