"""A regime: which symbols grow without bound while the others stay."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roofproof.errors import RoofproofError, quoted

NAMES = r"\s*([A-Za-z][A-Za-z0-9_]*(?:\s*,\s*[A-Za-z][A-Za-z0-9_]*)*)\s*"


@dataclass(frozen=True, slots=True)
class Regime:
    """Symbols that grow, each at its own rate, against all others, which stay fixed and positive.

    >>> Regime("D, F >> B").growing
    ('D', 'F')
    >>> Regime("N -> oo")
    Regime('N -> oo')

    Raises RoofproofError for text of another form.
    """

    text: str
    growing: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()

    def __init__(self, text: str) -> None:
        if len(text) > 1000:
            raise RoofproofError(f"a regime of {len(text)} characters; at most 1000 are read")
        plain = text.replace("≫", ">>").replace("→", "->").replace("∞", "oo").strip()
        match = re.fullmatch(f"{NAMES}(?:>>{NAMES}|->\\s*(?:oo|inf|infinity)\\s*)", plain)
        if match is None:
            raise RoofproofError(f"regime {quoted(text)}: expected symbols that grow, such as 'D, F >> B' or 'N -> oo'")
        growing, fixed = (tuple(re.split(r"\s*,\s*", g)) if g else () for g in match.groups())
        twice = [n for n in (*growing, *fixed) if (*growing, *fixed).count(n) > 1]
        if twice:
            raise RoofproofError(f"regime {quoted(text)}: {twice[0]} is named twice")
        object.__setattr__(self, "text", f"{', '.join(growing)} " + (f">> {', '.join(fixed)}" if fixed else "-> oo"))
        object.__setattr__(self, "growing", growing)
        object.__setattr__(self, "fixed", fixed)

    @classmethod
    def of(cls, growing: tuple[str, ...], fixed: tuple[str, ...] = ()) -> Regime:
        """Return the regime in which some symbols grow."""
        return cls(f"{', '.join(growing)} " + (f">> {', '.join(fixed)}" if fixed else "-> oo"))

    def __repr__(self) -> str:
        return f"Regime({self.text!r})"
