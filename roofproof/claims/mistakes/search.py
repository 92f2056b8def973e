"""The search for the mistake that explains a wrong claim or answer: single mistakes first, then pairs, no guesses.

`of_claims.py` and `of_answers.py` apply a mistake to a claim or to a question and compare the result with the wrong
claim or answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Generic, TypeVar

from roofproof.claims.mistakes.catalogue import CATALOGUE, FIRST, RARE, SECOND, Slip

MOST = 100  # pairs that are tried
FEWEST_DIGITS = 3
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Mistake(Generic[T]):
    """A mistake of the catalogue, with its object and the claim or question that it leads to.

    `about` is the object: a tensor, a number format, a spec. In a pair, `after` is the mistake made before this one.
    """

    of: Slip
    about: str
    taken: T
    after: Mistake[T] | None = None

    @property
    def full_name(self) -> str:
        """The name of the mistake with its object: a tensor, a number format, a spec (`a+b` for a pair)."""
        own = self.of.full_name(self.about)
        return own if self.after is None else f"{self.after.full_name}+{own}"

    @property
    def name(self) -> str:
        """The name, with the object only if the explanation mentions it."""
        return self.of.named(self.about) if self.after is None else self.full_name


M = TypeVar("M", bound=Mistake)  # type: ignore[type-arg]


class Search(ABC, Generic[T, M]):
    """The search for the mistakes that explain a wrong claim or a wrong answer."""

    together: tuple[str, ...] = ()  # the kinds of object that the second mistake of a pair may change

    def __init__(self, of: T, slips: Iterable[Slip] = ()) -> None:
        self.of, self.slips = of, [*slips] or [*CATALOGUE.values()]

    @abstractmethod
    def made(self, slip: Slip, of: T) -> Iterable[M]:
        """Return the mistakes of one kind that are possible in a claim or a question."""

    @abstractmethod
    def rests_on(self, of: T) -> Hashable | None:
        """Return the counts and specs from which the right answer follows, or None if one is missing."""

    @abstractmethod
    def moves(self, of: T) -> Hashable:
        """Return the tensors that are moved. Of two mistakes with equal tensors and results, only one is reported."""

    def is_another(self, mistake: M) -> bool:
        """Return whether a mistake changes the statement or the value, not only the counts and specs behind it."""
        return False

    def single(self) -> Iterator[M]:
        """Yield all single mistakes, the most common first. Of two with the same result, yield the first."""
        met = {None, self.rests_on(self.of)}
        for rare in RARE:
            here = dict[tuple[Hashable, Hashable], None]()
            for slip in (s for s in self.slips if s.rare == rare):
                for mistake in self.made(slip, self.of):
                    if not self.is_another(mistake):
                        rests = self.rests_on(mistake.taken)
                        alike = (slip.name, rests), (self.moves(mistake.taken), rests)
                        if rests in met or not here.keys().isdisjoint(alike):
                            continue
                        here |= dict.fromkeys(alike)
                    yield mistake
            met |= {rests for _, rests in here}

    def pairs(self) -> Iterator[M]:
        """Yield pairs of mistakes, the likeliest first: an omission, and another mistake."""
        made = (m for name in FIRST for m in self.made(CATALOGUE[name], self.of))
        firsts = [m for m in made if self._changes(m, self.of)]
        for acts_on in self.together:
            for place, first in enumerate(firsts, 1):
                later = {m.full_name for m in firsts[place:]} - {first.full_name}
                for slip in (s for name in SECOND if acts_on in (s := CATALOGUE[name]).acts_on.split()):
                    for second in self.made(slip, first.taken):
                        if slip.name in FIRST and second.of.full_name(second.about) not in later:
                            continue  # already yielded in the other order
                        if self._changes(second, first.taken):
                            yield replace(second, after=first)

    def _changes(self, mistake: M, of: T) -> bool:
        return self.is_another(mistake) or self.rests_on(mistake.taken) not in (None, self.rests_on(of))

    @abstractmethod
    def gives(self, mistake: M) -> bool:
        """Return whether a mistake leads to the wrong claim or answer."""

    def found(self, pairs: int = MOST) -> Iterator[M]:
        """Yield all mistakes of the most common class that explain the claim or answer, or else the first pair."""
        for _, alike in groupby(self.single(), key=lambda m: m.of.rare):
            giving = (m for m in alike if self.gives(m))
            if (first := next(giving, None)) is not None:
                yield first
                yield from giving
                return
        yield from islice(filter(self.gives, islice(self.pairs(), pairs)), 1)


def worth_trying(digits: int | None) -> int:
    """Return the number of pairs to try for a number with so many digits: at most one in a hundred fits by chance.

    >>> worth_trying(2), worth_trying(3), worth_trying(4)                 # 10^3 / 100 for three digits
    (0, 10, 100)
    >>> worth_trying(None)                                                # no formula fits by chance
    100
    """
    return MOST if digits is None else 0 if digits < FEWEST_DIGITS else min(MOST, 10**digits // 100)
