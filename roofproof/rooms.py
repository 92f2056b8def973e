"""The optional packages (rooms): the core derives, verifies and grades without them.

You can remove a room by deleting its folder. A feature that needs it then fails with a one-line message. The core
imports a room only inside the functions that use it.
"""

from __future__ import annotations

from importlib.util import find_spec

from roofproof.errors import RoofproofError

ROOMS = {  # for each room, the feature that it adds
    "roofproof.agents": "the engine for agents",
    "roofproof.audit": "functions compared with the derivation",
    "roofproof.bounds": "bounds that no schedule beats",
    "roofproof.derive.sweeps": "grids of sizes",
    "roofproof.export.banks": "exercises for other systems",
    "roofproof.export.plots": "pictures",
    "roofproof.export.site": "the static site",
    "roofproof.export.slides": "decks of slides",
    "roofproof.pages": "claims in sentences",
    "roofproof.proofs.replay.coq": "theorems for Coq",
    "roofproof.teach": "exercises and courses",
    "roofproof.times": "minimum times and measured times",
    "roofproof.trace": "operations from code",
}


class MissingRoom(RoofproofError):
    """A feature needs a room that is not installed.

    >>> str(MissingRoom("roofproof.trace"))
    'this needs roofproof/trace (operations from code), which is not installed'
    """

    def __init__(self, room: str) -> None:
        super().__init__(f"this needs {room.replace('.', '/')} ({ROOMS[room]}), which is not installed")


def require_room(room: str) -> None:
    """Raise MissingRoom if a room is missing, before any work that needs it starts.

    >>> require_room("roofproof.trace")
    """
    if not is_installed(room):
        raise MissingRoom(room)


def is_installed(room: str) -> bool:
    """Return whether a room is installed.

    >>> is_installed("roofproof.trace")
    True
    """
    return find_spec(room) is not None


def missing_room(lack: ModuleNotFoundError) -> MissingRoom | None:
    """Return the error for an import that failed because of a missing room, or None for any other import error.

    >>> missing_room(ModuleNotFoundError(name="roofproof.trace.load"))
    MissingRoom('this needs roofproof/trace (operations from code), which is not installed')
    >>> missing_room(ModuleNotFoundError(name="torch"))
    """
    name = f"{lack.name or ''}."
    room = next((room for room in ROOMS if name.startswith(f"{room}.")), None)
    return None if room is None else MissingRoom(room)
