"""Runner for the tests of a tree, in a fork of a process that imported the shared libraries but not the package."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import _pytest.doctest
import hypothesis.strategies
import numpy
import pytest
import sympy
import xdist.plugin
import z3

IMPORTED = (_pytest.doctest, hypothesis.strategies, numpy, sympy, xdist.plugin, z3)  # once, before the forks
PATIENCE = 300  # seconds for one test or for collection; a test that takes longer fails
FORKING = threading.Lock()  # so that no fork holds the pipe of another run


class Told(NamedTuple):
    """Passed tests, and failed tests with their messages. A file that cannot be collected counts as a failed test."""

    passed: dict[str, None]
    failed: dict[str, str]


class _Teller:
    """A pytest plugin that keeps only the wanted tests, and reports each outcome through a pipe."""

    def __init__(self, to: Connection, wanted: frozenset[str]) -> None:
        self.to, self.wanted = to, wanted

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.wanted:
            items[:] = [item for item in items if item.nodeid in self.wanted]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.to.send((report.nodeid, "failed", str(report.longrepr)))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.to.send((nodeid, "begun", ""))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or (report.passed and report.when == "call"):
            self.to.send((report.nodeid, report.outcome, str(report.longrepr or "")))


def _child(tree: Path, to: Connection, arguments: list[str], wanted: frozenset[str]) -> None:
    """Run pytest in this process, as if started in the tree."""
    os.setsid()
    os.chdir(tree)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.environ["PYTHONPATH"] = str(tree)
    sys.path[:] = [str(tree), *(p for p in sys.path if not (Path(p) / "roofproof").exists())]
    try:
        usual = ["-q", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
        pytest.main([*usual, *arguments], plugins=[_Teller(to, wanted)])
    except BaseException:
        to.send(("pytest", "failed", traceback.format_exc()))
    engine = getattr(sys.modules.get("roofproof"), "__file__", None) or str(tree)
    to.send(("", "ended" if Path(engine).is_relative_to(tree) else f"another engine was tested: {engine}", ""))


def run_tests(
    tree: Path, arguments: list[str], wanted: frozenset[str] = frozenset(), until_failure: bool = False
) -> Told:
    """Run the tests of a tree that match the pytest arguments, or only the wanted ones, in a fork."""
    assert "roofproof" not in sys.modules, "a fork would test the engine of this process"
    with FORKING:
        reading, writing = Pipe(duplex=False)
        pid = os.fork()
        if not pid:
            try:
                _child(tree, writing, arguments, wanted)
            finally:
                os._exit(0)
        writing.close()
    told, at, become = Told({}, {}), "pytest", "begun"
    try:
        while reading.poll(PATIENCE):
            test, become, said = reading.recv()
            at = test or at
            if become == "passed":
                told.passed[test] = None
            elif become == "failed":
                told.passed.pop(test, None)  # the call passed but the teardown failed
                told.failed.setdefault(test, said)
                if until_failure and "::" in test:  # a test, not a file that cannot be collected
                    break
            elif become != "begun":
                break
        else:
            told.failed[at] = "no end"
    except EOFError:
        told.failed[at] = "the process died"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        reading.close()
    assert become in ("begun", "passed", "failed", "ended"), become
    return told
