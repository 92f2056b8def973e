"""The results of verifying the claims in claims files: one result per claim, counts by kind, and store statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from roofproof.answer import Answer
from roofproof.claims.judge.verdict import Report
from roofproof.claims.kinds import KINDS, NOT_CHECKABLE, STOPPED, UNUSABLE
from roofproof.errors import quoted
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import Unproved
from roofproof.sentences import Sentence

if TYPE_CHECKING:
    from roofproof.claims.language.book import Claim, Unusable
    from roofproof.proofs.replay.coq.files import TheoremFile
    from roofproof.proofs.replay.smtlib import SmtScript
    from roofproof.proofs.steps.step import NoSteps, Steps


@dataclass(frozen=True, slots=True, repr=False)
class Result(Answer):
    """A claim with its verdict, or with the reason why it cannot be used.

    With both, the verdict is valid, but an extra such as a Coq file failed. Processes send results without `claim`,
    which the API adds later. `derivation` proves the theorems of the verdict again from it.
    """

    file: str
    id: str
    says: str
    source: str
    expect: str
    expected_slip: str
    verdict: Report | None
    problem: str = ""
    stopped: bool = False  # the time limit was reached, which says nothing about the claim
    scripts: tuple[SmtScript, ...] = field(default=(), repr=False)
    coq: TheoremFile | None = field(default=None, repr=False)
    read_back: tuple[str, ...] = ()
    kept: str = ""  # with a store: `again` from an entry, `anew` without one, `refused` if the entry failed its check
    unkept: str = ""  # why a new verdict could not be stored
    steps: tuple[Steps | NoSteps, ...] = field(default=(), repr=False)
    claim: Claim | Unusable | None = field(default=None, compare=False)
    draft: bool = False  # the claim was drafted from a chapter and expects no verdict yet

    def __reduce__(self) -> str | tuple[Any, ...]:
        if self.claim is not None:
            return Answer.__reduce__(self)
        return Result, tuple(getattr(self, f.name) for f in fields(self))

    @property
    def derivation(self) -> Derivation:
        from roofproof.claims.judge.judge import judge_with_slip
        from roofproof.claims.language.book import Claim

        if self.verdict is None or not isinstance(self.claim, Claim):
            return Derivation(())
        return judge_with_slip(self.claim).derivation

    def __repr__(self) -> str:
        return f"{self.says or self.id}: {self.kind}"

    @property
    def kind(self) -> str:
        """The kind of the verdict, or `stopped` or `unusable` without a verdict."""
        return self.verdict.kind if self.verdict is not None else STOPPED if self.stopped else UNUSABLE

    @property
    def is_file(self) -> bool:
        """Whether the result reports a file that cannot be read."""
        return self.verdict is None and self.id == self.file

    @property
    def as_expected(self) -> bool:
        """Whether the verdict and the mistake are those that the claims file expects. A draft accepts any."""
        if self.verdict is None or (self.verdict.kind != self.expect and not self.draft):
            return False
        return not self.expected_slip or self.verdict.is_slip(self.expected_slip)

    def record(self) -> dict[str, Any]:
        """Return the result as a dict for JSON."""
        report = self.verdict or Report(self.kind, Unproved.trust, note=self.problem)
        told = {"file": self.file, "expect": self.expect, "as_expected": self.as_expected}
        if self.draft:
            told |= {"expect": "", "draft": True}
        said = {"read_back": list(self.read_back)} if self.read_back else {}
        return report.record(self.id) | told | said


def summary(results: Iterable[Result]) -> dict[str, int]:
    """Return the number of claims with each verdict, in the order of the verdicts, then the number of drafts."""
    counts = Counter("draft" if result.draft else result.kind for result in results)
    return {kind: counts[kind] for kind in (*KINDS, UNUSABLE, STOPPED, "draft") if kind in counts}


def counted(results: Iterable[Result]) -> dict[str, int]:
    """Return how many claims were checked, were right, were wrong, and were not checked, by reason.

    A claim is right if its verdict is the one its file expects, including mistakes that the file marks as such.
    """
    results = list(results)
    kinds = summary(results)
    apart = {kind: kinds[kind] for kind in (NOT_CHECKABLE, UNUSABLE, STOPPED, "draft") if kind in kinds}
    checked = [r for r in results if not r.draft and r.kind not in apart]
    right = sum(r.as_expected for r in checked)
    return {"checked": len(checked), "right": right, "wrong": len(checked) - right} | apart


def store_summary(folder: str, results: Sequence[Result]) -> list[Sentence]:
    """Return sentences on how many verdicts came from a store, and trim the store to its size limit.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     [said] = store_summary(home, [Result("a.toml", "a", "", "", "", "", None, kept="again")])
    ...     said.removeprefix(f"store {home!r}: ")
    '1 proved again, 0 judged'
    """
    counts, where = Counter(r.kept for r in results), quoted(folder)
    made = [
        Sentence(
            "store <folder>: <again> proved again, <anew> judged",
            folder=where,
            again=counts["again"],
            anew=len(results) - counts["again"],
        )
    ]
    if refused := counts["refused"]:
        made.append(
            Sentence(
                "store <folder>: <count> entries were changed after they were written", folder=where, count=refused
            )
        )
    for why, lost in Counter(r.unkept for r in results if r.unkept).items():
        made.append(Sentence("store <folder>: <count> not kept: <why>", folder=where, count=lost, why=why))
    from roofproof.proofs.replay.store import Store

    Store(folder).trim()
    return made


def exit_status(results: Iterable[Result]) -> int:
    """Return 0 if every claim is as expected, 1 if one is not, 2 if a claim or an extra output failed."""
    results = list(results)
    if any(r.verdict is None or r.problem for r in results):
        return 2
    return 0 if all(r.as_expected for r in results) else 1
