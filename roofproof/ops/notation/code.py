"""Texts that name code as an operation, `block.py:attend` or `config.json:module`. Only the tracer reads the files."""

import re

CODE = re.compile(r"(.+\.py):([A-Za-z_][A-Za-z0-9_]*)")
MODULE = re.compile(r"(.+\.json):module")  # the Hugging Face module for a configuration


def is_code(text: str) -> bool:
    """Return whether a text names a function in a file, or the module of a configuration.

    >>> is_code("models/block.py:attend"), is_code("config.json:module"), is_code("matmul:int8")
    (True, True, False)
    """
    return any(form.fullmatch(text.strip()) for form in (CODE, MODULE))
