"""Slides that an author wrote in Markdown, placed between the derived slides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from roofproof.errors import RoofproofError, quoted
from roofproof.export.slides.images import image
from roofproof.export.slides.model import (
    PARAGRAPH,
    Block,
    Bullets,
    Code,
    Display,
    Frame,
    Inline,
    Math,
    Picture,
    Strong,
    Table,
    Text,
)
from roofproof.export.slides.tex import input_tex
from roofproof.teach.formulas import TexFormula, formula
from roofproof.teach.marked_text import parse_text

MOST = 1024**2  # bytes of a file
_NOTE = re.compile(r"<!--(.*?)-->", re.S)
_POINT = re.compile(r"[-*+]\s+(.*)")
_PICTURE = re.compile(r"!\[(.+)\]\(([^()]+)\)")
_LINK = re.compile(r"\[([^\[\]]+)\]\((https?://[^()\s]+)\)")
_MARKED = re.compile(
    r"\$[^$]*\$|`(?P<code>[^`$\n]+)`|\*\*(?=[^\s*])(?P<strong>[^*]+)(?<=\S)\*\*"
    r"|(?<![A-Za-z0-9_*])\*(?=[^\s*])(?P<emphasis>[^*\n]+)(?<=\S)\*(?![A-Za-z0-9_*])"
)
_MARK = "\0"  # a placeholder for marked text while the words around it are read
_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
_LISTED = re.compile(r"(\d+)\.\s+(.*)")
_ROW = re.compile(r"&?=|[<>]|\\(?:leq?|geq?|to|approx)(?![A-Za-z])")


class _Braces(dict[str, str]):
    """Braces in text, which are not gaps here."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def own_slides(text: str, where: str, home: Path) -> tuple[Frame, ...]:
    r"""Return slides written in Markdown: `## title` begins one, `# title` a section, `<!-- ... -->` is spoken text.

    >>> own, = own_slides("## Hook\n\n50 ms or **5 s**?\n\n- $I > R$\n\n<!-- Wait. -->", "own.md", Path("."))
    >>> own.title, own.blocks[0].words, own.note
    (('Hook',), ('50 ms or ', '5 s', '?'), ('Wait.',))
    >>> own_slides("## Hook\n\n<b>now</b>", "own.md", Path("."))
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: own.md, line 3: '<b' is markup of TeX, Markdown or HTML that is not read; write ...

    Raises RoofproofError, with file and line, for unsupported markup and for a missing picture.
    """
    return tuple(_Reader(text, where, home).frames())


class _Reader:
    def __init__(self, text: str, where: str, home: Path) -> None:
        self.where, self.home, self.line = where, home, 1
        self.notes: dict[int, str] = {}  # by the line on which they begin
        kept = _NOTE.sub(self._note, text.replace("\r\n", "\n"))
        self.lines = [*kept.split("\n"), ""]

    def _note(self, found: re.Match[str]) -> str:
        self.notes[found.string.count("\n", 0, found.start()) + 1] = found[1].strip()
        return "\n" * found[0].count("\n")

    def error(self, why: object) -> RoofproofError:
        return RoofproofError("<where>, line <line>: <why>", where=self.where, line=self.line, why=why)

    def frames(self) -> Iterator[Frame]:
        starts = [n for n, line in enumerate(self.lines) if line.startswith("## ")]
        if not starts:
            raise self.error("no slide; write ## and a title")
        section: Inline = ()
        for n, line in enumerate(self.lines[: starts[0]]):
            section = self._section(n, line) or section
        for start, end in zip(starts, [*starts[1:], len(self.lines)], strict=True):
            self.line = start + 1
            title = self.sentence(self.lines[start][3:].strip())
            following: Inline = ()
            for n in range(start + 1, end):
                following = self._section(n, self.lines[n], after=True) or following
            body = [(n, "" if self.lines[n].startswith("# ") else self.lines[n]) for n in range(start + 1, end)]
            yield Frame(title, tuple(self.blocks(body)), section, self.spoken_text(start + 1, end))
            section = following

    def _section(self, n: int, line: str, after: bool = False) -> Inline:
        self.line = n + 1
        if line.startswith("# "):
            return self.sentence(line[2:].strip())
        if line.strip() and not after and line.strip() != "---":
            raise self.error(f"expected ## and a title before {quoted(line.strip())}")
        return ()

    def spoken_text(self, start: int, end: int) -> Inline:
        out: list[str | Math | Code] = []
        for line in (n for n in sorted(self.notes) if start <= n <= end):
            self.line = line
            for each in re.split(r"\n\s*\n", self.notes[line]):
                out += [*([PARAGRAPH] if out else []), *self.sentence(" ".join(each.split()))]
        return tuple(out)

    def blocks(self, body: list[tuple[int, str]]) -> Iterator[Block]:
        at = 0
        while at < len(body):
            self.line, line = body[at][0] + 1, body[at][1].strip()
            end = at + 1
            if line.startswith("$$"):
                while not (body[end - 1][1].rstrip().endswith("$$") and (end > at + 1 or len(line) > 3)):
                    if end == len(body):
                        raise self.error("$$ is missing at the end of a formula")
                    end += 1
                yield self.formula(" ".join(text.strip() for _, text in body[at:end])[2:-2])
            elif line.startswith("|"):
                while end < len(body) and body[end][1].strip().startswith("|"):
                    end += 1
                yield self.table([text.strip() for _, text in body[at:end]])
            elif _POINT.fullmatch(line) and not line.startswith("**"):
                while end < len(body) and body[end][1].strip():
                    end += 1
                yield self.points([text.strip() for _, text in body[at:end]])
            elif found := _PICTURE.fullmatch(line):
                try:
                    yield Picture(image(self.home, found[2]), self.sentence(found[1]))
                except RoofproofError as problem:
                    raise problem if str(problem).startswith(self.where) else self.error(problem) from None
            elif line.startswith(("```", "~~~")):
                raise self.error("a block of code is not read; show it as `code` on its line, or as a picture")
            elif line and line != "---":
                while end < len(body) and self.goes_on(body[end][1].strip()):
                    end += 1
                yield self.paragraph(" ".join(text.strip() for _, text in body[at:end]))
            at = end

    @staticmethod
    def goes_on(line: str) -> bool:
        return bool(line) and not line.startswith(("|", "$$", "![", "```", "- ", "* ", "+ ")) and line != "---"

    def paragraph(self, text: str) -> Text:
        key = re.fullmatch(r"\*\*([^*]+)\*\*", text)
        return Text(self.sentence(key[1] if key else re.sub(r"^#{3,6} ", "", text)), key=bool(key))

    def points(self, lines: list[str]) -> Bullets:
        items: list[str] = []
        for line in lines:
            if found := _POINT.fullmatch(line):
                items.append(found[1])
            else:
                items[-1] += f" {line}"
        return Bullets(tuple(map(self.sentence, items)))

    def table(self, lines: list[str]) -> Table:
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        if len(lines) < 2 or not _RULE.fullmatch(lines[1]) or len(set(map(len, rows))) > 1:
            raise self.error("expected a table whose second row aligns each column, such as | :-- | --: |")
        align = "".join("r" if c.endswith(":") and c[0] != ":" else "c" if c.endswith(":") else "l" for c in rows[1])
        head, *cells = (tuple(map(self.sentence, row)) for k, row in enumerate(rows) if k != 1)
        return Table(head, tuple(cells), align)

    def formula(self, text: str) -> Display:
        try:
            lines = [formula(line).tex for line in text.split(r"\\") if line.strip()]
        except RoofproofError as problem:
            raise self.error(problem) from None
        return Display(tuple(input_tex(_ROW.sub(lambda sign: f"&{sign[0]}", line, count=1)) for line in lines))

    def sentence(self, text: str) -> Inline:
        """Return a sentence with its markup, and with the address of each link after its text."""
        if found := _LISTED.fullmatch(text):  # a numbered point keeps its number
            return (f"{found[1]}. ", *self.sentence(found[2]))
        if _MARK in text:
            raise self.error("a control character is not read")
        marked: list[Inline] = []

        def mark(found: re.Match[str]) -> str:
            if found.lastgroup is None:  # a formula
                return found[0]
            inner = (Code(found["code"]),) if found["code"] else self.sentence(found["strong"] or found["emphasis"])
            marked.append(tuple(Strong(each) if isinstance(each, str) else each for each in inner))
            return _MARK

        try:
            pieces = parse_text(_MARKED.sub(mark, _LINK.sub(r"\1 (`\2`)", text)), _Braces())
        except RoofproofError as problem:
            raise problem if str(problem).startswith(self.where) else self.error(problem) from None
        kept = iter(marked)
        return tuple(part for piece in pieces for part in _parts(piece, kept))


def _parts(piece: str | TexFormula, marked: Iterator[Inline]) -> Iterator[str | Math | Code]:
    if isinstance(piece, TexFormula):
        yield Math(input_tex(piece.tex))
        return
    for each in re.split(f"({_MARK})", piece):
        if each == _MARK:
            yield from next(marked)
        elif each:
            yield each
