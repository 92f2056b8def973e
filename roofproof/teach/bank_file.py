"""A bank of exercises, read from TOML: its keys and their kinds checked, every message with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from os.path import exists
from pathlib import Path
from typing import Any

from roofproof.errors import DEVICES, RoofproofError, quoted, unknown
from roofproof.teach.exercise import OPTIONS, Bank, Drawing, Essay, Exercise, Stem, Text
from roofproof.teach.written import Value, gaps, refuse_gaps, refused, written
from roofproof.toml import checked, lines_of, read_bytes, read_toml

MOST = 4 * 1024**2  # bytes of a bank
MOST_VALUES = 10_000  # of one parameter
LANGUAGES = ("en", "zh")
_BANK = {"title": object, "source": str}
_EXERCISE: dict[str, type | int] = {
    **dict.fromkeys(("id", "source", *OPTIONS), str), "text": object, "hints": object, "at": dict, "vary": dict,
    "points": 1, "never": bool, "own": dict, "shapes": str, "traffic": str, "stem": str, "figure": dict,
}  # fmt: skip
_STEM: dict[str, type | int] = {
    name: kind for name, kind in _EXERCISE.items() if name not in ("hints", "points", "never")
}
_ESSAY: dict[str, type | int] = {"id": str, "text": object, "answer": object, "points": 1}
_TABLES = ("bank", "stem", "exercise", "essay")
_FIGURE: dict[str, type | int] = {"file": str, "kind": str, "alt": object}
MOST_OF_A_FIGURE = 1024**2  # bytes
_RUNS = re.compile(rb"<script|<foreignObject|<!ENTITY|[\s\"'/]on\w+\s*=|javascript:", re.I)
_RANGE: dict[str, type | int] = {"from": 1, "to": 1, "step": 1, "times": 2}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_Given = tuple[Stem, dict[str, Any], str]  # a stem, what it gives to its parts, and where it stands
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def shipped() -> list[str]:
    """Return the names of the banks that come with the package.

    >>> "rooflines" in shipped()
    True
    """
    return sorted(path.name.removesuffix(".toml") for path in _home().iterdir() if path.name.endswith(".toml"))


def _home() -> Traversable:
    return files("roofproof.teach") / "banks"


def bank(path: str, code: Sequence[str] = ()) -> Bank:
    """Return the exercises of a TOML file, or of the bank that comes under this name.

    >>> bank("rooflines").exercises[0].id
    'q1-bytes'

    A bank is handed on, so it runs no code: its functions are those of the files `code`, which are run.
    Raises RoofproofError in one line, with file, line and cure, for what is no bank: an unknown key, a gap without its
    parameter, markup in a text.
    """
    if path in shipped():
        return bank_of((_home() / f"{path}.toml").read_bytes(), path)
    return bank_of(read_bank(path), path, code)


def read_bank(path: str) -> bytes:
    """Return the content of a bank's file.

    >>> read_bank("roofline")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown bank of exercises 'roofline'; did you mean 'rooflines'?
    """
    if _ID.fullmatch(path) and not exists(path):
        raise unknown("bank of exercises", path, shipped())
    return read_bytes(path, MOST, "bank of exercises ")


def bank_of(content: bytes | str, where: str, code: Sequence[str] = ()) -> Bank:
    r"""Return the exercises of TOML text.

    >>> found = bank_of('[[exercise]]\nid = "q1"\ntext = "How many FLOPs?"\nop = "matmul"\nasks = "flops"', "a.toml")
    >>> found.exercises[0].asked({}).key.value                          # a product and an addition each
    2*B*D*F
    """
    table = read_toml(content, where, MOST, "split it")
    text = content.decode() if isinstance(content, bytes) else content
    lines = lines_of(text)
    for key in table:
        if key not in _TABLES:
            problem = unknown("table", key, _TABLES)
            raise RoofproofError(f"{where}, line {lines.get(key, lines.get(f'.{key}', 1))}: {problem}")
    spot = f"{where}, line {lines.get('bank', 1)}, [bank]"
    about = checked(table.get("bank", {}), _BANK, "key of [bank]", f"{spot}: ")
    title = _text(about.get("title", {"en": "Exercises", "zh": "练习"}), "title", spot)
    for said in title.values():
        if sign := refused(said):
            raise RoofproofError(f"{spot}: title: {quoted(sign)} is markup; write a title as plain text")
    listed = table.get("exercise", [] if table.get("essay") else None)
    if not isinstance(listed, list) or (not listed and not table.get("essay")):
        raise RoofproofError(
            f"{where}: no [[exercise]]; each has an id, a text, an op, and what `roofproof check` takes"
        )
    stems = _stems(table.get("stem", []), text, where)
    found: dict[str, Exercise] = {}
    for each, spot in _placed(listed, "exercise", text, where):
        stem = _stem_of(each, stems, spot)
        before = sum(one.stem == stem[0] for one in found.values()) if stem else 0
        if before == len(_LETTERS):
            raise RoofproofError(f"{spot}: more than {before} parts of one stem; split it")
        one = _exercise(each, spot, code, stem, _LETTERS[before] if stem else "")
        if one.id in found or one.id in stems:
            raise RoofproofError(f"{spot}: the id {quoted(one.id)} is given twice; give each exercise its own")
        found[one.id] = one
    for name, (told, given, spot) in stems.items():
        used = [one.used() for one in found.values() if one.stem == told]
        if not used:
            raise RoofproofError(f'{spot}: the stem {quoted(name)} has no part; write stem = "{name}" in one')
        for idle in sorted(set(given.get("vary", ())).difference(*used)):
            due = f"vary.{idle} is used nowhere, and its variants are all the same; write {{{idle}}}"
            raise RoofproofError(f"{spot}: {due}")
    essays: dict[str, Essay] = {}
    for each, spot in _placed(table.get("essay", []), "essay", text, where):
        own = _essay(each, spot)
        if own.id in found or own.id in stems or own.id in essays:
            raise RoofproofError(f"{spot}: the id {quoted(own.id)} is given twice; give each exercise its own")
        essays[own.id] = own
    return Bank(title, tuple(found.values()), about.get("source", ""), tuple(essays.values()))


def _essay(table: object, spot: str) -> Essay:
    """Return a question that is answered in words; its texts have no gaps."""
    given = checked(table, _ESSAY, "key of an essay", f"{spot}: ")
    for due, such in (("id", '"why"'), ("text", '"Why does the batch cancel?"'), ("answer", '"Each weight ..."')):
        if not given.get(due):
            raise RoofproofError(f"{spot}: no {due}; write {due} = {such}")
    _refuse_id(given["id"], spot)
    told = {key: _text(given[key], key, spot) for key in ("text", "answer")}
    for key, texts in told.items():
        for each in texts.values():
            try:
                refuse_gaps(gaps(each, {}), ())
                written(each, {})
            except RoofproofError as problem:
                raise RoofproofError(f"{spot}: {key}: {problem}") from None
    return Essay(given["id"], told["text"], told["answer"], given.get("points", 1))


def _placed(tables: object, name: str, text: str, where: str) -> Iterator[tuple[object, str]]:
    """Yield each table of a list with where it stands."""
    listed = tables if isinstance(tables, list) else [tables]
    starts = [n for n, line in enumerate(text.split("\n"), 1) if re.match(rf"\s*\[\[\s*{name}\s*\]\]", line)]
    for place, each in enumerate(listed):
        yield each, f"{where}, line {starts[place]}" if len(starts) == len(listed) else f"{where}, {name} {place + 1}"


def _stems(tables: object, content: str, where: str) -> dict[str, _Given]:
    """Return the stems by id: each with what it gives to its parts, and where it stands."""
    found: dict[str, _Given] = {}
    for table, spot in _placed(tables, "stem", content, where):
        given = checked(table, _STEM, "key of a stem", f"{spot}: ")
        for due, such in (("id", '"mlp"'), ("text", '"A layer has width {D}."')):
            if not given.get(due):
                raise RoofproofError(f"{spot}: no {due}; write {due} = {such}")
        _refuse_id(given["id"], spot)
        if given["id"] in found:
            raise RoofproofError(f"{spot}: the id {quoted(given['id'])} is given twice; give each stem its own")
        stem = Stem(given["id"], _text(given["text"], "text", spot), _figure(given.get("figure"), spot))
        first = {name: _values(name, values, spot)[0] for name, values in given.get("vary", {}).items()}
        for text in stem.text.values():
            try:
                refuse_gaps(gaps(text, first), first)
            except RoofproofError as problem:
                raise RoofproofError(f"{spot}: text: {problem}") from None
        found[stem.id] = (
            stem,
            {name: value for name, value in given.items() if name not in ("id", "text", "figure")},
            spot,
        )
    return found


def _stem_of(table: object, stems: Mapping[str, _Given], spot: str) -> _Given | None:
    name = table.get("stem") if isinstance(table, dict) else None
    if not isinstance(name, str):
        return None
    if name not in stems:
        raise RoofproofError(f"{spot}: {unknown('stem', name, stems)}")
    for key in ("vary", "own"):
        if isinstance(table, dict) and key in table:
            raise RoofproofError(
                f"{spot}: {key} of a part is that of all parts; write it in the [[stem]] {quoted(name)}"
            )
    return stems[name]


def _refuse_id(id: str, spot: str) -> None:
    if not _ID.fullmatch(id):
        raise RoofproofError(f"{spot}: the id {quoted(id)} becomes a file name; use letters, digits, . _ and -")
    if id.partition(".")[0].lower() in DEVICES:
        raise RoofproofError(f"{spot}: the id {quoted(id)} becomes a file name, and is none on Windows; use another")


def _exercise(table: object, spot: str, code: Sequence[str], stem: _Given | None, part: str) -> Exercise:
    given = checked(table, _EXERCISE, "key of an exercise", f"{spot}: ")
    if stem:
        given = {**stem[1], **given, "at": {**stem[1].get("at", {}), **given.get("at", {})}}
    for due, such in (("id", '"matmul-1"'), ("text", '"How many FLOPs?"'), ("op", '"matmul"')):
        if not given.get(due):
            raise RoofproofError(f"{spot}: no {due}; write {due} = {such}")
    _refuse_id(given["id"], spot)
    vary = {name: _values(name, values, spot) for name, values in given.get("vary", {}).items()}
    at = given.get("at", {})
    for name, size in at.items():
        if isinstance(size, bool) or not isinstance(size, str | int):
            raise RoofproofError(f"{spot}: at.{name} must be a whole number or a gap such as '{{{name}}}'")
    hints = _hints(given.get("hints", []), spot)
    options = {name: given[name] for name in OPTIONS if name in given} | _traced(given, spot, code)
    text = _text(given["text"], "text", spot)
    source, points, figure = given.get("source", ""), given.get("points", 1), _figure(given.get("figure"), spot)
    made = Exercise(given["id"], text, options, at, vary, hints, points, given.get("never", False), source, spot,
                    given.get("own", {}), stem[0] if stem else None, part, figure)  # fmt: skip
    if "asks" not in options:  # `roofproof check` has a default; a record without it would have a key that nobody chose
        raise RoofproofError(f'{spot}: no asks, so there is no key; write asks = "flops"')
    return made


def _figure(given: object, spot: str) -> Drawing | None:
    """Return the picture of a text: an SVG file beside the bank, or one that is drawn for each variant."""
    if given is None:
        return None
    figure = checked(given, _FIGURE, "key of a figure", f"{spot}: figure: ")
    alt = _text(figure.get("alt"), "alt", f"{spot}: figure") if "alt" in figure else {}
    if not alt:
        raise RoofproofError(f'{spot}: figure: no alt; write what it shows, for those who do not see it: alt = "..."')
    if figure.get("kind") == "roofline" and "file" not in figure:
        return Drawing(alt)
    file = figure.get("file", "")
    if "kind" in figure or not file:
        raise RoofproofError(f'{spot}: figure: expected file = "roof.svg" or kind = "roofline", one of them')
    home = Path(spot.rpartition(", ")[0]).parent
    if not file.endswith(".svg") or not (home / file).resolve().is_relative_to(home.resolve()):
        raise RoofproofError(f"{spot}: figure: {quoted(file)} is no .svg file beside the bank")
    try:
        content = read_bytes(home / file, MOST_OF_A_FIGURE, "figure ")
    except RoofproofError as problem:
        raise RoofproofError(f"{spot}: {problem}") from None
    if len(content) > MOST_OF_A_FIGURE or b"<svg" not in content:
        raise RoofproofError(f"{spot}: figure: {quoted(file)} holds no SVG of at most {MOST_OF_A_FIGURE} bytes")
    if found := _RUNS.search(content):
        raise RoofproofError(f"{spot}: figure: {quoted(file)} holds {quoted(found[0].decode().strip())}; take it out")
    try:
        return Drawing(alt, content.decode())
    except UnicodeDecodeError:
        raise RoofproofError(f"{spot}: figure: {quoted(file)} is not text in UTF-8") from None


def _traced(given: Mapping[str, str], spot: str, code: Sequence[str]) -> dict[str, str]:
    """Return the option `op` of a function of a file, as what it computes and moves."""
    from roofproof.ops.notation.code import is_code
    from roofproof.teach.traced import written

    if not is_code(given["op"]):
        for name in ("shapes", "traffic"):
            if name in given:
                raise RoofproofError(f'{spot}: {name} goes with a function, op = "FILE.py:FUNCTION"')
        return {}
    shapes, model = given.get("shapes", ""), given.get("traffic", "")
    if "{" in given["op"] + shapes + model:
        raise RoofproofError(f"{spot}: a function is traced once, so there is no gap in its shapes; give sizes by at")
    file, _, name = given["op"].strip().rpartition(":")
    path = Path(spot.rpartition(", ")[0]).parent / file
    if not any(path.resolve() == Path(named).resolve() for named in code):
        raise RoofproofError(
            "<spot>: op = <op> is code, which a bank does not run; to run it, name its file: --code <path>",
            spot=spot, op=quoted(given["op"]), path=quoted(path, 300),
        )  # fmt: skip
    try:
        return {"op": written(f"{path}:{name}", shapes, model)}
    except RoofproofError as problem:
        raise RoofproofError("<spot>: <problem>", spot=spot, problem=problem) from None


def _text(given: object, what: str, spot: str) -> Text:
    """Return a text by language; one without a language is English, or Chinese where it holds some."""
    if isinstance(given, str):
        given = {"zh" if re.search(r"[\u4e00-\u9fff]", given) else "en": given}
    if not isinstance(given, dict):
        raise RoofproofError(f"{spot}: {what} must be text in quotes; got {quoted(given)}")
    texts: Mapping[str, str] = checked(given, dict.fromkeys(LANGUAGES, str), "language", f"{spot}: {what}: ")
    if not texts or not all(text.strip() for text in texts.values()):
        raise RoofproofError(f'{spot}: no {what}; write {what} = "..." or {what} = {{ en = "...", zh = "..." }}')
    return texts


def _hints(given: object, spot: str) -> dict[str, tuple[str, ...]]:
    by_language = given if isinstance(given, dict) else {"en": given}
    found: dict[str, tuple[str, ...]] = {}
    for lang, listed in checked(by_language, dict.fromkeys(LANGUAGES, list), "language", f"{spot}: hints: ").items():
        if not all(isinstance(hint, str) for hint in listed):
            raise RoofproofError(f'{spot}: hints: each must be text in quotes, as hints = ["Count the bytes."]')
        found[lang] = tuple(_text({lang: hint}, "hints", spot)[lang] for hint in listed)
    return {lang: hints for lang, hints in found.items() if hints}


def _values(name: str, given: object, spot: str) -> tuple[Value, ...]:
    """Return the values of a parameter: those listed, or a range in steps or in multiples."""
    if isinstance(given, dict):
        given = _range(name, checked(given, _RANGE, "key of a range", f"{spot}: vary.{name}: "), spot)
    whole = isinstance(given, list) and all(isinstance(v, str | int) and not isinstance(v, bool) for v in given)
    if not given or not isinstance(given, list) or not whole:
        raise RoofproofError(f"{spot}: vary.{name} must list values, as [2048, 4096], or be {{ from = 1, to = 8 }}")
    if len(given) > MOST_VALUES:
        raise RoofproofError(f"{spot}: vary.{name} has {len(given)} values; at most {MOST_VALUES} are tried")
    return tuple(dict.fromkeys(given))


def _range(name: str, given: Mapping[str, Any], spot: str) -> list[int]:
    if "from" not in given or "to" not in given or ("step" in given and "times" in given):
        raise RoofproofError(
            f"{spot}: vary.{name} needs from and to, and step or times: {{ from = 1, to = 8, times = 2 }}"
        )
    found: list[int] = []
    value = given["from"]
    while value <= given["to"] and len(found) <= MOST_VALUES:
        found.append(value)
        value = value * given["times"] if "times" in given else value + given.get("step", 1)
    if not found:
        raise RoofproofError(f"{spot}: vary.{name}: from = {given['from']} is over to = {given['to']}; exchange them")
    return found
