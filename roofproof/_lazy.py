"""Names that a room offers and imports only when one of them is asked for: starting must stay fast.

They stand once, in the stub beside the room's `__init__.py`, which type checkers read too (as in SPEC 1).
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def attach(room: str, file: str) -> tuple[Callable[[str], Any], list[str]]:
    """Return the `__getattr__` and the `__all__` of a room, from the stub beside its file.

    `from home import name as name` offers a name, `name = other` another one under a name of its own; from
    the package itself it is a room.

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
