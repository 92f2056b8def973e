"""Exercise files in TOML: keys and types are checked, and every error message gives file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from os.path import exists
from typing import Any

from roofproof.errors import DEVICES, RoofproofError, quoted, unknown
from roofproof.teach.exercise import OPTIONS, Bank, Exercise, Text
from roofproof.teach.marked_text import Value, find_markup
from roofproof.toml import at_line, checked, lines_of, read_bytes, read_toml

MOST = 4 * 1024**2  # bytes of an exercise file
MOST_VALUES = 10_000  # of one parameter
LANGUAGES = ("en", "zh")
_BANK = {"title": object, "source": str}
_EXERCISE: dict[str, type | int] = {
    **dict.fromkeys(("id", "source", *OPTIONS), str), "text": object, "hints": object, "at": dict, "vary": dict,
    "points": 1, "never": bool, "own": dict,
}  # fmt: skip
_TABLES = ("bank", "exercise")
_RANGE: dict[str, type | int] = {"from": 1, "to": 1, "step": 1, "times": 2}
_REMOVED = {  # keys of 0.3 and their replacements, reported for one version
    "stem": "repeat in each exercise what they have in common",
    "essay": "ask for the figures that its answer rests on",
    "figure": "add pictures to the files that are written",
    "shapes": "write the operation as an expression, such as op = 'x[B,D] * w[D,F] -> z[B,F]'",
    "traffic": "write the operation as an expression, such as op = 'x[B,D] * w[D,F] -> z[B,F]'",
}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def shipped() -> list[str]:
    """Return the names of the exercise files that come with the package.

    >>> "rooflines" in shipped()
    True
    """
    return sorted(path.name.removesuffix(".toml") for path in _home().iterdir() if path.name.endswith(".toml"))


def _home() -> Traversable:
    return files("roofproof.teach") / "banks"


def bank(path: str) -> Bank:
    """Return the exercises in a TOML file, or in the packaged exercise file of this name.

    >>> bank("rooflines").exercises[0].id
    'q1-bytes'

    Raises RoofproofError in one line, with file, line and cure, for an invalid file: an unknown key, a gap without a
    parameter, markup in a text.
    """
    if path in shipped():
        return bank_of((_home() / f"{path}.toml").read_bytes(), path)
    return bank_of(read_bank(path), path)


def read_bank(path: str) -> bytes:
    """Return the content of an exercise file.

    >>> read_bank("roofline")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown exercise file 'roofline'; did you mean 'rooflines'?
    """
    if _ID.fullmatch(path) and not exists(path):
        raise unknown("exercise file", path, shipped())
    return read_bytes(path, MOST, "exercise file ")


def bank_of(content: bytes | str, where: str) -> Bank:
    r"""Return the exercises in TOML text.

    >>> found = bank_of('[[exercise]]\nid = "q1"\ntext = "How many FLOPs?"\nop = "matmul"\nasks = "flops"', "a.toml")
    >>> found.exercises[0].asked({}).key.value                          # a product and an addition each
    2*B*D*F
    """
    table = read_toml(content, where, MOST, "split it")
    text = content.decode() if isinstance(content, bytes) else content
    lines = lines_of(text)
    for key in table:
        if key not in _TABLES:
            problem = _removed(f"[[{key}]]", key) or unknown("table", key, _TABLES)
            raise RoofproofError(
                "<where>, line <line>: <problem>",
                where=where,
                line=lines.get(key, lines.get(f".{key}", 1)),
                problem=problem,
            )
    spot: str = at_line(where, lines.get("bank", 1), ", [bank]")
    about = checked(table.get("bank", {}), _BANK, "key of [bank]", f"{spot}: ")
    title = _text(about.get("title", {"en": "Exercises", "zh": "练习"}), "title", spot)
    for said in title.values():
        if sign := find_markup(said):
            raise RoofproofError(
                "<spot>: title: <sign> is markup; write a title as plain text", spot=spot, sign=quoted(sign)
            )
    listed = table.get("exercise")
    if not isinstance(listed, list) or not listed:
        raise RoofproofError(
            "<where>: no [[exercise]]; each has an id, a text, an op, and what `roofproof grade` takes", where=where
        )
    found: dict[str, Exercise] = {}
    for each, spot in _placed(listed, "exercise", text, where):
        one = _exercise(each, spot)
        if one.id in found:
            raise RoofproofError(
                "<spot>: the id <id> is given twice; give each exercise its own", spot=spot, id=quoted(one.id)
            )
        found[one.id] = one
    return Bank(title, tuple(found.values()), about.get("source", ""))


def _removed(what: str, key: str) -> str:
    return f"{what} was removed; {_REMOVED[key]}" if key in _REMOVED else ""


def _placed(tables: object, name: str, text: str, where: str) -> Iterator[tuple[object, str]]:
    """Yield each table of a list with its place in the file."""
    listed = tables if isinstance(tables, list) else [tables]
    starts = [n for n, line in enumerate(text.split("\n"), 1) if re.match(rf"\s*\[\[\s*{name}\s*\]\]", line)]
    for place, each in enumerate(listed):
        yield each, at_line(where, starts[place]) if len(starts) == len(listed) else f"{where}, {name} {place + 1}"


def _refuse_id(id: str, spot: str) -> None:
    if not _ID.fullmatch(id):
        raise RoofproofError(
            "<spot>: the id <id> becomes a file name; use letters, digits, . _ and -", spot=spot, id=quoted(id)
        )
    if id.partition(".")[0].lower() in DEVICES:
        raise RoofproofError(
            "<spot>: the id <id> becomes a file name, which Windows does not allow; use another",
            spot=spot,
            id=quoted(id),
        )


def _exercise(table: object, spot: str) -> Exercise:
    for key in table if isinstance(table, dict) else ():
        if problem := _removed(key, key):
            raise RoofproofError("<spot>: <problem>", spot=spot, problem=problem)
    given = checked(table, _EXERCISE, "key of an exercise", f"{spot}: ")
    for due, such in (("id", '"matmul-1"'), ("text", '"How many FLOPs?"'), ("op", '"matmul"')):
        if not given.get(due):
            raise RoofproofError("<spot>: no <due>; write <due> = <such>", spot=spot, due=due, such=such)
    _refuse_id(given["id"], spot)
    vary = {name: _values(name, values, spot) for name, values in given.get("vary", {}).items()}
    at = given.get("at", {})
    for name, size in at.items():
        if isinstance(size, bool) or not isinstance(size, str | int):
            raise RoofproofError(
                "<spot>: at.<name> must be a whole number or a gap such as '{<name>}'", spot=spot, name=name
            )
    hints = _hints(given.get("hints", []), spot)
    options = {name: given[name] for name in OPTIONS if name in given}
    text = _text(given["text"], "text", spot)
    source, points, never = given.get("source", ""), given.get("points", 1), given.get("never", False)
    made = Exercise(
        given["id"], text, options, at, vary, hints, points, never, source, spot, given.get("own", {})
    )  # fmt: skip
    if "asks" not in options:  # `roofproof grade` has a default, but the author of an exercise must choose the key
        raise RoofproofError('<spot>: no asks, so there is no key; write asks = "flops"', spot=spot)
    return made


def _text(given: object, what: str, spot: str) -> Text:
    """Return a text by language, where a plain string is Chinese if it has Chinese characters, else English."""
    if isinstance(given, str):
        given = {"zh" if re.search(r"[\u4e00-\u9fff]", given) else "en": given}
    if not isinstance(given, dict):
        raise RoofproofError(
            "<spot>: <what> must be text in quotes; got <given>", spot=spot, what=what, given=quoted(given)
        )
    texts: Mapping[str, str] = checked(given, dict.fromkeys(LANGUAGES, str), "language", f"{spot}: {what}: ")
    if not texts or not all(text.strip() for text in texts.values()):
        raise RoofproofError(
            '<spot>: no <what>; write <what> = "..." or <what> = { en = "...", zh = "..." }', spot=spot, what=what
        )
    return texts


def _hints(given: object, spot: str) -> dict[str, tuple[str, ...]]:
    by_language = given if isinstance(given, dict) else {"en": given}
    found: dict[str, tuple[str, ...]] = {}
    for lang, listed in checked(by_language, dict.fromkeys(LANGUAGES, list), "language", f"{spot}: hints: ").items():
        if not all(isinstance(hint, str) for hint in listed):
            raise RoofproofError(
                '<spot>: hints: each must be text in quotes, as hints = ["Count the bytes."]', spot=spot
            )
        found[lang] = tuple(_text({lang: hint}, "hints", spot)[lang] for hint in listed)
    return {lang: hints for lang, hints in found.items() if hints}


def _values(name: str, given: object, spot: str) -> tuple[Value, ...]:
    """Return the values of a parameter: a list, or a range with a step or a factor."""
    if isinstance(given, dict):
        given = _range(name, checked(given, _RANGE, "key of a range", f"{spot}: vary.{name}: "), spot)
    whole = isinstance(given, list) and all(isinstance(v, str | int) and not isinstance(v, bool) for v in given)
    if not given or not isinstance(given, list) or not whole:
        raise RoofproofError(
            "<spot>: vary.<name> must list values, as [2048, 4096], or be { from = 1, to = 8 }", spot=spot, name=name
        )
    if len(given) > MOST_VALUES:
        raise RoofproofError(
            "<spot>: vary.<name> has <count> values; at most <most> are tried",
            spot=spot,
            name=name,
            count=len(given),
            most=MOST_VALUES,
        )
    return tuple(dict.fromkeys(given))


def _range(name: str, given: Mapping[str, Any], spot: str) -> list[int]:
    if "from" not in given or "to" not in given or ("step" in given and "times" in given):
        raise RoofproofError(
            "<spot>: vary.<name> needs from and to, and step or times: { from = 1, to = 8, times = 2 }",
            spot=spot,
            name=name,
        )
    found: list[int] = []
    value = given["from"]
    while value <= given["to"] and len(found) <= MOST_VALUES:
        found.append(value)
        value = value * given["times"] if "times" in given else value + given.get("step", 1)
    if not found:
        raise RoofproofError(
            "<spot>: vary.<name>: from = <given> is above to = <last>; swap them",
            spot=spot,
            name=name,
            given=given["from"],
            last=given["to"],
        )
    return found
