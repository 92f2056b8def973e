"""Terms and formulas as values: one object each, as the tuple that they hold; forged ones become no theorem."""

import copy
import pickle
import sys

import pytest

from roofproof.proofs.kernel import kernel, terms
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, as_formula, as_term, well_formed

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
    terms._interned.clear()  # values made before may be forgotten
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


def test_what_was_found_well_formed_is_kept_so_that_nothing_else_has_its_identity(monkeypatch):
    monkeypatch.setattr(terms, "MAX_INTERNED", 0)  # of what was copied nothing is kept
    value = Formula(">", Term("v", "x of its own"), ZERO)
    before = sys.getrefcount(value)
    assert well_formed(value) and id(value) not in terms._plains
    assert sys.getrefcount(value) == before + 1


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
    """It says x > y, or false, whatever it holds."""

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


FORGED = {
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
    """Other than through the constructor: what it holds is what is proved, and no more."""
    made = kernel.assume(tuple.__new__(Formula, (">", tuple.__new__(Term, ("v", "x")), Y)))
    assert made.conclusion == PLAIN and made.conclusion is as_formula(PLAIN)


def lying_from_now_on(value):
    object.__setattr__(value, "__class__", Lying)  # Python allows it for any two classes of tuples


def test_a_formula_that_changes_its_class_changes_no_theorem():
    """Python lets an object become another; what was proved is kept in tuples that are the kernel's own."""
    held = tuple.__new__(Formula, (">", tuple.__new__(Term, ("v", "z")), ZERO))
    fact, inside = kernel.assume(held), held[1]
    lying_from_now_on(inside)
    lying_from_now_on(held)
    assert type(held) is Lying and held[1] == ("v", "x")  # it lies
    z = (">", ("v", "z"), ("q", 0, 1))
    assert fact.conclusion == z and fact.hypotheses == {z} and type(fact.conclusion) is Formula
    assert kernel.propositional(z, [fact]).conclusion == z
    for goal in (PLAIN, FALSE, Formula(">", ZERO, ZERO)):
        with pytest.raises(KernelError):
            kernel.propositional(goal, [fact])
    assert kernel.discharge(fact, held).conclusion in (("=>", z, z),)  # known again, as what it was when it was read
    with pytest.raises(KernelError):
        kernel.assume(Formula("not", tuple.__new__(Formula, (">", inside, ZERO))))


def test_what_a_theorem_hands_out_may_change_its_class():
    fact = kernel.assume((">", ("v", "liar"), ("q", 0, 1)))
    handed = fact.conclusion
    lying_from_now_on(handed)
    try:
        with pytest.raises(KernelError):
            kernel.propositional(PLAIN, [fact])
        with pytest.raises(KernelError):
            kernel.arith(FALSE, [fact], [(ONE, [0])])
        assert kernel.arith((">", ("v", "liar"), ("q", -1, 1)), [fact], [(ONE, [0]), (ONE, [])]).premises == (fact,)
    finally:
        object.__setattr__(handed, "__class__", Formula)


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
    """What was read is known again by identity, so it is kept."""
    for k in range(500):
        assert well_formed(tuple.__new__(Formula, (">", X, Term("q", k, 1))))
        assert not well_formed(tuple.__new__(Formula, (">", X, k)))
