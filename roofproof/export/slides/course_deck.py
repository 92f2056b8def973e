"""The slides of a course: its outline as lines, and what the gaps in them may name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from roofproof.claims.answers.question import LABELS, Question, label_times
from roofproof.errors import RoofproofError, unknown
from roofproof.export import plots
from roofproof.export.banks._prose import answer, prose, sizes_of, wrong_answer
from roofproof.export.banks._solution import formula, why
from roofproof.export.slides.course_claims import errata, proved
from roofproof.export.slides.course_values import FILTERS, FUNCTIONS, Worked, best
from roofproof.export.slides.decks import slides_of
from roofproof.export.slides.document import Document
from roofproof.export.slides.gaps import Gaps
from roofproof.export.slides.model import Bullets, Code, Deck, Frame, Inline, Math, Table, Text
from roofproof.export.slides.operation_slides import OperationSlides
from roofproof.export.slides.terms import LANGUAGES, Words, join
from roofproof.export.text.formatting import seconds
from roofproof.hardware import Chip, any_chip
from roofproof.teach.course import Course, Slide, exercise_named
from roofproof.teach.variants import variants

KINDS = ("achieved", "regions", "roofline", "threshold_curve", "times")
SOLVED = (
    "$$ I = << {0}.intensity >>",
    "$$ \\to << {0}.limit >> | as << {0}.regime >> // 当 << {0}.regime >>",
    "$$ R << {0}.ridge | about >> | ridge point of << {0}.chip >> // << {0}.chip >> 的临界强度",
    "$$ << {0}.rule >> | rule of thumb // 经验法则",
    "$$ << {0}.exact >> | exact, at << {0}.sizes >> // 精确值，<< {0}.sizes >>",
)


def course_deck(course: Course, lang: str = "en") -> Deck:
    """Return the slides of a course in a language, with what is said of each.

    >>> from roofproof.teach.course_file import course_of
    >>> made = course_deck(course_of('''[course]
    ... title = "Ridge points // 临界强度"
    ... subtitle = "An example // 例"
    ... [chips]
    ... v5e = "tpu-v5e"
    ... [[slide]]
    ... title = "One chip // 一个芯片"
    ... show = "<< v5e >>: << ridge(v5e, 'bf16') | number(4) >> // << v5e >>：<< ridge(v5e, 'bf16') | number(4) >>"
    ... ''', "ridges.toml"))
    >>> made.frames[0].blocks[0].words                                              # 1.97e14 / 8.19e11
    ('TPU v5e', ': ', Math(tex='{\\\\approx}\\\\,240.5'))

    Raises RoofproofError, with file and line, for what cannot be read or computed.
    """
    words = Words(lang)
    orders: dict[Any, Any] = {}
    names = _names(course, orders, lang)
    slides, _ = course.shown_slides()
    reader = Document(words, orders)
    asked = 0
    lines = [(1, course.title), (1, course.subtitle)]
    for n, slide in enumerate(slides):
        asked += bool(slide.exercise)
        lines += _lines(slide, n, asked)
        if slide.exercise:
            names[f"exercise{n}"] = _exercise(slide, course.where, words)
        if slide.derivation:
            names[f"derivation{n}"] = (Code(f"{_DERIVED}{n}"),)
    try:
        deck = reader.deck(list(Gaps(names, FILTERS, (Worked,)).filled(lines, reader.keep)))
    except RoofproofError as problem:
        placed = str(problem) if str(problem).startswith("line ") else f"line {reader.line}: {problem}"
        raise RoofproofError(f"{course.where}, {placed}") from None
    frames = [each for frame in deck.frames for each in _derived(frame, slides, names, words)]
    return replace(deck, frames=tuple(frames))


def worked(course: Course, orders: dict[Any, Any], lang: str = "en") -> dict[str, Worked]:
    """Return the operations of a course by name. Raises RoofproofError, with the place, for what cannot be read."""
    chips = _chips(course)
    first = next(iter(chips.values()), None)

    def put(text: str) -> str:
        return re.sub(
            r"\{(\w+)\}", lambda gap: best(first) if gap[1] == "best" and first else str(_size(course, gap[1])), text
        )

    made = {}
    for name, each in course.operations.items():
        where = f"{course.where}, [operations.{name}]: "
        chip = _known(chips, each["chip"], f"{where}chip") if "chip" in each else None
        sizes = {dim: _size(course, value) for dim, value in each.get("at", {}).items()}
        over, called = each.get("over", ""), put(each.get("called", "")).split(" // ")[-1 if lang == "zh" else 0]
        try:
            made[name] = Worked(orders, put(each["op"]), each.get("for"), chip, over, called, **sizes)
        except RoofproofError as problem:
            raise RoofproofError(f"{where}{problem}") from None
    return made


def _chips(course: Course) -> dict[str, Chip]:
    return {name: any_chip(text) for name, text in course.chips.items()}


def _size(course: Course, given: Any) -> Any:
    return course.sizes.get(given, given)


def _names(course: Course, orders: dict[Any, Any], lang: str) -> dict[str, Any]:
    """Return what the gaps of a course may name."""
    names: dict[str, Any] = {**FUNCTIONS, **course.sizes, **_chips(course), **worked(course, orders, lang)}
    for name, text in course.claims.items():
        names[name] = proved(text)
    for name, text in course.errata.items():
        (names[name],) = errata(*text.split(" ", 1))
    for name, each in course.figures.items():
        names[name] = _figure(each, names, partial(_size, course), f"{course.where}, [figures.{name}]: ", lang)
    return names


def _known(table: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in table:
        raise RoofproofError(f"{what}: {unknown('name', name, table)}")
    return table[name]


def _figure(each: Mapping[str, Any], names: Mapping[str, Any], size: Callable[[Any], Any], where: str,
            lang: str) -> Callable[..., Any]:  # fmt: skip
    """Return what draws a figure, when the slides are written."""
    if each["kind"] not in KINDS:
        raise RoofproofError(f"{where}{unknown('kind of figure', each['kind'], KINDS)}")
    works = [_known(names, name, f"{where}of") for name in each.get("of", ())]
    found = [_known(names, name, f"{where}chips") for name in each.get("chips", ())]
    if not works or not all(isinstance(w, Worked) for w in works) or not all(isinstance(c, Chip) for c in found):
        raise RoofproofError(f"{where}`of` lists operations of the course, `chips` its chips")
    chips = [replace(chip, name=chip.name.partition("@")[0]) for chip in found]  # no variant on a slide
    given = each.get("at", {})
    listed = given if isinstance(given, list) else [given]
    points = [{dim: size(value) for dim, value in one.items()} for one in listed]
    draw, ops, axes = (
        getattr(plots, each["kind"]),
        [work.op for work in works],
        [each.get("up", ""), each.get("across", "")],
    )
    of: dict[str, list[Any]] = {
        "roofline": [ops, chips, points], "achieved": [ops[0], chips[0], axes[0], points],
        "threshold_curve": [ops[0], chips, *axes, points[0]], "regions": [ops[0], chips[0], *axes, points[0]],
        "times": [ops[0], chips[0], axes[0], points[0]],
    }  # fmt: skip
    return lambda words, orders: lambda: draw(*of[each["kind"]], lang=lang)


def _lines(slide: Slide, n: int, exercise: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a slide; `exercise` is its number among those that are asked."""
    here = slide.line
    said = " // ".join(" ".join(slide.say[lang].split()) for lang in LANGUAGES) if slide.say else ""
    spoken = [(here, f"> {said}")] if said else []
    if slide.section:
        yield here, f"# {slide.section}"
    if slide.exercise:
        yield here, f"## Exercise {exercise} // 练习 {exercise}"
        yield here, f"<< exercise{n}.text >>"
        yield here, f"<< exercise{n}.hints >>"
        yield from spoken or [(here, f"> << exercise{n}.ask >>")]
        yield here, f"## Answer {exercise} // 解答 {exercise}"
        yield from ((here, f"<< exercise{n}.{each} >>") for each in ("key", "times", "slips", "trust"))
        yield here, f"> << exercise{n}.answer >>"
        return
    yield (
        here,
        f"## << derivation{n} >>"
        if slide.derivation
        else f"### {slide.question}"
        if slide.question
        else f"## {slide.title}",
    )
    if slide.solved:
        yield from ((here, line.format(slide.solved)) for line in SOLVED)
    yield from slide.show
    yield from spoken


def _exercise(slide: Slide, where: str, words: Words) -> dict[str, Any]:
    """Return what the slides of an exercise say: its question, its key, and what gives a wrong answer."""
    lang = words.language
    made = variants(exercise_named(slide.exercise, f"{where}, line {slide.line}: "))[0]
    asked = made.asked
    names = sizes_of(made)
    key = formula(asked.key, made)
    said: Inline = (Math(rf"\displaystyle {key}"),) if key else answer(made.key, names, lang)
    rows = [(wrong_answer(d, made, lang), prose(why(d, lang), names)) for d in made.distractors]
    told = tuple(row for row in rows if row[1])
    hints = tuple(prose(hint, names) for hint in made.hints(lang))
    asking = [words("say-ask"), *(words("say-hint", hint=hint) for hint in hints[:1])]
    answering = [words("say-answer", answer=said)]
    answering += [words("say-slip", wrong=row[0], why=row[1]) for row in told[:1]]
    space = "" if lang == "zh" else " "
    return {
        "text": prose(made.text(lang), names),
        "hints": Bullets(hints) if hints else Text(()),
        "key": Text(said, key=True),
        "times": _times(asked, words) if asked.asks == "bound" else Text(()),
        "slips": Table((words("wrong-answer"), words("the-slip")), told, "ll") if told else Text(()),
        "trust": words(f"known-{made.trust}"),
        "ask": join(asking, space),
        "answer": join(answering, space),
    }


def _times(asked: Question, words: Words) -> Table:
    """Return how long each resource takes, the longest first: what a bound is read off from."""
    names = dict(zip(LABELS, ("computing", "memory", "network"), strict=True))
    times = sorted(label_times(asked).items(), key=lambda each: each[1], reverse=True)
    rows = ((words(names[label]), prose(seconds(value).removeprefix("= "), ())) for label, value in times)
    return Table((words("resource"), words("time")), tuple(rows), "lr")


_DERIVED = "derivation "


def _derived(frame: Frame, slides: tuple[Slide, ...], names: Mapping[str, Any], words: Words) -> Iterator[Frame]:
    """Yield a slide, or those of the derivation that it stands for."""
    here = frame.title[0] if frame.title else ""
    if not isinstance(here, Code) or not here.text.startswith(_DERIVED):
        yield frame
        return
    slide = slides[int(here.text.removeprefix(_DERIVED))]
    made = OperationSlides(names[slide.derivation].study, words)
    parts = [made.titled(part if part == "setup" else f"{part}-title") for part in slide.parts]
    found = [each for each in slides_of([made], words, frame.title).frames if not parts or each.title in parts]
    yield replace(found[0], section=frame.section, note=frame.note or found[0].note)
    yield from (replace(each, section=()) for each in found[1:])
