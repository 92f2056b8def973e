"""Examples of the API reference, run where they are read: those of a name that a room offers, and no other text."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.sentences import Sentence

LONGEST = 20_000  # characters of what comes out


def example(asked: Mapping[str, str]) -> dict[str, Any]:
    """Run the examples of a public name; return how many lines there are, how many differ, and how.

    >>> example({"name": "roofproof.ops.then"})
    {'lines': 5, 'differ': 0, 'text': ''}

    Raises RoofproofError for a name that no room offers.
    """
    from doctest import DocTestFinder, DocTestRunner  # with a debugger, which no other question needs

    from roofproof.export.site.api_pages import ROOMS

    room, _, name = asked.get("name", "").rpartition(".")
    rooms = ["roofproof", *(f"roofproof.{each}" for each in ROOMS)]
    refuse_unknown("room", room, rooms)
    module = import_module(room)
    refuse_unknown(Sentence("name of <room>", room=room), name, module.__all__)
    thing = getattr(module, name)
    found = [test for test in DocTestFinder(recurse=False).find(thing, name) if test.examples]
    if not found:
        raise RoofproofError("<name> has no example", name=f"{room}.{name}")
    said: list[str] = []
    runner = DocTestRunner(verbose=False)
    for test in found:
        runner.run(test, out=said.append)
    return {"lines": runner.tries, "differ": runner.failures, "text": "".join(said)[:LONGEST]}
