"""The proof store: a folder of proved answers, so that roofproof does not search for the same proof twice.

An entry is STORE/VERSION/QUESTION.json. VERSION is a hash of the source that answers depend on, including the proof
checker. QUESTION is a hash of the question. The first line of an entry authenticates the rest with a key that is kept
outside the store. The store rejects an entry that was damaged, written by another account, or moved from another
question or version. An accepted entry is still only data: its proofs go through the proof checker again (`rechecked`).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from roofproof.errors import RoofproofError, quoted
from roofproof.proofs.replay.store_folder import Folder
from roofproof.temporary_files import unfinished

KEY_BYTES = 32
MAX_ENTRY = 16 * 1024**2  # limit of one entry, in bytes
MAX_BYTES = 256 * 1024**2  # limit of all entries after a run, in bytes
# Answers depend on these subpackages. The others only print.
ANSWER_PACKAGES = ("claims", "derive", "formula", "hardware", "ops", "proofs")
SOURCES = (".py", ".toml", ".txt")
SOLVER_PACKAGES = ("python-flint", "sympy", "z3-solver")  # packages that answers are computed with


class Store:
    """A store of answers in a folder.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     os.environ["XDG_STATE_HOME"] = home                          # the folder of the key
    ...     store = Store(f"{home}/store")
    ...     _ = store.put("is 2 + 2 = 4?", {"answer": "yes"})
    ...     store.get("is 2 + 2 = 4?"), store.get("is 2 + 2 = 5?")
    ...     del os.environ["XDG_STATE_HOME"]
    ({'answer': 'yes'}, None)

    Raises RoofproofError for a folder that cannot be used, or if the key cannot be read or created.
    """

    def __init__(self, folder: str) -> None:
        self.place = Folder(folder)
        self.key = account_key()
        self.version = version()

    def get(self, question: str) -> Any:
        """Return the data stored for a question, or None if there is none.

        Raises ValueError for an entry whose seal does not match: this account did not write it for this question.
        """
        content = self.place.read(self._name(question), MAX_ENTRY + 1)
        if content is None:
            return None
        seal, _, body = content.partition(b"\n")
        if not hmac.compare_digest(seal, self._seal(question, body)):
            raise ValueError("not as it was written")
        return json.loads(body)

    def put(self, question: str, data: Any) -> str:
        """Store data for a question, completely or not at all. Return "" or the reason why it was not stored.

        Data of MAX_ENTRY bytes or more is silently skipped.
        """
        body = json.dumps(data, separators=(",", ":")).encode()
        if len(body) >= MAX_ENTRY:
            return ""
        return self.place.write(self._name(question), self._seal(question, body) + b"\n" + body)

    def trim(self, most: int = MAX_BYTES) -> None:
        """Delete the least recently used entries until at most `most` bytes are left."""
        self.place.trim(most)

    def _name(self, question: str) -> str:
        return f"{self.version}/{hashlib.sha256(question.encode()).hexdigest()[:32]}.json"

    def _seal(self, question: str, body: bytes) -> bytes:
        said = json.dumps([self.version, question]).encode() + b"\n" + body
        return hmac.new(self.key, said, hashlib.sha256).hexdigest().encode()


@cache
def opened(folder: str) -> Store:
    """Return the store in a folder, opened only once in a process."""
    return Store(folder)


@cache
def version() -> str:
    """Return a hash of the source that answers depend on, the Python version and the versions of SOLVER_PACKAGES."""
    said = " ".join([source_digest(ANSWER_PACKAGES), sys.version, *installed(SOLVER_PACKAGES)])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def source_digest(rooms: Iterable[str]) -> str:
    """Return a hash of the source of some subpackages and of the top-level modules."""
    made = hashlib.sha256()
    root = str(Path(__file__).parents[2])
    for path in sorted(_sources(root, rooms)):
        with open(path, "rb") as file:
            content = file.read()
        made.update(f"{path[len(root) + 1 :]} {len(content)}\n".encode() + content)
    return made.hexdigest()


def _sources(root: str, rooms: Iterable[str]) -> Iterator[str]:
    yield from (e.path for e in os.scandir(root) if e.name.endswith(".py"))
    for room in rooms:
        for folder, below, names in os.walk(os.path.join(root, room)):
            below[:] = [name for name in below if name != "textbooks"]
            yield from (os.path.join(folder, name) for name in names if name.endswith(SOURCES))


def installed(names: Iterable[str]) -> list[str]:
    """Return the versions of packages from the names of their .dist-info folders.

    This is several times faster than reading the metadata. The first match on Python's search path counts.

    >>> from importlib.metadata import version
    >>> installed(["sympy", "z3-solver"]) == [version("sympy"), version("z3-solver")]
    True
    """
    found: dict[str, str] = {}
    for place in sys.path:
        with suppress(OSError):
            for entry in sorted(os.listdir(place or ".")):
                name, _, said = entry.removesuffix(".dist-info").partition("-")
                if entry.endswith(".dist-info"):
                    found.setdefault(name.lower().replace("_", "-"), said)
    return [found.get(name) or _installed_version(name) for name in names]


def _installed_version(name: str) -> str:
    from importlib.metadata import version

    return version(name)


def account_key() -> bytes:
    """Return the key from ROOFPROOF_STORE_KEY, which several machines can share, or else the key of this account.

    Creates the key of the account if there is none. If several processes try, only one creates it.
    """
    if shared := os.environ.get("ROOFPROOF_STORE_KEY"):
        if len(shared) < KEY_BYTES:
            raise RoofproofError(
                "ROOFPROOF_STORE_KEY: expected at least <count> characters that nobody can guess", count=KEY_BYTES
            )
        return hashlib.sha256(shared.encode("utf-8", "surrogateescape")).digest()
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "roofproof"
    path = folder / "store-key"
    try:
        if not path.exists():
            import secrets
            import tempfile

            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            prefix = unfinished(folder, ".store-key.")
            with tempfile.NamedTemporaryFile(dir=folder, prefix=prefix) as file:  # readable only by this account
                file.write(secrets.token_bytes(KEY_BYTES))
                file.flush()
                with suppress(FileExistsError):
                    os.link(file.name, path)
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            about, key = os.fstat(file.fileno()), file.read(KEY_BYTES + 1)
    except OSError as error:
        raise RoofproofError(
            "the store of proofs needs a key in <folder>: <why>; set XDG_STATE_HOME to a folder you own",
            folder=quoted(folder),
            why=error.strerror,
        ) from None
    if hasattr(os, "geteuid") and (about.st_uid != os.geteuid() or about.st_mode & 0o077):
        raise RoofproofError("<path> is the key of another account, or others may use it; delete it", path=quoted(path))
    if len(key) != KEY_BYTES:
        raise RoofproofError("<path> is not a key of a store of proofs; delete it", path=quoted(path))
    return key
