"""What the functions of `api` return: the results of the rooms, each with its proof, its LaTeX and its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from roofproof.amounts import ByName
from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.limits.limits import Limit as DerivedLimit
from roofproof.derive.roofline.intensities import Intensity as DerivedIntensity
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.derivation import Derivation

if TYPE_CHECKING:
    from roofproof.ops import Operation
    from roofproof.proofs import Known
    from roofproof.proofs.steps.step import Steps, Untold

T = TypeVar("T")


class Parts(tuple[T, ...]):
    """What an answer rests on, or its steps: a tuple that shows how many there are and the first, as text all of them.

    >>> Parts((1, 2, 3)), Parts((1,))
    ((1, ... of 3), (1,))
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({self[0]!r}, ... of {len(self)})" if len(self) > 1 else super().__repr__()

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "()"


class Result:
    """An answer with what it rests on; `cases` and `integer` are None, and `steps` empty, where it has none."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing of it changes, and a theorem is made by proving alone

    def __reduce__(self) -> str:
        raise TypeError(f"{type(self).__name__} is not stored, as no theorem is: store its to_dict()")

    @property
    def derivation(self) -> Derivation:
        """The known statements that the answer rests on, each with its warrant."""
        raise NotImplementedError

    @property
    def known(self) -> tuple[Known, ...]:
        """The same statements, as a tuple."""
        return Parts(self.derivation)

    @property
    def cases(self) -> Cases | None:
        return None

    @property
    def integer(self) -> int | None:
        return None

    @property
    def steps(self) -> tuple[Steps | Untold, ...]:
        """The proof line by line, with the reason for each."""
        return Parts()

    def latex(self) -> str:
        """Return the answer as a formula for LaTeX."""
        return self._repr_latex_().removeprefix(r"$\displaystyle ").removesuffix("$")

    def _repr_latex_(self) -> str:
        from roofproof.export.explain.objects import formula
        from roofproof.export.to_latex import between_dollars

        return between_dollars(formula(self)) or ""

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as a JSON record: every expression an exact string."""
        return {"proved": [{"says": k.statement.says, "trust": k.trust} for k in self.known]}


def copied(cls: type[Any], found: Any, **more: Any) -> Any:
    """Return a result of a room as the class of this file that stands for it."""
    parts = {f.name: getattr(found, f.name) for f in fields(found)}
    return cls(**{name: Parts(part) if name in ("known", "steps") else part for name, part in parts.items()}, **more)


class Threshold(Result, ProvedThreshold):
    """Where an operation is compute-bound, proved.

    >>> from roofproof import threshold
    >>> found = threshold("matmul", "tpu-v5e", "B", at={"D": 4096, "F": 4096})
    >>> found.integer, found.trust, [steps.key for steps in found.steps]
    (273, 'kernel', ['limit', 'threshold', 'sizes'])
    """

    def __str__(self) -> str:
        """Return the cases, the answer at the sizes, and how it is known."""
        from roofproof.export.explain.threshold import explain_point
        from roofproof.export.outline import outline
        from roofproof.export.to_text import lines_text

        cases, known = str(self.found.cases), ProvedThreshold.__str__(self).removeprefix(f"{self.found.cases}\n")
        at = self.found.point
        point = lines_text(explain_point(outline(self.found.op, self.chip, self, at)), "en") if at else ()
        return "\n".join([cases, *point, known])

    __repr__ = ProvedThreshold.__str__

    @property
    def cases(self) -> Cases:
        """The cases with the figures of the chip, exhaustive and disjoint."""
        return self.found.cases

    @property
    def integer(self) -> int | None:
        """The smallest integer that will do at the sizes given (or the largest), None where there is none."""
        return self.found.integer

    @cached_property
    def derivation(self) -> Derivation:
        return Derivation.of_rows(self._rows())

    @property
    def steps(self) -> tuple[Steps | Untold, ...]:
        from roofproof.proofs.steps.answer import answer_steps

        return Parts(answer_steps(self))

    def to_dict(self) -> dict[str, Any]:
        from roofproof.export.record import record

        found = record(self.found.op, self.chip, self, self.found.point, 0)
        del found["seconds"]
        return found


class Intensity(Result, ByName, DerivedIntensity):
    """FLOPs per byte over a channel, in lowest terms, with the proof that these are the FLOPs over the bytes.

    >>> from roofproof import intensity
    >>> found = intensity("matmul")
    >>> found, found.value, found.known[0].trust
    (I = B*D*F/(B*D + B*F + D*F), B*D*F/(B*D + B*F + D*F), 'kernel')
    """

    op: Operation

    @classmethod
    def of(cls, op: Operation, channel: str) -> Self:
        from roofproof.derive import intensity

        found: Self = copied(cls, intensity(op, channel))
        object.__setattr__(found, "op", op)
        return found

    @property
    def derivation(self) -> Derivation:
        from roofproof.proofs.provers.roofline import cancelled

        moved = self.op.bytes(self.channel)
        return Derivation((cancelled(self.op.flops, moved, self.value, self.channel),))

    def to_dict(self) -> dict[str, Any]:
        return {"op": self.op.name, "channel": self.channel, "intensity": str(self.value)} | Result.to_dict(self)

    def __repr__(self) -> str:
        return f"I = {self.value}"


class Limit(DerivedLimit, Result):
    """What a function tends to in a regime, proved, with the exact error of taking the limit for it.

    >>> from roofproof import limit
    >>> found = limit("B*D/(B+D)", "D -> oo")                     # B / (1 + B/D)
    >>> found, found.value, found.relative_error, found.derivation.trust
    (B*D/(B + D) -> B as D -> oo, B, B/D, 'kernel')
    """

    @property
    def steps(self) -> tuple[Steps | Untold, ...]:
        from roofproof.proofs.steps.answer import told_limit

        return Parts((told_limit(self),))

    def to_dict(self) -> dict[str, Any]:
        said: Mapping[str, object] = {
            "of": self.expr,
            "regime": self.regime.text,
            "value": self.value,
            "relative_error": self.relative_error,
            "growth": self.growth,
            "growth_error": self.growth_error,
        }
        return {k: None if v is None else str(v) for k, v in said.items()} | Result.to_dict(self)

    def __repr__(self) -> str:
        return f"{self.expr} -> {self.value} as {self.regime.text}"
