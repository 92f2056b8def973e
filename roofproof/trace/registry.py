"""Rules that a user adds: what a primitive computes and moves, which branch is taken, how often a loop turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sympy import Expr

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.to_sympy import parse_expression
from roofproof.ops.resources import compute_resource
from roofproof.symbols import dimension
from roofproof.trace.program import Array, Buffer

Amount: TypeAlias = int | str | Expr
Counts: TypeAlias = Mapping[str, Amount] | Callable[["Step"], Mapping[str, Amount]]


@dataclass(frozen=True)
class Step:
    """What a rule is about: a primitive with its parameters, what it takes and what it makes.

    >>> from sympy import Integer
    >>> Step("f", {}, (Array((Integer(3),), "bf16"),), ()).inputs[0].elements
    3
    """

    primitive: str
    params: Mapping[str, Any]
    inputs: tuple[Array, ...]
    outputs: tuple[Buffer, ...]


@dataclass(frozen=True)
class Rule:
    """A rule of a user, as `rule` takes it."""

    compute: Counts = field(default_factory=dict)
    alone: bool = True
    branch: int | None = None
    trips: Expr | None = None
    found: Expr | None = None
    source: str = ""


ADDED: dict[tuple[str, str], Rule] = {}


def rule(
    primitive: str,
    *,
    compute: Counts | None = None,
    alone: bool = True,
    branch: int | None = None,
    trips: Amount | None = None,
    found: Amount | None = None,
    where: str = "",
    source: str = "",
) -> None:
    """Add a rule for a primitive, everywhere or at one place (`where="model.py:12"`) of the user's code.

    >>> rule("my_kernel", compute={"bf16": "2 B D F"}, source="counted by hand")
    >>> sorted(ADDED)
    [('my_kernel', '')]
    >>> del ADDED["my_kernel", ""]

    `compute` are FLOPs by engine (`bf16`, `fp32-vector`, `exp`): numbers, text, or a function of a `Step` that returns
    them; the operands are read once and the results written once, `alone` in a kernel or together with its neighbours.
    `branch` says which branch of a `cond` is taken, from 0 (for `lax.cond`, 0 is that of False); `trips` how often a
    `while` turns, or a loop of the grid of a `pallas_call` that is computed; `found` how many elements `nonzero`, or an
    index of truth values, finds. Raises RoofproofError for an unknown engine, and where nothing is said.
    """
    if compute is None and branch is None and trips is None and found is None:
        raise RoofproofError(f"rule for {quoted(primitive)}: give compute={{...}}, branch=N, trips=N or found=N")
    counts = {} if compute is None else compute
    if not callable(counts):
        counts = {compute_resource(engine): amount(n) for engine, n in counts.items()}
    turns, many = (None if size is None else amount(size) for size in (trips, found))
    ADDED[primitive, where] = Rule(counts, alone, branch, turns, many, source)


def amount(value: Amount) -> Expr:
    """Return a number or a text of sizes as an expression.

    >>> amount("2 B D")
    2*B*D
    """
    return parse_expression(str(value), dimension) if isinstance(value, int | str) else value


def added(primitive: str, place: object) -> Rule | None:
    """Return the rule that a user added for a primitive, one for its place first."""
    return ADDED.get((primitive, str(place))) or ADDED.get((primitive, ""))
