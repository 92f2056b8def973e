"""An operation written as its expressions: `flops bf16 = B D F; bytes ici = 2 B F`."""

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Symbol, sympify

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.expression import Builder, check_text, parse_expression, parsed
from roofproof.ops.operation import Operation
from roofproof.ops.resources import channel, compute_resource
from roofproof.symbols import dimension


def parse_expression_form(text: str) -> Operation:
    """Return the operation that a text of FLOPs and bytes stands for; its names are dimensions.

    >>> parse_expression_form("flops bf16 = B D F; bytes ici = 2 B F").demands
    {'bf16': B*D*F, 'ici': 2*B*F}

    Raises RoofproofError, framed with the whole text, for anything else.
    """
    try:
        check_text(text, "an operation")
        builder = _Builder(text, dimension)
        compute, traffic = parsed("expression_form", text, builder, "operation")
        return Operation(
            " ".join(text.split()),
            compute=compute,
            traffic=traffic,
            convention="as given",
            dims=tuple(builder.seen.values()),
        )
    except RoofproofError as problem:
        raise RoofproofError(f"in {quoted(text)}: {problem}") from None


def from_expressions(
    name: str,
    flops: Mapping[str, str | Expr | int] | None = None,
    bytes: Mapping[str, str | Expr | int] | None = None,
    *,
    source: str = "",
    convention: str = "as given",
) -> Operation:
    """Return an operation given directly by its FLOPs and bytes, for what einsum cannot say.

    >>> from_expressions("split", flops={"bf16": "B D F"}, bytes={"ici": "2 B F"}).demands
    {'bf16': B*D*F, 'ici': 2*B*F}

    `flops` maps a compute resource to FLOPs, `bytes` a channel to bytes (`memory`, `hbm`, `dram` are the
    main memory). Names in the texts are dimensions. Raises RoofproofError for text that is no expression.
    """
    compute, first = demand(flops or {})
    traffic, second = demand(bytes or {})
    dims = (*first, *second)
    return Operation(name, compute=compute, traffic=traffic, source=source, convention=convention, dims=dims)


class _Builder(Builder):
    def entry(self, tree: Any, children: list[Any]) -> tuple[str, str, Expr]:
        kind, resource, amount = children
        try:
            usual = compute_resource(str(resource)) if kind == "flops" else channel(str(resource))
        except RoofproofError as problem:
            raise self.error(resource.start_pos, str(problem)) from None
        if not amount.is_nonnegative:
            raise self.error(resource.start_pos, f"{kind} {resource} = {amount} is not known to be positive")
        return str(kind), usual, amount

    def start(self, tree: Any, children: list[Any]) -> tuple[dict[str, Expr], dict[str, Expr]]:
        found: dict[str, dict[str, Expr]] = {"flops": {}, "bytes": {}}
        for kind, resource, amount in children:
            if resource in found[kind]:
                raise RoofproofError(f"{kind} {resource} is given twice")
            found[kind][resource] = amount
        return found["flops"], found["bytes"]


def demand(amounts: Mapping[str, str | Expr | int]) -> tuple[dict[str, Expr], tuple[Symbol, ...]]:
    """Return amounts with their texts parsed, and the dimensions in order of appearance."""
    parsed: dict[str, Expr] = {}
    order: dict[Symbol, None] = {}
    for name, amount in amounts.items():
        if isinstance(amount, str):

            def resolve(word: str) -> Expr:
                order[dimension(word)] = None
                return dimension(word)

            parsed[name] = parse_expression(amount, resolve)
        elif isinstance(amount, float):
            raise RoofproofError(f"demand of {quoted(name)}: {amount!r} is a float; write it as text or exactly")
        else:
            parsed[name] = sympify(amount, strict=True)
    return parsed, tuple(order)
