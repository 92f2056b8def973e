r"""A correctly rounded number agrees in a claim, a chapter and an answer. A number one place off agrees in none.

The numbers are made here with `decimal`: quotients of integers rounded to some place, in units, percent and powers of
ten in several spellings. Every fourth one is carried to a power of ten.
"""

from __future__ import annotations

import random
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import pytest

from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.draft import draft_of
from roofproof.claims.judge.judge import judge_quietly, judge_with_slip
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text

WIDE = Context(prec=80)


class Form(NamedTuple):
    """The form of a quotient a/b in a claim and in a chapter, its unit in both, and the number of units in 1."""

    claim: str
    latex: str
    unit: tuple[str, str]
    times: int


FORMS = (
    Form("{a} / {b}", r"\frac{{{a}}}{{{b}}}", ("{}", "{}"), 1),
    Form("{a} / {b}", r"\frac{{{a}}}{{{b}}}", ("{} %", r"{} \%"), 100),
    Form("{a} GB / ({b} GB/s)", r"\frac{{{a}\text{{ GB}}}}{{{b}\text{{ GB/s}}}}", ("{} ms", r"{}\text{{ ms}}"), 1000),
    Form("{a} TFLOP/s / ({b} TB/s)", r"\frac{{{a}\text{{ TFLOP/s}}}}{{{b}\text{{ TB/s}}}}",
         ("{} FLOP/byte", r"{}\text{{ FLOP/byte}}"), 1),
    Form("{a} GB/s / ({b} GB)", r"\frac{{{a}\text{{ GB/s}}}}{{{b}\text{{ GB}}}}",
         ("{} / (1 second)", r"\frac{{{}}}{{1\text{{ second}}}}"), 1),
)  # fmt: skip


class Rounded(NamedTuple):
    """A quotient of two integers, its form, and its rounded value. `off` is one place away from the value."""

    above: int
    below: int
    form: Form
    right: Decimal
    off: Decimal
    powers: int  # notation of powers of ten: none, exponent, factor

    def claim(self, number: Decimal) -> str:
        work = self.form.claim.format(a=self.above, b=self.below)
        return f"{work} ~= {self.form.unit[0].format(self.spelled(number, '{} * 10^{}'))}"

    def latex(self, number: Decimal) -> str:
        work = self.form.latex.format(a=self.above, b=self.below)
        printed = self.spelled(number, r"{} \times 10^{{{}}}")
        return rf"$$ {work} \approx {self.form.unit[1].format(printed)} $$"

    def spelled(self, number: Decimal, factor: str) -> str:
        if self.powers == 0:
            return f"{number:f}"
        power = number.adjusted()
        return ("{}e{}" if self.powers == 1 else factor).format(f"{number.scaleb(-power, WIDE):f}", power)


@cache
def numbers(count: int) -> tuple[Rounded, ...]:
    chosen = random.Random(32)
    found: list[Rounded] = []
    while len(found) < count:
        carried = len(found) % 4 == 0
        below = chosen.randrange(3, 10 ** chosen.randrange(1, 6) + 3)
        above = 10 * below - chosen.randrange(1, 1 + below // 2) if carried else chosen.randrange(1, 10**5)
        form = chosen.choice(FORMS)
        value = WIDE.divide(Decimal(above * form.times), Decimal(below))
        last = value.adjusted() - chosen.randrange(1, 5) + carried
        place = Decimal((0, (1,), last))
        right = value.quantize(place, ROUND_HALF_UP, WIDE)
        away = Fraction(right) > Fraction(above * form.times, below)
        off = WIDE.add(right, place) if away else WIDE.subtract(right, place)
        made = Rounded(above, below, form, right, off, 1 if last >= 0 else chosen.randrange(3))
        if Fraction(right) != Fraction(above * form.times, below) and right.adjusted() > last and right > place:
            found.append(made)
    return tuple(found)


def kinds(says: list[str]) -> list[str]:
    book = book_from_text("\n".join(f"[[claim]]\nid = '{k}'\nsays = '{text}'" for k, text in enumerate(says)))
    return [judge_quietly(c, quick=True).kind for c in book.claims if isinstance(c, Claim)]


def unlike(every: tuple[Rounded, ...], found: list[str], expected: str) -> list[tuple[str, str]]:
    return [(n.claim(n.right), kind) for n, kind in zip(every, found, strict=True) if kind != expected]


def agree_in_claims(count: int) -> None:
    every = numbers(count)
    assert unlike(every, kinds([n.claim(n.right) for n in every]), "rounded") == []
    assert unlike(every, kinds([n.claim(n.off) for n in every]), "refuted") == []


def agree_in_chapters(count: int) -> None:
    every = numbers(count)
    for said, kind in (([n.latex(n.right) for n in every], "rounded"), ([n.latex(n.off) for n in every], "refuted")):
        read = draft_of("\n\n".join(said), "chapter.md")
        assert read.unread == ()
        assert unlike(every, kinds([each.says for each in read.claims]), kind) == []


def agree_in_answers(count: int) -> None:
    for n in numbers(count):
        work, unit = op(f"flops bf16 = {n.above}*N; bytes hbm = {n.below}*N"), " FLOP/byte"
        asked = Question(work, asks="intensity")
        right, off = (
            n.spelled(d.scaleb(-len(str(n.form.times)) + 1, WIDE), "{}*10^{}") + unit for d in (n.right, n.off)
        )
        assert (grade(asked, right).grade, n) == ("digits", n)
        assert grade(asked, off).grade in ("close", "wrong"), n


@pytest.mark.parametrize("agree", [agree_in_claims, agree_in_chapters, agree_in_answers])
@pytest.mark.parametrize("count", [64, pytest.param(496, marks=pytest.mark.long)])
def test_what_is_correctly_rounded_agrees_and_one_place_off_does_not(agree: object, count: int) -> None:
    assert callable(agree)
    agree(count)


# the expression, the printed number, whether they agree
PINNED = [
    ("6 * 405 * 10^9 * 15.6 * 10^12", "3.79 * 10^25", True), ("6 * 405 * 10^9 * 15.6 * 10^12", "3.78 * 10^25", False),
    ("9.96", "10.0", True), ("9.94", "10.0", False), ("99.96 %", "100.0 %", True), ("9996", "1.000e4", True),
    ("3.35 TB/s / (140 GB)", "24 / (1 second)", True), ("3.35 TB/s / (140 GB)", "25 / (1 second)", False),
    ("140 GB / (3.35 TB/s)", "41.8 * 10^-3 second", True), ("1 GiB", "10^9 byte", False),
    ("1 GB / (64 GB/s)", "16 ms", True),  # 1024/64 = 16, too: no mistake overrules a correct rounding
    ("125 TFLOP/s / (8 TB/s)", "16", True), ("512 GB/s * 2 seconds", "1.0 TB", True),
    ("1 TiB", "1 TB", False),  # one digit, 9 % away, and also the value with the binary prefix
    ("2.53 * 10^3 x", "2.5 * 10^3 x", True), ("2.53 * 10^3 x", "2.4 * 10^3 x", False), ("7.86 x", "2.4 * 3 x", False),
    ("140 GB / (1 TB/s)", "142 ms", False), ("100 TFLOP / (1 PFLOP/s)", "104 ms", False),  # two units are worked out
    ("142 ms", "140 GB / (1 TB/s)", False), ("1 GiB", "1.13 GB", False), ("1 GiB", "1.07 GB", True),
    ("140 x", "142 x", False), ("0.70 x", "2 x / 3", False), ("0.67 x", "2 x / 3", True),
    ("sqrt(2) x", "1.41 x", True), ("sqrt(2) x", "1.42 x", False), ("pi r", "3.14 r", True), ("3.15 r", "pi r", False),
]  # fmt: skip


@pytest.mark.parametrize(("work", "printed", "agrees"), PINNED, ids=lambda value: str(value))
def test_the_numbers_of_textbooks(work: str, printed: str, agrees: bool) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{work} ~= {printed}'").claims
    assert isinstance(claim, Claim)
    assert judge_with_slip(claim).kind == ("rounded" if agrees else "refuted")


def test_the_unit_at_the_end_of_a_chain_is_that_of_the_numbers_before() -> None:
    """1000/64 is 15.625, in milliseconds, or in seconds and then wrong by a factor of 1000."""
    chip_of_64 = chip("int8=1000 TFLOP/s, hbm=64 GB/s")
    asked = Question(op("x:int8[N] -> y:int8[]"), chip_of_64, at={"N": 10**9}, asks="time")
    found = [grade(asked, f"T = {chain} = 15.6 ms").wrong_link for chain in ("1000/64", "1/64", "1/64 s", "100/64")]
    assert found == [0, 0, 0, 1]
    [unread] = draft_of(r"So $\frac{1000}{64} = 1.56 \times 10^{-2}$ s.", "a.md").unread
    assert str(unread.why) == "'s' after it is a unit of a number in it, or of all; write it there"


@pytest.mark.parametrize(("answer", "worth"), [("1.0e3", "digits"), ("1e3", "close"), ("1.0 * 10^3", "digits")])
def test_no_slip_overrules_an_answer_that_is_correctly_rounded(answer: str, worth: str) -> None:
    """1024 bytes are 1.0e3 to two digits. To one digit they are 2.3 % off, which a wrong prefix also gives."""
    asked = Question(op("flops bf16 = N; bytes hbm = 1024*N"), at={"N": 1}, asks="bytes")
    assert grade(asked, answer).grade == worth
