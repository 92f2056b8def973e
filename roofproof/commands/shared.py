"""Helpers shared by several commands: options, languages, progress, and output for any terminal."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import pairwise

from roofproof.errors import RoofproofError, quoted
from roofproof.sentences import Sentence

TYPE_CHECKING = False  # importing typing noticeably delays the start of a short command
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction
    from typing import Any, TypeVar

    from roofproof.derive.roofline.share import Share
    from roofproof.hardware import Chip
    from roofproof.ops import Operation

    T = TypeVar("T")

NAME = 60  # most characters of the name of an operation


def whole_option(option: str, text: str | None) -> int:
    """Return the positive integer of an option (default: 1)."""
    if text is None:
        return 1
    from roofproof.ops.notation.sizes import MAX_DIGITS

    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and int(text)):
        raise RoofproofError(
            "<option>: expected a positive integer, such as 2, got <text>", option=option, text=quoted(text)
        )
    return int(text)


def one_chip(arguments: argparse.Namespace) -> Chip | None:
    """Return the chip of `--chip`, or None if it is not given."""
    if arguments.chip is None:
        return None
    from roofproof.hardware import any_chip

    return any_chip(arguments.chip)


def caches_asked(arguments: argparse.Namespace) -> str:
    """Return the state of the caches before each run: "cold" for `--cold`, "warm" for `--warm`, otherwise ""."""
    if arguments.cold and arguments.warm:
        raise RoofproofError("use only one of <options>", options="--cold, --warm")
    return "cold" if arguments.cold else "warm" if arguments.warm else ""


def all_chips(arguments: argparse.Namespace) -> list[Chip]:
    """Return the chips of each `--chip`."""
    from roofproof.hardware import any_chip

    return [any_chip(text) for text in arguments.chip or ()]


def share_asked(arguments: argparse.Namespace, op: Operation, chip: Chip | None) -> Share | None:
    """Return the share of the peak of `--share` with the rates of its estimate, or None if it is not given."""
    if (value := share_value(arguments)) is None:
        return None
    from roofproof.derive.roofline.keeping import share_of
    from roofproof.derive.roofline.missing_rates import without_missing_rates

    return share_of(without_missing_rates(op, chip)[0], chip, value, arguments.corner)


def share_value(arguments: argparse.Namespace) -> Fraction | None:
    """Return the number of `--share`, or None if it is not given. Raises RoofproofError for `--corner` without it."""
    if arguments.share is None:
        if arguments.corner is not None:
            raise RoofproofError("--corner requires --share")
        return None
    from roofproof.derive.roofline.share import share_from

    return share_from(arguments.share)


def language(arguments: argparse.Namespace, text: bool = False) -> str:
    """Return the requested language, after checking that the output is LaTeX (or, with `text`, text).

    Raises RoofproofError for an unsupported language, before any work is done.
    """
    if not arguments.latex:
        text = text and not getattr(arguments, "json", False)
        for given, option in ((arguments.out, "-o"), (None if text else arguments.lang, "--lang")):
            if given is not None:
                raise RoofproofError("<option> requires <other>", option=option, other="--latex")
    elif getattr(arguments, "json", False):
        raise RoofproofError("use only one of <options>", options="--json, --latex")
    elif arguments.out is not None:
        from roofproof.export.files import checked_ending

        checked_ending(arguments.out, (".tex", ".pdf"), bare=True)
    if arguments.lang is None:
        return "en"
    from roofproof.say import checked_language

    return checked_language(arguments.lang)


def error_text(error: RoofproofError, argv: Sequence[str] | None) -> str:
    """Return an error message in the language of the command line.

    >>> error_text(RoofproofError("size of <name> is given twice", name="D"), ["check", "--lang", "zh"])
    '尺寸 D 给了两次'
    """
    words = sys.argv[1:] if argv is None else argv
    if ("--lang", "zh") not in pairwise(words) and "--lang=zh" not in words:
        return str(error)
    from roofproof.say import translated

    return translated(error.said, "zh")


def report(text: str) -> None:
    """Print a one-line message on standard error, unless that is closed or full."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"roofproof: {' '.join(text.split())}", file=sys.stderr, flush=True)


def show(thing: str | Mapping[str, Any]) -> None:
    """Print a text, or a record as JSON. Characters that the terminal cannot show are replaced."""
    if not isinstance(thing, str):
        import json

        thing = json.dumps(thing, indent=2)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        thing.encode(encoding)
    except UnicodeEncodeError:
        thing = thing.replace("≈", "~").encode(encoding, "backslashreplace").decode(encoding)
    print(thing)


def tell(said: Sentence, language: str | None = None) -> None:
    """Print a sentence in a language.

    >>> tell(Sentence("wrote <file>", file="roof.svg")), tell(Sentence("wrote <file>", file="roof.svg"), "zh")
    wrote roof.svg
    已写入 roof.svg
    (None, None)
    """
    from roofproof.say import translated

    show(translated(said, language or "en"))


def with_progress(
    results: Iterable[T], unit: str, size: Callable[[T], int] | None = None, total: int | None = None
) -> Iterator[T]:
    """Yield the results and show a progress bar if standard error is a terminal. Each counts as 1 or its `size`."""
    if not sys.stderr.isatty():
        yield from results
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # beside its monitor thread, workers would be spawned instead of forked
    with tqdm(total=total, unit=f" {unit}", unit_scale=total is not None, leave=False) as bar:
        for result in results:
            yield result
            done = 1 if size is None else size(result)
            bar.update(done if total is None else min(done, total - bar.n))


def names_for(arguments: argparse.Namespace, own: Sequence[str]) -> list[str]:
    """Return the names of operations from `--name`, in order, with their own names for the rest."""
    given = arguments.name or []
    if len(given) > len(own):
        raise RoofproofError("--name names one operation; <count> are given", count=len(given))
    if any(not name.strip() or len(name) > NAME for name in given):
        raise RoofproofError("--name: expected a name of 1 to <most> characters", most=NAME)
    return [*given, *own[len(given) :]]
