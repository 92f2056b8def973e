"""An inequality that is not solved for the unknown is graded by its truth at integer sizes."""

from fractions import Fraction
from random import Random

import pytest

from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question

ASKED = Question(op("matmul"), chip("h100-sxm"), "B", at={"D": 4096, "F": 4096})  # B > 344.95
NAMES = {"D": Fraction(4096), "F": Fraction(4096), "R": Fraction(989 * 10**12, 335 * 10**10)}
SIZES = (*range(1, 7), *range(170, 176), *range(290, 300), *range(320, 371), 688, 689, 690, 691, 999, 10**6)
HOLDS = {">": lambda a, b: a > b, "<": lambda a, b: a < b, ">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b}


def _side(random: Random) -> str:
    number = random.choice(("2", "345", "344.95", "345/2", "1/345", "344", "690", "0"))
    size = random.choice(("B", "1/B", "B^2", "D", "1/D", "1/F", "R", "1/R", "D F", "B D", "R B"))
    part = random.choice((number, size, f"{number} B", f"({number})/B"))
    return part if random.random() < 0.5 else f"{part} {random.choice('+-')} {_side(random)}"


def _value(text: str, size: int) -> Fraction:
    names = {**NAMES, "B": Fraction(size)}
    total = Fraction(0)
    for sign, part in _parts(text):
        value = Fraction(1)
        above = True
        for word in part.replace("(", " ").replace(")", " ").replace("/", " / ").split():
            if word == "/":
                above = False
                continue
            name, _, power = word.partition("^")
            found = (names[name] if name in names else Fraction(name)) ** int(power or 1)
            value = value * found if above else value / found
            above = True
        total += sign * value
    return total


def _parts(text: str) -> list[tuple[int, str]]:
    found, sign = [], 1
    for word in text.replace(" + ", "\n+\n").replace(" - ", "\n-\n").split("\n"):
        if word in "+-":
            sign = 1 if word == "+" else -1
        else:
            found.append((sign, word))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_an_unsolved_inequality_is_worth_what_holds_of_whole_sizes(seed: int) -> None:
    random, met = Random(seed), set()
    for _ in range(60):
        left, right, relation = _side(random), _side(random), random.choice([*HOLDS])
        if "B" not in left + right:
            continue
        text = f"{left} {relation} {right}"
        found = grade(ASKED, text).grade
        theirs = [HOLDS[relation](_value(left, b), _value(right, b)) for b in SIZES]
        ours = [b >= 345 for b in SIZES]
        met.add(found)
        if found == "right":
            assert theirs == ours, text
        elif found in ("digits", "close"):
            first = theirs.index(True)
            assert all(theirs[first:]) and 327 <= SIZES[first] <= 363, text
        elif found == "wrong":
            assert theirs != ours, text
    assert {"wrong", "unreadable"} <= met
