"""Standard output that is closed or full (a one-line error and status 2) or has lost its reader (status 141)."""

import os
import subprocess
import sys

import pytest

COMMANDS = {
    "a table": ["show", "chips"],
    "help": ["--help"],
    "CSV": ["sweep", "matmul", "--chip", "tpu-v5e", "--over", "B=1:4", "--at", "D=2,F=2"],
    "in Chinese": ["grade", "--op", "matmul", "--asks", "flops", "--answer", "3", "--lang", "zh"],
}
pytestmark = pytest.mark.skipif(os.name == "nt", reason="standard output of POSIX")


def told(command: list[str], to: int | None, before=None) -> tuple[int, str]:
    whole = [sys.executable, "-m", "roofproof", *command]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(whole, stdout=to, stderr=subprocess.PIPE, preexec_fn=before, env=buffered, timeout=60)
    return done.returncode, done.stderr.decode()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_one_line_and_no_traceback(command: list[str]) -> None:
    chinese = "zh" in command
    says = "无法写入标准输出：" if chinese else "cannot write to standard output: "
    status, said = told(command, None, lambda: os.close(1))
    assert (status, said.count("\n")) == (2, 1), said
    assert said.startswith(f"roofproof: {says}")
    out, into = os.pipe()
    os.close(out)
    assert told(command, into) == (141, "")  # as in other programs
    os.close(into)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            why = "磁盘已满" if chinese else "No space left on device"
            assert told(command, full.fileno()) == (2, f"roofproof: {says}{why}\n")


def test_nobody_to_tell() -> None:
    """If standard error is closed, the error message is dropped, not printed on standard output."""
    command = [sys.executable, "-m", "roofproof", "chips", "nowhere"]
    done = subprocess.run(command, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2), timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
