"""Every example in the README and the pages in docs/ is run, and prints the output that is shown.

After an intended change, `python tests/test_readme.py [PAGE ...]` writes the new output into the pages.
"""

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

import roofproof

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>[^\n]*)\n(?P<body>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^\$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)\n(?P<output>(?:(?!\$ |```)[^\n]*\n)*)", re.MULTILINE)

# Durations and versions differ from run to run. A time that is an answer ("1.011 ms") is left as it is.
DURATIONS = [
    (re.compile(r"\b(in|took) \d[\d.e+-]* ?(s|ms|us|µs)\b"), r"\1 <duration>"),
    (re.compile(r'("seconds": )[\d.e+-]+'), r"\1<duration>"),
    (re.compile(r"\b(traced by (?:jax|torch)) [\d.+a-z]+"), r"\1 <version>"),
]


def blocks(page: Path, kind: str) -> list[tuple[int, str]]:
    """Return the fenced blocks of one kind, each with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start("body")), m["body"]) for m in FENCE.finditer(text) if m["kind"] == kind]


def console_examples() -> Sequence[object]:
    """Return every `$ command` of a console block with the output under it, without repeated examples."""
    found, seen = [], set()
    for page in PAGES:
        for line, body in blocks(page, "console"):
            for m in EXAMPLE.finditer(body):
                if m[0] in seen:
                    continue
                seen.add(m[0])
                name = f"{page.name}:{line}:{m['command'][:40]}"
                found.append(pytest.param(m["command"].replace("\\\n", " "), m["output"], id=name))
    return found


def needs_frameworks(text: str) -> None:
    """Skip an example that traces a function or a module if its framework is not installed."""
    modules = "gated_module.py:" in text or "reference_problem.py" in text
    used = {"jax": (".py:" in text and not modules) or "trace.jax" in text, "torch": modules or "trace.torch" in text}
    for framework in (name for name, needed in used.items() if needed):
        if find_spec(framework) is None:
            pytest.skip(f"{framework} is not installed; cure: pip install 'roofproof[{framework}]'")


def undated(text: str) -> str:
    for pattern, replacement in DURATIONS:
        text = pattern.sub(replacement, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def run_command(command: str) -> str:
    """Run `roofproof ...` in this process and return its terminal output, or N lines of it for `... | head -N`."""
    from roofproof.cli import main

    command, _, head = command.partition(" | head -")
    program, *arguments = shlex.split(command)
    assert program == "roofproof", f"a console example runs roofproof, not {program}; use a bash block"
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        try:
            main(arguments)
        except SystemExit as stop:
            assert isinstance(stop.code, int | None), stop.code
    return "".join(shown.getvalue().splitlines(keepends=True)[: int(head) if head else None])


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory that looks like the root of the tree. Files that an example writes at its top stay there."""
    for path in ROOT.iterdir():
        if not path.name.startswith("."):
            (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.sampled(11)
@pytest.mark.parametrize(("command", "output"), console_examples())
def test_console_example_prints_what_the_page_shows(command: str, output: str, tree: Path) -> None:
    needs_frameworks(command)
    assert undated(run_command(command)) == undated(output)


def with_examples_of_their_own() -> Sequence[Path]:
    """Return the pages except those with the same examples, in the same order, as the English page."""
    code = {page: [body for _, body in blocks(page, "python")] for page in PAGES}
    return [page for page in PAGES if code[page] and code[page] != code.get(page.parent.parent / page.name)]


@pytest.mark.parametrize("page", with_examples_of_their_own(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_python_examples_run(page: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks with `>>>` are doctests, others are plain code. All blocks of a page share their names."""
    names: dict[str, object] = {"__name__": "example"}
    registry = importlib.import_module("roofproof.trace.registry")
    monkeypatch.setattr(registry, "ADDED", {})  # a rule that a page adds is only for that page
    for line, body in blocks(page, "python"):
        needs_frameworks(body)
        if ">>> " not in body:
            exec(compile("\n" * line + body, str(page), "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), line)
        report = io.StringIO()
        result = doctest.DocTestRunner(verbose=False).run(test, out=report.write, clear_globs=False)
        names.update(test.globs)
        assert result.failed == 0, report.getvalue()


def test_every_fence_has_a_kind_that_is_known() -> None:
    """Every block is an example that runs, a set-up line, data, or a picture drawn in text."""
    for page in PAGES:
        kinds = {m["kind"] for m in FENCE.finditer(page.read_text(encoding="utf-8"))}
        assert kinds <= {
            "console",
            "python",
            "bash",
            "toml",
            "json",
            "text",
            "math",
            "latex",
            "claim",
            "{toctree}",
            "{eval-rst}",
            "lua",
            "markdown",
            "yaml",
            "python file",
            "toml file",
            "coq file",
        }, page


def test_an_example_stands_by_line_ten_of_the_readme() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("$ roofproof ") for line in lines[:10])


def one_liners() -> list[str]:
    return [body.strip() for _, body in blocks(ROOT / "README.md", "bash")]


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    tests = [line for line in one_liners() if "pytest" in line]
    assert len(tests) == 1
    *before, last = [line for line in script if "pytest" in line]
    assert [last] == tests and all("-m long" in line or "-m slow" in line for line in before)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_contributing_starts_with_three_commands_made_of_the_same_parts() -> None:
    (_, body), *_ = blocks(ROOT / "CONTRIBUTING.md", "bash")
    commands = [line.split("   ")[0] for line in body.splitlines()]
    assert len(commands) == 3
    assert " && ".join(commands[:2]) in one_liners()


def test_set_up_lines_are_valid_shell() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for _, body in blocks(page, "bash"):
            check = subprocess.run(["bash", "-n"], input=body, text=True, capture_output=True)
            assert check.returncode == 0, check.stderr


def test_main_job_of_the_readme_is_its_first_example() -> None:
    (_, first), *_ = blocks(ROOT / "README.md", "console")
    command = first.splitlines()[0].removeprefix("$ ").partition(" | ")[0]
    assert any(line.endswith(f"&& .venv/bin/{command}") for line in one_liners())


def test_citation_names_the_version_of_the_package() -> None:
    assert f"\nversion: {roofproof.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_newest_change_is_that_of_the_version() -> None:
    versions = re.findall(
        r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert versions[0] == roofproof.__version__


def rewrite(page: Path) -> None:
    """Write the current output under each `$ command`. An output that differs only in durations is kept."""

    def example(found: re.Match[str]) -> str:
        command, output = found["command"], found["output"]
        printed = run_command(command.replace("\\\n", " "))
        if undated(printed) == undated(output):
            return found[0]
        return f"$ {command}\n" + "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())

    def block(found: re.Match[str]) -> str:
        if found["kind"] != "console":
            return found[0]
        return EXAMPLE.sub(example, found[0])

    page.write_text(FENCE.sub(block, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    pages = [Path(name).resolve() for name in sys.argv[1:]]
    os.chdir(ROOT)
    for each in pages or PAGES:
        rewrite(each)
