"""Claims files in TOML, limited in size and parsed as data. A broken claim does not affect the others.

Claims are parsed one by one, on demand, so the first of a hundred thousand is verified at once.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar, overload

from roofproof.claims.kinds import KINDS, NOT_CHECKABLE
from roofproof.claims.language.environment import Environment
from roofproof.claims.printed import ORDER, share_of
from roofproof.claims.resolve import (
    ClaimWords,
    check_names,
    has_a_unit,
    introduced,
    is_pi,
    refuse_counts,
    refuse_doubts,
    refuse_units_named,
    sizes,
    units_fit,
    words_of,
)
from roofproof.derive import Regime
from roofproof.errors import RoofproofError, error_message, one_line, quoted, unknown
from roofproof.formula.conditions import Given, extract_fixed_values, read_conditions, with_bound_domains
from roofproof.formula.dimensions import dimension_of
from roofproof.formula.functions import FUNCTIONS
from roofproof.formula.reader import is_name, read_statement, read_value
from roofproof.formula.tree import Constant, Name, Reference, Tree, names_in, walk, walk_with_values
from roofproof.formula.units import PLAIN, Dimension
from roofproof.hardware import Chip, chip, chip_from_figures
from roofproof.ops import Operation, parse_operation
from roofproof.sentences import Sentence
from roofproof.toml import checked, read_bytes, read_toml, record_reads

MAX_BYTES = 16 * 1024 * 1024
MAX_LET = 200  # names that one claim defines
MAX_FORMULAS = 300_000  # characters of the proposition, assumptions and values of one claim: seconds of parsing
KEPT = 2_000  # parsed claims of a book that stay in memory

MARKDOWN = (".md", ".markdown", ".myst", ".qmd")  # pages that may have fenced blocks
_BLOCK = re.compile(r"^```claim[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_RENAMED = {  # names of mistakes in 0.2, accepted until 0.3. For one more version, an error gives the new name
    "binary-prefix": "prefix:binary", "bits-for-bytes": "bits", "directions": "one-direction",
    "limit-outside-regime": "limit-for-exact", "multiply-add": "multiply-add-once", "sku": "other-chip, other-figure",
    "sparse-peak": "other-figure", "unit-prefix": "prefix", "write-back": "dropped-tensor",
    "wrong-format": "other-figure",
}  # fmt: skip
_SLIP = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(:\S+)?")  # one name as printed, such as prefix:binary (+ joins two)
_PARTS = ("textbook", "chips", "ops", "let", "claim")
_ABOUT = ("title", "source", "note")
_SHOWN = ("id", "source", "reason")  # printed with verdicts, on one line each
_FIELDS = ("id", "source", "says", "given", "regime", "let", "expect", "slip", "reason", "note", "tolerance")


@dataclass(frozen=True)
class Claim:
    """A claim as a tree, with its assumptions. `proposition` is None if the claim is not checkable.

    `says` is the text of the claim. `let` has named values in order, and `environment` resolves every word. `expect` is
    empty if no verdict is expected, and `tolerance` widens the allowed error of a printed number. A `draft` expects no
    verdict yet.
    """

    id: str
    says: str
    proposition: Tree | None
    environment: Environment = field(repr=False, compare=False)
    let: Mapping[str, Tree] = field(default_factory=dict)
    given: Given = field(default_factory=Given)
    given_text: str = ""
    regime: Regime | None = None
    expect: str = ""
    slip: str = ""
    reason: str = ""
    source: str = ""
    tolerance: str = ""
    draft: bool = False

    def scope(self) -> Environment:
        """Return the environment with all functions, in the regime of the claim."""
        from roofproof.claims.judge.words import table

        return replace(self.environment, functions=table(), regime=self.regime, _values={})


@dataclass(frozen=True)
class Unusable:
    """A claim with an error. `message` is one line with file, id and column."""

    id: str
    message: str


T = TypeVar("T")


class LazySequence(Sequence[T], Generic[T]):
    """A sequence whose members are made on access, with a cache of `KEPT` members.

    >>> squares = LazySequence(3, lambda k: k**2)
    >>> len(squares), squares[-1], squares[:2], list(squares)
    (3, 4, (0, 1), [0, 1, 4])
    """

    def __init__(self, length: int, made: Callable[[int], T]) -> None:
        self._places, self._made = range(length), lru_cache(KEPT)(made)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        if isinstance(place, slice):
            return tuple(map(self._made, self._places[place]))
        return self._made(self._places[place])


@dataclass(frozen=True)
class Book:
    """A claims file with its claims in order, some of which may be unusable.

    `ids` are the ids of the claims. `problems` are one-line messages about the operations, chips and names of the file
    itself. `questions` has, for each claim, all the text that its verdict depends on. `files` has a digest of every
    other file that was read for the claims parsed so far.
    """

    file: str
    title: str
    source: str
    ids: tuple[str, ...]
    claims: Sequence[Claim | Unusable] = field(compare=False, repr=False)
    ops: Mapping[str, Operation]
    chips: Mapping[str, Chip]
    let: Mapping[str, Tree]
    problems: tuple[str, ...] = ()
    questions: Sequence[str] = field(default=(), repr=False, compare=False)
    files: Mapping[str, str] = field(default_factory=dict, repr=False)


class _Written(str):
    """A TOML float, kept as its original text."""


def read_book(path: str | os.PathLike[str]) -> Book:
    """Return the claims file at a path.

    >>> read_book("no-such-book.toml")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot read 'no-such-book.toml': No such file or directory

    Raises RoofproofError for a file that cannot be read or is not TOML. The errors of single claims are in the book.
    """
    return book_of(read_bytes(path, MAX_BYTES), os.fspath(path))


def book_of(content: bytes, file: str) -> Book:
    r"""Return the claims in the content of a file: TOML, or fenced blocks if the name is that of a Markdown page.

    >>> book_of(b'claim = [{id = "a"}]', "a.toml").ids, book_of(b'```claim\nid = "b"\n```', "b.md").ids
    (('a',), ('b',))
    """
    page = file.lower().endswith(MARKDOWN)
    return book_from_text(blocks_of(content.decode("utf-8-sig", "replace")) if page else content, file)


def blocks_of(page: str) -> str:
    r"""Return the fenced `claim` blocks of a Markdown page as a claims file with the same line numbers.

    >>> blocks_of('So:\n```claim\nid = "a"\nsays = "1 < 2"\n```\n')
    '\n[[claim]]\nid = "a"\nsays = "1 < 2"\n'
    """
    page, rows, done = re.sub("\r\n?", "\n", page), "", 0
    for block in _BLOCK.finditer(page):
        rows += "\n" * page.count("\n", done, block.start()) + "[[claim]]\n" + block[1]
        done = block.end(1)
    return rows


def unread(file: str, problem: str) -> Book:
    """Return a book for a file that cannot be read: one unusable claim with the reason."""
    return Book(file, file, "", (file,), (Unusable(file, problem),), {}, {}, {}, questions=("",))


def book_from_text(content: bytes | str, file: str = "book") -> Book:
    """Return the book in a TOML text. Every message begins with `file`.

    >>> book = book_from_text('[[claim]]\\nid = "sum"\\nsays = "1 + 1 == 2"\\n[[claim]]\\nid = "odd"\\nsays = "1 +"')
    >>> [type(c).__name__ for c in book.claims], book.claims[1].message
    (['Claim', 'Unusable'], "book: claim 'odd': says: column 4: the text is incomplete")
    """
    return _book(read_toml(content, file, MAX_BYTES, "split the claims file", number=_Written), file)


def _book(data: dict[str, Any], file: str) -> Book:
    checked(data, dict.fromkeys(_PARTS, object), "part of a textbook", f"{file}: ")
    about = checked(data.get("textbook", {}), dict.fromkeys(_ABOUT, str), "field", f"{file}: [textbook]: ")
    claims = data.get("claim", [])
    if not isinstance(claims, list) or not all(isinstance(c, dict) for c in claims):
        raise RoofproofError("<where>: claims are tables that begin with [[claim]]", where=file)
    claims = [c | {name: one_line(c[name]) for name in _SHOWN if type(c.get(name)) is str} for c in claims]
    title, source = one_line(about.get("title", file)), one_line(about.get("source", ""))
    with record_reads() as shared:
        reader = _ClaimsFileParser(file, data, source, claims)
    files = dict(shared)

    def read(k: int) -> tuple[Claim | Unusable, dict[str, str]]:
        with record_reads() as own:
            found = reader.claim(k)
        files.update(own)
        return found, own

    every = LazySequence(len(reader.written), read)
    found = LazySequence(len(every), lambda k: every[k][0])
    asked = LazySequence(len(every), lambda k: _question(data, source, shared | every[k][1], reader.written[k]))
    problems, ids = tuple(reader.problems), tuple(map(reader.name, range(len(every))))
    named = (reader.ops, reader.chips, reader.let)
    return Book(file, title, source, ids, found, *named, problems, asked, files)


def _question(data: Mapping[str, Any], source: str, files: Mapping[str, str], claim: Mapping[str, Any]) -> str:
    """Return the data that the verdict on a claim depends on: its fields, the shared tables, digests of other files."""
    own = {name: claim[name] for name in ("says", "given", "regime", "let", "tolerance") if name in claim}
    shared = {name: data[name] for name in ("chips", "ops", "let") if name in data}
    return json.dumps([source, shared, own, files], default=str)


class _ClaimsFileParser:
    """The parser of one claims file, which parses each claim separately."""

    def __init__(self, file: str, data: dict[str, Any], source: str, written: Sequence[dict[str, Any]]) -> None:
        self.file = file
        self.source = source
        self.written = written
        self.problems: list[str] = []
        self.broken: dict[str, str] = {}  # names of operations, chips and values that could not be read
        self.first: dict[str, int] = {}  # for each id, the first claim that has it
        for k, fields in enumerate(written):
            if _has_id(fields):
                self.first.setdefault(fields["id"], k)
        self.chips: dict[str, Chip] = {}
        self.ops: dict[str, Operation] = {}
        self.let: dict[str, Tree] = {}
        self.values: Mapping[str, Any] = {}  # the `let` table of the file, as written
        self.dimensions: dict[str, Dimension | None] = {}
        define = partial(self._define, let=self.let, dimensions=self.dimensions)
        for section, read in (("chips", self._chip), ("ops", self._op), ("let", define)):
            table = data.get(section, {})
            if not isinstance(table, dict):
                raise RoofproofError("<where>: <name> must be a table", where=file, name=section)
            self.values = table if section == "let" else {}
            for name in table:
                try:
                    read(name, table)
                except Exception as problem:  # one broken entry must not stop the others
                    where = f"{file}: {section}.{name}"
                    self.problems.append(Sentence("<where>: <problem>", where=where, problem=error_message(problem)))
                    self.broken[name] = error_message(problem)

    def _chip(self, name: str, values: Mapping[str, Any]) -> None:
        _refuse_function(name)
        value = values[name]
        if isinstance(value, str):
            self.chips[name] = chip(value)
        elif isinstance(value, dict):
            figures = {key: str(f) if isinstance(f, _Written) else f for key, f in value.items()}
            self.chips[name] = chip_from_figures(name, figures, self.source or "given")
        else:
            raise RoofproofError('expected a table of specs, such as hbm = "819 GB/s", or the name of a chip')

    def _op(self, name: str, values: Mapping[str, Any]) -> None:
        _refuse_function(name)
        if not isinstance(values[name], str):
            raise RoofproofError("an operation is text in quotes, such as 'bf16[B,D], bf16[D,F] -> bf16[B,F]'")
        self.ops[name] = replace(parse_operation(values[name]), name=name)

    def _define(
        self,
        name: str,
        values: Mapping[str, Any],
        let: dict[str, Tree],
        dimensions: dict[str, Dimension | None],
        declared: Collection[str] = (),
        letters: Collection[str] = (),
        measures: bool = False,
    ) -> None:
        """Parse one value of a `let`, which may use the values before it."""
        if not is_name(name):
            raise RoofproofError(
                "<name> is not a name; names are ASCII letters, digits and underscores", name=quoted(name)
            )
        _refuse_function(name)
        for said, taken in (
            ("<name> is already an operation of this claims file", self.ops),
            ("<name> is already a chip of this claims file", self.chips),
            ("<name> is already a value of this claims file", self.let),
        ):
            if name in taken:
                raise RoofproofError(said, name=quoted(name))
        text, known = _digits(values[name]), {*declared, *values, *self.let}
        letters = letters or words_of([text], "", known, partial(_sizes, self.environment())).letters
        node = read_value(text, known, letters=letters, measures=measures)
        for used in names_in(node):
            if used == name:
                raise RoofproofError("the definition of <name> uses <name>; remove the cycle", name=name)
            if used in values and used not in let:
                raise RoofproofError("<name> is used before it is defined", name=used)
            self._refuse_broken(used)
        dimensions[name] = dimension_of(node, dimensions)
        let[name] = node

    def _refuse_broken(self, name: str) -> None:
        if name in self.broken:
            raise RoofproofError("<name> cannot be used: <why>", name=name, why=self.broken[name])

    def name(self, k: int) -> str:
        """Return the id of a claim, or its number if it has no id."""
        return str(self.written[k]["id"]) if _has_id(self.written[k]) else f"number {k + 1}"

    def claim(self, k: int) -> Claim | Unusable:
        """Return a claim, or the reason why it cannot be used."""
        fields, name, named = self.written[k], self.name(k), _has_id(self.written[k])
        try:
            if not named:
                raise RoofproofError('id is missing; every claim has one, as in id = "rule"')
            if self.first[name] != k:
                raise RoofproofError("duplicate id; ids must be unique")
            return self._claim(name, fields)
        except Exception as problem:  # one broken claim must not stop the others
            said, identity = "<path>: claim <id>: <why>", quoted(name) if named else name
            return Unusable(name, Sentence(said, path=self.file, id=identity, why=error_message(problem)))

    def _claim(self, name: str, fields: dict[str, Any]) -> Claim:
        text: dict[str, str] = checked(fields, dict.fromkeys(_FIELDS, str) | {"let": object, "draft": bool}, "field")
        said: dict[str, Any] = {field: text.get(field, "") for field in ("says", "slip", "reason", "source")}
        said["draft"] = fields.get("draft", False)
        expect = text.get("expect", "")
        if said["draft"] and "expect" in text:
            raise RoofproofError("a draft expects no verdict; remove draft or expect")
        if "expect" in text and expect not in KINDS:
            raise unknown("verdict", expect, KINDS)
        if said["slip"]:
            _refuse_unknown_mistakes(said["slip"])
        if (tolerance := text.get("tolerance", "")) not in ("", ORDER):
            share_of(tolerance)
        if expect == NOT_CHECKABLE or (said["draft"] and said["reason"]):
            if not said["reason"].strip():
                raise RoofproofError('a claim that is not checkable needs a reason, as in reason = "an opinion"')
            environment = Environment(ops=self.ops, chips=self.chips, let=self.let)
            return Claim(name, proposition=None, environment=environment, expect=NOT_CHECKABLE, **said)
        if not said["says"].strip():
            raise RoofproofError('says is empty; expected a proposition, or expect = "not-checkable" with a reason')
        values = fields.get("let", {})
        if not isinstance(values, dict) or len(values) > MAX_LET:
            raise RoofproofError(
                'let must be a table of at most <most> values, as in let = { R = "P / W" }', most=MAX_LET
            )
        given_text = text.get("given", "")
        formulas = (said["says"], given_text, *(value for value in values.values() if isinstance(value, str)))
        if sum(map(len, formulas)) > MAX_FORMULAS:
            raise RoofproofError("more than <most> characters of formulas in one claim", most=MAX_FORMULAS)
        written = {}
        for each, value in values.items():
            with _at(f"let {each}"):
                written[each] = _digits(value)
        with _at("regime"):
            regime = Regime(text["regime"]) if text.get("regime", "").strip() else None
        named = {*values, *self.let, *(regime.growing if regime else ())}
        words = words_of([said["says"], *written.values()], given_text, named, partial(_sizes, self.environment()))
        if words.measured:  # 0.4 s, 1e6 rows/s: units if dimensions allow nothing else
            with suppress(RoofproofError):
                claim = self._read(name, text, said, written, words, regime, measures=True)
                if units_fit(claim, words.counts):
                    return claim
        return self._read(name, text, said, written, words, regime)

    def environment(self) -> Environment:
        """Return the environment that all claims share."""
        return Environment(ops=self.ops, chips=self.chips, let=self.let)

    def _read(
        self,
        name: str,
        text: dict[str, str],
        said: dict[str, Any],
        values: dict[str, str],
        words: ClaimWords,
        regime: Regime | None,
        measures: bool = False,
    ) -> Claim:
        """Parse the formulas of a claim. With `measures`, `2 s` is two seconds and `8 cores` is the number 8."""
        given_text, expect, tolerance = text.get("given", ""), text.get("expect", ""), text.get("tolerance", "")
        read: dict[str, Any] = {"letters": words.letters, "measures": measures}
        with _at("given"):
            given = read_conditions(given_text, words.declared, **read)
        declared = {*words.declared, *given.names}
        let, dimensions = dict(self.let), dict(self.dimensions)
        with _at("given"):
            given, numbers = extract_fixed_values(given, {*let, *values, *(regime.growing if regime else ())})
        for each, number in numbers.items():
            let[each], dimensions[each] = number, dimension_of(number, dimensions)
        for each in values:
            with _at(f"let {each}"):
                self._define(each, values, let, dimensions, declared, **read)
        environment = Environment(given, let, self.ops, self.chips)
        with _at("says"):
            proposition = read_statement(said["says"], declared, **read)
            self._check(proposition, environment)
        for each in values:
            with _at(f"let {each}"):
                self._check(let[each], environment)
        with _at("says"):
            given = with_bound_domains(given, proposition, let, partial(_sizes, environment))
        environment = replace(environment, given=given, _values={})
        names = {*values, *self.let, *given.names, *(regime.growing if regime else ())}
        if is_pi(proposition, names, environment):
            dimensions = {"pi": PLAIN}
            for each, value in let.items():
                with _at(f"let {each}"):
                    dimensions[each] = dimension_of(value, dimensions)
            environment = replace(environment, let={"pi": Constant("pi"), **let}, _values={})
        for node in given.conditions:
            with _at("given"):
                self._check(node, environment)
                dimension_of(node, dimensions)
        with _at("says"):
            dimension_of(proposition, dimensions)
            refuse_doubts(said["says"], proposition, names, dimensions, environment)
        used = {name for node in (*let.values(), *given.conditions) for name in names_in(node)}
        used |= {*sizes(proposition, environment), *names, *names_in(proposition)}
        for where, node in (*((f"let {n}", let[n]) for n in values), *(("given", c) for c in given.conditions)):
            with _at(where):
                check_names(node, names, environment)
                refuse_units_named(node, used)
        texts = {"says": (said["says"], [proposition]), "given": (given_text, given.conditions)}
        reached = {n.name for n in walk_with_values([proposition, *given.conditions], let) if isinstance(n, Name)}
        texts |= {f"let {n}": (_digits(v), [let[n]]) for n, v in {**self.values, **values}.items() if n in reached}
        measured = any(has_a_unit(node, dimensions) for _, nodes in texts.values() for node in nodes)
        refuse_counts(texts, introduced(proposition, names, environment), measured)
        return Claim(
            name, proposition=proposition, environment=environment, let={n: let[n] for n in (*numbers, *values)},
            given=given, given_text=given_text, regime=regime, expect=expect, tolerance=tolerance, **said,
        )  # fmt: skip

    def _check(self, node: Tree, environment: Environment) -> None:
        references = [each.text for each in walk(node) if isinstance(each, Reference)]
        for used in (*references, *names_in(node)):
            self._refuse_broken(used)
        environment.check(node)


def _refuse_unknown_mistakes(slip: str) -> None:
    """Reject names of mistakes, joined by `+`, that are not in the catalogue."""
    from roofproof.claims.mistakes.catalogue import CATALOGUE, slip_of

    for each in slip.split("+"):
        if not _SLIP.fullmatch(each):
            said = "mistake <name> is not a name; expected one such as 'bytes-per-element'"
            raise RoofproofError(said, name=quoted(slip))
        if each in _RENAMED:
            raise RoofproofError("mistake <name> was renamed; write <now>", name=quoted(each), now=_RENAMED[each])
        if slip_of(each) is None:
            raise unknown("mistake", each, CATALOGUE)


def _has_id(fields: Mapping[str, Any]) -> bool:
    identity = fields.get("id")
    return isinstance(identity, str) and bool(identity.strip())


def _sizes(environment: Environment, reference: Reference) -> set[str]:
    return {s.name for s in environment.operation(reference).dims} if reference.kind == "op" else set()


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Prefix error messages with the field that they are about."""
    try:
        yield
    except RoofproofError as problem:
        raise RoofproofError("<where>: <problem>", where=where, problem=problem) from None


def _digits(value: object) -> str:
    """Return the text of a value. Reject a TOML integer with more digits than Python prints."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise RoofproofError("a value is text in quotes, such as '1.97e14', or a number")
    if isinstance(value, int):
        if value.bit_length() > 2_000:
            raise RoofproofError("a number of more than 600 digits")
        return str(value)
    return str(value).replace("_", "") if isinstance(value, _Written) else value


def _refuse_function(name: str) -> None:
    """Reject a name that would hide a function of the claim language."""
    if name in FUNCTIONS and FUNCTIONS[name].reserved:
        raise RoofproofError("<name> is a function of the language; choose another name", name=quoted(name))
