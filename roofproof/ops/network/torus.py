"""Several axes of rings (a torus) or of lines (a grid), all of whose links work at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Add, Expr, Max, Mul

from roofproof.errors import RoofproofError
from roofproof.ops.combine import Size, positive
from roofproof.ops.network.topology import SCALING, BidirectionalRing, Line, Load, Topology, shown


@dataclass(frozen=True, slots=True)
class Torus(Topology):
    """Chips in a box, with a ring along each axis; without `wrap`, a line along each.

    >>> torus = Torus("ici", sizes=(4, 4))
    >>> torus.gather(torus.size())                             # 15/16 of V over two links each way on two axes
    (Load(link='ici', share=15/64, steps=4),)
    >>> torus.along(0)
    BidirectionalRing(link='ici', chips=4, lanes=1)

    A gather over k axes cuts the array in k parts that take the axes in turn, so that every link is busy: the
    share is that of one ring, over k, exactly so for equal axes (for others the links into a chip bound it, and
    finer parts come as near as one likes). In an exchange the busiest axis decides. `chips` is the product of
    the sizes. Raises RoofproofError for no axes, or a size that is no positive integer.

    Source: Austin et al., How to Scale Your Model (2025), ch. 3, "AllGather over multiple axes".
    """

    sizes: tuple[Expr, ...] = ()
    wrap: bool = True

    kind: ClassVar[str] = "torus"
    source: ClassVar[str] = SCALING

    def __post_init__(self) -> None:
        sizes = tuple(positive(size, f"axis {i} of the torus") for i, size in enumerate(self.sizes))
        object.__setattr__(self, "sizes", sizes)
        if not self.sizes:
            raise RoofproofError("a torus needs the sizes of its axes, as in Torus('ici', sizes=(4, 4))")
        total = Mul(*self.sizes)
        if self.chips is not None and self.chips != total:
            raise RoofproofError(f"a torus of {self.box} has {total} chips, not {self.chips}")
        object.__setattr__(self, "chips", int(total) if total.is_Integer else None)
        Topology.__post_init__(self)

    @property
    def box(self) -> str:
        """The sizes as they are written: 4 x 4."""
        return " x ".join(map(str, self.sizes))

    @property
    def busy(self) -> tuple[Expr, ...]:
        """The axes of more than one chip: the others have no links."""
        return tuple(s for s in self.sizes if s != 1)

    def along(self, axis: int, count: Size | None = None) -> Topology:
        """Return the ring (or line) along an axis, or the line that a part of it is."""
        full = self.sizes[axis]
        chips = int(full) if full.is_Integer else None
        part = full if count is None else positive(count, "part of an axis")
        if chips is not None and part.is_Integer and part > chips:
            raise RoofproofError(f"{part} chips along an axis of {chips}; {self} is {self.box}")
        whole = part == full or chips is None or not part.is_Integer
        return (BidirectionalRing if self.wrap and whole else Line)(self.link, chips, self.lanes)

    def size(self, n: Size | None = None) -> Expr:
        total = Mul(*self.sizes)
        if n is not None and positive(n, "chips") != total:
            raise RoofproofError(f"{n} chips; a torus of {self.box} has {total}; take `along` for a part")
        return total

    def diameter(self, n: Expr) -> Expr:
        return Add(*(self.along(i).diameter(size) for i, size in enumerate(self.sizes)))

    def gather(self, n: Expr) -> tuple[Load, ...]:
        links = (2 if self.wrap else 1) * max(len(self.busy), 1)
        return (Load(self.link, (n - 1) / (links * n) / self.lanes, self.diameter(n)),)

    def exchange(self, n: Expr) -> tuple[Load, ...]:
        # The rings along an axis exchange V own/n each, over lanes as many.
        shares = [self.along(i).exchange(own)[0].share * own / n for i, own in enumerate(self.sizes)]
        return (Load(self.link, Max(*shares), self.diameter(n)),)

    def links(self, n: Expr) -> Expr:
        return 2 * len(self.busy) * self.lanes

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        """Put the axes of a mesh on those of the torus, in order."""
        self._fits(sizes)
        if len(sizes) > len(self.sizes):
            has = f"a torus of {self.box} has {len(self.sizes)}"
            raise RoofproofError(f"mesh {shown(sizes)} has {len(sizes)} axes; {has}")
        for i, (full, (name, count)) in enumerate(zip(self.sizes, sizes.items(), strict=False)):
            if full.is_Integer and count.is_Integer and count > full:
                raise RoofproofError(f"mesh axis {name}={count} exceeds axis {i} of a torus of {self.box}")
        return {name: self.along(i, count) for i, (name, count) in enumerate(sizes.items())}

    def __str__(self) -> str:
        return f"{self.kind if self.wrap else 'grid'} of {self.box} over {self.link}"
