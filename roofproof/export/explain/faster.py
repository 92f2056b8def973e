"""The sizes at which one collective is faster than another."""

from __future__ import annotations

from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.roofline.communication import Faster
from roofproof.export.doc import (
    Convention,
    Display,
    Doc,
    Formula,
    Inline,
    Line,
    Message,
    Section,
    TextOrTypeset,
    between,
    say,
)
from roofproof.export.explain.threshold import TRUST, known_by
from roofproof.formula.logarithm import log2
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation


def explain_faster(
    op: Operation, other: Operation, chip: Chip | None, found: Faster, cases: Cases, proof: Derivation
) -> Doc:
    """Return both times, the cases in which `op` is faster, and how they are proved.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.communication import faster
    >>> from roofproof.export.to_text import to_text
    >>> from roofproof.proofs.provers.times import prove_faster
    >>> pair = op("all-reduce:algorithm=two-trees"), op("all-reduce")
    >>> found = faster(*pair, "V")
    >>> print(to_text(explain_faster(*pair, None, found, *prove_faster(found))))
    all-reduce by two trees of V bytes over n chips, against all-reduce of V bytes over n chips
    <BLANKLINE>
    time, a start t for each step and the bytes over the rate W of the link
      all-reduce by two trees  2*l*t + 2*V/W
      all-reduce               2*t*n + 2*V/W - 2*t - 2*V/(W*n)
      l = log2(n)
    all-reduce by two trees takes less
      V < W*t*n*(n - l - 1)    when 1/n + l/n < 1
      never                    otherwise
    proved by the proof checker, for n >= 2, l >= 1, l <= n - 1
    """
    names: list[Inline] = [Message(each.name.partition(" of ")[0]) for each in (op, other)]
    if names[0] == names[1]:
        kinds = [Convention(each.convention.partition(";")[0]) for each in (op, other)]
        names = [(name, say(", "), kind) for name, kind in zip(names, kinds, strict=True)]
    pair = {"op": Message(op.name), "other": Message(other.name)}
    title: Inline = say("<op>, against <other>", **pair)
    if chip is not None:
        title = say("<op>, against <other>, on <chip>", chip=chip.title or chip.name, **pair)
    times = [Line(time, subject=name) for name, time in zip(names, found.times, strict=True)]
    whole = [Line(("  ", Formula(depth, "=", TextOrTypeset(f"log2({n})", log2(n))))) for depth, n in found.logarithms]
    given = between([*found.whole, *found.given], say(", "))
    how: Inline = known_by(proof.trust)
    if proof.trust == "kernel":
        how = say("proved by <trust>", trust=say(TRUST[proof.trust]))
    sections = (
        Section(
            say("time, a start t for each step and the bytes over the rate W of the link"), tuple(times), labels=True
        ),
        Section((), tuple(whole)),
        Section(say("<op> takes less", op=names[0]), (Display(cases, None),)),
        Section(say("<how>, for <given>", how=how, given=given) if given else how, ()),
    )
    return Doc(title, sections)
