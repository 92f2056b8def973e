"""Operations written as their demands, such as `flops bf16 = B D F; bytes ici = 2 B F`, and the amounts in them.

A size in an amount may be an exponent, as in `E (1 - (1 - k/E)^B)`. An amount that may be negative is an error.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from sympy import Add, Dummy, Expr, Integer, Le, Poly, Pow, Symbol, fraction, sympify, together
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.plain import PlainReader
from roofproof.formula.reader import OPERATORS
from roofproof.formula.tokens import Token, error_at, placed, tokens
from roofproof.formula.tree import Tree, names_in
from roofproof.formula.units import is_word
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import SPECIAL, channel, compute_resource
from roofproof.ops.tensor import is_positive
from roofproof.symbols import dimension

_BARE = re.compile(r"(?:^|;)\s*(flops|bytes)\s*=")
_RESOURCE = re.compile(r"[a-z][A-Za-z0-9]*(-[a-z0-9]+)*")


def parse_demands(text: str) -> Operation:
    """Return the operation for a text of FLOPs and bytes, in which names are dimensions.

    >>> parse_demands("flops bf16 = B D F; bytes ici = 2 B F").demands
    {'bf16': B*D*F, 'ici': 2*B*F}
    >>> parse_demands("flops bf16 = 2BDF; bytes hbm = 2BD + 2DF + B + D + F").flops       # B D F
    2*B*D*F

    Raises RoofproofError, which quotes the whole text, for anything else.
    """
    try:
        if bare := _BARE.search(text):
            example = "bf16" if bare[1] == "flops" else "hbm"
            due = "name the resource of <kind>, as in '<kind> <example> = ...'"
            raise error_at(bare.end() - 1, due, kind=bare[1], example=example)
        return _Demands(text, tokens(text, "an operation")).operation()
    except RoofproofError as problem:
        raise RoofproofError("in <text>: <problem>", text=quoted(text), problem=problem) from None


class _Demands(PlainReader):
    """A reader for entries such as `flops bf16 = B D F`, separated by semicolons."""

    def operation(self) -> Operation:
        found: dict[str, dict[str, Expr]] = {"flops": {}, "bytes": {}}
        written: set[str] = set()
        conditions: list[Boolean] = []
        names: dict[str, None] = {}
        while self.token.kind != "end":
            kind, resource, usual, tree = self.entry()
            amount = _expression(tree)
            conditions += require_nonnegative(amount, resource.at, f"{kind} {resource.text}")
            if usual in found[kind] and (usual not in SPECIAL or resource.text in written):
                raise RoofproofError("<kind> <resource> is given twice", kind=kind, resource=usual)
            written.add(resource.text)
            # exp, rsqrt and tanh run on the same unit
            found[kind][usual] = found[kind].get(usual, Integer(0)) + amount
            names |= dict.fromkeys(names_in(tree))
        return one_kernel(
            " ".join(self.text.split()),
            work=found["flops"],
            links=found["bytes"],
            convention="as given",
            conditions=tuple(conditions),
            dims=tuple(map(dimension, names)),
        )

    def entry(self) -> tuple[str, Token, str, Tree]:
        if self.token.text not in ("flops", "bytes"):
            self.refuse("flops", "bytes")
        kind = self.need("name").text
        resource = self.take_form(_RESOURCE)
        usual = placed(compute_resource if kind == "flops" else channel, resource.text, resource.at)
        self.need("=")
        amount = self.formula(OPERATORS["+"].power)
        if self.token.kind != "end" and not self.take(";"):
            self.refuse(";")
        return kind, resource, usual, amount


def from_expressions(
    name: str,
    flops: Mapping[str, str | Expr | int] | None = None,
    bytes: Mapping[str, str | Expr | int] | None = None,
    *,
    source: str = "",
    convention: str = "as given",
) -> Operation:
    """Return an operation with the given FLOPs and bytes, for operations that are not an einsum.

    >>> from_expressions("split", flops={"bf16": "B D F"}, bytes={"ici": "2 B F"}).demands
    {'bf16': B*D*F, 'ici': 2*B*F}

    `flops` maps compute resources to FLOPs. `bytes` maps memory levels and links to bytes (`memory`, `hbm` and `dram`
    are the main memory). Names in the texts are dimensions. Raises RoofproofError for text that is not an expression.
    """
    from roofproof.formula.to_sympy import parse_expression

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


def _expression(tree: Tree) -> Expr:
    from roofproof.formula.to_sympy import to_sympy  # imported here, as most operations are einsums

    return to_sympy(tree, dimension, symbolic_exponents=True)


def amount_from(text: str, given: Iterable[Boolean] = (), sizes: Collection[str] = ()) -> Expr:
    """Return the amount for a text, whose sizes meet the `given` conditions. `sizes` are the sizes named elsewhere.

    >>> amount_from("2 B D F"), amount_from("2BDF", sizes="BDF"), amount_from("E (1 - (1 - k/E)^B)")
    (2*B*D*F, 2*B*D*F, E*(1 - (1 - k/E)**B))

    Raises RoofproofError for text that is not an amount, and for an amount that may be negative.
    """
    tree = PlainReader(text, tokens(text, "an amount"), letters=sizes).parse_all()
    amount = _expression(tree)
    require_nonnegative(amount, 0, "amount", given)
    return amount


def require_nonnegative(amount: Expr, position: int, what: str, given: Iterable[Boolean] = ()) -> tuple[Boolean, ...]:
    """Return the conditions under which an amount is not negative: the bases of its powers are not.

    >>> from sympy import Rational
    >>> B, E, k = map(dimension, "BEk")
    >>> require_nonnegative(E * (1 - (1 - k/E)**B), 0, "experts")     # E where the power is 0, and 0 where it is 1
    (k <= E,)
    >>> require_nonnegative(1 - Rational(1, 2)**B, 0, "share"), require_nonnegative(B**2 - B, 0, "pairs")
    ((), ())
    >>> L, W = map(dimension, "LW")
    >>> require_nonnegative(L*W - W*(W - 1)/2, 0, "pairs", [W <= L])          # W^2/2 + W/2 + d W, with L = W + d
    ()

    Raises RoofproofError, with the position, if no such conditions are known.
    """
    units = () if amount.is_Symbol else amount.free_symbols  # a single name is a size, such as a table column
    for name in sorted(s.name for s in units if is_word(s.name) or is_word(s.name.replace("K", "k"))):
        said = "<what>: <name> is a unit; an amount is a number of FLOPs or bytes, such as 16e6, or a formula of sizes"
        raise error_at(position, said, what=what, name=quoted(name))
    if _seen(amount) or _seen(_above_lower_bounds(amount, given)):
        return ()
    powers = {p: p.base if p.exp.is_positive else 1 / p.base for p in amount.atoms(Pow)
              if p.exp.is_integer and (p.exp.is_positive or p.exp.is_negative) and p.exp.free_symbols}  # fmt: skip
    shares = {p: Dummy(nonnegative=True) for p, base in powers.items() if (1 - base).is_nonnegative}
    put = amount.xreplace(shares)
    ends = [put.xreplace(dict.fromkeys(shares.values(), Add(end))) for end in (0, 1)]
    linear = len(shares) == 1 and all(put.is_polynomial(d) and Poly(put, d).degree() == 1 for d in shares.values())
    if not linear or not all(end.is_nonnegative for end in ends):
        raise error_at(position, "<what> = <amount> is not known to be positive", what=what, amount=amount)
    bases = [powers[p] for p in shares]
    return tuple(_no_less(fraction(together(base))[0]) for base in bases if not base.is_nonnegative)


@lru_cache(maxsize=1_000)  # takes half a second for a power
def _seen(amount: Expr) -> bool:
    return bool(amount.is_nonnegative or is_positive(amount + Dummy(positive=True)))


def _above_lower_bounds(amount: Expr, given: Iterable[Boolean]) -> Expr:
    """Return an amount with each size that has a given lower bound replaced by the bound plus a nonnegative rest."""
    for condition in given:
        if isinstance(condition, GreaterThan | LessThan | StrictGreaterThan | StrictLessThan):
            size, low = condition.gts, condition.lts
            if isinstance(size, Symbol) and size not in low.free_symbols:
                amount = amount.subs(size, low + Dummy(nonnegative=True, integer=True))
    return amount


def _no_less(low: Expr) -> Boolean:
    """Return the condition that a sum is at least zero: the subtracted terms are at most the others."""
    away = [-term for term in Add.make_args(low) if term.could_extract_minus_sign()]
    return Le(Add(*away), low + Add(*away))
