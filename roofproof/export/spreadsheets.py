"""Cells of CSV files that are safe to open in spreadsheets."""

from __future__ import annotations

import re

_GUARDED = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def escape_csv(cell: str) -> str:
    """Return a cell that no spreadsheet reads as a formula, with an apostrophe before `=`, `+`, `-` and `@`.

    >>> escape_csv("=1+1"), escape_csv("-5"), escape_csv("B > 240"), escape_csv("'=1")
    ("'=1+1", '-5', 'B > 240', "''=1")

    Teachers open files with text from students. Numbers stay unchanged. `unescape_csv` removes the apostrophe.
    """
    return f"'{cell}" if _GUARDED.match(cell) and not _NUMBER.fullmatch(cell) else cell


def unescape_csv(cell: str) -> str:
    """Return the original text of an escaped cell.

    >>> unescape_csv("'=1"), unescape_csv("'a'")
    ('=1', "'a'")
    """
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) and not _NUMBER.fullmatch(cell[1:]) else cell
