r"""A parser for the claims in a page and for the settings in its front matter.

Code, comments and verbatim text are skipped. Nothing is rendered and nothing is run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from roofproof.claims.language.book import blocks_of
from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.toml import read_bytes

MAX_BYTES = 2 * 1024 * 1024
MAX_CLAIMS = 2_000
ENDINGS = {".md": "markdown", ".markdown": "markdown", ".myst": "markdown", ".qmd": "markdown", ".rst": "rest",
           ".tex": "latex", ".ltx": "latex"}  # fmt: skip
SCOPE = ("op", "chip", "regime", "given", "let", "tolerance")
OPTIONS = (*SCOPE, "expect", "shown", "hidden", "name")
_HEAD = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.MULTILINE | re.DOTALL)
_MARKDOWN = re.compile(
    r"^(?P<fence>[ >]*(?P<ticks>`{3,}|~{3,}|:{3,})[ \t]*(?:\{(?P<directive>claim|claim-scope)\}[ \t]*(?P<first>[^\n]*)"
    r"|(?P<other>[^\n]*)))$"
    r"|<!--[ \t]*(?P<comment>claim|derived):(?P<said>.*?)-->(?:(?P<between>[^<]*)<!--[ \t]*/(?P=comment)[ \t]*-->)?"
    r"|(?P<skip><!--)|\{(?P<role>claim|derived)\}(?P<mark>`+)(?P<text>.+?)(?P=mark)|(?P<code>`+)",
    re.MULTILINE | re.DOTALL,
)
_REST = re.compile(
    r"^(?P<indent>[ \t]*)\.\.[ \t]+(?P<directive>claim|claim-scope)::[ \t]*(?P<first>[^\n]*)$"
    r"|^(?P<literal>[ \t]*)(?:\.\.[ \t]+(?:code|code-block|sourcecode|literalinclude|raw|math|comment)::[^\n]*"
    r"|(?!\.\.)[^\n]*::)[ \t]*$"
    r"|(?P<code>``.+?``)|:(?P<role>claim|derived):(?P<mark>`)(?P<text>[^`]+)`",
    re.MULTILINE | re.DOTALL,
)
_LATEX = re.compile(
    r"\\begin\{(?P<verbatim>verbatim\*?|lstlisting|minted|comment)\}|\\verb\*?(?P<verb>[^A-Za-z\s])"
    r"|(?P<twice>\\\\)|(?P<escaped>\\%)|(?P<comment>%)"
    r"|\\(?P<macro>claimscope|claim|derived)(?P<star>\*?)(?![A-Za-z])"
)


@dataclass(frozen=True, slots=True)
class PageClaim:
    """A claim or a value to print, as written in a page. `shown` is the text of the sentence, or None for the claim.

    `problem` is the reason why it cannot be parsed. `raw` is the original text of a LaTeX macro.
    """

    says: str
    line: int
    kind: str = "claim"
    shown: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class AnnotatedPage:
    """The claims of a page, in order, and its settings for all of them: `op`, `chip`, `regime`, `given`, `let`."""

    file: str
    scope: Mapping[str, str]
    written: tuple[PageClaim, ...]

    @property
    def alone(self) -> Iterator[AnnotatedPage]:
        """The page once for each of its claims, with only that claim."""
        return (replace(self, written=(each,)) for each in self.written)


def books_and_pages(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which files are claims files and which are pages, by their names. A page with fenced blocks is both.

    >>> books_and_pages(["chapter.md", "chapter.claims.toml", "notes"])
    (['chapter.claims.toml', 'notes'], ['chapter.md'])
    """
    books: list[str] = []
    pages: list[str] = []
    for path in paths:
        if (language := language_of(path)) is not None:
            pages.append(path)
        if language is None or (language == "markdown" and _has_blocks(path)):
            books.append(path)
    return books, pages


def _has_blocks(path: str) -> bool:
    try:
        return bool(blocks_of(read_bytes(path, MAX_BYTES).decode("utf-8-sig", "replace")))
    except RoofproofError:  # reading the page reports the error
        return False


def read_page(path: str) -> AnnotatedPage:
    """Return the claims of the page in a file.

    >>> read_page("chapter.pdf")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown kind of page 'chapter.pdf'; known: .ltx, .markdown, .md, .myst, .qmd, ...
    """
    language = language_of(path)
    if language is None:
        known = ", ".join(sorted(ENDINGS))
        raise RoofproofError("unknown kind of page <path>; known: <known>", path=quoted(path), known=known)
    content = read_bytes(path, MAX_BYTES)
    if len(content) > MAX_BYTES:
        raise RoofproofError("<path>: larger than <most> MiB; split the page", path=path, most=MAX_BYTES // 1024**2)
    try:
        return page_from_text(content.decode("utf-8-sig"), path, language)
    except UnicodeDecodeError:
        raise RoofproofError("<path>: not UTF-8 text", path=path) from None


def language_of(path: str) -> str | None:
    """Return the language of a page by its file extension, or None for a file that is not a page.

    >>> language_of("chapter.md"), language_of("book.toml")
    ('markdown', None)
    """
    return next((language for ending, language in ENDINGS.items() if path.lower().endswith(ending)), None)


def page_from_text(text: str, file: str = "page.md", language: str = "markdown") -> AnnotatedPage:
    r"""Return the claims of a page.

    >>> page = page_from_text("---\nroofproof:\n  op: matmul\n---\nIt does {claim}`flops(op) == 2 B D F`.\n")
    >>> page.scope, page.written[0].says, page.written[0].line
    ({'op': 'matmul'}, 'flops(op) == 2 B D F', 5)

    Raises RoofproofError, with the line, for front matter that cannot be parsed.
    """
    text = text.replace("\r\n", "\n")
    place = _Lines(text)
    scope: dict[str, str] = {}
    at = 0
    if language == "markdown" and (head := _HEAD.match(text)):
        at = head.end()
        scope = _front_matter(head[1], file)
    found = {"markdown": _markdown, "rest": _rest, "latex": _latex}[language](text, at, place)
    written: list[PageClaim] = []
    for each in found:
        if each.kind == "scope":
            _checked(each.options, SCOPE, f"{file}:{each.line}: ")
            scope |= each.options
        else:
            written.append(each)
        if len(written) > MAX_CLAIMS:
            raise RoofproofError("<file>: more than <most> claims; split the page", file=file, most=MAX_CLAIMS)
    return AnnotatedPage(file, scope, tuple(written))


class _Lines:
    def __init__(self, text: str) -> None:
        self.breaks = [i for i, sign in enumerate(text) if sign == "\n"]

    def __call__(self, offset: int) -> int:
        return bisect_right(self.breaks, offset - 1) + 1


def _checked(options: Mapping[str, str], known: tuple[str, ...], where: str) -> None:
    for name in options:
        try:
            refuse_unknown("option of a claim", name, known)
        except RoofproofError as problem:
            raise RoofproofError("<where><problem>", where=where, problem=problem) from None


def _front_matter(head: str, file: str) -> dict[str, str]:
    """Parse the front matter under `roofproof:`: keys with text values, and `let` with text or with nested keys."""
    scope: dict[str, str] = {}
    inside, below = False, ""
    for number, line in enumerate(head.splitlines(), 2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line[0].isspace():
            inside, below = line.rstrip() == "roofproof:", ""
            continue
        if not inside:
            continue
        key, colon, value = line.strip().partition(":")
        value = value.strip()
        if value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1:
            value = value[1:-1]
        deeper = below and len(line) - len(line.lstrip()) > int(below)
        if not colon or value[:1] in ("[", "{", "|", ">", "&", "*", "!"):
            cure = "expected NAME: TEXT, such as op: matmul"
            raise RoofproofError(
                "<file>:<number>: <text> cannot be read; <cure>",
                file=file,
                number=number,
                text=quoted(line.strip()),
                cure=cure,
            )
        if deeper:
            scope["let"] = f"{scope['let']}; {key.strip()} = {value}".removeprefix("; ")
            continue
        below = str(len(line) - len(line.lstrip())) if key == "let" and not value else ""
        _checked({key: value}, SCOPE, f"{file}:{number}: ")
        scope[key] = value
    return scope


def of_role(kind: str, text: str, line: int) -> PageClaim:
    """Return the claim of a role: `SHOWN | PROPOSITION`, `| PROPOSITION` to show nothing, or only a proposition.

    >>> found = of_role("claim", "from 3 on | 2 n > 4 => n > 2", 1)
    >>> found.shown, found.says
    ('from 3 on', '2 n > 4 => n > 2')
    """
    text = " ".join(text.split())
    if kind == "claim" and "|" in text:
        shown, _, says = text.partition("|")
        return PageClaim(says.strip(), line, kind, shown.strip())
    return PageClaim(text, line, kind)


def _read_directive(body: list[str], first: str, line: int, directive: str) -> PageClaim:
    options: dict[str, str] = {}
    while body and (option := re.fullmatch(r"\s*:([a-z-]+):(.*)", body[0])):
        options[option[1]] = option[2].strip()
        body = body[1:]
    if directive == "claim-scope":
        return PageClaim("", line, "scope", options=options)
    return of_directive([first, *body], options, line)


def of_directive(body: Iterable[str], options: Mapping[str, str], line: int) -> PageClaim:
    """Return the claim of a directive, from its lines, with the options as assumptions and as shown text.

    >>> of_directive(["x > 1"], {"given": "x > 2", "hidden": ""}, 1).shown
    ''
    """
    says = " ".join(" ".join(body).split())
    shown = "" if "hidden" in options else options.get("shown")
    problem = ""
    try:
        _checked(options, OPTIONS, "")
    except RoofproofError as refused:
        problem = str(refused)
    return PageClaim(says, line, "claim", shown, options, problem)


def _markdown(text: str, at: int, place: _Lines) -> Iterator[PageClaim]:
    while found := _MARKDOWN.search(text, at):
        at, line = found.end(), place(found.start())
        if found["fence"] is not None:
            ticks = found["ticks"]
            if found["directive"] is None and ticks[0] == ":":
                continue  # a block of text
            close = re.compile(rf"^[ >]*{re.escape(ticks[0])}{{{len(ticks)},}}[ \t]*$", re.MULTILINE).search(text, at)
            stop = close.start() if close else len(text)
            if found["directive"]:
                body = text[at:stop].strip("\n").splitlines()
                yield _read_directive(body, found["first"] or "", line, found["directive"])
            at = close.end() if close else len(text)
        elif found["comment"] is not None:
            said = " ".join(found["said"].split())
            yield PageClaim(said, line, found["comment"], (found["between"] or "").strip())
        elif found["skip"] is not None:
            stop = text.find("-->", at)
            at = len(text) if stop < 0 else stop + 3
        elif found["role"] is not None:
            yield of_role(found["role"], found["text"], line)
        else:
            close = re.compile(rf"(?<!`){found['code']}(?!`)").search(text, at)
            at = close.end() if close else at


def _rest(text: str, at: int, place: _Lines) -> Iterator[PageClaim]:
    while found := _REST.search(text, at):
        at, line = found.end(), place(found.start())
        if found["directive"] is not None or found["literal"] is not None:
            indent = len(found["indent"] if found["indent"] is not None else found["literal"])
            body, stop = _below(text, at, indent)
            if found["directive"] is not None:
                rows = [row for row in body if row.strip()]
                yield _read_directive(rows, found["first"], line, found["directive"])
            at = max(at, stop)
        elif found["role"] is not None:
            yield of_role(found["role"], found["text"], line)


def _below(text: str, at: int, indent: int) -> tuple[list[str], int]:
    """Return the lines below an offset that are indented further, and the offset at which they end."""
    rows: list[str] = []
    stop = at + 1
    for row in text[at + 1 :].splitlines(keepends=True):
        if row.strip() and len(row) - len(row.lstrip()) <= indent:
            break
        rows.append(row.rstrip("\n"))
        stop += len(row)
    return rows, min(stop, len(text))


def _latex(text: str, at: int, place: _Lines) -> Iterator[PageClaim]:
    while found := _LATEX.search(text, at):
        at, line = found.end(), place(found.start())
        if found["verbatim"]:
            stop = text.find(rf"\end{{{found['verbatim']}}}", at)
            at = len(text) if stop < 0 else stop
        elif found["verb"]:
            stop = text.find(found["verb"], at)
            at = len(text) if stop < 0 else stop + 1
        elif found["comment"]:
            stop = text.find("\n", at)
            at = len(text) if stop < 0 else stop
        elif found["macro"]:
            if re.search(r"\\(?:re)?newcommand\*?\{?\Z", text[max(0, found.start() - 20) : found.start()]):
                continue
            optional, at = _argument(text, at, "[", "]")
            given, at = _argument(text, at, "{", "}")
            if given is None:
                yield PageClaim(
                    "", line, problem=rf"\{found['macro']} is never closed; expected \{found['macro']}{{...}}"
                )
                continue
            yield _of_macro(found["macro"], bool(found["star"]), optional, given, line)


def _of_macro(macro: str, star: bool, optional: str | None, given: str, line: int) -> PageClaim:
    if macro == "claimscope":
        parts = re.findall(r"([a-z]+)\s*=\s*(?:\{([^{}]*)\}|([^,{}]*))", given)
        return PageClaim("", line, "scope", options={name: _plain(a or b) for name, a, b in parts})
    if macro == "derived":
        return PageClaim(_plain(given), line, "derived", raw=given)
    if optional is not None:
        return PageClaim(_plain(optional), line, "claim", _plain(given), raw=f"{optional} | {given}")
    return PageClaim(_plain(given), line, "claim", "" if star else None, raw=given)


def _plain(text: str) -> str:
    """Return the text of a macro in the claim language: `\\_` is an underscore, and `\\%` a percent sign."""
    return " ".join(re.sub(r"\\([_%#&$])", r"\1", text).split())


def _argument(text: str, at: int, opening: str, closing: str) -> tuple[str | None, int]:
    start = at
    while start < len(text) and text[start] in " \t\n":
        start += 1
    if text[start : start + 1] != opening:
        return None, at
    depth = 0
    for k in range(start, min(len(text), start + 10_000)):
        sign = text[k]
        if sign == "\\":
            continue
        if sign == opening or (sign == "{" and opening == "["):
            depth += 1
        elif (sign == closing and (opening != "[" or depth == 1)) or (sign == "}" and opening == "["):
            depth -= 1
            if depth == 0:
                return text[start + 1 : k], k + 1
    return None, at
