"""An outline of a course, read from TOML: its keys and their kinds checked, every message with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.teach.course import Course, Slide
from roofproof.toml import checked, read_bytes, read_toml

MOST = 1024**2  # bytes of an outline
LANGUAGES = ("en", "zh")
_TABLES: dict[str, type | int] = {
    "course": dict, "chips": dict, "sizes": dict, "operations": dict, "claims": dict, "errata": dict, "figures": dict,
    "slide": list,
}  # fmt: skip
_COURSE: dict[str, type | int] = {"title": str, "subtitle": str, "exercises": list}
_OPERATION: dict[str, type | int] = {
    **dict.fromkeys(("op", "for", "chip", "over", "called"), str), "at": dict,
}  # fmt: skip
_FIGURE: dict[str, type | int] = {
    **dict.fromkeys(("kind", "up", "across"), str), "of": list, "chips": list, "at": object,
}  # fmt: skip
_SLIDE: dict[str, type | int] = {
    **dict.fromkeys(("title", "section", "show", "question", "solved", "exercise", "derivation"), str),
    "say": dict, "needs": dict, "parts": list,
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
    """Return the outline in a TOML file, or the one that comes under this name.

    >>> course("rooflines").slides[0].title
    'Three costs // 三种代价'

    Raises RoofproofError in one line, with file, line and cure, for what is no outline.
    """
    if path in shipped_courses():
        return course_of((_home() / f"{path}.toml").read_bytes(), f"{path}.toml")
    if not path.endswith(".toml"):
        raise unknown("course", path, shipped_courses())
    return course_of(read_bytes(path, MOST, "course "), path)


def course_of(content: bytes | str, where: str) -> Course:
    r"""Return the outline in TOML text.

    >>> made = course_of('[course]\ntitle = "A // 甲"\nsubtitle = "B // 乙"\n[[slide]]\ntitle = "C // 丙"\n', "c.toml")
    >>> made.slides[0].line
    4
    """
    table = checked(read_toml(content, where, MOST, "split it"), _TABLES, "table", f"{where}: ")
    about = checked(table.get("course", {}), _COURSE, "key of [course]", f"{where}, [course]: ")
    for due in ("title", "subtitle"):
        if not about.get(due):
            raise RoofproofError(f'{where}, [course]: no {due}; write {due} = "English // Chinese"')
    text = content.decode() if isinstance(content, bytes) else content
    named = {name: _entries(table.get(name, {}), name, where) for name in ("operations", "figures")}
    texts = {name: _texts(table.get(name, {}), name, where) for name in ("chips", "claims", "errata")}
    for name in (*texts["chips"], *texts["claims"], *texts["errata"], *table.get("sizes", {}), *named["operations"],
                 *named["figures"]):  # fmt: skip
        if not _NAME.fullmatch(name):
            raise RoofproofError(f"{where}: the name {quoted(name)} stands in gaps; use small letters, digits and _")
    slides = tuple(_slides(table.get("slide", []), text, where, texts["chips"]))
    if not slides:
        raise RoofproofError(f"{where}: no [[slide]]; each has a title, and what it shows")
    exercises = about.get("exercises", [])
    if not all(isinstance(each, str) for each in exercises):
        raise RoofproofError(f'{where}, [course]: exercises: write each as "BANK ID", as "rooflines q1-bytes"')
    return Course(about["title"], about["subtitle"], slides, sizes=_sizes(table.get("sizes", {}), where),
                  exercises=tuple(exercises), where=where, **named, **texts)  # type: ignore[arg-type]  # fmt: skip


def _texts(given: Mapping[str, Any], what: str, where: str) -> dict[str, str]:
    return checked(given, dict.fromkeys(given, str), "name", f"{where}, [{what}]: ")


def _entries(given: Mapping[str, Any], what: str, where: str) -> dict[str, dict[str, Any]]:
    kinds, due = (_OPERATION, "op") if what == "operations" else (_FIGURE, "kind")
    found = {
        name: checked(each, kinds, f"key of {what}", f"{where}, [{what}.{name}]: ") for name, each in given.items()
    }
    for name, each in found.items():
        if due not in each:
            raise RoofproofError(f"{where}, [{what}.{name}]: no {due}")
    return found


def _sizes(given: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    for name, value in given.items():
        if not all(type(each) is int and each > 0 for each in (value if isinstance(value, list) else [value])):
            raise RoofproofError(f"{where}, [sizes]: {name} must be a whole number from 1, or a list of them")
    return given


def _slides(listed: list[Any], text: str, where: str, chips: Mapping[str, str]) -> Iterator[Slide]:
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines, 1) if re.match(r"\s*\[\[\s*slide\s*\]\]", line)]
    for place, each in enumerate(listed):
        start = starts[place] if len(starts) == len(listed) else 1
        given = checked(each, _SLIDE, "key of a slide", f"{where}, line {start}: ")
        if not any(given.get(due) for due in ("title", "question", "exercise", "derivation")):
            raise RoofproofError(
                f'{where}, line {start}: a slide without a title; write title = "English // Chinese", or name an '
                "exercise or a derivation"
            )
        said = checked(given.get("say", {}), dict.fromkeys(LANGUAGES, str), "language", f"{where}, line {start}: say: ")
        if said and len(said) < len(LANGUAGES):
            raise RoofproofError(f"{where}, line {start}: say needs both languages, say.en and say.zh")
        for name, needs in given.get("needs", {}).items():
            if name not in chips:
                raise RoofproofError(f"{where}, line {start}: needs: {unknown('chip', name, chips)}")
            if not isinstance(needs, list) or not all(isinstance(need, str) for need in needs):
                raise RoofproofError(f'{where}, line {start}: needs.{name} must list resources, as ["bf16", "link"]')
        body = given.get("show", "")
        first = next((n for n, line in enumerate(lines[start:], start + 1) if re.match(r"\s*show\s*=", line)), start)
        opened = lines[first - 1].rstrip().endswith(('"""', "'''"))
        show = tuple(enumerate(body.rstrip("\n").split("\n"), first + opened)) if body.strip() else ()
        yield Slide(given.get("title", ""), given.get("section", ""), show, said, given.get("needs", {}),
                    given.get("question", ""), given.get("solved", ""), given.get("exercise", ""),
                    given.get("derivation", ""), tuple(given.get("parts", ())), start)  # fmt: skip
