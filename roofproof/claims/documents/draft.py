r"""A chapter as a book of draft claims: each beside its formula and its place, and what could not be read."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from roofproof.claims.documents.definitions import names_of, regime_above, with_definitions
from roofproof.claims.documents.going_on import equivalent, goes_on, gone_on
from roofproof.claims.documents.in_words import in_formulas, spoken
from roofproof.claims.documents.names import Names
from roofproof.claims.documents.places import SourceFormula, formulas
from roofproof.claims.documents.reading import NOTES, Statement, read_formula
from roofproof.claims.documents.scopes import Scope, Scopes
from roofproof.claims.documents.sentences import ASSUMED, Sentence, defines_for_all, is_condition, is_denial, sentences
from roofproof.claims.documents.shapes import Proposal, chips, operations
from roofproof.errors import RoofproofError, quoted
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import Comparison, Name, names_in
from roofproof.toml import read_bytes

MAX_CHARACTERS = 100_000  # of formulas
MAX_BYTES = 2 * 1024 * 1024
TEX = (".tex", ".ltx", ".latex")
KNOWN = (".md", ".markdown", ".myst", ".qmd", ".rmd", ".txt", *TEX)
SHOWN = 200  # characters of a formula in a comment

_STATES = re.compile(
    r"[=<>≈≤≥≠≪≫→]|\\(?:[ln]eq?|geq?|lt|gt|leqslant|geqslant|approx\w*|sim\w*|gg|ll|to|rightarrow|implies|iff|Rightarrow"
    r"|Leftrightarrow|Longrightarrow|propto|equiv|gtrless|lesssim|gtrsim)(?![A-Za-z])"
)

_OF_A_REGIME = re.compile(r"~=|->|<=>|=>")


@dataclass(frozen=True, slots=True)
class Draft:
    """What a chapter states, in order; `words` are the names given to its words."""

    file: str
    title: str
    statements: tuple[Statement, ...]
    words: dict[str, str]
    display: int  # formulas displayed
    display_read: int
    inline: int  # formulas in the text that state something
    inline_read: int
    operations: tuple[Proposal, ...] = ()
    chips: tuple[Proposal, ...] = ()

    @property
    def unread(self) -> tuple[Statement, ...]:
        return tuple(each for each in self.statements if each.kind == "unread")


def draft(path: str) -> Draft:
    """Return the claims that the formulas of a chapter make.

    >>> draft("no-such-chapter.md")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot read chapter 'no-such-chapter.md': No such file or directory

    Raises RoofproofError for a file that cannot be read, is no UTF-8 text, too large, or neither Markdown nor TeX.
    """
    ending = os.path.splitext(path)[1].lower()
    if ending not in KNOWN:
        name = quoted(os.path.basename(path))
        raise RoofproofError(f"{name} is no chapter; expected Markdown or TeX, such as chapter.md or chapter.tex")
    content = read_bytes(path, MAX_BYTES, "chapter ")
    if len(content) > MAX_BYTES:
        raise RoofproofError(f"{path}: larger than {MAX_BYTES // 1024**2} MiB; split the chapter")
    try:
        return draft_of(content.decode("utf-8-sig"), path, ending in TEX)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RoofproofError(f"{path}, line {line}: not UTF-8 text") from None


def draft_of(text: str, file: str, tex: bool = False) -> Draft:
    r"""Return the claims that the formulas of a text make; `file` names their places.

    >>> made = draft_of("# Rooflines\n\n$$ \\frac{BDF}{DF} = B $$\n\nIt grows as $\\sim 5L^2$.", "ch.md")
    >>> [(each.line, each.kind, each.text) for each in made.statements][0]
    (3, 'claim', 'B D F / (D F) == B')
    >>> made.display, made.display_read, made.inline, made.inline_read
    (1, 1, 1, 1)
    """
    text = in_formulas(text.replace("\r\n", "\n").replace("\r", "\n"), tex)
    found = formulas(text, tex)
    if sum(len(each.text) for each in found) > MAX_CHARACTERS:
        raise RoofproofError(f"{file}: more than {MAX_CHARACTERS} characters of formulas; split the chapter")
    names = Names([each.text for each in found], spoken(text, found))
    whole = Scopes.of(text)
    scopes = {k: whole.at(each.start) for k, each in enumerate(found)}
    told = [each for each in found if each.display or _STATES.search(each.text)]
    stated = equivalent(text, found, _stated(found, names, scopes))
    assumed: dict[Statement, Scope] = {}  # what the text assumes, and the section or exercise in which it does
    apart: set[int] = set()  # formulas of a case, which define nothing for all
    for sentence in sentences(text, found, tex):
        here = scopes[sentence.formulas[0]]
        before = [condition for condition, section in assumed.items() if section == here]
        new = [s for k, w in zip(sentence.under, sentence.words, strict=True) if w.lower() in ASSUMED
               for s in stated.get(k, ()) if _bounded(s)]  # fmt: skip
        stated |= _in_a_sentence(sentence, stated)
        stated |= {k: [_given(s, before) for s in stated[k]] for k in sentence.formulas if k in stated}
        assumed |= {said: here for said in new}
        apart |= {k for k, w in zip(sentence.under, sentence.words, strict=True) if w.lower() not in ASSUMED}
    regimes = [(k, scopes[k], s.text) for k in sorted(stated) for s in stated[k] if s.kind == "regime"]
    read = [
        (found[k], [_in_regime(s, regime_above(regimes, k, scopes[k])) for s in said])
        for k, said in with_definitions(stated, scopes, apart)
    ]
    done = Counter(each.display for each, stated in read if all(s.kind != "unread" for s in stated))
    of = Counter(each.display for each in told)
    heading = re.search(r"\\(?:chapter|section|title)\*?\{([^{}]+)\}" if tex else r"^#+[ \t]+(.+)$", text, re.MULTILINE)
    title = heading[1].strip() if heading else os.path.basename(file)
    statements = tuple(s for _, stated in read for s in stated)
    counts = of[True], done[True], of[False], done[False]
    return Draft(file, title, statements, names.words, *counts, tuple(operations(text)), tuple(chips(text)))


def _stated(found: Sequence[SourceFormula], names: Names, scopes: Mapping[int, Scope]) -> dict[int, list[Statement]]:
    """Return the claims of formulas by themselves, or continued from the display before them in their section."""
    stated: dict[int, list[Statement]] = {}
    above: list[Statement] = []
    where: Scope = ()
    for k, each in enumerate(found):
        if not each.display and not _STATES.search(each.text):
            continue
        stated[k] = gone_on(each, names, above) if goes_on(each) and scopes[k] == where else read_formula(each, names)
        if each.display:
            above, where = stated[k], scopes[k]
    return stated


def _in_regime(said: Statement, regime: str) -> Statement:
    """Return a claim of what is about so, or tends to something, in the regime that stands above it."""
    if said.kind != "claim" or said.regime or not regime or not _OF_A_REGIME.search(said.text):
        return said
    return replace(said, regime=regime) if names_of(said) & set(re.findall(r"[A-Za-z]\w*", regime)) else said


def _in_a_sentence(sentence: Sentence, stated: Mapping[int, list[Statement]]) -> dict[int, list[Statement]]:
    """Return the claims of a sentence, under the conditions that its words make of some formulas.

    A regime is one of every claim; beside any other condition a claim is not read, as it would be without it.
    """
    under = [said for k in sentence.under for said in stated.get(k, ())]
    told = [w for k, w in zip(sentence.under, sentence.words, strict=True) if k not in stated and is_condition(w)]
    word = sentence.word or (told or (*sentence.words, ""))[0] if under or told or sentence.word else ""
    regimes = {said.text for said in under if said.kind == "regime"}
    one = regimes.pop() if len(regimes) == 1 and len(under) == 1 and not (sentence.word or told) else ""
    every = {k: stated[k] for k in sentence.formulas if k in stated}
    used = {k: set().union(*map(names_of, every[k])) for k in every}
    bounds = {k: set().union(*map(_bounded, every[k])) for k in every}
    users, bounding = (Counter(name for names in each.values() for name in names) for each in (used, bounds))
    beside = {
        k for k in every
        if any(users[name] > (name in used[k]) for name in bounds[k])
        or any(bounding[name] > (name in bounds[k]) for name in used[k])
    }  # fmt: skip
    by_word = zip(sentence.under, sentence.words, strict=True)
    conditions = {k for k, w in by_word if is_condition(w) and not sentence.word}
    values = [pair for said in under for pair in said.let if not names_in(read_value(pair[1]))]
    only_values = all(said.kind == "definition" and len(said.let) == 1 for said in under)
    fixed = values if only_values and len(values) == len(under) and not (sentence.word or told) else []

    def read(said: Statement, k: int) -> Statement:
        if k in conditions and said.kind == "claim" and _is_inequality(said):
            return replace(said, kind="condition", let=())
        definition = said.kind == "definition"
        if defines_for_all(word) if definition else said.kind != "claim" or not (word or k in beside):
            return said
        if not (definition or is_denial(word) or names_of(said)):
            return said  # numbers are what they are
        if fixed and not (definition or k in beside) and dict(fixed).keys() <= names_of(said) - dict(said.let).keys():
            return replace(said, let=(*fixed, *said.let))
        if one and not (definition or said.regime or k in beside):
            return replace(said, regime=one)
        why = f"its sentence says {quoted(word)}" if word else "another formula of its sentence bounds a name of it"
        cure = "what it holds under goes into the formula, as in '... \\text{ if } x > 2'"
        if sentence.word and not is_condition(word):
            cure = "write what it states as a claim of its own"
        return replace(said, kind="unread", text=f"{why}: {cure}", let=())

    return {k: [read(said, k) for said in every[k]] for k in every if word or beside}


def _is_inequality(said: Statement) -> bool:
    node = read_statement(said.text)
    return isinstance(node, Comparison) and set(node.relations) <= {"<", ">", "<=", ">="}


@lru_cache(maxsize=4096)
def _bounded(said: Statement) -> frozenset[str]:
    """Return the names that a claim such as `x > 1` bounds, which stand there by themselves."""
    node = read_statement(said.text) if said.kind == "claim" else None
    if not isinstance(node, Comparison) or {"==", "~=", "->"}.intersection(node.relations):
        return frozenset()
    return frozenset(n.name for n in node.operands if isinstance(n, Name))


def _given(said: Statement, assumed: Sequence[Statement]) -> Statement:
    """Return a claim with what the text before it assumes of its names."""
    told = dict.fromkeys(each.text for each in assumed if names_of(said) & names_of(each)) if not said.given else ()
    return replace(said, given="; ".join(told)) if told else said


def to_toml(made: Draft) -> str:
    r"""Return a draft as a book of claims in TOML, what is no claim as comments.

    >>> made = draft_of("The time is $$ T = 2BD $$ where $D \\gg B$ holds.", "ch.md")
    >>> print(to_toml(made).partition("[textbook]")[2].rstrip())
    <BLANKLINE>
    title = "ch.md"
    source = "ch.md"
    <BLANKLINE>
    # ch.md:1: T = 2BD
    [[claim]]
    id = "line-1"
    source = "ch.md:1"
    says = "T == 2 B D"
    let = { T = "2 B D" }
    expect = "not-checkable"
    reason = "it defines T; say what it is of an operation and a chip"
    <BLANKLINE>
    # ch.md:1: D \gg B
    # no claim, a regime for claims: regime = "D >> B"
    """
    return "\n".join([*_head(made), *_body(made)]) + "\n"


def _head(made: Draft) -> Iterator[str]:
    yield "# A draft: compare every claim with the formula above it, and say what is meant of operations and chips."
    if made.words:
        yield "# Names for words of the text:"
        yield from (f"#   {name} = {_comment(word)}" for word, name in made.words.items())
    if made.chips:
        yield "# Chips that the text names:"
        yield from (f"#   {each.name}: {_comment(each.written)}, line {each.line}" for each in made.chips)
    yield f"\n[textbook]\ntitle = {_quoted(made.title)}\nsource = {_quoted(made.file)}\n"
    if made.operations:
        yield "[ops]  # of which the text has the shapes or the names; put into a claim, as in intensity(op_1)"
        for k, each in enumerate(made.operations, 1):
            yield f"op_{k} = {_quoted(each.name)}  # {_comment(each.written)}, line {each.line}"
        yield ""


def _body(made: Draft) -> Iterator[str]:
    ids: Counter[str] = Counter()
    for said in made.statements:
        place = f"{made.file}:{said.line}"
        yield f"# {_comment(place)}: {_comment(said.source)}"
        match said.kind:
            case "unread":
                yield f"# not read: {_comment(said.text)}"
            case "regime":
                yield f"# no claim, a regime for claims: regime = {_quoted(said.text)}"
            case kind if kind in NOTES:
                yield f"# no claim, {NOTES[kind]}: {_comment(said.text)}"
            case _:
                name = f"line-{said.line}"
                ids[name] += 1
                yield from _claim(said, name if ids[name] == 1 else f"{name}-{ids[name]}", place)
        yield ""


def _claim(said: Statement, name: str, place: str) -> Iterator[str]:
    yield f"[[claim]]\nid = {_quoted(name)}\nsource = {_quoted(place)}\nsays = {_quoted(said.text)}"
    if said.let:
        yield "let = { " + ", ".join(f"{n} = {_quoted(v)}" for n, v in said.let) + " }"
    if said.given:
        yield f"given = {_quoted(said.given)}"
    if said.regime:
        yield f"regime = {_quoted(said.regime)}"
    if said.remark:
        yield f"note = {_quoted(said.remark)}"
    if said.expect != "verified":
        yield f"expect = {_quoted(said.expect)}"
    if said.open:
        yield f"reason = {_quoted(said.open)}"
    if said.kind == "definition" and place:
        yield 'expect = "not-checkable"'
        defined = said.let[0][0] if said.let else "a value case by case"
        yield f'reason = "it defines {defined}; say what it is of an operation and a chip"'


def _comment(text: str) -> str:
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return plain if len(plain) <= SHOWN else plain[:SHOWN] + "..."


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
