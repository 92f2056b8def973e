"""A course: an outline of slides that name derivations, figures, claims, exercises and errata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, any_chip
from roofproof.teach.bank_file import bank
from roofproof.teach.exercise import Exercise

LINK, VECTOR = "link", "vector"  # what a slide may need of a chip, beside a resource by its name


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide of an outline, or the slides that one entry of it stands for.

    >>> Slide("Ridge points // 临界强度", show=((7, "$$ I > R"),)).show
    ((7, '$$ I > R'),)

    Texts are `English // Chinese`, with gaps `<< value >>`. `show` holds its lines with their numbers in the file,
    `say` what is said by language; `needs` what a chip must have, or the slide is left out; `solved` an operation
    whose intensity, ridge point and threshold come first; `exercise` one that is asked and answered; `derivation` an
    operation told from its counts to its threshold, or in `parts` of that. `line` is its place in the file.
    """

    title: str = ""
    section: str = ""
    show: tuple[tuple[int, str], ...] = ()
    say: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    question: str = ""
    solved: str = ""
    exercise: str = ""
    derivation: str = ""
    parts: tuple[str, ...] = ()
    line: int = 1


@dataclass(frozen=True, slots=True)
class Course:
    """An outline: what it derives and draws by name, and its slides in order.

    >>> from roofproof.teach.course_file import course
    >>> course("rooflines").on(["h100-sxm"]).chips["v5e"]
    'h100-sxm'

    `chips`, `claims` and `errata` are texts, `operations` and `figures` tables, `sizes` numbers or lists of them;
    `exercises` are those of the sheet, each a bank, or a bank and an id. `where` is the file.
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
    where: str = ""

    def on(self, chips: Sequence[str]) -> Course:
        """Return the course with its first chips replaced by these. Raises RoofproofError for more than it has."""
        from dataclasses import replace

        if len(chips) > len(self.chips):
            raise RoofproofError(f"{self.where}: {len(chips)} chips for a course on {len(self.chips)}; leave some out")
        return replace(self, chips={**self.chips, **dict(zip(self.chips, chips, strict=False))})

    def asked(self) -> tuple[Exercise, ...]:
        """Return the exercises of the sheet: those listed, then those of the slides."""
        names = [*self.exercises, *(each.exercise for each in self.slides if each.exercise)]
        if not names:
            raise RoofproofError(f'{self.where}: no exercises; list them in [course], as ["rooflines q1-bytes"]')
        found: dict[tuple[str, str], Exercise] = {}
        for name in names:
            whole = bank(name).exercises if " " not in name else (exercise_named(name, f"{self.where}: "),)
            found |= {(name.partition(" ")[0], each.id): each for each in whole}
        return tuple(found.values())

    def shown_slides(self) -> tuple[tuple[Slide, ...], tuple[str, ...]]:
        """Return the slides whose chips have what they need, and a line for each that is left out."""
        found: list[Slide] = []
        left_out: list[str] = []
        for slide in self.slides:
            lacks = [f"{chip.title or chip.name} has no {each}"
                     for name, needs in slide.needs.items()
                     for chip in [any_chip(self.chips[name])] for each in needs if not _has(chip, each)]  # fmt: skip
            if lacks:
                left_out.append(f"left out: {slide.title or slide.question or slide.section}: {lacks[0]}")
            else:
                found.append(slide)
        return tuple(found), tuple(left_out)


def _has(chip: Chip, need: str) -> bool:
    if need != LINK:
        return chip.has(need)
    try:
        return bool(chip.link)
    except RoofproofError:
        return False


def exercise_named(name: str, where: str = "") -> Exercise:
    """Return an exercise by the name of its bank and its id.

    >>> exercise_named("rooflines q1-flops").options["asks"]
    'flops'

    Raises RoofproofError for a bank or an id that is not there.
    """
    book, _, wanted = name.partition(" ")
    found = {each.id: each for each in bank(book).exercises}
    if wanted not in found:
        from roofproof.errors import unknown

        raise RoofproofError(f"{where}{unknown(f'exercise of {book}', wanted, found)}")
    return found[wanted]
