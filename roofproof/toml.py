"""A strict TOML reader for untrusted text, with size limits, error positions, and checks of keys and value types."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from roofproof.errors import CONTROL, RoofproofError, quoted, unknown
from roofproof.sentences import Sentence, joined

MAX_LINE = 40_000
MAX_NOTED = 64 * 1024**2  # bytes, more than any file that roofproof reads
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_DOTTED = re.compile(r"""(?:\.[ \t]*(?:"[^"\n]{0,99}"|'[^'\n]{0,99}'|[A-Za-z0-9_-]+)[ \t]*){50}""")
_KEY = re.compile(r"""\s*(?:\[+\s*)?["']?([\w-]+)["']?\s*(?:\.\s*["']?([\w-]+)["']?\s*)?[\].=]""")
_TWICE = ("Cannot overwrite", "Cannot declare", "Duplicate", "Cannot mutate")
_DUE = {str: "must be text in quotes", bool: "must be true or false", dict: "must be a table", list: "must be a list"}


_noted: ContextVar[dict[str, str] | None] = ContextVar("noted", default=None)


@contextmanager
def record_reads() -> Iterator[dict[str, str]]:
    """Record the files that are read in this context, each with a digest. Files of the package itself are skipped.

    >>> with record_reads() as files:
    ...     content = read_bytes("examples/models/llama-3.1-8b.json", 10_000)
    >>> [(os.path.relpath(path), said == digest(content)) for path, said in files.items()]
    [('examples/models/llama-3.1-8b.json', True)]
    """
    files: dict[str, str] = {}
    before = _noted.set(files)
    try:
        yield files
    finally:
        _noted.reset(before)


def files_unchanged(files: Mapping[str, str]) -> bool:
    """Return whether all files still have the recorded digests.

    >>> files_unchanged({}), files_unchanged({"no-such-file.json": "0" * 64})
    (True, False)
    """
    try:
        return all(digest(read_bytes(path, MAX_NOTED)) == recorded for path, recorded in files.items())
    except RoofproofError:
        return False


def digest(content: bytes) -> str:
    """Return the SHA-256 digest of a file's content."""
    from hashlib import sha256

    return sha256(content).hexdigest()


def read_bytes(path: str | os.PathLike[str], most: int, what: str = "", cure: str = "") -> bytes:
    """Return the content of a file, at most one byte more than `most`.

    >>> read_bytes("no-such-chip.toml", 100, "chip file ")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot read chip file 'no-such-chip.toml': No such file or directory

    A pipe, a socket or a device is refused, because reading it may never start or never end.
    """
    try:
        with open(path, "rb", opener=_at_once) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise ValueError("a pipe or a device, not a file")
            content = opened.read(most + 1)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        file = quoted(os.fspath(path), 200)
        file = Sentence("<what><file>", what=what, file=file) if what else file
        raise RoofproofError("cannot read <file>: <why><cure>", file=file, why=said, cure=cure) from None
    files, place = _noted.get(), os.path.abspath(os.fspath(path))
    if files is not None and not place.startswith(PACKAGE):
        files[place] = digest(content)
    return content


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # opening a pipe without a writer would block


def read_toml(
    content: bytes | str, where: str, most: int, cure: str, twice: str = "", number: Callable[[str], Any] = float
) -> dict[str, Any]:
    """Parse TOML text and return its table. `where` begins every message.

    >>> read_toml("a = 1", "x.toml", 100, "split it"), read_toml("b = 2.50", "x.toml", 100, "split it", number=str)
    ({'a': 1}, {'b': '2.50'})

    `cure` ends the message for text of more than `most` bytes, and `twice` the message for a duplicate name. `number`
    parses numbers with a decimal point. Text with control characters, also escaped ones, is refused, because pages and
    terminals do not show them.
    """
    import tomllib

    if len(content) > most:
        size = f"{most // 1024**2} MiB" if most >= 1024**2 else f"{most // 1024} KiB"
        raise RoofproofError("<where>: larger than <size>; <cure>", where=where, size=size, cure=cure)
    try:
        text = content.decode() if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1 if isinstance(content, bytes) else 1
        raise RoofproofError("<where>, line <line>: not UTF-8 text", where=where, line=line) from None
    for line, row in enumerate(text.split("\n"), 1):
        if len(row) > MAX_LINE:
            said = "<where>, line <line>: <count> characters; the limit is <most>"
            raise RoofproofError(said, where=where, line=line, count=len(row), most=MAX_LINE)
        if _DOTTED.search(row):
            raise RoofproofError("<where>, line <line>: more than 50 names joined by dots", where=where, line=line)
    try:
        table = tomllib.loads(text, parse_float=number)
        if "\\" in text or CONTROL.search(text):  # raw or escaped
            _refuse_control(table, where)
        return table
    except RecursionError:
        raise RoofproofError("<where>: nested too deeply", where=where) from None
    except tomllib.TOMLDecodeError as error:
        said, _, place = str(error).partition(" (at ")
        found = re.match(r"line (\d+), column (\d+)", place)
        spot = (
            Sentence("<where>, line <line>, column <column>", where=where, line=found[1], column=found[2])
            if found
            else Sentence("<where>, end of file", where=where)
        )
        if said.startswith(_TWICE):
            why = joined("<first>; <second>", (Sentence("a name is given twice"), twice))
        else:
            why = Sentence("not TOML: <why>", why=f"{said[:1].lower()}{quoted(said[1:], 100)[1:-1]}")
        raise RoofproofError("<where>: <problem>", where=spot, problem=why) from None
    except RoofproofError:
        raise
    except ValueError:
        raise RoofproofError("<where>: not TOML: a number or a date that cannot be read", where=where) from None


def _refuse_control(value: object, where: str) -> None:
    if isinstance(value, str):
        if found := CONTROL.search(value):
            said = "<where>: <text> contains a control character, <sign>; remove it"
            raise RoofproofError(said, where=where, text=quoted(value), sign=f"U+{ord(found[0]):04X}")
    elif isinstance(value, dict | list):
        for each in [*value, *value.values()] if isinstance(value, dict) else value:
            _refuse_control(each, where)


def lines_of(text: str) -> dict[str, int]:
    r"""Return the line of each table of a TOML text and of each name in a table, for messages. The first line counts.

    >>> lines_of("[chips]\nv5e = 'tpu-v5e'\n[figures.roof]\nkind = 'roofline'")["figures.roof"]
    3
    """
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if (key := _KEY.match(line)) is None:
            continue
        if not line.lstrip().startswith("["):
            found.setdefault(f"{table}.{key[1]}", number)
            continue
        table = key[1]
        found.setdefault(table, number)
        if key[2]:
            table = f"{table}.{key[2]}"
            found.setdefault(table, number)
    return found


def at_line(file: str, line: int, entry: str = "") -> Sentence:
    """Return a position in a file, for the beginning of a message.

    >>> at_line("course.toml", 3, ", [course]")
    'course.toml, line 3, [course]'
    """
    return Sentence("<file>, line <line><entry>", file=file, line=line, entry=entry)


def before(where: str) -> Sentence:
    """Return a position with a colon, as the beginning of a message.

    >>> before(at_line("course.toml", 3))
    'course.toml, line 3: '
    """
    return Sentence("<where>: ", where=where)


def checked(table: object, kinds: Mapping[str, type | int], what: str, where: str = "") -> dict[str, Any]:
    """Return a table after checking that its keys are known and that each value has the right type.

    >>> checked({"layers": 32}, {"layers": 1, "tied": bool}, "key of model 'mine'")
    {'layers': 32}
    >>> checked({"layers": 0}, {"layers": 1}, "key of model 'mine'", "model 'mine': ")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: model 'mine': layers must be a whole number from 1; got '0'

    A kind is a type, or the minimum of an integer. `object` accepts anything. Raises RoofproofError with a message
    that begins with `where`.
    """
    if not isinstance(table, dict):
        raise RoofproofError("<where>expected a table; got <value>", where=where, value=quoted(table))
    for key, value in table.items():
        if key not in kinds:
            raise RoofproofError("<where><problem>", where=where, problem=unknown(what, key, kinds))
        kind = kinds[key]
        if isinstance(kind, int):
            if type(value) is not int or value < kind:
                due = "<where><key> must be a whole number from <least>; got <value>"
                raise RoofproofError(due, where=where, key=key, least=kind, value=quoted(value))
        elif kind is not object and type(value) is not kind:
            due = Sentence(_DUE[kind])
            raise RoofproofError("<where><key> <due>; got <value>", where=where, key=key, due=due, value=quoted(value))
    return table
