"""Reading back: the printed claim is the one that was read, and the proved statement is the one that was written."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofproof.claims.judge import decide_condition
from roofproof.claims.judge.as_written import same_value
from roofproof.claims.judge.domain import Domain
from roofproof.claims.judge.judge import judge, judge_quietly
from roofproof.claims.judge.read_back import read_back
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language import Claim, read_book
from roofproof.claims.language.book import book_from_text
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement
from roofproof.formula.to_sympy import Translation
from roofproof.formula.tree import Quantity, Tree, bound_names, is_statement, walk
from roofproof.formula.units import MEASURES
from roofproof.proofs.from_tree import from_formula, to_formula, to_term
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, substitute, variables
from roofproof.proofs.search.equivalence import matches_link_by_link
from roofproof.symbols import quantity

ROOT = Path(__file__).parents[2]
BOOKS = sorted((ROOT / "roofproof" / "claims" / "textbooks").glob("*.toml"))
sys.path.insert(0, str(ROOT / "tests" / "attacks"))


def reads_back(claim: Claim) -> bool:
    """Return whether the printed text of a claim gives the same tree in its file."""
    assert claim.proposition is not None
    declared = {*claim.environment.let, *claim.given.names}
    said = to_text(claim.proposition)
    letters = any(isinstance(part, Quantity) and part.unit.text in MEASURES for part in walk(claim.proposition))
    again, first = (read_statement(text, declared, measures=letters) for text in (said, claim.says))
    return again == claim.proposition == first


def written(claim: Claim) -> tuple[set[Formula], set[Term], dict[Tree, Formula]]:
    """Return the formulas and values in each part of a claim, by an independent reading."""
    said = claim.scope().terms
    assert claim.proposition is not None
    formulas: dict[Tree, Formula] = {}
    terms: set[Term] = set()
    for part in walk(claim.proposition):
        with suppress(RoofproofError):
            if is_statement(part):
                formulas[part] = said.formula(part)
            else:
                terms.add(said.term(part))
    return set(formulas.values()), terms, formulas


def rests_on_what_is_written(claim: Claim) -> bool | None:
    """Return whether a verdict by the proof kernel rests on formulas or values in the tree, or None for any other."""
    try:
        verdict = judge(claim)
    except RoofproofError:
        return None
    if verdict.trust != "kernel" or claim.proposition is None or bound_names(claim.proposition):
        return None
    formulas, terms, _ = written(claim)
    zeros = {n: ZERO for n, d in claim.given.domains.items() if d.sign != "positive"}
    goals = {k.statement.goal for k in verdict.known} | {f for k in verdict.known for f in k.statement.goal[1:2]}
    minus = {n: Term("*", Term("q", -1, 1), Term("v", n)) for n in zeros}
    turned = ({**zeros, **{n: t for n, t in minus.items() if n in some}} for some in (minus, {}))
    said = formulas | {substitute(f, t) for t in turned for f in formulas} | terms
    return bool(goals & said) or any(f[0] in ("q", "v") for f in terms)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_every_claim_of_the_books_reads_back(book: Path) -> None:
    claims = [c for c in read_book(book).claims if isinstance(c, Claim) and c.proposition is not None]
    assert claims and all(map(reads_back, claims))
    told = [rests_on_what_is_written(c) for c in claims[::4]]
    assert False not in told and told.count(True) > len(told) / 2


def random_claims(seed: int, count: int) -> list[Claim]:
    from random_claims import PLAIN, drafts

    found = [c for d in islice(drafts(seed, PLAIN), count) for c in book_from_text(d.toml).claims]
    return [c for c in found if isinstance(c, Claim) and c.proposition is not None]


def test_random_claims_read_back() -> None:
    claims = random_claims(3, 200)
    assert len(claims) > 100 and all(map(reads_back, claims))
    told = [rests_on_what_is_written(c) for c in claims[::8]]
    assert False not in told and told.count(True) > len(told) / 3


def terms() -> st.SearchStrategy[Formula]:
    leaf = st.one_of(
        st.sampled_from([Term("v", "x"), Term("v", "y"), Term("v", "B")]),
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
def test_a_theorem_in_the_claim_language_reads_back_as_the_theorem(f: Formula) -> None:
    printed = to_text(from_formula(f))
    try:
        again = to_formula(read_statement(printed))
    except RoofproofError as problem:
        assert "exponent" in str(problem) or "two readings" in str(problem) or "read two ways" in str(problem)
        return
    assert matches_link_by_link(again, f) is not False


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
    assert matches_link_by_link(to_formula(read_statement(one)), to_formula(read_statement(other))) is False


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_formulas_that_say_the_same(one: str, other: str) -> None:
    assert matches_link_by_link(to_formula(read_statement(one)), to_formula(read_statement(other))) is True


def test_a_proof_of_something_else_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """No verdict becomes wrong if SymPy loses a factor of a logarithm. Other claims do not depend on SymPy."""
    says = ("log2(8 x) > log2(x)", "log2(x) > 2", "2 sqrt(x) > sqrt(x)", "sqrt(x) > 2", "2 x > x", "x > y")
    claims = [book_from_text(f'[[claim]]\nid = "a"\nsays = "{each}"\ngiven = "x > 1"').claims[0] for each in says]
    assert [judge(claim).kind for claim in claims] == ["verified", "refuted"] * 3
    x = quantity("x")
    for something_else in (x > x / 2 + 1 / x, 3 * x > x - 1, log2(x) > 0, log2(x) < 0):
        monkeypatch.setattr(decide_condition, "to_condition", lambda *_, made=something_else: made)
        verdicts = [judge(claim) for claim in claims]
        assert {v.kind for v in verdicts[::2]} <= {"verified", "undecided"}
        assert {v.kind for v in verdicts[1::2]} <= {"refuted", "undecided"}
        assert [v.kind for v in verdicts[2:]] == ["verified", "refuted"] * 2


def _first_lost(parts: Sequence[sympy.Expr]) -> Sequence[sympy.Expr]:
    return parts[1:] if len(parts) > 1 else parts


def _turned(parts: Sequence[sympy.Expr]) -> Sequence[sympy.Expr]:
    return (*parts[:-1], -parts[-1])


@cache
def judged_as_they_are() -> tuple[list[Claim], list[Verdict]]:
    claims = [c for c in read_book(BOOKS[-1]).claims if isinstance(c, Claim) and c.proposition is not None]
    claims += random_claims(7, 40)
    return claims, [judge_quietly(replace(c, environment=replace(c.environment, _values={}))) for c in claims]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("slip", [_first_lost, _turned])
@pytest.mark.parametrize("method", ["added", "multiplied"])
def test_what_sympy_loses_is_never_known_by_the_kernel(
    monkeypatch: pytest.MonkeyPatch, slip: Callable[[Any], Any], method: str
) -> None:
    """If SymPy lost a term, a factor or a sign, the proof kernel would not prove anything else."""
    claims, right = judged_as_they_are()
    make = getattr(Translation, method)
    monkeypatch.setattr(Translation, method, lambda self, parts, at: make(self, slip(parts), at))
    wrong = [judge_quietly(replace(c, environment=replace(c.environment, _values={}))) for c in claims]
    said = [(c.says, a.kind, b.kind) for c, a, b in zip(claims, right, wrong, strict=True)
            if b.trust == "kernel" and a.kind != b.kind]  # fmt: skip
    assert not said
    assert sum(b.kind == "undecided" for b in wrong) > len(wrong) / 10  # the others never call SymPy


@pytest.mark.parametrize("says", ["x/x == 1", "x - x == 0", "2 ceil(x)/ceil(x) == 2", "ceil(x) - ceil(x) == 0"])
def test_where_every_name_cancels_a_theorem_is_of_what_is_written(says: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"').claims
    assert isinstance(claim, Claim)
    verdict = judge(claim)
    assert (verdict.kind, verdict.trust) == ("verified", "kernel")
    assert any(k.theorem and "x" in variables(k.theorem.conclusion) for k in verdict.known)


EQUAL = [
    ("(x - y)/(x - y)", "1"), ("(x^2 - y^2)/(x - y)", "x + y"), ("1/(1/x)", "x"), ("sqrt(x) sqrt(x)", "x"),
    ("max(x, y) + min(x, y)", "x + y"), ("floor(x + 1)", "floor(1 + x)"), ("2 x/(4 y)", "x/(2 y)"),
    ("log2(8 x y)", "3 + log2(x) + log2(y)"), ("2^(x + 1)", "2 * 2^x"), ("abs(-x)", "x"), ("sqrt(4 x)", "2 sqrt(x)"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_two_forms_of_a_value_are_equal_by_the_kernel(one: str, other: str) -> None:
    from roofproof.formula.reader import read_value

    a, b = (to_term(read_value(t)) for t in (one, other))
    assert same_value(a, b, Domain()).trust == "kernel"
    with pytest.raises(RoofproofError, match="what was proved is not what the claim says"):
        same_value(a, Term("+", b, Term("q", 1, 1000)), Domain())


def test_the_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "a.toml"
    book.write_text('[[claim]]\nid = "a"\ngiven = "n integer; x>=2"\nlet = { T = "x*x" }\nsays = "T*n≥2*x*n"\n')
    assert main(["verify", str(book), "--read-back"]) == 0
    assert capsys.readouterr().out.splitlines()[2:7] == [
        "ok a  verified       proved",
        "     read: T n >= 2 x n",
        "     given: x >= 2; n integer",
        "     let T = x x",
        "     theorem: x >= 2 => x x n >= 2 x n",
    ]
    [claim] = read_book(book).claims
    assert isinstance(claim, Claim) and len(read_back(claim, judge(claim))) == 4


def test_what_is_read_back_is_told_in_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "a.toml"
    claims = ("240.54 ~= 240.5 and (n + 1)^2 > n^2", "degree(n^2 + n log2(n), n) == 2", "for all n: n < n + 1")
    lines = (f"[[claim]]\nid = '{k}'\nsays = '{says}'\n" for k, says in enumerate(claims))
    book.write_text("".join(lines) + "given = 'm integer'\nregime = 'm -> oo'\n")
    main(["verify", str(book), "--read-back", "--lang", "zh"])
    said = capsys.readouterr().out
    assert "已证明：240.5 代表 12027/50：四舍五入到 4 位有效数字" in said and "读作：for all n: n < n + 1" in said
    for word in ("read:", "given:", "regime:", "theorem:", "known by", "rounded", "rational function"):
        assert word not in said
