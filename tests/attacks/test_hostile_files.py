"""Files that are no files, names that are no names, and modules that do nothing when they are imported."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from roofproof.cli import main

ROOT = Path(__file__).resolve().parents[2]
NO_FILE = "it is no file; name a file in a folder you own"
DERIVE = ["derive", "matmul", "--for", "B", "--smtlib"]
CERTIFICATE = [*DERIVE[:-1], "--certificate"]
VERIFY = ["verify", "ok.toml", "--report"]
DRAFT = ["draft", "a.md", "-o"]
EDITED = "is there already; a draft is edited by hand: name a new file"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ok.toml").write_text('[[claim]]\nid = "a"\nsays = "1 + 1 == 2"\n', encoding="utf-8")
    Path("a.md").write_text("$$ a = b $$\n", encoding="utf-8")
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("link").symlink_to("ok.toml")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*VERIFY, "pipe"], f"cannot write 'pipe': {NO_FILE}"),
        ([*VERIFY, "/dev/null"], f"cannot write '/dev/null': {NO_FILE}"),
        ([*VERIFY, "folder"], f"cannot write 'folder': {NO_FILE}"),
        ([*VERIFY, ""], f"cannot write '': {NO_FILE}"),
        ([*VERIFY, "a\0b"], f"cannot write 'a\\x00b': {NO_FILE}"),
        ([*VERIFY, "none/a.md"],
         "cannot write 'none/a.md': No such file or directory; name a file in a folder you own"),
        ([*VERIFY, "ok.toml"], "'ok.toml' is the book itself; name another file"),
        ([*VERIFY, "folder/../ok.toml"], "'folder/../ok.toml' is the book itself; name another file"),
        ([*VERIFY[:-1], "--smtlib", "pipe"], "cannot write 'pipe': File exists; name a folder"),
        ([*VERIFY[:-1], "--smtlib", "ok.toml/x"], "cannot write 'ok.toml/x': Not a directory; name a folder"),
        ([*VERIFY[:-1], "--coq", "ok.toml"], "cannot write 'ok.toml': File exists; name a folder"),
        ([*VERIFY[:-1], "--coq", "a\0b"], "cannot write 'a\\x00b': it is no name; name a folder"),
        ([*DRAFT, "pipe"], f"'pipe' {EDITED}"),
        ([*DRAFT, "/dev/null"], f"'/dev/null' {EDITED}"),
        ([*DRAFT, "ok.toml"], f"'ok.toml' {EDITED}"),
        ([*DRAFT, "none/a.toml"],
         "cannot write 'none/a.toml': No such file or directory; name a file in a folder you own"),
        (["draft", "pipe", "-o", "x.toml"],
         "'pipe' is no chapter; expected Markdown or TeX, such as chapter.md or chapter.tex"),
        (["draft", "none.md", "-o", "x.toml"], "cannot read chapter 'none.md': No such file or directory"),
        (["verify", "none.toml"], "cannot read 'none.toml': No such file or directory"),
        ([*DERIVE, ""], "cannot write '': it is no name; name a folder"),
        ([*DERIVE, "a\0b"], "cannot write 'a\\x00b': it is no name; name a folder"),
        ([*DERIVE, "ok.toml"], "cannot write 'ok.toml': File exists; name a folder"),
        ([*DERIVE, "ok.toml/a"], "cannot write 'ok.toml/a': Not a directory; name a folder"),
        ([*CERTIFICATE, ""], "cannot write '': it is no name; name a folder"),
        ([*CERTIFICATE, "a\0b"], "cannot write 'a\\x00b': it is no name; name a folder"),
        ([*CERTIFICATE, "ok.toml"], "cannot write 'ok.toml': File exists; name a folder"),
        (["verify", "a\0b"], "cannot read 'a\\x00b': embedded null byte"),
        (["verify", "folder"], "cannot read 'folder': Is a directory"),
        (["verify", "/dev/zero"], "/dev/zero: larger than 2 MiB; split the book"),
    ],
)  # fmt: skip
def test_no_place_to_read_or_write(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.listdir(folder))
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"roofproof: {message}\n"
    assert sorted(os.listdir(folder)) == before
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode) and stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_a_report_takes_the_place_of_a_link_not_of_what_it_leads_to(capsys: pytest.CaptureFixture[str]) -> None:
    book = Path("ok.toml").read_bytes()
    assert main([*VERIFY, "link"]) == 0
    assert Path("ok.toml").read_bytes() == book
    assert Path("link").is_file() and not Path("link").is_symlink()


def test_names_that_are_no_utf8(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a\udcff.toml").write_bytes(Path("ok.toml").read_bytes())
    assert main(["verify", "a\udcff.toml", "--report", "b\udcff.md"]) == 0
    assert Path("b\udcff.md").read_text(encoding="utf-8")


def test_a_million_workers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "ok.toml", "--workers", "1000000"]) == 0


# --- importing ------------------------------------------------------------------------------------

IMPORT = """
import importlib, os, pkgutil, sys
import roofproof
home = os.path.dirname(roofproof.__file__)
names = sorted(m.name for m in pkgutil.walk_packages([home], "roofproof."))
sys.dont_write_bytecode = True
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
SILENT = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.mkdir", "os.remove",
          "os.rename", "urllib.", "http.", "shutil.", "tempfile.", "webbrowser.")
seen = []
def hook(event, args):
    if event == "open" and isinstance(args[2], int) and args[2] & WRITING and args[0] != os.devnull:
        seen.append(f"{event} {args[0]!r}")
    elif event.startswith(SILENT) and event not in ("socket.__new__",):
        seen.append(f"{event} {args!r}"[:200])
sys.addaudithook(hook)
done = 0
for name in names:
    if name.endswith("__main__"):
        continue
    before = len(seen)
    try:
        importlib.import_module(name)
        done += 1
    except ModuleNotFoundError as missing:
        assert missing.name and not missing.name.startswith("roofproof"), missing
    seen[before:] = [f"{name}: {s}" for s in seen[before:]]
print(done, "modules;", *seen, sep="\\n")
"""


def test_importing_writes_nothing_starts_nothing_and_asks_no_network() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    count, *seen = done.stdout.splitlines()
    assert int(count) > 150
    assert seen == ["modules;"], "\n".join(seen)
