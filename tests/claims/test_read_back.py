"""Reading back: what is printed is what was read, and what was proved is what was written."""

import sys
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.claims.judging.as_written import is_as_written
from roofproof.claims.judging.case import Case, Evidence
from roofproof.claims.judging.domain import Domain
from roofproof.claims.judging.judge import judge
from roofproof.claims.judging.read_back import read_back
from roofproof.claims.language import Claim, read_book, read_proposition, to_text
from roofproof.claims.language.book import book_from_text
from roofproof.claims.language.kernel_form import from_formula, same, to_formula
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula

ROOT = Path(__file__).parents[2]
BOOKS = sorted((ROOT / "roofproof" / "claims" / "textbooks").glob("*.toml"))
sys.path.insert(0, str(ROOT / "tests" / "attacks"))


def reads_back(claim: Claim) -> bool:
    """Tell whether the text that a claim is printed as gives the same tree in its book."""
    assert claim.proposition is not None
    declared = {*claim.environment.let, *claim.given.names}
    said = to_text(claim.proposition)
    return read_proposition(said, declared) == claim.proposition == read_proposition(claim.says, declared)


def goes_on_as_written(claim: Claim) -> bool | None:
    """Tell whether the condition that is proved says what the tree says."""
    case = Case(claim, claim.environment, Domain(), Evidence(claim.regime))
    try:
        return is_as_written(case, claim.proposition, case.env.to_boolean(claim.proposition))  # type: ignore[arg-type]
    except RoofproofError:
        return None  # a limit, digits, or a function that the engine works out later


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_every_claim_of_the_books_reads_back(book: Path) -> None:
    claims = [c for c in read_book(book).claims if isinstance(c, Claim) and c.proposition is not None]
    assert claims and all(map(reads_back, claims))
    told = [goes_on_as_written(c) for c in claims]
    assert False not in told and told.count(True) > len(told) / 4


def test_random_claims_read_back() -> None:
    from random_claims import PLAIN, drafts

    found = [c for d in islice(drafts(3, PLAIN), 400) for c in book_from_text(d.toml).claims if isinstance(c, Claim)]
    claims = [c for c in found if c.proposition is not None]
    assert len(claims) > 200 and all(map(reads_back, claims))
    told = [goes_on_as_written(c) for c in claims]
    assert False not in told and told.count(True) > len(told) / 4


def terms() -> st.SearchStrategy[Formula]:
    leaf = st.one_of(
        st.sampled_from([("v", "x"), ("v", "y"), ("v", "B")]),
        st.tuples(st.just("q"), st.integers(-9, 9), st.integers(1, 5)),
    )

    def larger(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        pair = st.tuples(st.sampled_from(["+", "*", "/", "max", "min"]), inner, inner)
        power = st.tuples(st.just("^"), inner, st.integers(0, 3))
        return st.one_of(pair, power, st.tuples(st.sampled_from(["sqrt", "floor", "ceil", "log2"]), inner))

    return st.recursive(leaf, larger, max_leaves=6)


def formulas() -> st.SearchStrategy[Formula]:
    link = st.tuples(st.sampled_from([">", ">=", "="]), terms(), terms())
    return st.recursive(
        link,
        lambda inner: st.one_of(
            st.tuples(st.just("not"), inner), st.tuples(st.sampled_from(["and", "or", "=>", "<=>"]), inner, inner)
        ),
        max_leaves=4,
    )


@given(formulas())
@settings(max_examples=200, deadline=None)
def test_a_theorem_in_the_claim_language_reads_back_as_the_theorem(f: Formula) -> None:
    printed = to_text(from_formula(f))
    try:
        again = to_formula(read_proposition(printed))
    except RoofproofError as problem:
        assert "exponent" in str(problem) or "two readings" in str(problem) or "read two ways" in str(problem)
        return
    assert same(again, f) is not False


DIFFERENT = [
    ("x > 1", "x >= 1"), ("x > 1", "1 > x"), ("x + y > 1", "x - y > 1"), ("x / y > 1", "y / x > 1"),
    ("2 x > 1", "x > 2"), ("x^2 > 1", "x^3 > 1"), ("x == y", "x != y"), ("x > 1 and y > 1", "x > 1 or y > 1"),
    ("x > 1 => y > 1", "y > 1 => x > 1"), ("not x > 1", "x > 1"), ("x > 1 GB", "x > 1 MB"),
    ("x > 1 GB", "x > 1 GiB"), ("x > 1/2 GB", "x > 2 GB"), ("x > 0.1", "x > 0.11"),
    ("x > 1 <=> y > 1", "x > 1 and y > 1"),
    ("x > 33 %", "x > 33"), ("1 < x < 2", "1 < x and x > 2"), ("x > 1 ms", "x > 1 us"), ("x > -y", "x > y"),
    ("x > 8 Gb", "x > 8 GB"),
]  # fmt: skip
ALIKE = [
    ("x + x > 1", "2 x > 1"), ("x/2 > 1", "0.5 x > 1"), ("x < 1", "1 > x"), ("x > 1 and y > 2", "y > 2 and x > 1"),
    ("(x + y)^2 > 1", "x^2 + 2 x y + y^2 > 1"), ("max(x, y) > 1", "max(y, x) > 1"), ("x > 1 GB", "x > 1000 MB"),
    ("1/2 GB > x", "500 MB > x"), ("a < b < c", "a < b and b < c"), ("x / (1/y) > 1", "x y > 1"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_formulas_that_say_different_things(one: str, other: str) -> None:
    assert same(to_formula(read_proposition(one)), to_formula(read_proposition(other))) is False


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_formulas_that_say_the_same(one: str, other: str) -> None:
    assert same(to_formula(read_proposition(one)), to_formula(read_proposition(other))) is True


def test_a_proof_of_something_else_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were SymPy to lose a factor, nothing would be verified."""
    [claim] = book_from_text('[[claim]]\nid = "a"\nsays = "2 x > x"').claims
    assert isinstance(claim, Claim) and judge(claim).kind == "verified"
    right = Case.boolean
    monkeypatch.setattr(Case, "boolean", lambda case, node: right(case, read_proposition("3 x > x")))
    assert (judge(claim).kind, judge(claim).note) == ("undecided", "what was proved is not what the claim says")


def test_the_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "a.toml"
    book.write_text('[[claim]]\nid = "a"\ngiven = "n integer; x>=2"\nlet = { T = "x*x" }\nsays = "T*n≥2*x*n"\n')
    assert main(["verify", str(book), "--read-back"]) == 0
    assert capsys.readouterr().out.splitlines()[:5] == [
        "ok a  verified       by kernel",
        "     read: T n >= 2 x n",
        "     given: x >= 2; n integer",
        "     let T = x x",
        "     theorem: n >= 1 and x >= 2 => n x^2 >= 2 x n    (n integer)",
    ]
    [claim] = read_book(book).claims
    assert isinstance(claim, Claim) and len(read_back(claim, judge(claim))) == 4
