"""A named tensor: its shape, number format, stored bytes and moved bytes."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sympy import Dummy, Expr, Integer, Mul, Rational, sympify

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import bytes_per_element, canonical


@dataclass(frozen=True, slots=True)
class Tensor:
    """A named tensor with a symbolic shape and a number format.

    >>> from roofproof.symbols import dimension
    >>> w = Tensor("w", (dimension("D"), dimension("F")), "int4")
    >>> w.elements, w.bytes                                    # D*F elements of 4/8 byte
    (D*F, D*F/2)

    `times` is how often the tensor crosses the memory boundary, for example for the re-reads of a tiled loop.
    `traffic` is `times * bytes`, and `bytes` is the stored size. Raises RoofproofError for an unknown format,
    a negative `times`, or a dimension that is not a positive integer.
    """

    name: str
    shape: tuple[Expr, ...]
    dtype: str
    times: Expr = field(default_factory=lambda: Integer(1))

    def __post_init__(self) -> None:
        shape = tuple(_exact(self.name, size) for size in self.shape)
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "dtype", canonical(self.dtype))
        object.__setattr__(self, "times", sympify(self.times, strict=True))
        for size in shape:
            if not (is_positive(size) and size.is_integer is not False):
                said = "tensor <name>: dimension <size> is not a positive integer"
                raise RoofproofError(said, name=quoted(self.name), size=quoted(size))
        if self.times.is_negative:
            raise RoofproofError(f"tensor {quoted(self.name)}: times {quoted(self.times)} is negative")

    @property
    def elements(self) -> Expr:
        """The number of elements."""
        return Mul(*self.shape)

    @property
    def bytes(self) -> Expr:
        """The bytes needed to store the tensor."""
        size = bytes_per_element(self.dtype)
        return Rational(size) * self.elements

    @property
    def traffic(self) -> Expr:
        """The bytes that the tensor moves across the memory boundary."""
        return _traffic(self)

    def mapped(self, change: Callable[[Expr], Expr]) -> "Tensor":
        """Return the tensor with `change` applied to its sizes and to `times`."""
        return replace(self, shape=tuple(map(change, self.shape)), times=change(self.times))

    def __str__(self) -> str:
        """Return the tensor in einsum notation."""
        return f"{self.name}:{self.dtype}[{','.join(str(size).replace(' ', '') for size in self.shape)}]"


@lru_cache(maxsize=4096)
def _traffic(tensor: Tensor) -> Expr:
    return tensor.times * tensor.bytes


def _exact(name: str, size: object) -> Expr:
    if isinstance(size, str | float):  # text must be parsed first, and a float is never exact
        raise RoofproofError(f"tensor {quoted(name)}: dimension {size!r} is not an exact number or expression")
    return sympify(size, strict=True)


@lru_cache(maxsize=4096)
def is_obviously_positive(amount: Expr) -> bool:
    """Return whether an amount is a sum, product or power of positive parts, several times faster than SymPy.

    >>> from roofproof.symbols import dimension
    >>> B, D = dimension("B"), dimension("D")
    >>> is_obviously_positive(2*B*D + B), is_obviously_positive(B - D), is_obviously_positive(0*B)
    (True, False, False)
    """
    if amount.is_Rational or amount.is_Symbol:
        return bool(amount.is_positive)
    if amount.is_Add or amount.is_Mul:
        return all(map(is_obviously_positive, amount.args))
    return bool(amount.is_Pow and amount.exp.is_Rational and is_obviously_positive(amount.base))


def is_positive(size: Expr) -> bool:
    """Return whether a size is positive for all values of its dimensions, each at least 1.

    >>> from roofproof.symbols import dimension
    >>> P, R = dimension("P"), dimension("R")
    >>> is_positive(P + R - 1), is_positive(P - R)             # P + R - 1 is 1 + p + r with p, r >= 0
    (True, False)
    """
    if is_obviously_positive(size) or size.is_positive:
        return True
    whole = [s for s in size.free_symbols if s.is_integer and s.is_positive]
    beyond = {s: 1 + Dummy(nonnegative=True, integer=True) for s in whole}
    return bool(size.subs(beyond, simultaneous=True).expand().is_positive)
