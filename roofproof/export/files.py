"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE

from roofproof.errors import RoofproofError, quoted
from roofproof.sentences import joined
from roofproof.temporary_files import unfinished


def write_atomically(path: str, content: str | bytes) -> None:
    """Write a file, text or bytes: first to a temporary file next to it, then in place of the old one.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     write_atomically(f"{home}/a.md", "# A")
    ...     Path(f"{home}/a.md").read_text()
    '# A'

    Raises RoofproofError for a path that cannot be written.
    """
    write_together({path: content})


def write_together(files: Mapping[str, str | bytes]) -> None:
    """Write several files. They replace the old files only after all of them are written, the first one last.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     write_together({f"{home}/a.md": "# A", f"{home}/b.md": "# B"})
    ...     sorted(p.name for p in Path(home).iterdir())
    ['a.md', 'b.md']

    Raises RoofproofError for a path that cannot be written.
    """
    with ExitStack() as all_or_none:
        for path, content in files.items():
            target = all_or_none.enter_context(replacing(path))
            target.write_bytes(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def checked_ending(path: str, endings: Sequence[str], *, bare: bool = False) -> str:
    """Return the ending of a file name in lower case. With `bare` it may be missing.

    >>> checked_ending("roofline.SVG", [".svg", ".tex"]), checked_ending("report", [".md"], bare=True)
    ('.svg', '')
    >>> checked_ending("roofline.doc", [".svg", ".tex"])
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot write 'roofline.doc': expected a name that ends in .svg or .tex
    """
    ending = Path(path).suffix.lower()
    if ending not in endings and (ending or not bare):
        expected = joined("<first> or <second>", (", ".join(endings[:-1]), endings[-1]))
        raise RoofproofError(
            "cannot write <file>: expected a name that ends in <endings>", file=quoted(path), endings=expected
        )
    return ending


@contextmanager
def replacing(path: str) -> Iterator[Path]:
    """Yield a temporary file to write to. It replaces the file on success, and is removed on failure.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home, replacing(f"{home}/a.md") as target:
    ...     _ = target.write_text("# A")

    Raises RoofproofError for a path that cannot be written, and for a folder, a device or a pipe, which the file
    would replace.
    """
    with _neighbour(path) as (target, lent):
        yield lent
        if target.exists():
            lent.chmod(S_IMODE(target.stat().st_mode))
        lent.replace(target)


def checked_place(path: str) -> None:
    """Raise RoofproofError for a path that cannot be written, before the work whose result it will hold."""
    with _neighbour(path):
        pass


@contextmanager
def _neighbour(path: str) -> Iterator[tuple[Path, Path]]:
    """Yield the target of a path, and a temporary file next to it."""
    target = Path(path if "\0" in path else os.path.realpath(path))  # a link stays, and its target is replaced
    lent = None
    if "\0" in path or os.path.islink(target) or (os.path.exists(target) and not os.path.isfile(target)):
        raise RoofproofError(
            "cannot write <file>: it is not a regular file; name a file in a folder you own", file=quoted(path)
        )
    try:
        lent = target.parent / f"{unfinished(target.parent, f'.{target.name}.')}{token_hex(4)}"
        os.close(os.open(lent, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))  # the umask sets the permissions
        yield target, lent
    except OSError as error:
        raise RoofproofError(
            "cannot write <file>: <why>; name a file in a folder you own",
            file=quoted(path),
            why=error.strerror or error,
        ) from None
    finally:
        if lent is not None:
            with suppress(OSError):  # also for a name that is too long
                lent.unlink(missing_ok=True)


INDEX = "index.txt"
OWN = "written by roofproof, one file a line"


def write_folder(directory: str, files: Mapping[str, tuple[str, str]]) -> list[Path]:
    """Write files, each given as (text, description), and an index. The files of an earlier run are replaced.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     _ = write_folder(home, {"old/1.txt": ("1", "one")})
    ...     [path] = write_folder(home, {"2.txt": ("2", "two")})
    ...     sorted(p.name for p in Path(home).iterdir())
    ['2.txt', 'index.txt']

    Either all files are written, or the folder stays as it was. Raises RoofproofError for a folder that cannot be
    written, or that contains other files: no file of an earlier run or of somebody else may stay in it.
    """
    if not directory or "\0" in directory:
        raise RoofproofError("cannot write <file>: this is not a file name; name a folder", file=quoted(directory))
    home, made, staged = Path(directory), False, None
    try:
        made = not home.exists()
        home.mkdir(parents=True, exist_ok=True)
        prefix = unfinished(home, ".writing-")
        old = _own(home, directory)
        named = (path.relative_to(home).as_posix() for path in old)
        folders = {home / above for name in (*files, *named) for above in Path(name).parents} - {home}
        staged = Path(tempfile.mkdtemp(dir=home, prefix=prefix))
        rows = [f"{name}: {' '.join(says.split())}\n" for name, (_, says) in files.items()]
        for name, (text, _) in files.items():
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            (staged / name).write_text(text, encoding="utf-8", errors="backslashreplace")
        gone = [path for path in old if path.relative_to(home).as_posix() not in {*files, INDEX}]
        earlier = [f"{path.relative_to(home).as_posix()}: of an earlier run\n" for path in gone]
        for index, listed in ((INDEX, rows), (f".{INDEX}", [*rows, *earlier])):
            (staged / index).write_text(f"{OWN}\n{''.join(listed)}", encoding="utf-8")
        for folder in sorted(folders):  # fails if there is no space
            folder.mkdir(exist_ok=True)
        # If killed from here on, this process leaves complete files, all in the index, for the next run to replace.
        (staged / f".{INDEX}").replace(home / INDEX)
        for name in files:
            (staged / name).replace(home / name)
        for path in gone:
            path.unlink()
        (staged / INDEX).replace(home / INDEX)
    except OSError as error:
        if made and home.is_dir():
            shutil.rmtree(home, ignore_errors=True)
        raise RoofproofError(
            "cannot write <file>: <why>; name a folder", file=quoted(directory), why=error.strerror
        ) from None
    finally:
        if staged is not None:
            shutil.rmtree(staged, ignore_errors=True)
            for folder in sorted(folders, reverse=True):
                with suppress(OSError):  # it contains written files
                    folder.rmdir()
    return [home / name for name in files]


def _own(home: Path, directory: str) -> list[Path]:
    """Return the files of a folder that roofproof wrote. Raises RoofproofError if it contains others."""
    walked = (Path(top) / name for top, folders, names in os.walk(home) for name in (*folders, *names))
    found = sorted(p.relative_to(home).as_posix() for p in walked if p.is_symlink() or not p.is_dir())
    index = home / INDEX
    rows = index.read_text(encoding="utf-8", errors="replace").splitlines() if index.is_file() else []
    listed = {row.partition(": ")[0] for row in rows[1:]} | {INDEX} if rows[:1] == [OWN] else set()
    if other := [name for name in found if name not in listed]:
        raise RoofproofError(
            "cannot write <file>: it holds other files, such as <other>; name an empty folder",
            file=quoted(directory),
            other=quoted(other[0]),
        )
    return [home / name for name in found]
