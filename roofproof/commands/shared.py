"""What several commands need: options given once, sizes, output that any terminal can show."""

from __future__ import annotations

import argparse
import sys

from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeVar

    T = TypeVar("T")

MAX_DIGITS = 30


class Once(argparse.Action):
    """An option that may be given once: the second would silently hide the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            raise RoofproofError(f"{option} is given twice")
        setattr(namespace, self.dest, values)


def sizes_from(given: Sequence[str]) -> dict[str, int]:
    """Read `D=4096,F=4096`, from one `--at` or several; every size a positive integer."""
    sizes: dict[str, int] = {}
    for part in (p.strip() for text in given for p in text.split(",")):
        name, _, size = (p.strip() for p in part.partition("="))
        digits = size.isascii() and size.isdigit()
        if digits and len(size) > MAX_DIGITS:
            raise RoofproofError(f"size {quoted(part)} has {len(size)} digits; at most {MAX_DIGITS} are read")
        if not name or not digits or int(size) == 0:
            raise RoofproofError(f"size {quoted(part)}: expected NAME=POSITIVE INTEGER, such as D=4096")
        if name in sizes:
            raise RoofproofError(f"size of {name} is given twice")
        sizes[name] = int(size)
    return sizes


def language(arguments: argparse.Namespace, text: bool = False) -> str:
    """Return the language asked for, after checking that LaTeX (or text, where that has it) is what it is for.

    Raises RoofproofError for a language that is not written, before any work is done.
    """
    if not arguments.latex:
        text = text and not arguments.json
        for given, option in ((arguments.out, "-o"), (None if text else arguments.lang, "--lang")):
            if given is not None:
                raise RoofproofError(f"{option} goes with --latex")
    elif getattr(arguments, "json", False):
        raise RoofproofError("--json and --latex: one of them at a time")
    if arguments.lang is None:
        return "en"
    from roofproof.export.words.catalogue import Catalogue

    return Catalogue(arguments.lang).language


def show(text: str) -> None:
    """Print a text; signs that the terminal cannot show give way to ones that it can."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace("≈", "~").encode(encoding, "backslashreplace").decode(encoding)
    print(text)


def with_progress(results: Iterable[T], unit: str) -> Iterator[T]:
    """Show how far long work is, where somebody watches."""
    if not sys.stderr.isatty():
        yield from results
        return
    from tqdm import tqdm

    yield from tqdm(results, unit=f" {unit}", leave=False)
