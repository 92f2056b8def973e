"""A folder of what was proved, so that it is not searched for again; nothing in it is believed unchecked.

An entry is STORE/VERSION/QUESTION.json. VERSION is a hash of the source that answers depend on, the kernel's with it;
QUESTION is a hash of what was asked. Its first line authenticates the rest under a key that lies outside the store: an
entry that was damaged, written by another account, or moved from another question or version is refused. What such an
entry says is still only data, whose proofs go through the kernel again (`rechecked`).
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
from roofproof.proofs.replay.places import Folder
from roofproof.temporary_files import unfinished

KEY_BYTES = 32
MAX_ENTRY = 16 * 1024**2  # bytes that are read of one entry
MAX_BYTES = 256 * 1024**2  # of all entries, after a run
ROOMS = ("claims", "derive", "formula", "hardware", "ops", "proofs")  # what an answer depends on; the rest shows it
SOURCES = (".py", ".toml", ".txt")
ENGINES = ("python-flint", "sympy", "z3-solver")  # what answers are worked out with


class Store:
    """A store in a folder; a question that is not in it is answered anew.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     os.environ["XDG_STATE_HOME"] = home                          # where the key is made
    ...     store = Store(f"{home}/store")
    ...     _ = store.put("is 2 + 2 = 4?", {"answer": "yes"})
    ...     store.get("is 2 + 2 = 4?"), store.get("is 2 + 2 = 5?")
    ...     del os.environ["XDG_STATE_HOME"]
    ({'answer': 'yes'}, None)

    Raises RoofproofError for a place where nothing can be kept, and where there can be no key.
    """

    def __init__(self, folder: str) -> None:
        self.place = Folder(folder)
        self.key = account_key()
        self.version = version()

    def get(self, question: str) -> Any:
        """Return the data kept for a question, None where there is none.

        Raises ValueError for an entry that is not as this account wrote it for this question and version.
        """
        content = self.place.read(self._name(question), MAX_ENTRY + 1)
        if content is None:
            return None
        seal, _, body = content.partition(b"\n")
        if not hmac.compare_digest(seal, self._seal(question, body)):
            raise ValueError("not as it was written")
        return json.loads(body)

    def put(self, question: str, data: Any) -> str:
        """Keep data for a question, whole or not at all, and return why it could not be kept."""
        body = json.dumps(data, separators=(",", ":")).encode()
        if len(body) >= MAX_ENTRY:
            return ""
        return self.place.write(self._name(question), self._seal(question, body) + b"\n" + body)

    def trim(self, most: int = MAX_BYTES) -> None:
        """Delete what was not used for longest, until no more than so many bytes are left in a folder."""
        self.place.trim(most)

    def _name(self, question: str) -> str:
        return f"{self.version}/{hashlib.sha256(question.encode()).hexdigest()[:32]}.json"

    def _seal(self, question: str, body: bytes) -> bytes:
        said = json.dumps([self.version, question]).encode() + b"\n" + body
        return hmac.new(self.key, said, hashlib.sha256).hexdigest().encode()


@cache
def opened(folder: str) -> Store:
    """Return the store in a folder, looked over once."""
    return Store(folder)


@cache
def version() -> str:
    """Return a hash of the source that answers depend on, and of what it computes with."""
    said = " ".join([source_digest(ROOMS), sys.version, *installed(ENGINES)])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def source_digest(rooms: Iterable[str]) -> str:
    """Return a hash of the source of some rooms, and of what lies beside the rooms."""
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
    """Return the versions of packages, by the folders that say so beside them: several times faster than to read these.

    Of several the first counts, in the order in which Python looks for packages.

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
    return [found.get(name) or _told(name) for name in names]


def _told(name: str) -> str:
    from importlib.metadata import version

    return version(name)


def account_key() -> bytes:
    """Return the key of ROOFPROOF_STORE_KEY, which several machines can share, else that of this account.

    It is made where there is none yet; of several processes one makes it.
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
            with tempfile.NamedTemporaryFile(dir=folder, prefix=prefix) as file:  # for this account alone to read
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
