"""Invalid input: exit status 2, the exact one-line message on standard error, and nothing on standard output."""

import contextlib
import io
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import roofproof
from roofproof.cli import main
from roofproof.commands.usage import REMOVED
from roofproof.hardware import chip

ROOT = Path(__file__).resolve().parents[2]
MILLION = "x" * 1_000_000
CUT = "x" * 60 + "..."
FIGURES = "bf16=197 TFLOP/s, hbm="
PI = 'fp32-vector, dram; add it, as --chip "raspberry-pi-5, bf16=NUMBER FLOP/s"'


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one-line message with which the command rejects its arguments within 5 s of CPU time."""
    start = time.thread_time()
    assert main(arguments) == 2
    assert time.thread_time() - start < 5
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith("\n") and shown.err.count("\n") == 1
    program, _, message = shown.err.removesuffix("\n").partition(": ")
    assert program == "roofproof"
    return message


# operation: message
OPERATIONS = {
    "gatd-ffn": "unknown operation 'gatd-ffn'; did you mean 'gated-ffn'?",
    "mаtmul": "unknown operation 'mаtmul'; did you mean 'matmul'?",  # a Cyrillic а
    "bf16[B,D": "in 'bf16[B,D': column 5: '[' is never closed",
    "bf16[B,D]]": "in 'bf16[B,D]]': column 10: ']' closes nothing",
    "bf16[B,D], bf16[D,F] -> bf16[B,G]": (
        "in 'bf16[B,D], bf16[D,F] -> bf16[B,G]': column 32: output index G is in no input; the inputs have B, D, F"
    ),
    "bf16[В,D], bf16[D,F] -> bf16[В,F]": (  # a Cyrillic В
        "in 'bf16[В,D], bf16[D,F] -> bf16[В,F]': column 6: 'В' is CYRILLIC CAPITAL LETTER VE; "
        "names are ASCII letters, digits and underscores"
    ),
    "bf61[B,D], bf16[D,F] -> bf16[B,F]": (
        "in 'bf61[B,D], bf16[D,F] -> bf16[B,F]': column 1: unknown number format 'bf61'; did you mean 'bf16'?"
    ),
    "matmul:itn8": "unknown number format 'itn8'; did you mean 'int8' or 'uint8' or 'i8'?",
    MILLION: "the operation has 1000000 characters; the limit is 10000",
    "[" * 1_000_000: "the operation has 1000000 characters; the limit is 10000",
    "flops bf16 = B - D": "in 'flops bf16 = B - D': column 7: flops bf16 = B - D is not known to be positive",
}


@pytest.mark.parametrize("text", OPERATIONS, ids=lambda t: t[:20])
def test_operations(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "derive", text) == OPERATIONS[text]


@pytest.mark.parametrize("word", ["xyzzy", "", MILLION])
def test_a_name_like_no_other_is_answered_with_the_list(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = CUT if word == MILLION else word
    for command in ["derive", "show"] if word == "xyzzy" else ["show"] if word == MILLION else ["derive"]:
        said, _, listed = refused(capsys, command, word).partition("; list them with ")
        assert said == f"unknown {'name' if command == 'show' else 'operation'} '{shown}'"
        assert listed == ("`roofproof show`" if command == "show" else "`roofproof show operations`")


# (arguments after `derive matmul`, message)
MATMUL: list[tuple[list[str], str]] = [
    (["--chip", "tpu-v5"], "unknown chip 'tpu-v5'; did you mean 'tpu-v5e' or 'tpu-v5p'?"),
    (["--chip", "tpu‑v5e"], "unknown chip 'tpu‑v5e'; did you mean 'tpu-v5e' or 'tpu-v6e' or 'tpu-v5p'?"),
    (["--chip", "apple-m3-max-40c@x"], "chip 'apple-m3-max-40c' has no variant 'x'; it has none"),
    (["--for", "Z"], "unknown dimension 'Z'; known: B, D, F"),
    (["--for", "b"], "unknown dimension 'b'; did you mean 'B'?"),
    (["--for", "В"], "unknown dimension 'В'; known: B, D, F"),  # a Cyrillic В
    (["--for", ""], "unknown dimension ''; known: B, D, F"),
    (["--for", MILLION], f"unknown dimension '{CUT}'; known: B, D, F"),
    (["--for", "B", "--at", "Z=4"], "unknown dimension 'Z'; known: B, D, F"),
    (["--for", "B", "--at", "d=4"], "unknown dimension 'd'; did you mean 'D'?"),
    (["--at", "Z=4"], "unknown dimension 'Z'; known: B, D, F"),
    (["--for", "B", "--at", "B=4"], "B is what is solved for; leave it out of the sizes"),
    (["--for", "B", "--at", "D=4,D=4"], "size of D is given twice"),
    (["--for", "B", "--at", "D=4", "--at", "D=8"], "size of D is given twice"),
    *[
        (["--for", "B", "--at", f"F=8,{size}"], f"size '{size}': expected NAME=POSITIVE INTEGER, such as D=4096")
        for size in ["D=0", "D=-4", "D=4.5", "D=four", "D=nan", "D=", "D", "=4", "", "D=٤", "D＝4"]
    ],
    (["--for", "B", "--at", "F=8,D=4 F=4"], "sizes 'D=4 F=4': put commas between them, such as D=4096,F=4096"),
    (["--at", MILLION], f"size '{CUT}': expected NAME=POSITIVE INTEGER, such as D=4096"),
    (["--at", f"D=1{'0' * 40}"], f"size 'D=1{'0' * 40}' has 41 digits; the limit is 30"),
    (["--for", "B", "--regime", "sideways"],
     "regime 'sideways': expected symbols that grow, such as 'D, F >> B' or 'N -> oo'"),
    (["--for", "B", "--regime", "D -> 0"],
     "regime 'D -> 0': D is a size, at least 1; it cannot tend to 0"),
    (["--for", "B", "--regime", ""], "regime '': expected symbols that grow, such as 'D, F >> B' or 'N -> oo'"),
    (["--for", "B", "--regime", "Z >> B"], "unknown dimension 'Z'; known: B, D, F"),
    (["--for", "B", "--regime", "D >> Z"], "unknown dimension 'Z'; known: B, D, F"),
    (["--for", "B", "--regime", "D, D >> B"], "regime 'D, D >> B': D is named twice"),
    (["--for", "B", "--regime", MILLION], "the regime has 1000000 characters; the limit is 1000"),
    (["--regime", "D >> B"], "--regime requires --for"),
    (["--for", "B", "--for", "D"], "--for is given twice"),
    (["--chip", f"bf16={MILLION}"], f"chip 'bf16={'x' * 15}...' has 1000005 characters; expected at most 2000"),
    (["--chip", MILLION + ".toml"], f"cannot read chip file '{'x' * 200}...': File name too long"),
    (["--chip"], "--chip needs a value; see `roofproof derive --help`"),
    (["--frob"], "unknown argument '--frob'; see `roofproof derive --help`"),
    (["--js"], "unknown argument '--js'; see `roofproof derive --help`"),
    (["--steps", "--chip", "tpu-v5e,h100-sxm"], "--steps requires one operation on one chip"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("arguments", "message"), MATMUL, ids=lambda x: " ".join(x)[:30])
def test_matmul(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "derive", "matmul", *arguments) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("819 GB", "hbm: '819 GB' is a size (B); expected a bandwidth such as '819 GB/s', or the name "
         "capacity-hbm for the size"),
        ("819", "hbm: '819' has no unit; expected a rate such as '819 GB/s'"),
        ("0 GB/s", "hbm: '0 GB/s' is zero; expected a positive value"),
        ("-819 GB/s", "hbm: '-819 GB/s' is negative; expected a positive value"),
        ("1 GB/s, hbm=2 GB/s", "spec 'hbm' is given twice"),
        ("819 GB/s, fp16=nan FLOP/s",
         "fp16: 'nan FLOP/s' does not begin with a number; expected a value such as '197 TFLOP/s'"),
    ],
)  # fmt: skip
def test_figures_in_text(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "derive", "matmul", "--chip", FIGURES + text, "--for", "B")
    assert said == f"chip '{FIGURES}{text}': {message}"


# (content of x.toml, message after the file name)
FILES: list[tuple[bytes, str]] = [
    (b"", ' has no specs; expected some, such as hbm = "819 GB/s"'),
    (b" \n\n", ' has no specs; expected some, such as hbm = "819 GB/s"'),
    (bytes(range(256)), ", line 2: not UTF-8 text"),
    (b"#" * 1_000_000, ": larger than 64 KiB; expected one chip a file"),
    (b"hbm = 8.19e11", ": hbm: 819000000000.0 is a float, which rounds; write it in quotes with its unit, "
     "such as '819 GB/s'"),
    (b"bf16 = 197", ": bf16: '197' is not text; write it in quotes with its unit, such as '197 TFLOP/s'"),
    (b'bf16 = "1.97e14"',
     ": bf16: '1.97e14' has no unit; expected a compute rate such as '1.97e14 FLOP/s'"),
    (b'hbm = "-819 GB/s"', ": hbm: '-819 GB/s' is negative; expected a positive value"),
    (b'hbm = "1 GB/s"\nhbm = "2 GB/s"\n', ", line 2, column 15: a name is given twice; give each spec once, and "
     "values of other sources as variants"),
    (b'f32 = "1 TFLOP/s"\nfp32 = "2 TFLOP/s"', ": spec 'fp32' is given twice"),
    (b'hbm = "819 GB"', ": hbm: '819 GB' is a size (B); expected a bandwidth such as '819 GB/s', or the name "
     "capacity-hbm for the size"),
    (b'hbm = "819 GB/s', ", end of file: not TOML: unterminated string"),
    (b'hmb = "819 GB/s"', ": unknown resource 'hmb'; did you mean 'hbm'?"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), FILES, ids=lambda x: str(x[:16]))
def test_chip_files(
    content: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.toml").write_bytes(content)
    said = refused(capsys, "derive", "matmul", "--chip", "x.toml", "--for", "B")
    assert said == f"chip file 'x.toml'{message}"


def test_chip_files_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.toml").mkdir()
    for name, why in {"no.toml": "No such file or directory", "d.toml": "Is a directory"}.items():
        assert refused(capsys, "derive", "matmul", "--chip", name) == f"cannot read chip file '{name}': {why}"
    said = refused(capsys, "derive", "matmul", "--chip", "a\0.toml")
    assert said == r"cannot read chip file 'a\x00.toml': embedded null byte"


def test_chip_files_that_lack_the_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.toml").write_text('bf16 = "197 TFLOP/s"', encoding="utf-8")
    said = refused(capsys, "derive", "matmul", "--chip", "x.toml", "--for", "B")
    assert said == (
        "chip 'x' has no spec of a main memory (hbm or dram); it has bf16; add it, as --chip \"..., hbm=NUMBER B/s\""
    )


@pytest.mark.parametrize(
    ("what", "unknown", "message"),
    [
        ("flops bf16 = N", "N", "operation 'flops bf16 = N' has no bytes; a threshold compares one format's FLOPs with "
         "the bytes moved"),
        ("flops bf16 = B; flops int8 = B; bytes hbm = B", "B",
         "operation 'flops bf16 = B; flops int8 = B; bytes hbm = B' has FLOPs in bf16 and int8 on one compute "
         "unit, and their times add up; add --chip, such as --chip h100-sxm"),
    ],
)  # fmt: skip
def test_operations_without_a_threshold(
    what: str, unknown: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "derive", what, "--for", unknown)
    assert said == message


@pytest.mark.parametrize("what", REMOVED)
def test_what_was_removed_names_its_replacement(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, *what.split()) == f"`{what}` was removed; use {REMOVED[what]}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--allow-trace"], "unknown argument '--allow-trace'; see `roofproof --help`"),
        (["-x"], "unknown argument '-x'; see `roofproof --help`"),
        (
            ["derive", "matmul:bf16", "--chip", "raspberry-pi-5", "--for", "B"],
            f"chip 'raspberry-pi-5' has no spec 'bf16'; it has {PI}",
        ),
        (["derrive"], "unknown command 'derrive'; did you mean 'derive'?"),
        (["--" + MILLION], f"unknown argument '--{CUT[2:]}'; see `roofproof --help`"),
        (["derive"], "the following arguments are required: OP; see `roofproof derive --help`"),
        (["show", "a", "b"], "unknown argument 'b'; see `roofproof show --help`"),
        (["show", "gatd-ffn"], "unknown name 'gatd-ffn'; did you mean 'gated-ffn'?"),
        (["show", "gauddi3"], "unknown name 'gauddi3'; did you mean 'gaudi3' or 'gaudi2' or 'add'?"),
        (["show", "--for", "B"], "unknown argument '--for'; see `roofproof show --help`"),
    ],
    ids=lambda x: " ".join(x)[:30],
)
def test_commands(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, *arguments) == message


def test_a_command_like_no_other_is_answered_with_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, MILLION) == f"unknown command '{CUT}'; list them with `roofproof --help`"


def test_no_traceback_from_the_command_itself(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for arguments in [["-x"], ["derive", "bf16[B,D"], ["derive", "matmul", "--for", b"\xff"]]:
        command = [sys.executable, "-m", "roofproof", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"roofproof: ") and done.stderr.count(b"\n") == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_terminal_without_the_sign_is_no_reason_to_fail(encoding: str, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "roofproof", "derive", "matmul", "--chip", "v5e", "--for", "B"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    sign = "≈" if encoding == "utf-8" else "~"
    assert f"R = 1.97e14 / 8.19e11 {sign} 240.54" in done.stdout.decode(encoding)


def test_sizes_may_come_in_one_option_or_several(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for sizes in [["--at", "D=4096,F=1024"], ["--at", "F=1024", "--at", "D=4096"], ["--at", " D = 4096 , F=1024"]]:
        assert main(["derive", "matmul", "--chip", "v5e", "--for", "B", *sizes]) == 0
        shown.append(capsys.readouterr().out.splitlines()[0])
    assert shown[0] == shown[2] and shown[0].partition(" at ")[0] == shown[1].partition(" at ")[0]


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["--version"]), capsys.readouterr().out) == (0, f"roofproof {roofproof.__version__}\n")


PIECES = (
    "derive", "show", "chips", "matmul", "dot", "--chip", "--for", "--at", "--regime", "--json", "tpu-v5e", "B", "N",
    "D=4", "F=0", "D >> B", "bf16[B,D], bf16[D,F] -> bf16[B,F]", "bf16=1 TFLOP/s, hbm=1 TB/s", "--", "=", "@",
)  # fmt: skip
words = st.one_of(st.sampled_from(PIECES), st.text(max_size=12))


@given(st.lists(words, max_size=8))
def test_any_arguments_are_answered_in_one_line_or_with_a_result(arguments: list[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as stop:  # --help
            status = int(stop.code or 0)
    assert status in (0, 2)
    assert (status == 2) == (err.getvalue() != "") == (out.getvalue() == "")
    assert err.getvalue().count("\n") <= 1


def test_a_chip_of_the_user_works_as_one_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A valid chip file or chip text works like a built-in chip, in contrast to the errors above."""
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('bf16 = "197 TFLOP/s"\nhbm = "819 GB/s"\n', encoding="utf-8")
    for name in ["mine.toml", FIGURES + "819 GB/s"]:
        assert main(["derive", "matmul", "--chip", name, "--for", "B", "--at", "D=4096,F=4096"]) == 0
        assert "compute-bound for B >= 273 (B > 272.55)" in capsys.readouterr().out
    assert chip("tpu-v5e").rate("hbm").value == 819 * 10**9


@pytest.mark.parametrize("command, endings", [
    (["derive", "dot", "--for", "N", "--latex", "-o", "x.doc"], ".tex or .pdf"),
    (["derive", "--as", "table", "dot", "--chip", "tpu-v5e", "--for", "N", "--latex", "-o", "x.doc"], ".tex or .pdf"),
    (["verify", "no-book.toml", "--report", "x.doc"], ".md, .tex or .pdf"),
    (["calibrate", "--this-machine", "-o", "x.doc"], ".toml"),
])  # fmt: skip
def test_a_kind_of_file_that_is_not_written_is_refused_before_the_work(
    command: list[str], endings: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2
    assert capsys.readouterr().err == f"roofproof: cannot write 'x.doc': expected a name that ends in {endings}\n"


LONG = "B" * 5_000


@pytest.mark.parametrize("command", [
    ["slides", "dot", "--chip", "tpu-v5e", "-o", f"{LONG}.tex"],
    ["sweep", "dot", "--over", "N=1:3", "-o", f"{LONG}.csv"],
    ["verify", "examples/chapter.claims.toml", "--report", f"{LONG}.md"],
    ["site", LONG, "--op", "nonsense"],
    ["grade", "--answers", "a.csv", "--exercises", "e.toml", "-o", f"{LONG}/x.csv"],
])  # fmt: skip
def test_a_name_that_is_too_long_for_a_file_is_refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    err = capsys.readouterr().err
    assert err.startswith("roofproof: ") and err.count("\n") == 1


def test_an_operation_longer_than_a_file_name_is_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    width = "d" * 50
    text = f"x:bf16[B,{width}1], w:bf16[{width}1,{width}2], u:bf16[{width}2,{width}3] -> bf16[B,{width}3]"
    assert len(text) > 255 and main(["time", text, "--chip", "tpu-v5e", "--json"]) == 0
    assert "error" not in capsys.readouterr().out


@pytest.mark.parametrize("command", [
    ["calibrate", "--this-machine", "-o", "no/x.toml"],
    ["calibrate", "--this-machine", "-o", "folder.toml"],
    ["verify", "no-book.toml", "--report", "no/x.md"],
])  # fmt: skip
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("roofproof.times.measure.measure", None)
    Path("folder.toml").mkdir()
    assert main(command) == 2
    assert capsys.readouterr().err.startswith(f"roofproof: cannot write {command[-1]!r}: ")
    assert [path.name for path in Path().iterdir()] == ["folder.toml"]
