"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from roofproof.errors import RoofproofError, quoted


def write_whole(path: str, content: str | bytes) -> None:
    """Write a file, text or bytes: into a temporary neighbour first, then in place of the old one.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     write_whole(f"{home}/a.md", "# A")
    ...     Path(f"{home}/a.md").read_text()
    '# A'

    Raises RoofproofError for a place that cannot be written.
    """
    target = Path(path)
    name = None
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            name = file.name
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except OSError as error:
        if name is not None:
            Path(name).unlink(missing_ok=True)
        raise RoofproofError(
            f"cannot write {quoted(path)}: {error.strerror}; name a file in a folder you own"
        ) from None
