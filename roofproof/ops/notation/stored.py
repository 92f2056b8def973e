"""Rejection of file names in texts from others: such a text must never make roofproof read a file."""

import re

from roofproof.errors import RoofproofError, quoted

_FILE = re.compile(r"[^\s,;()\"']*\.(?:json|toml|csv|tsv|py)\b")


def refuse_file_names(*texts: str) -> None:
    """Raise RoofproofError for a text that names a file: a model's configuration, a chip, code, a table.

    >>> refuse_file_names("matmul:int8", "bf16=197 TFLOP/s, hbm=819 GB/s")
    >>> refuse_file_names("model/config.json:decode")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'model/config.json' is a file, and files are not read here; write out its content
    """
    for text in texts:
        if (found := _FILE.search(text)) is not None:
            form = "<file> is a file, and files are not read here; write out its content"
            raise RoofproofError(form, file=quoted(found[0]))
