"""An operation written as its expressions: `flops bf16 = B D F; bytes ici = 2 B F`."""

import re
from collections.abc import Mapping
from typing import Any

from sympy import Expr, Integer, Symbol, sympify

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.amounts import AmountBuilder, at_least_zero
from roofproof.ops.notation.arithmetic import error_at, placed
from roofproof.ops.notation.checked_text import check_text
from roofproof.ops.notation.expression import parse_expression, parsed
from roofproof.ops.notation.glued import refuse_glued
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import SPECIAL, channel, compute_resource
from roofproof.symbols import dimension

_BARE = re.compile(r"(?:^|;)\s*(flops|bytes)\s*=")
_ELSEWHERE = "sin|cos|tan|exp|exp2|ln|lg|log10|tanh|round|int|trunc|pow|mod|gcd|lcm|sum|prod|cbrt|sqr|rsqrt"
_UNKNOWN = re.compile(rf"(?<![A-Za-z0-9_])({_ELSEWHERE})\(")  # not sizes that are multiplied, as B(D + F) is


def parse_expression_form(text: str) -> Operation:
    """Return the operation that a text of FLOPs and bytes stands for; its names are dimensions.

    >>> parse_expression_form("flops bf16 = B D F; bytes ici = 2 B F").demands
    {'bf16': B*D*F, 'ici': 2*B*F}

    Raises RoofproofError, framed with the whole text, for anything else.
    """
    try:
        check_text(text, "an operation")
        if bare := _BARE.search(text):
            example = "bf16" if bare[1] == "flops" else "hbm"
            due = "name what <kind> are of, as in '<kind> <example> = ...'"
            raise error_at(bare.end() - 1, due, kind=bare[1], example=example)
        if function := _UNKNOWN.search(text):
            raise error_at(function.start(), "<name> is no function here", name=quoted(function[1]))
        builder = _Builder(text, dimension)
        compute, traffic = parsed("expression_form", text, builder, "operation")
        refuse_glued(text, builder.seen, builder.seen)
        name, dims = " ".join(text.split()), tuple(builder.seen.values())
        conditions = tuple(builder.conditions)
        return one_kernel(name, work=compute, links=traffic, convention="as given", conditions=conditions, dims=dims)
    except RoofproofError as problem:
        raise RoofproofError("in <text>: <problem>", text=quoted(text), problem=problem) from None


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
    dims: dict[str, Symbol] = {}

    def exact(resource: str, amount: str | Expr | int) -> Expr:
        if isinstance(amount, str):
            return parse_expression(amount, lambda word: dims.setdefault(word, dimension(word)))
        if isinstance(amount, float):
            raise RoofproofError(
                "demand of <resource>: <amount> is a float; write it as text or exactly",
                resource=quoted(resource),
                amount=repr(amount),
            )
        return sympify(amount, strict=True)

    compute = {resource: exact(resource, amount) for resource, amount in (flops or {}).items()}
    traffic = {channel: exact(channel, amount) for channel, amount in (bytes or {}).items()}
    order = tuple(dims.values())
    return one_kernel(name, work=compute, links=traffic, source=source, convention=convention, dims=order)


class _Builder(AmountBuilder):
    def entry(self, tree: Any, children: list[Any]) -> tuple[str, str, str, Expr]:
        kind, resource, amount = children
        usual = placed(compute_resource if kind == "flops" else channel, resource)
        self.conditions += at_least_zero(amount, resource.start_pos, f"{kind} {resource}")
        return str(kind), str(resource), usual, amount

    def start(self, tree: Any, children: list[Any]) -> tuple[dict[str, Expr], dict[str, Expr]]:
        found: dict[str, dict[str, Expr]] = {"flops": {}, "bytes": {}}
        written = set()
        for kind, name, resource, amount in children:
            if resource in found[kind] and (resource not in SPECIAL or name in written):
                raise RoofproofError("<kind> <resource> is given twice", kind=kind, resource=resource)
            written.add(name)
            # exp, rsqrt and tanh are one engine's work
            found[kind][resource] = found[kind].get(resource, Integer(0)) + amount
        return found["flops"], found["bytes"]
