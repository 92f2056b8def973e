"""Where a collective takes less time than another, as text and as a record."""

from __future__ import annotations

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases, plain_threshold
from roofproof.derive.roofline.communication import Faster
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation


def faster_text(
    op: Operation, other: Operation, chip: Chip | None, found: Faster, cases: Cases, proof: Derivation, lang: str = "en"
) -> str:
    """Return both times, the cases, and what they rest on.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.communication import faster
    >>> from roofproof.proofs.provers.faster_proofs import prove_faster
    >>> pair = op("all-reduce:algorithm=two-trees"), op("all-reduce")
    >>> found = faster(*pair, "V")
    >>> print(faster_text(*pair, None, found, *prove_faster(found)))
    all-reduce by two trees of V bytes over n chips, against all-reduce of V bytes over n chips
    <BLANKLINE>
    time, a start t for each step and the bytes over the rate W of the link
      all-reduce by two trees  2*l*t + 2*V/W
      all-reduce               2*t*n + 2*V/W - 2*t - 2*V/(W*n)
      l = log2(n)
    all-reduce by two trees takes less
      V < W*t*n*(n - l - 1)    when 1/n + l/n < 1
      never                    otherwise
    proved by the proof kernel, for n >= 2, l >= 1, l <= n - 1
    """
    words = Catalogue(lang, "faster")
    names = [each.name.partition(" of ")[0] for each in (op, other)]
    if names[0] == names[1]:
        names = [f"{name}, {each.convention.partition(';')[0]}" for name, each in zip(names, (op, other), strict=True)]
    width = max(map(len, names))
    pair = {"op": words.told(op.name), "other": words.told(other.name)}
    lines = [words.say("pair", **pair), ""]
    if chip is not None:
        lines[:1] = [words.say("pair-chip", **pair, chip=chip.title or chip.name)]
    lines.append(words["times"])
    lines += [f"  {name:<{width}}  {plain(time)}" for name, time in zip(names, found.times, strict=True)]
    lines += [f"  {depth} = log2({n})" for depth, n in found.logarithms]
    lines += [words.say("less", op=names[0]), *(f"  {line}" for line in cases.lines(words, words.told))]
    given = ", ".join([*(words.told(plain(c)) for c in found.whole), *map(plain, found.given)])
    said = words[proof.trust]
    return "\n".join([*lines, words.say("for", how=said, given=given) if given else said])


def faster_record(
    op: Operation, other: Operation, chip: Chip | None, found: Faster, cases: Cases, proof: Derivation
) -> dict[str, object]:
    """Return the same as JSON has it."""
    return {
        "operation": op.name, "against": other.name, "chip": None if chip is None else chip.name,
        "unknown": str(cases.unknown), "times": [str(time) for time in found.times],
        "logarithms": {str(depth): f"log2({n})" for depth, n in found.logarithms},
        "given": [*(str(plain(c)) for c in found.whole), *map(str, found.given)],
        "cases": [{"when": str(c.when), "faster": plain_threshold(cases.unknown, c.threshold)} for c in cases],
        "trust": proof.trust,
    }  # fmt: skip
