"""A third-party repository: the hook and the action verify its README, notes and claims file, and report false values.

The action's own steps run in a folder without any file of this project. pre-commit itself runs the hook.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = "**/*.md *.claims.toml"
LIES = [  # (file, correct text, false text, place in the report)
    ("README.md", "B/s ~= 17.1 ms -->17.1 ms", "B/s ~= 1.71 ms -->1.71 ms", "README.md:8"),
    ("notes/decode.md", "`273 tokens |", "`241 tokens |", "notes/decode.md:12"),
    ("kernels.claims.toml", "(a + b) / 2", "a + b / 2", "overlap"),
]
yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; it comes with myst-parser")
git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
PROGRAMS = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
PERSON = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = tmp_path / "small-kernels"
    shutil.copytree(ROOT / "tests" / "data" / "repository", made)
    return made


def edit(repository: Path, file: str, before: str, after: str) -> None:
    text = (repository / file).read_text(encoding="utf-8")
    assert before in text
    (repository / file).write_text(text.replace(before, after), encoding="utf-8")


def acted(repository: Path, **given: str) -> tuple[int, str]:
    """Run the action's steps, except those that need the network, and return its status and summary."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    inputs = {name: each.get("default", "") for name, each in action["inputs"].items()} | given
    outputs, summary = repository.parent / "output", repository.parent / "summary.md"
    values = {f"inputs.{name}": value for name, value in inputs.items()}
    status = 0
    for step in action["runs"]["steps"]:
        if "run" not in step or step["name"] == "Install" or "pull_request" in step.get("if", ""):
            continue
        outputs.touch()
        told = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
        values |= {f"steps.verify.outputs.{name}": value for name, value in told.items()}
        filled = re.compile(r"\$\{\{ *(\S+) *\}\}")
        put = {name: values[filled.fullmatch(text)[1]] for name, text in step["env"].items()}  # type: ignore[index]
        runner = {"RUNNER_TEMP": str(repository.parent), "GITHUB_OUTPUT": str(outputs), "PATH": PROGRAMS}
        environment = {**os.environ, **runner, "GITHUB_STEP_SUMMARY": str(summary), **put}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        status = subprocess.run(command, cwd=repository, env=environment, check=False).returncode
        if status:
            break
    return status, summary.read_text(encoding="utf-8") if summary.exists() else ""


def test_the_action_passes_what_holds(repository: Path) -> None:
    status, summary = acted(repository, files=FILES)
    assert status == 0 and summary.count("### README.md:8") == 1 and "refuted" not in summary


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("file", "before", "after", "place"), LIES)
def test_the_action_fails_where_a_page_was_edited_to_lie(
    repository: Path, file: str, before: str, after: str, place: str
) -> None:
    edit(repository, file, before, after)
    status, summary = acted(repository, files=FILES)
    assert status in (1, 2) and place in summary


@pytest.mark.slow
def test_the_action_in_chinese_with_a_page_that_cannot_be_read(repository: Path) -> None:
    edit(repository, "README.md", "flops(matmul) == 2 B D F", "flops(matmul) == 2 B D F +")
    status, summary = acted(repository, files=FILES, lang="zh")
    assert status == 2 and "README.md:6" in summary


@pytest.mark.slow
@git
@pytest.mark.skipif(
    shutil.which("pre-commit", path=PROGRAMS) is None,
    reason="pre-commit is not installed; cure: pip install pre-commit",
)
def test_the_hook_holds_a_commit_back(repository: Path) -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    config = {"repos": [{"repo": "local", "hooks": [{**hook, "language": "system"}]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    environment = {**os.environ, **PERSON, "PATH": PROGRAMS}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)

    for command in (("git", "init", "-q"), ("pre-commit", "install"), ("git", "add", "-A")):
        assert run(*command).returncode == 0
    first = run("git", "commit", "-m", "Kernels")
    assert first.returncode == 0, first.stdout + first.stderr
    edit(repository, *LIES[0][:3])
    held = run("git", "commit", "-am", "A faster step")
    assert held.returncode == 1 and LIES[0][3] in held.stdout + held.stderr
    assert run("git", "log", "--oneline").stdout.count("\n") == 1
