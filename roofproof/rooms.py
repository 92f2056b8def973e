"""The rooms that lift out: the core derives, verifies and checks without any of them.

A room is taken out by deleting its folder; what needs it says so in one line. The core imports a room late, and where
it is used alone.
"""

from __future__ import annotations

from importlib.util import find_spec

from roofproof.errors import RoofproofError

ROOMS = {  # where each stands, and what it adds
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
    """What was asked for is in a room that is not there.

    >>> str(MissingRoom("roofproof.trace"))
    'this needs roofproof/trace (operations from code), which is not installed'
    """

    def __init__(self, room: str) -> None:
        super().__init__(f"this needs {room.replace('.', '/')} ({ROOMS[room]}), which is not installed")


def need(room: str) -> None:
    """Refuse at once what a room is needed for later, where it is not there.

    >>> need("roofproof.trace")
    """
    if not there(room):
        raise MissingRoom(room)


def there(room: str) -> bool:
    """Return whether a room is there: what it adds is left out where it is not.

    >>> there("roofproof.trace")
    True
    """
    return find_spec(room) is not None


def missing_room(lack: ModuleNotFoundError) -> MissingRoom | None:
    """Return the refusal for an import that failed because a room is not there, None for any other.

    >>> missing_room(ModuleNotFoundError(name="roofproof.trace.load"))
    MissingRoom('this needs roofproof/trace (operations from code), which is not installed')
    >>> missing_room(ModuleNotFoundError(name="torch"))
    """
    name = f"{lack.name or ''}."
    room = next((room for room in ROOMS if name.startswith(f"{room}.")), None)
    return None if room is None else MissingRoom(room)
