"""Helpers that run other programs within a time limit, and measure processor time."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class NoAnswer(Exception):
    """The program gave no answer, or no explicit one, for the reason in the text."""


@contextmanager
def limit_of(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise NoAnswer(f"no answer in {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)  # a timer of processor time would disturb the clock that `cpu_seconds` reads
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def process(command: list[str], script: str, seconds: int, environment: dict[str, str]) -> str:
    try:
        done = subprocess.run(
            command, input=script, capture_output=True, text=True, timeout=seconds, check=False,
            env={**os.environ, **environment},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"no answer in {seconds} s") from None
    return done.stdout + done.stderr


def cpu_seconds() -> float:
    """Return the processor time of this process and its finished child processes, in seconds."""
    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + below.ru_utime + below.ru_stime
