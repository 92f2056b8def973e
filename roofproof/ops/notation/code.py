"""A function of a file as the text of an operation, `block.py:attend`: the room that traces it reads the file."""

import re

CODE = re.compile(r"(.+\.py):([A-Za-z_][A-Za-z0-9_]*)")


def is_code(text: str) -> bool:
    """Tell whether a text names a function of a file.

    >>> is_code("models/block.py:attend"), is_code("matmul:int8")
    (True, False)
    """
    return CODE.fullmatch(text.strip()) is not None
