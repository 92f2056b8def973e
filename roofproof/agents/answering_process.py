"""The child process that answers questions, without access to files and with a time limit.

An exception at the time limit could leave a computation half done, and compiled code would not notice it. So a
question that takes too long ends the whole process, and the next question starts a new one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from roofproof.apart import ChildProcess
from roofproof.errors import RoofproofError

ANSWERS = "roofproof.agents.answering_process:answer"
MEMORY = 8 * 2**30  # bytes of address space. Solvers reserve much and use little
START = 60  # seconds for importing the package


class AnsweringProcess:
    """A process that answers questions with a time limit for each. Use it from one thread, as it ends with the thread.

    >>> asked = AnsweringProcess(30)
    >>> asked.answer("threshold", {"op": "matmul", "chip": "tpu-v5e", "unknown": "B", "at": "D=4096,F=4096"})["data"][
    ...     "integer_at_point"]                                               # B > 272.55
    273
    >>> asked.close()

    With `confined`, it can only read files that Python imports, and has no network. Raises RoofproofError for an
    invalid question, and OutOfTime for one that takes longer than `seconds`.
    """

    def __init__(self, seconds: int, confined: bool = True) -> None:
        self._seconds, self._confined = seconds, confined
        self._apart: ChildProcess | None = None

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a call of a tool, with the keys `text` and `data`."""
        apart = self.start()
        try:
            apart.restart_timer(self._seconds)
            return apart.ask(tool=tool, arguments=dict(arguments))
        finally:
            if apart.ended:
                self.close()

    def start(self) -> ChildProcess:
        """Return the process, and start it if it is not running."""
        if self._apart is None:
            self._apart = ChildProcess(ANSWERS, "the question", START, MEMORY)
            try:
                self._apart.ask(start=self._confined)
            except RoofproofError:
                self.close()
                raise
        return self._apart

    def close(self) -> None:
        """End the process."""
        if self._apart is not None:
            self._apart.__exit__()
            self._apart = None


def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answer to a question, in the child process."""
    from roofproof.agents.tools import TOOLS, judge, threshold

    if "start" in question:
        # These import the modules that most questions need.
        threshold("matmul", "tpu-v5e", "B", "D=4096,F=4096")
        judge("compute_bound(op, chip) <=> B > 120", op="matmul", chip="tpu-v5e", regime="D, F >> B")
        if question["start"]:
            from roofproof.confined import confine

            confine(own=os.environ["TMPDIR"])
        return {}
    found = TOOLS[question["tool"]](**question["arguments"])
    return asdict(found)
