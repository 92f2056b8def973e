"""The slides of a course: its outline as lines, and the names that gaps in them may use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from roofproof.claims.answers.question import Question
from roofproof.claims.answers.worked import worked as derivation_of
from roofproof.errors import MissingFigure, RoofproofError, quoted, refuse_unknown, unknown
from roofproof.export.banks._prose import answer, inline, prose, sizes_of, wrong_answer
from roofproof.export.banks._solution import formula, why
from roofproof.export.banks._solution import hints as hinted
from roofproof.export.doc import Doc, Formula, Line, Section
from roofproof.export.explain.mistakes import mistake_phrase
from roofproof.export.explain.slides import PARTS
from roofproof.export.explain.worked import explain_worked
from roofproof.export.latex.leaves import Style, math
from roofproof.export.slides.course_claims import errata, proved
from roofproof.export.slides.course_figures import figure
from roofproof.export.slides.course_operations import chips_of, worked
from roofproof.export.slides.course_values import FILTERS, FUNCTIONS, Solved, best
from roofproof.export.slides.decks import operation_frames
from roofproof.export.slides.document import Document
from roofproof.export.slides.filling import CourseText
from roofproof.export.slides.model import Bullets, Code, Deck, Display, Frame, Inline, Table, Text, computed
from roofproof.export.slides.own_markdown import MOST, own_slides
from roofproof.export.slides.terms import LANGUAGES, SlideWords, join
from roofproof.export.slides.tex import tex_lines
from roofproof.export.to_frames import aligned
from roofproof.export.to_latex import to_formula
from roofproof.export.to_text import inline_text
from roofproof.sentences import Sentence
from roofproof.teach.course import Course, Slide, exercise_named
from roofproof.teach.course_file import paragraphs
from roofproof.teach.distractors import Distractor, is_rounded
from roofproof.teach.exercise import in_language
from roofproof.teach.variants import variants
from roofproof.toml import read_bytes

T = TypeVar("T")
LINES = 7  # lines of a derivation on one slide
ROOM = 6  # lines of a derivation and common mistakes together on one slide
SOLVED = (
    "$$ I = << {0}.intensity >>",
    "$$ \\to << {0}.limit >> | as << {0}.regime >> // 当 << {0}.regime >>",
    "$$ R << {0}.ridge | about >> | ridge point of << {0}.chip >> // << {0}.chip >> 的临界强度",
    "$$ << {0}.rule >> | rule of thumb // 经验法则",
    "$$ << {0}.exact >> | exact, at << {0}.sizes >> // 精确值，<< {0}.sizes >>",
)


def course_deck(course: Course, lang: str = "en") -> Deck:
    """Return the slides of a course in a language, with their spoken text.

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

    Raises RoofproofError, with file and line, for anything that cannot be read or computed.
    """
    words = SlideWords(lang)
    orders: dict[Any, Any] = {}
    names = _names(course, orders, lang)
    if course.language:
        refuse_unknown("language of this course", lang, [course.language])
    reader = Document(words, orders, alone=bool(course.language), home=Path(course.where).parent)
    gaps = CourseText(names, FILTERS, (Solved,))
    lines = [(1, course.title), (1, course.subtitle)]
    derived: dict[str, tuple[Frame, ...]] = {}
    left_out: list[tuple[str, MissingFigure]] = []
    called, section = iter(_numbers([each.exercise for each in course.slides if each.exercise])), ""
    try:
        for n, slide in enumerate(course.slides):
            section = slide.section or section  # if a slide is left out, its section begins with the next one
            if slide.exercise:
                asked = _exercise(slide, course.where, words)
                shown_in = {f"steps{place}": each for place, each in enumerate(asked["steps"])}
                names[f"exercise{n}"] = {**asked, **shown_in, "number": next(called)}
            try:
                if slide.derivation:
                    derived[f"derivation{n}"] = _derivation(slide, names[slide.derivation], words)
                    names[f"derivation{n}"] = (Code(f"derivation{n}"),)
                if slide.markdown:
                    derived[f"markdown{n}"] = _own(slide, course, lang)
                    names[f"markdown{n}"] = (Code(f"markdown{n}"),)
                here = list(_lines(replace(slide, section=section), n, names.get(f"exercise{n}", {})))
                lines += gaps.filled(here, reader.keep)  # all lines of a slide, or none
            except MissingFigure as lack:
                left_out.append((_title(slide, gaps, reader), lack))
                continue
            section = ""
        if len(left_out) == len(course.slides):
            raise RoofproofError(
                "line <line>: no slide is left, as <left_out>", line=slide.line, left_out=left_out[0][1]
            )
        deck = reader.deck(lines)
        deck = replace(deck, by=tuple(map(reader.sentence, course.by)))
    except RoofproofError as problem:
        said = problem.said
        if said.startswith(course.where):
            raise
        if not said.startswith("line "):
            said = Sentence("line <line>: <problem>", line=reader.line, problem=said)
        raise RoofproofError("<where>, <problem>", where=course.where, problem=said) from None
    frames = [each for frame in deck.frames for each in _derived(frame, derived)]
    sections = Bullets(tuple(each.section for each in frames if each.section))  # including the author's own slides
    listed = Bullets(tuple(map(reader.sentence, reader.sections)))
    frames = [replace(f, blocks=tuple(sections if each == listed else each for each in f.blocks)) for f in frames]
    return _with_skipped_slides(replace(deck, frames=tuple(frames)), left_out, words)


def _title(slide: Slide, gaps: CourseText, reader: Document) -> str:
    """Return the title of a slide that is left out."""
    try:
        ((_, text),) = gaps.filled([(slide.line, slide.title or slide.question)], reader.keep)
    except MissingFigure:
        text = re.sub("<<(.+?)>>", lambda gap: gap[1].strip(), slide.title or slide.question)
    return (
        "".join(p if isinstance(p, str) else getattr(p, "tex", "") for p in reader.sentence(text)) or slide.derivation
    )


def _with_skipped_slides(deck: Deck, left_out: list[tuple[str, MissingFigure]], words: SlideWords) -> Deck:
    """Return a deck that lists the slides left out, with reasons, in `left_out` and in the first note."""
    if not left_out:
        return deck
    said = [
        "".join(
            map(
                str, words("Left out: <title> (<chip> has no spec <figure>).", title=each, chip=k.chip, figure=k.figure)
            )
        )
        for each, k in left_out
    ]
    first, *rest = deck.frames
    space = "" if words.language == "zh" else " "
    noted = replace(first, note=(*first.note, space + space.join(said)))
    return replace(deck, frames=(noted, *rest), left_out=tuple(said))


def _placed(work: Callable[[], T], place: str) -> T:
    """Return the result of a function, and start any error in it with its place in the file."""
    try:
        return work()
    except RoofproofError as problem:
        raise RoofproofError("<place><problem>", place=place, problem=problem) from None


def _names(course: Course, orders: dict[Any, Any], lang: str) -> dict[str, Any]:
    """Return the names that the gaps of a course may use."""
    own = {**FUNCTIONS, "best": partial(best, course.format)}
    names: dict[str, Any] = {**own, **course.sizes, **chips_of(course), **worked(course, orders, lang)}
    for name, text in course.claims.items():
        names[name] = _placed(partial(proved, text), course.place("claims", name))
    for name, text in course.errata.items():
        (names[name],) = _placed(partial(errata, *text.split(" ", 1)), course.place("errata", name))
    for name in course.figures:
        names[name] = figure(course, name, names, lang)
    return names


def _numbers(exercises: Sequence[str]) -> list[str]:
    """Return the labels of exercises: the number in the source or else the position, with a letter for each part.

    >>> _numbers(["edge-llm 2.1-ridge", "edge-llm 2.1-bound", "rooflines q5-rule", "llama-tutorial square"])
    ['2.1 a', '2.1 b', '5', '4']
    """
    own = [re.match(r"(\d+(?:\.\d+)+)-|q(\d+)-", each.split()[-1]) for each in exercises]
    found = [match[1] or match[2] if match else str(place) for place, match in enumerate(own, 1)]
    parts = [chr(ord("a") + found[:k].count(each)) if found.count(each) > 1 else "" for k, each in enumerate(found)]
    return [f"{each} {part}".rstrip() for each, part in zip(found, parts, strict=True)]


def _lines(slide: Slide, n: int, asked: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a slide. `asked` is the content of its exercise."""
    here = slide.line
    told = [paragraphs(slide.say[lang]) for lang in LANGUAGES if lang in slide.say]
    spoken = [(here, f"> {' // '.join(each)}") for each in zip(*told, strict=True)]
    if slide.section:
        yield here, f"# {slide.section}"
    if slide.exercise:
        exercise = asked["number"]
        yield here, f"## Exercise {exercise} // 练习 {exercise}"
        yield here, f"<< exercise{n}.text >>"
        yield from spoken or [(here, f"> << exercise{n}.ask >>")]
        yield here, f"> << exercise{n}.hints >>"
        yield here, f"## Answer {exercise} // 解答 {exercise}"
        for place, _ in enumerate(asked["steps"]):
            if place:
                yield here, f"> << exercise{n}.begun >>"
                yield here, f"## Answer {exercise}, continued // 解答 {exercise}（续）"
            yield here, f"<< exercise{n}.steps{place} >>"
        yield here, f"<< exercise{n}.key >>"
        room = asked["slip"] and len(asked["steps"][-1].lines) + len(asked["slips"].rows) <= ROOM
        if not room:
            yield here, f"<< exercise{n}.trust >>"
        yield here, f"> << exercise{n}.answer >>"
        if asked["slip"]:  # some exercises have no known mistake
            if not room:
                yield here, f"## Answer {exercise}: usual mistakes // 解答 {exercise}：常见错误"
            yield here, f"<< exercise{n}.slips >>"
            yield here, f"> << exercise{n}.slip >>"
        return
    yield (
        here,
        f"## << derivation{n} >>"
        if slide.derivation
        else f"## << markdown{n} >>"
        if slide.markdown
        else f"### {slide.question}"
        if slide.question
        else f"## {slide.title}",
    )
    if slide.solved:
        yield from ((here, line.format(slide.solved)) for line in SOLVED)
    if slide.intuition:
        yield here, slide.intuition
    yield from slide.show
    if slide.ask:
        yield here, f"- {slide.ask}"
    if slide.takeaway:
        yield here, f"**{slide.takeaway}**"
    yield from spoken


def _exercise(slide: Slide, where: str, words: SlideWords) -> dict[str, Any]:
    """Return the content of an exercise's slides: its question, its key, and its wrong answers."""
    lang = words.language
    made = variants(exercise_named(slide.exercise, f"{where}, line {slide.line}: "))[0]
    asked = made.asked
    names = sizes_of(made)
    key = formula(asked.key, made)
    about: tuple[Inline, Inline] = ((), ("≈ ",))
    unit = words(f"unit-{asked.asks}") if asked.asks in ("flops", "bytes") else ()
    number = about[is_rounded(asked.key)] + answer(made.key, names, lang) + unit
    said = (computed(rf"\displaystyle {key}"),) if key else number
    wrong = [(about[is_rounded(d.key)] + wrong_answer(d, made, lang), d) for d in made.distractors]
    slips: dict[str, list[tuple[Inline, Distractor]]] = {}
    for each, d in wrong:
        if why(d, lang):
            slips.setdefault(d.slip, []).append((each, d))
    told = tuple(_slip_row(each, names, words) for each in slips.values())
    first, second = (inline(hint, names) for hint in hinted(made, lang)[:2])
    slipping = (
        [
            words(
                "Ask who has <wrong>: that is a usual mistake, <why>.",
                wrong=wrong[0][0],
                why=prose(why(wrong[0][1], lang), names),
            )
        ]
        if told
        else []
    )
    space = "" if lang == "zh" else " "
    return {
        "text": inline(made.marked_text(lang), names),
        "hints": join(
            (
                words("If nobody begins, give the hint: <hint>", hint=first),
                words("If that is not enough: <hint>", hint=second),
            ),
            space,
        ),
        "key": Text(said, key=True),
        "steps": _steps(asked, lang, names),
        "slips": Table((words("wrong answer"), words("the mistake behind it")), told, "ll") if told else Text(()),
        "trust": words(f"known-{made.trust}"),
        "begun": words("Go through it line by line. Each line says what was done to the one before."),
        "ask": words("Read the question aloud, and leave time to work it out on paper."),
        "answer": words("The right answer: <answer>.", answer=said),
        "slip": join(slipping, space),
    }


def _slip_row(
    wrong: Sequence[tuple[Inline, Distractor]], names: Iterable[str], words: SlideWords
) -> tuple[Inline, Inline]:
    """Return the wrong answers that a mistake gives, and the mistake, with all its details in one sentence."""
    answers = tuple(each for each, _ in wrong)
    said = mistake_phrase(wrong[0][1].slip, *dict.fromkeys(d.about for _, d in wrong))
    return join(answers, words[", "]), prose(inline_text(said, words.language), names)


def _steps(asked: Question, lang: str, names: Iterable[str]) -> tuple[Display, ...]:
    """Return the lines of a derivation with their reasons, split over as many slides as they need."""
    told = [row for row in explain_worked(asked).sections[0].rows if isinstance(row, Line)]
    known = tex_lines(derivation_of(asked), lambda _: (_aligned(row.left, Style(lang)) for row in told))
    reasons = tuple(prose(inline_text(row.right, lang), names) for row in told)
    slides = -(-len(known) // LINES)
    most = -(-len(known) // slides)  # spread evenly
    starts = range(0, len(known), most)
    return tuple(Display(known[k : k + most], reasons[k : k + most], derived=True) for k in starts)


def _aligned(shown: Any, style: Style) -> str:
    """Return a line as LaTeX, aligned at its relation sign."""
    if isinstance(shown, Formula):
        return aligned(math(shown, style))
    return aligned(to_formula(Doc((), (Section((), (Line(shown),)),)), style.lang))


def _derivation(slide: Slide, work: Solved, words: SlideWords) -> tuple[Frame, ...]:
    """Return the slides of an operation, or only the requested parts of them."""
    for part in slide.parts:
        if part not in PARTS:
            raise RoofproofError("line <line>: <problem>", line=slide.line, problem=unknown("part", part, PARTS))
    every = operation_frames(work.study, words)
    found = tuple(each for each in every if not slide.parts or each.part in slide.parts)
    if not found:
        raise RoofproofError(
            "line <line>: <derivation> has no slide on <parts>",
            line=slide.line,
            derivation=slide.derivation,
            parts=", ".join(slide.parts),
        )
    return found


def _own(slide: Slide, course: Course, lang: str) -> tuple[Frame, ...]:
    """Return the slides of a Markdown file, from the version in this language if there is one."""
    name = in_language(slide.markdown, lang)
    home = Path(course.where).parent
    if not name.endswith(".md") or not (home / name).resolve().is_relative_to(home.resolve()):
        raise RoofproofError(
            "line <line>: markdown: <name>: expected a .md file in the folder of the course",
            line=slide.line,
            name=quoted(name),
        )
    try:
        return own_slides(read_bytes(home / name, MOST, "slides ").decode("utf-8-sig"), name, home)
    except RoofproofError as problem:
        raise RoofproofError("line <line>: <problem>", line=slide.line, problem=problem) from None
    except UnicodeDecodeError:
        raise RoofproofError(
            "line <line>: markdown: <name> is not text in UTF-8", line=slide.line, name=quoted(name)
        ) from None


def _derived(frame: Frame, derived: Mapping[str, tuple[Frame, ...]]) -> Iterator[Frame]:
    """Yield a slide, or the derived or Markdown slides that it stands for."""
    here = frame.title[0] if frame.title else ""
    if not isinstance(here, Code) or here.text not in derived:
        yield frame
        return
    found = derived[here.text]
    yield replace(found[0], section=frame.section or found[0].section, note=frame.note or found[0].note)
    yield from found[1:]
