"""`roofproof exercises`: writes exercise variants with proved answers, in the formats of other systems."""

from __future__ import annotations

import argparse
from functools import lru_cache

from roofproof.commands.shared import show, whole_option, with_progress
from roofproof.errors import RoofproofError, quoted
from roofproof.parallel import parallel_map, workers_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roofproof.teach import Bank, Exercise, Variant
    from roofproof.teach.distractors import Distractor
    from roofproof.teach.marked_text import Value

    Shared = tuple[tuple[str, bytes | None], int, int]

MOST = 10_000  # most variants of one exercise


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.banks import bank_format
    from roofproof.export.files import write_folder
    from roofproof.say import Words
    from roofproof.teach.bank_file import read_bank, shipped

    words = Words(arguments.lang or "en")
    count, seed = whole_option("--variants", arguments.variants), _seed(arguments.seed)
    workers = workers_from(arguments.workers or 1)
    if count > MOST:
        raise RoofproofError("--variants <count>: at most <most> of an exercise", count=count, most=MOST)
    if arguments.file is None:
        show("\n".join(shipped()))
        return 0
    if arguments.to is None:
        raise RoofproofError("--to is missing; expected gift, latex, myst, prairielearn or stack, such as --to gift")
    if arguments.out is None:
        raise RoofproofError("-o is missing; expected a folder to write, such as -o quiz")
    writers = {name: bank_format(name) for name in arguments.to}
    content = None if arguments.file in shipped() else read_bank(arguments.file)
    given = (arguments.file, content)
    found = _bank(*given)
    made: list[Variant] = []
    few: list[str] = []
    shared, every = (given, count, seed), found.exercises
    for exercise, each in with_progress(_each(every, shared, workers), "exercises", total=len(every)):
        made += each
        if len(each) < count:
            few.append(f"{exercise.id}: {len(each)}")
    written = {name: write(found, made, words.language) for name, write in writers.items()}
    files = {
        name if len(written) == 1 else f"{kind}/{name}": file
        for kind, files in written.items()
        for name, file in files.items()
    }
    write_folder(arguments.out, files)
    wrong = sum(len(v.distractors) for v in made)
    counts = {"files": len(files), "variants": len(made), "exercises": len(found.exercises), "wrong": wrong}
    show(
        words.say(
            "wrote <out> (exercises: <exercises>, variants: <variants>, files: <files>, wrong answers: <wrong>); keys "
            "proved, wrong answers proved different from them",
            out=arguments.out,
            **{name: str(number) for name, number in counts.items()},
        )
    )
    keys = {one.id: [v.key for v in made if v.exercise is one] for one in found.exercises}
    if alike := [f"{id}: {len(set(each))}/{len(each)}" for id, each in keys.items() if len(set(each)) < len(each)]:
        show(words.say("different keys among the variants: <which>", which=words[", "].join(alike)))
    if few:
        show(words.say("fewer than <count> variants: <which>", count=str(count), which=words[", "].join(few)))
    return 0


def _each(
    exercises: Sequence[Exercise], shared: Shared, workers: int | str
) -> Iterator[tuple[Exercise, list[Variant]]]:
    """Yield the variants of each exercise. Workers find them, and this process proves each answer key again."""
    from roofproof.teach.variants import Variant

    for exercise, made in zip(exercises, parallel_map(_made, shared, range(len(exercises)), workers), strict=True):
        yield exercise, [Variant.of(exercise, number, *each) for number, each in enumerate(made, 1)]


def _made(shared: Shared, k: int) -> list[tuple[Mapping[str, Value], tuple[Distractor, ...]]]:
    """Return the parameters and the wrong answers of each variant of an exercise."""
    from roofproof.teach.variants import variants

    given, count, seed = shared
    return [(each.parameters, each.distractors) for each in variants(_bank(*given).exercises[k], count, seed)]


@lru_cache(4)
def _bank(path: str, content: bytes | None) -> Bank:
    """Return a built-in bank or the bank in the content of a file, created once in each process."""
    from roofproof.teach.bank_file import bank, bank_of

    return bank(path) if content is None else bank_of(content, path)


def _seed(text: str | None) -> int:
    if text is None:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise RoofproofError("--seed <text>: expected a whole number, such as 7", text=quoted(text))
    return int(text)
