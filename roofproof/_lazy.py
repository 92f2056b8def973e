"""Lazy imports: a package imports each public name on first use, so that roofproof starts fast.

The names are listed once, in the stub next to the package's `__init__.py`. Type checkers read it too (as in SPEC 1).
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would slow down the start of short commands
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def attach(room: str, file: str) -> tuple[Callable[[str], Any], list[str]]:
    """Return the `__getattr__` and the `__all__` of a package, read from the stub next to its `__init__.py`.

    In the stub, `from home import name as name` exports a name and `name = other` exports it under a second name.
    A name imported from the package itself is a subpackage.

    >>> import roofproof
    >>> get, names = attach("roofproof", roofproof.__file__)
    >>> names[:3], get("chip").__name__, get("trace").__name__
    (['Chip', 'Known', 'MissingFigure'], 'chip', 'roofproof.trace')
    """
    homes: dict[str, tuple[str, str]] = {}
    offered: list[str] = []
    with open(file + "i", encoding="utf-8") as stub:
        for line in stub:
            words = line.replace(",", "").split()
            if words[:1] == ["from"]:
                homes |= {word: (words[1], word) for word in words[3:]}
                offered += [words[i - 1] for i in range(4, len(words)) if words[i] == "as"]
            elif words[1:2] == ["="]:
                homes[words[0]] = homes[words[2]]
                offered.append(words[0])

    def get(name: str) -> Any:
        from importlib import import_module

        if name not in offered:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        home, attribute = homes[name]
        return import_module(f"{room}.{name}") if home == room else getattr(import_module(home), attribute)

    return get, sorted(offered)
