"""Shared pytest setup: the collected paths, the number of Hypothesis examples, and the closing summary."""

import gc
import os
import sys
from collections import Counter
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import settings

from roofproof.cli import RARELY

# Links to subpackages: each file is collected once, under roofproof/. The Chinese pages repeat the English claims.
collect_ignore = ["derive", "hardware", "ops", "proofs", "docs/zh"]

# Modules with examples that need a framework.
FRONT_ENDS = {
    "jax": ("trace/jaxpr/*", "trace/floor", "trace/layers", "trace/sandbox"),
    "torch": ("trace/aten/*", "trace/floor", "trace/sandbox"),
}
collect_ignore_glob = [
    pattern
    for framework, parts in FRONT_ENDS.items()
    for pattern in (*(f"roofproof/{part}.py" for part in parts), f"tests/trace/test_{framework}_*.py")
    if not find_spec(framework)
]

# Keep compiled files for the next run and for processes that tests start, even if the environment forbids it.
# Such a process spends a third of its time compiling the package, and a pytest worker as much compiling the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The usual run tries the same examples each time. The long campaign draws new ones, and many more.
settings.register_profile("short", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("long", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    """Leave the asserts of roofproof as they are, and collect garbage as rarely as the command does.

    By default pytest rewrites the asserts of every package that offers it a plugin.
    """
    gc.set_threshold(*RARELY)
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("roofproof")


MANY = 12  # cases of one law in the usual run, unless `sampled(n)` sets the step


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option --part, which runs a part of the slow tests."""
    parser.addoption("--part", metavar="K/N", help="of the slow and long tests, run the K-th of N parts")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one case in n of a law that is `sampled(n)` or has many cases, and mark the others as slow.

    The default n is odd, so that names in two languages or forms both stay. The claims of one file are one law.
    """
    items.sort(key=lambda item: item.path.name != "test_static.py")  # a minute if mypy has no cache, so not at the end
    laws: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not any(map(item.get_closest_marker, ("long", "slow"))):
            laws.setdefault(item.nodeid.partition("[" if item.path.suffix == ".py" else "::")[0], []).append(item)
    for cases in laws.values():
        mark = cases[0].get_closest_marker("sampled")
        step = mark.args[0] if mark else -(-len(cases) // MANY) | 1
        for k, item in enumerate(cases):
            if k % step:
                item.add_marker("slow")
    if part := config.getoption("--part"):
        k, n = map(int, part.split("/"))
        slow = [item for item in items if any(map(item.get_closest_marker, ("long", "slow")))]
        others = [item for place, item in enumerate(slow) if place % n != k - 1]
        left_out = {*map(id, others)}
        items[:] = [item for item in items if id(item) not in left_out]
        config.hook.pytest_deselected(items=others)


def pytest_collection_finish() -> None:
    """Keep imported modules and collected tests out of garbage collection, which otherwise takes a seventh of a run."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """End a run with the number of tests that did not run, and the reasons."""
    skipped = Counter(str(r.longrepr[2]).removeprefix("Skipped: ") for r in terminalreporter.stats.get("skipped", []))
    rows = [(n, reason.partition("\n")[0]) for reason, n in skipped.most_common()]
    if ignored := [f for f in FRONT_ENDS if not find_spec(f)]:
        rows.append(("all", f"of roofproof/trace: not installed; cure: pip install 'roofproof[{','.join(ignored)}]'"))
    if left := len(terminalreporter.stats.get("deselected", [])):
        rows.append(
            (left, "left out by the selection of this run (-m or -k), such as the long campaign; see CONTRIBUTING.md")
        )
    terminalreporter.section("not tested here", sep="-")
    terminalreporter.write_line("tests  why" if rows else "nothing")
    for count, reason in rows:
        terminalreporter.write_line(f"{count:>5}  {reason}")
