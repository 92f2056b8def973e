"""What test runs share: the paths collected, how many examples the laws are tried on, what they end with."""

import gc
import os
import sys
from collections import Counter
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import settings

from roofproof.cli import RARELY

# Links to the rooms: each file is collected once, under roofproof/. The Chinese pages have the claims of the others.
collect_ignore = ["derive", "hardware", "ops", "proofs", "docs/zh"]

# Examples that need a framework which is not installed.
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

# What is compiled is kept, for the next run and what tests start, where an environment forbids it, too: such
# a process takes a third of its time to compile the package, and a worker of pytest as much to compile the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The everyday run tries the same examples each time; the long campaign draws new ones, and many more.
settings.register_profile("short", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("long", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    """Leave the asserts of the package as they are: pytest rewrites those of whatever package offers it a plugin.

    Look for cycles of objects as rarely as the command does.
    """
    gc.set_threshold(*RARELY)
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("roofproof")


MANY = 12  # cases of one law in the usual run, where it says no other number


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option to run a part of the slow tests."""
    parser.addoption("--part", metavar="K/N", help="of the slow tests, run the K-th of N parts")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave one case in n of a law that is `sampled(n)`, or has many, to the usual run; the others are slow.

    That n is odd, so that of names in two languages or forms both stay. The claims of a book or a page are one law.
    """
    items.sort(key=lambda item: item.path.name != "test_static.py")  # a minute where mypy has no cache, not at the end
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
        slow = [item for item in items if item.get_closest_marker("slow")]
        others = {id(item) for place, item in enumerate(slow) if place % n != k - 1}
        items[:] = [item for item in items if id(item) not in others]


def pytest_collection_finish() -> None:
    """Keep what is imported and collected out of the garbage collector's rounds, a seventh of a run otherwise."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """End a run with what was not tested here, and why."""
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
