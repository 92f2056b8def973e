"""What `verify`, `judge` and `check` return: verdicts and grades with their proofs, LaTeX and records."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from roofproof.claims import Grade as GivenGrade
from roofproof.claims import Question
from roofproof.claims.judge.verdict import Verdict as GivenVerdict
from roofproof.claims.results import Result as GivenResult
from roofproof.proofs.derivation import Derivation
from roofproof.results import Parts, Result, copied

if TYPE_CHECKING:
    from roofproof.claims.language.book import Claim, Unusable
    from roofproof.proofs import Known


class Judged(Result):
    """What somebody said, with what it is: shown as its formula and a word, as in `1/3 < 0.34: verified`."""

    shown: str

    @classmethod
    def of(cls, found: Any, shown: str, **more: Any) -> Self:
        made: Self = copied(cls, found)
        for name, value in {"shown": shown, **more}.items():
            object.__setattr__(made, name, value)
        return made

    @property
    def outcome(self) -> str:
        """The verdict or the grade, in a word."""
        raise NotImplementedError

    def _repr_latex_(self) -> str:
        from roofproof.export.doc import Typed
        from roofproof.export.latex.escaping import escape
        from roofproof.export.latex.leaves import Style, pieces

        [(is_formula, said), *_] = [*pieces(Typed(self.shown), Style()), (False, "")]
        text = escape(self.shown).replace(r"\textasciitilde{}", r"$\sim$").replace(r"\allowbreak{}", "")
        formula = said if is_formula else rf"\text{{{text}}}"
        return rf"$\displaystyle {formula}\quad \text{{{self.outcome}}}$"

    def __repr__(self) -> str:
        return f"{self.shown}: {self.outcome}"


class Verdict(GivenVerdict, Judged):
    """The verdict on one claim.

    >>> from roofproof import judge
    >>> judge("2 x <= x^2 + 1", given="x > 0")                                   # (x - 1)^2 >= 0
    2 x <= x^2 + 1: verified
    """

    __repr__ = Judged.__repr__

    @property
    def outcome(self) -> str:
        return self.kind

    def to_dict(self) -> dict[str, Any]:
        said = {k: v for k, v in self.record("").items() if k not in ("id", "seconds")}
        return {"says": self.shown} | said | Result.to_dict(self)


class ClaimResult(GivenResult, Judged):
    """A claim of a book with its verdict, or with the reason why it cannot be used; proved again for its theorems."""

    claim: Claim | Unusable | None
    __repr__ = Judged.__repr__

    @property
    def outcome(self) -> str:
        return self.kind

    @cached_property
    def derivation(self) -> Derivation:
        from roofproof.claims.judge.judge import judge_with_slip
        from roofproof.claims.language.book import Claim

        if self.verdict is None or not isinstance(self.claim, Claim):
            return Derivation(())
        return judge_with_slip(self.claim).derivation

    def to_dict(self) -> dict[str, Any]:
        said = {k: v for k, v in self.record().items() if k != "seconds"}
        return {"says": self.says} | said | Result.to_dict(self)


class Grade(GivenGrade, Judged):
    """The grade of an answer, with what the right one rests on.

    >>> from roofproof import check
    >>> found = check("matmul", answer="2BD + 2DF", asks="bytes")                # 2 B F of the result are missing
    >>> found, found.to_dict()["solution"]
    (bytes = 2 B D + 2 D F: wrong, '2*B*D + 2*B*F + 2*D*F')
    """

    asked: Question
    __repr__ = Judged.__repr__

    @property
    def outcome(self) -> str:
        return self.grade

    @property
    def known(self) -> tuple[Known, ...]:
        return Parts(super().known)

    @property
    def derivation(self) -> Derivation:
        from roofproof.claims.answers.proved import basis

        proved, known = basis(self.asked)
        return proved.derivation if proved else Derivation(known)

    def to_dict(self) -> dict[str, Any]:
        from roofproof.export.grade_records import grade_record

        return grade_record(self, self.asked) | Result.to_dict(self)
