"""`exists` and `for all`: witnesses, counterexamples, rejected texts, and random claims computed a second time."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.claims.judge.judge import judge, judge_with_slip
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language import Claim
from roofproof.claims.language.book import Unusable, book_from_text
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement


def claim_of(says: str, given_text: str = "", more: str = "") -> Claim | Unusable:
    [found] = book_from_text(f"[[claim]]\nid = 'a'\ngiven = '''{given_text}'''\nsays = '''{says}'''\n{more}").claims
    return found


def verdict(says: str, given_text: str = "", more: str = "") -> Verdict:
    found = claim_of(says, given_text, more)
    assert isinstance(found, Claim), found
    return judge_with_slip(found)


VERIFIED = {
    ("exists t: t > R and t < R + 2", ""): "t = R + 1",
    ("exists t: 2 t^2 < M and t > 2 R", "M > 8 R^2"): "t = R + sqrt(2)*sqrt(M)/4",
    ("M > 8 R^2 <=> exists t: 2 t^2 < M and t > 2 R", ""): "t = R + sqrt(2)*sqrt(M)/4",
    ("for all R: exists t: t > R", ""): "t = R + 1",
    ("exists n integer: a n > b", ""): "n = floor(b/a) + 1",
    ("exists t integer: t >= R and t < R + 1", ""): "t = ceil(R)",
    ("not (for all t integer: floor(t) == 3 a)", ""): "t = floor(3*a) + 1",
    ("exists t: t^2 == 2", ""): "t = sqrt(2)",
    ("exists t: t^3 == x", ""): "t = x^(1/3)",
    ("x != y <=> exists t real: t (x - y) == 1", ""): "t = 1/(x - y)",
    ("exists t: t > 1 and 1/(t - 1) > 2", ""): "t = 5/4",
    ("exists t: 1/(t - 1) > 2", ""): "t = 5/4",
    ("exists t: sqrt(t - 5) > 100", ""): "t = 10006",
    ("exists t integer: sqrt(t - 10) == 4", ""): "t = 26",
    ("exists t: minimum(y + t/y, y) == 4", ""): "t = 4",
    ("not exists t: sqrt(t - 5) < 0", ""): "",
    ("for all a: a != 1 => exists t: t == 1/abs(a - 1)", ""): "t = 1/abs(a - 1)",
    ("not exists t: t^2 < 0", ""): "",
    ("exists x, y integer: x^2 + y^2 == 25", ""): "x = 3, y = 4",
    ("exists B integer: compute_bound(matmul, tpu-v5e)", "D == 4096; F == 4096"): "B = 273",
    ("a < b <=> exists t: a < t and t < b", ""): "t = a/2 + b/2",
    ("exists n integer: n > R and for all m integer: m > R => m >= n", ""): "n = floor(R) + 1",
    ("for all a: exists b: for all c: exists d: a + c < b + d", ""): "b = 1, d = a + c",
    ("not for all x: x > 2", ""): "x = 1",
    ("exists t: log2(t) > 10", ""): "t = 2048",
    ("exists x real: x^3 == -8", ""): "x = -2",
    ("exists x real: x^3 + 7 == 0", ""): "x = -7^(1/3)",
    ("exists n real: n^3 < -1000", ""): "n = -20",
    ("for all a, b real: exists x real: x + a == b", ""): "x = b - a",
    ("for all a, b: a > b => exists x: x (a - b) == 1", ""): "x = 1/(a - b)",
}
REFUTED = {
    ("exists t: 2 t^2 < M and t > 2 R", ""): {"M": 1, "R": 1},
    ("exists t: for all R: t > R", ""): None,
    ("exists t integer: 2 t == 7", ""): None,
    ("exists t integer: t^2 == 2", ""): None,
    ("exists t integer: 3 t == n", ""): {"n": 1},
    ("exists t: t < 0", ""): None,
    ("exists t: t (x - y) == 1", ""): {"x": 1, "y": 1},
    ("exists t: t x == 1", "x real"): {"x": 0},
    ("exists t integer: 256 t + 2 t^2 <= smem", ""): {"smem": 1},
    ("exists B integer: compute_bound(matmul, tpu-v5e)", ""): {"D": 1, "F": 1},
    ("exists c: for all x: c >= x", ""): None,
    ("exists t: R > 2", ""): {"R": 1},
    ("for all a real: exists x real: x^2 == a", ""): {"a": -1},  # sqrt(a)^2 is a only if the root exists
    ("for all a real: exists x real: a x == 1", ""): {"a": 0},
    ("for all a, b real: exists x real: a x == b", ""): {"a": 0, "b": 1},
    ("for all a, b: exists x real: x (a - b) == 1", ""): {"a": 1, "b": 1},
    ("exists x real: x^2 == a - b", ""): {"a": 1, "b": 2},
    ("exists t: sqrt(t - 5) < 0", ""): None,
    ("exists a: solve(x + a == 3, x) < 0", ""): None,
    ("not exists t: 1/(t - 1) > 5", ""): None,
    ("exists t: 1/(t - 1) == 0", ""): None,
}
UNDECIDED = {
    "exists a: solve(x + b == 3, x) > a": "found neither a witness nor a counterexample",
    "for all t: 1/(t - 1) != 0": "it is not defined for all values: it needs t != 1",
    "not for all t: 1/(t - 1) != 0": "found neither a witness nor a counterexample",
    "for all a: a < b => solve(x + a == c, x) > 0": "it is not defined for all values: it needs a < c",
    "exists x, y, z integer: x^3 + y^3 == z^3": "found neither a witness nor a counterexample",
    "smallest(n, exists t: t > n) == 1": "write 'exists' and 'for all' in the claim itself, not inside a function",
}
UNUSABLE = {
    ("exists t: t > 2", "t > 3"): "column 1: 't' is bound by 'exists' and used outside it, too; use another name",
    ("(exists t: t > x) and t > 2", ""): "'t' is bound by 'exists' and used outside it, too; use another name",
    ("x > 2", "exists t: t > x"): "column 1: 'exists' and 'for all' are allowed in `says`, not in `given`",
    ("exists t: exists t: t > 2", ""): "column 1: 't' is bound by 'exists' and used outside it, too; use another name",
    ("exists a, b, c, d, e, f, g: a > 2", ""): "column 1: 7 names after 'exists' and 'for all'; the limit is 6",
    ("exists t: t + 1", ""): "column 11: expected a statement such as 'B > 240', got a number or expression",
    ("exists time: time > 2", ""): "column 8: time is a function; write time(op, chip[, resource])",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("claim", "witness"), VERIFIED.items())
def test_a_witness_is_shown(claim: tuple[str, str], witness: str) -> None:
    found = verdict(*claim)
    assert (found.kind, found.note) == ("verified", witness)
    assert found.trust in ("kernel", "smt", "algebra")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("claim", "point"), REFUTED.items())
def test_a_point_without_a_witness_is_shown(claim: tuple[str, str], point: dict[str, int] | None) -> None:
    found = verdict(*claim)
    assert (found.kind, found.counterexample) == ("refuted", point)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "reason"), UNDECIDED.items())
def test_what_is_not_decided_is_said(says: str, reason: str) -> None:
    found = verdict(says)
    assert (found.kind, found.note) == ("undecided", reason)


@pytest.mark.parametrize(("claim", "message"), UNUSABLE.items())
def test_what_is_refused(claim: tuple[str, str], message: str) -> None:
    found = claim_of(*claim)
    assert isinstance(found, Unusable) and found.message.endswith(message)


def test_a_name_of_a_value_may_not_be_bound() -> None:
    found = claim_of("exists t: T > 2", more='let = { T = "t + 1" }')
    assert isinstance(found, Unusable) and "'t' is bound by 'exists' and used outside it, too" in found.message


def test_what_all_values_share_is_a_claim_as_any_other() -> None:
    assert verdict("for all x: x^2 + 1 >= x").kind == verdict("x^2 + 1 >= x").kind == "verified"
    assert verdict("for all x: x a >= x").condition == verdict("x a >= x").condition == "a >= 1"


@pytest.mark.parametrize("says", ["x^2 >= x", "x^3 >= x^2"])
def test_no_condition_is_set_to_a_name_that_is_bound(says: str) -> None:
    assert verdict(says).kind == "conditional"
    found = verdict(f"for all x: {says}")
    assert (found.kind, found.condition) == ("refuted", None) and found.counterexample
    assert verdict(f"not (for all x: {says})").kind == "verified"


@pytest.mark.parametrize("says", ["exists t: t > B and t < N", "for all t: t < N", "B > 1 and for all N: N > 3"])
def test_nothing_is_said_of_them_in_a_regime(says: str) -> None:
    judged = verdict(says, more="regime = 'N >> B'")
    assert judged.kind == "undecided"
    assert judged.note == "'exists' and 'for all' are not supported in a regime"


@pytest.mark.parametrize("text", ["exists t: t > R", "for all n, m integer: n m >= n", "not (exists t real: t < 0)"])
def test_it_prints_as_it_is_read(text: str) -> None:
    assert to_text(read_statement(text)) == text
    assert read_statement(text.replace("exists", "∃").replace("for all", "∀")) == read_statement(text)


def test_words_are_names_where_no_colon_follows() -> None:
    assert to_text(read_statement("exists > forall")) == "exists > forall"


Atom = tuple[int, int, int, str]  # a t + b R + c  relation  0
ATOMS = st.tuples(st.integers(-3, 3), st.integers(-2, 2), st.integers(-4, 4), st.sampled_from(["<", "<=", ">", "=="]))
RELATIONS = {"<": lambda v: v < 0, "<=": lambda v: v <= 0, ">": lambda v: v > 0, "==": lambda v: v == 0}
R_VALUES = [Fraction(p, q) for p, q in product(range(1, 9), (1, 2, 3))]


def atom_true(atom: Atom, t: Fraction, r: Fraction) -> bool:
    a, b, c, relation = atom
    return RELATIONS[relation](a * t + b * r + c)


def is_there(atoms: list[Atom], joined: str, r: Fraction, whole: bool) -> bool:
    """Return whether some positive t exists, from the points at which an atom may change, between and beyond them."""
    roots = sorted({Fraction(0)} | {-(b * r + c) / a for a, b, c, _ in atoms if a and -(b * r + c) / a > 0})
    points = [*roots[1:], *((x + y) / 2 for x, y in pairwise(roots)), roots[-1] + 1]
    if whole:
        points = [Fraction(k) for k in range(1, int(roots[-1]) + 3)]
    every = all if joined == "and" else any
    return any(every(atom_true(atom, t, r) for atom in atoms) for t in points)


@given(st.lists(ATOMS, min_size=1, max_size=3), st.sampled_from(["and", "or"]), st.booleans(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_random_claims_of_one_unknown(atoms: list[Atom], joined: str, whole: bool, denied: bool) -> None:
    """No verdict is wrong at any value of R that is tried, by independent arithmetic."""
    body = f" {joined} ".join(f"{a} * t + {b} * R + {c} {relation} 0" for a, b, c, relation in atoms)
    kind = " integer" if whole else ""
    says = f"not exists t{kind}: {body}" if denied else f"exists t{kind}: {body}"
    found = claim_of(says)
    assert isinstance(found, Claim), found
    told = judge(found)
    if told.kind == "verified":
        assert all(is_there(atoms, joined, r, whole) != denied for r in R_VALUES)
    elif told.kind == "refuted":
        at = (told.counterexample or {}).get("R", Fraction(1))
        assert is_there(atoms, joined, Fraction(str(at)), whole) == denied
    else:
        assert told.kind == "undecided"
