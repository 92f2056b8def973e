"""Cells of CSV files, which people open in spreadsheets."""

from __future__ import annotations

import re

_GUARDED = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe before `=`, `+`, `-` and `@`.

    >>> guarded("=1+1"), guarded("-5"), guarded("B > 240"), guarded("'=1")
    ("'=1+1", '-5', 'B > 240', "''=1")

    Students write what teachers open. A number stays as it is; `unguarded` takes the apostrophe away again.
    """
    return f"'{cell}" if _GUARDED.match(cell) and not _NUMBER.fullmatch(cell) else cell


def unguarded(cell: str) -> str:
    """Return a guarded cell as it was.

    >>> unguarded("'=1"), unguarded("'a'")
    ('=1', "'a'")
    """
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) and not _NUMBER.fullmatch(cell[1:]) else cell
