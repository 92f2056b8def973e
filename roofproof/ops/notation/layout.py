"""Tensors laid out over a mesh, and the notation for their products: `X[B_X, D_Y] * W[D_Y, F] -> Z[B_X, F]`.

    D_Y           dimension D is split over axis Y, and every chip along Y has its part
    D_XY, D_{XY}  over X, then over Y (an axis is a letter, or a name in the mesh)
    bf16[B_X, D]  a number format in place of the name, or x:bf16[B_X, D] with both. The default is bf16, and for the
                  output the format of the first operand. `@ bf16` at the end is the format of the arithmetic.
    Z[B, F]{U_X}  unreduced: every chip along X holds a part of each sum

Source: Austin et al., How to Scale Your Model (2025), ch. 3, "A unified notation for sharding".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from sympy import Expr, Mul, Symbol

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.formats import is_format
from roofproof.formula.printing import to_text
from roofproof.formula.tensors import Place, TensorReader, TensorText
from roofproof.formula.tokens import error_at, placed, tokens
from roofproof.ops.combine import Size, positive
from roofproof.ops.network.collectives import Ring, Topology, Torus
from roofproof.ops.resources import compute_resource
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

Axes = tuple[str, ...]
_RESOURCE = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Mesh:
    """Mesh axes by name, with their sizes and topologies. Use `mesh` to make one that fits.

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
        """Return the size of an axis. Raises RoofproofError for an unknown axis."""
        refuse_unknown("mesh axis", axis, self.sizes)
        return self.sizes[axis]

    def __hash__(self) -> int:
        return hash((*self.sizes.items(), *self.networks.items()))


def mesh(over: Topology | Mapping[str, Topology] | None = None, **sizes: Size) -> Mesh:
    """Return the mesh with the given axes over a topology, or over one topology for each axis.

    >>> cut = mesh(Torus("ici", sizes=(16, 16)), X=16, Y=4)
    >>> cut.chips, cut.networks["X"].kind, cut.networks["Y"].kind          # 4 of 16 chips do not close a ring
    (64, 'bidirectional ring', 'line')
    >>> mesh(Torus("ici", sizes=(4, 4)), X=8, Y=4)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: mesh X=8, Y=4 has 32 chips; torus of 4 x 4 over ici joins at most 16

    A size may be a name, which becomes a symbol. Without a topology every axis has its own ring over `ici`.
    Raises RoofproofError, with both sizes, for a mesh that does not fit the topology.
    """
    for name in sizes:
        if not name.isidentifier() or not name.isascii() or "_" in name:
            raise RoofproofError("mesh axis <name>: expected letters and digits, as in 'X'", name=quoted(name))
    exact = {name: positive(count, f"mesh axis {name}") for name, count in sizes.items()}
    if isinstance(over, Topology):
        return Mesh(exact, over.axes(exact))
    networks = {}
    for name, count in exact.items():
        if over is not None and name not in over:
            given = ", ".join(over) or "none"
            raise RoofproofError("mesh axis <name> has no topology; given: <listed>", name=repr(name), listed=given)
        own = Ring() if over is None else over[name]
        networks[name] = own if isinstance(own, Torus) else own.axes({name: count})[name]
        own.size(count)
    return Mesh(exact, networks)


@dataclass(frozen=True, slots=True)
class Layout:
    """A tensor with the mesh axes that split each of its dimensions, and those over which it holds partial sums.

    >>> from roofproof.ops.network import mesh
    >>> D, F = dimension("D"), dimension("F")
    >>> w = Layout(Tensor("W", (D, F), "bf16"), (("X",), ()))
    >>> print(w, w.local(mesh(X=4)).bytes)                     # 2 D F bytes over 4
    W[D_X, F] D*F/2
    """

    tensor: Tensor
    axes: tuple[Axes, ...]
    partial: Axes = ()

    @property
    def used(self) -> Axes:
        """Every axis that splits a dimension, in order."""
        return tuple(axis for axes in self.axes for axis in axes)

    @property
    def dims(self) -> dict[Symbol, Axes]:
        """The axes of each dimension."""
        return dict(zip(self.tensor.shape, self.axes, strict=True))

    def cut(self, dim: Symbol, axes: Axes) -> Layout:
        """Return the layout with one dimension split over other axes."""
        found = tuple(axes if d == dim else own for d, own in self.dims.items())
        return replace(self, axes=found)

    def local(self, over: Mesh) -> Tensor:
        """Return the part that one chip holds, as a tensor."""
        shape = tuple(d / parts(axes, over) for d, axes in self.dims.items())
        return replace(self.tensor, shape=shape)

    def __str__(self) -> str:
        inside = ", ".join(f"{d}_{_joined(axes)}" if axes else str(d) for d, axes in self.dims.items())
        return f"{self.tensor.name}[{inside}]" + (f"{{U_{_joined(self.partial)}}}" if self.partial else "")


def parts(axes: Axes, over: Mesh) -> Expr:
    """Return the number of parts into which some axes of a mesh split a dimension."""
    return Mul(*(over.size(axis) for axis in axes))


def _joined(axes: Axes) -> str:
    plain = all(re.fullmatch(r"[A-Z][0-9]*", axis) for axis in axes)
    return "".join(axes) if plain or len(axes) == 1 else "{" + ",".join(axes) + "}"


def read_layouts(text: str, over: Mesh | None = None) -> tuple[tuple[Layout, ...], Layout, str | None, Mesh]:
    """Parse a text into its operands, its output, the format of the arithmetic if given, and the mesh.

    >>> operands, output, _, over = read_layouts("X[B_X, D_Y] · W[D_Y, F] → Z[B_X, F]")
    >>> [str(o) for o in operands], str(output), list(over.sizes)
    (['X[B_X, D_Y]', 'W[D_Y, F]'], 'Z[B_X, F]', ['X', 'Y'])

    Without `over`, the mesh has the axes of the text, each a ring of symbolic size. Raises RoofproofError that
    quotes the whole text.
    """
    try:
        reader = _LayoutReader(text, over)
        operands, output, compute = reader.product_of_tensors()
        return operands, output, compute, over or mesh(None, **{axis: axis for axis in reader.axes_seen})
    except RoofproofError as problem:
        raise RoofproofError("in <text>: <problem>", text=quoted(text, 200), problem=problem) from None


class _LayoutReader(TensorReader):
    """A reader for tensors over a mesh: operands, output, and the format of the arithmetic."""

    def __init__(self, text: str, over: Mesh | None) -> None:
        super().__init__(text, tokens(text, "a sharded product"), cut=True)
        self.known: Mapping[str, Expr] | None = None if over is None else over.sizes
        self.axes_seen: dict[str, int] = {}

    def product_of_tensors(self) -> tuple[tuple[Layout, ...], Layout, str | None]:
        read = [self.tensor()]
        while self.take("*", ","):
            read.append(self.tensor())
        if not self.take("->"):
            self.refuse("*", "->")
        read.append(self.tensor())
        word = self.take_form(_RESOURCE) if self.take("@") else None
        compute = word and placed(compute_resource, word.text, word.at)
        if self.token.kind != "end":
            self.refuse()
        return (*self.layouts(read), compute)

    def layouts(self, read: list[TensorText]) -> tuple[tuple[Layout, ...], Layout]:
        if len(read) > 3:
            said = "<count> factors; expected two, or one tensor to lay out anew"
            raise error_at(read[2].at, said, count=len(read) - 1)
        known = [self.name_and_format(each) for each in read]
        first = known[0][1] or "bf16"
        defaults = [*(["A", "B"] if len(read) == 3 else ["A"]), "C"]
        taken: set[str] = {name for name, _ in known if name is not None}
        found: list[Layout] = []
        for each, (name, dtype), default in zip(read, known, defaults, strict=True):
            while name is None and default in taken:
                default += "1"
            output = len(found) == len(read) - 1
            label = name or default
            if any(label == before.tensor.name for before in found) and not (output and len(read) == 2):
                said = "two tensors named <name>; each tensor has a name of its own"
                raise error_at(each.at, said, name=repr(label))
            taken.add(label)
            found.append(self.layout(label, dtype or (first if output else "bf16"), each))
        for axis, position in self.axes_seen.items():
            if self.known is None and any(dimension(axis) in layout.tensor.shape for layout in found):
                said = "<axis> is a dimension and a mesh axis; give one of them another name"
                raise error_at(position, said, axis=axis)
        return tuple(found[:-1]), found[-1]

    @staticmethod
    def name_and_format(read: TensorText) -> tuple[str | None, str | None]:
        """Return the name and the format of a tensor, each None if not given. A word that is not a format is a name."""
        dtype = read.word if is_format(read.word) else None
        if read.label and read.word and not dtype:
            said = "unknown number format <word> after <name>:"
            raise error_at(read.word_at, said, word=quoted(read.word), name=read.label)
        return read.label or (None if dtype else read.word) or None, dtype

    def axes(self, places: tuple[Place, ...]) -> list[Place]:
        """Return axes one by one, `XY` as X and Y. Raises RoofproofError for an axis that is not in the mesh."""
        found = [(name, position) for word, position in places for name in self.split(word)]
        for name, position in found:
            if self.known is not None and name not in self.known:
                known = ", ".join(self.known) or "none"
                said = "unknown mesh axis <name>; the mesh has <known>"
                raise error_at(position, said, name=quoted(name), known=known)
            self.axes_seen.setdefault(name, position)
        return found

    def split(self, word: str) -> list[str]:
        """Return the axes of a subscript: the name of a mesh axis, or one axis per letter."""
        if self.known is not None and word in self.known:
            return [word]
        letters = re.findall(r"[A-Za-z][0-9]*", word)
        if self.known is not None:
            return letters if all(letter in self.known for letter in letters) else [word]
        return letters if word.isupper() else [word]

    def layout(self, name: str, dtype: str, read: TensorText) -> Layout:
        dims: dict[str, Axes] = {}
        used: set[str] = set()
        for index in read.indices:
            dim, axes = to_text(index.size), self.axes(index.axes)
            if dim in dims:
                said = "dimension <dim> twice in <name>; each has a name of its own"
                raise error_at(index.at, said, dim=dim, name=name)
            dims[dim] = tuple(axis for axis, _ in axes)
            self.check_used_once(name, axes, used)
        partial = self.axes(read.partial)
        self.check_used_once(name, partial, used)
        symbols = tuple(dimension(dim) for dim in dims)
        return Layout(Tensor(name, symbols, dtype), tuple(dims.values()), tuple(axis for axis, _ in partial))

    def check_used_once(self, name: str, axes: list[Place], used: set[str]) -> None:
        for axis, position in axes:
            if axis in used:
                said = "mesh axis <axis> twice in <name>; an axis cuts one dimension of a tensor"
                raise error_at(position, said, axis=axis, name=name)
            used.add(axis)
