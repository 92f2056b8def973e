"""A mesh: the chips named by axes, each axis on a network of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sympy import Expr, Mul

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.ops.combine import Size, positive
from roofproof.ops.network.topology import Ring, Topology
from roofproof.ops.network.torus import Torus


@dataclass(frozen=True, slots=True)
class Mesh:
    """Axes by name, with their sizes and the topology each rides on; `mesh` makes one that fits.

    >>> mesh(X=4, Y="Y").size("X"), mesh(X=4, Y="Y").chips
    (4, 4*Y)
    """

    sizes: Mapping[str, Expr]
    networks: Mapping[str, Topology]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", MappingProxyType(dict(self.sizes)))
        object.__setattr__(self, "networks", MappingProxyType(dict(self.networks)))

    @property
    def chips(self) -> Expr:
        """The number of chips: the product of the sizes."""
        return Mul(*self.sizes.values())

    def size(self, axis: str) -> Expr:
        """Return the size of an axis. Raises RoofproofError with the axes there are."""
        refuse_unknown("mesh axis", axis, self.sizes)
        return self.sizes[axis]

    def __hash__(self) -> int:
        return hash((*self.sizes.items(), *self.networks.items()))


def mesh(over: Topology | Mapping[str, Topology] | None = None, **sizes: Size) -> Mesh:
    """Return the mesh of the given axes over a topology, or over one topology for each axis.

    >>> from roofproof.ops.network import Torus
    >>> cut = mesh(Torus("ici", sizes=(16, 16)), X=16, Y=4)
    >>> cut.chips, cut.networks["X"].kind, cut.networks["Y"].kind          # 4 of 16 do not close a ring
    (64, 'bidirectional ring', 'line')
    >>> mesh(Torus("ici", sizes=(4, 4)), X=8, Y=4)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: mesh X=8, Y=4 has 32 chips; torus of 4 x 4 over ici joins at most 16

    A size may be a name, which is then a symbol. Without a topology every axis is a ring of its own over `ici`.
    Raises RoofproofError for a mesh that the topology does not carry, with both sizes.
    """
    for name in sizes:
        if not name.isidentifier() or not name.isascii() or "_" in name:
            raise RoofproofError(f"mesh axis {quoted(name)}: expected letters and digits, as in 'X'")
    exact = {name: positive(count, f"mesh axis {name}") for name, count in sizes.items()}
    if isinstance(over, Topology):
        return Mesh(exact, over.axes(exact))
    networks = {}
    for name, count in exact.items():
        if over is not None and name not in over:
            raise RoofproofError(f"mesh axis {name!r} has no topology; given: {', '.join(over) or 'none'}")
        own = Ring() if over is None else over[name]
        networks[name] = own if isinstance(own, Torus) else own.axes({name: count})[name]
        own.size(count)
    return Mesh(exact, networks)
