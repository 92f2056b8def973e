"""Claims outside a claims file, read as one, with the operations and chips that they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from json import dumps
from typing import Any

from roofproof.claims.language.book import Book, book_from_text
from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.stored import refuse_file_names

CLAIM = ("says", "given", "regime", "tolerance", "expect", "reason", "slip")


def scoped_book(
    claims: Iterable[Mapping[str, Any]],
    ops: Mapping[str, str] = {},
    chips: Mapping[str, str] = {},
    file: str = "claims",
) -> Book:
    """Return a book of claims, each given by its fields. `ops` and `chips` define the names used in them.

    >>> claim = {"id": "rule", "says": "compute_bound(op, chip) <=> B > 240", "regime": "D, F >> B"}
    >>> book = scoped_book([claim], {"op": "matmul"}, {"chip": "bf16=197 TFLOP/s, hbm=819 GB/s"})
    >>> book.claims[0].environment.ops["op"].flops
    2*B*D*F

    A chip is a name or a list of specs. Raises RoofproofError for an operation or a chip that names a file.
    """
    refuse_file_names(*ops.values(), *chips.values())
    lines = ["[ops]", *(f"{_key(name)} = {_text(op)}" for name, op in ops.items())]
    lines += ["[chips]", *(f"{_key(name)} = {_chip(chip)}" for name, chip in chips.items())]
    for claim in claims:
        lines += ["[[claim]]", f"id = {_text(claim['id'])}"]
        lines += [f"{field} = {_text(claim[field])}" for field in CLAIM if claim.get(field)]
        lines += [f"let.{_key(name)} = {_text(value)}" for name, value in (claim.get("let") or {}).items()]
    return book_from_text("\n".join(lines), file)


def values_from(text: str) -> dict[str, str]:
    """Return the values in a text such as `T = 3 ms; D == 4096`, by name.

    >>> values_from("T = 3 ms; D == 4096")
    {'T': '3 ms', 'D': '4096'}

    Raises RoofproofError for a name that is defined twice.
    """
    values: dict[str, str] = {}
    for name, _, value in (part.partition("=") for part in text.split(";") if part.strip()):
        if (name := name.strip()) in values:
            raise RoofproofError("<name> is defined twice", name=quoted(name))
        values[name] = value.strip(" =")
    return values


def _chip(text: str) -> str:
    if "=" not in text:
        return _text(text.strip())
    figures = (part.partition("=") for part in text.split(","))
    return "{" + ", ".join(f"{_key(name)} = {_text(value.strip())}" for name, _, value in figures) + "}"


def _key(name: str) -> str:
    return _text(name.strip())


def _text(text: object) -> str:
    return dumps(str(text), ensure_ascii=False).replace("\x7f", "")
