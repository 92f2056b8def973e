"""Mistakes in the counts of an operation: each function yields operations, with the object of the mistake if any."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.formats import bytes_per_element as width_of
from roofproof.ops import Operation, Tensor
from roofproof.ops.operation import Demand, one_kernel
from roofproof.ops.resources import MEMORY
from roofproof.ops.roles import role_of

MOST_PARTS = 12  # with more parts, no runs of consecutive parts are considered
WEIGHTS = ("width", "vocabulary", "layers", "experts", "rank", "kernel width", "channels", "head width", "heads")
WIDTHS = ("int8", "bf16", "fp32")


def multiply_add_once(op: Operation) -> Iterator[Operation]:
    """Yield the operation with half the FLOPs of each compute unit that does multiply-adds."""
    if amounts := _multiply_adds(op):
        yield _computing(op, {name: amount / 2 for name, amount in amounts.items()})


def doubled(op: Operation) -> Iterator[Operation]:
    """Yield a forward pass with twice its multiply-adds.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.flops) for name in ("matmul", "softmax", "training-step") for v in doubled(parse_operation(name))]
    ['4*B*D*F']
    """
    if (amounts := _multiply_adds(op)) and not _goes_backward(op):
        yield _computing(op, {name: amount * 2 for name, amount in amounts.items()})


def forward_for_training(op: Operation) -> Iterator[Operation]:
    """Yield a training step with a third of its FLOPs (its forward pass), or a forward pass with three times as many.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.flops) for name in ("matmul", "data-parallel") for v in forward_for_training(parse_operation(name))]
    ['6*B*D*F', '4*B*D*F/X']
    """
    amounts = _multiply_adds(op)
    if amounts and (_is_training(op) or not _goes_backward(op)):
        factor = sympy.Rational(1, 3) if _is_training(op) else sympy.Integer(3)
        yield _computing(op, {name: amount * factor for name, amount in amounts.items()})


def _computing(op: Operation, changed: Demand) -> Operation:
    return op.as_one_kernel(work={**op.compute, **changed}, exact=None)


def _multiply_adds(op: Operation) -> Demand:
    """Return the FLOPs that are multiply-adds.

    On a matrix unit, these are terms with an even coefficient or of three or more sizes. On a vector unit, which also
    does other work, these are terms with coefficient 2."""
    return {
        name: amount
        for name, amount in op.compute.items()
        if amount != 0 and all(_is_paired(term, name) for term in sympy.Add.make_args(sympy.expand(amount)))
    }


def _is_paired(term: sympy.Expr, engine: str) -> bool:
    factor, sizes = term.as_coeff_Mul()
    if engine.endswith("-vector"):
        return bool(factor == 2)
    return bool((factor.is_Rational and factor.p % 2 == 0) or len(sizes.free_symbols) > 2)


def _is_training(op: Operation) -> bool:
    """Return whether an operation has a forward and a backward pass. Strategies for several chips call it a step."""
    return bool(_multiply_adds(op)) and ("gradient" in {t.name for t in op.tensors} or op.name.endswith(" step"))


def _goes_backward(op: Operation) -> bool:
    return _is_training(op) or op.name.endswith("backward")


def bytes_per_element(op: Operation) -> Iterator[Operation]:
    """Yield the operation with one byte per element and unchanged FLOPs.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.bytes()) for v in bytes_per_element(parse_operation("dot"))]     # bf16: 4 N + 2 at 2 bytes
    ['2*N + 1']
    """
    yield from _at_width(op, "int8")


def dropped_tensor(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation without one of its tensors, outputs first, or without one read or write of it.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.bytes())) for v, about in dropped_tensor(parse_operation("dot"))]         # z, x and y at 2 bytes
    [('z', '4*N'), ('x', '2*N + 2'), ('y', '2*N + 2')]
    """
    for name in dict.fromkeys(t.name for t in (*op.writes, *op.reads)):
        reads, writes = (tuple(t for t in ts if t.name != name) for ts in (op.reads, op.writes))
        passes = [(op.reads, writes), (reads, op.writes)] if op.reads != reads and op.writes != writes else []
        for r, w in [(reads, writes), *passes]:
            if r or w or op.traffic:
                yield op.as_one_kernel(reads=r, writes=w), name


def weights_alone(op: Operation) -> Iterator[Operation]:
    """Yield the operation with traffic for its weights only: the tensors without a batch or sequence size.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.bytes()) for v in weights_alone(parse_operation("matmul"))]         # 2 B D + 2 D F + 2 B F
    ['2*D*F']
    """
    yield from _moving(op, _is_weight)


def weights_left_out(op: Operation) -> Iterator[Operation]:
    """Yield the operation without the traffic of its weights.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.bytes()) for v in weights_left_out(parse_operation("gated-ffn"))]   # 4 B D + 4 B F + 6 D F
    ['4*B*D + 4*B*F']
    """
    yield from _moving(op, lambda op, tensor: not _is_weight(op, tensor))


def _moving(op: Operation, which: Callable[[Operation, Tensor], bool]) -> Iterator[Operation]:
    reads, writes = (tuple(t for t in ts if which(op, t)) for ts in (op.reads, op.writes))
    if 0 < len({t.name for t in (*reads, *writes)}) < len({t.name for t in op.tensors}) - 1:
        yield op.as_one_kernel(reads=reads, writes=writes)


def _is_weight(op: Operation, tensor: Tensor) -> bool:
    return all(role_of(op, s.name).name in WEIGHTS for size in tensor.shape for s in size.free_symbols)


def moved_twice(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation with one of its tensors moved twice as often.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.bytes())) for v, about in moved_twice(parse_operation("dot"))]           # z, x and y at 2 bytes
    [('z', '4*N + 4'), ('x', '6*N + 2'), ('y', '6*N + 2')]
    """
    for name in dict.fromkeys(t.name for t in (*op.writes, *op.reads)):
        reads, writes = (
            tuple(replace(t, times=2 * t.times) if t.name == name else t for t in ts) for ts in (op.reads, op.writes)
        )
        yield op.as_one_kernel(reads=reads, writes=writes), name


def dropped_size(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation without the loop over one of its sizes, if its FLOPs are a single product of sizes.

    A size in the denominator of the FLOPs, such as a number of chips, is not a loop.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.flops)) for v, about in dropped_size(parse_operation("matmul"))]
    [('B', '2*D*F'), ('D', '2*B*F'), ('F', '2*B*D')]
    """
    counted = [op.compute[unit] for unit in op.units]
    if not all(amount.is_Mul for amount in counted):
        return
    loops = [amount.as_numer_denom()[0].free_symbols for amount in counted]
    for size in sorted(set.intersection(*loops) if loops else (), key=str):
        compute = {name: amount / size for name, amount in op.compute.items()}
        yield op.as_one_kernel(work=compute, exact=None), size.name


def dropped_part(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation without one part of its FLOPs: a term, or a run of consecutive parts.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.flops)) for v, about in dropped_part(parse_operation("gated-ffn"))]           # 4 + 2 of 6 B D F
    [('2*B*D*F', '4*B*D*F'), ('4*B*D*F', '2*B*D*F')]
    """
    for part in _parts(op):
        yield _with_flops(op, {name: op.compute[name] - amount for name, amount in part.items()}), _part_text(part)


def only_part(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation with only one part of its FLOPs.

    >>> from roofproof.ops import parse_operation
    >>> [about for _, about in only_part(parse_operation("attention"))][:2]              # in 4 L^2 d + 8 L d^2
    ['4*d*L^2', '8*L*d^2']
    """
    for part in _parts(op):
        yield _with_flops(op, {name: part.get(name, sympy.Integer(0)) for name in op.compute}), _part_text(part)


def halved_part(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation with one term of its FLOPs halved, if there are two or more terms.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.flops)) for v, about in halved_part(parse_operation("attention"))]    # scores, no weighted sum
    [('4*d*L^2', '2*L**2*d + 8*L*d**2'), ('8*L*d^2', '4*L**2*d + 4*L*d**2')]
    """
    for part in _terms(op):
        yield _with_flops(op, {name: op.compute[name] - amount / 2 for name, amount in part.items()}), _part_text(part)


def _parts(op: Operation) -> list[Demand]:
    """Return the parts of the FLOPs that are single products of sizes: terms, then runs of consecutive parts."""
    from roofproof.ops import then  # imports the whole algebra, for operations with parts

    counted = [one_kernel(part.name, part.compute) for part in op.parts if part.units]
    runs = [
        then(*counted[first:last]).compute
        for first in range(len(counted))
        for last in range(first + 1, len(counted) + 1)
        if last - first < len(counted) <= MOST_PARTS
    ]
    found = {_part_text(part): part for part in (*_terms(op), *_one_product(op), *runs)}
    return [part for told, part in found.items() if told and _part_text(part) != _part_text(op.compute)]


def _terms(op: Operation) -> list[Demand]:
    terms: list[Demand] = [
        {name: term} for name, amount in op.compute.items() for term in sympy.expand(amount).as_ordered_terms()
    ]
    subtracted = any(term.could_extract_minus_sign() for part in terms for term in part.values())
    return terms if len(terms) > 1 and not subtracted else []


def _one_product(op: Operation) -> list[Demand]:
    """Return one of several equal matrix products, such as 2 h k L^2 of 10 h k L^2."""
    if len(op.compute) != 1:
        return []
    [(name, amount)] = op.compute.items()
    factor, rest = amount.as_coeff_Mul()
    return [{name: 2 * rest}] if factor.is_Integer and factor % 2 == 0 and factor >= 6 else []


def _part_text(part: Demand) -> str:
    """Return a part of the FLOPs as text, empty unless it is a single product."""
    said = plain(sympy.expand(sympy.Add(*part.values())))
    return "" if set("+- ").intersection(said) else said


def _with_flops(op: Operation, changed: Demand) -> Operation:
    compute = {name: sympy.expand(amount) for name, amount in {**op.compute, **changed}.items()}
    kept = {name: amount for name, amount in compute.items() if amount != 0}
    return op.as_one_kernel(work=kept, exact=None, again={})


def all_pairs(op: Operation) -> Iterator[Operation]:
    """Yield the operation with all n^2 pairs of tokens, if a mask leaves n (n + 1)/2 of them.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.flops) for v in all_pairs(parse_operation("causal-attention"))]                  # 2 L (L + 1) h k
    ['4*L**2*h*k']
    """
    factored = {name: sympy.factor(amount) for name, amount in op.compute.items()}
    for size in op.dims:
        if all(amount.has(size + 1) for amount in factored.values()) and factored:
            yield _with_flops(op, {name: amount.subs(size + 1, 2 * size) for name, amount in factored.items()})


def halved_twice(op: Operation) -> Iterator[Operation]:
    """Yield the operation with its FLOPs halved again, if a mask halved them already.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.flops) for name in ("causal-attention", "matmul") for v in halved_twice(parse_operation(name))]
    ['L**2*h*k + L*h*k']
    """
    for _ in all_pairs(op):
        yield _with_flops(op, {name: amount / 2 for name, amount in op.compute.items()})


def one_layer(op: Operation) -> Iterator[Operation]:
    """Yield the operation with a single layer.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.bytes()) for v in one_layer(parse_operation("kv-cache"))]                        # 4 B N S g k
    ['4*B*S*g*k']
    """
    from roofproof.ops.combine import at

    for size in (s for s in op.dims if role_of(op, s.name).name == "layers"):
        yield at(op, **{size.name: 1})


def other_experts(op: Operation) -> Iterator[Operation]:
    """Yield the operation with all experts for each token, and with one expert for each token.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.flops) for v in other_experts(parse_operation("mixture-of-experts"))]       # 2 B D E + 6 B D F k
    ['6*B*D*E*F + 2*B*D*E', '2*B*D*E + 6*B*D*F']
    """
    roles = {s: role_of(op, s.name).name for s in op.dims}
    every = [s for s, role in roles.items() if role == "experts"]
    for size in (s for s, role in roles.items() if role == "experts a token"):
        for number in (*every, sympy.Integer(1)):
            yield _with_flops(op, {name: amount.subs(size, number) for name, amount in op.compute.items()})


def backward_once(op: Operation) -> Iterator[Operation]:
    """Yield a training step whose backward pass has as many FLOPs as the forward pass, instead of twice as many.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.flops) for v in backward_once(parse_operation("training-step"))]                        # 6 for 4
    ['8*B*L**2*N*d + 48*B*L*N*d**2 + 4*B*L*V*d']
    """
    if _is_training(op):
        yield _with_flops(op, {name: amount * sympy.Rational(2, 3) for name, amount in op.compute.items()})


def other_time(op: Operation) -> Iterator[Operation]:
    """Yield the operation with only its bytes, then with only its FLOPs.

    >>> from roofproof.ops import parse_operation
    >>> [list(v.demands) for v in other_time(parse_operation("matmul"))]
    [['memory'], ['bf16']]
    """
    if op.compute and op.demands.keys() - op.compute.keys():
        yield op.as_one_kernel(work={}, exact=None, again={})
        yield op.as_one_kernel(reads=(), writes=(), links={}, saved=(), steps={})


def intensity_of_a_product(op: Operation) -> Iterator[Operation]:
    """Yield an operation whose intensity is one growing size, as is nearly true of the batch of a large matrix product.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.flops / v.bytes()) for v in intensity_of_a_product(parse_operation("decode-attention"))]
    ['B', 'S']
    """
    for size in (s for s in op.dims if role_of(op, s.name).grows):
        for engine in (*op.compute,)[:1]:
            yield one_kernel(op.name, {engine: size}, links={MEMORY: sympy.Integer(1)}, roles=op.roles)


def footprint(op: Operation) -> Iterator[Operation]:
    """Yield the operation with each tensor moved once, even if it is read repeatedly or updated in place.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.bytes()) for v in footprint(parse_operation("axpy"))]            # y is read and written: 24 N
    ['16*N']
    """
    once = {(t.name, t.shape, t.dtype): replace(t, times=1) for t in op.tensors}
    reads = dict.fromkeys(once[t.name, t.shape, t.dtype] for t in op.reads)
    writes = [t for t in dict.fromkeys(once[t.name, t.shape, t.dtype] for t in op.writes) if t not in reads]
    if (*reads, *writes) != op.tensors:
        yield op.as_one_kernel(reads=tuple(reads), writes=tuple(writes))


def other_width(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation with all its tensors in another format, then with one of them in the format of another.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.bytes())) for v, about in other_width(parse_operation("dot"))]   # bf16: 4 N + 2 at 2 bytes
    [('int8', '2*N + 1'), ('fp32', '8*N + 4')]
    """
    for width in WIDTHS:
        yield from ((changed, width) for changed in _at_width(op, width))
    formats = sorted({t.dtype for t in op.tensors})
    for t in op.tensors:
        for width in formats:
            yield from ((changed, f"{t.name}:{width}") for changed in _at_width(op, width, t.name))


def other_convention(op: Operation) -> Iterator[Operation]:
    """Yield the operation with every addition counted exactly: a sum of D products has D - 1 additions.

    >>> from roofproof.ops import parse_operation
    >>> [sympy.factor(v.flops) for v in other_convention(parse_operation("matmul"))]                # for 2 B D F
    [B*F*(2*D - 1)]
    """
    if op.exact is not op:
        yield op.exact.as_one_kernel()


def _at_width(op: Operation, width: str, only: str | None = None) -> Iterator[Operation]:
    """Yield the operation with its tensors, or one of them, in another number format, if that changes the bytes."""

    def put(t: Tensor) -> Tensor:
        return replace(t, dtype=width) if only in (None, t.name) else t

    if any(width_of(put(t).dtype) != width_of(t.dtype) for t in op.tensors):
        yield op.as_one_kernel(reads=tuple(map(put, op.reads)), writes=tuple(map(put, op.writes)))
