"""The roles of sizes (batch, width, heads, ...): the usual range of each, its default, and whether it may grow.

roles.toml lists the roles. An operation declares the roles of its sizes in the library or after its text:
`; L: sequence, k: head width`. The role of an undeclared size depends on its letter. Default regimes, usual sizes and
sliders follow from the roles.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from sympy import Symbol, denom

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.toml import read_bytes, read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofproof.ops.operation import Operation

MAX_BYTES = 64 * 1024
CHIPS, ANY = "chips", "size"  # the role of a number of chips, and that of an unknown name
_ONE = re.compile(r"\s*([A-Za-z]\w*)\s*:\s*([A-Za-z](?:[A-Za-z -]*[A-Za-z])?)\s*(?:=\s*([0-9]{1,18}))?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Role:
    """The role of a size: its usual range, its default value, and whether it may grow.

    >>> role("head width")                                     # 16 to 256 are in use; 128 in Llama 3
    Role(name='head width', least=16, most=256, usual=128, grows=False)
    """

    name: str
    least: int
    most: int
    usual: int
    grows: bool

    def in_language(self, lang: str = "en") -> str:
        """Return the name of the role in a language.

        >>> role("heads a group").in_language("zh")
        '每组头数'
        """
        return str(_table()[self.name]["zh"]) if lang == "zh" else self.name


@cache
def _table() -> dict[str, dict[str, Any]]:
    path = os.path.join(os.path.dirname(__file__), "roles.toml")
    return read_toml(read_bytes(path, MAX_BYTES), "roles.toml", MAX_BYTES, "split it")


@cache
def roles() -> dict[str, Role]:
    """Return every role by name.

    >>> roles()["experts a token"].usual, roles()["heads"].grows
    (2, False)
    """
    return {
        name: Role(name, *(of[key] for key in ("least", "most", "usual", "grows"))) for name, of in _table().items()
    }


def role(name: str) -> Role:
    """Return the role with an English or Chinese name.

    >>> role("头宽度").name
    'head width'

    Raises RoofproofError for an unknown name, with near matches.
    """
    chinese = {of["zh"]: each for each, of in _table().items()}
    refuse_unknown("role", chinese.get(name, name), roles())
    return roles()[chinese.get(name, name)]


def declared(text: str) -> dict[str, Role]:
    """Return the roles declared in a text: `NAME: role`, separated by commas, each with an optional `= default size`.

    >>> {name: (each.name, each.usual) for name, each in declared("L: sequence, k: head width = 64").items()}
    {'L': ('sequence', 2048), 'k': ('head width', 64)}

    Raises RoofproofError for malformed text, an unknown role, and a name declared twice.
    """
    found: dict[str, Role] = {}
    for part in text.split(","):
        one = _ONE.fullmatch(part)
        if one is None:
            raise RoofproofError("role <part>: expected NAME: ROLE, such as L: sequence", part=quoted(part.strip()))
        name, said, usual = one.groups()
        if name in found:
            raise RoofproofError("the role of <name> is given twice", name=name)
        found[name] = role(said) if usual is None else replace(role(said), usual=int(usual))
    return found


def split_off(text: str) -> tuple[str, str]:
    """Split a text into the operation and the roles declared after it.

    >>> split_off("bf16[L,k], bf16[S,k] -> bf16[L,S]; L: sequence, k: head width")
    ('bf16[L,k], bf16[S,k] -> bf16[L,S]', 'L: sequence, k: head width')
    >>> split_off("flops bf16 = 2 N^3; bytes hbm = 6 N^2")
    ('flops bf16 = 2 N^3; bytes hbm = 6 N^2', '')
    """
    before, semicolon, last = text.rpartition(";")
    if not semicolon or ":" not in last or re.search(r"[\[\]]|->|→|\bflops\b|\bbytes\b", last):
        return text, ""
    return before.strip(), last.strip()


def with_roles(op: Operation, said: str) -> Operation:
    """Return an operation with the roles of some of its sizes declared.

    >>> from roofproof.ops import parse_operation
    >>> scores = with_roles(parse_operation("bf16[L,w], bf16[S,w] -> bf16[L,S]"), "w: head width")
    >>> role_of(scores, "w").name
    'head width'

    Raises RoofproofError for a name that is not a size of the operation.
    """
    found = declared(said)
    for name in found:
        refuse_unknown("dimension", name, [s.name for s in op.dims])
    return replace(op, roles={**op.roles, **found})


def shared_over(op: Operation) -> tuple[Symbol, ...]:
    """Return the dimensions that count the chips sharing an operation: the divisors of its sizes and FLOPs.

    >>> from roofproof.ops import parse_operation
    >>> shared_over(parse_operation("fsdp")), shared_over(parse_operation("matmul"))
    ((X,), ())
    """
    divided = (*(size for t in op.tensors for size in t.shape), *op.compute.values())
    by = {s for size in divided for s in denom(size).free_symbols}
    return tuple(s for s in op.dims if s in by)


def role_of(op: Operation, name: str) -> Role:
    """Return the role of a size: the declared one, else `chips` for a divisor of sizes, else the one of its letter.

    >>> from roofproof.ops import parse_operation
    >>> [role_of(parse_operation("bf16[h,L,k], bf16[h,S,k] -> bf16[h,L,S]"), n).name for n in "hLk"]
    ['heads', 'sequence', 'head width']
    >>> role_of(parse_operation("bf16[m,k], bf16[k,n] -> bf16[m,n]"), "k").name     # no heads next to it
    'size'
    """
    if name in op.roles:
        return op.roles[name]
    if any(s.name == name for s in shared_over(op)):
        return roles()[CHIPS]
    names = {s.name for s in op.dims}
    for each, of in _table().items():
        if name in of.get("letters", ()) and (not (beside := of.get("beside")) or names & set(beside)):
            return roles()[each]
    return roles()[ANY]


def usual_sizes(op: Operation, given: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return a size for every dimension of an operation: the given one, else the default of its role.

    >>> from roofproof.ops import parse_operation
    >>> usual_sizes(parse_operation("matmul"), {"D": 1024})
    {'B': 256, 'D': 1024, 'F': 4096}
    """
    return {s.name: (given or {}).get(s.name, role_of(op, s.name).usual) for s in op.dims}
