"""Course files in TOML: keys and types are checked, and every error message gives file and line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from roofproof.errors import RoofproofError, quoted, refuse_unknown, unknown
from roofproof.formats import BITS, is_format
from roofproof.hardware import any_chip
from roofproof.teach.course import FORMAT, Course, Slide
from roofproof.toml import at_line, before, checked, lines_of, read_bytes, read_toml

MOST = 1024**2  # bytes of a course file
LANGUAGES = ("en", "zh")
BY = ("author", "institute", "date")
_TABLES: dict[str, type | int] = {
    "course": dict, "chips": dict, "sizes": dict, "operations": dict, "claims": dict, "errata": dict, "figures": dict,
    "slide": list,
}  # fmt: skip
_COURSE: dict[str, type | int] = {
    **dict.fromkeys(("title", "subtitle", "format", *BY, "language"), str),
    "exercises": list,
}
_OPERATION: dict[str, type | int] = {
    **dict.fromkeys(("op", "for", "chip", "over", "called"), str), "at": dict,
}  # fmt: skip
_FIGURE: dict[str, type | int] = {
    **dict.fromkeys(("kind", "up", "across"), str), "of": list, "chips": list, "at": object,
}  # fmt: skip
_SLIDE: dict[str, type | int] = {
    **dict.fromkeys(("title", "section", "show", "question", "solved", "exercise", "derivation"), str),
    **dict.fromkeys(("intuition", "takeaway", "ask"), str), "say": object, "markdown": object, "parts": list,
}  # fmt: skip
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def shipped_courses() -> list[str]:
    """Return the names of the courses that come with the package.

    >>> "rooflines" in shipped_courses()
    True
    """
    return sorted(path.name.removesuffix(".toml") for path in _home().iterdir() if path.name.endswith(".toml"))


def _home() -> Traversable:
    return files("roofproof.teach") / "courses"


def course(path: str) -> Course:
    """Return the course in a TOML file, or the packaged course of this name.

    >>> course("rooflines").slides[0].title
    'Where is your model stuck? // 你的模型卡在哪里？'

    Raises RoofproofError in one line, with file, line and cure, for an invalid file.
    """
    if path in shipped_courses():
        return course_of((_home() / f"{path}.toml").read_bytes(), f"{path}.toml")
    if not path.endswith(".toml"):
        raise unknown("course", path, shipped_courses())
    return course_of(read_bytes(path, MOST, "course "), path)


def course_of(content: bytes | str, where: str) -> Course:
    r"""Return the course in TOML text.

    >>> made = course_of('[course]\ntitle = "A // 甲"\nsubtitle = "B // 乙"\n[[slide]]\ntitle = "C // 丙"\n', "c.toml")
    >>> made.slides[0].line
    4
    """
    table = read_toml(content, where, MOST, "split it")
    text = content.decode() if isinstance(content, bytes) else content
    lines = lines_of(text)
    for name, each in table.items():
        checked({name: each}, _TABLES, "table", before(at_line(where, lines.get(name, lines.get(f".{name}", 1)))))
    here = before(at_line(where, lines.get("course", 1), ", [course]"))
    about = checked(table.get("course", {}), _COURSE, "key of [course]", here)
    for due in ("title", "subtitle"):
        if not about.get(due):
            raise RoofproofError('<here>no <due>; write <due> = "English // Chinese"', here=here, due=due)
    if not is_format(about.get("format", FORMAT)):
        raise RoofproofError(
            "<here>format: <problem>", here=here, problem=unknown("number format", about["format"], BITS)
        )
    language = about.get("language", "")
    if language:
        refuse_unknown("language", language, LANGUAGES)
    exercises = about.get("exercises", [])
    if not all(isinstance(each, str) for each in exercises):
        raise RoofproofError('<here>exercises: expected "FILE ID" for each, such as "rooflines q1-bytes"', here=here)
    named = {name: table.get(name, {}) for name in _NAMED}
    made = Course(about["title"], about["subtitle"], tuple(_slides(table.get("slide", []), text, where, language)),
                  exercises=tuple(exercises), format=about.get("format", FORMAT), where=where,
                  by=tuple(about[key] for key in BY if about.get(key)), language=language, lines=lines,
                  **named)  # fmt: skip
    if not made.slides:
        raise RoofproofError("<where>: no [[slide]]; each has a title, and what it shows", where=where)
    for kind, check in _NAMED.items():
        for name, given in named[kind].items():
            if not _NAME.fullmatch(name):
                due = f"the name {quoted(name)} stands in gaps; use small letters, digits and _"
                raise RoofproofError("<place><due>", place=made.place(kind, name), due=due)
            check(given, made.place(kind, name))
    _check_names(made)
    return made


def _check_names(made: Course) -> None:
    """Raise RoofproofError for a slide that names an operation that the course does not define."""
    for each in made.slides:
        for key, name in (("solved", each.solved), ("derivation", each.derivation)):
            if name and name not in made.operations:
                problem = unknown("operation of the course", name, made.operations)
                raise RoofproofError(
                    "<where>, line <line>: <key>: <problem>", where=made.where, line=each.line, key=key, problem=problem
                )


def _text(given: Any, place: str) -> None:
    if not isinstance(given, str):
        raise RoofproofError("<place>must be text in quotes; got <given>", place=place, given=quoted(given))


def _chip(given: Any, place: str) -> None:
    _text(given, place)
    try:
        any_chip(given)
    except RoofproofError as problem:
        raise RoofproofError("<place><problem>", place=place, problem=problem) from None


def _operation(given: Any, place: str) -> None:
    if not checked(given, _OPERATION, "key of an operation", place).get("op"):
        raise RoofproofError('<place>no op; write op = "matmul"', place=place)


def _figure(given: Any, place: str) -> None:
    if not checked(given, _FIGURE, "key of a figure", place).get("kind"):
        raise RoofproofError('<place>no kind; write kind = "roofline"', place=place)


def _size(given: Any, place: str) -> None:
    if not all(type(each) is int and each > 0 for each in (given if isinstance(given, list) else [given])):
        raise RoofproofError(
            "<place>must be a whole number from 1, or a list of them; got <given>", place=place, given=quoted(given)
        )


_NAMED: dict[str, Callable[[Any, str], None]] = {
    "chips": _chip, "sizes": _size, "operations": _operation, "claims": _text, "errata": _text, "figures": _figure,
}  # fmt: skip


def _slides(listed: list[Any], text: str, where: str, language: str = "") -> Iterator[Slide]:
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines, 1) if re.match(r"\s*\[\[\s*slide\s*\]\]", line)]
    for place, each in enumerate(listed):
        start = starts[place] if len(starts) == len(listed) else 1
        given = checked(each, _SLIDE, "key of a slide", before(at_line(where, start)))
        if not any(given.get(due) for due in ("title", "question", "exercise", "derivation", "markdown")):
            form = '<where>, line <start>: no title; write title = "English // Chinese", or name an exercise'
            raise RoofproofError(form, where=where, start=start)
        said = given.get("say", {})
        said = {language: said} if language and isinstance(said, str) else said
        said = checked(said, dict.fromkeys(LANGUAGES, str), "language", f"{where}, line {start}: say: ")
        if said and not language and len(said) < len(LANGUAGES):
            raise RoofproofError(
                "<where>, line <start>: say needs both languages, say.en and say.zh", where=where, start=start
            )
        counts = {lang: len(paragraphs(each)) for lang, each in said.items()}
        if len(set(counts.values())) > 1:
            told = " and ".join(f"{number} in say.{lang}" for lang, number in counts.items())
            raise RoofproofError(
                "<where>, line <start>: say: <told> paragraphs; write as many in both",
                where=where,
                start=start,
                told=told,
            )
        own = given.get("markdown", {})
        own = checked({"en": own} if isinstance(own, str) else own, dict.fromkeys(LANGUAGES, str), "language",
                      f"{where}, line {start}: markdown: ")  # fmt: skip
        parts = given.get("parts", [])
        if not all(isinstance(part, str) for part in parts):
            raise RoofproofError(
                '<where>, line <start>: parts: each must be text in quotes, as parts = ["steps"]',
                where=where,
                start=start,
            )
        body = given.get("show", "")
        first = next((n for n, line in enumerate(lines[start:], start + 1) if re.match(r"\s*show\s*=", line)), start)
        opened = lines[first - 1].rstrip().endswith(('"""', "'''"))
        show = tuple(enumerate(body.rstrip("\n").split("\n"), first + opened)) if body.strip() else ()
        words = {
            key: given.get(key, "") for key in ("title", "section", "question", "solved", "exercise", "derivation")
        }
        aside = {key: given.get(key, "") for key in ("intuition", "takeaway", "ask")}
        yield Slide(show=show, say=said, markdown=own, parts=tuple(parts), line=start, **words, **aside)


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, separated by empty lines, each joined into one line.

    >>> paragraphs("One\\nline.\\n\\nAnother.")
    ['One line.', 'Another.']
    """
    return [" ".join(each.split()) for each in re.split(r"\n\s*\n", text.strip()) if each.strip()]
