"""Cells of CSV files, which people open in spreadsheets."""

from __future__ import annotations

import re

_GUARDED = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def escape_csv(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe before `=`, `+`, `-` and `@`.

    >>> escape_csv("=1+1"), escape_csv("-5"), escape_csv("B > 240"), escape_csv("'=1")
    ("'=1+1", '-5', 'B > 240', "''=1")

    Students write what teachers open. A number stays as it is; `unescape_csv` takes the apostrophe away again.
    """
    return f"'{cell}" if _GUARDED.match(cell) and not _NUMBER.fullmatch(cell) else cell


def unescape_csv(cell: str) -> str:
    """Return an escaped cell as it was.

    >>> unescape_csv("'=1"), unescape_csv("'a'")
    ('=1', "'a'")
    """
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) and not _NUMBER.fullmatch(cell[1:]) else cell
