"""Answers as theorems that Coq checks: one file per answer, the library that they use, and a Makefile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases, plain_threshold
from roofproof.errors import RoofproofError
from roofproof.export.coq_definitions import in_definitions
from roofproof.export.files import write_folder
from roofproof.proofs.known import GIVEN
from roofproof.proofs.replay.coq.files import FileContents, TheoremFile, coq_files
from roofproof.proofs.replay.vocabulary import Vocabulary

if TYPE_CHECKING:
    from roofproof.bounds import Bound
    from roofproof.claims.answers.question import Question
    from roofproof.derive.on_chips import Comparison
    from roofproof.derive.roofline.compute_bound import Ceiling
    from roofproof.hardware import Chip
    from roofproof.proofs.provers.critical_size import ProvedThreshold


def write_coq(directory: str, answers: Iterable[FileContents | TheoremFile]) -> list[Path]:
    """Write a folder in which `make` checks every answer with Coq.

    >>> from tempfile import TemporaryDirectory
    >>> from roofproof import op, threshold
    >>> with TemporaryDirectory() as home:
    ...     made = write_coq(home, [of_threshold(threshold(op("dot"), None, "N"), "dot")])
    ...     print(*sorted(p.name for p in made if p.parent.name != "library"))
    All.v Makefile dot_for_N.v

    Raises RoofproofError for a folder that cannot be written, or that contains other files.
    """
    return write_folder(directory, coq_files(a.page() if isinstance(a, FileContents) else a for a in answers))


def of_threshold(proved: ProvedThreshold, label: str, says: str = "") -> FileContents:
    """Return a threshold with its derivation, and its cases in terms of FLOPs, bytes and ridge point.

    >>> from roofproof import op, threshold
    >>> made = of_threshold(threshold(op("dot"), None, "N"), "dot")
    >>> made.claim
    'R < 1/2 => (intensity(dot) > R <=> N > (2*R + 1)/(2 - 4*R)); R >= 1/2 => (intensity(dot) > R <=> false)'
    """
    found, chip = proved.found, proved.chip
    words, on_chip = Vocabulary(), chip is not None
    solved = proved.solved if on_chip else proved.symbolic
    answers = tuple(in_definitions(found.op, found.ceilings, solved.of("case"), words, on_chip))
    if on_chip:
        answers += tuple(in_definitions(found.op, found.ceilings, proved.symbolic.of("case"), words))
    known = tuple(k for k in proved.derivation if k.trust not in GIVEN)
    where = f" on {chip.name}" if chip is not None else ""
    says = says or f"{label} is compute-bound{where} for {'; '.join(str(found.cases).splitlines())}"
    name = "_".join([label, *([chip.name] if chip is not None else []), "for", found.unknown.name])
    return FileContents(name, says, in_claim_language(label, found.ceilings, found.cases), known, answers, words)


def in_claim_language(label: str, ceilings: Sequence[Ceiling], cases: Cases) -> str:
    """Return the cases of a threshold in the claim language.

    >>> from roofproof import op, threshold
    >>> found = threshold(op("split-matmul"), None, "D").found
    >>> in_claim_language("split-matmul", found.ceilings, found.cases)
    'intensity(split-matmul, ici) > R <=> D > 2*R'
    """
    parts = []
    for c in ceilings:
        over = "" if c.channel == "memory" else f", {c.channel}"
        parts.append(f"intensity({label}{over}) > {plain(c.symbol if c.ridge is None else c.ridge)}")
    above, made = " and ".join(parts), []
    for case in cases:
        said = {"never": "false", "always": "true"}.get(case.threshold.kind) or plain_threshold(
            cases.unknown, case.threshold
        )
        row = f"{above} <=> {said}"
        made.append(row if case.when == True else f"{plain(case.when)} => ({row})")  # noqa: E712  (a SymPy truth value)
    return "; ".join(made)


def of_question(asked: Question, label: str, answer: str, graded: str) -> FileContents:
    """Return the theorems behind the key of a question.

    >>> from roofproof import op
    >>> from roofproof.claims.answers.question import Question
    >>> made = of_question(Question(op("matmul"), asks="intensity"), "matmul", "B", "wrong")
    >>> made.says, [k.statement.says for k in made.known]
    ("intensity of matmul; the answer 'B' is wrong", ['I = B*D*F/(B*D + B*F + D*F)'])
    """
    from roofproof.claims.answers.proved import basis

    proved, known = basis(asked)
    says = f"{asked.asks} of {label}; the answer {answer!r} is {graded}"
    if proved is not None:
        return of_threshold(proved, label, says)
    return FileContents(f"{asked.asks}_of_{label}", says, known=tuple(k for k in known if k.trust not in GIVEN))


def of_bound(found: Bound) -> FileContents:
    """Return the bounds of an operation, its tile and regions. Uses of the lemma are also stated for a set of points.

    >>> from roofproof import bound
    >>> page = of_bound(bound("matmul")).page()
    >>> [said.partition(" -> ")[0] for said in page.stated if "points" in said][0]
    'forall (points_ : list Projections.point) (size_1 size_2 size_3 : nat) (B D F _M elements_of_w elements_of_x \
elements_of_z moved phase r : real), (Projections.points_of [size_1; size_2; size_3] points_)'
    """
    from roofproof.bounds.lower import Terms, fraction
    from roofproof.proofs.replay.coq.points import Phases, Projected

    known = tuple(k for k in found.derivation if k.trust not in GIVEN)
    projected = []
    for bound in () if found.relaxed else found.lower:  # for a relaxed nest the lemma applies slice by slice
        terms, nest = Terms(bound), found.nest
        used = [(a, n) for a, n in zip(nest.arrays, terms.counts, strict=True) if n]
        kept = {a: tuple(i in a.loops for i in range(len(nest.lengths))) for a in nest.arrays}
        names = [name for _, name in terms.elements]
        seen = tuple((name, n, kept[a]) for name, (a, n) in zip(names, used, strict=True))
        lemma, room, enough = terms.hypotheses
        tensors = tuple((fraction(a.width), kept[a]) for a in nest.arrays)
        phases = Phases(room, enough, terms.M[1], terms.moved[1], terms.X, tensors)
        projected += [
            Projected(k, lemma, terms.k, tuple(terms.lengths), tuple(terms.loops), seen, terms.most[1], phases)
            for k in known
            if lemma in k.statement.assumptions
        ]
    says = f"what no schedule of {found.nest.name} moves less than: {'; '.join(plain(b.value) for b in found.lower)}"
    return FileContents(f"bounds_of_{found.nest.name}", says, known=known, projected=tuple(projected))


def of_comparison(found: Comparison, label: str) -> FileContents:
    """Return a threshold on each of several chips, and with the ridge point as a symbol.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.on_chips import thresholds
    >>> [found] = thresholds(op("matmul"), "B", [chip("tpu-v5e")])
    >>> made = of_comparison(found, "matmul")
    >>> made.name, len(made.answers), len(made.known)
    ('matmul_bf16_for_B', 2, 4)
    """
    words, proved, rows = Vocabulary(), found.proved, [row for row in found.rows if not row.missing]
    known = tuple(k for row in rows for k in found.on(row) if k.trust not in GIVEN)
    ceilings, cases = proved.found.ceilings, proved.found.symbolic
    answers = tuple(in_definitions(proved.found.op, ceilings, proved.symbolic.of("case"), words))
    unit = "+".join(found.units)
    says = f"{label} in {unit} is compute-bound on {', '.join(r.chip.name for r in rows)} for {cases}"
    claim = in_claim_language(label, ceilings, cases)
    return FileContents(f"{label}_{unit}_for_{found.unknown}", says, claim, known, answers, words)


def of_atlas(ops: Sequence[str], chips: Sequence[str], unknowns: Sequence[str] | None) -> Iterator[FileContents]:
    """Yield the answers of an atlas, one for each operation, number format and dimension that has one.

    >>> [made.name for made in of_atlas(["dot:bf16"], ["tpu-v5e"], None)]
    ['dot:bf16_bf16_for_N']
    """
    from roofproof.derive.on_chips import thresholds
    from roofproof.derive.roofline.own_format import forms
    from roofproof.hardware import any_chip
    from roofproof.ops import entries, parse_operation

    able = [any_chip(text) for text in chips]
    for text in ops:
        for op in forms(able, text).values() if text in entries() else [parse_operation(text)]:
            for name in (s.name for s in op.dims if unknowns is None or s.name in unknowns):
                with suppress(RoofproofError):  # the table gives the reason
                    for found in thresholds(op, name, able):
                        if found.one_formula and not all(row.missing for row in found.rows):
                            yield of_comparison(found, text)


def of_deck(
    ops: Sequence[str], chips: Sequence[Chip], unknown: str | None, at: Mapping[str, int]
) -> Iterator[FileContents]:
    """Yield the thresholds that the slides of some operations show.

    >>> from roofproof import chip
    >>> [made.name for made in of_deck(["matmul"], [chip("tpu-v5e")], None, {})]
    ['matmul_tpu-v5e_for_B']
    """
    from roofproof.derive.roofline.own_format import for_chip
    from roofproof.export.slides.study import studied

    for text in ops:
        op = for_chip(text, chips[0] if len(chips) == 1 else None)
        own = unknown if unknown in {s.name for s in op.dims} else None
        proved = studied(op, text, chips, own, at).proved
        if proved is not None:
            yield of_threshold(proved, text)
