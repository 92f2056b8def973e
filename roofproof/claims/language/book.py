"""Textbooks: TOML files of claims. Bounded in size, read as data; a broken claim never stops the others."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roofproof.claims.language.claims import EXPECTED, Claim, Unusable
from roofproof.claims.language.dimensions import dimension_of
from roofproof.claims.language.functions import FUNCTIONS
from roofproof.claims.language.givens import read_given
from roofproof.claims.language.lexer import is_name
from roofproof.claims.language.nodes import Node, names_in
from roofproof.claims.language.reading import read_expression, read_proposition
from roofproof.claims.language.units import Dimension
from roofproof.claims.numbers.significant_digits import ORDER, share_of
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.toml import checked, read_bytes, read_toml

MAX_BYTES = 2 * 1024 * 1024
MAX_CLAIMS = 5_000
MAX_LET = 200  # names that one claim defines
MAX_FORMULAS = 300_000  # characters of propositions, assumptions and values in one book: seconds of reading

_PARTS = ("textbook", "chips", "ops", "let", "claim")
_ABOUT = ("title", "source", "note")
_FIELDS = ("id", "source", "says", "given", "regime", "let", "expect", "slip", "reason", "note", "tolerance")


@dataclass(frozen=True)
class Book:
    """A textbook with its claims in order, some of which may be unusable.

    `problems` are one-line messages about operations, chips and names of the book itself.
    """

    file: str
    title: str
    source: str
    claims: tuple[Claim | Unusable, ...]
    ops: Mapping[str, Operation]
    chips: Mapping[str, Chip]
    let: Mapping[str, Node]
    problems: tuple[str, ...] = ()


class _Written(str):
    """A TOML float, kept as it was written."""


def read_book(path: str | os.PathLike[str]) -> Book:
    """Return the textbook of a file.

    >>> read_book("no-such-book.toml")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot read 'no-such-book.toml': No such file or directory

    Raises RoofproofError for a file that cannot be read or is no TOML; what is wrong with one claim is in the book.
    """
    return book_from_text(read_bytes(path, MAX_BYTES), os.fspath(path))


def book_from_text(content: bytes | str, file: str = "book") -> Book:
    """Return the textbook that TOML text describes; `file` begins every message.

    >>> book = book_from_text('[[claim]]\\nid = "sum"\\nsays = "1 + 1 == 2"\\n[[claim]]\\nid = "odd"\\nsays = "1 +"')
    >>> [type(c).__name__ for c in book.claims], book.claims[1].message
    (['Claim', 'Unusable'], "book: claim 'odd': says: column 4: the text breaks off here")
    """
    data = read_toml(content, file, MAX_BYTES, "split the book", number=_Written)
    checked(data, dict.fromkeys(_PARTS, object), "part of a textbook", f"{file}: ")
    about = checked(data.get("textbook", {}), dict.fromkeys(_ABOUT, str), "field", f"{file}: [textbook]: ")
    claims = data.get("claim", [])
    if not isinstance(claims, list) or not all(isinstance(c, dict) for c in claims):
        raise RoofproofError(f"{file}: claims are tables that begin with [[claim]]")
    if len(claims) > MAX_CLAIMS:
        raise RoofproofError(f"{file}: {len(claims)} claims; at most {MAX_CLAIMS} are read")
    reader = _Reader(file, data, str(about.get("source", "")))
    return Book(
        file,
        str(about.get("title", file)),
        str(about.get("source", "")),
        tuple(reader.claim(i, claim) for i, claim in enumerate(claims, 1)),
        reader.ops,
        reader.chips,
        reader.let,
        tuple(reader.problems),
    )


def _table(value: object, file: str, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RoofproofError(f"{file}: {name} must be a table")
    return value


class _Reader:
    """Reads the claims of one book, one after another."""

    def __init__(self, file: str, data: dict[str, Any], source: str) -> None:
        self.file = file
        self.source = source
        self.problems: list[str] = []
        self.broken: dict[str, str] = {}  # names of operations, chips and values that could not be read
        self.ids: set[str] = set()
        self.formulas = 0  # characters read so far
        self.chips: dict[str, Chip] = {}
        self.ops: dict[str, Operation] = {}
        self.let: dict[str, Node] = {}
        self.dimensions: dict[str, Dimension | None] = {}
        for name, value in _table(data.get("chips", {}), file, "chips").items():
            self._guarded(f"chips.{name}", name, lambda n=name, v=value: self._chip(n, v))
        for name, value in _table(data.get("ops", {}), file, "ops").items():
            self._guarded(f"ops.{name}", name, lambda n=name, v=value: self._op(n, v))
        values = _table(data.get("let", {}), file, "let")
        for name in values:
            self._guarded(
                f"let.{name}", name, lambda n=name: self._define(n, values, self.let, self.dimensions, frozenset())
            )

    def _guarded(self, where: str, name: str, read: Any) -> None:
        try:
            read()
        except RoofproofError as problem:
            message = f"{self.file}: {where}: {problem}"
            self.problems.append(message)
            self.broken[name] = str(problem)

    def _chip(self, name: str, value: object) -> None:
        from roofproof.hardware import chip, chip_from_figures

        refuse_function(name)
        if isinstance(value, str):
            self.chips[name] = chip(value)
        elif isinstance(value, dict):
            figures = {key: _plain(figure) for key, figure in value.items()}
            self.chips[name] = chip_from_figures(name, figures, self.source or "given")
        else:
            raise RoofproofError('a chip is a table of figures, such as hbm = "819 GB/s", or the name of a chip')

    def _op(self, name: str, value: object) -> None:
        from roofproof.ops import parse_operation

        refuse_function(name)
        if not isinstance(value, str):
            raise RoofproofError("an operation is text in quotes, such as 'bf16[B,D], bf16[D,F] -> bf16[B,F]'")
        self.ops[name] = parse_operation(value)

    def _define(
        self,
        name: str,
        values: Mapping[str, object],
        let: dict[str, Node],
        dimensions: dict[str, Dimension | None],
        declared: frozenset[str],
    ) -> None:
        """Read one value of a `let`, which may use those before it."""
        if not is_name(name):
            raise RoofproofError(f"{quoted(name)} is no name; names are ASCII letters, digits and underscores")
        refuse_function(name)
        for kind, taken in (("an operation", self.ops), ("a chip", self.chips), ("a value", self.let)):
            if name in taken:
                raise RoofproofError(f"{quoted(name)} is {kind} of this book already")
        value = values[name]
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise RoofproofError("a value is text in quotes, such as '1.97e14', or a number")
        node = read_expression(_digits(value), declared | set(values) | set(self.let))
        for used in names_in(node):
            if used == name:
                raise RoofproofError(f"{name} is defined by itself")
            if used in values and used not in let:
                raise RoofproofError(f"{used} is used before it is defined")
            self._refuse_broken(used)
        dimensions[name] = dimension_of(node, dimensions)
        let[name] = node

    def _refuse_broken(self, name: str) -> None:
        if name in self.broken:
            raise RoofproofError(f"{name} cannot be used: {self.broken[name]}")

    def claim(self, number: int, fields: dict[str, Any]) -> Claim | Unusable:
        """Return a claim, or why it cannot be used."""
        identity = fields.get("id")
        name = identity if isinstance(identity, str) and identity.strip() else f"number {number}"
        where = f"{self.file}: claim {quoted(name) if name is identity else name}"
        try:
            if name is not identity:
                raise RoofproofError('id is missing; every claim has one, as in id = "rule"')
            if name in self.ids:
                raise RoofproofError("a claim of this id stands before; ids are unique")
            self.ids.add(name)
            return self._claim(name, fields)
        except RoofproofError as problem:
            return Unusable(name, f"{where}: {' '.join(str(problem).split())}")

    def _claim(self, name: str, fields: dict[str, Any]) -> Claim:
        from roofproof.claims.language.environment import Environment

        text: dict[str, str] = checked(fields, dict.fromkeys(_FIELDS, str) | {"let": object}, "field")
        expect = text.get("expect", "verified")
        if expect not in EXPECTED:
            raise unknown("verdict", expect, EXPECTED)
        slip = text.get("slip", "")
        if slip and not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slip):
            raise RoofproofError(f"slip {quoted(slip)} is no name; expected one such as 'bytes-per-element'")
        source, reason, says = text.get("source", ""), text.get("reason", ""), text.get("says", "")
        if (tolerance := text.get("tolerance", "")) not in ("", ORDER):
            share_of(tolerance)
        if expect == "not-checkable":
            if not reason.strip():
                raise RoofproofError('a claim that is not checkable needs a reason, as in reason = "an opinion"')
            env = Environment(ops=self.ops, chips=self.chips, let=self.let)
            return Claim(name, says, None, env, expect=expect, slip=slip, reason=reason, source=source)
        if not says.strip():
            raise RoofproofError('says is empty; expected a proposition, or expect = "not-checkable" with a reason')
        values = fields.get("let", {})
        if not isinstance(values, dict) or len(values) > MAX_LET:
            raise RoofproofError(f'let must be a table of at most {MAX_LET} values, as in let = {{ R = "P / W" }}')
        self.formulas += (
            len(says) + len(text.get("given", "")) + sum(len(v) for v in values.values() if isinstance(v, str))
        )
        if self.formulas > MAX_FORMULAS:
            raise RoofproofError(f"more than {MAX_FORMULAS} characters of formulas in one book; split the book")
        declared = frozenset(values) | set(self.let)
        given = _at("given", lambda: read_given(text.get("given", ""), declared))
        declared |= set(given.names)
        let, dimensions = dict(self.let), dict(self.dimensions)
        for each in values:
            _at(f"let {each}", lambda n=each: self._define(n, values, let, dimensions, declared))
        regime = _at("regime", lambda: _regime(text["regime"])) if text.get("regime", "").strip() else None
        environment = Environment(given, let, self.ops, self.chips)
        proposition = _at("says", lambda: read_proposition(says, declared))
        for where, node in (("says", proposition), *((f"let {n}", let[n]) for n in values)):
            _at(where, lambda n=node: self._check(n, environment))
        for node in given.conditions:
            _at("given", lambda n=node: self._check(n, environment))
            _at("given", lambda n=node: dimension_of(n, dimensions))
        _at("says", lambda: dimension_of(proposition, dimensions))
        return Claim(
            name, says, proposition, environment, {n: let[n] for n in values}, given, text.get("given", ""),
            regime, expect, slip, reason, source, tolerance,
        )  # fmt: skip

    def _check(self, node: Node, environment: Any) -> None:
        from roofproof.claims.language.nodes import Reference, walk

        for each in walk(node):
            if isinstance(each, Reference):
                self._refuse_broken(each.text)
        for used in names_in(node):
            self._refuse_broken(used)
        environment.check(node)


def _at(where: str, read: Any) -> Any:
    try:
        return read()
    except RoofproofError as problem:
        raise RoofproofError(f"{where}: {problem}") from None


def _regime(text: str) -> Any:
    from roofproof.derive import Regime

    return Regime(text)


def _digits(value: str | int) -> str:
    """Return the text of a value; a huge TOML integer has more digits than Python likes to print."""
    if isinstance(value, int):
        if value.bit_length() > 2_000:
            raise RoofproofError("a number of more than 600 digits")
        return str(value)
    return str(value).replace("_", "") if isinstance(value, _Written) else value


def _plain(value: object) -> object:
    return str(value) if isinstance(value, _Written) else value


def refuse_function(name: str) -> None:
    """Refuse a name that would hide a function of the language.

    >>> refuse_function("max")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'max' is a function of the language; choose another name
    """
    if name in FUNCTIONS and FUNCTIONS[name].reserved:
        raise RoofproofError(f"{quoted(name)} is a function of the language; choose another name")
