"""Operations in typed einsum notation: `bf16[B,D], int8[D,F] -> bf16[B,F]`.

    x:bf16[B,D], w:int8[D,F] -> z:bf16[B,F] @ bf16 acc fp32
    ^ names are optional        ^ the format may be left out
                                            ^ the format (and engine) of the arithmetic, if it is another
                                                   ^ the accumulator: stays on chip and moves no bytes

An index is a name, `1`, a product or a sum. A product of names that are indices of other tensors is all of these:
`w[n*G,F]` beside `x[B,n,G]` is `w[n,G,F]`. Any other is a label of its own (`4*d` and `d` are two loops). `n'` is a
second index of the size n: `a[n,n'], x[n'] -> y[n]` multiplies by a square. A sum of which one part is an index
elsewhere is that one, from an offset on: `x[c+B,D], w[D,F] -> z[B,F]` reads B rows of x.
An index that the output lacks is summed over. Three tensors and more are multiplied two at a time (contraction.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise as neighbours
from typing import Any

from sympy import Add, Expr, Integer, Mul, Symbol

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import canonical, element_format, is_complex, is_format, real_part
from roofproof.ops.notation.arithmetic import error_at, placed
from roofproof.ops.notation.checked_text import check_text
from roofproof.ops.notation.contraction import Order, PairProduct, in_order, one_by_one, operands, pairwise, vector_unit
from roofproof.ops.notation.glued import GLUED, TWO_WAYS
from roofproof.ops.notation.plain_einsum import plain_einsum
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import FLOATS, compute_resource, vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.sentences import Sentence, joined
from roofproof.symbols import dimension

MAX_OPERANDS = 32
MAX_INDICES = 100  # different ones


@dataclass(frozen=True, slots=True)
class Einsum:
    """A typed einsum, read but not yet counted; `str` gives it back as text.

    >>> print(Einsum.parse("bf16[B,D] , bf16[D,F] → [B,F]"))
    x1:bf16[B,D], x2:bf16[D,F] -> z:bf16[B,F] @ bf16
    """

    inputs: tuple[Tensor, ...]
    output: Tensor
    compute: str
    accumulate: str | None = None
    order: Order | None = None

    @classmethod
    @lru_cache(256)  # an atlas asks for the same one on every chip
    def parse(cls, text: str) -> Einsum:
        """Return the einsum a text stands for. Raises RoofproofError framed with the whole text."""
        try:
            check_text(text, "an operation")
            return _of_names(text) or _parsed(text)
        except RoofproofError as problem:
            raise RoofproofError("in <text>: <problem>", text=quoted(text, 200), problem=problem) from None

    @property
    def indices(self) -> tuple[Expr, ...]:
        """The loops of the nest: every index of the inputs once, in order."""
        return tuple(dict.fromkeys(size for tensor in self.inputs for size in tensor.shape if size != 1))

    @property
    def summed(self) -> tuple[Expr, ...]:
        """The indices summed over: those that the output lacks."""
        return tuple(index for index in self.indices if index not in self.output.shape)

    @property
    def contracts(self) -> bool:
        """Whether something is multiplied and summed; a sum alone, or a product alone, is no work for a matrix unit."""
        return len(self.inputs) > 2 or (len(self.inputs) == 2 and bool(self.summed))

    @property
    def steps(self) -> tuple[PairProduct, ...]:
        """The products of two of which a product of several tensors is made, in the order in which they are done."""
        return pairwise(self.inputs, self.output, self.order or in_order(len(self.inputs)))

    @property
    def flops(self) -> Expr:
        """FLOPs by the convention: 2 per multiply-add, 1 for a product with nothing summed; more for complex numbers.

        A single operand has no multiplication: its sum costs one addition a point, a copy nothing.
        """
        if len(self.inputs) == 1:
            return self._addition * Mul(*self.indices) if self.summed else Integer(0)
        return Add(*(step.flops for step in self.steps))

    @property
    def exact_flops(self) -> Expr:
        """FLOPs counted one by one: a sum of m terms takes m - 1 additions."""
        if len(self.inputs) == 1:
            return self.flops - self._addition * self.output.elements if self.summed else Integer(0)
        return Add(*(step.exact_flops for step in self.steps))

    @property
    def _complexes(self) -> int:
        return sum(is_complex(tensor.dtype) for tensor in self.inputs)

    @property
    def _addition(self) -> int:
        return 2 if self._complexes else 1

    @property
    def _loops(self) -> tuple[Symbol, ...]:
        """The sizes of which a share is that share of the FLOPs: none that is part of a sum."""
        added = {s for index in self.indices if index.is_Add for s in index.free_symbols}
        names = (s for index in self.indices for s in sorted(index.free_symbols - added, key=str))
        return tuple(dict.fromkeys(names))

    def _by_engine(self, steps: Iterable[PairProduct], *, exact: bool = False) -> dict[str, Expr]:
        found: dict[str, Expr] = {}
        for step in steps:
            engine = vector_unit(self.compute) if step.elementwise else self.compute
            found[engine] = found.get(engine, Integer(0)) + (step.exact_flops if exact else step.flops)
        return found

    def operation(self, name: str | None = None, *, exact: bool = False, source: str = "") -> Operation:
        """Return the operation, with FLOPs by the convention, or counted exactly on request."""
        several = len(self.inputs) > 2
        steps = self.steps if several else ()
        operation = one_kernel(
            name or str(self),
            self._by_engine(steps) if several else {self.compute: self.flops},
            reads=self.inputs,
            writes=(self.output,),
            exact=self._by_engine(steps, exact=True) if several else {self.compute: self.exact_flops},
            product=self,
            again=self._by_engine(steps[:-1]),
            loops=self._loops,
            source=source,
            convention=self.convention,
        )
        return replace(operation.exact, convention="every product and addition counted") if exact else operation

    def mapped(self, amount: Callable[[Expr], Expr], tensor: Callable[[Tensor], Tensor]) -> Einsum | None:
        """Return the einsum with its tensors changed; None if its loops can no longer be told apart by their sizes."""
        made = replace(self, inputs=tuple(map(tensor, self.inputs)), output=tensor(self.output))
        return made if made.flops == amount(self.flops) else None

    @property
    def convention(self) -> str:
        """What `flops` counts, in words."""
        n = len(self.inputs)
        if n > 2:
            told = "; ".join(f"{step}, {_plain(step.flops)} FLOPs" + _on(step, self.compute) for step in self.steps)
            return f"two at a time, in the order written: {told}; what passes between the steps stays on chip"
        if self._complexes and (n > 1 or self.summed):
            product = 2 if self._complexes < n else 6
            added = "2 FLOPs per addition" if self.summed else ""
            each = f"{product} FLOPs per product" if n > 1 else ""
            return f"complex numbers: {' and '.join(filter(None, (each, added)))}"
        if not self.summed:
            return "1 product per element, nothing summed" if n > 1 else "nothing computed"
        return "2 FLOPs per multiply-add" if n > 1 else "1 addition per element summed"

    def __str__(self) -> str:
        order = self.order or in_order(len(self.inputs))
        accumulate = f" acc {self.accumulate}" if self.accumulate else ""
        return f"{_written(self.inputs, order)} -> {self.output} @ {self.compute}{accumulate}"


def _written(inputs: tuple[Tensor, ...], order: Order, outermost: bool = True) -> str:
    if isinstance(order, int):
        return str(inputs[order])
    inside = ", ".join(_written(inputs, node, False) for node in order)
    return inside if outermost else f"({inside})"


def _plain(amount: Expr) -> str:
    return str(amount).replace(" ", "")


def _on(step: PairProduct, compute: str) -> str:
    return f" on the vector unit ({vector_unit(compute)})" if step.elementwise and "-" not in compute else ""


def einsum(
    text: str, name: str | None = None, *, exact: bool = False, source: str = "", compute: str | None = None
) -> Operation:
    """Return the operation that a typed einsum stands for.

    >>> op = einsum("bf16[B,D], int8[D,F] -> bf16[B,F]")
    >>> op.demands                                             # 2 B D F; 2 bytes for bf16, 1 for int8
    {'bf16': 2*B*D*F, 'memory': 2*B*D + 2*B*F + D*F}
    >>> einsum("bf16[N], bf16[N] -> []", exact=True).flops     # N products, N - 1 additions
    2*N - 1

    `compute` is what may stand after `@`. Raises RoofproofError, framed with the whole text, for anything that is
    not such an einsum.
    """
    found = Einsum.parse(f"{text} @ {compute}" if compute else text)
    return _of_sizes(found.operation(name or " ".join(text.split()), exact=exact, source=source))


def _of_sizes(op: Operation) -> Operation:
    """Return an operation with n for each second index n'; a share of n is then no share of the FLOPs."""
    second = {s: dimension(s.name.rstrip("'")) for s in op.dims if s.name.endswith("'")}
    if not second:
        return op
    either = {*second, *second.values()}
    return op.mapped(
        lambda amount: amount.xreplace(second), lambda tensor: tensor.mapped(lambda size: size.xreplace(second)), either
    )


def _parsed(text: str) -> Einsum:
    from roofproof.ops.notation.expression import parsed

    found: Einsum = parsed("typed_einsum", text, _Builder(), "operation")
    return found


def _of_names(text: str) -> Einsum | None:
    """Return an einsum whose indices are names; None where the grammar has to read it, or to say what is wrong."""
    if (read := plain_einsum(text)) is None:
        return None
    tensors, at, acc = read
    try:
        *given, output = (
            (label or None, dtype and canonical(dtype), _without_diagonal([(dimension(n), 0) for n in names]), 0)
            for label, dtype, names in tensors
        )
        at, acc = at and compute_resource(at), acc and canonical(acc)
        return _Builder().einsum(given, output, in_order(len(given)), at or None, acc or None)
    except RoofproofError:
        return None


class _Builder:
    """The meaning of each rule of the grammar."""

    def term(self, tree: Any, children: list[Any]) -> tuple[Expr, ...]:
        for left, right in neighbours(children):
            if left.type in ("WORD", "INDEX") and right.type != "STAR":
                raise error_at(left.start_pos, TWO_WAYS, whole=quoted(f"{left} {right}"),
                               first=quoted(f"{left},{right}"), second=quoted(f"{left}*{right}"))  # fmt: skip
        return tuple(_factor(token) for token in children if token.type != "STAR")

    def index(self, tree: Any, children: list[tuple[Expr, ...]]) -> tuple[tuple[Expr, ...], int]:
        factors = children[0] if len(children) == 1 else (Add(*(Mul(*term) for term in children)),)
        size = Mul(*factors)
        if size.is_Integer and size != 1:
            said = "index <size> is a number; name the dimension and give its size, as in --at N=<size>"
            raise error_at(tree.meta.start_pos, said, size=size)
        return factors, tree.meta.start_pos

    def shape(self, tree: Any, children: list[Any]) -> list[tuple[tuple[Expr, ...], int]]:
        return children

    def operand(self, tree: Any, children: list[Any]) -> tuple[str | None, str | None, Any, int]:
        label, number_format, shape = children
        if label is None and number_format and number_format.isalpha() and not is_format(number_format):
            why = "<word> is no number format; a tensor of that name is written <cure>"  # no digit: hardly a format
            cure = quoted(f"{number_format}:bf16[...]")
            raise error_at(tree.meta.start_pos, why, word=quoted(number_format), cure=cure)
        return label and str(label), number_format and placed(canonical, number_format), shape, tree.meta.start_pos

    output = operand

    def factors(self, tree: Any, children: list[Any]) -> list[Any]:
        return children

    def group(self, tree: Any, children: list[Any]) -> Any:
        inside: list[Any] = children[0]
        return inside if len(inside) > 1 else inside[0]

    def start(self, tree: Any, children: list[Any]) -> Einsum:
        factors, output, at, acc = children
        given: list[Any] = []
        order = _numbered(factors, given)
        *given, output = _paired([*given, output])
        return self.einsum(given, output, order, at and placed(compute_resource, at), acc and placed(canonical, acc))

    def einsum(
        self, operands: list[Any], output: Any, order: Order, compute: str | None, accumulate: str | None
    ) -> Einsum:
        loops = {size for _, _, shape, _ in operands for size, _ in shape}
        names = {str(size) for size in loops}
        for size, position in (each for _, _, shape, _ in (*operands, output) for each in shape):
            if len(word := str(size)) > 1 and names.issuperset(word):
                raise error_at(position, GLUED, whole=quoted(word), product=quoted(",".join(word)),
                               name=quoted(f"{word[0]}_{word[1:]}"))  # fmt: skip
        if len(operands) > MAX_OPERANDS:
            raise RoofproofError("<count> operands; at most <most> are read", count=len(operands), most=MAX_OPERANDS)
        if len(loops) > MAX_INDICES:
            raise RoofproofError("<count> indices; at most <most> are read", count=len(loops), most=MAX_INDICES)
        for size, position in output[2]:
            if size != 1 and size not in loops:
                has = ", ".join(str(s) for s in dict.fromkeys(s for o in operands for s, _ in o[2])) or "none"
                raise error_at(
                    position, "output index <size> is in no input; the inputs have <has>", size=size, has=has
                )
        taken: set[str] = set()
        for name, _, _, position in [*operands, output]:
            if name in taken:
                raise error_at(position, "two tensors named <name>; each tensor has a name of its own", name=repr(name))
            if name:
                taken.add(name)
        tensors: list[Tensor] = []
        said = compute
        for i, (name, dtype, shape, _) in enumerate([*operands, output], 1):
            default = f"x{i}" if i <= len(operands) else "z"
            while name is None and default in taken:
                default += "_"
            sizes = tuple(size for size, _ in shape)
            if compute is None and i > len(operands):
                compute = real_part(common_format(_multiplied(tensors, Tensor("", sizes, "int8"), order)))
            complexes = sorted(t.dtype for t in tensors if is_complex(t.dtype)) if i > len(operands) else []
            width = dtype or (complexes[0] if complexes else (compute or "").partition("-")[0])
            if complexes and not is_complex(width):
                said = "<output> is real, and what it is made of is complex; give it a complex format"
                raise RoofproofError(said, output=quoted(name or default))
            tensors.append(Tensor(name or default, sizes, width))
            taken.add(tensors[-1].name)
        assert compute is not None
        plain = one_by_one(order)
        found = Einsum(tuple(tensors[:-1]), tensors[-1], compute, accumulate, None if plain else order)
        return found if said or found.contracts else replace(found, compute=vector_engine(compute))


def _numbered(factors: list[Any], given: list[Any]) -> Order:
    """Return the order of the operands by number, and put them into a list as written."""
    order: list[Order] = []
    for factor in factors:
        if isinstance(factor, list):
            order.append(_numbered(factor, given))
        else:
            order.append(len(given))
            given.append(factor)
    return tuple(order)


def _paired(tensors: list[Any]) -> list[Any]:
    """Return the tensors with an index such as n*G, of which n and G are indices elsewhere, as the indices n and G.

    Of an index such as c+B, of which B is one elsewhere, it is B.
    """
    shapes = [shape for _, _, shape, _ in tensors]
    alone = [{factors[0] for factors, _ in shape if len(factors) == 1} for shape in shapes]
    found = []
    for i, (label, dtype, shape, position) in enumerate(tensors):
        elsewhere = set().union(*(one for j, one in enumerate(alone) if j != i))
        sizes: list[tuple[Expr, int]] = []
        for factors, at in shape:
            if factors[0].is_Add:
                others = [] if i == len(tensors) - 1 else [one for j, one in enumerate(alone[:-1]) if j != i]
                sizes.append((_from_offset(factors[0], elsewhere, set().union(*others), at), at))
                continue
            names = [f for f in factors if not f.is_Integer]
            known = [f for f in dict.fromkeys(names) if f in elsewhere]
            if len(names) < 2 or len(set(names)) < len(names) or not known:  # N*N cannot be N and N: that is a diagonal
                sizes.append((Mul(*factors), at))
            elif len(known) == len(factors):
                sizes += [(f, at) for f in factors]
            else:
                raise error_at(at, _two_readings(factors, known))
        found.append((label, dtype, _without_diagonal(sizes), position))
    return found


def _from_offset(index: Expr, elsewhere: set[Expr], inputs: set[Expr], position: int) -> Expr:
    """Return the range of a sum: the one of its parts that is an index elsewhere, or all of it where none is."""
    known = [part for part in index.args if part in elsewhere]
    written = str(index).replace(" ", "")
    if index in elsewhere and (len(known) != 1 or known[0] in inputs or not inputs):
        return index
    if len(known) > 1:
        said = "index <index> adds indices of other tensors, a window; write it as the library's convolution does"
        raise error_at(position, said, index=written)
    if known and known[0] in inputs:
        said = (
            "index <index> can be read two ways, as <known> is an index of another input: <known> from an offset on, "
            "or one of its own of <index> points; write <known> for the first, and one new name for the second"
        )
        raise error_at(position, said, index=written, known=known[0])
    return known[0] if known else index


def _two_readings(factors: tuple[Expr, ...], known: list[Expr]) -> str:
    return Sentence(
        "index <written> can be read two ways, as <known> is an index of another tensor and <rest> is not: the indices "
        "<pair> (<size> points, shared with <first>), or one of its own (<size> for each <first>); write <pair> where "
        "all are meant, and one new name for an index of its own"
        if len(known) == 1
        else "index <written> can be read two ways, as <known> are indices of another tensor and <rest> is not: the "
        "indices <pair> (<size> points, shared with <first>), or one of its own (<size> for each <first>); write "
        "<pair> where all are meant, and one new name for an index of its own",
        written="*".join(map(str, factors)),
        pair=",".join(map(str, factors)),
        size=Mul(*factors),
        known=joined("<first> and <second>", map(str, known)),
        first=known[0],
        rest=", ".join(str(f) for f in factors if f not in known),
    )


def _without_diagonal(sizes: list[tuple[Expr, int]]) -> list[tuple[Expr, int]]:
    seen: set[Expr] = set()
    for size, position in sizes:
        if size in seen and size != 1:
            twice = (
                "index <size> twice in one tensor can be read two ways, as a square and as a diagonal; write "
                "<size>,<second> for the first, whose second index is as long, and <size> alone for the second"
            )
            raise error_at(position, twice, size=size, second=f"{size}'")
        seen.add(size)
    return sizes


def _multiplied(tensors: list[Tensor], output: Tensor, order: Order) -> list[str]:
    """Return the formats that decide the arithmetic: of what is multiplied and summed, scales left out."""
    inputs = tuple(tensors)
    steps = pairwise(inputs, output, order) if len(inputs) > 2 else ()
    decisive = [i for step in steps if not step.elementwise for i in step.operands] or list(operands(order))
    return [inputs[i].dtype for i in sorted(decisive)]


def _factor(token: Any) -> Expr:
    if token.type in ("WORD", "INDEX"):
        return dimension(str(token))
    if len(token) > 9 or int(token) < 1:
        raise error_at(token.start_pos, "index <size>: expected a size from 1 to 999999999", size=quoted(token, 20))
    return Integer(int(token))


def common_format(formats: list[str]) -> str:
    """Return the format that the elements of all inputs share, else the widest float among them.

    >>> common_format(["int4/g128:bf16", "bf16"]), common_format(["complex64", "complex64"])
    ('bf16', 'complex64')
    """
    formats = [element_format(each) for each in formats]
    if len(set(formats)) == 1:
        return formats[0]
    floats = [f for f in FLOATS if f in formats]
    mixed = any(f.startswith("complex") for f in formats)  # a real number times a complex one is neither
    if mixed or not floats or ({"bf16", "fp16"} <= set(floats) and floats[0] in ("bf16", "fp16")):
        said = "inputs in <formats>: the format of the arithmetic is not clear; add it at the end, as in <at>"
        listed = joined("<first> and <second>", dict.fromkeys(formats))
        raise RoofproofError(said, formats=listed, at=f"'@ {real_part(formats[0])}'")
    return floats[0]
