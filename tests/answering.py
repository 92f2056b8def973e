"""Answer questions with the package in a folder, one answer a line: answering.py FOLDER QUESTIONS ANSWERS."""

import json
import sys
from pathlib import Path


def main(root: str, asked: str, answers: str) -> int:
    sys.path[:0] = [root, str(Path(__file__).parent / "answers")]
    from record import ask  # type: ignore[import-not-found]

    import roofproof

    if not Path(roofproof.__file__).is_relative_to(root):
        print(f"{roofproof.__file__} is not the version in {root}", file=sys.stderr)
        return 2
    with Path(answers).open("ab+") as file:
        file.seek(0)
        done = file.read().count(b"\n")
        for question in map(json.loads, Path(asked).read_text(encoding="utf-8").splitlines()[done:]):
            file.write(json.dumps(ask(question), ensure_ascii=False).encode() + b"\n")
            file.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
