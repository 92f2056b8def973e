"""A course: an outline of slides that name derivations, figures, claims, exercises and errata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.teach.bank_file import bank
from roofproof.teach.exercise import Bank, Exercise
from roofproof.toml import at_line, before

FORMAT = "fp16"  # of inference, where a course names no other


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide of an outline, or the slides that one entry of it stands for.

    >>> Slide("Ridge points // 临界强度", show=((7, "$$ I > R"),)).show
    ((7, '$$ I > R'),)

    Texts are `English // Chinese`, with gaps `<< value >>`. `show` holds its lines with their numbers in the file,
    `say` what is said by language; `solved` is an operation whose intensity, ridge point and threshold come first;
    `intuition` is a picture in words that stands first, `takeaway` what is to be kept, which stands last, and `ask` a
    question to the audience; `exercise` one that is asked and answered; `derivation` an operation told from its counts
    to its threshold, or in `parts` of that; `markdown` is a file of slides by language. `line` is its place in
    the file.
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
    """An outline: what it derives and draws by name, and its slides in order.

    >>> from roofproof.teach.course_file import course
    >>> course("rooflines").on(["h100-sxm"]).chips["v5e"]
    'h100-sxm'

    `chips`, `claims` and `errata` are texts, `operations` and `figures` tables, `sizes` numbers or lists of them;
    `exercises` are those of the sheet, each a bank, or a bank and an id; `format` is the one that `{best}` stands for
    where a chip has a peak for it; `by` are the author, the institute and the date, as far as they are given, and
    `language` is the only one that the course is written in, "" for both. `where` is the file, `lines` has the place of
    each name in it.
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
        """Return the place of a name in a table, as the beginning of a message."""
        return before(at_line(self.where, self.lines.get(f"{table}.{name}", 1), f", [{table}.{name}]"))

    def on(self, chips: Sequence[str]) -> Course:
        """Return the course with its first chips replaced by these. Raises RoofproofError for more than it has."""
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
        """Return the exercises of the sheet: those listed, then those of the slides."""
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
    """Return an exercise by the name of its bank and its id.

    >>> exercise_named("rooflines q1-flops").options["asks"]
    'flops'

    Raises RoofproofError for a bank or an id that is not there.
    """
    book, _, wanted = name.partition(" ")
    found = {each.id: each for each in _bank(book, where).exercises}
    if wanted not in found:
        from roofproof.errors import unknown

        raise RoofproofError("<where><problem>", where=where, problem=unknown("exercise", wanted, found, of=book))
    return found[wanted]
