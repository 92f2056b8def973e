"""Special files and invalid names are refused, and importing a module has no side effects."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from roofproof.cli import main

ROOT = Path(__file__).resolve().parents[2]
NO_FILE = "it is not a regular file; name a file in a folder you own"
NO_FILE_HERE = "a pipe or a device, not a file"
DERIVE = ["derive", "matmul", "--for", "B", "--smtlib"]
CERTIFICATE = [*DERIVE[:-1], "--certificate"]
VERIFY = ["verify", "ok.toml", "--report"]
DRAFT = ["draft", "a.md", "-o"]
EDITED = "already exists; choose another file name"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ok.toml").write_text('[[claim]]\nid = "a"\nsays = "1 + 1 == 2"\n', encoding="utf-8")
    Path("a.md").write_text("$$ a = b $$\n", encoding="utf-8")
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("link").symlink_to("ok.toml")
    return tmp_path


NO_PLACES = [
    ([*VERIFY, "pipe"], f"cannot write 'pipe': {NO_FILE}"),
    ([*VERIFY, "/dev/null"], f"cannot write '/dev/null': {NO_FILE}"),
    ([*VERIFY, "folder"], f"cannot write 'folder': {NO_FILE}"),
    ([*VERIFY, ""], f"cannot write '': {NO_FILE}"),
    ([*VERIFY, "a\0b"], f"cannot write 'a\\x00b': {NO_FILE}"),
    ([*VERIFY, "none/a.md"],
     "cannot write 'none/a.md': No such file or directory; name a file in a folder you own"),
    ([*VERIFY, "ok.toml"], "'ok.toml' is the claims file itself; choose another file for the report"),
    ([*VERIFY, "folder/../ok.toml"],
     "'folder/../ok.toml' is the claims file itself; choose another file for the report"),
    ([*VERIFY[:-1], "--smtlib", "pipe"], "cannot write 'pipe': File exists; name a folder"),
    ([*VERIFY[:-1], "--smtlib", "ok.toml/x"], "cannot write 'ok.toml/x': Not a directory; name a folder"),
    ([*VERIFY[:-1], "--coq", "ok.toml"], "cannot write 'ok.toml': File exists; name a folder"),
    ([*VERIFY[:-1], "--coq", "a\0b"], "cannot write 'a\\x00b': this is not a file name; name a folder"),
    ([*DRAFT, "pipe"], f"'pipe' {EDITED}"),
    ([*DRAFT, "/dev/null"], f"'/dev/null' {EDITED}"),
    ([*DRAFT, "ok.toml"], f"'ok.toml' {EDITED}"),
    ([*DRAFT, "none/a.toml"],
     "cannot write 'none/a.toml': No such file or directory; name a file in a folder you own"),
    (["draft", "pipe", "-o", "x.toml"],
     "'pipe': expected a file in Markdown or TeX, such as lecture.md or lecture.tex"),
    (["draft", "none.md", "-o", "x.toml"], "cannot read text 'none.md': No such file or directory"),
    (["verify", "none.toml"], "cannot read 'none.toml': No such file or directory"),
    ([*DERIVE, ""], "cannot write '': this is not a file name; name a folder"),
    ([*DERIVE, "a\0b"], "cannot write 'a\\x00b': this is not a file name; name a folder"),
    ([*DERIVE, "ok.toml"], "cannot write 'ok.toml': File exists; name a folder"),
    ([*DERIVE, "ok.toml/a"], "cannot write 'ok.toml/a': Not a directory; name a folder"),
    ([*CERTIFICATE, ""], "cannot write '': this is not a file name; name a folder"),
    ([*CERTIFICATE, "a\0b"], "cannot write 'a\\x00b': this is not a file name; name a folder"),
    ([*CERTIFICATE, "ok.toml"], "cannot write 'ok.toml': File exists; name a folder"),
    (["verify", "a\0b"], "cannot read 'a\\x00b': embedded null byte"),
    (["verify", "folder"], "cannot read 'folder': Is a directory"),
    (["verify", "/dev/zero"], f"cannot read '/dev/zero': {NO_FILE_HERE}"),
]  # fmt: skip
PLACES = [
    ([*VERIFY, "new.md"], "new.md"),
    ([*VERIFY, "old.md"], "old.md"),
    ([*VERIFY, "folder/new.md"], "folder/new.md"),
    ([*VERIFY, "link"], "link"),
    ([*VERIFY, "a b.md"], "a b.md"),
    ([*VERIFY[:-1], "--smtlib", "new"], "new/index.txt"),
    ([*VERIFY[:-1], "--smtlib", "folder"], "folder/index.txt"),
    ([*VERIFY[:-1], "--smtlib", "new/below"], "new/below/index.txt"),
    ([*DRAFT, "new.toml"], "new.toml"),
    ([*DRAFT, "folder/new.toml"], "folder/new.toml"),
]


@pytest.mark.parametrize(("arguments", "written"), PLACES)
def test_a_place_to_write(arguments: list[str], written: str, folder: Path) -> None:
    Path("old.md").write_text("old", encoding="utf-8")
    before = {p for p in folder.rglob("*") if not p.is_dir()}
    assert main(arguments) == 0
    assert Path(written).is_file() and Path(written).read_text(encoding="utf-8") not in ("", "old")
    new = {p for p in folder.rglob("*") if not p.is_dir()} - before - {folder / written}
    assert all(p.is_relative_to((folder / written).parent) and p.suffix == ".smt2" for p in new)


@pytest.mark.parametrize(("arguments", "message"), NO_PLACES)
def test_no_place_to_read_or_write(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.listdir(folder))
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"roofproof: {message}\n"
    assert sorted(os.listdir(folder)) == before
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode) and stat.S_ISFIFO(os.stat("pipe").st_mode)


COURSE, TRACED = ["slides", "--chip", "tpu-v5e", "-o", "x.tex", "--course"], ["--chip", "tpu-v5e", "--for", "B"]
ENTRANCES = {  # commands that read files, by the kind of file
    "verify": lambda path: ["verify", f"{path}.toml"],
    "draft": lambda path: ["draft", f"{path}.md", "-o", "x.toml"],
    "exercises": lambda path: ["exercises", f"{path}.toml", "--to", "latex", "-o", "x"],
    "course": lambda path: [*COURSE, f"{path}.toml"],
    "chip": lambda path: ["derive", "matmul", "--chip", f"{path}.toml", "--for", "B"],
    "questions": lambda path: ["grade", "--exercises", f"{path}.toml", "--answers", "ok.csv", "-o", "x.csv"],
    "answers": lambda path: ["grade", "--exercises", "questions.toml", "--answers", f"{path}.csv", "-o", "x.csv"],
    "code": lambda path: ["derive", f"{path}.py:f", "--shapes", "x:bf16[B]", *TRACED],
}


SAID = {"pipe": NO_FILE_HERE, "device": NO_FILE_HERE, "folder": "Is a directory", "large": "larger than",
        "socket": "No such device or address"}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", SAID)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_what_is_no_file_of_that_size_is_refused_at_every_entrance(
    entrance: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pipes, devices, folders, sockets and a sparse gigabyte are refused. A pipe is never read."""
    for name in (f"{place}.{ending}" for ending in ("toml", "md", "csv", "py")):
        if place == "pipe":
            os.mkfifo(name)
        elif place == "device":
            Path(name).symlink_to("/dev/zero")
        elif place == "folder":
            Path(name).mkdir()
        elif place == "socket":
            socket.socket(socket.AF_UNIX).bind(name)
        else:
            with open(name, "wb") as file:
                file.truncate(2**30)
    Path("questions.toml").write_text('[[question]]\nid = "a"\nop = "matmul"\n', encoding="utf-8")
    before = sorted(os.listdir())
    assert main(ENTRANCES[entrance](place)) == 2
    out, err = capsys.readouterr()
    assert err.startswith("roofproof: ") and err.count("\n") == 1 and place in err and not out
    assert (SAID[place] if entrance != "code" or place == "large" else "no file") in err
    assert sorted(os.listdir()) == before


def test_a_report_is_written_through_a_link_which_stays(capsys: pytest.CaptureFixture[str]) -> None:
    book = Path("ok.toml").read_bytes()
    Path("before.md").write_text("before")
    Path("through").symlink_to("before.md")
    assert main([*VERIFY, "through"]) == 0
    assert Path("before.md").read_text(encoding="utf-8").startswith("# Verdicts")
    assert Path("through").is_symlink() and Path("ok.toml").read_bytes() == book


def test_names_that_are_no_utf8(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a\udcff.toml").write_bytes(Path("ok.toml").read_bytes())
    assert main(["verify", "a\udcff.toml", "--report", "b\udcff.md"]) == 0
    assert Path("b\udcff.md").read_text(encoding="utf-8")


def test_a_million_workers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "ok.toml", "--workers", "1000000"]) == 2
    told = "workers '1000000': expected 1 to 256 processes, threads:N or tcp://HOST:PORT"
    assert capsys.readouterr().err == f"roofproof: {told}\n"


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


@pytest.mark.slow
def test_importing_writes_nothing_starts_nothing_and_asks_no_network() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    count, *seen = done.stdout.splitlines()
    assert int(count) > 150
    assert seen == ["modules;"], "\n".join(seen)


# --- names with line breaks, and files of others ---------------------------------------------------

FORGED = "a\\nok forged  verified       proved\\n"


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("x.claims.toml", '[[claim]]\nid = "{}"\nsays = "1 + 1 == 2"\n', "verify x.claims.toml"),
        ("x.claims.toml", '[[claim]]\nid = "b"\nexpect = "not-checkable"\nreason = "{}"\n', "verify x.claims.toml"),
        ("x.toml", 'title = "{}"\nbf16 = "2e14 FLOP/s"\nhbm = "8e11 B/s"', "derive dot --for N --full --chip x.toml"),
        ("x.toml", 'bf16 = {{ value = "2e14 FLOP/s", source = "{}" }}\nhbm = "8e11 B/s"',
         "derive dot --for N --full --chip x.toml"),
        ("x.toml", 'op = "dot"\nabout = "{}"\n', "derive x.toml --for N --chip tpu-v5e"),
        ("x.toml", '[[problem]]\nname = "{}"\nop = "dot"\nat = "N=8"\n'
         '[[problem]]\nname = "b"\nop = "dot"\nat = "N=8"\n',
         "time x.toml --chip tpu-v5e"),
        ("x.toml", '[[formula]]\nname = "{}"\ntext = "2*N"\nop = "dot"\n', "audit x.toml"),
    ],
)  # fmt: skip
def test_a_name_is_no_line_of_what_is_printed(
    name: str, text: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claims file cannot forge a line with a verdict, and no file can send control characters to a terminal."""
    Path(name).write_text(text.format(FORGED), encoding="utf-8")
    assert main(command.split()) in (0, 1)
    printed = capsys.readouterr().out
    assert "ok forged" in printed and not [line for line in printed.splitlines() if line.startswith("ok forged")]
    Path(name).write_text(text.format("a\\u001b[31mred"), encoding="utf-8")
    assert main(command.split()) == 2
    assert "contains a control character, U+001B; remove it" in capsys.readouterr().err


def test_a_label_of_a_table_of_times_is_one_line() -> None:
    from roofproof.times.tables import times_from_text

    assert times_from_text('gpu,m,ms\n"a\nb\x1b[0m",1,2\n', "t.csv").labels == {"gpu": ("a b\\x1b[0m",)}


def test_what_others_left_unfinished_stays_where_it_cannot_be_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    from roofproof.temporary_files import unfinished

    names = [".a.md.999999999-x", ".a.md.²-x", ".a.md.999999999", ".a.md.x-9"]
    for name in names:
        Path(name).touch()

    def not_ours(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", not_ours)
        unfinished(Path(), ".a.md.")
    assert all(Path(name).exists() for name in names)
    unfinished(Path(), ".a.md.")
    assert [name for name in names if Path(name).exists()] == names[1:]


def test_no_file_is_named_as_a_device_of_windows_or_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    ids = ["-rf", "NUL", "con.a", "C:\\\\x", "a/../../b", "A", "a"]
    Path("x.toml").write_text(
        "".join(f'[[claim]]\nid = "{each}"\nsays = "1 + 1 == 2"\n' for each in ids), encoding="utf-8"
    )
    assert main(["verify", "x.toml", "--coq", "coq", "--smtlib", "smt"]) == 0
    made = {
        "coq": {"rf", "NUL_2", "con_a", "C_x", "a_b", "A", "a_2"},
        "smt": {"rf", "NUL-2", "con-.a", "C-x", "a-..-..-b", "A", "a-2"},
    }
    for folder, names in made.items():
        found = {p.stem if p.suffix == ".v" else p.name for p in Path(folder).iterdir()}
        assert found - {"All", "Makefile", "library", "index.txt"} == names
    Path("bank.toml").write_text('[[exercise]]\nid = "Aux.1"\ntext = "?"\nop = "matmul"\nasks = "flops"\n')
    assert main(["exercises", "bank.toml", "--to", "latex", "-o", "out"]) == 2
    assert "the id 'Aux.1' becomes a file name, which Windows does not allow; use another" in capsys.readouterr().err
