"""The verdict on one claim, with its proofs and its details."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any

from roofproof.answer import Answer, Parts, Shown
from roofproof.claims.kinds import HOLDING, KINDS, REFUTED, SILENT, UNDECIDED
from roofproof.claims.mistakes.catalogue import is_named
from roofproof.formula.units import Unit
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.known import TRUST, ByAlgebra, Known, Unproved, Unwarranted, weakest
from roofproof.proofs.oracles.points import Point
from roofproof.sentences import joined


@dataclass(frozen=True, slots=True)
class _Said:
    """The parts of a verdict that do not need its theorems."""

    kind: str
    _: KW_ONLY
    exact: str | None = None
    condition: str | None = None
    error_bound: str | None = None
    counterexample: Point | None = None
    slip: str | None = None
    note: str = ""
    in_limit: bool = False  # the note gives the statement in the limit
    unit: Unit | None = None  # of the value that the claim states, which `exact` is printed in
    seconds: float = field(default=0.0, compare=False)  # float: how long it took, not part of any proof

    @property
    def holds(self) -> bool:
        """Whether the claim holds exactly, to the printed digits, or in its regime."""
        return self.kind in HOLDING

    def is_slip(self, expected: str) -> bool:
        """Return whether the mistake has a given name.

        >>> verdict = Report("refuted", "kernel", slip="dropped-tensor:z")
        >>> [verdict.is_slip(each) for each in ("dropped-tensor", "dropped-tensor:z", "heads")]
        [True, True, False]
        """
        return is_named(expected, self.slip or "")


@dataclass(frozen=True, slots=True)
class Report(_Said, Shown):
    """A verdict without its theorems, as one process sends it to another.

    >>> Report("refuted", "kernel", exact="1/3").record("a")["trust"]
    'kernel'
    """

    trust: str

    def record(self, name: str) -> dict[str, Any]:
        """Return the verdict as a JSON record."""
        said = {f.name: getattr(self, f.name) for f in fields(_Said) if f.name not in ("in_limit", "unit")}
        if self.counterexample is not None:
            said["counterexample"] = {k: str(v) for k, v in self.counterexample.items()}
        said["slip_detail"] = self.slip  # the name of this key in 0.3
        return {"id": name, "verdict": said.pop("kind"), "trust": self.trust, **said}


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(_Said, Answer):
    """The verdict on one claim, with all facts that it depends on.

    `exact` is the right value or formula, and `condition` the side condition that makes the claim true. `error_bound`
    is the relative error of an approximation, and `counterexample` a point at which the claim fails. `slip` is the
    mistake that reproduces it, and `note` has further information. `claimed` is the formula of the claim if the facts
    are about it. `unstated` are the parts that no theorem states by definitions. `says` is the claim as written.

    Raises Unwarranted for a verdict that needs facts and has none, and for one whose facts state the contrary.

    >>> Verdict("verified")
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'verified' is not warranted: nothing is known
    >>> from roofproof.proofs import ByExactValue, Known, Statement
    >>> more = (">", ("q", 1, 1), ("q", 2, 1))
    >>> known = Known(Statement("", (), Formula("not", more)), ByExactValue({}))  # 1 > 2 does not hold
    >>> Verdict("verified", (known,), claimed=more)
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'verified' rests on the contrary: not(1 > 2)
    """

    known: tuple[Known, ...] = field(default=(), repr=False, compare=False)
    coarse: bool = field(
        default=False, repr=False, compare=False
    )  # right to its digits only, and off by a percent or more
    about: frozenset[str] = field(default=frozenset(), repr=False, compare=False)  # the names in the condition
    claimed: Formula | None = field(default=None, repr=False, compare=False)
    unstated: tuple[str, ...] = field(default=(), repr=False, compare=False)
    says: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", Parts(self.known))
        if self.kind not in SILENT and not self.known:
            raise Unwarranted(f"{self.kind!r} is not warranted: nothing is known")
        for statement in (k.statement for k in self.known):
            fails = statement.goal == ("not", self.claimed) or self.claimed == ("not", statement.goal)
            holds = statement.goal == self.claimed and not statement.somewhere
            if (self.holds and fails) or (self.kind == REFUTED and holds):
                raise Unwarranted(f"{self.kind!r} rests on the contrary: {statement.says}")

    @property
    def trust(self) -> str:
        """How the verdict is known: the weakest warrant of its facts.

        If no theorem states a part of the claim, the link from the theorems to the claim is exact algebra.
        """
        if self.kind in SILENT:
            return Unproved.trust
        rests = weakest(self.known)
        return max(rests, ByAlgebra.trust, key=TRUST.index) if self.unstated else rests

    @property
    def derivation(self) -> Derivation:
        """The facts that the verdict depends on."""
        return Derivation(self.known)

    def __repr__(self) -> str:
        return f"{self.says}: {self.kind}" if self.says else self.kind

    @property
    def report(self) -> Report:
        """The verdict without its theorems."""
        return Report(**{f.name: getattr(self, f.name) for f in fields(Report)})

    def record(self, name: str) -> dict[str, Any]:
        """Return the verdict as a JSON record."""
        return self.report.record(name)


def together(parts: list[Verdict]) -> Verdict:
    """Return the verdict on a conjunction, which has the last kind among its parts and their combined details.

    >>> from roofproof.proofs import ByExactValue, Known, Statement
    >>> third = Known(Statement("3 > 1", (), (">", ("q", 3, 1), ("q", 1, 1))), ByExactValue({}))
    >>> both = together([Verdict("verified", (third,)), Verdict("rounded", (third,), exact="1/3")])
    >>> both.kind, both.exact, len(both.known)
    ('rounded', '1/3', 1)
    """
    if len(parts) == 1:
        return parts[0]
    kind = max((p.kind for p in parts), key=KINDS.index)
    worst = [p for p in parts if p.kind == kind]
    telling = worst if kind in (REFUTED, UNDECIDED) else parts

    def merged(name: str) -> str | None:
        said = dict.fromkeys(v for p in telling if (v := getattr(p, name)))
        return joined("<first>; <second>", said) or None

    known = [k for p in telling for k in p.known]
    return Verdict(
        kind,
        tuple(k for i, k in enumerate(known) if k not in known[:i]),
        exact=merged("exact"),
        condition=merged("condition"),
        error_bound=merged("error_bound"),
        counterexample=next((p.counterexample for p in worst if p.counterexample), None),
        slip=next((p.slip for p in worst if p.slip), None),
        note=merged("note") or "",
        in_limit=next((p.in_limit for p in telling if p.note), False),
        coarse=any(p.coarse for p in telling),
        about=frozenset[str]().union(*(p.about for p in telling)),
    )
