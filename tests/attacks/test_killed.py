"""A command killed or out of space at any write leaves only complete files, and the next run repairs the rest.

Each command runs in a forked child with a hook on its file operations in the output folder: open for writing, move,
delete, make a folder. At the n-th event the child is killed, or the event fails because the disk is full.
"""

import contextlib
import errno
import io
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.files import write_folder
from roofproof.proofs.replay.store import opened
from roofproof.times.measure import Machine, MeasuredRate

ROOT = Path(__file__).resolve().parents[2]
BOOK = str(ROOT / "examples" / "chapter.claims.toml")
EXERCISES = ROOT / "docs" / "exercises.md"
TIMES = str(ROOT / "examples" / "measured" / "gemm_fp16.tsv")
PAGE = ROOT / "examples" / "pages" / "rooflines.tex"
COURSE = """
course = { title = "One product // 一个乘积", subtitle = "An example // 例" }
chips = { v5e = "tpu-v5e" }
[[slide]]
title = "One product // 一个乘积"
show = "Text. // 文字。"
"""
MATMUL = ["derive", "matmul", "--chip", "tpu-v5e", "--for", "B"]
ASKED = '[[question]]\nid = "q"\nop = "dot"\nasks = "flops"\n'
EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "shutil.rmtree"}
COMMANDS = {
    "sweep": ["sweep", "dot", "--over", "N=1:50", "-o", "out/dot.npz"],
    "folder": ["derive", "dot", "--for", "N", "--smtlib", "out/proofs"],
    "document": [*MATMUL, "--latex", "-o", "out/a.tex"],
    "proofs": [*MATMUL, "--smtlib", "out/proofs"],
    "report": ["verify", BOOK, "--report", "out/report.md"],
    "coq": [*MATMUL, "--coq", "out/coq"],
    "certificates": [*MATMUL, "--certificate", "out/certificates"],
    "book": ["verify", BOOK, "--smtlib", "out/book"],
    "table": ["sweep", "dot", "--over", "N=1:50", "-o", "out/dot.csv"],
    "picture": ["plot", "dot", "--chip", "tpu-v5e", "--at", "N=100", "-o", "out/dot.tex"],
    "deck": ["slides", "matmul", "--chip", "tpu-v5e", "-o", "out/deck.tex"],
    "bank": ["exercises", "bank.toml", "--variants", "1", "--to", "latex", "-o", "out/bank"],
    "draft": ["draft", str(ROOT / "docs" / "slides.md"), "-o", "out/draft.toml"],
    "tables": ["derive", "--as", "table", "dot", "--chip", "tpu-v5e", "--for", "N", "--latex", "-o", "out/table.tex"],
    "moodle": ["exercises", "bank.toml", "--to", "stack", "-o", "out/bank"],
    "pages": ["exercises", "bank.toml", "--to", "myst", "-o", "out/bank"],
    "questions": ["exercises", "bank.toml", "--to", "prairielearn", "-o", "out/bank"],
    "handout": ["slides", "dot", "--chip", "tpu-v5e", "-o", "out/deck.qmd"],
    "grades": ["grade", "--answers", "answers.csv", "--exercises", "asked.toml", "-o", "out/grades.csv"],
    "judged": ["grade", "--op", "dot", "--chip", "tpu-v5e", "--for", "N", "--answer", "never", "--coq", "out/coq"],
    "books": ["verify", BOOK, "--coq", "out/coq"],
    "store": ["verify", BOOK, "--store", "out/store"],
    "rows": ["derive", "--as", "list", "dot", "--chip", "tpu-v5e", "--coq", "out/coq"],
    "fitted": ["calibrate", TIMES, "--chip", "h100-sxm", "--only", "gpu=h100", "-o", "out/fitted.toml"],
    "compared": ["time", "--measured", TIMES, "--chip", "h100-sxm", "--only", "gpu=h100", "--plot", "out/times.tex"],
    "bounds": ["traffic", "matmul", "--memory", "64KiB", "--coq", "out/coq"],
    "package": ["tools", "latex", "out"],
    "filter": ["tools", "quarto", "out"],
    "measured": ["calibrate", "--this-machine", "-o", "out/this.toml"],
    "values": ["verify", f"out/{PAGE.name}", "--values"],
    "own": ["slides", "--course", "course.toml", "-o", "out/deck.qmd"],
}
MACHINE = Machine("A processor", {"fp64": MeasuredRate("gemm", "FLOP/s", 1e11, 9e10, 5, True)})
EXERCISE = next(
    m for m in re.findall(r"```toml\n(.*?)```", EXERCISES.read_text(encoding="utf-8"), re.DOTALL) if "[[exercise" in m
)
CASES = [pytest.param(c, id=name, marks=pytest.mark.long) for name, c in COMMANDS.items()]


def child(command: list[str], home: Path, stop_at: int, how: str) -> tuple[int, str]:
    """Run a command in a forked child, and return its exit status (-9 if killed) and its standard error."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        with open(reading, encoding="utf-8") as said:
            told = said.read()
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), told
    try:  # only the child runs this
        os.chdir(home)
        errors = io.StringIO()
        seen = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            if event not in EVENTS or not any("out" in str(a).split("/") for a in arguments[:2]):
                return
            if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
                return
            seen += 1
            if seen == stop_at and how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if seen >= stop_at and event in ("open", "os.mkdir") and how == "full":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        from roofproof.cli import main  # already imported by `written`

        if how == "small":
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (stop_at, resource.RLIM_INFINITY))
        sys.addaudithook(hook)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
            code = main(command)
        os.write(writing, errors.getvalue().encode())
        os._exit(code)
    except BaseException:
        os.write(writing, traceback.format_exc().encode())
    finally:
        os._exit(70)


def held(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def visible(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: text for name, text in files.items() if not any(part.startswith(".") for part in name.split("/"))}


def results(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files except partial lists of grades, which the next run resumes."""
    return {name: text for name, text in files.items() if not name.endswith(".csv.part")}


def emptied(folder: Path, command: list[str]) -> None:
    """Empty a folder, except for the files that a command reads there."""
    shutil.rmtree(folder)
    folder.mkdir()
    opened.cache_clear()  # as in a new process
    if f"out/{PAGE.name}" in command:
        shutil.copy(PAGE, folder)


def untold(said: str) -> str:
    """Return standard error without the counts of a store."""
    return re.sub(r"(?m)^roofproof: store .*: \d+ proved again, \d+ judged\n", "", said)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "bank.toml").write_text(EXERCISE, encoding="utf-8")
    (tmp_path / "course.toml").write_text(COURSE, encoding="utf-8")
    (tmp_path / "asked.toml").write_text(ASKED, encoding="utf-8")
    (tmp_path / "answers.csv").write_text("question,answer\nq,2N\nq,N\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("roofproof.times.measure.measure", lambda *_: MACHINE)  # a real measurement takes a minute
    return tmp_path


def written(command: list[str], home: Path) -> dict[str, bytes]:
    """Return the files that an uninterrupted command writes. It runs here, so its children need no imports."""
    from roofproof.cli import main

    emptied(home / "out", command)
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(command) == 0
    whole = held(home / "out")
    assert whole and whole == visible(whole)
    return whole


@pytest.mark.parametrize("command", CASES)
def test_a_command_killed_while_it_writes(command: list[str], home: Path) -> None:
    whole = written(command, home)
    for stop_at in range(1, 400):
        emptied(home / "out", command)
        code, said = child(command, home, stop_at, "killed")
        if code == 0:
            assert stop_at > 2, "no event was seen"
            break
        assert code == -signal.SIGKILL, said
        left = results(visible(held(home / "out")))
        assert all(whole.get(name) == text for name, text in left.items() if not name.endswith("index.txt")), stop_at
        code, said = child(command, home, 0, "never")
        assert (code, untold(said)) == (0, "") or "already exists" in said  # drafts are never overwritten
        assert held(home / "out") == whole, stop_at
    else:
        pytest.fail("the command never came to an end")


@pytest.mark.parametrize("command", CASES)
def test_a_command_without_space(command: list[str], home: Path) -> None:
    whole = written(command, home)
    given = {name: text for name, text in whole.items() if name == PAGE.name}
    other = {name: text if name.endswith("index.txt") else text + b"\n" for name, text in whole.items()} | given
    for how, stops in (("full", range(1, 20)), ("small", (0, 20, 300))):
        for stop_at in stops:
            for before in ({}, other):  # an empty folder, and one with earlier output
                emptied(home / "out", command)
                for name, text in before.items():
                    (home / "out" / name).parent.mkdir(parents=True, exist_ok=True)
                    (home / "out" / name).write_bytes(text)
                code, said = child(command, home, stop_at, how)
                if code == 0 and "not kept: " in said:  # a store is not a result; its entries must be complete
                    found = held(home / "out").items()
                    assert all(text in (whole[name], before.get(name)) for name, text in found)
                    continue
                if code == 0:
                    assert held(home / "out") == whole
                    continue
                assert (code, said.count("\n")) == (2, 1) and said.startswith("roofproof: "), said
                assert results(held(home / "out")) == given | before
                if not before:
                    code, said = child(command, home, 0, "never")
                    assert (code, untold(said)) == (0, "")


def test_a_folder_without_space_for_another_folder_in_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a subfolder cannot be made, the earlier files and their index stay complete."""
    write_folder("out/bank", {"1.txt": ("1", "one"), "old/2.txt": ("2", "two")})
    before = held(home / "out")
    make = os.mkdir

    def full(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        if Path(path).parts[-2:] == ("bank", "new"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        make(path, mode)

    with monkeypatch.context() as patched:
        patched.setattr(os, "mkdir", full)
        with pytest.raises(RoofproofError, match="No space left"):
            write_folder("out/bank", {"1.txt": ("one", "1"), "new/2.txt": ("two", "2")})
    assert held(home / "out") == before
    write_folder("out/bank", {"1.txt": ("one", "1"), "new/2.txt": ("two", "2")})
    assert sorted(held(home / "out")) == ["bank/1.txt", "bank/index.txt", "bank/new/2.txt"]
    assert not (home / "out" / "bank" / "old").exists()


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("exchanged", [True, False])  # whether the system can exchange two folders atomically
def test_a_site_killed_while_it_is_written_anew(exchanged: bool, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from roofproof.export.site import site

    if not exchanged:
        monkeypatch.setattr(site, "_exchanged", lambda new, old: False)
    sites = {"old": {"index.html": b"old", "ops/dot.html": b"gone"}, "new": {"index.html": b"new", "zh/a.html": b"a"}}
    monkeypatch.setattr("roofproof.cli.main", lambda asked: site._written(Path("out/site"), "", sites[asked[0]]) * 0)
    whole = {}
    for which in ("new", "old"):
        assert child([which], home, 0, "never") == (0, "")
        whole[which] = held(home / "out")
    for stop_at in range(1, 60):
        assert child(["old"], home, 0, "never") == (0, "")
        code, said = child(["new"], home, stop_at, "killed")
        if code == 0:
            assert stop_at > 8, "no event was seen"
            break
        assert code == -signal.SIGKILL, said
        left = visible(held(home / "out"))
        assert left in [visible(w) for w in whole.values()] or (not exchanged and not left), stop_at
        assert child(["new"], home, 0, "never") == (0, "")
        assert held(home / "out") == whole["new"], stop_at
        assert [p.name for p in (home / "out").iterdir()] == ["site"], stop_at
    else:
        pytest.fail("the site never came to an end")


@pytest.mark.slow
def test_a_sweep_is_killed_and_left_without_space() -> None:
    """A killed or full `sweep` passes both tests. Runs in a new process, as a fork with threads of JAX may hang."""
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "long", "-k", "sweep", __file__]
    done = subprocess.run(tests, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


@pytest.mark.parametrize("threads", [0, 1])  # without threads the workers are forked, with threads they are spawned
def test_processes_end_with_the_one_that_started_them(threads: int, tmp_path: Path) -> None:
    """Workers end with their parent. They hold its standard output, which closes when the last one ends."""
    path = tmp_path / "several.py"
    path.write_text(SEVERAL.format(threads=threads), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    one = subprocess.Popen([sys.executable, str(path)], env=environment, stdout=subprocess.PIPE, text=True)
    assert one.stdout is not None
    began = [one.stdout.readline() for _ in range(2)]
    assert began == ["begins\n"] * 2
    one.kill()
    assert one.communicate(timeout=30)[0] == ""


SEVERAL = """
import os, threading, time
from roofproof.parallel import parallel_map

def work(_, k):
    os.write(1, b"begins\\n")
    time.sleep(300)

if __name__ == "__main__":
    for _ in range({threads}):
        threading.Thread(target=time.sleep, args=(300,), daemon=True).start()
    list(parallel_map(work, None, range(2), 2))
"""
