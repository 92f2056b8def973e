"""Tables of measured times in CSV, TSV or JSON: sizes by name, labels, and one column of times with a unit."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final
from unicodedata import normalize

from roofproof.errors import RoofproofError, one_line, quoted
from roofproof.formula.units import SECOND, unit_of
from roofproof.hardware.chips import Chip
from roofproof.json_text import from_json
from roofproof.ops.notation.sizes import sizes_from
from roofproof.sentences import Sentence
from roofproof.times.profiles import Profile, ncu_profile, ncu_text, torch_profile
from roofproof.toml import at_line, read_bytes

MAX_BYTES: Final = 256 * 1024**2
MAX_ROWS: Final = 2_000_000
MACHINES: Final = ("gpu", "chip", "device")  # columns that name the machine of a time
TIME: Final = "time"  # the name that selects the column of times in `columns`
_SIZE: Final = re.compile(r"[1-9][0-9]{0,17}")
_SHORT: Final = re.compile(
    r"[1-9][0-9,]{0,25}(?:\.[0-9]{1,9})?(?:[eE]\+?[0-9]{1,2}| ?[A-Z]?[ik]?|(?:\^|\*\*)[0-9]{1,2})"
)
_UNIT: Final = re.compile(r"(?:.*[_ (\[])?([A-Za-zμ]+|[纳微毫]?秒)[)\]]?")
_CELL: Final = re.compile(r"([0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?)(?: ?([A-Za-zµμ]{1,12}))?")
Columns = Mapping[str, str]  # renamed columns: our name to the name in the file


@dataclass(frozen=True, slots=True)
class Times:
    """Measured times with their sizes and labels. `lines` has the line of each row in the file.

    For profiles, `said` describes how bytes and FLOPs were counted, and `at_memory` is True if the bytes were counted
    behind all caches. `unread` has the reason for each row that was skipped.

    >>> read_times("examples/measured/gemm_fp16.tsv").only(gpu="h100", m="16").sizes["n"][:3]
    (1536, 1920, 2560)
    """

    file: str
    column: str
    seconds: tuple[Fraction, ...]
    sizes: Mapping[str, tuple[int, ...]]
    labels: Mapping[str, tuple[str, ...]]
    lines: tuple[int, ...]
    said: str = ""
    at_memory: bool = False
    unread: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.seconds)

    def rows(self, chosen: Iterable[int]) -> Times:
        """Return the table restricted to some rows."""
        keep = list(chosen)
        return replace(
            self,
            seconds=tuple(self.seconds[i] for i in keep),
            sizes={name: tuple(column[i] for i in keep) for name, column in self.sizes.items()},
            labels={name: tuple(column[i] for i in keep) for name, column in self.labels.items()},
            lines=tuple(self.lines[i] for i in keep),
        )

    def only(self, **wanted: str) -> Times:
        """Return the rows with the given labels.

        >>> table = times_from_text("gpu,n,ms\\na100,1,2\\nh100,1,1\\n", "t.csv")
        >>> [str(t) for t in table.only(gpu="h100").seconds]
        ['1/1000']

        Raises RoofproofError for a column or a label that does not exist.
        """
        chosen: set[int] = set(range(len(self)))
        for name, label in wanted.items():
            column: tuple[object, ...] | None = self.labels.get(name) or self.sizes.get(name)
            if column is None:
                has = ", ".join((*self.labels, *self.sizes)) or "none"
                raise RoofproofError(
                    "<file>: no column <name> to choose by; it has <has>", file=self.file, name=quoted(name), has=has
                )
            found = {i for i in chosen if column[i] in (label, size_of(label))}
            if not found:
                has = ", ".join(dict.fromkeys(str(column[i]) for i in sorted(chosen)))
                raise RoofproofError(
                    "<file>: no row has <name> = <label>; there are <has>",
                    file=self.file,
                    name=name,
                    label=quoted(label),
                    has=quoted(has, 200),
                )
            chosen &= found
        return self.rows(sorted(chosen))

    def whole(self, name: str) -> tuple[int, ...]:
        """Return a column of sizes.

        >>> times_from_text("n,ms\\n4,2\\n=2*4,3\\n", "t.csv").whole("n")
        Traceback (most recent call last):
        roofproof.errors.RoofproofError: t.csv, line 3: n: expected a whole number from 1 on, got '=2*4'

        Raises RoofproofError for a cell that is not a positive integer.
        """
        if name not in self.sizes:
            cells = zip(self.lines, self.labels[name], strict=True)
            line, cell = next(pair for pair in cells if size_of(pair[1]) is None)
            said = f"{name}: expected a whole number from 1 on, got {quoted(cell)}"
            raise RoofproofError("<file>, line <line>: <said>", file=self.file, line=line, said=said)
        return self.sizes[name]

    def refuse_missing(self, sizes: Iterable[str], op: str) -> None:
        """Raise RoofproofError if the table has no column for one of the sizes of an operation."""
        for size in sizes:
            if size not in self.sizes and size not in self.labels:
                has = ", ".join(self.sizes) or "none"
                cure = f"its sizes are {has}; name the column, as in --column {size}=COLUMN"
                raise RoofproofError(
                    "<file>: no column <size>, a size of <op>; <cure>",
                    file=self.file,
                    size=quoted(size),
                    op=op,
                    cure=cure,
                )

    def on(self, chip: Chip) -> Times:
        """Return the rows that were measured on a chip, if a column names the machine of each.

        >>> from roofproof.hardware import chip
        >>> len(times_from_text("gpu,n,ms\\na100,1,2\\nh100,1,1\\n", "t.csv").on(chip("h100-sxm")))
        1

        A label matches if the name of the chip, or of the chip that it was fitted to, starts with it. Raises
        RoofproofError if no label matches.
        """
        column = next((name for name in self.labels if name.lower() in MACHINES), None)
        if column is None:
            return self
        names = dict.fromkeys(self.labels[column])
        bases = {chip.name.partition("@")[0], chip.base} - {""}
        known = [n for n in names if any(base == n.lower() or base.startswith(f"{n.lower()}-") for base in bases)]
        if len(known) == 1:
            return self.only(**{column: known[0]})
        if len(names) == 1 and not (chip.vendor or chip.base):  # a user's own chip, and times of one machine
            return self
        listed = ", ".join(names)
        raise RoofproofError(
            "<file>: no time is labelled <name>; choose one of <listed>, such as --only <column>=<first>",
            file=self.file,
            listed=quoted(listed, 200),
            name=chip.name,
            column=column,
            first=next(iter(names)),
        )


def read_times(path: str, lenient: bool = False, columns: Columns | None = None) -> Times:
    """Return the table in a file. With `lenient`, skip invalid rows.

    >>> len(read_times("examples/measured/gemm_fp16.tsv"))                               # 1116 of each of two GPUs
    2232

    Raises RoofproofError, with file and line, for anything that is not a table of times.
    """
    content = read_bytes(path, MAX_BYTES, "table of times ")
    file = os.path.basename(path)
    if content.startswith(b"\x1f\x8b"):
        content = _unpacked(content, file)
    if len(content) > MAX_BYTES:
        raise RoofproofError("<file>: larger than <most> MiB; split it", file=file, most=MAX_BYTES // 1024**2)
    return times_from_text(text_of(content, file), file, lenient, columns)


OWN_TIME = "--measured"  # the file name of a table with a single time from the command line


def own_time(text: str) -> Times | None:
    """Return a time such as `14 us` as a table with one row, or None if the text is not a time.

    >>> own_time("14 us").seconds, own_time("times.csv")
    ((Fraction(7, 500000),), None)
    """
    found = _CELL.fullmatch(text.strip())
    if found is not None and found[2] and _seconds_in(found[2]) is not None:
        return times_from_text(f"{TIME}\n{text.strip()}\n", OWN_TIME)
    if re.match(r"\s*[-+]?\.?[0-9]", text) and not os.path.exists(text):
        said = "--measured <text>: expected a time in s, ms, us or ns, such as '14 us', or a file"
        raise RoofproofError(said, text=quoted(text))
    return None


def text_of(content: bytes, file: str) -> str:
    """Return the text of a file. Raises RoofproofError, with the line, if it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RoofproofError(
            "<file>, line <count>: not UTF-8 text", file=file, count=content[: error.start].count(10) + 1
        ) from None


def _unpacked(content: bytes, file: str) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as packed:
            return packed.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as problem:
        raise RoofproofError("<file>: not gzip: <problem>", file=file, problem=problem) from None


def times_from_text(text: str, file: str, lenient: bool = False, columns: Columns | None = None) -> Times:
    """Return the table in CSV, TSV or JSON text, or in the output of ncu or PyTorch's profiler.

    >>> table = times_from_text("gpu\\tm\\tmedian_us\\nh100\\t16\\t7.5\\n", "gemm.tsv")
    >>> table.sizes, table.labels, table.seconds                                         # 7.5 / 10^6
    ({'m': (16,)}, {'gpu': ('h100',)}, (Fraction(3, 400000),))
    >>> times_from_text('[{"m": 16, "ms": 7.5}]', "gemm.json").seconds
    (Fraction(3, 400),)
    >>> renamed = times_from_text("batch,latency\\n16,9.5 us\\n", "t.csv", columns={"B": "batch"})
    >>> renamed.sizes, renamed.seconds
    ({'B': (16,)}, (Fraction(19, 2000000),))
    >>> times_from_text("m,time\\n16,7.5\\n", "gemm.csv")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: gemm.csv: no column of times; expected one whose name has the unit, such as \
median_us, seconds or ms, got 'm, time'

    The times are in the column that `columns` calls "time", or whose name or cells have a unit. Any other column is a
    size if all its cells are sizes, and a label otherwise. Raises RoofproofError, with the line, for a time that is not
    a positive number, for a wrong number of cells, and unless there is exactly one column of times. With `lenient`,
    invalid rows are skipped and listed in `unread`, as long as valid rows remain.

    >>> times_from_text("m,ms\\n16,7.5\\n8,0\\n", "gemm.csv", lenient=True).unread
    ("gemm.csv, line 3: expected a time, a positive number in the unit of its column; got '0'",)
    """
    if (profile := _profile(text, file)) is not None:
        return _profiled(profile, file)
    unread: list[str] = []
    from_text = _from_json if text.lstrip()[:1] in ("[", "{") else csv_rows
    heads, cells, lines = from_text(text, file, unread if lenient else None)
    names = _renamed(heads, columns or {}, file)
    place, unit = _time_column(heads, names, cells, file)
    seconds, kept = [], []
    for row, line in zip(cells, lines, strict=True):
        try:
            seconds.append(_time(row[place], unit, at_line(file, line)))
            kept.append((row, line))
        except RoofproofError as problem:
            if not lenient:
                raise
            unread.append(problem.said)
    if not kept:
        if unread:
            raise RoofproofError(unread[0])
        raise RoofproofError("<file>: a header and no times", file=file)
    found = dict(zip(names, zip(*(row for row, _ in kept), strict=True), strict=True))
    del found[names[place]]
    whole = {name for name, column in found.items() if all(size_of(cell) for cell in column)}
    return Times(
        file,
        names[place],
        tuple(seconds),
        {name: tuple(size_of(cell) or 0 for cell in column) for name, column in found.items() if name in whole},
        {one_line(name): tuple(map(one_line, column)) for name, column in found.items() if name not in whole},
        tuple(line for _, line in kept),
        unread=tuple(unread),
    )


@lru_cache(10_000)
def size_of(cell: str) -> int | None:
    """Return the size in a cell, in any form that `--at` accepts, or None if it is not a size.

    >>> [size_of(cell) for cell in ("4096", "8k", "8Ki", "2^10", "1e6", "2,000,000", "8K", "007", "2026-11-30")]
    [4096, 8000, 8192, 1024, 1000000, 2000000, None, None, None]
    """
    if _SIZE.fullmatch(cell):
        return int(cell)
    if not _SHORT.fullmatch(cell):
        return None
    try:
        size = sizes_from([f"n={cell}"]).get("n")
    except RoofproofError:
        return None
    return size if size and size < 10**18 else None


def _profile(text: str, file: str) -> Profile | None:
    """Return the profile in the output of a profiler, recognized by its form, or None for any other text."""
    if (found := torch_profile(text, file)) is not None:
        return found
    if (table := ncu_text(text)) is not None:
        names, cells, lines = csv_rows(table, file)
        return ncu_profile([dict(zip(names, row, strict=True)) for row in cells], lines, file)
    return None


def _profiled(found: Profile, file: str) -> Times:
    """Return the kernels of a profile as a table. Bytes and the FLOPs of each compute unit are sizes, rounded down."""
    said, at_memory, rows = found
    engines = dict.fromkeys(name for row in rows for name, count in row.flops.items() if count)
    flops = {name: tuple(int(row.flops.get(name, 0)) for row in rows) for name in engines}
    sizes = {f"flops_{name.replace('-', '_')}": column for name, column in flops.items()}
    if any(row.moved is not None for row in rows):
        sizes["bytes"] = tuple(int(row.moved or 0) for row in rows)
    labels = {"kernel": tuple(one_line(row.name) for row in rows)}
    seconds, lines = tuple(row.seconds for row in rows), tuple(row.line for row in rows)
    return Times(file, "seconds", seconds, sizes, labels, lines, said, at_memory)


def _renamed(heads: Sequence[str], columns: Columns, file: str) -> list[str]:
    """Return the names of columns, renamed by `columns`."""
    theirs = {column: name for name, column in columns.items()}
    for column in theirs:
        if column not in heads:
            raise RoofproofError(
                "<file>: no column <column>; it has <heads>", file=file, column=quoted(column), heads=", ".join(heads)
            )
    names = [theirs.get(head, head) for head in heads]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RoofproofError("<file>: two columns would be called <twice>", file=file, twice=quoted(twice))
    return names


def _time_column(
    heads: Sequence[str], names: Sequence[str], cells: Sequence[Sequence[str]], file: str
) -> tuple[int, Fraction | None]:
    """Return the index of the column of times, and the unit in its name (None if there is none)."""
    units = {k: unit for k, (head, name) in enumerate(zip(heads, names, strict=True)) if name in (head, TIME)
             and (unit := _unit_of(head))}  # fmt: skip
    if TIME in names and heads[names.index(TIME)] != TIME:
        place = names.index(TIME)
        return place, units.get(place)
    found = list(units) or [k for k in range(len(heads)) if cells and all(_own_unit(row[k]) for row in cells)]
    if len(found) != 1:
        listed = quoted(", ".join([names[k] for k in found] or names), 200)
        count = Sentence("more than one column of times") if found else Sentence("no column of times")
        form = "<file>: <count>; expected one whose name has the unit, such as median_us, seconds or ms, got <listed>"
        raise RoofproofError(form, file=file, count=count, listed=listed)
    return found[0], units.get(found[0])


def csv_rows(text: str, file: str, unread: list[str] | None = None) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the column names, the rows and the line of each row in CSV, TSV or semicolon-separated text.

    >>> csv_rows("a, b\\n\\n1, 2\\n", "t.csv")
    (['a', 'b'], [['1', '2']], [3])

    A row with a wrong number of cells is reported in `unread` if that is given. Otherwise raises RoofproofError with
    the line.
    """
    head = text.lstrip().partition("\n")[0]
    mark = "\t" if "\t" in head else ";" if ";" in head else ","
    rows = csv.reader(io.StringIO(text), delimiter=mark, skipinitialspace=True)
    cells: list[list[str]] = []
    lines: list[int] = []
    try:
        filled = ([cell.strip() for cell in row] for row in rows)
        every: Iterator[list[str]] = (row for row in filled if any(row))
        names = next(every, [])
        if len(set(names)) != len(names) or not all(names):
            raise RoofproofError(
                "<file>, line 1: expected a name for each column, each once; got <head>",
                file=file,
                head=quoted(head, 200),
            )
        for row in every:
            if len(row) != len(names):
                form = "<file>, line <line>: expected <due> cells as in the header, got <count>"
                said = Sentence(form, file=file, line=rows.line_num, due=len(names), count=len(row))
                if unread is None:
                    raise RoofproofError(said)
                unread.append(said)
                continue
            if len(cells) >= MAX_ROWS:
                raise RoofproofError("<file>: more than <most> rows; split it", file=file, most=MAX_ROWS)
            cells.append(row)
            lines.append(rows.line_num)
    except csv.Error as problem:
        raise RoofproofError(
            "<file>, line <line>: not CSV: <problem>", file=file, line=rows.line_num, problem=problem
        ) from None
    return names, cells, lines


def _from_json(text: str, file: str, unread: list[str] | None = None) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the rows of a JSON list of objects that have the same keys. Row numbers replace line numbers."""
    rows = from_json(text.encode(), file, numbers_as_text=True)
    due = 'expected a list of objects, such as [{"m": 16, "median_us": 7.5}]'
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) and row for row in rows):
        raise RoofproofError("<file>: <due>", file=file, due=due)
    if len(rows) > MAX_ROWS:
        raise RoofproofError("<file>: more than <most> rows; split it", file=file, most=MAX_ROWS)
    names, kept = list(rows[0]), []
    for number, row in enumerate(rows, 1):
        said = ""
        if row.keys() != rows[0].keys():
            said = f"{file}, row {number}: expected the names of the first row, {', '.join(names)}"
        elif not all(isinstance(cell, str) for cell in row.values()):
            said = f"{file}, row {number}: expected numbers and text; {due}"
        if not said:
            kept.append(number)
        elif unread is None:
            raise RoofproofError(said)
        else:
            unread.append(said)
    return names, [[rows[number - 1][name].strip() for name in names] for number in kept], kept


def _unit_of(name: str) -> Fraction | None:
    """Return the unit of a column of times, or None for other columns, such as S (a length) or Ms (too long).

    >>> _unit_of("Time (µs)"), _unit_of("时间（毫秒）"), _unit_of("MEDIAN_MS"), _unit_of("S"), _unit_of("Ms")
    (Fraction(1, 1000000), Fraction(1, 1000), Fraction(1, 1000), None, None)
    """
    text = normalize("NFKC", name)
    found = _UNIT.fullmatch(text.lower() if text.isupper() and len(text) > 1 else text)
    return None if found is None else _seconds_in(found[1])


def _seconds_in(word: str) -> Fraction | None:
    word = word.lower() if word.lower().endswith("seconds") else word
    unit = unit_of("second" if word == "sec" else word, letters=True)
    return unit.factor if unit and unit.dimension == SECOND and unit.factor <= 1 else None  # min means minimum


def _own_unit(cell: str) -> Fraction | None:
    """Return the unit of time in a cell such as 9.5 us, or None."""
    found = _CELL.fullmatch(cell)
    return _seconds_in(normalize("NFKC", found[2])) if found and found[2] else None


def _time(cell: str, unit: Fraction | None, where: str) -> Fraction:
    """Return the seconds in a cell, by the unit of its column or its own unit. If it has both, they must agree."""
    found, own = _CELL.fullmatch(cell), _own_unit(cell)
    due = Sentence(
        "a positive number in the unit of its column" if unit else "a positive number with a unit, such as 9.5 us"
    )
    if not found or not Fraction(found[1]) or (found[2] and own is None) or not (unit or own):
        raise RoofproofError("<where>: expected a time, <due>; got <cell>", where=where, due=due, cell=quoted(cell))
    if unit and own and unit != own:
        raise RoofproofError(
            "<where>: the unit of <cell> is not that of its column; write it once", where=where, cell=quoted(cell)
        )
    return Fraction(found[1]) * (own or unit or 1)
