"""Courses: an outline of slides that name derivations, figures, claims, exercises and errata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.teach.bank_file import bank
from roofproof.teach.exercise import Bank, Exercise
from roofproof.toml import at_line, before

FORMAT = "fp16"  # number format for inference, unless the course names another


@dataclass(frozen=True, slots=True)
class Slide:
    """One entry of an outline: a slide, or several slides.

    >>> Slide("Ridge points // 临界强度", show=((7, "$$ I > R"),)).show
    ((7, '$$ I > R'),)

    Texts are `English // Chinese`, with gaps `<< value >>`. `show` are the lines with their line numbers, and `say` are
    the speaker notes by language. `solved` is an operation whose intensity, ridge point and threshold come first.
    `intuition` is a short explanation before the lines. `ask`, a question to the audience, and `takeaway`, the main
    point, come after them. `exercise` is shown with its solution. `derivation` is an operation shown from its counts to
    its threshold, or only the `parts` listed. `markdown` is a file of slides by language. `line` is the entry's place.
    """

    title: str = ""
    section: str = ""
    show: tuple[tuple[int, str], ...] = ()
    say: Mapping[str, str] = field(default_factory=dict)
    question: str = ""
    intuition: str = ""
    takeaway: str = ""
    ask: str = ""
    solved: str = ""
    exercise: str = ""
    derivation: str = ""
    markdown: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    line: int = 1


@dataclass(frozen=True, slots=True)
class Course:
    """An outline: named derivations and figures, and the slides in order.

    >>> from roofproof.teach.course_file import course
    >>> course("rooflines").on(["h100-sxm"]).chips["v5e"]
    'h100-sxm'

    `chips`, `claims` and `errata` are texts, `operations` and `figures` tables, `sizes` numbers or lists of numbers.
    `exercises` are those of the exercise sheet: an exercise file, or a file and an id. `format` is the number format
    for `{best}` if the chip has a peak for it. `by` are author, institute and date, if given. `language` is the only
    language of the course, or "" for both. `where` is the file, and `lines` maps each name to its line.
    """

    title: str
    subtitle: str
    slides: tuple[Slide, ...]
    chips: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, Any] = field(default_factory=dict)
    operations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    claims: Mapping[str, str] = field(default_factory=dict)
    errata: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    exercises: tuple[str, ...] = ()
    format: str = FORMAT
    by: tuple[str, ...] = ()
    language: str = ""
    where: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)

    def place(self, table: str, name: str) -> str:
        """Return the place of a name in a table, as the start of a message."""
        return before(at_line(self.where, self.lines.get(f"{table}.{name}", 1), f", [{table}.{name}]"))

    def on(self, chips: Sequence[str]) -> Course:
        """Return the course with its first chips replaced, or raise RoofproofError if it has fewer chips."""
        from dataclasses import replace

        if len(chips) > len(self.chips):
            raise RoofproofError(
                "<where>: <count> chips for a course on <most>; leave some out",
                where=self.where,
                count=len(chips),
                most=len(self.chips),
            )
        return replace(self, chips={**self.chips, **dict(zip(self.chips, chips, strict=False))})

    def asked(self) -> tuple[Exercise, ...]:
        """Return the exercises of the sheet: the listed ones, then those on the slides."""
        here = before(at_line(self.where, self.lines.get("course", 1), ", [course]"))
        names = [*self.exercises, *(each.exercise for each in self.slides if each.exercise)]
        if not names:
            raise RoofproofError('<here>no exercises; list them, as exercises = ["rooflines q1-bytes"]', here=here)
        found: dict[tuple[str, str], Exercise] = {}
        for name in names:
            whole = _bank(name, here).exercises if " " not in name else (exercise_named(name, here),)
            found |= {(name.partition(" ")[0], each.id): each for each in whole}
        return tuple(found.values())


def _bank(name: str, where: str) -> Bank:
    try:
        return bank(name)
    except RoofproofError as problem:
        raise RoofproofError("<where><problem>", where=where, problem=problem) from None


def exercise_named(name: str, where: str = "") -> Exercise:
    """Return an exercise by the name of its file and its id.

    >>> exercise_named("rooflines q1-flops").options["asks"]
    'flops'

    Raises RoofproofError for an unknown file or id.
    """
    book, _, wanted = name.partition(" ")
    found = {each.id: each for each in _bank(book, where).exercises}
    if wanted not in found:
        from roofproof.errors import unknown

        raise RoofproofError("<where><problem>", where=where, problem=unknown("exercise", wanted, found, of=book))
    return found[wanted]
