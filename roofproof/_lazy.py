"""Names that a room offers and imports only when one of them is asked for: starting must stay fast."""

from __future__ import annotations

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def attach(room: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], list[str]]:
    """Return the `__getattr__` and the `__all__` of a room, from the names that each of its files offers.

    A file is named from the room, or in full where it lies in another one.

    >>> get, names = attach("roofproof.ops", {"tensor": "Tensor", "roofproof.errors": "RoofproofError"})
    >>> names, get("RoofproofError").__module__
    (['RoofproofError', 'Tensor'], 'roofproof.errors')
    """
    home = {name: file for file, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        from importlib import import_module

        file = home[name]
        return getattr(import_module(file if file.startswith("roofproof.") else f"{room}.{file}"), name)

    return get, sorted(home)
