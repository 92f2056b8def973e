"""Messages and sentences of the catalogue are short and plain, and the commands in messages run."""

import ast
import re
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from test_prose import BANNED

from roofproof.commands.parser import read_arguments
from roofproof.errors import RoofproofError
from roofproof.say import NAMED

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 25  # words
PRIVATE = re.compile(
    r"\b(told|said|held|engines?|figures?|slips?|banks?|manifests?|books?|channels?|ceilings|chapters?|proof kernel)\b",
    re.IGNORECASE,
)
EXCEPT = {"figure"}  # a trust level of a spec
COMMAND = re.compile(r"`roofproof ([^`<]+)`")
NAMES = {"RoofproofError", "Undecided", "TooManyCases", "MissingFigure", "WrongType", "Sentence"}


def text(node: ast.expr) -> str | None:
    """Return the text of a string in code, with a gap for each value in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "<gap>" for each in node.values)
    return None


def messages_of(code: str) -> set[str]:
    """Return the messages of a module: strings passed to an error or a Sentence."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in NAMES and node.args:
            first = node.args[1 if node.func.id == "WrongType" and len(node.args) > 1 else 0]
            for each in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                if message := text(each):
                    found.add(message)
    return found


@cache
def messages() -> frozenset[str]:
    files = sorted((ROOT / "roofproof").rglob("*.py"))
    return frozenset().union(*(messages_of(each.read_text(encoding="utf-8")) for each in files))


def faults(message: str) -> list[str]:
    """Return the rules that a message breaks."""
    words = re.sub(r"<[a-z_]+>|'[^']*'|`[^`]*`", "gap", message)
    broken = []
    if len(words.split()) > LONGEST:
        broken.append("long")
    if words.count(";") > 1:
        broken.append("semicolons")
    if BANNED.search(words) or PRIVATE.search(words):
        broken.append("words")
    if re.match(r"[A-Z][a-z]+ ", words):
        broken.append("capital")
    for command in COMMAND.findall(message):
        try:
            with redirect_stdout(StringIO()):  # `--help` prints before it exits with 0
                if command != "--help":
                    read_arguments(command.split())
        except RoofproofError:
            broken.append("cure")
        except SystemExit as end:
            broken += ["cure"] if end.code else []
    return broken


def test_every_message_keeps_the_rules() -> None:
    assert len(messages()) > 500
    assert sorted(" ".join(each.split()) for each in messages() if faults(each)) == []


def sentences(table: dict[str, Any]) -> Iterator[str]:
    """Yield the English sentences of the catalogue, without named parts and without hidden text after `||`."""
    for part, every in table.items():
        yield from (form.partition("||")[0] for form in every if part not in NAMED)


def test_sentences_have_no_private_words() -> None:
    table = tomllib.loads((ROOT / "roofproof" / "zh.toml").read_text(encoding="utf-8"))
    plain = {form: re.sub(r"<[a-z_]+>|'[^']*'|`[^`]*`|--\w+|\w+\[us\]", "gap", form) for form in sentences(table)}
    assert len(plain) > 1500
    assert [form for form, words in plain.items() if PRIVATE.search(words) and form not in EXCEPT] == []


@pytest.mark.parametrize(
    ("message", "broken"),
    [
        ("unknown unit <unit>; did you mean kB?", []),
        ("word " * 26, ["long"]),
        ("one; two; three", ["semicolons"]),
        ("the engine failed", ["words"]),
        ("Unknown unit <unit>", ["capital"]),
        ("no such chip; run `roofproof nosuchcommand`", ["cure"]),
    ],
)
def test_a_fault_is_seen(message: str, broken: list[str]) -> None:
    assert faults(message) == broken


def test_messages_are_found_in_code() -> None:
    code = 'raise RoofproofError(f"a {b}")\nSentence("c" if d else "e")\nWrongType("op", "an op", 3, "x")'
    assert messages_of(code) == {"a <gap>", "c", "e", "an op"}
