"""Where a store keeps its entries: a folder, or a bucket of an object store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from roofproof.errors import MissingExtra, RoofproofError, quoted
from roofproof.temporary_files import own, unfinished

HASH = "[0-9a-f]" * 32  # as a pattern of names
NO_PLACE = "cannot keep proofs in <folder>: <why>; name a folder"


class Place(Protocol):
    """Entries by name, VERSION/QUESTION.json: each is there whole, or it is not there."""

    def read(self, name: str, most: int) -> bytes | None:
        """Return so many bytes of an entry, None where there is none."""

    def write(self, name: str, content: bytes) -> str:
        """Keep an entry, and return why it could not be kept."""

    def trim(self, most: int) -> None:
        """Delete what was not used for longest, until no more than so many bytes are left."""


def place_of(name: str) -> Place:
    """Return the place of a name: the address of a bucket has `://` in it.

    >>> place_of("memory://proofs").write("1/2.json", b"{}"), place_of("memory://proofs").read("1/2.json", 100)
    ('', b'{}')

    Raises RoofproofError for a place where nothing can be kept.
    """
    if not name or "\0" in name:
        raise RoofproofError("cannot keep proofs in <folder>: it is no name; name a folder", folder=quoted(name))
    return Bucket(name) if "://" in name else Folder(name)


class Folder:
    """A folder, whose least recently used entries go first."""

    def __init__(self, name: str) -> None:
        self.home = Path(name)
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            for entries in self.home.glob(HASH):
                unfinished(entries, ".writing-")
        except OSError as error:
            raise RoofproofError(NO_PLACE, folder=quoted(name), why=error.strerror) from None

    def read(self, name: str, most: int) -> bytes | None:
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


class Bucket:
    """A part of an object store, which writes an object whole and has rules of its own by which old ones go."""

    def __init__(self, address: str) -> None:
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise MissingExtra("an object store", "store") from None
        try:
            self.objects: Any
            self.objects, home = url_to_fs(address)
            self.home = home.rstrip("/")
            if "file" in (kinds := self.objects.protocol) or kinds == "file":
                raise RoofproofError(NO_PLACE, folder=quoted(address), why="it is a folder")
            self.objects.exists(self.home)  # whoever has no access is told so before anything is judged
        except RoofproofError:
            raise
        except Exception as problem:  # each kind of store has errors of its own
            raise RoofproofError(NO_PLACE, folder=quoted(address), why=_why(problem)) from None

    def read(self, name: str, most: int) -> bytes | None:
        try:
            return bytes(self.objects.cat_file(f"{self.home}/{name}")[:most])
        except Exception:  # what cannot be had is searched for anew
            return None

    def write(self, name: str, content: bytes) -> str:
        try:
            self.objects.pipe_file(f"{self.home}/{name}", content)
        except Exception as problem:
            return _why(problem)
        return ""

    def trim(self, most: int) -> None:
        pass


def _why(problem: Exception) -> str:
    lines = str(problem).splitlines()
    return lines[0][:200] if lines else type(problem).__name__
