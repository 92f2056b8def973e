"""A strict JSON reader for untrusted text: duplicate names are refused, and errors take one line."""

from __future__ import annotations

import json

from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def from_json(content: bytes, file: str, *, numbers_as_text: bool = False) -> Any:
    """Parse JSON text. With `numbers_as_text`, numbers stay strings so that they can be read exactly.

    >>> from_json(b'{"axes": {"N": 2}}', "definition.json")
    {'axes': {'N': 2}}
    >>> from_json(b'[{"ms": 0.10}]', "times.json", numbers_as_text=True)
    [{'ms': '0.10'}]
    >>> from_json(b'{"N": 2, "N": 3}', "definition.json")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: definition.json: 'N' is given twice

    Raises RoofproofError for text that is not JSON in UTF-8, for numbers with thousands of digits and for deep nesting.
    """

    def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise RoofproofError("<file>: <twice> is given twice", file=file, twice=quoted(twice))
        return table

    try:
        numbers = ("parse_int", "parse_float", "parse_constant") if numbers_as_text else ()
        kept: dict[str, Any] = dict.fromkeys(numbers, str)
        return json.loads(content.decode(), object_pairs_hook=once, **kept)
    except RoofproofError:
        raise
    except json.JSONDecodeError as error:
        raise RoofproofError(
            "<file>, line <line>, column <column>: not JSON: <problem>",
            file=file,
            line=error.lineno,
            column=error.colno,
            problem=error.msg,
        ) from None
    except (ValueError, RecursionError):
        raise RoofproofError("<file>: not JSON text in UTF-8 with numbers that can be read", file=file) from None
