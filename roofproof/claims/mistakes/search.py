"""The search for the mistake behind what is wrong: single mistakes first, then two together; none rather than a guess.

What is wrong is a claim, or an answer to a question. `of_claims.py` and `of_answers.py` say what a mistake makes of
either, what then rests on what, and whether what comes out is what was said.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Generic, TypeVar

from roofproof.claims.mistakes.catalogue import CATALOGUE, FIRST, RARE, SECOND, Slip

MOST = 100  # pairs that are worked out
FEWEST_DIGITS = 3
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Mistake(Generic[T]):
    """One slip of the catalogue, what it is about, and the claim or the question as it was taken by whoever made it.

    `after` is the mistake that was made before this one, of two made together.
    """

    of: Slip
    about: str
    taken: T
    after: Mistake[T] | None = None

    @property
    def told(self) -> str:
        """The name of the slip, with what it is about: a tensor, a format, a figure; `a+b` for two."""
        own = self.of.told(self.about)
        return own if self.after is None else f"{self.after.told}+{own}"

    @property
    def name(self) -> str:
        """The same, where the sentence of the slip has a gap for what it is about."""
        return self.of.named(self.about) if self.after is None else self.told


M = TypeVar("M", bound=Mistake)  # type: ignore[type-arg]


class Search(ABC, Generic[T, M]):
    """The search for what explains a wrong claim, or a wrong answer to a question."""

    together: tuple[str, ...] = ()  # what the second of two mistakes may act on

    def __init__(self, of: T, slips: Iterable[Slip] = ()) -> None:
        self.of, self.slips = of, [*slips] or [*CATALOGUE.values()]

    @abstractmethod
    def made(self, slip: Slip, of: T) -> Iterable[M]:
        """Return what a slip makes of the claim or the question."""

    @abstractmethod
    def rests_on(self, of: T) -> Hashable | None:
        """Return the counts and figures from which the right answer follows; None where one is missing."""

    @abstractmethod
    def moves(self, of: T) -> Hashable:
        """Return what is moved: of two slips that move the same, and give one answer, one is named."""

    def is_another(self, mistake: M) -> bool:
        """Tell whether a mistake changes the statement, or the value, and not only what these rest on."""
        return False

    def single(self) -> Iterator[M]:
        """Yield what every slip makes, the usual ones first; of two that come to the same the first."""
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
        """Yield two mistakes made together, the likeliest first: something was forgotten, and something else done."""
        made = (m for name in FIRST for m in self.made(CATALOGUE[name], self.of))
        firsts = [m for m in made if self._changes(m, self.of)]
        for acts_on in self.together:
            for place, first in enumerate(firsts, 1):
                later = {m.told for m in firsts[place:]} - {first.told}
                for slip in (s for name in SECOND if acts_on in (s := CATALOGUE[name]).acts_on.split()):
                    for second in self.made(slip, first.taken):
                        if slip.name in FIRST and second.of.told(second.about) not in later:
                            continue  # in the other order it is the same
                        if self._changes(second, first.taken):
                            yield replace(second, after=first)

    def _changes(self, mistake: M, of: T) -> bool:
        return self.is_another(mistake) or self.rests_on(mistake.taken) not in (None, self.rests_on(of))

    @abstractmethod
    def gives(self, mistake: M) -> bool:
        """Tell whether what a mistake comes to is what was said."""

    def found(self, pairs: int = MOST) -> Iterator[M]:
        """Yield the mistakes that give what was said, all that are as usual; where none does, the first pair."""
        for _, alike in groupby(self.single(), key=lambda m: m.of.rare):
            giving = (m for m in alike if self.gives(m))
            if (first := next(giving, None)) is not None:
                yield first
                yield from giving
                return
        yield from islice(filter(self.gives, islice(self.pairs(), pairs)), 1)


def worth_trying(digits: int | None) -> int:
    """Return the number of pairs to try for so many digits: at most one in a hundred then fits by chance.

    >>> worth_trying(2), worth_trying(3), worth_trying(4)                 # 10^3 / 100 of three digits
    (0, 10, 100)
    >>> worth_trying(None)                                                # a formula fits none by chance
    100
    """
    return MOST if digits is None else 0 if digits < FEWEST_DIGITS else min(MOST, 10**digits // 100)
