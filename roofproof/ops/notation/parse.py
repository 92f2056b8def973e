"""The entry point for texts that name an operation: a library name, a typed or sharded einsum, or expressions."""

import re
from dataclasses import replace

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import is_format
from roofproof.ops.operation import Operation


def parse_operation(text: str) -> Operation:
    """Return the operation that a text names: a file, a library name, a sharded or typed einsum, or expressions.

    >>> parse_operation("matmul:int8").demands                 # all int8, one byte per element
    {'int8': 2*B*D*F, 'memory': B*D + B*F + D*F}
    >>> parse_operation("bf16[N], bf16[N] -> []").flops
    2*N
    >>> parse_operation("x[B, D_n] * w[D_n, F] -> z[B, F]").bytes("ici")       # partial sums, all-reduced
    4*B*F*(n - 1)/n
    >>> parse_operation("flops bf16 = 1e12").flops
    1000000000000
    >>> parse_operation("bf16[L,w], bf16[S,w] -> bf16[L,S]; w: head width").roles["w"].grows    # the role of a size
    False

    Raises a one-line RoofproofError for anything else, with near matches for an unknown name.
    """
    from roofproof.formula.tokens import MAX_TEXT
    from roofproof.ops.library import from_library, named, unknown_operation
    from roofproof.ops.roles import split_off, with_roles

    text = text.strip()
    if len(text) > MAX_TEXT:
        raise RoofproofError(
            "the operation has <count> characters; the limit is <most>", count=len(text), most=MAX_TEXT
        )
    text, roles = split_off(text)
    if roles:
        return with_roles(parse_operation(text), roles)
    if ".json" in text:
        from roofproof.ops.notation.passes import pass_of_config

        if (floor := pass_of_config(text)) is not None:
            return floor
    if ".toml" in text:
        from roofproof.ops.notation.operation_file import operation_of_file

        if (own := operation_of_file(text, parse_operation)) is not None:
            return own
    head = re.match(r"[A-Za-z0-9_-]*", text)
    name = head[0] if head else ""
    einsum_signs = re.search(r"[\[\]]|->|→", text)
    amounts = re.match(r"(flops|bytes)\s", text)
    if not einsum_signs and not amounts and named(name):
        return from_library(text)
    if _is_sharded(text):
        from roofproof.ops.network import sharded_einsum

        product = sharded_einsum(text)
        made = product.operation()
        return replace(made, convention="; ".join((made.convention, *map(str, product.communications))))
    if einsum_signs:
        from roofproof.ops.notation.typed_einsum import einsum

        return einsum(text)
    if amounts or "=" in text:
        from roofproof.ops.notation.demands import parse_demands

        return parse_demands(text)
    if re.fullmatch(r"[A-Za-z]+(\s*,\s*[A-Za-z]+)+", text) and not named(text.partition(",")[0]):
        once = "".join(letter for letter in text if letter.isalpha() and text.count(letter) == 1)
        said = "<text> is not an operation; a product of tensors has an output, as in <cure>"
        raise RoofproofError(said, text=quoted(text), cure=quoted(f"{text}->{once}"))
    raise unknown_operation(text.partition(":")[0].partition("@")[0].strip() or text)


def _is_sharded(text: str) -> bool:
    """Return whether a text has sharded tensors: a product with `*`, or one tensor with the same name on both sides."""
    anew = re.match(r"(\w+)(:\w+)?\[[^\]]*\](\{\w*\})?\s*(->|→)\s*\1\b", text)
    product = re.search(r"[\]}]\s*[*×·⋅∙]", text) and re.search(r"->|→|_[A-Z{]", text)
    return bool(product or (anew and not is_format(anew[1])))
