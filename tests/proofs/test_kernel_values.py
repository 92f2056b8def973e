"""Terms and formulas as values: one object each, equal to a tuple. Forged ones become no theorem."""

import copy
import pickle
import sys

import pytest

from roofproof.proofs.kernel import kernel, terms
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, as_formula, as_term, show, well_formed

X, Y = Term("v", "x"), Term("v", "y")
ONE = Term("q", 1, 1)
GREATER = Formula(">", X, Y)
FALSE = Formula("false")
PLAIN = (">", ("v", "x"), ("v", "y"))


def test_a_value_is_equal_to_the_tuple_it_holds():
    assert GREATER == PLAIN and hash(GREATER) == hash(PLAIN) and repr(GREATER) == repr(PLAIN)
    assert {PLAIN: 1}[GREATER] == {GREATER: 1}[PLAIN] == 1
    assert (Formula(">", Y, X) > GREATER) == (PLAIN < (">", ("v", "y"), ("v", "x")))
    assert str(GREATER) == f"{GREATER}" == "x > y"


def test_a_value_is_one_object_however_it_was_made():
    terms._values.clear()  # earlier values may have been dropped
    one = Formula(">", Term("v", "x"), ("v", "y"))
    made = [
        Formula(">", ("v", "x"), Y), as_formula(PLAIN), copy.copy(one), copy.deepcopy(one),
        kernel.assume(PLAIN).conclusion, one.mapped(lambda p: p),
        *(pickle.loads(pickle.dumps(one, protocol)) for protocol in range(6)),
    ]  # fmt: skip
    assert all(m is one for m in made)
    assert type(one[1]) is Term and one[1] is as_term(("v", "x")) is Term("v", "x")


def test_names_of_growing_variables_are_no_values():
    for name in ("v", "q", "max", "x"):
        tends = ("tends", ("v", "y"), (name,), ("v", "y"))
        assert as_formula(tends) == tends and type(as_formula(tends)[2]) is tuple


def test_values_are_forgotten_without_harm(monkeypatch):
    monkeypatch.setattr(terms, "MAX_INTERNED", 10)
    kept = [Term("q", n, 1) for n in range(40)]
    assert [Term("+", k, k) for k in kept] == [("+", ("q", n, 1), ("q", n, 1)) for n in range(40)]
    assert well_formed(Formula(">", *kept[:2]))


def test_what_was_looked_at_is_kept_so_that_nothing_else_has_its_identity():
    value = tuple.__new__(Formula, (">", Term("v", "x of its own"), ZERO))
    before = sys.getrefcount(value)
    assert well_formed(value)
    assert sys.getrefcount(value) == before + 1
    assert terms._checked[id(value)][0] is value


def test_what_is_no_longer_remembered_is_looked_at_again():
    twice = Term("+", X, X)
    terms._checked.clear()
    terms._values.clear()
    assert Term("*", twice, twice) == ("*", ("+", X, X), ("+", X, X)) and as_term(twice) is twice
    with pytest.raises(KernelError):
        Term("*", twice, tuple.__new__(Term, ("+", X, 1)))


JUNK = [
    lambda: Term("+", 1), lambda: Term("q", True, 1), lambda: Term("q", 1.0, 1), lambda: Term("q", 1, 0),
    lambda: Term("^", X, -1), lambda: Term("^", X, X), lambda: Term("maybe", X), lambda: Term(">", X, Y),
    lambda: Term("sqrt", GREATER), lambda: Term("v", X), lambda: Term("v", ["x"]), lambda: Formula(">", X),
    lambda: Formula("not", X), lambda: Formula("+", X), lambda: Formula(">", X, 0), lambda: Formula("int", "x"),
    lambda: Formula("tends", X, ["x"], X), lambda: Formula("tends", X, (), X), lambda: Term(["v"], "x"),
    lambda: as_term(PLAIN), lambda: as_formula(X), lambda: Formula(X, Y),
]  # fmt: skip


@pytest.mark.parametrize("made", JUNK)
def test_the_constructor_looks_at_the_shape(made):
    for _ in range(2):
        with pytest.raises(KernelError):
            made()


def test_depth_and_size_are_bounded():
    deep = X
    for _ in range(terms.MAX_DEPTH - 1):
        deep = Term("floor", deep)
    assert kernel.assume(Formula(">", deep, ZERO))
    wide = X
    with pytest.raises(KernelError):
        Formula(">", Term("floor", Term("floor", deep)), ZERO)
    with pytest.raises(KernelError, match="of bounded size"):
        for _ in range(100):
            wide = Term("+", wide, wide)


def test_a_value_does_not_change():
    for name, value in (("head", "<"), ("extra", 1), ("__class__", tuple), ("variables", frozenset())):
        with pytest.raises((AttributeError, TypeError)):
            setattr(GREATER, name, value)
    assert not hasattr(GREATER, "__dict__")
    with pytest.raises(TypeError):
        GREATER[0] = "<"


def test_a_value_has_no_subclass():
    for base in (Term, Formula):
        with pytest.raises(TypeError, match="no subclasses"):
            type("Forged", (base,), {})


class Lying(tuple):
    """A tuple that pretends to be x > y, or false, whatever it holds."""

    __slots__ = ()
    says = PLAIN

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash(self.says)

    def __getitem__(self, index):
        return self.says[index]

    def __iter__(self):
        return iter(self.says)

    def __len__(self):
        return len(self.says)


class Name(str):
    """A string subclass that behaves as a string."""


FORGED = {
    "a string of another class as a head": tuple.__new__(Formula, (Name(">"), X, Y)),
    "a string of another class as a name": tuple.__new__(Formula, (">", tuple.__new__(Term, ("v", Name("x"))), Y)),
    "a formula called a term": tuple.__new__(Formula, (">", tuple.__new__(Term, GREATER), Y)),
    "no formula": tuple.__new__(Formula, ("maybe", X)),
    "too short": tuple.__new__(Formula, (">", X)),
    "a number": tuple.__new__(Formula, (">", X, 0)),
    "a list": tuple.__new__(Formula, (">", ["v", "x"], ZERO)),
    "no term inside": tuple.__new__(Formula, (">", tuple.__new__(Term, ("q", 1, 0)), ZERO)),
    "a truth value inside": tuple.__new__(Formula, (">", tuple.__new__(Term, ("q", True, 1)), Y)),
    "a liar inside": tuple.__new__(Formula, (">", Lying(X), Y)),
    "a list as a head": tuple.__new__(Formula, (["not"], FALSE)),
    "nothing": tuple.__new__(Formula, ()),
}  # fmt: skip


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_a_forged_formula_becomes_no_theorem(forged):
    assert type(forged) is Formula and not well_formed(forged)
    fact = kernel.assume(GREATER)
    for use in (
        lambda: kernel.assume(forged),
        lambda: kernel.discharge(fact, forged),
        lambda: kernel.propositional(forged, [fact]),
        lambda: kernel.propositional(tuple.__new__(Formula, ("or", forged, Formula("true")))),
        lambda: kernel.arith(forged, [fact], [(ONE, [0])]),
        lambda: Formula("not", forged) and kernel.assume(Formula("not", forged)),
    ):
        with pytest.raises((KernelError, TypeError)):
            use()


def test_a_forged_formula_that_is_well_formed_is_read_as_it_stands():
    """A well-formed formula made without the constructor proves only the formula that it holds."""
    made = kernel.assume(tuple.__new__(Formula, (">", tuple.__new__(Term, ("v", "x")), Y)))
    assert made.conclusion == PLAIN and show(made.conclusion) == "x > y"


def test_a_value_of_the_other_class_is_none():
    """A formula of class `Term`, and a term of class `Formula`, are not well formed."""
    for forged in (tuple.__new__(Term, GREATER), tuple.__new__(Formula, X), tuple.__new__(Term, ("tends",))):
        assert not well_formed(forged) and not well_formed(forged, "term")


@pytest.mark.parametrize("of", [lambda: X, lambda: GREATER, lambda: kernel.assume(GREATER).conclusion], ids=range(3))
def test_no_value_becomes_one_of_another_class(of):
    """Python lets an object change its class, but a value refuses, so theorems about it stay true."""
    for change in (object.__setattr__, type(of()).__setattr__, setattr):
        with pytest.raises(AttributeError):
            change(of(), "__class__", Lying)
    assert type(of()) in (Term, Formula)


def test_what_is_remembered_of_a_value_is_not_what_another_says_for_it():
    """A forged object that claims to equal a term, and is read first, does not affect the cached data of that term."""
    for read in (terms.normal_form, terms.variables, terms.fraction_of, lambda t: terms.normal(t, [])):
        for liar in (Lying(("v", "a liar")), tuple.__new__(Term, ("sqrt", Lying(X)))):
            with pytest.raises(KernelError):
                read(liar)
    assert terms.variables(GREATER) == {"x", "y"}


def test_normal_forms_handed_out_are_not_those_the_rules_keep():
    goal = (">", ("*", ("q", 2, 1), ("v", "x")), ("v", "x"))
    assert kernel.arith(goal, positive=["x"])
    twice = Term("*", Term("q", 2, 1), X)
    numerator, _, _ = twice.normal_form
    kept = dict(numerator)
    numerator.clear()
    try:
        assert kernel.arith(goal, positive=["x"])
        with pytest.raises(KernelError):
            kernel.arith((">=", ZERO, twice), positive=["x"])
    finally:
        numerator.update(kept)


def test_a_forged_value_in_the_place_of_one_that_is_gone():
    """Checked values are kept alive, because they are recognized by identity."""
    for k in range(500):
        assert well_formed(tuple.__new__(Formula, (">", X, Term("q", k, 1))))
        assert not well_formed(tuple.__new__(Formula, (">", X, k)))
