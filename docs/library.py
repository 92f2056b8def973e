"""Generate the page of built-in operations and models: `python docs/library.py` writes library.md."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from roofproof.derive.algebra.text import plain
from roofproof.ops import Entry, Operation, entries, model, model_names

PAGE = Path(__file__).resolve().parent / "library.md"
HEAD = """# Operations

Written by `python docs/library.py` from the library. `roofproof show NAME` prints one operation in full, with its
counting convention and its source. Sizes show what each letter counts, and its usual value. A name takes arguments,
such as `matmul:int8` or `flash-attention:block=128`. For example,
<!-- claim: flops(matmul) == 2 B D F -->`matmul` has 2 B D F FLOPs<!-- /claim -->.
"""
COLUMNS = "| name | operation | FLOPs | bytes | sizes |\n|---|---|---|---|---|\n"
WIDEST = 90  # characters of a formula, as only `roofproof show` prints longer ones


def _short(formula: str) -> str:
    return f"`{formula}`" if len(formula) <= WIDEST else "see `show`"


def _flops(op: Operation) -> str:
    if len(op.units) < 2:
        return _short(plain(op.flops))
    return ", ".join(f"{_short(plain(op.compute[unit]))} {unit}" for unit in op.units)


def _bytes(op: Operation) -> str:
    moved = {name: amount for name, amount in op.demands.items() if name not in op.compute}
    return ", ".join(_short(plain(amount)) + ("" if name == "memory" else f" {name}") for name, amount in moved.items())


def _rows(group: list[Entry]) -> Iterator[str]:
    for entry in group:
        op = entry()
        yield f"| `{entry.name}` | {entry.about} | {_flops(op)} | {_bytes(op)} | {entry.sizes.replace('|', '/')} |\n"


def page() -> str:
    """Return the page: the operations by family, then the models."""
    parts = [HEAD]
    for heading, group in groupby(entries().values(), key=lambda entry: entry.heading):
        rows = "".join(_rows(list(group)))
        parts.append(f"## {heading}\n\n{COLUMNS}{rows}")
    named = "".join(
        f"| `{name}` | {model(name).title} | {model(name).published['parameters']} |\n" for name in model_names()
    )
    takers = ", ".join(f"`{entry.name}:NAME`" for entry in entries().values() if "model" in entry.arguments)
    parts.append(f"## Models\n\nUse them as {takers}.\n\n| name | model | parameters |\n|---|---|---|\n{named}")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
