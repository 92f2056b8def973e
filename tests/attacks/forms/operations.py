"""Random claims about operations, thresholds and chips."""

from fractions import Fraction
from random import Random
from typing import Any

from forms.draft import Draft, frac, num, one_of, other, text

BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "int8": 1, "fp8": 1}
SHAPES = (
    ("BD", "DF", "BF"),
    ("N", "N", ""),
    ("MK", "KN", "MN"),
    ("BLd", "dk", "BLk"),
    ("bij", "bjk", "bik"),
    ("n", "nm", "m"),
)


def moved(widths: list[int], shapes: tuple[str, ...]) -> str:
    """Return the bytes of tensors as a sum. Widths are in bytes, and each letter of a shape is a size."""
    return " + ".join(" ".join([str(w), *s]) for w, s in zip(widths, shapes, strict=True))


def operations(r: Random, broken: bool) -> Draft:
    shapes, formats = r.choice(SHAPES), [r.choice(list(BYTES)) for _ in "xwz"]
    parts = [f"{t}:{f}[{','.join(s)}]" for t, f, s in zip("xwz", formats, shapes, strict=True)]
    notation = f"{parts[0]}, {parts[1]} -> {parts[2]} @ {r.choice(['bf16', 'int8', 'fp16'])}"
    op = r.choice(["mm", "op1", "proj"])
    sizes = list(dict.fromkeys("".join(shapes)))
    wrong = widths = [BYTES[f] for f in formats]
    wrong = [w + (i == r.randrange(3)) for i, w in enumerate(widths)]
    wrong[0] += wrong == widths
    right, other_total, loops = moved(widths, shapes), moved(wrong, shapes), " ".join(sizes)
    x = r.choice([s for s in sizes if not all(s in shape for shape in shapes)])
    return one_of(
        r,
        broken,
        (f"flops({op}) == 2 {loops}", f"flops({op}) == {loops}"),
        (f"bytes({op}) == {right}", f"bytes({op}) == {other_total}"),
        (f"intensity({op}) == 2 {loops} / ({right})", f"intensity({op}) == 2 {loops} / ({other_total})"),
        (f"increasing(intensity({op}), {x})", f"decreasing(intensity({op}), {x})"),
        (f"bytes({op}) * intensity({op}) == flops({op})", f"bytes({op}) * intensity({op}) == flops({op}) + 1"),
        ops={op: notation},
    )


def matmul(r: Random) -> tuple[str, dict[str, str], tuple[int, int, int]]:
    """Return (name, operations of the claims file, bytes per element of each tensor)."""
    x, w, z = (r.choice(list(BYTES)) for _ in "xwz")
    return "mm", {"mm": f"x:{x}[B,D], w:{w}[D,F] -> z:{z}[B,F] @ bf16"}, (BYTES[x], BYTES[w], BYTES[z])


def thresholds(r: Random, broken: bool) -> Draft:
    """Compare the intensity with a symbolic ridge point, in a closed form with or without its side condition."""
    op, ops, (x, w, z) = matmul(r)
    # 2BDF/(xBD + wDF + zBF) > R  <=>  B (2DF - R(xD + zF)) > R w D F
    below = f"(2 D F - R ({x} D + {z} F))"
    form, wrong = f"{w} R D F / {below}", f"{w + 1} R D F / {below}"
    sure = {"given": f"2 D F > R ({x} D + {z} F)"}
    if r.random() < 0.25:
        return Draft(f"intensity({op}) > R <=> B > {form}", "conditional", given="R > 0", ops=ops)
    return one_of(
        r,
        broken,
        (f"intensity({op}) > R <=> B > {form}", f"intensity({op}) > R <=> B > {wrong}", sure),
        (f"intensity({op}) > R => B > R * {w} / 2", f"B > R => intensity({op}) > R * {w}"),
        (f"threshold({op}, B) == {form}", f"threshold({op}, B) == {wrong}", sure),
        ops=ops,
    )


def figures(r: Random) -> tuple[dict[str, dict[str, str]], Fraction, Fraction, str]:
    """Return (chips of the claims file, FLOP/s, bytes/s, name of the memory)."""
    wide, memory = num(r, 99), r.choice(["hbm", "dram"])
    if r.random() < 0.5:
        quarters = num(r, 40)
        peak, said = Fraction(quarters, 4) * 10**12, f"{quarters / 4} TFLOP/s"
    else:
        billions = num(r, 900)
        peak, said = Fraction(billions) * 10**9, f"{billions} GFLOP/s"
    return {"c1": {"bf16": said, memory: f"{wide} GB/s"}}, peak, Fraction(wide * 10**9), memory


def chips(r: Random, broken: bool) -> Draft:
    chip, peak, wide, memory = figures(r)
    op, ops, widths = matmul(r)
    ridge, level = peak / wide, frac(r, 60)
    roof = min(peak, level * wide)
    total = moved(list(widths), ("BD", "DF", "BF"))
    most = ridge * widths[1] / 2
    attain = f"attainable(c1, bf16, {text(level)})"
    return one_of(
        r,
        broken,
        (f"ridge(c1, bf16) == {ridge}", f"ridge(c1, bf16) == {other(r, ridge)}"),
        (f"ridge(c1, bf16) == {text(ridge)} * 1 FLOP/B", f"ridge(c1, bf16) == {text(other(r, ridge))} * 1 FLOP/B"),
        (f"{attain} == {roof}", f"{attain} == {other(r, roof)}"),
        (f"time({op}, c1, {memory}) == ({total}) / {wide}", f"time({op}, c1, {memory}) == ({total}) / {wide * 2}"),
        (f"2 lower({op}, c1) >= upper({op}, c1)", f"2 lower({op}, c1) < upper({op}, c1)"),
        (
            f"compute_bound({op}, c1) <=> intensity({op}) > {text(ridge)}",
            f"compute_bound({op}, c1) <=> intensity({op}) > {text(max(ridge * 2, Fraction(1)))}",  # 1 is attained
        ),
        (
            f"rate(c1, bf16) / rate(c1, {memory}) == {text(ridge)}",
            f"rate(c1, bf16) / rate(c1, {memory}) == {text(other(r, ridge))}",
        ),
        (f"attainable({op}, c1) <= rate(c1, bf16)", f"attainable({op}, c1) > rate(c1, bf16)"),
        (f"compute_bound({op}, c1) => B > {text(most)}", f"compute_bound({op}, c1) => B > {text(most * 4 + 50)}"),
        ops=ops,
        chips=chip,
    )


def sized(r: Random, broken: bool) -> Draft:
    """Return a claim about the times of an operation on a chip, with numbers for all sizes."""
    chip, peak, wide, memory = figures(r)
    op, ops, (x, w, z) = matmul(r)
    b, d, f = (2 ** r.randint(0, 13) for _ in range(3))
    flops, total = 2 * b * d * f, x * b * d + w * d * f + z * b * f
    busy, moving = flops / peak, total / wide
    bound, free = f"compute_bound({op}, c1)", f"not compute_bound({op}, c1)"

    def equal(said: str, is_: Fraction, unit: str = "") -> tuple[str, str]:
        return f"{said} == {text(is_)}{unit}", f"{said} == {text(other(r, is_))}{unit}"

    return one_of(
        r,
        broken,
        (bound, free) if busy > moving else (free, bound),
        equal(f"attainable({op}, c1)", flops / max(busy, moving)),
        equal(f"lower({op}, c1)", max(busy, moving)),
        equal(f"upper({op}, c1)", busy + moving),
        equal(f"intensity({op})", Fraction(flops, total)),
        equal(f"time({op}, c1, {memory})", moving, " * 1000 ms"),
        (f"bytes({op}) == {total} byte", f"bytes({op}) == {total + 1} byte"),
        let={"B": str(b), "D": str(d), "F": str(f)},
        ops=ops,
        chips=chip,
    )


def critical(r: Random, broken: bool) -> Draft:
    """Return a claim about the threshold in B of an operation on a chip, with numbers for D and F."""
    chip, peak, wide, _ = figures(r)
    op, ops, (x, w, z) = matmul(r)
    d, f = 2 ** r.randint(4, 13), 2 ** r.randint(4, 13)
    book: dict[str, Any] = {"let": {"D": str(d), "F": str(f)}, "ops": ops, "chips": chip}
    bound = f"compute_bound({op}, c1)"
    gain = 2 * d * f / peak - (x * d + z * f) / wide  # 2 B D F / peak > (x B D + w D F + z B F) / wide
    if gain <= 0:
        return one_of(r, broken, (f"not {bound}", bound), **book)
    edge = w * d * f / wide / gain
    first = edge.__floor__() + 1
    ways = [
        (f"threshold({op}, c1, B) == {text(edge)}", f"threshold({op}, c1, B) == {text(other(r, edge))}"),
        (f"{bound} <=> B > {text(edge)}", f"{bound} <=> B > {text(edge + 1)}"),
        (f"{bound} => B >= {first}", f"{bound} => B > {first}"),
    ]
    if first < 1000:
        ways.append((f"smallest(B, {bound}) == {first}", f"smallest(B, {bound}) == {first + 1}"))
    return one_of(r, broken, *ways, **book)
