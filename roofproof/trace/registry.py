"""Rules that a user adds: the work of a primitive, the branch that is taken, the iterations of a loop."""

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
    """A primitive with its parameters, inputs and outputs, as a rule sees it.

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
    """A user's rule, with the arguments of `rule`."""

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
    """Add a rule for a primitive, everywhere or at one place in the user's code (`where="model.py:12"`).

    >>> rule("my_kernel", compute={"bf16": "2 B D F"}, source="counted by hand")
    >>> sorted(ADDED)
    [('my_kernel', '')]
    >>> del ADDED["my_kernel", ""]

    `compute` maps compute units (`bf16`, `fp32-vector`, `exp`) to FLOPs: numbers, text, or a function of a `Step` that
    returns them. The operands are read once and the results written once, in a kernel of its own (`alone`) or together
    with its neighbours. `branch` is the branch of a `cond` that is taken, from 0 (for `lax.cond`, 0 is that of False).
    `trips` is the number of iterations of a `while`, or of a grid loop of a `pallas_call` that is computed at run time.
    `found` is the number of elements that `nonzero` or a boolean index finds. Raises RoofproofError for an unknown
    compute unit, and if no argument is given.
    """
    if compute is None and branch is None and trips is None and found is None:
        raise RoofproofError(f"rule for {quoted(primitive)}: give compute={{...}}, branch=N, trips=N or found=N")
    counts = {} if compute is None else compute
    if not callable(counts):
        counts = {compute_resource(engine): amount(n) for engine, n in counts.items()}
    turns, many = (None if size is None else amount(size) for size in (trips, found))
    ADDED[primitive, where] = Rule(counts, alone, branch, turns, many, source)


def amount(value: Amount) -> Expr:
    """Return a number, or text with sizes, as an expression.

    >>> amount("2 B D")
    2*B*D
    """
    return parse_expression(str(value), dimension) if isinstance(value, int | str) else value


def added(primitive: str, place: object) -> Rule | None:
    """Return the rule that a user added for a primitive, preferring one for its place."""
    return ADDED.get((primitive, str(place))) or ADDED.get((primitive, ""))
