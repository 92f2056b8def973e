"""Documents of titles, sentences and formulas in two languages, in which every value is derived.

A document is a template with a line for each title, sentence, formula and row. `docs/slides.md` describes the syntax.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.export.slides.course_values import for_slide
from roofproof.export.slides.filling import Lines
from roofproof.export.slides.images import image
from roofproof.export.slides.model import (
    PARAGRAPH,
    Block,
    Bullets,
    Code,
    Deck,
    Display,
    Frame,
    Inline,
    Math,
    Picture,
    Table,
    Text,
)
from roofproof.export.slides.terms import LANGUAGES, SlideWords, fill
from roofproof.export.slides.tex import Tex, input_tex

_PICTURE = re.compile(r"!\[(.+)\]\(<([a-j]+)>\)")
_IMAGE = re.compile(r"!\[(.+)\]\(([^()<>]+)\)")
_FORMULA = re.compile(r"\$[^$]+\$|<[a-j]+>")
_RELATION = re.compile(r"=|<|>|\\(?:leq|geq|to|approx)\b")
_COMMAND = re.compile(r"\\([A-Za-z@]+)|(\^\^)")
COMMANDS = (
    "Bigg", "Leftrightarrow", "approx", "cdot", "displaystyle", "dfrac", "frac", "geq", "iff", "infty", "left", "leq",
    "ll", "gg", "lvert", "max", "min", "neq", "qquad", "quad", "right", "rvert", "sqrt", "sum", "text", "tfrac",
    "times", "to", "vert", "vphantom",
)  # fmt: skip
AGENDA = "?sections"  # a line that stands for the list of sections
_ALIGN = {":--": "l", ":-:": "c", "--:": "r"}


class Document:
    """A reader of lines as slides in one language, which keeps the number of the current line.

    >>> reader = Document(SlideWords("zh"))
    >>> lines = ["Ridge points // 临界强度", "An example // 例", "## One chip // 一个芯片", "$$ I > R"]
    >>> deck = reader.deck(list(enumerate(lines, 1)))
    >>> deck.frames[0].title, deck.frames[0].blocks
    (('一个芯片',), (Display(lines=('I &> R',), reasons=()),))
    """

    def __init__(
        self, words: SlideWords, orders: Mapping[Any, Any] | None = None, alone: bool = False, home: Path | None = None
    ) -> None:
        self.alone = alone  # only one language, so no `//`
        self.home = home  # the folder of its pictures
        self.words, self.line, self.orders = words, 1, {} if orders is None else orders
        self.values: dict[str, Any] = {}  # printed values, by their placeholder names in the lines

    def keep(self, value: Any) -> str:
        """Return a placeholder for a value in the lines, such as `<a>`."""
        name = "".join("abcdefghij"[int(digit)] for digit in str(len(self.values)))
        self.values[name] = for_slide(value, self.words, self.orders)
        return f"<{name}>"

    def deck(self, source: Lines) -> Deck:
        """Return the deck that lines describe."""
        lines = [(number, text.strip()) for number, text in source if text.strip()]
        self.sections = [line[2:] for _, line in lines if line.startswith("# ")]
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
            shown = [line for line in lines[start + 1 : end] if not line[1].startswith(("# ", "> "))]
            note = tuple(self.spoken_text([line for line in lines[start + 1 : end] if line[1].startswith("> ")]))
            blocks = tuple(block for block in self.blocks(shown) if block != Text(()))
            if mark == "###":
                drawn = any(isinstance(block, Picture) for block in blocks)  # a plot leaves no room for the question
                blocks = blocks if drawn else (Text(heading), *blocks)
                heading = (*self.words("Answer"), f" {self.questions.index(rest) + 1}")
            frames.append(Frame(heading, blocks, section, note))
        return Deck(title, subtitle, self.words.language, tuple(frames))

    def spoken_text(self, lines: Lines) -> Iterator[str | Math | Code]:
        """Yield the spoken text of a slide, paragraph by paragraph."""
        for n, text in enumerate(self.texts(lines)):
            yield from (*([PARAGRAPH] if n else []), *self.sentence(text[2:]))

    def texts(self, lines: Iterable[tuple[int, str]]) -> Iterator[str]:
        for self.line, text in lines:
            yield text

    def blocks(self, lines: Sequence[tuple[int, str]]) -> Iterator[Block]:
        """Yield the blocks of a slide: consecutive lines that begin with the same sign form one block."""
        for mark, group in groupby(lines, key=lambda line: line[1].partition(" ")[0]):
            texts = self.texts(group)
            match mark:
                case "$$":
                    formulas, reasons = zip(*(self.formula(text[3:]) for text in texts), strict=True)
                    yield Display(formulas, reasons if any(reasons) else ())
                case "-":
                    yield Bullets(tuple(self.sentence(text[2:]) for text in texts))
                case "|":
                    yield self.table([[cell.strip() for cell in text.strip("|").split("|")] for text in texts])
                case _:
                    yield from map(self.block, texts)

    def block(self, text: str) -> Block:
        if text == "?":  # several lists in a document share the questions
            k, lists, asked = self.lists.index(self.line), len(self.lists), len(self.questions)
            return Bullets(tuple(map(self.sentence, self.questions[asked * k // lists : asked * (k + 1) // lists])))
        if text == AGENDA:
            return Bullets(tuple(map(self.sentence, self.sections)))
        if text.startswith("**"):
            return Text(self.sentence(text.strip("*")), key=True)
        if found := _PICTURE.fullmatch(text):
            if not callable(self.values[found[2]]):
                raise RoofproofError("expected a plot of the course, such as ![about // 说明](<< roof >>)")
            return Picture(self.values[found[2]], self.sentence(found[1]))
        if (file := _IMAGE.fullmatch(text)) and self.home is not None:
            return Picture(image(self.home, file[2].strip()), self.sentence(file[1]))
        if "![" in text:
            raise RoofproofError("put each picture on a separate line, such as ![about // 说明](photo.png)")
        block = self.values.get(text[1:-1])
        return block if isinstance(block, Block) else Text(self.sentence(text))

    def table(self, rows: Sequence[Sequence[str]]) -> Table:
        align = "".join(_ALIGN.get(cell, "") for cell in rows[min(1, len(rows) - 1)])
        if {len(row) for row in rows} != {len(align)}:
            raise RoofproofError("expected a table whose second row aligns each column, such as | :-- | --: |")
        head, *cells = (tuple(map(self.sentence, row)) for k, row in enumerate(rows) if k != 1)
        return Table(head, tuple(cells), align)

    def formula(self, text: str) -> tuple[Tex, Inline]:
        """Return a line of a formula, aligned at its first relation sign, and its reason."""
        formula, bar, reason = map(str.strip, text.partition("|"))
        _refuse_commands(formula)
        (whole,) = fill(f"${formula}$", self.values)
        assert isinstance(whole, Math)
        tex = whole.tex if "&" in whole.tex else input_tex(_RELATION.sub(r"&\g<0>", whole.tex, count=1))
        return tex, self.sentence(reason) if bar else ()

    def sentence(self, text: str) -> Inline:
        """Return a sentence in the reader's language. A sentence without words is the same in both languages."""
        said = text.split(" // ")
        worded = len(said) > 1 or re.search(r"[^\W\d_]", _FORMULA.sub("", text))
        if len(said) != len(LANGUAGES) and worded and not self.alone:
            raise RoofproofError("expected English // Chinese, got <text>", text=quoted(text))
        _refuse_commands(text)
        found = fill(said[LANGUAGES.index(self.words.language) % len(said)], self.values)
        if not all(isinstance(part, str | Math | Code) for part in found):
            raise RoofproofError("expected words and formulas, got a table or a plot in <text>", text=quoted(text))
        return found


def _refuse_commands(text: str) -> None:
    """Raise RoofproofError for a TeX command in an author's formula, except for mathematical symbols."""
    for found in _COMMAND.finditer(text):
        if found[1] not in COMMANDS:
            raise unknown("command in a formula", found[0], [f"\\{each}" for each in COMMANDS])
