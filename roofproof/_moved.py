"""Names that version 0.1 offered elsewhere: they keep working, and a warning says where they stand now.

This module is a finder, and the first that Python asks: a successor's folder would give a second copy of its files.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

MODULES = {
    "roofproof.proofs.language": "roofproof.claims.language",
    "roofproof.proofs.slips": "roofproof.claims.slips",
    "roofproof.export.smtlib": "roofproof.proofs.replay.smtlib",
}
NAMES = {("roofproof.derive", "Capacity"): ("roofproof.derive", "MemoryFit")}
REPLACED = {
    ("roofproof.claims", "check_answer"): "roofproof.claims.grade grades the answer to a Question",
    ("roofproof.derive", "Step"): "roofproof.proofs.Derivation holds the known statements of an answer",
    ("roofproof.proofs", "Certificate"): "roofproof.proofs.Derivation holds the known statements of an answer",
    ("roofproof.proofs", "Obligation"): "roofproof.proofs.statement.Statement says what is to be proved",
    ("roofproof.proofs", "Proof"): "roofproof.proofs.known.Known is a statement with its warrant",
    ("roofproof.proofs.replay.smtlib", "write_obligations"): "roofproof.proofs.replay.smtlib.scripts makes the scripts",
}


def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
    """Return how to load a module of version 0.1 by its successor, None for any other.

    >>> find_spec("roofproof.proofs.language.units").loader_state
    'roofproof.claims.language.units'
    >>> find_spec("roofproof.claims.language")
    """
    home = next((m for m in MODULES if name == m or name.startswith(m + ".")), None)
    if home is None:
        return None
    from importlib.machinery import ModuleSpec

    spec = ModuleSpec(name, sys.modules[__name__])  # type: ignore[arg-type]  # a module with the methods of a loader
    spec.loader_state = MODULES[home] + name.removeprefix(home)
    return spec


def create_module(spec: ModuleSpec) -> None:
    """Let Python make the module that `exec_module` replaces."""


def exec_module(module: ModuleType) -> None:
    from importlib import import_module

    assert module.__spec__ is not None
    home: str = module.__spec__.loader_state
    _warn(module.__name__, home, 3)
    sys.modules[module.__name__] = import_module(home)


def moved(room: str, name: str) -> Any:
    """Return what a room offered by this name in version 0.1.

    >>> from roofproof.derive import MemoryFit
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     moved("roofproof.derive", "Capacity") is MemoryFit
    True

    Raises AttributeError where nothing stands in its place, and says what to use.
    """
    if (room, name) not in NAMES:
        cure = REPLACED.get((room, name))
        raise AttributeError(f"module {room!r} has no attribute {name!r}" + (f"; {cure}" if cure else ""))
    from importlib import import_module

    home, now = NAMES[room, name]
    _warn(f"{room}.{name}", f"{home}.{now}", 4)
    return getattr(import_module(home), now)


def _warn(old: str, new: str, level: int) -> None:
    from warnings import warn

    warn(f"{old} is {new} now", DeprecationWarning, stacklevel=level)
