"""Whole lectures: documents of titles, sentences and formulas in two languages, in which every value is derived.

A document is a template, `courses/NAME.j2`: what is computed, then a line for each title, sentence, formula and row.
`docs/slides.md` says how one is written.
"""

import re
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from itertools import groupby, pairwise
from typing import Any

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.export.latex.templates import SIGNS
from roofproof.export.slides.deck_context import DeckContext
from roofproof.export.slides.lecture_values import FILTERS, FUNCTIONS, Worked, written
from roofproof.export.slides.model import Block, Bullets, Deck, Formula, Frame, Inline, Math, Picture, Table, Text
from roofproof.export.slides.study import Study
from roofproof.export.slides.terms import LANGUAGES, Words, fill
from roofproof.hardware import Chip, Rate
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold

COURSES = files("roofproof.export.slides") / "courses"
LECTURES = tuple(sorted(each.name.removesuffix(".j2") for each in COURSES.iterdir() if each.name.endswith(".j2")))
_LINE = re.compile("(?:\x01([0-9]+)\x01)+([^\x01\n]*)")  # with its number in the document
_PICTURE = re.compile(r"!\[(.+)\]\(<([a-j]+)>\)")
_FORMULA = re.compile(r"\$[^$]+\$|<[a-j]+>")
_RELATION = re.compile(r"=|<|>|\\(?:leq|geq|to|approx)\b")
OPEN = (
    Worked,
    DeckContext,
    Study,
    Words,
    Operation,
    ProvedThreshold,
    Chip,
    Rate,
)  # whose attributes a document may name
_ALIGN = {":--": "l", ":-:": "c", "--:": "r"}


def lecture(name: str, lang: str) -> Deck:
    """Return a lecture in a language.

    >>> deck = lecture("roofline", "zh")
    >>> deck.language, deck.frames[0].title
    ('zh', ('三种代价',))

    Raises RoofproofError for a lecture or a language that there is none of.

    Source: the order of topics is that of Austin et al., "How to Scale Your Model" (2025), ch. 1.
    """
    if name not in LECTURES:
        raise unknown("lecture", name, LECTURES)
    return read((COURSES / f"{name}.j2").read_text(encoding="utf-8"), Words(lang), f"{name}.j2")


def read(text: str, words: Words, file: str = "lecture") -> Deck:
    """Return the slides of a document in a language.

    >>> deck = read('''<% set v5e = chip("tpu-v5e@scaling-book") %>
    ... Ridge points // 临界强度
    ... An example // 例
    ... ## One chip // 一个芯片
    ... << ridge(v5e, "bf16") | number(4) >> on << v5e >> // << v5e >>：<< ridge(v5e, "bf16") | number(4) >>
    ... ''', Words("en"))
    >>> deck.frames[0].blocks[0].words                                       # 1.97e14 / 8.2e11
    (Math(tex='{\\\\approx}\\\\,240.2'), ' on ', 'TPU v5e')

    Raises RoofproofError, with file and line, for what cannot be read or computed.
    """
    return document(text, words, FUNCTIONS, file)


def document(text: str, words: Words, given: Mapping[str, Any], file: str) -> Deck:
    """Return the slides of a document that may name what is given; raises RoofproofError as `read`."""
    from jinja2 import TemplateError

    document = _Document(words, given)
    try:
        return document.deck(text)
    except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
        found = traceback.extract_tb(problem.__traceback__)
        places = [each.lineno for each in found if each.filename in ("<template>", "<unknown>")]
        raise RoofproofError(f"{file}, line {(places or [document.line])[-1]}: {problem}") from None


class _Document:
    """Reads a document for one language, and keeps the number of the line that it is at."""

    def __init__(self, words: Words, given: Mapping[str, Any]) -> None:
        self.words, self.given, self.line = words, given, 1
        self.values: dict[str, Any] = {}  # as they are written, by the names that stand for them in the lines

    def rendered(self, text: str) -> list[tuple[int, str]]:
        """Return the lines that say something, with their numbers."""
        from jinja2 import StrictUndefined, Undefined
        from jinja2.sandbox import SandboxedEnvironment

        class Sandbox(SandboxedEnvironment):
            """Lets a document reach what is made for it, and no method of an algebra system."""

            def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
                return isinstance(obj, OPEN) and super().is_safe_attribute(obj, attr, value)

        def kept(value: Any) -> Any:
            if type(value) is str or isinstance(value, Undefined):
                return value
            name = "".join("abcdefghij"[int(digit)] for digit in str(len(self.values)))
            self.values[name] = written(value, self.words, orders)
            return f"<{name}>"

        orders: dict[Any, Any] = {}  # of the terms in sums
        environment = Sandbox(undefined=StrictUndefined, finalize=kept, **SIGNS)
        environment.globals = {"operation": partial(Worked, orders), **self.given}
        environment.filters = FILTERS
        numbered = "\n".join(f"\x01{number}\x01{line}" for number, line in enumerate(text.split("\n"), 1))
        found = _LINE.findall(environment.from_string(numbered).render())
        return [(int(number), line.strip()) for number, line in found if line.strip()]

    def deck(self, text: str) -> Deck:
        lines = self.rendered(text)
        self.questions = [line[4:] for _, line in lines if line.startswith("### ")]
        self.lists = [number for number, line in lines if line == "?"]
        starts = [k for k, (_, line) in enumerate(lines) if line.startswith(("## ", "### "))]
        if not starts or starts[0] < 2:
            raise RoofproofError("expected a title, a subtitle, then slides, such as ## One chip // 一个芯片")
        title, subtitle = map(self.sentence, self.texts(lines[:2]))
        frames = []
        for start, end in pairwise([*starts, len(lines)]):
            self.line, (mark, _, rest), before = lines[start][0], lines[start][1].partition(" "), lines[start - 1][1]
            section = self.sentence(before[2:]) if before.startswith("# ") else ()
            heading = self.sentence(rest)
            blocks = tuple(self.blocks([line for line in lines[start + 1 : end] if not line[1].startswith("# ")]))
            if mark == "###":
                drawn = any(isinstance(block, Picture) for block in blocks)  # and leaves no room for the question
                blocks = blocks if drawn else (Text(heading), *blocks)
                heading = (*self.words("answer"), f" {self.questions.index(rest) + 1}")
            frames.append(Frame(heading, blocks, section))
        return Deck(title, subtitle, self.words.language, tuple(frames))

    def texts(self, lines: Iterable[tuple[int, str]]) -> Iterator[str]:
        for self.line, text in lines:
            yield text

    def blocks(self, lines: Sequence[tuple[int, str]]) -> Iterator[Block]:
        """Yield the blocks of a slide: lines that begin with the same sign are one block."""
        for mark, group in groupby(lines, key=lambda line: line[1].partition(" ")[0]):
            texts = self.texts(group)
            match mark:
                case "$$":
                    formulas, reasons = zip(*(self.formula(text[3:]) for text in texts), strict=True)
                    yield Formula(formulas, reasons if any(reasons) else ())
                case "-":
                    yield Bullets(tuple(self.sentence(text[2:]) for text in texts))
                case "|":
                    yield self.table([[cell.strip() for cell in text.strip("|").split("|")] for text in texts])
                case _:
                    yield from map(self.block, texts)

    def block(self, text: str) -> Block:
        if text == "?":  # the lists of questions in a document share them
            k, lists, asked = self.lists.index(self.line), len(self.lists), len(self.questions)
            return Bullets(tuple(map(self.sentence, self.questions[asked * k // lists : asked * (k + 1) // lists])))
        if text.startswith("**"):
            return Text(self.sentence(text.strip("*")), key=True)
        if found := _PICTURE.fullmatch(text):
            return Picture(self.values[found[2]], self.sentence(found[1]))
        block = self.values.get(text[1:-1])
        return block if isinstance(block, Block) else Text(self.sentence(text))

    def table(self, rows: Sequence[Sequence[str]]) -> Table:
        align = "".join(_ALIGN.get(cell, "") for cell in rows[min(1, len(rows) - 1)])
        if {len(row) for row in rows} != {len(align)}:
            raise RoofproofError("expected a table whose second row aligns each column, such as | :-- | --: |")
        head, *cells = (tuple(map(self.sentence, row)) for k, row in enumerate(rows) if k != 1)
        return Table(head, tuple(cells), align)

    def formula(self, text: str) -> tuple[str, Inline]:
        """Return a line of a formula, aligned at its first relation, and its reason."""
        formula, bar, reason = map(str.strip, text.partition("|"))
        (whole,) = fill(f"${formula}$", self.values)
        assert isinstance(whole, Math)
        tex = whole.tex if "&" in whole.tex else _RELATION.sub(r"&\g<0>", whole.tex, count=1)
        return tex, self.sentence(reason) if bar else ()

    def sentence(self, text: str) -> Inline:
        """Return a sentence in the language; one without words is the same in both."""
        said = text.split(" // ")
        if len(said) != len(LANGUAGES) and (len(said) > 1 or re.search(r"[^\W\d_]", _FORMULA.sub("", text))):
            raise RoofproofError(f"expected English // Chinese, got {quoted(text)}")
        return fill(said[LANGUAGES.index(self.words.language) % len(said)], self.values)
