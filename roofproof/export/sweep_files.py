"""Sweeps as files: CSV, NumPy's npz, or Parquet, written slab by slab, completely or not at all."""

import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO
from zipfile import ZipFile, ZipInfo

from roofproof.derive.sweeps import Sweep
from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.export.files import replacing
from roofproof.export.spreadsheets import escape_csv

ENDINGS = (".csv", ".npz", ".parquet")

Slabs = Iterable[Any]


def write_sweep(
    path: str, found: Sweep, workers: int | str | None = None, shown: Callable[[Slabs], Slabs] = iter
) -> None:
    """Compute a sweep slab by slab and write it to one file, in the format given by its ending.

    >>> from roofproof import op
    >>> from roofproof.derive import sweep
    >>> found = sweep(op("dot"), {"N": range(1, 3)}, quantities=["flops"])       # 2N - 1
    >>> with TemporaryDirectory() as home:
    ...     write_sweep(f"{home}/dot.csv", found)
    ...     Path(f"{home}/dot.csv").read_text()
    'N,flops\\n1,1.0\\n2,3.0\\n'

    `.csv` and `.parquet` have one row per point. `.npz` has the axes, and each quantity as an array over them.
    `workers` is as in `Sweep.slabs`. `shown` may report progress as it passes slabs on. Raises RoofproofError for
    another ending, or a path that cannot be written.
    """
    check_ending(path)
    with replacing(path) as target:
        if path.endswith(".csv"):
            with open(target, "w", encoding="utf-8", newline="\n") as file:
                write_csv(file, found, workers, shown)
        elif path.endswith(".npz"):
            _write_npz(target, found, shown(found.slabs(workers)))
        else:
            _write_parquet(target, shown(found.slabs(workers)))


def check_ending(path: str) -> None:
    """Raise RoofproofError for a file with an unknown ending, before any work is done.

    >>> check_ending("sweep.xlsx")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown ending '.xlsx'; known: .csv, .npz, .parquet
    """
    ending = Path(path).suffix
    refuse_unknown("ending", ending, ENDINGS)
    if ending == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise RoofproofError("to write Parquet, install pyarrow: pip install pyarrow") from None


def write_csv(
    file: TextIO, found: Sweep, workers: int | str | None = None, shown: Callable[[Slabs], Slabs] = iter
) -> None:
    """Write a sweep as comma-separated values, with enough digits to identify every float."""
    heading = ",".join(found.columns) + "\n"
    for rows in shown(found.slabs(workers, csv_rows)):
        file.write(heading + rows)  # with the first rows: if these fail, nothing is written
        heading = ""


def csv_rows(columns: Mapping[str, Any]) -> str:
    """Return the rows of a slab as text. That takes longer than computing them, so workers do both.

    >>> import numpy as np
    >>> csv_rows({"B": np.array([1, 2]), "intensity": np.array([0.5, 1.0])})
    '1,0.5\\n2,1.0\\n'
    """
    rows = zip(*(map(_cell, column.tolist()) for column in columns.values()), strict=True)
    return "".join(f"{','.join(row)}\n" for row in rows)


def _cell(value: object) -> str:
    """Return a cell. The name of a chip is escaped, and quoted if necessary.

    >>> print(_cell("=a,b"), _cell(-3))
    "'=a,b" -3
    """
    if not isinstance(value, str):
        return str(value)
    cell = escape_csv(value)
    return '"' + cell.replace('"', '""') + '"' if re.search(r'[",\s]', cell) else cell


def _write_npz(target: Path, found: Sweep, slabs: Slabs) -> None:
    import numpy as np

    axes = {name: np.asarray(axis) for name, axis in found.axes.items()}
    names = {"chip": np.array([c.name for c in found.chips])} if found.chips else {}
    with TemporaryDirectory(dir=target.parent, prefix=f"{target.name}.") as home, ZipFile(target, "w") as archive:
        for name, values in {**names, **axes}.items():
            np.save(f"{home}/{name}.npy", values)
        files = {q: Path(home) / f"{q.replace(':', '-')}.npy" for q in found.formulas}
        arrays = {
            q: np.lib.format.open_memmap(f, "w+", np.dtype(np.float64), shape=found.shape) for q, f in files.items()
        }
        start = 0
        for slab in slabs:
            for quantity, array in arrays.items():
                stop = start + len(slab[quantity])
                array.reshape(-1)[start:stop] = slab[quantity]
            start = stop
        for array in arrays.values():
            array.flush()
        for file in sorted(Path(home).iterdir()):
            with archive.open(ZipInfo(file.name), "w", force_zip64=True) as member:  # without a timestamp
                shutil.copyfileobj(file.open("rb"), member)


def _write_parquet(target: Path, slabs: Slabs) -> None:
    import pyarrow
    import pyarrow.parquet

    writer = None
    try:
        for slab in slabs:
            table = pyarrow.table(dict(slab))
            writer = writer or pyarrow.parquet.ParquetWriter(target, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
