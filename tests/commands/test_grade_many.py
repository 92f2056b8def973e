"""`roofproof grade --answers`: its output files, its errors, and resuming an interrupted run."""

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof.cli import main
from roofproof.commands import bulk
from roofproof.export.spreadsheets import escape_csv, unescape_csv

BOOK = """[[question]]
id = "q1"
op = "matmul"
chip = "tpu-v5e"
for = "B"
at = "D=4096,F=4096"

[[question]]
id = "q2"
op = "matmul"
asks = "bytes"
"""
RUN = ("grade", "--answers", "answers.csv", "--exercises", "book.toml", "-o", "grades.csv")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.toml").write_text(BOOK)


def graded(capsys: pytest.CaptureFixture[str], text: str | bytes, *more: str) -> tuple[int, str]:
    """Grade answers, and return the exit status and the text on standard error."""
    Path("answers.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    status = main([*RUN, *more])
    return status, capsys.readouterr().err


def found(path: str = "grades.csv") -> list[list[str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_each_answer_has_a_line_and_what_stood_beside_it_stays(capsys: pytest.CaptureFixture[str]) -> None:
    text = 'student,question,answer\nAda,q1,B > 272.6\n李,q2,"2BD,\n+ 2DF"\n\n,,\nBob,q2,2BD + 2DF\n'
    assert graded(capsys, text) == (0, "")
    assert [row[:5] for row in found()] == [
        ["student", "question", "answer", "grade", "slip"],
        ["Ada", "q1", "B > 272.6", "right", ""],
        ["李", "q2", "2BD,\n+ 2DF", "unreadable", ""],
        ["Bob", "q2", "2BD + 2DF", "wrong", "dropped-tensor:z"],
    ]
    assert sorted(os.listdir()) == ["answers.csv", "book.toml", "grades.csv", "grades.md", "grades.svg"]
    assert "| q2 | 2 | 0 | 0 | 0 | 0 | 1 | 1 |" in Path("grades.md").read_text()


@pytest.mark.slow
def test_line_ends_marks_and_processes_change_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("q1", f"B > {n}") for n in range(200, 260)]
    text = "question,answer\n" + "".join(f"{q},{a}\n" for q, a in rows)
    assert graded(capsys, text) == (0, "")
    plain = found()
    for other in ("\ufeff" + text, text.replace("\n", "\r\n"), text.replace("\n", "\r")):
        assert graded(capsys, other) == (0, "")
        assert found() == plain
    assert graded(capsys, text, "--workers", "2") == (0, "")
    assert found() == plain


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "answers.csv: no column 'question'; it has none"),
        ("question,answer\n", "answers.csv: no answers; write one on each line below the heading"),
        ("question;answer\nq1;240\n", "answers.csv: no column 'question'; it has 'question;answer'"),
        ("question\nq1\n", "answers.csv: no column 'answer'; it has 'question'"),
        ("question,answer,answer\nq1,1,2\n", "answers.csv: the column 'answer' appears twice; rename one"),
        ("question,answer,grade\nq1,1,A\n",
         "answers.csv: the output already has a column 'grade'; rename yours"),
        ("question,answer\nq1,1,024\n",
         "answers.csv, line 2: expected 2 values, got 3; put an answer with commas in quotes"),
        ("question,answer\n\nq1\n",
         "answers.csv, line 3: expected 2 values, got 1; put an answer with commas in quotes"),
        ("question,answer\nq11,5\n", "answers.csv, line 2: unknown question 'q11'; did you mean 'q1'?"),
        ('question,answer\nq1,"240\n', "answers.csv, line 2: not CSV: unexpected end of data"),
        ("question,answer\nq1,大于 240\n".encode("gbk"), "answers.csv: not UTF-8 text; save it as CSV UTF-8"),
        ("question,answer\nq1,240\n".encode("utf-16"), "answers.csv: not UTF-8 text; save it as CSV UTF-8"),
        (b"question,answer\nq1," + b"9" * 200_000,
         "answers.csv, line 2: not CSV: field larger than field limit (131072)"),
    ],
)  # fmt: skip
def test_answers_that_cannot_be_used(text: str | bytes, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert graded(capsys, text) == (2, f"roofproof: {said}\n")
    assert sorted(os.listdir()) == ["answers.csv", "book.toml"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("-o", "grades.txt"), "-o 'grades.txt': expected a name that ends in .csv"),
        (("-o", "no/grades.csv"), "cannot write 'no/grades.csv': no folder 'no'"),
        (("-o", "folder.csv"), "cannot write 'folder.csv': it is not a regular file"),
        (("-o", "./answers.csv"), "-o './answers.csv' would overwrite an input; name another file"),
        (
            ("-o", "g.csv", "--workers", "257"),
            "workers '257': expected 1 to 256 processes, threads:N or tcp://HOST:PORT",
        ),
        (("-o", "g.csv", "--op", "dot"), "--op requires --answer, not --answers"),
        (("-o", "g.csv", "--answer", "5"), "use only one of --answer, --answers"),
    ],
)
def test_options_that_cannot_be_used(more: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("answers.csv").write_text("question,answer\nq1,240\n")
    Path("folder.csv").mkdir()
    assert main([*RUN[:-2], *more]) == 2
    assert capsys.readouterr().err == f"roofproof: {said}\n"
    assert sorted(os.listdir()) == ["answers.csv", "book.toml", "folder.csv"]
    assert Path("answers.csv").read_text() == "question,answer\nq1,240\n"


CELLS = st.text(alphabet="'=+-@＝1.5eB \t\n", max_size=6)


@given(CELLS)
def test_no_cell_is_a_formula_and_every_cell_comes_back(cell: str) -> None:
    shown = escape_csv(cell)
    assert unescape_csv(shown) == cell
    assert shown == cell or shown == "'" + cell
    if shown[:1] in tuple("=+-@＝\t\n"):
        float(shown)  # only a number may begin with such a character


def test_a_formula_is_graded_as_it_came_and_goes_back_guarded(capsys: pytest.CaptureFixture[str]) -> None:
    formula = '=HYPERLINK(""http://x"")'
    text = f'question,answer\nq1,= 272.6\nq1,-5\nq1,"{formula}"\n'
    assert graded(capsys, text) == (0, "")
    assert [row[1] for row in found()] == ["answer", "'= 272.6", "-5", '\'=HYPERLINK("http://x")']
    first = found()
    again = [[row[0], row[1]] for row in first]
    with open("again.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(again)
    assert graded(capsys, Path("again.csv").read_bytes()) == (0, "")
    assert found() == first


ROWS = "question,answer\n" + "".join(f'q1,"B > {n}\n"\n' for n in range(200, 212))


def stopped(capsys: pytest.CaptureFixture[str]) -> bytes:
    """Return the partial file of an interrupted run, and leave the grades of a complete run in whole.csv."""
    assert graded(capsys, ROWS) == (0, "")
    whole = bulk.graded_rows

    def breaking(*given: object) -> object:
        for place, grade in enumerate(whole(*given)):  # type: ignore[arg-type]
            if place == 7:
                raise KeyboardInterrupt
            yield grade

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "graded_rows", breaking)
        os.rename("grades.csv", "whole.csv")
        assert main([*RUN]) == 130
    assert capsys.readouterr().err == "roofproof: interrupted\n"
    assert not Path("grades.csv").exists()
    return Path("grades.csv.part").read_bytes()


@pytest.mark.slow
def test_what_was_stopped_goes_on_wherever_it_broke_off(capsys: pytest.CaptureFixture[str]) -> None:
    part = stopped(capsys)
    lines = part.splitlines(keepends=True)
    assert len(lines) == 8
    torn = [part, b"", part[:20], lines[0], lines[0] + lines[1][:30], part[:-1], part + b'[8, {"que',
            part + b"\0" * 9, lines[0] + lines[2], lines[0] + b"5\n", lines[0] + b"[1, {}]\n",
            part + "[8, {\"约".encode()[:-1]]  # fmt: skip
    for content in torn:
        Path("grades.csv.part").write_bytes(content)
        assert graded(capsys, ROWS) == (0, ""), content
        assert Path("grades.csv").read_bytes() == Path("whole.csv").read_bytes(), content
        assert not Path("grades.csv.part").exists()


def test_a_line_that_broke_off_is_cut_away_before_more_is_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    part = stopped(capsys)
    Path("grades.csv.part").write_bytes(part + b'[8, {"que')
    monkeypatch.setattr(bulk, "graded_rows", lambda *given: (one for one in ()))
    with pytest.raises(ValueError):  # there are no grades at all
        main([*RUN])
    assert Path("grades.csv.part").read_bytes() == part


def test_grades_are_not_made_anew_and_not_of_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    part = stopped(capsys)
    made = []
    one = bulk._graded
    monkeypatch.setattr(bulk, "_graded", lambda *given: made.append(given) or one(*given))
    refused = (2, "roofproof: 'grades.csv.part' holds grades of other answers or questions; remove it to start again\n")
    assert graded(capsys, ROWS.replace("200", "201")) == refused
    Path("book.toml").write_text(BOOK.replace("v5e", "v5p"))
    assert graded(capsys, ROWS) == refused
    Path("book.toml").write_text(BOOK)
    assert Path("grades.csv.part").read_bytes() == part
    assert made == []
    assert graded(capsys, ROWS) == (0, "")
    assert len(made) == 12 - 7


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.long
def test_a_run_that_is_killed_leaves_whole_lines_and_no_processes(
    sign: signal.Signals, jobs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "question,answer\n" + "".join(f"q1,B > {n}\n" for n in range(1, 2001))
    Path("answers.csv").write_text(text)
    started = subprocess.Popen([sys.executable, "-m", "roofproof", *RUN, "--workers", jobs], stderr=subprocess.PIPE,
                               start_new_session=True)  # fmt: skip
    part = Path("grades.csv.part")
    end = time.monotonic() + 120
    while time.monotonic() < end and (not part.exists() or part.read_bytes().count(b"\n") < 30):
        time.sleep(0.05)
    started.send_signal(sign)
    said = started.communicate(timeout=60)[1].decode()
    assert not Path("grades.csv").exists()
    if sign == signal.SIGINT:
        assert (started.returncode, said) == (130, "roofproof: interrupted\n")
    lines = part.read_bytes().split(b"\n")[:-1]
    assert [json.loads(line)[0] for line in lines[1:]] == [*range(1, len(lines))]
    until = time.monotonic() + 10
    while time.monotonic() < until and group_lives(started.pid):
        time.sleep(0.2)
    assert not group_lives(started.pid)


def group_lives(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_full_disk_is_one_line_and_the_grades_stay(capsys: pytest.CaptureFixture[str]) -> None:
    Path("answers.csv").write_text(ROWS)
    limits = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))"
    ignored = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
    code = f"{limits}; {ignored}; import sys; from roofproof.cli import main; sys.exit(main())"
    # Without -B, Python would leave bytecode truncated at 900 bytes, and could no longer import these files.
    done = subprocess.run([sys.executable, "-B", "-c", code, *RUN], capture_output=True, text=True, env=os.environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "roofproof: cannot write 'grades.csv.part': File too large\n"
    assert sorted(os.listdir()) == ["answers.csv", "book.toml", "grades.csv.part"]
    assert graded(capsys, ROWS) == (0, "")
    assert len(found()) == 13
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 900
