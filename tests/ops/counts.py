"""Operations of the library computed element by element on a meter (counting.py), with the sizes to try."""

from itertools import product
from typing import Any


def count_loss(meter: Any, B: int, V: int) -> None:
    """Compute the log-sum-exp relative to the largest score, and subtract the score of the label."""
    scores, labels, loss = meter.array("scores", B, V), meter.array("labels", B), meter.result("loss", B)
    for b in range(B):
        _ = labels[b]
        row = [scores[b, i] for i in range(V)]
        top = max(row, key=lambda one: one.value)
        total = None
        for one in row:
            power = (one - top).exp()
            total = power if total is None else total + power
        assert total is not None
        loss[b] = total.root() + top - row[0]  # a root instead of the logarithm, also one function


def count_scan(meter: Any, N: int) -> None:
    """Add each value to the sum of those before it."""
    x, y = meter.array("x", N), meter.result("y", N)
    total = x[0]
    y[0] = total
    for i in range(1, N):
        total = total + x[i]
        y[i] = total


def count_bins(meter: Any, N: int, K: int) -> None:
    """Read every value, and write every bin."""
    values, counts = meter.array("values", N), meter.result("counts", K)
    found = [0] * K
    for i in range(N):
        found[int(values[i].value * 97) % K] += 1
    for j, one in enumerate(found):
        counts[j] = one


def count_largest(meter: Any, B: int, V: int, k: int) -> None:
    """Read every score, and write the largest ones and their places."""
    scores, largest, places = meter.array("scores", B, V), meter.result("largest", B, k), meter.result("places", B, k)
    for b in range(B):
        row = sorted(((scores[b, i].value, i) for i in range(V)), reverse=True)
        for j, (one, i) in enumerate(row[:k]):
            largest[b, j], places[b, j] = one, i


def count_lora(meter: Any, B: int, D: int, F: int, r: int) -> None:
    """Multiply x by the base weights, and add x A times B into the same sums."""
    x, w, y = meter.array("x", B, D), meter.array("w", D, F), meter.result("y", B, F)
    down, up = meter.array("w_a", D, r), meter.array("w_b", r, F)
    for b in range(B):
        inner = [_into(None, ((x[b, d], down[d, i]) for d in range(D))) for i in range(r)]
        for f in range(F):
            base = _into(None, ((x[b, d], w[d, f]) for d in range(D)))
            y[b, f] = _into(base, ((inner[i], up[i, f]) for i in range(r)))


def _into(total: Any, pairs: Any) -> Any:
    for one, other in pairs:
        total = one * other if total is None else total + one * other
    return total


def count_blocks(meter: Any, B: int, n: int, G: int, m: int, H: int) -> None:
    """Multiply the sum of each group by both scales, and add these up."""
    x, w, y = meter.array("x", B, n, G), meter.array("w", n, G, m, H), meter.result("y", B, m, H)
    of_row, of_block = meter.array("x_scale", B, n), meter.array("w_scale", n, m)
    for b in range(B):
        for block in range(m):
            for f in range(H):
                total = None
                for i in range(n):
                    part = x[b, i, 0] * w[i, 0, block, f]
                    for g in range(1, G):
                        part = part + x[b, i, g] * w[i, g, block, f]
                    part = part * of_row[b, i] * of_block[i, block]
                    total = part if total is None else total + part
                y[b, block, f] = total


def count_groups(meter: Any, B: int, n: int, G: int, F: int) -> None:
    """Multiply the sum of each group by its scale, and add these up."""
    x, w, y = meter.array("x", B, n, G), meter.array("w", n, G, F), meter.result("y", B, F)
    scale = meter.array("scale", n, F)
    for b in range(B):
        for f in range(F):
            total = None
            for i in range(n):
                part = x[b, i, 0] * w[i, 0, f]
                for g in range(1, G):
                    part = part + x[b, i, g] * w[i, g, f]
                part = part * scale[i, f]
                total = part if total is None else total + part
            y[b, f] = total


def count_lu(meter: Any, N: int) -> None:
    """Divide the column below the diagonal, and subtract its outer product with the row from the rest."""
    a, out = meter.array("a", N, N), meter.result("a", N, N)
    m = {(i, j): a[i, j] for i in range(N) for j in range(N)}
    for k in range(N):
        for i in range(k + 1, N):
            m[i, k] = m[i, k] / m[k, k]
            for j in range(k + 1, N):
                m[i, j] = m[i, j] - m[i, k] * m[k, j]
    for at, one in m.items():
        out[at] = one


def count_trsm(meter: Any, N: int, M: int) -> None:
    """Solve by forward substitution, column by column."""
    triangle, b, out = meter.array("l", N * (N + 1) // 2), meter.array("b", N, M), meter.result("b", N, M)
    for j in range(M):
        found: list[Any] = []
        for i in range(N):
            rest = b[i, j]
            for k in range(i):
                rest = rest - triangle[i * (i + 1) // 2 + k] * found[k]
            found.append(rest / triangle[i * (i + 1) // 2 + i])
            out[i, j] = found[-1]


def count_3d(meter: Any, N: int, C: int, K: int, O: int, P: int, Q: int, R: int, S: int, T: int) -> None:  # noqa: E741
    """Sum over channels and kernel for each output point."""
    x = meter.array("x", N, C, O + R - 1, P + S - 1, Q + T - 1)
    w, y = meter.array("w", K, C, R, S, T), meter.result("y", N, K, O, P, Q)
    for n, f, o, p, q in product(*map(range, (N, K, O, P, Q))):
        total = None
        for c, r, s, t in product(*map(range, (C, R, S, T))):
            term = x[n, c, o + r, p + s, q + t] * w[f, c, r, s, t]
            total = term if total is None else total + term
        y[n, f, o, p, q] = total


def count_spread(meter: Any, N: int, C: int, K: int, H: int, W: int, R: int, S: int) -> None:
    """Add each input point times the kernel to the output points."""
    x, w = meter.array("x", N, C, H, W), meter.array("w", C, K, R, S)
    y, sums = meter.result("y", N, K, H + R - 1, W + S - 1), dict[tuple[int, ...], Any]()
    for n, c, f, i, j, r, s in product(*map(range, (N, C, K, H, W, R, S))):
        at = n, f, i + r, j + s
        sums[at] = x[n, c, i, j] * w[c, f, r, s] + sums.get(at, 0)
    for place, total in sums.items():
        y[place] = total


def _rows(meter: Any, M: int, Z: int) -> tuple[Any, Any, list[tuple[int, range]]]:
    """Spread the nonzeros evenly over the rows, and read the start of every row."""
    values, columns, start = meter.array("values", Z), meter.array("columns", Z), meter.array("rows", M + 1)
    bounds = [Z * i // M for i in range(M + 1)]
    for i in range(M + 1):
        _ = start[i]
    return values, columns, [(i, range(bounds[i], bounds[i + 1])) for i in range(M)]


def count_spmm(meter: Any, M: int, N: int, F: int, Z: int) -> None:
    """Add each nonzero times a row of the dense matrix to a row of sums that starts at zero."""
    values, columns, rows = _rows(meter, M, Z)
    x, y = meter.array("x", N, F), meter.result("y", M, F)
    for i, places in rows:
        sums: list[Any] = [0] * F
        for j in places:
            _ = columns[j]
            for f in range(F):
                sums[f] = values[j] * x[j % N, f] + sums[f]
        for f in range(F):
            y[i, f] = sums[f]


def count_sddmm(meter: Any, M: int, N: int, K: int, Z: int) -> None:
    """Multiply each nonzero by the dot product of a row of each matrix."""
    values, columns, rows = _rows(meter, M, Z)
    a, b, y = meter.array("a", M, K), meter.array("b", N, K), meter.result("y", Z)
    for i, places in rows:
        for j in places:
            _ = columns[j]
            total = a[i, 0] * b[j % N, 0]
            for k in range(1, K):
                total = total + a[i, k] * b[j % N, k]
            y[j] = total * values[j]


def count_ell(meter: Any, M: int, N: int, k: int) -> None:
    """Add every entry of a row, padding included, to a sum that starts at zero."""
    values, columns = meter.array("values", M, k), meter.array("columns", M, k)
    x, y = meter.array("x", N), meter.result("y", M)
    for i in range(M):
        total: Any = 0
        for j in range(k):
            _ = columns[i, j]
            total = values[i, j] * x[(i * k + j) % N] + total
        y[i] = total


def _attend(meter: Any, h: int, L: int, S: int, k: int, seen: Any) -> None:
    q, keys, values = (meter.array(n, h, size, k) for n, size in (("q", L), ("keys", S), ("values", S)))
    o = meter.result("o", h, L, k)
    for head in range(h):
        for i in range(L):
            found = [(j, _dot(q, keys, head, i, j, k)) for j in seen(i)]
            for e in range(k):
                total = found[0][1] * 0
                meter.flops["multiply"] -= 1
                for j, score in found:
                    total = total + score * values[head, j, e]
                o[head, i, e] = total


def _dot(q: Any, keys: Any, head: int, i: int, j: int, k: int) -> Any:
    total = q[head, i, 0] * keys[head, j, 0]
    total = total + 0
    for e in range(1, k):
        total = total + q[head, i, e] * keys[head, j, e]
    return total


def count_window(meter: Any, h: int, L: int, k: int, W: int) -> None:
    """Compute scores and the weighted sum over the last W tokens."""
    _attend(meter, h, L, L, k, lambda i: range(max(0, i - W + 1), i + 1))


def count_prefix(meter: Any, h: int, L: int, S: int, k: int) -> None:
    """Compute scores and the weighted sum over all keys up to a token's own."""
    _attend(meter, h, L, S, k, lambda i: range(S - L + i + 1))


def count_state(meter: Any, h: int, L: int, k: int, v: int) -> None:
    """Add key times value to the state, and read it with the query."""
    q, keys, values = meter.array("q", h, L, k), meter.array("keys", h, L, k), meter.array("values", h, L, v)
    o = meter.result("o", h, L, v)
    for head in range(h):
        state: dict[tuple[int, int], Any] = {}
        for t in range(L):
            out: list[Any] = [0] * v
            for a in range(k):
                for b in range(v):
                    new = keys[head, t, a] * values[head, t, b]
                    state[a, b] = new + (state[a, b] if t else 0)
                    read = q[head, t, a] * state[a, b]
                    out[b] = read + out[b]
            for b in range(v):
                o[head, t, b] = out[b]


COUNTS = {
    "cross-entropy": (count_loss, ({"B": 2, "V": 4}, {"B": 1, "V": 1})),
    "top-k": (count_largest, ({"B": 2, "V": 5, "k": 2}, {"B": 1, "V": 1, "k": 1})),
    "histogram": (count_bins, ({"N": 7, "K": 3},)),
    "prefix-sum": (count_scan, ({"N": 1}, {"N": 6})),
    "lora": (count_lora, ({"B": 2, "D": 3, "F": 2, "r": 2}, {"B": 1, "D": 1, "F": 1, "r": 1})),
    "block-scaled-matmul": (
        count_blocks,
        ({"B": 2, "n": 3, "G": 2, "m": 2, "H": 3}, {"B": 1, "n": 1, "G": 1, "m": 1, "H": 1}),
    ),
    "group-quantized-matmul": (count_groups, ({"B": 2, "n": 3, "G": 2, "F": 2}, {"B": 1, "n": 1, "G": 1, "F": 1})),
    "lu": (count_lu, ({"N": 1}, {"N": 4})),
    "trsm": (count_trsm, ({"N": 3, "M": 2}, {"N": 1, "M": 1})),
    "convolution-3d": (count_3d, ({"N": 1, "C": 2, "K": 2, "O": 2, "P": 1, "Q": 2, "R": 2, "S": 1, "T": 2},)),
    "transposed-convolution": (
        count_spread,
        ({"N": 1, "C": 2, "K": 2, "H": 2, "W": 3, "R": 2, "S": 2}, dict.fromkeys("NCKHWRS", 1)),
    ),
    "spmm": (count_spmm, ({"M": 2, "N": 3, "F": 2, "Z": 5}, {"M": 1, "N": 1, "F": 1, "Z": 1})),
    "sddmm": (count_sddmm, ({"M": 3, "N": 2, "K": 3, "Z": 6}, {"M": 1, "N": 1, "K": 1, "Z": 1})),
    "spmv-ell": (count_ell, ({"M": 3, "N": 4, "k": 2}, {"M": 1, "N": 1, "k": 1})),
    "sliding-window-attention": (
        count_window,
        ({"h": 2, "L": 4, "k": 2, "W": 2}, {"h": 1, "L": 3, "k": 1, "W": 3}, {"h": 1, "L": 1, "k": 2, "W": 1}),
    ),
    "chunked-prefill-attention": (count_prefix, ({"h": 2, "L": 2, "S": 4, "k": 2}, {"h": 1, "L": 3, "S": 3, "k": 1})),
    "linear-attention": (count_state, ({"h": 2, "L": 3, "k": 2, "v": 3}, {"h": 1, "L": 1, "k": 1, "v": 1})),
}
"""Operation name: (function that computes it, sizes to try)."""
