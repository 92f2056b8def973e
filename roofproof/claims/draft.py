r"""Draft claims: each formula of a chapter with its line, as a claim or with the reason why it is not one.

A chapter is Markdown or TeX. Its formulas are delimited by TeX (`$...$`, `\[...\]`, `equation`). In Markdown, a code
span, a table cell or a line of its own can be a formula, too. Nothing is guessed from the surrounding words: a claim
repeats its formula, with `==` for `=`. A definition of a name, `T = 2BD`, is not checkable until you describe the name.
The value of a name comes from the formula itself. A number may also come from the same sentence. The value is written
into the claim. A draft expects no verdict.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from roofproof.claims.language.book import Unusable, book_from_text
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.latex import CONDITIONS, FRAMES, ROWED, latex_tokens, tree_of
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read, read_statement
from roofproof.formula.tokens import KEYWORDS, Token, error_at
from roofproof.formula.tree import Comparison, Name, Op, Tree, is_statement, names_in, rebuild
from roofproof.formula.units import MEASURES, counted_by, unit_of
from roofproof.sentences import Sentence
from roofproof.toml import read_bytes

MAX_BYTES = 2 * 1024 * 1024
MAX_CHARACTERS = 100_000  # of all formulas
MAX_FORMULA = 10_000
AFTER = 40  # characters after a formula that are searched for a unit
MAX_FORMULAS = 2_000
SHOWN = 200  # characters of a formula in a comment
TEX = (".tex", ".ltx", ".latex")
KNOWN = (".md", ".markdown", ".myst", ".qmd", ".rmd", ".txt", *TEX)
VALUE = "it states nothing"
BLANKS = "blanks inside '$ ... $': a formula, or money; write '$...$' without them"

_MATHEMATICS = rf"\\begin\{{(?P<environment>(?:{'|'.join((*FRAMES, *ROWED))})\*?)\}}"
_MARKDOWN = re.compile(
    r"(?P<head>\A---[ \t]*\n(?s:.*?)^---[ \t]*$)|(?P<fence>^[ >]*(?P<ticks>`{3,}|~{3,})(?P<kind>[^\n]*))|(?P<code>`+)"
    r"|(?P<skip><!--)|(?P<open>\$\$|\\\\\[|\\\[|\\\\\(|\\\()"
    + f"|{_MATHEMATICS}" + r"|(?P<escaped>\\.)|(?P<dollar>\$)",
    re.MULTILINE,
)  # fmt: skip
_TEX = re.compile(
    r"\\begin\{(?P<verbatim>verbatim\*?|lstlisting|minted|comment)\}|\\verb\*?(?P<verb>[^A-Za-z\s])|(?P<comment>%)"
    r"|(?P<twice>\\\\)|(?P<open>\$\$|\\\[|\\\()" + f"|{_MATHEMATICS}" + r"|(?P<escaped>\\.)|(?P<dollar>\$)"
)
_CLOSERS = {"$$": "$$", r"\[": r"\]", r"\(": r"\)", r"\\[": r"\\]", r"\\(": r"\\)"}
_TITLE = {True: r"\\(?:chapter|section|title)\*?\{([^{}]+)\}", False: r"^#+[ \t]+(.+)$"}
_RELATION = re.compile(r"[=≈≤≥≠]|(?<![-=<])>|<(?![-/!a-zA-Z])")
_PROSE = re.compile(r"[A-Za-z]{2,}[ \t]+[A-Za-z]{2,}|[\u3000-\u9fff\uff00-\uffef\0]|://|[\"'#$&?]|\w\(\)|[-=|]{3,}")
_ENDS, _BEGINS = ("name", "number", ")", "unit", "power"), ("name", "number", "(", "unit")  # tokens of values
_UNIT = re.compile(r"(?:[ \t]|\\[,;: ]|~)*([A-Za-zµμ]+(?:/[A-Za-z]+)?(?![A-Za-z])|%|毫秒|微秒|秒|字节)")
_STOPS = re.compile(
    r"[.!?][\"')]*(?=\s)|[。！？|]|\n[ \t>]*\n|\n[ \t>]*(?:#|[-*+][ \t]|\d+[.)][ \t])|\\(?:item|(?:sub)*section|par)\b"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim that a formula makes: its line, its text, the values of names in it, and the name that it defines."""

    line: int
    says: str
    let: Mapping[str, str]
    defines: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of a chapter: its text, its position, and its claims or the reason why it has none.

    `start` and `stop` are the offsets of the formula with its delimiters in the chapter, `at` is that of its text.
    """

    text: str
    at: int
    start: int
    stop: int
    line: int = 0
    display: bool = False
    plain: bool = False  # not in TeX
    claims: tuple[Stated, ...] = ()
    why: str | Sentence = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """The formulas of a chapter, in order. `names` maps words of the chapter to names in the claims."""

    file: str
    title: str
    formulas: tuple[Formula, ...]
    names: Mapping[str, str]

    @property
    def claims(self) -> tuple[Stated, ...]:
        """The claims of all formulas, in order."""
        return tuple(claim for each in self.formulas for claim in each.claims)

    @property
    def unread(self) -> tuple[Formula, ...]:
        """The formulas that may state something but could not be turned into a claim."""
        return tuple(each for each in self.formulas if each.why and each.why != VALUE)


def draft(path: str) -> Draft:
    """Return a draft of the claims in a chapter.

    >>> draft("no-such-chapter.md")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot read text 'no-such-chapter.md': No such file or directory

    Raises RoofproofError for a file that cannot be read, is not UTF-8, is too large, or is neither Markdown nor TeX.
    """
    ending = os.path.splitext(path)[1].lower()
    if ending not in KNOWN:
        name = quoted(os.path.basename(path))
        raise RoofproofError("<name>: expected a file in Markdown or TeX, such as lecture.md or lecture.tex", name=name)
    content = read_bytes(path, MAX_BYTES, "text ")
    if len(content) > MAX_BYTES:
        raise RoofproofError("<path>: larger than <most> MiB; split the file", path=path, most=MAX_BYTES // 1024**2)
    try:
        return draft_of(content.decode("utf-8-sig"), path, ending in TEX)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RoofproofError("<path>, line <line>: not UTF-8 text", path=path, line=line) from None


def draft_of(text: str, file: str, tex: bool = False) -> Draft:
    r"""Return a draft of the claims in a text. `file` is the file name in their sources.

    >>> made = draft_of("# Rooflines\n\n$$ \\frac{BDF}{DF} = B $$\n\nWith $P = 8$ it is $2 P = 16$ or $QK^T$.", "ch.md")
    >>> for each in made.claims:
    ...     print([each.line, each.says, dict(each.let), each.defines])
    [3, 'B D F / (D F) == B', {}, '']
    [5, 'P == 8', {}, 'P']
    [5, '2 P == 16', {'P': '8'}, '']
    >>> print(made.unread[0].line, made.unread[0].why)
    5 column 2: '^T' may be a transpose or a power; write '^{1 T}' for the power
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = formulas(text, tex)
    if sum(len(each.text) for each in found) > MAX_CHARACTERS:
        raise RoofproofError(
            "<file>: more than <most> characters of formulas; split the file", file=file, most=MAX_CHARACTERS
        )
    names, breaks = _Names(), _breaks(text)
    trees = [_tree(each, names, text[each.stop : each.stop + AFTER]) for each in found]
    values = [_defined(tree) if isinstance(tree, Tree) else {} for tree in trees]
    sentence = _sentences(text, found)
    read = []
    for k, (each, tree) in enumerate(zip(found, trees, strict=True)):
        near = [values[m] for m in range(len(found)) if sentence[m] == sentence[k] and m != k]
        try:
            stated = tuple(_claims(tree, values[k], near))
            claims = tuple(replace(one, line=_line(breaks, each.at + one.line)) for one in stated)
            read.append(replace(each, claims=claims))
        except RoofproofError as problem:
            read.append(replace(each, why=problem.said))
    heading = re.search(_TITLE[tex], text, re.MULTILINE)
    title = heading[1].strip() if heading else os.path.basename(file)
    return _usable(Draft(file, title, tuple(read), names.given))


def _claims(
    tree: Tree | RoofproofError, defined: Mapping[str, Tree], near: Sequence[Mapping[str, Tree]]
) -> Iterator[Stated]:
    """Yield the statements of a formula with the values of their names. `line` is an offset in the formula.

    Raises RoofproofError for a formula that is not a claim.
    """
    if isinstance(tree, RoofproofError):
        raise tree
    if not is_statement(tree):
        raise RoofproofError(VALUE)
    given = {n: v for values in near for n, v in values.items() if not names_in(v)}
    given = {n: v for n, v in given.items() if all(values.get(n, v) == v for values in near)} | dict(defined)
    for member in _members(tree):
        says = to_text(member)
        try:
            same = read_statement(says) == member
        except RoofproofError as problem:
            raise RoofproofError("as a claim: <problem>", problem=problem.said) from None
        if not same:
            raise _other(says)
        defines = next(iter(_defined(member)), "") if len(member.parts) == 2 else ""
        needed = () if defines else _needed(member, given)
        yield Stated(member.span[0], says, {n: to_text(given[n]) for n in needed}, defines)


def _needed(tree: Tree, given: Mapping[str, Tree]) -> tuple[str, ...]:
    """Return the names of a tree that have values, each after the names in its value, except circular ones."""
    found: dict[str, None] = {}

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in given and name not in found and name not in above:
            for inner in names_in(given[name]):
                add(inner, (*above, name))
            if not set(names_in(given[name])) & {name, *above}:
                found[name] = None

    for name in names_in(tree):
        add(name, ())
    return tuple(found)


def _members(tree: Tree) -> tuple[Tree, ...]:
    return tree.args if isinstance(tree, Op) and tree.head == "and" else (tree,)


def _defined(tree: Tree) -> dict[str, Tree]:
    """Return the names that statements such as `T = ...` define, with their values in order. `pi` is not defined."""
    found: dict[str, Tree] = {}
    for member in _members(tree):
        match member:
            case Comparison((Name(name), value, *_), ("==", *_)):
                if name != "pi" and name not in (*found, *names_in(value)):
                    found[name] = value
    return found


def _usable(made: Draft) -> Draft:
    """Return a draft without the claims that a claims file cannot contain or would read differently."""
    claims = iter(book_from_text(to_toml(made), made.file).claims)
    found = []
    for each in made.formulas:
        for stated in each.claims:
            claim = next(claims)
            if isinstance(claim, Unusable):
                each = replace(each, claims=(), why=re.sub(r"\A.*?: (says|let \w+): ", "", claim.message))
            elif claim.proposition is not None and claim.proposition != read_statement(stated.says):
                each = replace(each, claims=(), why=_other(stated.says).said)
        found.append(each)
    return replace(made, formulas=tuple(found))


def _other(says: str) -> RoofproofError:
    return RoofproofError("as a claim, <text> would be read in another way", text=quoted(says))


# --- finding and parsing formulas ---------------------------------------------------------------------------------


def formulas(text: str, tex: bool = False) -> list[Formula]:
    r"""Return the formulas of a document in order.

    >>> text = "The rule is $B > 240$ tokens, `I > 2 B`.\n\n`$HOME` costs \\$5\n\nT = 3 B\n\n\\[I = B\\]."
    >>> for found in formulas(text):
    ...     print(found.line, found.display, found.text)
    1 False B > 240
    1 False I > 2 B
    5 True T = 3 B
    7 True I = B

    Raises RoofproofError for more than 2,000 of them.
    """
    found, rest = [], list(text)
    for each, stop in _spans(text, tex):
        rest[each.start : stop] = ["\n" if sign == "\n" else "\0" for sign in text[each.start : stop]]
        if each.text or each.why:
            found.append(each)
        if len(found) > MAX_FORMULAS:
            raise RoofproofError("more than <most> formulas; split the document", most=MAX_FORMULAS)
    if not tex:
        found += _plain("".join(rest))
    breaks = _breaks(text)
    return sorted((replace(each, line=_line(breaks, each.start)) for each in found), key=lambda each: each.start)


def _breaks(text: str) -> list[int]:
    return [i for i, sign in enumerate(text) if sign == "\n"]


def _line(breaks: Sequence[int], at: int) -> int:
    return bisect_right(breaks, at - 1) + 1


def _spans(text: str, tex: bool) -> Iterator[tuple[Formula, int]]:
    """Yield each formula with the offset after its closing delimiter. Skipped text is a formula with an empty text."""
    pattern, at = (_TEX if tex else _MARKDOWN), 0
    while found := pattern.search(text, at):
        start, at, sign = found.start(), found.end(), found[0]
        inner = start if found.lastgroup == "environment" else at
        inside, display, plain, why = "", False, False, ""
        match found.lastgroup:
            case "open" | "environment":
                closer = _CLOSERS.get(sign) or rf"\end{{{found['environment']}}}"
                end = text.find(closer, at, at + MAX_FORMULA)
                display = sign[-1] != "("
                if end < 0:
                    why = Sentence("<sign> is never closed", sign=quoted(sign))
                else:
                    inside = text[at:end] if sign in _CLOSERS else text[start : end + len(closer)]
                    at = end + len(closer)
            case "dollar":
                end, why = _closing_dollar(text, at, tex)
                if end < 0:
                    continue
                inside, at = text[at:end], end + 1
            case "fence":
                end = _line_of(text, found["ticks"], at)
                inside, display = (text[at:end] if found["kind"].strip() in ("math", "{math}") else ""), True
                at = min(end + len(found["ticks"]), len(text))
            case "code":
                closing = re.compile(rf"(?<!`){sign}(?!`)").search(text, at, at + MAX_FORMULA)
                if closing is None or "\n\n" in text[at : closing.start()]:
                    continue
                code = text[at : closing.start()]
                inside, plain, at = (
                    (code if _RELATION.search(code) and not _PROSE.search(code) else ""),
                    True,
                    closing.end(),
                )
            case "skip" | "verbatim":
                closer = "-->" if sign == "<!--" else rf"\end{{{found['verbatim']}}}"
                end = text.find(closer, at)
                at = len(text) if end < 0 else end + len(closer)
            case "comment" | "verb":
                end = text.find("\n" if sign == "%" else found["verb"], at)
                at = len(text) if end < 0 else end + 1
        if not tex and re.search(r"^[ \t]*>[^\n]*\Z", text[text.rfind("\n", 0, start) + 1 : start]):
            inside = re.sub(r"\n[ \t]*>", lambda quote: "\n" + " " * (len(quote[0]) - 1), inside)
        yield Formula(inside, inner, start, at, 0, display, plain, why=why), at


def _closing_dollar(text: str, start: int, tex: bool) -> tuple[int, str]:
    """Return the offset of the `$` that closes a formula, or -1 if the first `$` is a currency sign, and a problem.

    Markdown follows pandoc: no blank after the first `$` or before the last, no digit after the last, no code or empty
    line in between. With both blanks, other programs show a formula, so the problem is reported.
    """
    blank = not tex and text[start : start + 1].strip() == ""
    for found in re.compile(r"\\.|\$|`|\n[ \t]*\n", re.DOTALL).finditer(text, start, start + MAX_FORMULA):
        if found[0] == "$":
            apart = not text[found.start() - 1].strip()
            money = text[found.end() : found.end() + 1].isdigit() or apart != blank
            return (-1 if money and not tex else found.start()), (BLANKS if blank else "")
        if found[0][0] in "\n`":
            break
    return -1, ""


def _line_of(text: str, fence: str, start: int) -> int:
    """Return the offset of the next fence at the beginning of a line, or the end of the text if there is none."""
    found = re.compile(rf"^[ >]*{fence}", re.MULTILINE).search(text, start)
    return found.end() - len(fence) if found else len(text)


def _plain(text: str) -> Iterator[Formula]:
    """Yield the lines and table cells that are equations without prose: `T = 2 B D / P`."""
    for line in re.finditer(r"[^\n]+", text):
        for cell in re.finditer(r"[^|]+" if line[0].lstrip().startswith("|") else r".+", line[0]):
            shown = re.sub(r"\A[ \t>]*(?:[-*+]|\d+[.)])?[ \t]+|\A[ \t>]*", lambda m: " " * len(m[0]), cell[0])
            inside = shown.strip().rstrip(".,;:")
            if _RELATION.search(inside) and not _PROSE.search(inside):
                start = line.start() + cell.start() + len(shown) - len(shown.lstrip())
                yield Formula(inside, start, start, start + len(inside), 0, True, True)


def _sentences(text: str, found: Sequence[Formula]) -> list[int]:
    """Return for each formula the number of its sentence."""
    number, numbers = 0, [0] * min(1, len(found))
    for one, two in pairwise(found):
        between = text[one.stop : two.start]
        number += bool(_STOPS.search(between)) or one.text.rstrip()[-1:] in (*".。!?",)
        numbers.append(number)
    return numbers


class _Names:
    """The names for words of a chapter: `Memory Traffic` becomes Memory_Traffic, 算力 becomes word_1."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}

    def of(self, words: str) -> str:
        """Return the name for some words. Reject words that begin a condition."""
        if words in CONDITIONS:
            raise RoofproofError("<words> makes a condition; write it as '... \\implies ...'", words=quoted(words))
        plain = re.sub("[^A-Za-z0-9]+", "_", words).strip("_") if words.isascii() else ""
        if words not in self.given:
            taken = set(self.given.values())
            candidates = [plain] * bool(plain and not plain[0].isdigit()) + [
                f"word_{k}" for k in range(1, len(taken) + 2)
            ]
            self.given[words] = next(name for name in candidates if name not in taken)
        return self.given[words]

    def renamed(self, tree: Tree) -> Tree:
        """Return a tree in which every name that is also a function, a keyword or a unit is renamed."""
        if isinstance(tree, Name):
            word = tree.name
            taken = word in FUNCTIONS or word in KEYWORDS or (unit_of(word) is not None and word not in MEASURES)
            if taken:
                self.given[word] = f"{word}_"
                return replace(tree, name=f"{word}_")
        return rebuild(tree, self.renamed)


def _tree(each: Formula, names: _Names, after: str) -> Tree | RoofproofError:
    """Return the tree of a formula, or the error that prevents it, such as a unit that follows the formula."""
    unit = _UNIT.match(after)
    known = unit and (not unit[1].isascii() or unit_of(unit[1]) or unit[1] in MEASURES) and not counted_by(unit[1])
    if unit and known and _RELATION.search(each.text):
        said = "<unit> after it is a unit of a number in it, or of all; write it there"
        return RoofproofError(said, unit=quoted(unit[1]))
    try:
        if each.why:
            raise RoofproofError(each.why)
        if each.plain:
            return read(each.text)
        before = dict(names.given)
        found = latex_tokens(each.text, named=names.of)
        if any(token.kind in (">>", "<<") for token in found):
            raise RoofproofError('it makes a regime; write it into its claims, as in regime = "D, F >> B"')
        _refuse_doubts(found, each.text)
        return names.renamed(tree_of(each.text, found))
    except RoofproofError as problem:
        if not each.plain and not each.why:
            names.given = before
        return problem


def _refuse_doubts(found: Sequence[Token], text: str) -> None:
    r"""Reject ambiguous notation: words next to a value, a label as superscript, a vector, and `f(x + 1)`.

    >>> _refuse_doubts(latex_tokens(r"T^{\text{ring}}"), r"T^{\text{ring}}")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 4: 'ring' above may be a label or a power; write it below, or as a letter
    """
    end = Token("end", "", len(text), len(text))
    for k, token in enumerate(found):
        (before, last), after = ([end, end, *found[:k]][-2:]), [*found[k + 1 :], end][0]
        if token.kind != "name":
            continue
        written = text[token.at : token.end]
        if written.startswith(r"\mathbf"):
            raise error_at(token.at, "a vector or a matrix; expected a formula of numbers")
        if (
            "{" in written
            and "_" not in written
            and (last.kind in _ENDS or (after.kind in _BEGINS and after.text != "{"))
        ):
            raise error_at(token.at, "words beside a value: <words>; write what joins them", words=quoted(token.text))
        if "{" in written and "_" not in written and "^" in (last.kind, before.kind if last.text == "{" else ""):
            said = "<label> above may be a label or a power; write it below, or as a letter"
            raise error_at(token.at, said, label=quoted(token.text))
        called = after.text == "(" and token.end == after.at and token.text not in ARITHMETIC
        alone = any(t.text == token.text and n.text != "(" for t, n in pairwise([*found, end]))
        if called and (not alone or token.text in "fgO"):
            said = "'<name>(...)' may be a value of <name> or a product; write '<name> \\cdot (...)' for the product"
            raise error_at(token.at, said, name=token.text)


# --- a draft as a claims file -------------------------------------------------------------------------------------


def to_toml(made: Draft) -> str:
    r"""Return a draft as a claims file, with a comment for each formula that is not a claim.

    >>> made = draft_of("It is $$ T = 2BD > 1 $$ for $n$ of them.", "ch.md")
    >>> print(to_toml(made).partition("[textbook]")[2].rstrip())
    <BLANKLINE>
    title = "ch.md"
    source = "ch.md"
    <BLANKLINE>
    # ch.md:1: T = 2BD > 1
    [[claim]]
    id = "line-1"
    source = "ch.md:1"
    says = "T == 2 B D > 1"
    let = { T = "2 B D" }
    draft = true
    <BLANKLINE>
    # ch.md:1: n
    # no claim: it states nothing
    """
    lines = ["# A draft: compare every claim with the formula above it, and say what is meant of operations and chips.",
             "# Then take out `draft = true`."]  # fmt: skip
    if made.names:
        lines.append("# Names for words of the text:")
        lines += [f"#   {name} = {_comment(word)}" for word, name in made.names.items()]
    lines.append(f"\n[textbook]\ntitle = {_quoted(made.title)}\nsource = {_quoted(made.file)}\n")
    ids: Counter[int] = Counter()
    for each in made.formulas:
        place = f"{made.file}:{each.line}"
        lines.append(f"# {_comment(place)}: {_comment(' '.join(each.text.split()))}")
        for claim in each.claims:
            ids[claim.line] += 1
            name = f"line-{claim.line}" + (f"-{ids[claim.line]}" if ids[claim.line] > 1 else "")
            lines.append(f"[[claim]]\nid = {_quoted(name)}\nsource = {_quoted(f'{made.file}:{claim.line}')}")
            lines.append(f"says = {_quoted(claim.says)}")
            if claim.let:
                lines.append("let = { " + ", ".join(f"{n} = {_quoted(v)}" for n, v in claim.let.items()) + " }")
            if claim.defines:
                reason = f"it defines {claim.defines}; say what it is of an operation and a chip"
                lines.append(f"reason = {_quoted(reason)}")
            lines.append("draft = true\n")
        if not each.claims:
            lines.append(f"# no claim: {_comment(str(each.why))}\n")
    return "\n".join(lines)


def _comment(text: str) -> str:
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return plain if len(plain) <= SHOWN else plain[:SHOWN] + "..."


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
