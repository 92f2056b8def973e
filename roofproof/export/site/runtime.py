"""The browser runtime: archives of pinned versions, fetched once by pip and npm, verified and cached."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from functools import cache
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac_digest
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.export.files import write_atomically
from roofproof.proofs.replay.store import account_key
from roofproof.toml import read_toml

PYTHON = "3.14"  # the version of the interpreter in the browser
SECONDS = 600  # the time limit for one download
MOST = 64 * 1024  # bytes of the table of versions
READABLE = "write the readable pages alone: --without-engine"
FETCHED = "fetch it once with a connection"


@cache
def pins() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the pinned archives of `pip` and of `npm`, by name.

    >>> sorted(pins()), pins()["pip"]["python-flint"]["version"]
    (['npm', 'pip'], '0.9.0')
    """
    return read_toml((files(__package__) / "runtime.toml").read_bytes(), "runtime.toml", MOST, "shorten it")


def cache_folder() -> Path:
    """Return the cache folder of archives: `roofproof` in `$XDG_CACHE_HOME`, or by default in `~/.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "roofproof"


def archive(kind: str, name: str) -> bytes:
    """Return the archive with the pinned SHA-256, from the cache or else fetched by `pip` or `npm` and cached.

    >>> archive("npm", "nothing")
    Traceback (most recent call last):
    KeyError: 'nothing'

    Raises RoofproofError if it cannot be fetched, and if the fetched archive has another SHA-256.
    """
    pin = pins()[kind][name]
    found: bytes
    kept = cache_folder() / pin["sha256"]
    if kept.is_file() and sha256(found := kept.read_bytes()).hexdigest() == pin["sha256"]:
        return found
    found = _fetched(kind, name, pin)
    if sha256(found).hexdigest() != pin["sha256"]:
        raise RoofproofError(
            "<name> <pin>: what <kind> fetched has another SHA-256 than the one pinned",
            name=name,
            pin=pin["version"],
            kind=kind,
        )
    keep(kept, found)
    return found


def keep(path: Path, content: bytes) -> None:
    """Write a file to the cache. If that fails, the file is fetched again next time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(str(path), content)
    except (OSError, RoofproofError):
        return


SEAL = 32  # bytes of HMAC-SHA-256


def cache_write(path: Path, content: bytes) -> None:
    """Cache content that was made here and has no pinned hash, sealed with the account key and its file name.

    >>> from unittest import mock
    >>> with TemporaryDirectory() as home, mock.patch.dict(os.environ, XDG_STATE_HOME=home):
    ...     cache_write(Path(home, "a.zip"), b"made")
    ...     back = cache_read(Path(home, "a.zip"))
    ...     _ = Path(home, "a.zip").write_bytes(b"x" * SEAL + b"evil")
    ...     back, cache_read(Path(home, "a.zip"))
    (b'made', None)
    """
    if path.is_file() and cache_read(path) == content:
        return
    try:
        keep(path, _seal(path, content) + content)
    except RoofproofError:  # no key
        return


def cache_read(path: Path) -> bytes | None:
    """Return the cached content, or None if it is missing or differs from the sealed content."""
    try:
        sealed = path.read_bytes()
        seal, content = sealed[:SEAL], sealed[SEAL:]
        return content if compare_digest(seal, _seal(path, content)) else None
    except (OSError, RoofproofError):
        return None


def _seal(path: Path, content: bytes) -> bytes:
    return hmac_digest(account_key(), path.name.encode() + b"\0" + content, "sha256")


def _fetched(kind: str, name: str, pin: dict[str, Any]) -> bytes:
    otherwise = "" if name == "katex" else f", or {READABLE}"  # readable pages need KaTeX, too
    said = f"{name}=={pin['version']}" if kind == "pip" else f"{name}@{pin['version']}"
    with TemporaryDirectory() as home:
        if kind == "pip":
            fits = ["--platform", pin.get("platform", "any"), "--python-version", PYTHON, "--implementation", "cp"]
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *fits]
            command += ["--dest", home, said]
        else:
            npm = shutil.which("npm")
            if npm is None:
                raise RoofproofError(
                    "<said> is fetched by npm, which is not installed; install Node.js<otherwise>",
                    said=said,
                    otherwise=otherwise,
                )
            command = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", home, said]
        try:
            done = subprocess.run(command, cwd=home, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
            why = f"{kind} ended with status {done.returncode}" if done.returncode else ""
        except subprocess.TimeoutExpired:
            why = f"{kind} took more than {SECONDS} s"
        fetched = [path for path in Path(home).iterdir() if path.suffix in (".whl", ".tgz")]
        if why or len(fetched) != 1:
            why = why or f"{kind} fetched nothing"
            raise RoofproofError(
                "<said> is not in the cache and <why>; <fetched><otherwise>",
                said=said,
                why=why,
                fetched=FETCHED,
                otherwise=otherwise,
            )
        return fetched[0].read_bytes()


def npm_files(name: str) -> dict[str, bytes]:
    """Return the files that we use from an npm package, by their path in it.

    Raises RoofproofError if the package cannot be fetched.
    """
    taken = tuple(pins()["npm"][name]["files"])
    found = {}
    with tarfile.open(fileobj=BytesIO(archive("npm", name)), mode="r:gz") as packed:
        for member in packed:
            path = member.name.partition("/")[2]
            content = packed.extractfile(member) if member.isfile() else None
            if content is not None and (path in taken or path.startswith(tuple(t for t in taken if t.endswith("/")))):
                found[path] = content.read()
    return found
