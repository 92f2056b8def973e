"""The folder of a proof store: each entry is written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from roofproof.errors import RoofproofError, quoted
from roofproof.temporary_files import own, unfinished

HASH = "[0-9a-f]" * 32  # as a glob pattern
NO_PLACE = "cannot keep proofs in <folder>: <why>; name a folder"


class Folder:
    """A folder of entries named VERSION/QUESTION.json. `trim` deletes the least recently used first.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     Folder(home).write("1/2.json", b"{}"), Folder(home).read("1/2.json", 100)
    ('', b'{}')

    Raises RoofproofError for a folder that cannot be created or used.
    """

    def __init__(self, name: str) -> None:
        if not name or "\0" in name or "://" in name:
            raise RoofproofError("cannot keep proofs in <folder>: expected the name of a folder", folder=quoted(name))
        self.home = Path(name)
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            for entries in self.home.glob(HASH):
                unfinished(entries, ".writing-")
        except OSError as error:
            raise RoofproofError(NO_PLACE, folder=quoted(name), why=error.strerror) from None

    def read(self, name: str, most: int) -> bytes | None:
        """Return at most `most` bytes of an entry, or None if it does not exist."""
        path = self.home / name
        with suppress(OSError):
            if path.is_file():
                with path.open("rb") as file:
                    content = file.read(most)
                with suppress(OSError):  # the store may be read-only
                    os.utime(path)  # marks the entry as recently used
                return content
        return None

    def write(self, name: str, content: bytes) -> str:
        """Write an entry. Return "" or the reason why it could not be written."""
        import tempfile

        path = self.home / name
        lent = None
        try:
            path.parent.mkdir(exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=own(".writing-"), delete=False) as file:
                lent = Path(file.name)
                file.write(content)
            lent.replace(path)
        except OSError as error:
            return error.strerror or str(error)
        finally:
            if lent is not None:
                with suppress(OSError):
                    lent.unlink(missing_ok=True)
        return ""

    def trim(self, most: int) -> None:
        """Delete the least recently used entries until at most `most` bytes are left."""
        found = sorted((status.st_mtime, status.st_size, path) for path, status in self._entries())
        size = sum(each for _, each, _ in found)
        for _, each, path in found:
            if size <= most:
                return
            size -= each
            with suppress(OSError):
                path.unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()  # succeeds only if this was the last entry of its version

    def _entries(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Yield only files that a store has written."""
        for path in (*self.home.glob(f"{HASH}/{HASH}.json"), *self.home.glob(f"{HASH}/.writing-*")):
            with suppress(OSError):
                if path.is_file() and not path.is_symlink():
                    yield path, path.stat()
