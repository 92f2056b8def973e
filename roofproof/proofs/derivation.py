"""A derivation: the known statements behind an answer, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from roofproof.answer import Shown
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.known import Known, weakest

if TYPE_CHECKING:
    import sympy

    from roofproof.derive.inequalities.cases import Threshold

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of an answer: `key` selects its wording, `known` holds its statements, and `about` is its subject.

    The subject is a spec, a tensor, a memory level, a rule of thumb, ...: names and words, not results. A line of a
    proof has a `number` if later lines refer to it. `follows` lists the numbers of the lines that it follows from.
    """

    key: str
    known: tuple[Known, ...]
    about: Any = None
    number: int = 0
    follows: tuple[int, ...] = ()

    @property
    def value(self) -> Any:
        """The value of the first statement."""
        return self.known[0].statement.value

    @property
    def threshold(self) -> Threshold:
        """The threshold at the given sizes."""
        [found] = [k.statement.about for k in self.known if k.statement.kind == "at-point"]
        assert isinstance(found, tuple)
        return found[1].threshold

    @property
    def ridges(self) -> dict[str, sympy.Expr]:
        """The ridge points among the statements, by symbol."""
        found = (k.statement for k in self.known if k.statement.kind == "ridge")
        return {str(s.about): s.value for s in found}

    @property
    def integer(self) -> int | None:
        """The integer answer among the statements, or None if there is none or none was requested."""
        return next((k.statement.integer for k in self.known if k.statement.kind == "integer"), None)

    @property
    def unmet(self) -> bool:
        """Whether there is a threshold, but no integer beyond it that the operation allows."""
        return self.integer is None and any(k.statement.kind == "integer" for k in self.known)

    @property
    def trust(self) -> str:
        """The weakest trust of its statements."""
        return weakest(self.known)


@dataclass(frozen=True, slots=True)
class Derivation(Shown):
    """Known statements in order, optionally grouped into keyed lines, with the trust of the weakest statement.

    >>> from roofproof.derive.solve import solve_inequality
    >>> from roofproof.proofs import certify
    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> print(certify(x > a*x + 1, solve_inequality(x > a*x + 1, x)))     # x > 1/(1 - a) when a < 1
    x > 1/(1 - a)                       by kernel
    never                               by kernel
    the cases are exhaustive            by kernel
    the cases are mutually exclusive    by kernel
    """

    known: tuple[Known, ...]
    lines: tuple[Row, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def of_rows(cls, rows: Iterable[Row]) -> Derivation:
        """Return the derivation that consists of these lines."""
        lines = tuple(rows)
        return cls(tuple(k for row in lines for k in row.known), lines)

    def __iter__(self) -> Iterator[Known]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def __add__(self, other: Derivation) -> Derivation:
        return Derivation(tuple(dict.fromkeys((*self.known, *other.known))))

    def __str__(self) -> str:
        width = max((len(k.statement.says) for k in self.known), default=0) + 2
        return "\n".join(f"{k.statement.says:<{width}}  by {k.trust}" for k in self.known)

    def of(self, *kinds: str) -> tuple[Known, ...]:
        """Return the statements of the given kinds: `flops`, `bytes`, `ridge`, `case`, ..."""
        return tuple(k for k in self.known if k.statement.kind in kinds)

    def rows(self, *keys: str) -> tuple[Row, ...]:
        """Return the lines with the given keys: `intensity`, `left-out`, `point`, ..."""
        return tuple(row for row in self.lines if row.key in keys)

    @property
    def trust(self) -> str:
        """The weakest trust of its statements."""
        return weakest(self.known)

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """The theorems of the kernel."""
        return tuple(t for k in self.known if (t := k.theorem) is not None)

    @property
    def hypotheses(self) -> frozenset[Formula]:
        """All hypotheses of the kernel's theorems."""
        return frozenset[Formula]().union(*(t.hypotheses for t in self.theorems))


@dataclass(frozen=True, slots=True)
class Proved(Generic[Found]):
    """A result with its proofs and the weakest trust among them."""

    found: Found
    derivation: Derivation

    @property
    def trust(self) -> str:
        return self.derivation.trust

    def __str__(self) -> str:
        return f"{self.found}\nproved by {self.trust}"

    __repr__ = __str__
