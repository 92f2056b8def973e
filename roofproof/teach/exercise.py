"""Exercises: their text, their question about an operation, and the parameters that vary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from roofproof.claims.answers.question import Question
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import any_chip
from roofproof.teach.marked_text import GAP, MarkedText, Value, filled, gaps, parse_text, refuse_gaps, unmarked_text

Text = Mapping[str, str]  # by language
OPTIONS = ("op", "of", "against", "chip", "for", "regime", "asks", "tolerance", "share", "corner")


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise, with gaps in braces for the parameters that vary.

    >>> one = Exercise(
    ...     "rule", {"en": "Above which B is x[B,D] w[D,F] in {format} compute-bound on a {chip}?"},
    ...     {"op": "matmul:{format}", "chip": "{chip}", "for": "B", "asks": "rule", "regime": "D, F >> B"},
    ...     vary={"format": ("bf16", "int8"), "chip": ("tpu-v5e",)})
    >>> asked = one.asked({"format": "int8", "chip": "tpu-v5e"})         # 3.93e14 / 8.19e11 FLOP/B, over 2
    >>> asked.key.threshold
    Above(at=65500/273, strict=True)
    >>> one.told({"format": "int8", "chip": "tpu-v5e"}, "en")
    'Above which B is x[B,D] w[D,F] in int8 compute-bound on a Google TPU v5e?'

    `text` and `hints` are by language. `options` are those of `roofproof grade`, and `at` are the given sizes. `vary`
    lists the values of each parameter. `own` has the values of the source, which come first. `never` allows the keys
    `never`, `always` and 0. `where` is the place in the file, with which every message begins. Raises RoofproofError
    for a gap without a parameter, and for a parameter without a gap.
    """

    id: str
    text: Text
    options: Mapping[str, str]
    at: Mapping[str, Value] = field(default_factory=dict)
    vary: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    points: int = 1
    never: bool = False
    source: str = ""
    where: str = ""
    own: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        used = self.used()
        for name in self.vary:
            if name not in used:
                due = f"vary.{name} is used nowhere, and its variants are all the same; write {{{name}}}"
                raise RoofproofError("<where>: <due>", where=self.where, due=due)
        if self.own and set(self.own) != set(self.vary):
            raise RoofproofError(
                "<where>: own needs a value for each of <what>",
                where=self.where,
                what=", ".join(self.vary) or "nothing",
            )
        told = self._gaps("hints", (hint for each in self.hints.values() for hint in each))
        try:
            refuse_gaps(used | told, self.vary)
        except RoofproofError as problem:
            raise RoofproofError("<where>: <problem>", where=self.where, problem=problem) from None

    def used(self) -> set[str]:
        """Return the names of the gaps in the question, without those only in hints, which make no new variants.

        Raises RoofproofError for a text that cannot be read.
        """
        asked = {n for t in (*self.options.values(), *map(str, self.at.values())) for n in GAP.findall(t)}
        return asked | self._gaps("text", self.text.values())

    def _gaps(self, what: str, texts: Iterable[str]) -> set[str]:
        first = {name: values[0] for name, values in self.vary.items()}
        try:
            return {name for text in texts for name in gaps(text, first)}
        except RoofproofError as problem:
            raise RoofproofError("<where>: <what>: <problem>", where=self.where, what=what, problem=problem) from None

    def asked_with(self, parameters: Mapping[str, Value]) -> dict[str, str]:
        """Return the options of `roofproof grade`, except the sizes, for these parameters."""
        return {name: filled(text, parameters) for name, text in self.options.items()}

    def asked(self, parameters: Mapping[str, Value]) -> Question:
        """Return the question of the exercise for these parameters."""
        at = {name: _size(name, filled(str(size), parameters)) for name, size in self.at.items()}
        return Question.of(self.asked_with(parameters), at)

    def told(self, parameters: Mapping[str, Value], lang: str) -> str:
        """Return the text in a language, or in the only one, as plain text with chips named by title."""
        return unmarked_text(self.marked_text(parameters, lang))

    def marked_text(self, parameters: Mapping[str, Value], lang: str) -> MarkedText:
        """Return the text in a language, or in the only one, with its formulas."""
        return parse_text(in_language(self.text, lang), _titled(self, parameters))

    def marked_hints(self, parameters: Mapping[str, Value], lang: str) -> tuple[MarkedText, ...]:
        """Return the hints in a language, or in the only one."""
        hints = self.hints.get(lang) or next(iter(self.hints.values()), ())
        return tuple(parse_text(hint, _titled(self, parameters)) for hint in hints)


@dataclass(frozen=True, slots=True)
class Bank:
    """Exercises under one title, from one source.

    >>> Bank({"en": "Rooflines"}, (Exercise("a", {"en": "How many FLOPs?"}, {"op": "matmul", "asks": "flops"}),)).title
    {'en': 'Rooflines'}
    """

    title: Text
    exercises: tuple[Exercise, ...]
    source: str = ""

    def titled(self, lang: str) -> str:
        """Return the title in a language, or in the only one."""
        return in_language(self.title, lang)


def in_language(text: Text, lang: str) -> str:
    """Return a text in a language, or in the only one.

    >>> in_language({"en": "Rooflines"}, "zh")
    'Rooflines'
    """
    return text.get(lang) or next(iter(text.values()))


def _titled(exercise: Exercise, parameters: Mapping[str, Value]) -> dict[str, Value]:
    chip = exercise.options.get("chip", "")
    named = {name: _called(str(value), exercise, parameters) for name, value in parameters.items()
             if chip == f"{{{name}}}"}  # fmt: skip
    return {**parameters, **{name: title for name, title in named.items() if title}}


def _called(chip: str, exercise: Exercise, parameters: Mapping[str, Value]) -> str:
    """Return the title of a chip, followed by its changed specs that the question may use, if any."""
    from roofproof.formula.magnitudes import prefixed

    found, base = any_chip(chip), chip.partition("@")[0]
    if base == chip or not found.title:
        return found.title
    usual = {f.resource: f.value for f in (*any_chip(base).compute, *any_chip(base).channels)}
    engines = exercise.asked(parameters).op.compute if base != chip else {}
    figures = (*(f for f in found.compute if f.resource in engines), *found.channels)
    own = [f for f in figures if usual.get(f.resource) != f.value]
    said = ", ".join(f"{f.resource} {prefixed(f.value, f.unit)}" for f in own)
    return f"{found.title} ({said})" if said else found.title


def _size(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
        raise RoofproofError(
            "size <name> = <text>: expected a positive integer, such as D = 4096", name=name, text=quoted(text)
        )
    return int(text)
