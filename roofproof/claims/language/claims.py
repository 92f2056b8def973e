"""A claim of a textbook: read, checked, and ready to be judged; or why it cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from roofproof.claims.language.environment import Environment
from roofproof.claims.language.givens import Given
from roofproof.claims.language.nodes import Node
from roofproof.derive import Regime


@dataclass(frozen=True)
class Claim:
    """What somebody says, as a tree, with what it assumes; `proposition` is None where it is not checkable.

    `let` names values in order, `environment` tells what every word stands for, `says` is the text itself;
    `tolerance` widens how far a printed number may be off.
    """

    id: str
    says: str
    proposition: Node | None
    environment: Environment = field(repr=False, compare=False)
    let: Mapping[str, Node] = field(default_factory=dict)
    given: Given = field(default_factory=Given)
    given_text: str = ""
    regime: Regime | None = None
    expect: str = "verified"
    slip: str = ""
    reason: str = ""
    source: str = ""
    tolerance: str = ""


@dataclass(frozen=True)
class Unusable:
    """A claim that cannot be judged; `message` is one line with file, id and column."""

    id: str
    message: str
