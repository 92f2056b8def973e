"""The formats, sizes and specs in the text of an exercise match its operation, for all banks and variants."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import pytest

from roofproof.claims.answers.question import Question, right_value
from roofproof.errors import RoofproofError
from roofproof.hardware import any_chip
from roofproof.teach.bank_file import bank, shipped
from roofproof.teach.distractors import FAR, shown
from roofproof.teach.exercise import Exercise
from roofproof.teach.variants import _parameters, variants

FORMAT = re.compile(r"(?<![\w-])(bf16|fp16|fp32|tf32|fp64|fp8|int8|int4)(?![A-Za-z0-9])")
ARITHMETIC = re.compile(r"arithmetic (?:stays? )?in (\w+)|(?:激活与|激活和)?计算(?:仍)?为 ?(\w+)")
NUMBER = re.compile(r"(?<![A-Za-z.\d])\d+(?:\.\d+)?(?:e\d+)?")
MOST = 40  # variants per exercise
EXERCISES = [(name, each) for name in shipped() for each in bank(name).exercises]
Variant = tuple[Question, dict[str, str], Mapping[str, int | str]]


def asked(exercise: Exercise) -> Iterator[Variant]:
    """Yield the questions of an exercise that have a key, with their texts and parameters."""
    for parameters in islice(_parameters(exercise, 0), MOST):
        try:
            found = exercise.asked(parameters)
            found.key  # noqa: B018
        except RoofproofError:
            continue
        texts = {lang: exercise.told(parameters, lang) for lang in ("en", "zh")}
        yield found, texts, parameters


def engines(found: Question) -> set[str]:
    ops = [op for op in (found.op, found.whole, found.against) if op is not None]
    return {name for op in ops for name in op.compute if not name.endswith("-vector")}


def formats_of_a_text_are_those_of_its_operation(exercise: Exercise, variants: list[Variant]) -> None:
    for found, texts, _ in variants:
        tensors = {str(t.dtype) for t in found.op.tensors}
        for text in texts.values():
            said = set(FORMAT.findall(text))
            if not said:
                continue
            vector = {name.removesuffix("-vector") for name in found.op.compute}
            if tensors:
                assert said <= tensors | vector, text
                assert {t for t in tensors if FORMAT.fullmatch(t)} | engines(found) <= said, text
            elif engines(found):
                assert engines(found) <= said, text
            for named in ARITHMETIC.finditer(text):
                assert {*filter(None, named.groups())} == {*found.op.compute}, text


def sizes_of_a_question_stand_in_its_text_or_do_not_matter(exercise: Exercise, variants: list[Variant]) -> None:
    for found, texts, _ in variants:
        for text in texts.values():
            numbers = {float(n) for n in NUMBER.findall(text.replace(",", ""))}  # float: as a text has it
            numbers |= {n * 10**9 for n in numbers} if "billion" in text or re.search(r"\dB", text) else set()
            for name, size in found.at.items():
                if size not in numbers and size > 1:  # "one sequence"
                    other = replace(found, at={**found.at, name: 2 * size})
                    assert shown(other.key, other) == shown(found.key, found), (name, text)


def two_variants_with_one_text_have_one_key(exercise: Exercise, variants: list[Variant]) -> None:
    keys: dict[str, set[str]] = defaultdict(set)
    for found, texts, _ in variants:
        for text in texts.values():
            keys[text].add(shown(found.key, found))
    assert [text for text, found in keys.items() if len(found) > 1] == []


def figures_of_a_chip_stand_in_the_text_or_are_those_of_its_name(exercise: Exercise, variants: list[Variant]) -> None:
    for found, texts, parameters in variants:
        if found.chip is None or "=" in exercise.options["chip"] or "@" not in found.chip.name:
            continue
        assert any_chip(found.chip.name.partition("@")[0]).title in texts["en"], parameters
        assert " (" in texts["en"], texts["en"]


@pytest.mark.parametrize("exercise", [pytest.param(each, id=f"{name} {each.id}") for name, each in EXERCISES])
def test_what_a_text_says_is_what_its_question_asks(exercise: Exercise) -> None:
    variants = list(asked(exercise))
    formats_of_a_text_are_those_of_its_operation(exercise, variants)
    sizes_of_a_question_stand_in_its_text_or_do_not_matter(exercise, variants)
    two_variants_with_one_text_have_one_key(exercise, variants)
    figures_of_a_chip_stand_in_the_text_or_are_those_of_its_name(exercise, variants)


LEANING = re.compile(
    r"(?i)\bthe same\b|\b(?:that|this) (?:int8 )?(?:product|attention|kernel)\b|^(?:is|does|how \w+ does) it\b|"
    r"\bis it compute-bound on\b|as the library|同样|该乘积|这种"
)


@pytest.mark.parametrize("exercise", [pytest.param(each, id=f"{name} {each.id}") for name, each in EXERCISES])
def test_a_question_stands_alone_and_its_wrong_answers_have_reasons_of_their_own(exercise: Exercise) -> None:
    for text in exercise.text.values():
        leans = LEANING.search(text)
        assert leans is None, (text, leans)
    made = variants(exercise)[0]
    reasons = [(d.slip, d.about) for d in made.distractors]
    assert made.asked.asks == "bound" or len({*reasons}) == len(reasons) >= 1
    number = right_value(made.asked.key, made.asked)
    if number is not None and number.is_Rational and len(reasons) > 2:
        others = [right_value(d.key, made.asked) for d in made.distractors]
        assert all(abs(o) <= FAR * abs(number) <= FAR * FAR * abs(o) for o in others if o is not None and o.is_Rational)


def test_the_mistake_that_an_exercise_is_about_is_named() -> None:
    """The sparse peak doubles the bound, as does counting a multiply-add as one FLOP, and both mistakes are named."""
    exercise = next(each for _, each in EXERCISES if each.id == "q5-rule")
    (wrong,) = [d for d in variants(exercise)[0].distractors if d.shown == "B > 590.7"]
    assert (wrong.slip, wrong.other) == ("multiply-add-once", "other-figure:bf16-sparse")
