"""A warrant proves only its own statement, and no code writes a trust level by hand."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
import sympy

import roofproof
from roofproof.claims.judge import integer_search
from roofproof.claims.judge import words as judged_value
from roofproof.claims.judge.decide_formula import Finding, decide
from roofproof.claims.judge.domain import Domain
from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language.book import book_from_text
from roofproof.derive.solve import Solved, solve
from roofproof.proofs import ByCounterexample, ByExactValue, ByKernel, ByOracle, Known, Statement, Unwarranted, certify
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByAlgebra, ByEveryInteger, BySamples, warranted
from roofproof.proofs.oracles import smt
from roofproof.proofs.search import tactics
from roofproof.symbols import quantity

PACKAGE = Path(roofproof.__file__).parent
WORDS = {"kernel", "smt", "algebra", "sampled", "undecided"}
BY_TYPE = "proofs/known.py"  # the warrants, each with its trust level
BY_SLOPE = "proofs/oracles/slopes.py"
KINDS = "claims/kinds.py"  # "undecided" is also a kind of verdict
OF_PROFILERS = "times/profiles.py"  # the name of a GPU program there

X, Y, ONE, ZERO = Term("v", "x"), Term("v", "y"), Term("q", 1, 1), Term("q", 0, 1)
SQUARE = Formula(">=", Term("*", X, X), ZERO)
MORE = Formula(">", Term("+", X, Y), X)


def judged(says: str, given: str = "") -> Verdict:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\ngiven = "{given}"\n').claims
    return judge(claim)  # type: ignore[arg-type]


# --- trust levels ---------------------------------------------------------------------------------


def words_of_trust(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the trust levels that a file writes as strings, except for keys of dictionaries."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    catalogued = {id(key) for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in WORDS and id(node) not in catalogued:
            yield node.lineno, str(node.value)


READ = (
    "explain/comparison.py",
    "explain/faster.py",
    "explain/grades.py",
    "explain/threshold.py",
    "explain/verdicts.py",
    "site/labels.py",
)
PHRASED = {f"export/{name}": WORDS for name in READ}  # how each is printed
LIBRARY = "ops/library/_entry.py"  # a GPU kernel, as in tables


def test_no_word_of_trust_is_written_by_hand() -> None:
    allowed = {
        BY_TYPE: WORDS,
        BY_SLOPE: {"algebra"},
        KINDS: {"undecided"},
        OF_PROFILERS: {"kernel"},
        LIBRARY: {"kernel"},
    }
    allowed |= PHRASED
    found = [
        f"{name}:{line}: {word!r}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, word in words_of_trust(path)
        if word not in allowed.get(name := path.relative_to(PACKAGE).as_posix(), set())
    ]
    assert found == []


def test_such_a_word_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('MEANS = {"smt": "a solver"}\ntrust = "kernel"\n')
    assert list(words_of_trust(tmp_path / "a.py")) == [(2, "kernel")]


# --- a faulty search ------------------------------------------------------------------------------


def beside_the_point(goal: Formula, found: Theorem | None) -> Theorem | None:
    return kernel.arith(SQUARE, [kernel.square(X)], [(ONE, [0])])  # |- x*x >= 0, whatever the goal is


def circular(goal: Formula, found: Theorem | None) -> Theorem | None:
    return kernel.assume(goal)


def with_one_more(goal: Formula, found: Theorem | None) -> Theorem | None:
    extra = kernel.assume(Formula(">", Term("v", "x"), Term("q", 7, 1)))
    return found and kernel.propositional(goal, [found, extra])


def with_false_numbers(goal: Formula, found: Theorem | None) -> Theorem | None:
    return found and kernel.propositional(goal, [found, kernel.assume(Formula(">", ZERO, ONE))])


FAULTS = [beside_the_point, circular, with_one_more, with_false_numbers]


@pytest.fixture(params=FAULTS, ids=lambda f: f.__name__)
def wrong_search(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    right, by_cases = tactics.Search.prove, Solved.theorem

    def prove(self: tactics.Search, goal: Formula, *rest: object, **named: object) -> Theorem | None:
        wrong: Callable[[Formula, Theorem | None], Theorem | None] = request.param
        return wrong(goal, right(self, goal, *rest, **named))  # type: ignore[arg-type]

    def theorem(self: Solved, goal: Formula, *rest: object) -> Theorem | None:
        return request.param(goal, by_cases(self, goal, *rest))  # type: ignore[arg-type,no-any-return]

    monkeypatch.setattr(tactics.Search, "prove", prove)
    monkeypatch.setattr(Solved, "theorem", theorem)


CLAIMS = ["x + y >= x", "max(x, y) + x > y", "x^2 + y^2 >= 2 x y", "x > 1 => x^2 > 1"]


@pytest.mark.usefixtures("wrong_search")
@pytest.mark.parametrize("says", CLAIMS)
def test_a_wrong_theorem_warrants_no_verdict(says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged(says)
    assert (found.kind, found.trust) == ("verified", "smt")
    said, *same = found.known
    assert type(said.warrant) is ByOracle  # of the form that SymPy made, equivalent by rules only
    assert {(type(k.warrant), k.statement.goal[0], k.statement.goal[2]) for k in same} <= {
        (ByKernel, "<=>", said.statement.goal)
    }
    monkeypatch.setattr(smt, "refute", lambda *_, **__: smt.SmtAnswer("unknown", reason="no solver"))
    left = judged(says)
    assert (left.kind, left.trust, left.note) == ("undecided", "undecided", "no solver")


@pytest.mark.usefixtures("wrong_search")
def test_a_wrong_theorem_warrants_no_threshold() -> None:
    a, x = quantity("a"), quantity("x")
    solved = certify(x > a * x + 1, solve(x > a * x + 1, x))
    assert solved.trust == "smt"
    assert {k.trust for k in solved if k.statement.kind == "case"} == {"smt"}


def test_the_search_as_it_is_warrants_them() -> None:
    assert {judged(says).trust for says in CLAIMS} == {"kernel"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_a_warrant_of_another_statement_is_refused(fault: Callable[..., Theorem]) -> None:
    right = tactics.prove(MORE)
    assert Known(Statement("", (), MORE), ByKernel(right)).trust == "kernel"  # type: ignore[arg-type]
    with pytest.raises(Unwarranted, match=r"^'x \+ y > x' is not warranted: the theorem (says|assumes more)"):
        Known(Statement("", (), MORE), ByKernel(fault(MORE, right)))


# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["verified", "rounded", "approximate", "conditional", "refuted"])
def test_a_verdict_that_rests_on_nothing_is_none(kind: str) -> None:
    with pytest.raises(Unwarranted, match="nothing is known"):
        Verdict(kind)


def test_a_verdict_that_says_nothing_is_undecided_whatever_is_known_beside_it() -> None:
    assert Verdict("undecided", judged("x + 1 > x").known).trust == "undecided"


@pytest.mark.parametrize(
    ("says", "given", "kinds"),
    [
        ("x + 1 > x", "", [ByKernel]),
        ("floor(floor(n / 2) / 2) == floor(n / 4)", "n integer", [ByKernel]),
        ("1/3 + 1/6 == 1/2", "", [ByExactValue]),
        ("1/3 == 0.3333", "", [ByExactValue]),
        ("sqrt(2) ~= 1.41", "", [ByExactValue]),  # 1.405^2 < 2 < 1.415^2
        ("2 == 3", "", [ByExactValue]),
        ("sqrt(2) == 1.5", "", [ByExactValue]),
        ("sqrt(2) sqrt(3) == sqrt(6)", "", [ByExactValue]),
        ("sqrt(2) + sqrt(3) == sqrt(5 + 2 sqrt(6))", "", [ByExactValue]),
        ("x^2 != 2", "", [ByCounterexample]),  # at x = sqrt(2)
        ("x^2 > x + 1", "", [ByCounterexample]),
        ("x^2 > x", "", [ByKernel, ByCounterexample]),  # true if x > 1, false at x = 1
        ("x^2 > 0", "x real", [ByKernel, ByKernel, ByKernel, ByCounterexample]),  # true if x != 0, sign by sign
        ("x > -1", "x < 0; x > -2", [ByCounterexample]),
        ("sqrt(x) > x", "", [ByCounterexample]),
        ("2^(1/3) x > 2", "", [ByCounterexample]),  # at x = 1, as 1.26 < 2
        ("n log2(n) > n + 3", "n integer", [ByCounterexample]),
        ("smallest(n, ceil(n / 8) >= 13) == 97", "", [ByExactValue, ByExactValue, ByEveryInteger]),
        ("smallest(n, n log2(n) >= 1000) == 141", "", [ByExactValue, ByExactValue, ByEveryInteger]),
        ("argmin((x - 3)^2, x, {1, 2, 5}) == 2", "", [*[ByExactValue] * 6, ByKernel]),  # 4, 1, 4
        ("largest(n, 3 n < 100) == 33", "", [ByExactValue, ByKernel, ByKernel]),  # 100 > 3*33
        ("limit(x / (x + 1), x) == 1", "", [ByExactValue, ByKernel, ByKernel]),
        ("not increasing((x - a)^2, x)", "", [ByExactValue, ByCounterexample, BySamples]),
    ],
)
def test_what_a_verdict_rests_on(says: str, given: str, kinds: list[type]) -> None:
    found = judged(says, given)
    assert [type(k.warrant) for k in found.derivation] == kinds, str(found.derivation)


def test_smallest_is_a_statement_that_a_wrong_scan_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    says = "smallest(n, ceil(n / 8) >= 13) == 97"
    assert [k.statement.says for k in judged(says).known[1:]] == [
        "ceil(1/8*n) >= 13 at n = 97", "not(ceil(1/8*n) >= 13) from n = 1 to n = 96"]  # fmt: skip
    right = integer_search._Question.holds
    integer_search.first_integer.cache_clear()  # type: ignore[attr-defined]
    monkeypatch.setattr(integer_search._Question, "holds", lambda self, k: k == 7 or right(self, k))
    assert judged(says).kind == judged(says.replace("97", "7")).kind == "undecided"  # 7 does not satisfy it
    monkeypatch.setattr(integer_search._Question, "holds", lambda self, k: k > 98 and right(self, k))
    integer_search.first_integer.cache_clear()  # type: ignore[attr-defined]
    assert judged(says).kind == judged(says.replace("97", "99")).kind == "undecided"  # 98 does
    integer_search.first_integer.cache_clear()  # type: ignore[attr-defined]


@pytest.mark.parametrize("proved", [True, False])
def test_that_none_is_smaller_is_said_of_all(proved: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One proof covers all smaller integers, or ranges do, checked one by one or by earlier results of the solver."""
    for module in () if proved else (integer_search, judged_value):
        monkeypatch.setattr(module, "decide", lambda *_, **__: Finding("open", reason="no proof"))
    integer_search.first_integer.cache_clear()  # type: ignore[attr-defined]
    found = judged("smallest(n, floor(n / 7) > 10^30) == 7 (10^30 + 1)")
    assert found.kind == "verified"
    ranges = [k for k in found.known if k.statement.goal[0] == "not"]
    ends = [(_end(k, 2), _end(k, 1)) for k in ranges]
    assert len(ranges) == 1 if proved else isinstance(ranges[0].warrant, ByEveryInteger) and len(ranges) > 50
    assert ends[0][0] == 1 and ends[-1][1] == 7 * 10**30 + 6
    assert all(before[1] + 1 == after[0] for before, after in pairwise(sorted(ends)))


def _end(known: Known, side: int) -> int:
    """Return the lower (side 2) or the upper (side 1) end of the range in the assumptions."""
    named = [f[side][1] for f in known.statement.assumptions if f[0] == ">=" and f[side][0] == "q"]
    return max(named) if side == 2 else min(named)


def test_the_weakest_part_counts() -> None:
    strong, weak = judged("x + 1 > x").known, judged("32 ceil(n / 32) < 2 n", "n integer; n >= 17").known
    for known in ((*strong, *weak), (*weak, *strong)):
        assert Finding("proved", known).trust == Verdict("verified", known).trust == "smt"


def test_a_refutation_names_a_point_of_the_domain() -> None:
    found = decide(
        Formula(">", X, ZERO), Domain({"x": "nonnegative", "y": "negative"}, frozenset("y"), (Formula(">", ONE, Y),))
    )
    [known] = found.known
    assert known.statement.reals == {"x", "y"} and known.statement.somewhere
    assert isinstance(known.warrant, ByCounterexample) and known.warrant.point == {"x": 0, "y": -1}


def test_every_integer_is_looked_at() -> None:
    between = (Formula("int", X), Formula(">=", X, ONE), Formula(">=", Term("q", 9, 1), X))
    not_seven = Formula("not", Formula("=", X, Term("q", 7, 1)))
    statement = Statement("not 7", between, not_seven)
    assert warranted(statement, ByEveryInteger("x", 1, 6)) is None  # the statement covers 9, too
    up_to_seven = replace(statement, assumptions=(*between[:2], Formula(">=", Term("q", 7, 1), X)))
    assert warranted(up_to_seven, ByEveryInteger("x", 1, 7)) is None
    with pytest.raises(Unwarranted, match="it does not hold at x = 7"):
        Known(statement, ByEveryInteger("x", 1, 9))
    assert warranted(Statement("", between[:2], not_seven), ByEveryInteger("x", 1, 6)) is None
    assert warranted(Statement("", (*between, Formula(">", Y, X)), not_seven), ByEveryInteger("x", 1, 9)) is None


def test_two_forms_are_held_to_the_numbers_that_are_given() -> None:
    assumed = Formula("=", X, Term("q", 1024, 1))
    twenty = Formula("=", Term("*", Term("q", 2, 1), Term("log2", X)), Term("q", 20, 1))
    assert warranted(Statement("", (assumed,), twenty), ByAlgebra()) is not None
    with pytest.raises(Unwarranted, match="it does not hold at x = 1024"):
        Known(Statement("", (assumed,), (*twenty[:2], Term("q", 21, 1))), ByAlgebra())


def test_an_irrational_point_is_checked_in_exact_numbers() -> None:
    root, third = Term("sqrt", Term("q", 2, 1)), Term("power", Term("q", 2, 1), Term("q", 1, 3))
    close = Fraction(sympy.floor(sympy.sqrt(2) * 10**30).p, 10**30)
    below = Formula(">", root, Term("q", close.numerator, close.denominator))
    assert warranted(Statement("", (), below), ByExactValue({})) is not None
    assert warranted(Statement("", (), Formula("not", below)), ByExactValue({})) is None
    same = Formula("=", Term("*", third, third, third), Term("q", 2, 1))
    assert warranted(Statement("", (), same), ByExactValue({})) is not None  # closer than distinct values can be
    assert warranted(Statement("", (), Formula("not", same)), ByExactValue({})) is None
    six, two, three = (Term("log2", Term("q", k, 1)) for k in (6, 2, 3))
    same = Formula("=", six, Term("+", two, three))
    assert warranted(Statement("", (), same), ByExactValue({})) is None  # never decided for logarithms
    assert warranted(Statement("", (), Formula("not", same)), ByExactValue({})) is None
