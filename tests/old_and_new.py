#!/usr/bin/env python3
"""Ask the previous version and this one the same random questions, and print the differences in meaning.

    python tests/old_and_new.py SEED N [--of thresholds]

It asks N sentences, and two thresholds, one operation and one student answer for every five of them. The answers of the
old version are kept in .old.cache/, so that a stopped run can resume. This version always answers again. The exit
status is 1 if something differs, and 2 if the old version cannot answer.

See answers/record.py for how answers are compared. A difference is not yet a fault: decide which version is right.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OLD, COMMIT = "v0.3.1", "67a50c50285ece64a97cd286939cbad368d7b185"  # the tag, and the commit if a clone lacks the tag
CACHE = ROOT / ".old.cache" / OLD
SHARE = {"sentences": 5, "thresholds": 2, "operations": 1, "answers": 1}
LIMIT = 300  # seconds that a question may take
Line = dict[str, Any]


def old() -> Path:
    """Return the folder of the old version, extracted from the history of this repository."""
    if not (CACHE / "pyproject.toml").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        for name in (OLD, COMMIT):
            packed = subprocess.run(["git", "-C", str(ROOT), "archive", name], capture_output=True)
            if packed.returncode == 0:
                subprocess.run(["tar", "-x", "-C", str(CACHE)], input=packed.stdout, check=True)
                break
        else:
            raise SystemExit(f"no {OLD} in this clone; cure: git fetch --tags --unshallow")
    return CACHE


def lacking(root: Path) -> list[str]:
    """Return the dependencies of a version that this Python lacks."""
    from packaging.requirements import Requirement

    found = []
    for text in tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]:
        due = Requirement(text)
        try:
            if (due.marker is None or due.marker.evaluate()) and version(due.name) not in due.specifier:
                found.append(text)
        except PackageNotFoundError:
            found.append(text)
    return found


def started(root: Path, questions: Path, answers: Path) -> subprocess.Popen[bytes]:
    """Start a process that answers the unanswered questions with the version in a folder."""
    return subprocess.Popen([sys.executable, str(HERE / "answering.py"), str(root), str(questions), str(answers)])


def answered(sides: dict[Path, Path], questions: Path, count: int) -> None:
    """Answer all questions with each version. A version that ends its process or takes too long counts as a crash."""
    at_work = {root: started(root, questions, answers) for root, answers in sides.items()}
    while at_work:
        for root, process in list(at_work.items()):
            before = lines(sides[root])
            try:
                process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                if lines(sides[root]) > before:
                    continue
                process.kill()
                process.wait()
            del at_work[root]
            if (done := lines(sides[root])) < count:
                if done == before and process.returncode == 2:
                    raise SystemExit(2)
                with sides[root].open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"code": "crash", "why": "the process ended, or stood still"}) + "\n")
                at_work[root] = started(root, questions, sides[root])


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def read(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def different(questions: list[Line], was: list[Line], now: list[Line]) -> tuple[list[str], Counter[str]]:
    """Return a line for each difference, with the question, and the number of differences of each kind."""
    from record import differences  # type: ignore[import-not-found]

    told, kinds = [], Counter[str]()
    for question, one, other in zip(questions, was, now, strict=True):
        for side in (one, other):
            (side.get("fields") or {}).pop(
                "refused for", None
            )  # in random text, the words that a message cites are only wording
        for field, old, new in differences(question, one, other):
            kinds[f"{question['id'].partition('/')[0]}: {field.removeprefix('c ')}"] += 1
            asked = question.get("files", {}).get("c.claims.toml") or question["args"]
            told.append(f"{question['id']}: {field}: {old[:300]} -> {new[:300]}\n{asked}")
    return told, kinds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--of", choices=SHARE, help="one kind of question alone, N of them")
    options = parser.parse_args()
    if missing := lacking(old()):
        print(f"{OLD} needs what this Python lacks: {', '.join(missing)}", file=sys.stderr)
        return 2
    sys.path[:0] = [str(ROOT), str(HERE / "answers"), str(HERE / "attacks")]
    from random_questions import QUESTIONS  # type: ignore[import-not-found]

    share = {options.of: 5} if options.of else SHARE
    questions = [
        each
        for kind, five in share.items()
        for each in islice(QUESTIONS[kind](options.seed), options.count * five // 5)
    ]
    work = CACHE / f"{options.of or 'all'}-{options.seed}-{options.count}"
    work.mkdir(exist_ok=True)
    text = "".join(json.dumps(q, ensure_ascii=False) + "\n" for q in questions)
    if not (work / "questions").exists() or (work / "questions").read_text(encoding="utf-8") != text:
        (work / "old").unlink(missing_ok=True)
        (work / "questions").write_text(text, encoding="utf-8")
    (work / "new").unlink(missing_ok=True)
    answered({CACHE: work / "old", ROOT: work / "new"}, work / "questions", len(questions))
    told, kinds = different(questions, read(work / "old"), read(work / "new"))
    print(*told, sep="\n\n", end="\n\n" if told else "")
    print(f"{len(questions)} questions, {len(told)} differences between {OLD} and this version", flush=True)
    print(*(f"{n:6} {kind}" for kind, n in kinds.most_common()), sep="\n")
    return 1 if told else 0


if __name__ == "__main__":
    raise SystemExit(main())
