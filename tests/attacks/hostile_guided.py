"""Coverage-guided hostile input (atheris): `python tests/attacks/hostile_guided.py RUNS [ENTRANCE...]`.

Inputs that reach new code are kept and spoiled further. Each entry point runs in its own process. The process prints
the first input that raises an unexpected error, takes over ten seconds, or uses over 500 MB, and stops.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

READING = (
    "expression", "operation", "sharding", "proposition", "given", "latex", "regime", "book", "chip text", "chip file",
    "model configuration", "sizes", "shapes", "draft", "exercises", "course", "gap", "certificate",
    "file of questions", "file of answers", "site",
)  # fmt: skip


def guided(name: str, runs: int, seed: int = 1) -> tuple[int, int, str]:
    """Return the number of inputs read, the number of code edges they reached, and the failure, if any."""
    import hostile

    with tempfile.TemporaryDirectory() as home:
        for i, text in enumerate(hostile.ENTRANCES[name].corpus()):
            Path(home, f"{i}").write_bytes(text.encode("utf-8", "surrogateescape"))
        options = [f"-runs={runs}", f"-seed={seed}", "-timeout=10", "-rss_limit_mb=500", "-max_len=4000"]
        command = [sys.executable, str(Path(__file__).resolve()), "--one", name, *options, home]
        done = subprocess.run(command, capture_output=True, text=True, cwd=home, errors="replace")
    edges = [int(n) for n in re.findall(r"cov: (\d+)", done.stderr)]
    executed = [int(n) for n in re.findall(r"(?m)^#(\d+)", done.stderr)]
    told = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("#"))
    wrong = "" if done.returncode == 0 else told[-2_000:] + done.stdout[-3_000:]
    return max(executed, default=0), max(edges, default=0), wrong


def one(name: str) -> None:
    import atheris

    with atheris.instrument_imports(include=["roofproof"], enable_loader_override=False):
        import hostile

        entrance = hostile.ENTRANCES[name]
        corpus = entrance.corpus()
        from roofproof.errors import RoofproofError

        for text in corpus[:5]:
            try:
                entrance.read(text)
            except RoofproofError:
                continue

    def read(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        try:
            entrance.read(text)
        except RoofproofError as error:
            hostile.check_message(str(error))
        except BaseException:
            print(f"input: {text!r}", flush=True)
            raise

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        text = hostile.spoiled(data.decode("utf-8", "surrogateescape"), corpus, Random(seed))
        return text.encode("utf-8", "surrogatepass")[:longest]

    del sys.argv[1:3]
    atheris.Setup(sys.argv, read, custom_mutator=mutate)
    atheris.Fuzz()


def main() -> int:
    if sys.argv[1] == "--one":
        one(sys.argv[2])
        return 0
    failed, total = 0, 0
    for name in sys.argv[2:] or READING:
        done, edges, wrong = guided(name, int(sys.argv[1]))
        failed += bool(wrong)
        total += done
        print(f"{name}: {done} inputs, {edges} edges{'; ' + wrong if wrong else ''}", flush=True)
    print(f"{total} inputs guided by coverage, {failed} entrances with a failure")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
