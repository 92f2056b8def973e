"""What the courses cover, a table each, from coverage.toml: `python docs/coverage.py` writes it."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from roofproof.claims.language import Claim, read_book
from roofproof.export.plots.inputs import chip_name
from roofproof.export.slides.course_operations import chips_of
from roofproof.export.slides.course_values import best, half_precision
from roofproof.export.slides.filling import CourseText
from roofproof.hardware import Chip
from roofproof.teach.course import Course, Slide
from roofproof.teach.course_file import course

HERE = Path(__file__).resolve().parent
PAGE, TEXTS = HERE / "coverage.md", HERE / "coverage.toml"
HEAD = """# What the courses cover

Section by section of five texts: the slides of the courses that go through it, the exercises of the banks, and how many
of its statements are claims in `roofproof/claims/textbooks/`, judged by `roofproof verify`. From `docs/coverage.toml`,
by `python docs/coverage.py`; a test holds every title and every exercise to the courses and the banks, and every claim
to a section.

<!-- claim: intensity(dot) < 1/2 -->A dot product never reaches half a FLOP a byte<!-- /claim -->,
with which they begin. What is said of the slides of each course is a lecture told whole, stories and analogies
included. Left out: energy, and what experience says of pipelining.
"""
COURSE = "Course `<course>`, exercises `<bank>`, <count> claims in `<book>`."


def texts() -> list[dict[str, Any]]:
    """Return the texts with their sections, as they stand in the file."""
    found: list[dict[str, Any]] = tomllib.loads(TEXTS.read_text(encoding="utf-8"))["text"]
    return found


def title(slide: Slide) -> str:
    """Return what a slide is called in the file: its English title, or the operation that it derives."""
    return (slide.title or slide.question or slide.derivation).split(" // ")[0]


def judged(text: Mapping[str, Any]) -> Counter[str]:
    """Return how many claims of a text are judged in each of its sections, by the line at which each stands."""
    path = files("roofproof.claims") / "textbooks" / f"{text['book']}.toml"
    found: Counter[str] = Counter()
    for claim in read_book(str(path)).claims:
        place = re.search(r"\bL(\d+)", claim.source if isinstance(claim, Claim) else "")
        assert place is not None, claim.id
        found[next(each["name"] for each in text["section"] if int(place[1]) <= each["to"])] += 1
    return found


def shown(name: str, of: Course) -> str:
    """Return a title as it stands on the slide of the course."""
    names = {"best": partial(best, of.format), "half": half_precision, **of.sizes, **chips_of(of)}

    def value(found: Any) -> str:
        return chip_name(found).partition(" @")[0] if isinstance(found, Chip) else str(found)

    ((_, text),) = CourseText(names, {}, ()).filled([(1, name)], value)
    return text.replace("|", "&#124;")


def page() -> str:
    """Return the page: a table for each text."""
    lines = [HEAD]
    for text in texts():
        of, count = course(text["course"]), judged(text)
        lines += [f"## {text['name'][:1].upper()}{text['name'][1:]}", ""]
        words = {**text, "count": count.total()}
        lines += [re.sub("<([a-z]+)>", lambda m, words=words: str(words[m[1]]), COURSE), ""]
        lines += ["| section | slides | exercises | claims |", "| :-- | :-- | :-- | --: |"]
        for each in text["section"]:
            slides = "; ".join(shown(name, of) for name in each.get("slides", ()))
            exercises = ", ".join(f"`{name}`" for name in each.get("exercises", ()))
            lines.append(f"| {each['name']} | {slides} | {exercises} | {count[each['name']] or ''} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
