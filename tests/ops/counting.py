"""A counting interpreter: numbers that record every FLOP, and arrays that record which elements cross memory.

Each function here computes an operation of the library directly, element by element. The tests compare its counts
with the formulas of the library, which nothing here uses.
"""

import itertools
from collections import Counter


class Meter:
    """The cost of a run: FLOPs by kind, and the elements of each array read and written, each counted once."""

    def __init__(self):
        self.flops = Counter()
        self.touched = {}
        self.inner = set()  # results that never leave the chip

    def array(self, name, *shape):
        """Return an array to be read, filled with varying numbers."""
        where = itertools.product(*map(range, shape))
        return Array(self, name, {at: Number(self, 1 + (hash(at) % 97) / 97) for at in where}, shape)

    def result(self, name, *shape):
        """Return an array to be written."""
        return Array(self, name, {}, shape)

    def elements(self):
        """Return the number of elements of each array that crossed memory, separately for reads and writes."""
        return {key: len(found) for key, found in self.touched.items() if key[1] not in self.inner}

    @property
    def total(self):
        return sum(self.flops.values())


class Array:
    def __init__(self, meter, name, values, shape):
        self.meter, self.name, self.values, self.shape = meter, name, values, shape

    def _note(self, kind, at):
        self.meter.touched.setdefault((kind, self.name), set()).add(at)

    def __getitem__(self, at):
        at = at if isinstance(at, tuple) else (at,)
        self._note("read", at)
        return self.values[at]

    def __setitem__(self, at, value):
        at = at if isinstance(at, tuple) else (at,)
        assert all(0 <= i < n for i, n in zip(at, self.shape, strict=True))
        self._note("write", at)
        self.values[at] = value


class Number:
    """A number whose arithmetic is counted."""

    def __init__(self, meter, value):
        self.meter, self.value = meter, value

    def _with(self, kind, value):
        self.meter.flops[kind] += 1
        return Number(self.meter, value)

    def __add__(self, other):
        return self._with("add", self.value + value(other))

    def __sub__(self, other):
        return self._with("add", self.value - value(other))

    def __mul__(self, other):
        return self._with("multiply", self.value * value(other))

    def __truediv__(self, other):
        return self._with("divide", self.value / value(other))

    def exp(self):
        return self._with("function", 2.718281828**self.value)

    def root(self):
        return self._with("function", self.value**0.5)

    def larger(self, other):
        return self._with("compare", max(self.value, other.value))


def value(x):
    return x.value if isinstance(x, Number) else x


def summed(terms):
    """Add terms up, with m - 1 additions for m terms."""
    total = None
    for term in terms:
        total = term if total is None else total + term
    return total


def product(factors):
    result = None
    for factor in factors:
        result = factor if result is None else result * factor
    return result


def einsum(meter, inputs, output, sizes):
    """Compute an einsum. `inputs` maps names to their indices, and `output` is (name, indices)."""
    arrays = {name: meter.array(name, *(sizes[i] for i in own)) for name, own in inputs.items()}
    name, kept = output
    result = meter.result(name, *(sizes[i] for i in kept))
    over = [i for i in dict.fromkeys(itertools.chain(*inputs.values())) if i not in kept]
    for point in itertools.product(*(range(sizes[i]) for i in kept)):
        at = dict(zip(kept, point, strict=True))

        def terms(at=at):
            for inner in itertools.product(*(range(sizes[i]) for i in over)):
                here = at | dict(zip(over, inner, strict=True))
                yield product(arrays[n][tuple(here[i] for i in own)] for n, own in inputs.items())

        result[point] = summed(terms())
    return result


def einsum_in_pairs(meter, inputs, output, sizes):
    """Multiply several tensors from left to right, two at a time, with intermediate results kept on the chip."""
    while len(inputs) > 2:
        (first, a), (second, b), *rest = inputs
        later = {i for _, own in rest for i in own} | set(output[1])
        made = f"{first} {second}", [i for i in dict.fromkeys([*a, *b]) if i in later]
        einsum(meter, {first: a, second: b}, made, sizes)
        inputs = [made, *rest]
        meter.inner.add(made[0])
    return einsum(meter, dict(inputs), output, sizes)


def rows(meter, B, N, reduce):
    x, z = meter.array("x", B, N), meter.result("z", B)
    for b in range(B):
        z[b] = reduce([x[b, n] for n in range(N)])


def total(meter, B, N):
    rows(meter, B, N, summed)


def maximum(meter, B, N):
    def largest(row):
        best = row[0]
        for other in row[1:]:
            best = best.larger(other)
        return best

    rows(meter, B, N, largest)


def mean(meter, B, N):
    rows(meter, B, N, lambda row: summed(row) / N)


def softmax(meter, B, N):
    x, y = meter.array("x", B, N), meter.result("y", B, N)
    for b in range(B):
        row = [x[b, n] for n in range(N)]
        top = row[0]
        for other in row[1:]:
            top = top.larger(other)
        powers = [(one - top).exp() for one in row]
        whole = summed(powers)
        for n, power in enumerate(powers):
            y[b, n] = power / whole


def layer_norm(meter, B, D):
    x, y = meter.array("x", B, D), meter.result("y", B, D)
    scale, shift = meter.array("w_scale", D), meter.array("w_shift", D)
    for b in range(B):
        row = [x[b, i] for i in range(D)]
        middle = summed(row) / D
        off = [one - middle for one in row]
        spread = summed([one * one for one in off]) / D
        inverse = Number(meter, 1) / (spread + 1e-6).root()
        for i, one in enumerate(off):
            y[b, i] = one * inverse * scale[i] + shift[i]


def rms_norm(meter, B, D):
    x, y, scale = meter.array("x", B, D), meter.result("y", B, D), meter.array("w_scale", D)
    for b in range(B):
        row = [x[b, i] for i in range(D)]
        spread = summed([one * one for one in row]) / D
        inverse = Number(meter, 1) / (spread + 1e-6).root()
        for i, one in enumerate(row):
            y[b, i] = one * inverse * scale[i]


def rotary(meter, T, h, k):
    x, y = meter.array("x", T, h, k), meter.result("y", T, h, k)
    cosines, sines = meter.array("cosines", T, k // 2), meter.array("sines", T, k // 2)
    for t, head, i in itertools.product(range(T), range(h), range(k // 2)):
        a, b, c, s = x[t, head, 2 * i], x[t, head, 2 * i + 1], cosines[t, i], sines[t, i]
        y[t, head, 2 * i] = a * c - b * s
        y[t, head, 2 * i + 1] = a * s + b * c


def embedding(meter, T, V, D):
    tokens, table, y = meter.array("tokens", T), meter.array("w_embedding", V, D), meter.result("y", T, D)
    for t in range(T):
        tokens[t]
        for i in range(D):
            y[t, i] = table[t % V, i]


def convolution(meter, N, C, K, P, Q, R, S, stride, depthwise=False):
    x = meter.array("x", N, C, stride * (P - 1) + R, stride * (Q - 1) + S)
    w = meter.array("w", *((C,) if depthwise else (K, C)), R, S)
    y = meter.result("y", N, C if depthwise else K, P, Q)
    for n, o, p, q in itertools.product(range(N), range(C if depthwise else K), range(P), range(Q)):
        y[n, o, p, q] = summed(
            x[n, c, p * stride + r, q * stride + s] * (w[o, r, s] if depthwise else w[o, c, r, s])
            for c in ([o] if depthwise else range(C))
            for r, s in itertools.product(range(R), range(S))
        )


def stencil7(meter, N):
    """Compute the N^3 inner points of a grid. The points on its rim are not among them."""
    x, y = meter.array("x", N + 2, N + 2, N + 2), meter.result("y", N, N, N)
    steps = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    for i, j, k in itertools.product(range(1, N + 1), repeat=3):
        around = summed(x[i + a, j + b, k + c] for a, b, c in steps)
        y[i - 1, j - 1, k - 1] = x[i, j, k] * 2.0 + around * 0.5


def spmv(meter, M, N, Z):
    """Multiply a CSR matrix by a vector. Its nonzeros are spread evenly over the rows, and every column is used."""
    values, columns, start = meter.array("values", Z), meter.array("columns", Z), meter.array("rows", M + 1)
    x, y = meter.array("x", N), meter.result("y", M)
    bounds = [Z * i // M for i in range(M + 1)]
    for i in range(M):
        start[i], start[i + 1]
        total = Number(meter, 0)
        for j in range(bounds[i], bounds[i + 1]):
            columns[j]
            total = total + values[j] * x[j % N]
        y[i] = total


def fft(meter, N):
    """Compute a radix-2 FFT: N/2 log2 N butterflies of a complex product and two complex additions, 10 FLOPs each."""
    x, y = meter.array("x", N, 2), meter.result("y", N, 2)

    def transform(points):
        if len(points) == 1:
            return points
        even, odd = transform(points[::2]), transform(points[1::2])
        first, second = [], []
        for (a, b), (c, d) in zip(even, odd, strict=True):
            turned = c * 0.6 - d * 0.8, c * 0.8 + d * 0.6
            first.append((a + turned[0], b + turned[1]))
            second.append((a - turned[0], b - turned[1]))
        return first + second

    for i, (a, b) in enumerate(transform([(x[i, 0], x[i, 1]) for i in range(N)])):
        y[i, 0], y[i, 1] = a, b


def stream(meter, N, reads, written, compute):
    arrays = [meter.array(name, N) for name in reads]
    result = meter.result(written, N)
    for i in range(N):
        result[i] = compute(*(a[i] for a in arrays))


def attention(meter, h, L, S, k, causal=False):
    """Compute the scores and the weighted sum as matrix products, with the scores on the chip and no softmax."""
    q, keys, values = meter.array("q", h, L, k), meter.array("keys", h, S, k), meter.array("values", h, S, k)
    o = meter.result("o", h, L, k)
    for head, i in itertools.product(range(h), range(L)):
        seen = range(i + 1 if causal else S)
        scores = [zero_plus(meter, (q[head, i, e] * keys[head, j, e] for e in range(k))) for j in seen]
        for e in range(k):
            o[head, i, e] = zero_plus(meter, (s * values[head, j, e] for s, j in zip(scores, seen, strict=True)))


def zero_plus(meter, terms):
    """Add products to zero, one addition per product: the convention of 2 FLOPs per multiply-add."""
    result = Number(meter, 0.0)
    for term in terms:
        result = result + term
    return result


def grouped_decode(meter, B, g, r, S, k):
    q, o = meter.array("q", B, g, r, k), meter.result("o", B, g, r, k)
    keys, values = meter.array("keys", B, g, S, k), meter.array("values", B, g, S, k)
    for b, group, head in itertools.product(range(B), range(g), range(r)):
        scores = [zero_plus(meter, (q[b, group, head, e] * keys[b, group, j, e] for e in range(k))) for j in range(S)]
        for e in range(k):
            o[b, group, head, e] = zero_plus(meter, (s * values[b, group, j, e] for j, s in enumerate(scores)))


def latent_decode(meter, B, S, h, c, p):
    q, latent, o = meter.array("q", B, h, c + p), meter.array("latent", B, S, c + p), meter.result("o", B, h, c)
    for b, head in itertools.product(range(B), range(h)):
        scores = [zero_plus(meter, (q[b, head, e] * latent[b, j, e] for e in range(c + p))) for j in range(S)]
        for e in range(c):
            o[b, head, e] = zero_plus(meter, (s * latent[b, j, e] for j, s in enumerate(scores)))


def mixture(meter, B, D, F, E, k):
    """Compute a router and k gated networks per token. Token b goes to experts b k, b k + 1, ... modulo E."""
    x, router, y = meter.array("x", B, D), meter.array("w_router", D, E), meter.result("y", B, D)
    gate, up, down = meter.array("w_gate", E, D, F), meter.array("w_up", E, D, F), meter.array("w_down", E, F, D)
    for b in range(B):
        for e in range(E):
            zero_plus(meter, (x[b, i] * router[i, e] for i in range(D)))
        out = [Number(meter, 0.0) for _ in range(D)]
        for e in {(b * k + j) % E for j in range(k)}:
            first = [zero_plus(meter, (x[b, i] * gate[e, i, f] for i in range(D))) for f in range(F)]
            second = [zero_plus(meter, (x[b, i] * up[e, i, f] for i in range(D))) for f in range(F)]
            hidden = [Number(meter, a.value * c.value) for a, c in zip(first, second, strict=True)]
            for i in range(D):
                for f in range(F):
                    out[i] = out[i] + hidden[f] * down[e, f, i]
        for i in range(D):
            y[b, i] = out[i]
