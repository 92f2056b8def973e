"""`pi` in claims is the number, by exact bounds, or a name if the claim introduces one and says so."""

from fractions import Fraction

import pytest

from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language import Claim
from roofproof.claims.language.book import Unusable, book_from_text
from roofproof.errors import RoofproofError
from roofproof.formula.latex import read_latex
from roofproof.formula.reader import read_statement
from roofproof.proofs import ByCounterexample, ByKernel, Known, Statement
from roofproof.proofs.assumptions import LN2, PI
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Unwarranted
from roofproof.proofs.oracles.intervals import bounds_of
from roofproof.proofs.replay.coq.decided import holds_at


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
    "says = 'pi r > 3.14159265358979323 r'": "verified",
    "says = 'pi r > 3.14159265358979324 r'": "refuted",
    "says = 'pi r == 3.14159265358979323 r'": "refuted",
    "says = 'pi r > 3.14159265358979323846 r'": "undecided",
    "says = 'smallest(n, n > 10 pi) == 32'": "verified",
    "says = 'smallest(n, n > 10 pi) == 31'": "refuted",
    "says = 'smallest(n, n > 1000 pi) == 3142'": "verified",
    "says = 'largest(n, pi n^2 < 1000) == 17'": "verified",
    "says = 'largest(n, pi n^2 < 1000) == 18'": "refuted",
    "says = 'x > pi <=> x > 3.14159'": "refuted",
    "says = 'x^2 > 9'\ngiven = 'x > pi'": "verified",
    "says = 'T > 6'\nlet = { T = '2 pi' }": "verified",
    "says = 'solve(2 pi r == 10, r) == 5/pi'": "verified",
    "says = 'argmin(pi x + 1/x, x) == 1/sqrt(pi)'": "verified",
    "says = 'pi n/(n + 1) -> pi'\nregime = 'n -> oo'": "verified",
    "says = 'pi n/(n + 1) -> 3.14'\nregime = 'n -> oo'": "rounded",
    "says = 'pi n/(n + 1) -> 3.15'\nregime = 'n -> oo'": "refuted",
    "says = 'exists n integer: n > pi and n < 4 pi/3'": "verified",
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("claim", "kind"), CLAIMS.items())
def test_pi_is_the_number(claim: str, kind: str) -> None:
    found = verdict(claim)
    assert found.kind == kind
    assert not {"pi", "π"} & (found.counterexample or {}).keys()


def test_the_bounds_of_pi_stand_among_what_a_verdict_rests_on() -> None:
    found = verdict("says = '2 pi r > 6.28 r'")
    low, high = bounds_of(PI)
    assert found.trust == "kernel" and any(low in k.theorem.hypotheses for k in found.known if k.theorem)
    [known] = [k for k in found.known if k.theorem]
    wrong = Formula(">", PI, Term("q", 4, 1))  # a false bound remains an assumption
    more = kernel.discharge(kernel.assume(wrong), low)
    with pytest.raises(Unwarranted, match="the theorem assumes more"):
        Known(Statement("", (), more.conclusion), ByKernel(more))
    assert high not in known.statement.assumptions


def test_the_bounds_are_bounds() -> None:
    low, high = (Fraction(*next(t for t in bound[1:] if t[0] == "q")[1:]) for bound in bounds_of(PI))
    below, term = Fraction(0), Fraction(1)
    for k in range(80):  # Euler: pi/2 = sum k!/(2 k + 1)!!, each term less than half of the one before
        below, term = below + 2 * term, term * Fraction(k + 1, 2 * k + 3)
    assert low < below < below + 4 * term < high


@pytest.mark.parametrize("number", [PI, LN2])
def test_a_number_has_no_other_value_at_a_point(number: Term) -> None:
    more = Statement("", (), Formula(">", number, Term("q", 50, 1)), somewhere=True)
    with pytest.raises(Unwarranted, match="a number has one value only"):
        Known(more, ByCounterexample({number[1]: Fraction(100)}))


@pytest.mark.parametrize("given", ["x > pi; x < 3", "n integer; n > pi; n < 4", "x > 2 pi; x^2 < 39"])
def test_what_no_number_meets_is_refused(given: str) -> None:
    with pytest.raises(RoofproofError, match="the assumptions contradict each other"):
        verdict(f"says = '1 > 2'\ngiven = '{given}'")


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
    assert isinstance(read, Unusable) and "cannot be compared" in read.message


def test_pi_is_written_in_latex_and_by_its_letter() -> None:
    assert read_latex(r"2 \pi r > 6.28 r") == read_statement("2 pi r > 6.28 r") == read_statement("2π r > 6.28 r")


@pytest.mark.parametrize("number", [PI, LN2])
def test_coq_is_not_told_that_every_number_is_this_one(number: Term) -> None:
    assert holds_at(Formula(">", Term("q", 4, 1), number), {}) is None
