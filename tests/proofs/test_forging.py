"""Attempts to forge a Theorem that no rule made, or to change an existing one."""

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
    """Assert that every rule of the proof checker refuses a forged theorem, and return True."""
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
    """A mixin can swallow the call that refuses subclasses, but the rules check the exact type."""

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
    assert isinstance(forged, Theorem)  # Python accepts it
    assert says_nothing(forged)


def test_another_class_for_an_object():
    class Forged:
        __slots__ = ("__weakref__",)
        conclusion = FALSE

    taken = Forged()
    taken.__class__ = Theorem  # Python allows it, as the layout is the same
    assert type(taken) is Theorem and says_nothing(taken)

    made = kernel.assume((">", X, Y))
    made.__class__ = Forged
    assert made.conclusion == FALSE  # not a theorem while it has another class
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
    """Changing a returned polynomial does not affect later proofs."""
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
    """Checked formulas are recognized by identity, but a new formula at the address of a freed one is checked again."""
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


# --- without the guards of the class --------------------------------------------------------------


@pytest.fixture
def bare(monkeypatch):
    """The class without its guards against copies and construction, which code in the same process can remove."""
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
    """Replacing the property does not affect the rules, which read the original content."""
    made = kernel.assume((">", X, Y))
    monkeypatch.setattr(Theorem, "conclusion", property(lambda _: FALSE))
    assert made.conclusion == FALSE
    assert kernel.propositional((">", X, Y), [made]) is not None
    with pytest.raises(KernelError):
        kernel.propositional(FALSE, [made])


@pytest.mark.slow
def test_a_theorem_brought_back_from_garbage_says_nothing():
    """The entry of a theorem is gone before a finalizer can rescue the object from a cycle."""
    gc.freeze()  # ignore objects of other tests
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
    """A rule reads a list of premises once, even if another thread changes it meanwhile."""
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
    """Code that uses private names of the module, or finds its dictionary by gc, can forge (docs/certificates.md)."""
    reached = kernel._content
    gc.unfreeze()  # undo the freeze of the test run
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
    """A new object at the address of a freed theorem does not inherit its content."""
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
    gc.freeze()  # ignore objects of other tests
    made = kernel.assume((">", X, Y))
    watch = weakref.ref(made)
    kept = kernel.propositional((">", X, Y), [made])
    del made
    gc.collect()
    assert watch() is kept.premises[0]  # a theorem keeps its premises alive
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
    second.well_formed = lambda *_: True  # this kernel is broken, but its theorems are not accepted elsewhere
    broken = second.propositional(FALSE, [second.assume(FALSE)])
    assert repr(broken) == "false |- false"
    assert says_nothing(broken)


def test_other_things_in_place_of_theorems():
    for other in (None, FALSE, (">", X, Y), "theorem", Theorem, weakref.proxy(fact), ctypes.py_object(fact)):
        assert says_nothing(other)
