"""Operations in typed einsum notation: `bf16[B,D], int8[D,F] -> bf16[B,F]`.

    x:bf16[B,D], w:int8[D,F] -> z:bf16[B,F] @ bf16 acc fp32
    ^ names are optional        ^ the format may be left out
                                            ^ the format (and unit) of the arithmetic, if it differs
                                                   ^ the accumulator: stays on chip and moves no bytes

An index is a name, `1`, a product or a sum. A product of names that are indices of other tensors stands for these
indices: `w[n*G,F]` with `x[B,n,G]` is `w[n,G,F]`. Any other product is one index (`4*d` and `d` are two loops). `n'` is
a second index of size n: `a[n,n'], x[n'] -> y[n]` multiplies by a square matrix. A sum with one term that is an index
of another tensor is that index with an offset: `x[c+B,D], w[D,F] -> z[B,F]` reads B rows of x.
The default format is bf16, and a single word is a name: `x[B,D], w[D,F] -> z[B,F]`. The default output has the indices
that only one tensor has: `bf16[B,D] @ bf16[D,F]`, `x[B,D] w[D,F]`. In `bd,df->bf` each letter is an index.
Indices that the output lacks are summed over. Three or more tensors are multiplied two at a time (contraction.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sympy import Add, Expr, Integer, Mul, Symbol

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import canonical, element_format, is_complex, is_format, real_part
from roofproof.formula.printing import to_text
from roofproof.formula.reader import GLUED
from roofproof.formula.tensors import FORMAT, Index, TensorReader
from roofproof.formula.tokens import error_at, placed, tokens
from roofproof.formula.tree import Name, Number, Op, Tree
from roofproof.ops.notation.contraction import (
    Order,
    PairProduct,
    left_to_right,
    one_by_one,
    operands,
    pairwise,
    vector_unit,
)
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import FLOATS, compute_resource, vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.sentences import Sentence, joined
from roofproof.symbols import dimension

MAX_OPERANDS = 32
MAX_INDICES = 100  # distinct
MAX_SIZE = 999_999_999
ONCE = "the output has the indices that stand in one tensor alone"
USUAL = "bf16 where no format is given"
_RESOURCE = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[a-z0-9]+)*")
_NEARLY = re.compile("u?int|b?float|half|double|[bt]f|fb|(mx|nv)?fp|complex", re.IGNORECASE)  # likely misspelt formats
_LETTERS = re.compile(r"\s*([A-Za-z]+(?:\s*,\s*[A-Za-z]+)*)\s*(?:->|→)\s*([A-Za-z]*)\s*")


@dataclass(frozen=True, slots=True)
class Einsum:
    """A parsed typed einsum. `str` returns it as text.

    >>> print(Einsum.parse("bf16[B,D] , bf16[D,F] → [B,F]"))
    x1:bf16[B,D], x2:bf16[D,F] -> z:bf16[B,F] @ bf16
    """

    inputs: tuple[Tensor, ...]
    output: Tensor
    compute: str
    accumulate: str | None = None
    order: Order | None = None
    notes: tuple[str, ...] = ()  # defaults for the parts that the text leaves out

    @classmethod
    @lru_cache(256)  # an atlas parses the same text for every chip
    def parse(cls, text: str) -> Einsum:
        """Return the einsum for a text. Raises RoofproofError that quotes the whole text."""
        try:
            return _of_letters(text) or _EinsumReader(text).einsum()
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
        """Whether products are summed, which is the condition for a matrix unit."""
        return len(self.inputs) > 2 or (len(self.inputs) == 2 and bool(self.summed))

    @property
    def steps(self) -> tuple[PairProduct, ...]:
        """The products of two tensors that make up a product of several, in order."""
        return pairwise(self.inputs, self.output, self.order or left_to_right(len(self.inputs)))

    @property
    def flops(self) -> Expr:
        """The FLOPs by the convention: 2 per multiply-add, 1 per product without a sum, more for complex numbers.

        A single operand has no multiplications: a sum takes one addition per point, and a copy takes no FLOPs.
        """
        if len(self.inputs) == 1:
            return self._addition * Mul(*self.indices) if self.summed else Integer(0)
        return Add(*(step.flops for step in self.steps))

    @property
    def exact_flops(self) -> Expr:
        """The exact FLOPs: a sum of m terms takes m - 1 additions."""
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
        """The sizes that can be split, each part with its share of the FLOPs. Terms of a sum are excluded."""
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
        """Return the operation, with FLOPs by the convention, or counted exactly if `exact` is true."""
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
        """Return the einsum with its tensors mapped, or None if two of its loops would have the same size."""
        made = replace(self, inputs=tuple(map(tensor, self.inputs)), output=tensor(self.output))
        return made if made.flops == amount(self.flops) else None

    @property
    def convention(self) -> str:
        """The counting convention of `flops` in words, and the defaults for parts that the text leaves out."""
        return "; ".join((self._counted, *self.notes))

    @property
    def _counted(self) -> str:
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
        order = self.order or left_to_right(len(self.inputs))
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
    """Return the operation for a typed einsum.

    >>> op = einsum("bf16[B,D], int8[D,F] -> bf16[B,F]")
    >>> op.demands                                             # 2 B D F; 2 bytes for bf16, 1 for int8
    {'bf16': 2*B*D*F, 'memory': 2*B*D + 2*B*F + D*F}
    >>> einsum("bf16[N], bf16[N] -> []", exact=True).flops     # N products, N - 1 additions
    2*N - 1

    `compute` is the text that may follow `@`. Raises RoofproofError, which quotes the whole text, for anything that is
    not such an einsum.
    """
    found = Einsum.parse(f"{text} @ {compute}" if compute else text)
    return _of_sizes(found.operation(name or " ".join(text.split()), exact=exact, source=source))


def _of_sizes(op: Operation) -> Operation:
    """Return an operation with n in place of each second index n'. Such an n can no longer be split."""
    second = {s: dimension(s.name.rstrip("'")) for s in op.dims if s.name.endswith("'")}
    if not second:
        return op
    either = {*second, *second.values()}
    return op.mapped(
        lambda amount: amount.xreplace(second), lambda tensor: tensor.mapped(lambda size: size.xreplace(second)), either
    )


class _EinsumReader(TensorReader):
    """A reader for a product of tensors, possibly in parentheses, its output, and the format of the arithmetic."""

    def __init__(self, text: str) -> None:
        super().__init__(text, tokens(text, "an operation", primes=True))

    def einsum(self) -> Einsum:
        given: list[_Operand] = []
        order = self.factors(given)
        notes: list[str] = []
        if self.take("->"):
            output = self.one_tensor()
        else:
            output = self.of_single_indices(given)
            notes.append(ONCE)
        compute = self.engine() if self.take("@") else None
        accumulate = None
        if self.token.text == "acc":
            self.at += 1
            word = self.take_form(FORMAT)
            accumulate = placed(canonical, word.text, word.at)
        if self.token.kind != "end":
            self.refuse("->", ",") if not notes and not order else self.refuse()
        *given, output = _paired([*given, output])
        if any(each.format is None for each in given):
            notes.append(USUAL)
        given = [replace(each, format=each.format or "bf16") for each in given]
        return _einsum(given, output, order, compute, accumulate, tuple(notes))

    def factors(self, given: list[_Operand]) -> Order:
        """Read operands into `given`, and return the order in which they are multiplied."""
        order: list[Order] = []
        while True:
            if self.take("("):
                inside = self.factors(given)
                self.need(")")
                order.append(inside if not isinstance(inside, tuple) or len(inside) > 1 else inside[0])
            else:
                order.append(len(given))
                given.append(self.one_tensor())
            here = self.at
            if self.take(",", "*") or (self.take("@") and self.is_tensor()):
                continue
            self.at = here
            if not self.is_tensor():
                return tuple(order)

    def one_tensor(self) -> _Operand:
        read = self.tensor()
        label, word = read.label, read.word
        if not label and word.isalpha() and not is_format(word) and not _NEARLY.fullmatch(word):  # no digit: a name
            label, word = word, ""
        dtype = placed(canonical, word, read.word_at) if word else None
        return _Operand(label or None, dtype, [(_factors(index), index.at) for index in read.indices], read.at)

    def engine(self) -> str:
        word = self.take_form(_RESOURCE)
        return placed(compute_resource, word.text, word.at)

    def of_single_indices(self, given: list[_Operand]) -> _Operand:
        """Return the default output, which has the indices that only one operand has."""
        if len(given) < 2:
            self.refuse("->", ",")
        *inputs, _ = _paired([*given, _Operand(None, None, [], 0)])
        every = [index for operand in inputs for index in operand.indices]
        counts = Counter(Mul(*factors) for factors, _ in every)
        return _Operand(None, None, [(factors, at) for factors, at in every if counts[Mul(*factors)] == 1], 0)


def _of_letters(text: str) -> Einsum | None:
    """Return the einsum for a text such as `bd,df->bf`, in which each letter is an index, or None for any other."""
    found = _LETTERS.fullmatch(text)
    if found is None and "[" not in text:
        said = "indices go in brackets, as in <cure>"
        raise RoofproofError(said, cure=quoted("x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"))
    if found is None:
        return None
    words = [(word[0], found.start(1) + word.start()) for word in re.finditer("[A-Za-z]+", found[1])]
    *given, output = (
        _Operand(None, "bf16", [((dimension(letter),), at + k) for k, letter in enumerate(word)], at)
        for word, at in (*words, (found[2], found.start(2)))
    )
    return _einsum(given, output, left_to_right(len(given)), None, None, (USUAL,))


@dataclass(frozen=True, slots=True)
class _Operand:
    """A parsed tensor: its optional name and format, and its indices as factors with their positions."""

    label: str | None
    format: str | None
    indices: list[tuple[tuple[Expr, ...], int]]
    at: int


def _factors(index: Index) -> tuple[Expr, ...]:
    """Return the factors of an index: names and numbers, or one sum of such products."""
    match index.size:
        case Op("+", terms):
            factors: tuple[Expr, ...] = (Add(*(Mul(*_product(term)) for term in terms)),)
        case product:
            factors = _product(product)
    size = Mul(*factors)
    if size.is_Integer and size != 1:
        said = "index <size> is a number; name the dimension and give its size, as in --at N=<size>"
        raise error_at(index.at, said, size=size)
    return factors


def _product(tree: Tree) -> tuple[Expr, ...]:
    match tree:
        case Name(name=name):
            return (dimension(name),)
        case Number(value=value, text=text):
            if value.denominator != 1 or not 1 <= value <= MAX_SIZE:
                said = "index <size>: expected a size from 1 to 999999999"
                raise error_at(tree.span[0], said, size=quoted(text, 20))
            return (Integer(int(value)),)
        case Op("*", factors):
            return tuple(each for factor in factors for each in _product(factor))
    said = "index <text>: expected a name, a product or a sum"
    raise error_at(tree.span[0], said, text=quoted(to_text(tree)))


def _einsum(
    given: Sequence[_Operand],
    output: _Operand,
    order: Order,
    compute: str | None,
    accumulate: str | None,
    notes: tuple[str, ...],
) -> Einsum:
    every = [replace(each, indices=_without_diagonal(each.indices)) for each in (*given, output)]
    sizes = [[(Mul(*factors), at) for factors, at in each.indices] for each in every]
    loops = {size for shape in sizes[:-1] for size, _ in shape}
    names = {str(size) for size in loops}
    for size, position in (each for shape in sizes for each in shape):
        if len(word := str(size)) > 1 and names.issuperset(word):
            raise error_at(position, GLUED, whole=quoted(word), product=quoted(",".join(word)),
                           name=quoted(f"{word[0]}_{word[1:]}"))  # fmt: skip
    if len(given) > MAX_OPERANDS:
        raise RoofproofError("<count> operands; the limit is <most>", count=len(given), most=MAX_OPERANDS)
    if len(loops) > MAX_INDICES:
        raise RoofproofError("<count> indices; the limit is <most>", count=len(loops), most=MAX_INDICES)
    for size, position in sizes[-1]:
        if size != 1 and size not in loops:
            has = ", ".join(str(s) for s in dict.fromkeys(s for shape in sizes[:-1] for s, _ in shape)) or "none"
            raise error_at(position, "output index <size> is in no input; the inputs have <has>", size=size, has=has)
    labels = _labels(every)
    shapes = [tuple(size for size, _ in shape) for shape in sizes]
    tensors = [Tensor(*each) for each in zip(labels, shapes, [g.format or "" for g in given], strict=False)]
    said = compute
    compute = compute or real_part(common_format(_multiplied([*tensors], Tensor("", shapes[-1], "int8"), order)))
    complexes = sorted(t.dtype for t in tensors if is_complex(t.dtype))
    width = output.format or (complexes[0] if complexes else compute.partition("-")[0])
    if complexes and not is_complex(width):
        real = "<output> is real, and its inputs are complex; give it a complex format"
        raise RoofproofError(real, output=quoted(labels[-1]))
    result = Tensor(labels[-1], shapes[-1], width)
    found = Einsum(tuple(tensors), result, compute, accumulate, None if one_by_one(order) else order, notes)
    return found if said or found.contracts else replace(found, compute=vector_engine(compute))


def _labels(tensors: list[_Operand]) -> list[str]:
    """Return the name of each tensor, by default x1, x2, ... and z."""
    taken: set[str] = set()
    for tensor in tensors:
        if tensor.label in taken:
            said = "two tensors named <name>; each tensor has a name of its own"
            raise error_at(tensor.at, said, name=repr(tensor.label))
        taken |= {tensor.label} if tensor.label else set()
    found = []
    for i, tensor in enumerate(tensors, 1):
        default = f"x{i}" if i < len(tensors) else "z"
        while tensor.label is None and default in taken:
            default += "_"
        found.append(tensor.label or default)
        taken.add(found[-1])
    return found


def _paired(tensors: list[_Operand]) -> list[_Operand]:
    """Return the tensors with an index such as n*G split into n and G, if these are indices of other tensors.

    An index such as c+B becomes B, if B is an index of another tensor.
    """
    alone = [{factors[0] for factors, _ in tensor.indices if len(factors) == 1} for tensor in tensors]
    found = []
    for i, tensor in enumerate(tensors):
        elsewhere = set().union(*(one for j, one in enumerate(alone) if j != i))
        sizes: list[tuple[tuple[Expr, ...], int]] = []
        for factors, at in tensor.indices:
            if factors[0].is_Add:
                others = [] if i == len(tensors) - 1 else [one for j, one in enumerate(alone[:-1]) if j != i]
                sizes.append(((_from_offset(factors[0], elsewhere, set().union(*others), at),), at))
                continue
            names = [f for f in factors if not f.is_Integer]
            known = [f for f in dict.fromkeys(names) if f in elsewhere]
            if len(names) < 2 or len(set(names)) < len(names) or not known:  # N*N cannot be N and N: that is a diagonal
                sizes.append((factors, at))
            elif len(known) == len(factors):
                sizes += [((f,), at) for f in factors]
            else:
                raise error_at(at, _two_readings(factors, known))
        found.append(replace(tensor, indices=sizes))
    return found


def _from_offset(index: Expr, elsewhere: set[Expr], inputs: set[Expr], position: int) -> Expr:
    """Return the index for a sum: its term that is an index of another tensor, or the sum itself if there is none."""
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
        "index <written> has two readings: <pair> (<size> points, shared with <first>), or a new index (<size> "
        "for each <first>); write <pair> or a new name",
        written="*".join(map(str, factors)),
        pair=",".join(map(str, factors)),
        size=Mul(*factors),
        first=known[0],
    )


def _without_diagonal(indices: list[tuple[tuple[Expr, ...], int]]) -> list[tuple[tuple[Expr, ...], int]]:
    seen: set[Expr] = set()
    for factors, position in indices:
        size = Mul(*factors)
        if size in seen and size != 1:
            twice = (
                "index <size> twice in one tensor can be read two ways, as a square and as a diagonal; write "
                "<size>,<second> for the first, whose second index is as long, and <size> alone for the second"
            )
            raise error_at(position, twice, size=size, second=f"{size}'")
        seen.add(size)
    return indices


def _multiplied(tensors: list[Tensor], output: Tensor, order: Order) -> list[str]:
    """Return the formats that decide the arithmetic: those of products that are summed, without scales."""
    inputs = tuple(tensors)
    steps = pairwise(inputs, output, order) if len(inputs) > 2 else ()
    decisive = [i for step in steps if not step.elementwise for i in step.operands] or list(operands(order))
    return [inputs[i].dtype for i in sorted(decisive)]


def common_format(formats: list[str]) -> str:
    """Return the element format that all inputs share, or else the widest float among them.

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
