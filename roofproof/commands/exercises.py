"""`roofproof exercises`: a bank of exercises in many variants, with keys that are proved, for other systems."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from roofproof.commands.shared import show, whole, with_progress
from roofproof.errors import RoofproofError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from roofproof.teach import Exercise, Variant

    Parts = tuple[Exercise, ...]

MOST = 10_000  # variants of one exercise


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.banks import bank_format
    from roofproof.export.files import write_folder
    from roofproof.export.words.catalogue import Catalogue
    from roofproof.teach.bank_file import bank, shipped

    words = Catalogue(arguments.lang or "en", "banks")
    count, seed = whole("--variants", arguments.variants), _seed(arguments.seed)
    if count > MOST:
        raise RoofproofError(f"--variants {count}: at most {MOST} of an exercise")
    if arguments.book is None:
        show("\n".join(shipped()))
        return 0
    for option, given in (("--to", arguments.to), ("-o", arguments.out)):
        if given is None:
            raise RoofproofError(f"{option} is missing; see `roofproof exercises --help`")
    writers = {name: bank_format(name) for name in arguments.to}
    found = bank(arguments.book, arguments.code or ())
    made: list[Variant] = []
    few: list[str] = []
    stems = found.together()
    for parts, each in with_progress(_each(stems, count, seed), "exercises", total=len(stems)):
        for exercise in parts:
            mine = [v for variant in each for v in variant if v.exercise is exercise]
            made += mine
            if len(mine) < count:
                few.append(f"{exercise.id}: {len(mine)}")
    written = {name: write(found, made, words.language) for name, write in writers.items()}
    files = {
        name if len(written) == 1 else f"{kind}/{name}": file
        for kind, files in written.items()
        for name, file in files.items()
    }
    write_folder(arguments.out, files)
    wrong = sum(len(v.distractors) for v in made)
    counts = {"files": len(files), "variants": len(made), "exercises": len(found.exercises), "wrong": wrong}
    show(words.say("written", out=arguments.out, **{name: str(number) for name, number in counts.items()}))
    keys = {one.id: [v.key for v in made if v.exercise is one] for one in found.exercises}
    if alike := [f"{id}: {len(set(each))}/{len(each)}" for id, each in keys.items() if len(set(each)) < len(each)]:
        show(words.say("alike", which=words["list"].join(alike)))
    if few:
        show(words.say("fewer", count=str(count), which=words["list"].join(few)))
    return 0


def _each(stems: Iterable[Parts], count: int, seed: int) -> Iterator[tuple[Parts, tuple[tuple[Variant, ...], ...]]]:
    from roofproof.teach.variants import together

    for parts in stems:
        made = together(parts, count, seed)
        for variant in (v for each in made for v in each):
            variant.distractors  # noqa: B018  (worked out here, where the progress is shown)
        yield parts, made


def _seed(text: str | None) -> int:
    if text is None:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise RoofproofError(f"--seed {text!r}: expected a whole number, such as 7")
    return int(text)
