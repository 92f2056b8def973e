"""Attempts to come by a Theorem that no rule made, or to change one that was made."""

import copy
import ctypes
import dataclasses
import gc
import importlib.util
import pickle
import weakref

import pytest

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ONE as ONE_POLYNOMIAL
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, normal, well_formed

X, Y = ("v", "x"), ("v", "y")
ONE = ("q", 1, 1)
FALSE = ("false",)
fact = kernel.assume((">", X, Y))


def says_nothing(forged) -> bool:
    """Tell whether neither the kernel's rules nor the object itself give the forged theorem a meaning."""
    for use in (
        lambda: kernel.propositional(FALSE, [forged]),
        lambda: kernel.discharge(forged, FALSE),
        lambda: kernel.instantiate(forged, {}),
        lambda: kernel.arith(FALSE, [forged], [(ONE, [0])]),
        lambda: kernel.integral(ONE, [forged]),
        lambda: kernel.gap(forged, forged),
        lambda: kernel.identity(X, X, "x", [forged]),
    ):
        with pytest.raises(KernelError):
            use()
    return True


def test_the_constructor():
    for call in (
        lambda: Theorem(),
        lambda: Theorem(frozenset(), FALSE, "forged", ()),
        lambda: Theorem.__new__(Theorem),
        lambda: type(fact)(conclusion=FALSE),
    ):
        with pytest.raises(TypeError, match="made by the rules of the kernel only"):
            call()


def test_an_empty_object():
    empty = object.__new__(Theorem)
    assert says_nothing(empty)
    for read in ("hypotheses", "conclusion", "rule", "premises", "certificate"):
        with pytest.raises(KernelError, match="not a theorem of this kernel"):
            getattr(empty, read)
    with pytest.raises(KernelError):
        repr(empty)


def test_a_subclass():
    with pytest.raises(TypeError, match="no subclasses"):

        class Forged(Theorem):
            pass

    with pytest.raises(TypeError, match="no subclasses"):
        type("Forged", (Theorem,), {"conclusion": FALSE})


def test_a_subclass_behind_pythons_back():
    """A mixin can swallow the call that refuses subclasses; the rules still look at the exact type."""

    class Mixin:
        __slots__ = ()

        def __init_subclass__(cls):
            pass

    class Forged(Mixin, Theorem):
        __slots__ = ()
        conclusion, hypotheses, rule, premises = FALSE, frozenset(), "arith", ()

    assert says_nothing(object.__new__(Forged))


def test_a_look_alike():
    class Forged:
        __slots__ = ("__weakref__",)
        conclusion, hypotheses, rule, premises = FALSE, frozenset(), "arith", ()

        def __hash__(self):
            return hash(fact)

        def __eq__(self, other):
            return True

        @property
        def __class__(self):
            return Theorem

    forged = Forged()
    assert isinstance(forged, Theorem)  # Python believes it
    assert says_nothing(forged)


def test_another_class_for_an_object():
    class Forged:
        __slots__ = ("__weakref__",)
        conclusion = FALSE

    taken = Forged()
    taken.__class__ = Theorem  # the same layout, so Python allows it
    assert type(taken) is Theorem and says_nothing(taken)

    made = kernel.assume((">", X, Y))
    made.__class__ = Forged
    assert made.conclusion == FALSE  # it is no theorem while it is of another class
    assert says_nothing(made)
    made.__class__ = Theorem
    assert made.conclusion == (">", X, Y)


@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, pickle.dumps, lambda t: t.__reduce__(), lambda t: t.__reduce_ex__(4)],
    ids=["copy", "deepcopy", "pickle", "reduce", "reduce_ex"],
)
def test_copies(again):
    with pytest.raises(TypeError):
        again(fact)


def test_replace():
    with pytest.raises(TypeError):
        dataclasses.replace(fact, conclusion=FALSE)


def test_attributes():
    for name in ("conclusion", "hypotheses", "rule", "premises", "certificate", "_content", "extra"):
        for assign in (setattr, object.__setattr__):
            with pytest.raises(AttributeError):
                assign(fact, name, FALSE)
        with pytest.raises(AttributeError):
            object.__delattr__(fact, name)
    assert not hasattr(fact, "__dict__")
    with pytest.raises(TypeError):
        type(fact).__dict__["conclusion"] = FALSE
    with pytest.raises(KernelError):
        type(fact).__dict__["conclusion"].fget(object.__new__(Theorem))
    assert type(fact).__dict__["conclusion"].fset is None


def test_what_a_theorem_hands_out_cannot_be_changed():
    assert type(fact.hypotheses) is frozenset
    assert type(fact.conclusion) is Formula and type(fact.premises) is type(fact.certificate) is tuple
    with pytest.raises(TypeError):
        fact.conclusion[0] = "="


def test_normal_forms_handed_out_are_not_those_the_rules_keep():
    """Somebody who changes the polynomials he was given changes nothing that is proved afterwards."""
    goal = (">", ("*", ("q", 2, 1), X), X)
    assert kernel.arith(goal, positive=["x"])
    given = kernel.polynomial(goal, ["x"])
    given[()] = -7
    given.clear()
    with pytest.raises(TypeError):
        ONE_POLYNOMIAL[()] = 2
    for polynomial in normal(X, []):
        polynomial[()] = 2
    assert kernel.arith(goal, positive=["x"])
    with pytest.raises(KernelError):
        kernel.arith((">", X, ("*", ("q", 2, 1), X)), positive=["x"])


def test_a_formula_looked_at_once_is_not_taken_for_another_in_its_place():
    """Formulas are known again by identity; one that is gone leaves its place to another."""
    for _ in range(3):
        for k in range(20_000):
            assert well_formed((">", ("v", "x"), ("q", k, 1)))
            assert not well_formed((">", ("v", "x"), ("q", k, 0)))


def test_a_list_inside_a_formula():
    inside = ["v", "x"]
    for call in (
        lambda: kernel.assume((">", inside, ZERO)),
        lambda: kernel.square(inside),
        lambda: kernel.trichotomy(inside, X),
        lambda: kernel.propositional(("or", ("true",), (">", inside, ZERO))),
        lambda: kernel.instantiate(fact, {"x": inside}),
        lambda: kernel.tends(ONE, ["D"], inside, ["D"]),
    ):
        with pytest.raises(KernelError):
            call()


def test_lists_given_to_a_rule_may_change_afterwards():
    premises, growing, values = [fact], ["D"], {"x": ONE}
    chosen, positive = [0], ["x"]
    entries = [(ONE, chosen)]
    summed = kernel.arith((">", X, Y), premises, entries, positive)
    made = kernel.propositional((">", X, Y), premises)
    limit = kernel.tends(("/", ONE, ("v", "D")), growing, ZERO, growing)
    put = kernel.instantiate(fact, values)
    premises[0], growing[0], values["x"] = kernel.assume(FALSE), "E", ZERO
    entries[0], chosen[0], positive[0] = (ZERO, []), 7, "z"
    assert summed.certificate == (((ONE, (0,)),), {X}, ONE)
    assert put.certificate == (("x", ONE),)
    assert made.premises == (fact,)
    assert limit.conclusion[2] == ("D",)
    assert put.conclusion == (">", ONE, Y)


# --- the guards of the class taken away -----------------------------------------------------------


@pytest.fixture
def bare(monkeypatch):
    """The class without what refuses copies and construction, as code in the same process can make it."""
    for name in ("__new__", "__reduce_ex__", "__init_subclass__"):
        monkeypatch.delattr(Theorem, name)
    return Theorem


def test_without_its_guards_a_theorem_is_copied_into_one_that_says_nothing(bare):
    import copyreg

    made = [object.__new__(bare), copy.copy(fact), copy.deepcopy(fact), bare()]
    copyreg.pickle(bare, lambda _: (object.__new__, (bare,)))
    try:
        made += [copy.copy(fact), pickle.loads(pickle.dumps(fact))]
    finally:
        del copyreg.dispatch_table[bare]
    for forged in made:
        assert type(forged) is Theorem and forged is not fact and says_nothing(forged)


def test_without_its_guards_a_subclass_still_says_nothing(bare):
    class Forged(bare):
        conclusion, hypotheses, rule, premises = FALSE, frozenset(), "arith", ()

    assert says_nothing(Forged()) and says_nothing(object.__new__(Forged))


def test_a_conclusion_painted_over_is_not_what_the_rules_read(monkeypatch):
    """The property can be replaced; the rules read what was proved."""
    made = kernel.assume((">", X, Y))
    monkeypatch.setattr(Theorem, "conclusion", property(lambda _: FALSE))
    assert made.conclusion == FALSE
    assert kernel.propositional((">", X, Y), [made]) is not None
    with pytest.raises(KernelError):
        kernel.propositional(FALSE, [made])


@pytest.mark.slow
def test_a_theorem_brought_back_from_garbage_says_nothing():
    """The collector forgets what it said before a finalizer can take it out of a cycle."""
    gc.freeze()  # what other tests left is not looked through
    kept = []

    class Grave:
        def __init__(self, theorem):
            self.theorem, self.cycle = theorem, self

        def __del__(self):
            kept.append(self.theorem)

    Grave(kernel.assume((">", X, Y)))
    gc.collect()
    [back] = kept
    assert type(back) is Theorem and says_nothing(back)


def test_threads_do_not_mix_theorems():
    """A list of premises that another thread exchanges while a rule works is read once."""
    import threading

    premises, stop = [kernel.assume((">", X, Y))], threading.Event()

    def exchange():
        while not stop.is_set():
            premises[0] = kernel.assume(FALSE)
            premises[0] = kernel.assume((">", X, Y))

    other = threading.Thread(target=exchange)
    other.start()
    try:
        for _ in range(2_000):
            try:
                made = kernel.propositional((">", X, Y), premises)
            except KernelError:
                continue
            assert made.hypotheses == {made.premises[0].conclusion}
            assert made.hypotheses in ({FALSE}, {(">", X, Y)})
    finally:
        stop.set()
        other.join()


def test_what_python_cannot_prevent():
    """docs/certificates.md says so: code that reaches into the module, or finds its dictionary by gc, can forge."""
    reached = kernel._content
    gc.unfreeze()  # what the test run keeps out of sight
    assert any(found is reached.data for found in gc.get_objects())
    forged = object.__new__(Theorem)
    reached[forged] = (frozenset(), FALSE, "arith", (), ())
    try:
        assert forged.conclusion == FALSE
    finally:
        del reached[forged]
    assert says_nothing(forged)


# --- identity, memory, a second kernel ------------------------------------------------------------


def test_a_forgotten_theorem_leaves_nothing_to_its_successor():
    """An object made at the address of a theorem that was freed does not inherit what it said."""
    for _ in range(200):
        made = kernel.assume(FALSE)
        address = id(made)
        del made
        successors = [object.__new__(Theorem) for _ in range(4)]
        for s in successors:
            with pytest.raises(KernelError):
                _ = s.conclusion
        del successors
    assert address


@pytest.mark.slow
def test_forgotten_theorems_are_freed():
    gc.freeze()  # what other tests left is not looked through
    made = kernel.assume((">", X, Y))
    watch = weakref.ref(made)
    kept = kernel.propositional((">", X, Y), [made])
    del made
    gc.collect()
    assert watch() is kept.premises[0]  # a theorem keeps what it rests on
    del kept
    gc.collect()
    assert watch() is None


def test_theorems_are_compared_by_identity():
    assert fact != kernel.assume((">", X, Y))
    assert len({fact, kernel.assume((">", X, Y))}) == 2


def test_a_theorem_of_another_kernel():
    spec = importlib.util.spec_from_file_location("second_kernel", kernel.__file__)
    second = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(second)
    second.well_formed = lambda *_: True  # this one is broken; what it makes stays with it
    broken = second.propositional(FALSE, [second.assume(FALSE)])
    assert repr(broken) == "false |- false"
    assert says_nothing(broken)


def test_other_things_in_place_of_theorems():
    for other in (None, FALSE, (">", X, Y), "theorem", Theorem, weakref.proxy(fact), ctypes.py_object(fact)):
        assert says_nothing(other)
