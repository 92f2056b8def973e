"""Variants of an exercise: parameters filled in by a seed, with keys that are worth asking for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from math import prod
from random import Random

import sympy

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.proved import trust, unproved
from roofproof.claims.answers.question import Key, Question
from roofproof.derive.inequalities.cases import bounds
from roofproof.errors import RoofproofError, quoted
from roofproof.teach.distractors import DIGITS, Distractor, distractors, shown
from roofproof.teach.exercise import Exercise
from roofproof.teach.marked_text import MarkedText, Value, unmarked_text

TRIED = 50  # combinations tried with a listed word before it is rejected
LOOKED_AT = 100  # extra variants considered, so that ugly numbers can be skipped


@dataclass(frozen=True, eq=False)
class Variant:
    """One exercise as a student gets it: `number` counts from 1, and `parameters` are the filled-in values.

    >>> made, = variants(Exercise("a", {"en": "How many FLOPs?"}, {"op": "matmul", "asks": "flops"}))
    >>> made.id, made.key, [wrong.slip for wrong in made.distractors][0]     # a product and an addition each
    ('a-001', '2*B*D*F', 'multiply-add-once')
    """

    exercise: Exercise
    number: int
    parameters: Mapping[str, Value]
    asked: Question

    @classmethod
    def of(
        cls, exercise: Exercise, number: int, parameters: Mapping[str, Value], wrong: tuple[Distractor, ...]
    ) -> Variant:
        """Return a variant whose wrong answers are already known, and compute its key again."""
        made = cls(exercise, number, parameters, exercise.asked(parameters))
        made.__dict__["distractors"] = wrong
        return made

    @property
    def id(self) -> str:
        """The id of the exercise with the number of the variant."""
        return f"{self.exercise.id}-{self.number:03d}"

    @property
    def key(self) -> str:
        """The right answer as a student would write it."""
        return shown(self.asked.key, self.asked)

    @property
    def trust(self) -> str:
        """The trust in the right answer."""
        return trust(self.asked)

    @cached_property
    def distractors(self) -> tuple[Distractor, ...]:
        """Wrong answers, each with its mistake."""
        return distractors(self.asked)

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The key and the wrong answers, in an order that depends only on the parameters."""
        every = [self.key, *(d.shown for d in self.distractors)]
        Random(f"{self.exercise.id} {sorted(self.parameters.items())}").shuffle(every)
        return tuple(every)

    def text(self, lang: str) -> str:
        """Return the question in a language as plain text."""
        return unmarked_text(self.marked_text(lang))

    def marked_text(self, lang: str) -> MarkedText:
        """Return the question in a language with its formulas."""
        return self.exercise.marked_text(self.parameters, lang)

    def hints(self, lang: str) -> tuple[str, ...]:
        """Return the hints in a language as plain text."""
        return tuple(map(unmarked_text, self.marked_hints(lang)))

    def marked_hints(self, lang: str) -> tuple[MarkedText, ...]:
        """Return the hints in a language with their formulas."""
        return self.exercise.marked_hints(self.parameters, lang)


def variants(exercise: Exercise, count: int = 1, seed: int = 0) -> tuple[Variant, ...]:
    """Return up to `count` variants, determined by the seed, the one with the source's numbers first.

    >>> one = Exercise("ridge", {"en": "What is the ridge point of a {chip}?"},
    ...                {"op": "matmul:{format}", "chip": "{chip}", "asks": "ridge"},
    ...                vary={"chip": ("tpu-v5e", "h100-sxm"), "format": ("bf16", "int8")})
    >>> [v.key for v in variants(one, 9, seed=7)]                 # 197 and 393 over 0.819; 989 and 1978 over 3.35
    ['479.9 FLOP/B', '295.2 FLOP/B', '240.5 FLOP/B', '590.4 FLOP/B']

    Raises RoofproofError with file, line and cure if no parameters give a suitable key, or if a hint gives it away.
    """
    own: list[Variant] = []
    nice: list[Variant] = []
    other: list[Variant] = []
    refused = ""
    for parameters in islice(_parameters(exercise, seed), count + LOOKED_AT):
        if len(own) + len(nice) == count:
            break
        made = _made(exercise, parameters)
        if isinstance(made, str):
            refused = refused or made
        else:
            (own if parameters == exercise.own else nice if _is_nice(made.asked.key) else other).append(made)
    chosen = [*own, *(nice or other)][:count]
    if not chosen:
        raise RoofproofError(
            "<where>: no variant has a key: <refused>; change `vary` or `asks`", where=exercise.where, refused=refused
        )
    _refuse_values(exercise, {(name, value) for made in chosen for name, value in made.parameters.items()})
    return tuple(replace(made, number=n) for n, made in enumerate(chosen, 1))


def _made(exercise: Exercise, parameters: Mapping[str, Value]) -> Variant | str:
    """Return a variant, or the reason why these parameters give none."""
    try:
        asked = exercise.asked(parameters)
        if why := _refused(asked.key, exercise) or unproved(asked):
            return why
    except RoofproofError as problem:
        return str(problem)
    made = Variant(exercise, 0, parameters, asked)
    if not grade(asked, made.key).passed:
        raise RoofproofError(
            "<where>: the key <key> is not graded right; ask for another form",
            where=exercise.where,
            key=quoted(made.key),
        )
    _refuse_hints(made)
    return made


def _parameters(exercise: Exercise, seed: int) -> Iterator[dict[str, Value]]:
    """Yield parameters without repetition, those of the source first, in an order that the seed determines."""
    if exercise.own:
        yield dict(exercise.own)
    yield from (each for each in _drawn(exercise, seed) if not exercise.own or each != exercise.own)


def _drawn(exercise: Exercise, seed: int) -> Iterator[dict[str, Value]]:
    names, values = tuple(exercise.vary), tuple(exercise.vary.values())
    draw = Random(f"{seed} {exercise.id}")
    if prod(map(len, values)) <= 100 * LOOKED_AT:
        every = list(product(*values))
        draw.shuffle(every)
        yield from (dict(zip(names, each, strict=True)) for each in every)
        return
    seen = set()
    for _ in range(100 * LOOKED_AT):
        each = tuple(draw.choice(v) for v in values)
        if each not in seen:
            seen.add(each)
            yield dict(zip(names, each, strict=True))


def _refuse_values(exercise: Exercise, used: set[tuple[str, Value]]) -> None:
    """Raise RoofproofError for a word in `vary` that makes no valid question, such as an unknown format."""
    for name, values in exercise.vary.items():
        for value in values:
            if isinstance(value, int) or (name, value) in used:
                continue
            problem: RoofproofError | None = None
            for parameters in islice(_parameters(replace(exercise, vary={**exercise.vary, name: (value,)}), 0), TRIED):
                try:
                    exercise.asked(parameters)
                except RoofproofError as found:
                    problem = problem or found
                else:
                    break
            else:
                raise RoofproofError(
                    "<where>: vary.<name>: nothing can be asked with <value>: <problem>",
                    where=exercise.where,
                    name=name,
                    value=repr(value),
                    problem=problem,
                )


def _refused(key: Key, exercise: Exercise) -> str:
    """Return the reason why a key is unsuitable, or ""."""
    empty = key.label in ("never", "always") or (key.value is not None and key.value == 0)
    return f"the answer is {key.label or 0} (say never = true to allow that)" if empty and not exercise.never else ""


def _is_nice(key: Key) -> bool:
    """Return whether a key is a formula, a word, or a number that four digits give exactly."""
    ends = bounds(key.allowed_threshold) if key.allowed_threshold is not None and key.integer is None else ()
    for value in (*ends, *([] if key.value is None else [key.value])):
        if isinstance(value, sympy.Rational):
            p, q = int(value.p), int(value.q)
            if any((p * 10**k) % q == 0 and len(str(p * 10**k // q).strip("0")) <= DIGITS for k in range(31)):
                continue
            return False
    return True


def _refuse_hints(made: Variant) -> None:
    """Raise RoofproofError if a hint gives the answer away: as a whole, or in one of its words or formulas."""
    for lang in made.exercise.hints:
        for pieces in made.marked_hints(lang):
            hint = unmarked_text(pieces)
            formulas = (piece.tex for piece in pieces if not isinstance(piece, str))
            for said in (hint, *hint.replace("，", " ").replace("。", " ").split(), *formulas):
                said = said.strip(".,;:!?()")
                if said and any(c.isdigit() for c in said) and grade(made.asked, said).passed:
                    cure = "say where to look instead"
                    raise RoofproofError(
                        "<where>: the hint <hint> gives the answer away (<key>); <cure>",
                        where=made.exercise.where,
                        hint=quoted(hint),
                        key=made.key,
                        cure=cure,
                    )
