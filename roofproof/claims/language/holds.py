"""Tables of published times as claims, a row each: measured, or stated as what no program can beat."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.units import SECOND, unit_of
from roofproof.ops.notation.passes import as_floor
from roofproof.toml import checked

FIELDS = {
    "id": str, "op": str, "chip": str, "states": str, "caches": str, "source": str, "table": str, "ignore": list
}  # fmt: skip
STATES = ("time", "floor")
CACHES = ("warm", "cold")  # a measured time is with warm caches, unless they were flushed
MAX_ROWS = 2_000
_TIME = re.compile(r"(time|floor)\s*\[\s*(\w+)\s*\]")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
_SIZE = re.compile(r"[A-Za-z]\w*")
_CHIP = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]*")


@dataclass(frozen=True, slots=True)
class Held:
    """What a row says of a time: the `time` as a claim writes it, and that it is a floor, or was measured `warm`.

    `op` and `chip` are as the claim names them; `slower` is the factor that the row itself says.
    """

    time: str
    op: str
    chip: str
    floor: bool
    slower: str = ""
    warm: bool = False

    @property
    def lower(self) -> str:
        """The floor, as the claim language writes it."""
        return f"lower({self.op}, {self.chip}{', warm' * self.warm})"

    @property
    def says(self) -> str:
        """The row as a claim: no time is shorter than the floor, and a stated floor is it to its digits."""
        if self.slower:
            return f"{self.time} / {self.lower} ~= {self.slower}"
        return f"{self.lower} {'~=' if self.floor else '<='} {self.time}"

    @property
    def factor(self) -> str:
        """How many times the floor the time is, as the claim language writes it."""
        return f"{self.time} / {self.lower}"


def rows_of(holds: object, file: str, ops: object = None) -> Iterator[tuple[dict[str, Any], Held | str]]:
    """Yield for each row of the tables the fields of its claim, with what it holds, or why it cannot be used.

    >>> table = "n time[us]\\n4096 3.5"
    >>> [(fields, held)] = rows_of([{"id": "a", "op": "matmul:int8", "chip": "tpu-v5e", "table": table}], "book")
    >>> fields["id"], fields["let"], held.says
    ('a/1', {'n': '4096'}, 'lower("matmul:int8", tpu-v5e, warm) <= 3.5 us')

    An operation, one of `ops` by its name as well, is a floor: where it takes `touched` and does not say it, as few
    experts are read as can be. Raises RoofproofError for what is no table at all.
    """
    known = {name: text for name, text in ops.items() if isinstance(text, str)} if isinstance(ops, dict) else {}
    if not isinstance(holds, list) or not all(isinstance(hold, dict) for hold in holds):
        raise RoofproofError("<file>: tables of times begin with [[hold]]", file=file)
    for number, hold in enumerate(holds, 1):
        name = hold.get("id")
        where = f"{file}: hold {quoted(name) if isinstance(name, str) else number}"
        checked(hold, FIELDS, "field", f"{where}: ")
        if not isinstance(name, str) or not name.strip():
            raise RoofproofError('<where>: id is missing, as in id = "all-gather"', where=where)
        if not isinstance(hold.get("table"), str):
            raise RoofproofError("<where>: table is missing: lines of columns, the first their names", where=where)
        if (states := hold.get("states", "time")) not in STATES:
            problem = unknown("kind of time", str(states), STATES)
            raise RoofproofError("<where>: states: <problem>", where=where, problem=problem)
        if (caches := hold.get("caches", "warm")) not in CACHES:
            problem = unknown("kind of caches", str(caches), CACHES)
            raise RoofproofError("<where>: caches: <problem>", where=where, problem=problem)
        yield from _rows(where, hold, known)


def _rows(where: str, hold: Mapping[str, Any], ops: Mapping[str, str]) -> Iterator[tuple[dict[str, Any], Held | str]]:
    try:
        yield from _read_rows(where, hold, ops)
    except csv.Error as problem:
        raise RoofproofError("<where>: <problem>", where=where, problem=problem) from None


def _read_rows(
    where: str, hold: Mapping[str, Any], ops: Mapping[str, str]
) -> Iterator[tuple[dict[str, Any], Held | str]]:
    lines = [line for line in hold["table"].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    header, *body = [_cells(line, lines[0]) for line in lines] or [[]]
    body = [
        cells for cells in body if not all(set(cell) <= set(":-") for cell in cells)
    ]  # the rule of a Markdown table
    times = [match for name in header if (match := _TIME.fullmatch(name))]
    if len(times) != 1 or len(set(header)) < len(header):
        said = "<where>: expected different columns, one of them time[us] or floor[us]; got <header>"
        raise RoofproofError(said, where=where, header=header)
    unit = unit_of(times[0][2], letters=True)
    if unit is None or unit.dimension != SECOND or unit.factor > 1:  # min may be a minimum
        problem = unknown("unit of time", times[0][2], ("s", "ms", "us", "ns"))
        raise RoofproofError("<where>: <problem>", where=where, problem=problem)
    if not 0 < len(body) <= MAX_ROWS:
        raise RoofproofError("<where>: <count> rows; expected 1 to <most>", where=where, count=len(body), most=MAX_ROWS)
    for number, cells in enumerate(body, 1):
        given = dict(zip(header, cells, strict=False))
        fields: dict[str, Any] = {"id": f"{hold['id']}/{given.get('id', number)}", "source": hold.get("source", "")}
        try:
            if len(cells) != len(header):
                said = "<count> cells in a row; <named> columns have a name"
                raise RoofproofError(said, count=len(cells), named=len(header))
            held = _held(given, times[0], hold, ops)
            sizes = _sizes(given, times[0][0], hold)
        except RoofproofError as problem:
            yield fields, problem.said
            continue
        yield fields | {"says": held.says, "let": sizes}, held


def _cells(line: str, header: str) -> list[str]:
    if "|" in header:
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    if "," in header:
        return [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True))]
    return line.split()


def _held(given: Mapping[str, str], time: re.Match[str], hold: Mapping[str, Any], ops: Mapping[str, str]) -> Held:
    said = {key: given.get(key) or hold.get(key, "") for key in ("op", "chip")}
    for key, text in said.items():
        if not text:
            raise RoofproofError("<key> is missing: a column of the table, or a field of the hold", key=key)
    slower = given.get("slower", "").strip("-")  # a dash where the row says nothing
    for name, text in ((time[0], given[time[0]]), ("slower", slower or "1")):
        if not _NUMBER.fullmatch(text) or not text.strip("0."):
            raise RoofproofError("<name>: expected a number such as 24.58, got <text>", name=name, text=quoted(text))
    if '"' in said["op"] or not _CHIP.fullmatch(said["chip"]):
        raise RoofproofError("op and chip: give texts with signs of their own a name, in [ops] and [chips]")
    text = ops.get(said["op"], said["op"])
    least = as_floor(text)
    op = said["op"] if _SIZE.fullmatch(said["op"]) and least == text else f'"{least}"'
    floor = time[1] == "floor" or hold.get("states") == "floor"
    warm = not (floor or slower) and hold.get("caches", "warm") == "warm"
    return Held(f"{given[time[0]]} {time[2]}", op, said["chip"], floor, slower, warm)


def _sizes(given: Mapping[str, str], time: str, hold: Mapping[str, Any]) -> dict[str, str]:
    ignored = {time, "id", "op", "chip", "slower", *map(str, hold.get("ignore", []))}
    sizes = {name: text for name, text in given.items() if name not in ignored}
    for name, text in sizes.items():
        if not (_SIZE.fullmatch(name) and text.isascii() and text.isdigit() and 0 < len(text) <= 18 and int(text)):
            raise RoofproofError(
                "column <column>: expected a size, a whole number from 1, got <text>; a column that is no size goes "
                'into ignore = ["<name>"]',
                column=quoted(name),
                text=quoted(text),
                name=name,
            )
    return sizes
