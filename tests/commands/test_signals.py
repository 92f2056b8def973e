"""A command ended by a signal leaves no file behind, hidden or half-written."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SWEEP = ["sweep", "matmul", "--chip", "tpu-v5e", "--over", "B=1:4000", "--over", "D=1:4000", "--at", "F=4096"]


@pytest.mark.sampled(3)
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_a_sweep_that_is_ended_leaves_nothing(tmp_path: Path, sent: int, status: int, ending: str) -> None:
    command = [sys.executable, "-m", "roofproof", *SWEEP, "--workers", "1", "-o", str(tmp_path / f"out.{ending}")]
    # A shell makes a background job (`&`) and its children ignore Ctrl-C. The sweep must not, even if the tests do.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        until = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and running.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        assert list(tmp_path.iterdir()), "the sweep never began to write"
        running.send_signal(sent)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == status, said
    assert not list(tmp_path.iterdir()), said
    assert "Traceback" not in said
