"""Attempts to get a false theorem from a rule with values that change each time they are read."""

import pytest

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, KernelError

X, Y = ("v", "x"), ("v", "y")
ONE = ("q", 1, 1)
FALSE = ("false",)
fact = kernel.assume((">", X, Y))


class EvilTuple(tuple):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return hash((">", X, Y))

    def __getitem__(self, index):
        return (">", X, Y)[index]

    def __iter__(self):
        return iter((">", X, Y))


class EvilStr(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("x")


class EvilInt(int):
    def __gt__(self, other):
        return True

    def __eq__(self, other):
        return True

    def __mul__(self, other):
        return EvilInt(1)

    __rmul__ = __mul__

    def __hash__(self):
        return 1


class HarmlessTuple(tuple):
    """A tuple subclass that behaves as a tuple. A rule that accepts it would accept the others, too."""


class HarmlessStr(str):
    pass


EVIL = {
    "harmless tuple as formula": HarmlessTuple((">", X, Y)),
    "harmless tuple as term": (">", HarmlessTuple(X), Y),
    "harmless str as head": (HarmlessStr(">"), X, Y),
    "harmless str as head of a term": (">", (HarmlessStr("sqrt"), X), Y),
    "tuple as formula": EvilTuple(FALSE),
    "tuple as term": (">", EvilTuple(ZERO), ZERO),
    "str as head": (EvilStr(">"), X, Y),
    "str as name": (">", ("v", EvilStr("y")), Y),
    "int as numerator": (">", ("q", EvilInt(-1), 1), ZERO),
    "int as denominator": (">", ("q", 1, EvilInt(-1)), ZERO),
    "bool as numerator": (">", ("q", True, 1), ZERO),
    "int as exponent": (">", ("^", X, EvilInt(-1)), ZERO),
    "growing names": ("tends", ONE, EvilTuple(("D",)), ONE),
    "growing name": ("tends", ONE, (EvilStr("D"),), ONE),
}


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL)
def test_evil_formulas_enter_no_rule(evil):
    for call in (
        lambda: kernel.assume(evil),
        lambda: kernel.discharge(fact, evil),
        lambda: kernel.propositional(evil, [fact]),
        lambda: kernel.arith(evil, [fact], [(ONE, [0])]),
        lambda: kernel.propositional(("or", evil, ("true",))),
    ):
        with pytest.raises(KernelError):
            call()


@pytest.mark.parametrize(
    "evil",
    [EvilTuple(ZERO), ("q", EvilInt(-1), 1), ("v", EvilStr("y")), ("q", True, 1), ("^", X, EvilInt(2))],
    ids=repr,
)
def test_evil_terms_enter_no_rule(evil):
    for call in (
        lambda: kernel.arith((">", Y, X), [fact], [(evil, [0])], "xy"),
        lambda: kernel.arith((">", X, Y), [fact], [(ONE, [0])], "xy", evil),
        lambda: kernel.identity(evil, X),
        lambda: kernel.square(evil),
        lambda: kernel.trichotomy(evil, X),
        lambda: kernel.definition(("max", X, evil)),
        lambda: kernel.integral(evil),
        lambda: kernel.instantiate(fact, {"x": evil}),
        lambda: kernel.tends(evil, ["D"], ZERO, ["D", "x", "y"]),
        lambda: kernel.tends(ZERO, ["D"], evil, ["D", "x", "y"]),
    ):
        with pytest.raises(KernelError):
            call()


def test_evil_names_enter_no_rule():
    for call in (
        lambda: kernel.arith((">", X, ZERO), [], None, [EvilStr("z")]),
        lambda: kernel.instantiate(fact, {EvilStr("z"): ONE}),
        lambda: kernel.tends(("/", ONE, X), [EvilStr("D")], ZERO, ["x", "D"]),
        lambda: kernel.tends(("/", ONE, X), ["D"], ZERO, ["D", EvilStr("z")]),
    ):
        with pytest.raises(KernelError):
            call()


def test_a_name_that_changes_its_mind_does_not_hide_a_hypothesis():
    """`arith` refuses a name that is y when signs are looked up and x when hypotheses are collected."""

    class Fickle(str):
        mask = "y"

        def __eq__(self, other):
            return other == self.mask

        def __hash__(self):
            return hash(self.mask)

    positive = kernel.assume((">", X, ZERO))
    with pytest.raises(KernelError):
        kernel.arith((">", Y, ZERO), [positive], None, [Fickle("y")])


class Twice:
    """A sequence that answers differently each time it is read."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def __iter__(self):
        return iter(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])

    def __len__(self):
        return len(self.answers[0])

    def __getitem__(self, index):
        return list(self)[index]


def test_sequences_that_answer_differently_each_time():
    contradiction = kernel.assume(FALSE)
    assert kernel.propositional(FALSE, Twice([contradiction], [])).hypotheses == {FALSE}
    assert kernel.arith((">", X, Y), Twice([fact], []), [(ONE, [0])]).hypotheses == {(">", X, Y)}
    whole = kernel.assume(("int", X))
    assert kernel.integral(X, Twice([whole], [])).hypotheses == {("int", X)}
    equal, less = kernel.identity(X, X), kernel.assume((">", X, Y))
    for answers in ([0], [1]), ([1], [0]):  # an equation, which any term may multiply, and the inequality
        with pytest.raises(KernelError):
            kernel.arith((">=", Y, X), [equal, less], [(("q", -1, 1), Twice(*answers))])
    with pytest.raises(KernelError):
        kernel.tends(("v", "D"), Twice(["D"], [], ["D"]), ("v", "D"), ["D"])

    class Index:
        def __init__(self):
            self.answers = [0, 1]

        def __index__(self):
            return self.answers.pop(0)

    with pytest.raises(KernelError):
        kernel.arith((">", Y, X), [equal, less], [(("q", -1, 1), [Index()])])
