"""Files written whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
    with replacing(path) as target:
        target.write_bytes(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


@contextmanager
def replacing(path: str) -> Iterator[Path]:
    """Lend a temporary neighbour of a file to write into; it takes the file's place if all goes well, else it goes.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home, replacing(f"{home}/a.md") as target:
    ...     _ = target.write_text("# A")

    Raises RoofproofError for a place that cannot be written, and for one that is a folder, a device or a pipe: a
    file would take its place.
    """
    target = Path(path)
    lent = None
    if "\0" in path or (target.exists() and not target.is_file()):
        raise RoofproofError(f"cannot write {quoted(path)}: it is no file; name a file in a folder you own")
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            lent = Path(file.name)
        yield lent
        lent.chmod(0o644)
        lent.replace(target)
    except OSError as error:
        raise RoofproofError(
            f"cannot write {quoted(path)}: {error.strerror or error}; name a file in a folder you own"
        ) from None
    finally:
        if lent is not None:
            lent.unlink(missing_ok=True)
