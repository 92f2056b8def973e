"""Random sentences with functions and arithmetic that are partly undefined, compared with an exact evaluator."""

import operator
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import pytest

from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language.book import book_from_text

RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
Truth = bool | None  # None: it has no value
LARGEST = 200


@dataclass(frozen=True)
class Sentence:
    """Text about a, its truth at each a, whether all its functions have values there, and where that may change."""

    text: str
    truth: Callable[[Fraction], Truth]
    has_values: Callable[[Fraction], bool]
    ends: frozenset[Fraction]


def atom(choose: random.Random) -> Sentence:
    """Return a comparison of a, of a value that may not exist (c - a, a/c, c/a - b), or of a quotient or root."""
    c, b, k = choose.randint(1, 9), choose.randint(1, 4), choose.randint(-3, 9)
    sign = choose.choice([*RELATIONS])
    if choose.random() < 0.3:
        return Sentence(
            f"a {sign} {c}", lambda a: RELATIONS[sign](a, Fraction(c)), lambda a: True, frozenset([Fraction(c)])
        )
    if choose.random() < 0.4:
        return choose.choice([quotient, root])(c, k, sign)
    if choose.random() < 0.5:
        return of_another_word(choose, c, b, k, sign)
    word, value, turns = choose.choice([
        (f"solve(x + a == {c}, x)", lambda a: c - a, [c, c - k]),
        (f"solve({c} x == a, x)", lambda a: a / c, [c * k]),
        (f"solve(a (x + {b}) == {c}, x)", lambda a: c / a - b, [Fraction(c, b), Fraction(c, k + b or 1)]),
        (f"solve(x + {b} == a, x)", lambda a: a - b, [b, k + b]),
    ])  # fmt: skip

    def truth(a: Fraction) -> Truth:
        found = Fraction(value(a))
        return RELATIONS[sign](found, Fraction(k)) if found > 0 else None

    return Sentence(f"{word} {sign} {k}", truth, lambda a: value(a) > 0, frozenset(map(Fraction, turns)))


def quotient(c: int, k: int, sign: str) -> Sentence:
    def truth(a: Fraction) -> Truth:
        return None if a == c else RELATIONS[sign](1 / (a - c), Fraction(k))

    ends = frozenset([Fraction(c), c + Fraction(1, k or 1)])
    return Sentence(f"1/(a - {c}) {sign} {k}", truth, lambda a: a != c, ends)


def root(c: int, k: int, sign: str) -> Sentence:
    def truth(a: Fraction) -> Truth:
        return None if a < c else RELATIONS[sign](a - c if k >= 0 else Fraction(0), Fraction(k * abs(k)))

    return Sentence(f"sqrt(a - {c}) {sign} {k}", truth, lambda a: a >= c, frozenset([Fraction(c), Fraction(c + k * k)]))


def of_another_word(choose: random.Random, c: int, b: int, k: int, sign: str) -> Sentence:
    """Return a comparison of an optimum, a sum, a limit, a logarithm or a nested root, by a monotonic value."""
    square, quarter, ones = k * abs(k), Fraction(b * b, 4), Fraction(c * c + c, 2)
    text, value, limit, turn = choose.choice([
        (f"solve((a - {c}) x == {b}, x)", lambda a: b / (a - c), k, c + Fraction(b, k or 1)),
        (f"minimum((a - {c}) x + 1/x, x)", lambda a: 4 * (a - c), square, c + Fraction(square, 4)),
        (f"minimum(x + ({c} - a)/x, x)", lambda a: 4 * (c - a), square, c - Fraction(square, 4)),
        (f"maximum({b} x - (a - {c}) x^2, x)", lambda a: quarter / (a - c), k, c + quarter / (k or 1)),
        (f"argmax({b} x - (a - {c}) x^2, x)", lambda a: b / (2 * (a - c)), k, c + Fraction(b, 2 * k or 1)),
        (f"argmin((a - {c}) x + {b * b}/x, x)", lambda a: b * b / (a - c), square, c + Fraction(b * b, square or 1)),
        (f"log2(a - {c})", lambda a: a - c, Fraction(2) ** k, c + Fraction(2) ** k),
        (f"solve(x + solve(y + a == {c}, y) == {b + c}, x)", lambda a: b + a, k, k - b),
        (f"sum(solve(x + i == a, x), i, 1, {c})", lambda a: c * a - ones, k, (k + ones) / c),
    ])  # fmt: skip
    below = text.startswith(("minimum(x", "solve(x"))  # it has a value for a < c, the others for a > c

    def has_value(a: Fraction) -> bool:
        return a < c if below else a > c

    def truth(a: Fraction) -> Truth:
        return RELATIONS[sign](Fraction(value(a)), Fraction(limit)) if has_value(a) else None

    return Sentence(f"{text} {sign} {k}", truth, has_value, frozenset(map(Fraction, (c, turn))))


def joined(choose: random.Random, first: Sentence, second: Sentence) -> Sentence:
    sign = choose.choice(["and", "or", "=>", "<=>"])

    def truth(a: Fraction) -> Truth:
        p, q = first.truth(a), second.truth(a)
        if sign == "<=>":
            return None if p is None or q is None else p == q
        if sign == "=>":
            p, s = (None if p is None else not p), "or"
        else:
            s = sign
        decides = s == "or"
        return decides if decides in (p, q) else None if None in (p, q) else not decides

    text, ends = f"({first.text}) {sign} ({second.text})", first.ends | second.ends
    return Sentence(text, truth, lambda a: first.has_values(a) and second.has_values(a), ends)


def denied(said: Sentence) -> Sentence:
    def truth(a: Fraction) -> Truth:
        found = said.truth(a)
        return None if found is None else not found

    return Sentence(f"not ({said.text})", truth, said.has_values, said.ends)


def sentence(choose: random.Random) -> Sentence:
    made = atom(choose)
    if choose.random() < 0.2:
        made = denied(made)
    while choose.random() < 0.5:
        made = joined(choose, *choose.sample([made, atom(choose)], 2))
        made = denied(made) if choose.random() < 0.2 else made
    return made


def points(ends: frozenset[Fraction]) -> Iterator[Fraction]:
    """Yield the ends and a point in each interval between them. The truth is the same throughout an interval."""
    inside = sorted({Fraction(0), *(e for e in ends if e > 0)})
    yield from inside[1:]
    yield from ((p + q) / 2 for p, q in pairwise(inside))
    yield inside[-1] + 1


WAYS = ("all", "all", "given", "given a word", "exists", "smallest", "not exists", "for all", "not for all", "as small")


def wrong(choose: random.Random) -> tuple[str, str]:
    """Judge one random sentence. Return the kind of its verdict, and the error in it."""
    made, way = sentence(choose), choose.choice(WAYS)
    edge = choose.randint(1, 9)
    below = choose.random() < 0.5
    text, given = made.text, ""
    here = [a for a in points(made.ends | {Fraction(edge)}) if way != "given" or (a < edge if below else a > edge)]
    if way == "given a word":
        assumed = atom(choose)
        here = [a for a in points(made.ends | assumed.ends) if assumed.truth(a)]
    truths = {made.truth(a) for a in here}
    right = {"verified": truths == {True}, "refuted": False in truths or True not in truths}
    right["conditional"] = True in truths and (truths != {True} or not all(map(made.has_values, here)))
    if way == "given":
        given = f"given = 'a {'<' if below else '>'} {edge}'\n"
    elif way == "given a word":
        given = f"given = '{assumed.text}'\n"
    elif way == "smallest":
        first = next((n for n in range(1, LARGEST) if made.truth(Fraction(n)) is True), None)
        asked = choose.choice([first or 1, choose.randint(1, 9)])
        text = f"smallest(a, {text}) == {asked}"
        right = {"verified": first == asked, "refuted": first != asked}
    elif way == "as small":  # true of the first interval
        text = f"for all b: exists a: a < b and ({text})"
        right = {"verified": made.truth(min(here) / 2) is True, "refuted": made.truth(min(here) / 2) is not True}
    elif way != "all":
        text = f"{way} a: {text}"
        some, none = True in truths, True not in truths
        right = {
            "exists": {"verified": some, "refuted": none},
            "not exists": {"verified": none, "refuted": some},
            "for all": {"verified": truths == {True}, "refuted": False in truths},
            "not for all": {"verified": False in truths, "refuted": truths == {True}},
        }[way]
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\n{given}says = '{text}'\n").claims
    verdict = judge_quietly(claim)
    well = verdict.kind == "undecided" or right.get(verdict.kind, False)
    return verdict.kind, "" if well else f"{text} | {given}: {verdict.kind} {verdict.condition}"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_sentence_with_partial_words(seed: int) -> None:
    held(seed, 20)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_sentences_with_partial_words(seed: int) -> None:
    held(seed, 100)


def held(seed: int, count: int) -> None:
    choose = random.Random(seed)
    found = [wrong(choose) for _ in range(count)]
    kinds = Counter(kind for kind, _ in found)
    print(dict(kinds))
    assert not [said for _, said in found if said]
    assert kinds["undecided"] <= count // 3, kinds
