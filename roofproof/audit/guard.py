"""A list of formulas in a file, each compared with the derivation and with its expected verdict.

Each [[formula]] has a `text` and an operation `op`. Optional keys are `quantity`, `names`, `chip`, `expect` (equal by
default), `name` and `source`. Nothing in the file is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from roofproof.audit.audits import Audit, audit
from roofproof.audit.formulas import formula
from roofproof.errors import RoofproofError, one_line, unknown
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation
from roofproof.toml import at_line, before, checked, read_bytes, read_toml

MAX_BYTES: Final = 4 * 1024**2
VERDICTS: Final = ("equal", "near", "different")
KEYS: Final[Mapping[str, type]] = {
    **dict.fromkeys(("name", "text", "op", "quantity", "chip", "expect", "source"), str),
    "names": dict,
}
HEADER: Final = re.compile(r"\s*\[\[\s*formula\s*\]\]")


@dataclass(frozen=True, slots=True)
class JudgedFormula:
    """A formula of a list with the result of its audit, or the error that prevents one."""

    name: str
    op: str = ""
    quantity: str = ""
    expect: str = "equal"
    found: Audit | None = None
    error: str = ""

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one that the list expects."""
        return self.found is not None and self.found.verdict == self.expect

    def to_dict(self) -> dict[str, Any]:
        """Return the record that `audit --json` prints."""
        if self.found is None:
            return {"name": self.name, "error": self.error}
        found = self.found
        return {
            "name": self.name,
            "op": self.op,
            "quantity": self.quantity,
            "verdict": found.verdict,
            "expect": self.expect,
            "trust": None if found.known is None else found.known.trust,
            "theirs": None if found.theirs is None else str(found.theirs),
            "ours": str(found.ours),
            "ratio": None if found.ratio is None else str(found.ratio),
            "at": None if found.apart is None else dict(found.apart[0]),
            "mend": None if found.mend is None else str(found.mend),
        }


def audit_list(path: Path) -> Iterator[JudgedFormula]:
    """Yield each formula of a list with its verdict, or with an error that names the line and the cure.

    >>> [(one.name, one.found.verdict, one.as_expected) for one in audit_list(Path("examples/tool.formulas.toml"))]
    [('Product.flops', 'equal', True), ('RMSNorm', 'equal', True), ('backward', 'different', True)]

    Raises RoofproofError for a file that is not such a list.
    """
    yield from audit_list_from(read_bytes(path, MAX_BYTES, "list of formulas "), path)


def audit_list_from(content: bytes, path: Path) -> Iterator[JudgedFormula]:
    """Yield each formula in the content of a list, with its verdict.

    >>> text = b"[[formula]]\\ntext = '2*B*D*F'\\nop = 'matmul'\\n"
    >>> [one.as_expected for one in audit_list_from(text, Path("few.toml"))]
    [True]
    """
    table = read_toml(content, path.name, MAX_BYTES, "split it")
    entries = table.pop("formula", None)
    checked(table, {}, "key", f"{path.name}: ")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise RoofproofError("<name>: no formulas; each begins with [[formula]] and has text and op", name=path.name)
    lines = [n for n, line in enumerate(content.decode().splitlines(), 1) if HEADER.match(line)]
    if len(lines) != len(entries):
        raise RoofproofError("<name>: write each formula under a line [[formula]] of its own", name=path.name)
    for line, entry in zip(lines, entries, strict=True):
        yield _judged(path, line, entry)


def _judged(path: Path, line: int, entry: Mapping[str, Any]) -> JudgedFormula:
    where = before(at_line(path.name, line))
    said = entry.get("name") or entry.get("text") or f"{path.name}, line {line}"
    name = one_line(str(said))[:200]
    try:
        if "read" in entry:  # in 0.3, this key named a position in a file
            raise RoofproofError("<where>`read` was removed; use `text`, the formula itself", where=where)
        checked(entry, KEYS, "key", where)
        if "text" not in entry or "op" not in entry:
            raise RoofproofError('<where>expected text and op, as in text = "2*M*N*K" and op = "matmul"', where=where)
        quantity, expect = entry.get("quantity", "flops"), entry.get("expect", "equal")
        if expect not in VERDICTS:
            raise unknown("expect", expect, VERDICTS)
        operation, chip = parse_operation(entry["op"]), any_chip(entry["chip"]) if "chip" in entry else None
        function = formula(entry["text"], *(s.name for s in operation.dims), **entry.get("names", {}))
        return JudgedFormula(name, entry["op"], quantity, expect, audit(function, operation, quantity, chip))
    except RoofproofError as problem:
        told = " ".join(str(problem).split())
        return JudgedFormula(name, error=told if told.startswith(where) else f"{where}{told}")
