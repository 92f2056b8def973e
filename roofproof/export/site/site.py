"""The complete site as a folder: pages that can be read without the browser version, and the files they load."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.export.plots.palette import SHADES, STROKES
from roofproof.export.site.pages import Page, chip_data, rendered, site_pages
from roofproof.export.site.studies import SECONDS, OperationStudy, study
from roofproof.export.site.typesetting import typeset
from roofproof.hardware import any_chip
from roofproof.ops import entries, parse_operation
from roofproof.ops.notation.operation_file import file_named
from roofproof.parallel import parallel_map
from roofproof.temporary_files import unfinished

MARK = ".roofproof-site"  # a folder with this file was written by us and may be overwritten
T = TypeVar("T")
Progress = Callable[[Iterable[T], int], Iterable[T]]


def write_site(
    folder: str,
    ops: Sequence[str],
    chips: Sequence[str],
    more: Mapping[str, bytes | Path] | None = None,
    pages: Sequence[Page] = (),
    *,
    workers: int = 1,
    seconds: int | None = SECONDS,
    progress: Progress[OperationStudy] = lambda studies, total: studies,
) -> int:
    """Write the site for operations on chips, and return its size in bytes.

    `more` holds further files by their path in the site, such as the browser version. `pages` are added to those of the
    atlas. Each threshold has a limit of `seconds`, and `workers` processes run in parallel. Afterwards the folder is
    either complete or as it was before. Raises RoofproofError for an unknown operation or chip, for a folder that holds
    other files, and if KaTeX is not available.
    """
    from roofproof.export.site.runtime import npm_files

    home = Path(folder)
    check_arguments(folder, ops, chips)
    katex = npm_files("katex")
    studies = list(progress(_studies(ops, chips, workers, seconds), len(ops)))
    content: dict[str, bytes | Path] = {**assets(), **_katex(katex), **(more or {})}
    texts = typeset(dict(rendered([*site_pages(studies, chips), *pages])), katex)
    content |= {path: text.encode() for path, text in (*texts.items(), *chip_data(studies))}
    return _written(home, folder, content)


def _studies(ops: Sequence[str], chips: Sequence[str], workers: int, seconds: int | None) -> Iterator[OperationStudy]:
    yield from parallel_map(_study, (list(chips), seconds), ops, workers)


def _study(shared: tuple[list[str], int | None], op: str) -> OperationStudy:
    return study(op, *shared)


def assets() -> dict[str, bytes]:
    """Return the style sheets and scripts that pages load, by path in the site, with the colours of the plots.

    >>> assets()["assets/site.css"].decode().splitlines()[0][:30]
    ':root{--stroke-0:#0072B2;--str'
    """
    room = files(__package__) / "assets"
    found = {f"assets/{p.name}": p.read_bytes() for p in room.iterdir() if p.is_file() and not p.name.endswith(".cjs")}
    colours = [f"--stroke-{place}:#{colour}" for place, (colour, _) in enumerate(STROKES)]
    colours += [f"--shade-{place}:#{colour}" for place, colour in enumerate(SHADES)]
    found["assets/site.css"] = f":root{{{';'.join(colours)}}}\n".encode() + found["assets/site.css"]
    return found


def _katex(package: Mapping[str, bytes]) -> dict[str, bytes]:
    wanted = {path.removeprefix("dist/"): content for path, content in package.items()}
    return {
        f"katex/{path}": content for path, content in wanted.items()
        if path in ("katex.min.css", "katex.mjs", "LICENSE") or path.endswith(".woff2")
    }  # fmt: skip


def check_arguments(folder: str, ops: Sequence[str], chips: Sequence[str]) -> None:
    """Check the folder, the operations and the chips before any work.

    >>> check_arguments("new folder", ["matmull"], ["tpu-v5e"])
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: unknown operation 'matmull'; did you mean 'matmul' or 'tiled-matmul' or \
'split-matmul'?

    Raises RoofproofError for a path that is not a folder, for a folder with files that we did not write, and for an
    unknown operation or chip.
    """
    home = Path(folder)
    if not folder or "\0" in folder or (os.path.exists(home) and not os.path.isdir(home)):
        raise RoofproofError("cannot write <folder>: it is not a folder; name a new one", folder=quoted(folder))
    if os.path.isdir(home) and any(home.iterdir()) and not (home / MARK).is_file():
        raise RoofproofError(
            "cannot write <folder>: it holds other files; name a new or an empty folder", folder=quoted(folder)
        )
    taken = set(entries())
    for name in ops:
        if not file_named(name):
            refuse_unknown("operation", name, entries())
        elif not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", own := parse_operation(name).name) or own in taken:
            said = "<name>: <own> cannot be the name of a page; use small letters, digits and dashes"
            said = "<name>: <own> is already the name of a page; choose another" if own in taken else said
            raise RoofproofError(said, name=name, own=quoted(own))
        else:
            taken.add(own)
    for each in chips:
        any_chip(each)


def _written(home: Path, folder: str, content: Mapping[str, bytes | Path]) -> int:
    """Write files into a temporary folder next to the target, which it replaces when all of them are written."""
    size, staged = 0, None
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(dir=home.parent, prefix=unfinished(home.parent, f".{home.name}.")))
        for path, what in {**content, MARK: b"", ".nojekyll": b""}.items():
            target = staged / "new" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(what, Path):
                shutil.copyfile(what, target)
            else:
                target.write_bytes(what)
            size += target.stat().st_size
        if not (home.exists() and _exchanged(staged / "new", home)):
            if home.exists():
                os.replace(home, staged / "old")
            os.replace(staged / "new", home)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        cure = "make room, or name a folder on another disk" if full else "name a folder you own"
        raise RoofproofError(
            "cannot write <folder>: <what>; <cure>", folder=quoted(folder), what=error.strerror or error, cure=cure
        ) from None
    finally:
        if staged is not None:
            shutil.rmtree(staged, ignore_errors=True)
    return size


def _exchanged(new: Path, old: Path) -> bool:
    """Swap two folders atomically, so that a killed process leaves one or the other, or return False if unsupported."""
    import ctypes

    swap = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, both = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return swap is not None and swap(here, os.fsencode(new), here, os.fsencode(old), both) == 0
