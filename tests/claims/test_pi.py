"""`pi` in claims: the number, by exact bounds; a name where the claim introduces one, and it says so."""

from fractions import Fraction

import pytest

from roofproof.claims.judging.by_bounds_of_pi import BOUNDS
from roofproof.claims.judging.judge import judge
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.language import Claim, read_proposition
from roofproof.claims.language.book import Unusable, book_from_text
from roofproof.claims.language.latex import read_latex
from roofproof.proofs import ByCounterexample, ByExactValue, Known, Statement
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Unwarranted
from roofproof.proofs.names import LN2, PI
from roofproof.proofs.replay.coq.decided import decided


def verdict(claim: str) -> Verdict:
    [read] = book_from_text(f"[[claim]]\nid = 'a'\n{claim}").claims
    assert isinstance(read, Claim), read
    return judge(read)


CLAIMS = {
    "says = '2 pi ~= 6.28'": "rounded",
    "says = '2 pi ~= 6.29'": "refuted",
    "says = 'sqrt(2/pi) ~= 0.798'": "rounded",
    "says = '2 π r > 6.28 r'": "verified",
    "says = '2 pi r > 6.29 r'": "refuted",
    "says = '2 pi r / (pi r) == 2'": "verified",
    "says = 'pi == 22/7'": "refuted",
    "says = 'pi^2 == 10'": "refuted",
    "says = 'pi != 3.141592653589793'": "verified",
    "says = 'pi r^2 > 3 r'": "conditional",
    "says = 'pi r > 3.14159265358979323 r'": "undecided",
    "says = 'pi r == 3.14159265358979323 r'": "undecided",
    "says = 'x > pi <=> x > 3.14159'": "refuted",
    "says = 'x^2 > 9'\ngiven = 'x > pi'": "verified",
    "says = 'T > 6'\nlet = { T = '2 pi' }": "verified",
    "says = 'solve(2 pi r == 10, r) == 5/pi'": "verified",
    "says = 'argmin(pi x + 1/x, x) == 1/sqrt(pi)'": "verified",
    "says = 'pi n/(n + 1) -> pi'\nregime = 'n -> oo'": "verified",
    "says = 'pi n/(n + 1) -> 3.14'\nregime = 'n -> oo'": "refuted",
    "says = 'exists n integer: n > pi and n < 4 pi/3'": "verified",
}


@pytest.mark.parametrize(("claim", "kind"), CLAIMS.items())
def test_pi_is_the_number(claim: str, kind: str) -> None:
    found = verdict(claim)
    assert found.kind == kind
    assert not {"pi", "π"} & (found.counterexample or {}).keys()


def test_the_bounds_of_pi_stand_among_what_a_verdict_rests_on() -> None:
    found = verdict("says = '2 pi r > 6.28 r'")
    assert (
        found.trust == "kernel" and found.note == "of pi nothing is used but 3.14159265358979 < pi < 3.14159265358980"
    )
    assumed = {str(f) for known in found.known for f in known.statement.assumptions}
    assert "pi > 314159265358979/100000000000000" in assumed


def test_the_bounds_are_bounds() -> None:
    low, high = (Fraction(text) for text in BOUNDS)
    below, term = Fraction(0), Fraction(1)
    for k in range(60):  # Euler: pi/2 = sum k!/(2 k + 1)!!, each term less than half of the one before
        below, term = below + 2 * term, term * Fraction(k + 1, 2 * k + 3)
    assert low < below < below + 4 * term < high
    for bound, sign in ((low, ">"), (high, "<")):
        exact = Term("q", bound.numerator, bound.denominator)
        more = Formula(">", PI, exact) if sign == ">" else Formula(">", exact, PI)
        assert Known(Statement("", (), more), ByExactValue({})).trust == "kernel"


@pytest.mark.parametrize("number", [PI, LN2])
def test_a_number_has_no_other_value_at_a_point(number: Term) -> None:
    more = Statement("", (), Formula(">", number, Term("q", 50, 1)), somewhere=True)
    with pytest.raises(Unwarranted, match="a number has one value only"):
        Known(more, ByCounterexample({number[1]: Fraction(100)}))


NAMES = [
    "says = '2 pi > 1'\ngiven = 'pi > 1'",
    "says = '2 pi > 6'\nlet = { pi = '22/7' }",
    "says = 'exists pi: pi > 3'",
    "says = 'flops(\"bf16[pi], bf16[pi] -> bf16[]\") == 2 pi'",
]


@pytest.mark.parametrize("claim", NAMES)
def test_what_a_claim_calls_pi_is_a_name_and_told(claim: str) -> None:
    assert "pi is a name here, and not the number 3.14159..." in verdict(claim).note


def test_pi_has_no_dimension() -> None:
    [read] = book_from_text("[[claim]]\nid = 'a'\nsays = 'T < 1 GB'\nlet = { T = '2 pi ms' }").claims
    assert isinstance(read, Unusable) and "they cannot be compared" in read.message


def test_pi_is_written_in_latex_and_by_its_letter() -> None:
    assert read_latex(r"2 \pi r > 6.28 r") == read_proposition("2 pi r > 6.28 r") == read_proposition("2π r > 6.28 r")


@pytest.mark.parametrize("number", [PI, LN2])
def test_coq_is_not_told_that_every_number_is_this_one(number: Term) -> None:
    assert decided(Formula(">", Term("q", 4, 1), number), {}) is None
