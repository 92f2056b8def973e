"""Each number on the slides of an operation occurs in its answer, exactly or rounded.

The answer is the output of `derive --json`. Its formulas are evaluated at the sizes of the slides, in fractions.
"""

import ast
import math
import operator
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from roofproof import chip, op
from roofproof.export.record import record
from roofproof.export.slides.decks import operation_frames
from roofproof.export.slides.model import Bullets, Code, Display, Frame, Picture, Table, Text, unmarked
from roofproof.export.slides.study import Study, studied
from roofproof.export.slides.terms import SlideWords
from roofproof.ops import entries

CHIPS = ("tpu-v5e", "h100-sxm", "a100-80gb-sxm", "mi300x", "tpu-v6e")
SIZES = (64, 128, 192, 256, 640, 1024, 3000, 4096, 5120, 8192)
LEFT_OUT = {"generate", "training-step", "decode-step", "prefill", "transformer-layer"}  # they are slow
NUMBER = re.compile(r"(?<![\w.])(\\approx\s*)?(\d+(?:\.\d+)?)(?:\s*\\times\s*10\^\{(-?\d+)\}|e(-?\d+))?(?![\w])")
NAME = re.compile(r"[A-Za-z][\w.-]*\d[\w.-]*|\d+(?:GB|B|D|x\d+)\b|https?://\S+|\(\d+/\d+\)$")
FORMULA = re.compile(r"[<>=]+|->|\bwhen\b|\bwhere\b|\band\b|\bor\b|[,;:]")
SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
CALLS = {
    "Max": max,
    "Min": min,
    "sqrt": math.sqrt,
    "log2": math.log2,
    "Abs": abs,
    "ceiling": math.ceil,
    "floor": math.floor,
}
FEW = 12  # integers up to this one are coefficients, exponents and counts
SECONDS = (1, 10**3, 10**6, 10**9)


def shown(frames: tuple[Frame, ...]) -> Iterator[str]:
    """Yield the texts of slides, with formulas in TeX, except typed code."""
    for frame in frames:
        inlines = [frame.title]
        for block in frame.blocks:
            match block:
                case Text(words):
                    inlines.append(words)
                case Display(lines, reasons):
                    inlines += [*((line,) for line in lines), *reasons]
                case Table(header, rows):
                    inlines += [*header, *(cell for row in rows for cell in row)]
                case Bullets(items):
                    inlines += items
                case Picture(_, about):
                    inlines.append(about)
        for each in inlines:
            yield "".join(unmarked(part) for part in each if not isinstance(part, Code))


def numbers(text: str) -> Iterator[tuple[str, Fraction]]:
    """Yield the numbers in a text with their values, except digits in names."""
    text = re.sub(r"(?<=\d)\\,(?=\d)", "", re.sub(r"\\\\\[[\d.]+ex\]", " ", text)).replace(r"\,", " ")
    text = re.sub(r"\\(?:text|mathrm|operatorname)\{([^{}]*)\}", r" \1 ", text)
    text = re.sub(r"(?<=\d)(?=[A-Za-z(\\])|(?<=[A-Za-z])(?=\d)(?!\d*[A-Za-z\d]*-)", " ", NAME.sub(" ", text))
    for found in NUMBER.finditer(text):
        yield found[0], Fraction(found[2]) * Fraction(10) ** int(found[3] or found[4] or 0)


def texts_of(what: Any) -> Iterator[str]:
    if isinstance(what, dict):
        yield from (text for each in (*what.keys(), *what.values()) for text in texts_of(each))
    elif isinstance(what, list | tuple):
        yield from (text for each in what for text in texts_of(each))
    elif what is not None:
        yield str(what)


def worked(text: str, sizes: Mapping[str, Fraction]) -> Fraction | None:
    """Return the value of a formula at sizes, or None for words and if a name has no size."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, sizes)
    except (SyntaxError, KeyError, ZeroDivisionError, OverflowError, TypeError, ValueError):
        return None


def _value(node: ast.AST, sizes: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(int() | float() as number):
            return Fraction(str(number))
        case ast.Name(name):
            return sizes[name]
        case ast.UnaryOp(ast.USub(), inside):
            return -_value(inside, sizes)
        case ast.BinOp(left, sign, right):
            a, b = _value(left, sizes), _value(right, sizes)
            if isinstance(sign, ast.Pow):
                return (
                    a ** int(b) if b.denominator == 1 and abs(b) < 64 else Fraction(float(a) ** float(b))
                )  # float: far
            return SIGNS[type(sign)](a, b)
        case ast.Call(ast.Name(name), arguments):
            return Fraction(CALLS[name](*(_value(each, sizes) for each in arguments)))
    raise KeyError(node)


def values(study: Study) -> set[Fraction]:
    """Return the numbers in an answer, and the values of its formulas at the sizes of the slides."""
    found: set[Fraction] = set()
    proved = study.proved or study.multi_unit_threshold
    points = [study.full_sizes, dict(study.sizes)]
    for each in study.numbers:
        if each.missing or each.unfit:
            continue
        answer = record(study.op, each.chip, proved, study.sizes if proved else study.full_sizes, 0, steps=True)
        at = {k: Fraction(v) for k, v in study.full_sizes.items()}
        found |= quotients(answer, {**at, **{k: Fraction(str(v)) for k, v in (each.ridges or {}).items()}})
        for other in (answer, record(study.op, each.chip, None, study.full_sizes, 0)):
            ridges = {k: Fraction(str(v)) for k, v in (each.ridges or {}).items()}
            for text in set(texts_of(other)):
                found |= {value for _, value in numbers(text)}
                for piece in FORMULA.split(text):
                    for point in points:
                        value = worked(piece, {**{k: Fraction(v) for k, v in point.items()}, **ridges})
                        found |= {value} if value is not None else set()
    found |= {Fraction(size) for point in points for size in point.values()}
    found |= {value for rate in study.chip.compute for _, value in numbers(f"{rate.source} {rate.convention}")}
    found |= {value for rate in study.chip.channels for _, value in numbers(f"{rate.source} {rate.convention}")}
    return found


def quotients(answer: Mapping[str, Any], at: Mapping[str, Fraction]) -> set[Fraction]:
    """Return every ratio of FLOPs to bytes, and of exact bounds to those of the rules of thumb."""
    of = lambda whats: {v for text in texts_of(whats) if (v := worked(text, at)) is not None}  # noqa: E731
    flops, moved = of([answer.get("flops"), answer.get("engines")]), of([answer.get("bytes"), answer.get("links")])
    exact = of((answer.get("threshold") or {}).get("at_point"))
    rules = of([rule for each in answer.get("limits") or () for rule in each.get("rule") or ()])
    return {a / b for tops, bottoms in ((flops, moved), (exact, rules)) for a in tops for b in bottoms if b}


def stands(text: str, value: Fraction, every: set[Fraction]) -> bool:
    """Return whether a printed number is in the answer, exactly or rounded or truncated to its digits."""
    if value <= FEW and value.denominator == 1:
        return True
    about, mantissa = text.startswith("\\approx"), re.search(r"[\d.]+", text)
    assert mantissa
    point, zeros = mantissa[0].partition(".")[2], len(mantissa[0]) - len(mantissa[0].rstrip("0"))
    power = value / Fraction(mantissa[0]) if value else Fraction(1)
    unit = power * (Fraction(1, 10 ** len(point)) if "." in mantissa[0] else 10**zeros if about else 1)
    rounded = about or "." in mantissa[0] or power != 1
    scaled = (v * scale for v in every for scale in SECONDS)
    return any(v == value or (rounded and abs(v - value) < unit) for v in scaled)


def drawn(seed: int) -> Study:
    """Return a study with the operation, chip, sizes and unknown drawn from a seed."""
    source = Random(f"slides {seed}")
    while True:
        name, on = source.choice([each for each in sorted(entries()) if each not in LEFT_OUT]), source.choice(CHIPS)
        found = op(name)
        unknown = source.choice([s.name for s in found.dims])
        try:
            sizes = {s.name: source.choice(SIZES) for s in found.dims if s.name in "BDFLSMNK" and s.name != unknown}
            return studied(found, name, [chip(on)], unknown, sizes)
        except Exception:
            continue  # the chip lacks a spec, or the sizes do not fit


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(24))
def test_each_number_of_the_slides_stands_in_the_answer(seed: int) -> None:
    study = drawn(seed)
    every = values(study)
    frames = operation_frames(study, SlideWords("en"))
    if study.proved and not study.proved.rules:  # a limit that only the slides have, without a rule of thumb
        frames = tuple(frame for frame in frames if frame.part != "limit")
    missing = {text: line for line in shown(frames) for text, value in numbers(line) if not stands(text, value, every)}
    assert not missing, (study.label, study.chip.name, study.unknown, missing)
