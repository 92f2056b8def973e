"""The process in which questions are answered: it reads no file, and the limit of time ends it.

A limit that raises in the middle of work would leave what was being worked out half done, and work in another language
does not hear of it. So a question that takes too long ends the whole process, and the next one has a new one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from roofproof.apart import ChildProcess
from roofproof.errors import RoofproofError

ANSWERS = "roofproof.agents.asked:answer"
MEMORY = 8 * 2**30  # bytes of addresses, of which the solvers take many and use few
START = 60  # seconds for reading in the package


class AnsweringProcess:
    """A process that answers questions, each within some seconds; to be used from one thread, as it ends with that.

    >>> asked = AnsweringProcess(30)
    >>> asked.answer("threshold", {"op": "matmul", "chip": "tpu-v5e", "unknown": "B", "at": "D=4096,F=4096"})["data"][
    ...     "integer_at_point"]                                               # B > 272.55
    273
    >>> asked.close()

    With `confined` it reads no file but what Python imports, and has no network. Raises RoofproofError for a question
    that cannot be used, and OutOfTime for one that takes longer.
    """

    def __init__(self, seconds: int, confined: bool = True) -> None:
        self._seconds, self._confined = seconds, confined
        self._apart: ChildProcess | None = None

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call of a tool: `text` and `data`."""
        apart = self.start()
        try:
            apart.again(self._seconds)
            return apart.ask(tool=tool, arguments=dict(arguments))
        finally:
            if apart.ended:
                self.close()

    def start(self) -> ChildProcess:
        """Return the process, begun anew where there is none."""
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
    """Answer in that process."""
    from roofproof.agents.tools import TOOLS, judge, threshold

    if "start" in question:
        # These read in what most questions need.
        threshold("matmul", "tpu-v5e", "B", "D=4096,F=4096")
        judge("compute_bound(op, chip) <=> B > 120", op="matmul", chip="tpu-v5e", regime="D, F >> B")
        if question["start"]:
            from roofproof.confined import confine

            confine(own=os.environ["TMPDIR"])
        return {}
    found = TOOLS[question["tool"]](**question["arguments"])
    return asdict(found)
