"""The folder where a store keeps its entries: each is there whole, or it is not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from roofproof.errors import RoofproofError, quoted
from roofproof.temporary_files import own, unfinished

HASH = "[0-9a-f]" * 32  # as a pattern of names
NO_PLACE = "cannot keep proofs in <folder>: <why>; name a folder"


class Folder:
    """Entries by name, VERSION/QUESTION.json; the least recently used go first.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     Folder(home).write("1/2.json", b"{}"), Folder(home).read("1/2.json", 100)
    ('', b'{}')

    Raises RoofproofError for a place where nothing can be kept.
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
        """Return so many bytes of an entry, None where there is none."""
        path = self.home / name
        with suppress(OSError):
            if path.is_file():
                with path.open("rb") as file:
                    content = file.read(most)
                with suppress(OSError):  # a store that may only be read
                    os.utime(path)  # what is used stays
                return content
        return None

    def write(self, name: str, content: bytes) -> str:
        """Keep an entry, and return why it could not be kept."""
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
        """Delete what was not used for longest, until no more than so many bytes are left."""
        found = sorted((status.st_mtime, status.st_size, path) for path, status in self._entries())
        size = sum(each for _, each, _ in found)
        for _, each, path in found:
            if size <= most:
                return
            size -= each
            with suppress(OSError):
                path.unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()  # the last of an old version

    def _entries(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Yield the files that a store has written, and nothing else."""
        for path in (*self.home.glob(f"{HASH}/{HASH}.json"), *self.home.glob(f"{HASH}/.writing-*")):
            with suppress(OSError):
                if path.is_file() and not path.is_symlink():
                    yield path, path.stat()
