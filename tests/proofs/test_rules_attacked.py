"""Every rule of the proof checker is attacked, and nothing else makes theorems, so no rule is added unnoticed."""

import ast
import dis
import inspect
import sys
from collections import Counter
from functools import wraps

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from rule_attacks import ATTACKS, by_type
from second_reading import counterexample, tries
from term_evaluator import judged

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import RULES
from roofproof.proofs.kernel.terms import KernelError

NO_SOLVER = {"log2", "power", "tends"}  # second_reading.py does not translate them for z3
LEAST = 12  # minimum number of theorems per 100 calls whose hypotheses hold somewhere


def words(f):
    return {f} if isinstance(f, str) else set().union(*map(words, f)) if isinstance(f, tuple) else set()


def called(rule, arguments, told):
    """Call a rule, count the outcome, and search for a counterexample to the theorem."""
    try:
        theorem = rule(*arguments)
    except KernelError:
        told["refused"] += 1
        return
    held, point = judged(theorem.hypotheses, theorem.conclusion)
    assert point is None, f"{rule.__name__} proves {theorem}, which is false at {point}"
    told["made"] += 1
    told["held"] += held > 0
    if told["made"] % 8 == 0 and not NO_SOLVER & words((*theorem.hypotheses, theorem.conclusion)):
        assert counterexample(theorem) is None


def as_found(n):
    """Return settings without shrinking, for tests that expect a false theorem."""
    return settings(tries(n), phases=(Phase.generate,))


def attacked(rule, calls, n=100, tries=tries):
    """Attack a rule and count the theorems made, those with hypotheses that hold somewhere, and the refusals."""
    told = Counter()

    @settings(tries(n), report_multiple_bugs=False)
    @given(calls)
    def attack(arguments):
        called(rule, arguments, told)

    attack()
    return told


def lines_reached(rule, run):
    """Return the lines of a rule that a run does not reach."""
    code = inspect.unwrap(rule).__code__
    due = {line for _, line in dis.findlinestarts(code) if line is not None and line > code.co_firstlineno}
    before = sys.gettrace()

    def inside(frame, event, _):
        due.discard(frame.f_lineno)
        return inside

    @wraps(rule)
    def traced(*arguments):  # does not trace the generation of the calls, which takes longer
        sys.settrace(lambda frame, event, _: inside if frame.f_code is code else None)
        try:
            return rule(*arguments)
        finally:
            sys.settrace(before)

    run(traced)
    return due


def test_every_rule_has_an_attack():
    assert set(ATTACKS) == set(RULES), "each rule needs its attack in tests/proofs/rule_attacks.py, and no other"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", RULES)
def test_a_rule_under_its_own_attack(name):
    told = Counter()
    missed = lines_reached(RULES[name], lambda rule: told.update(attacked(rule, ATTACKS[name])))
    assert not missed, f"the attack on {name} never reaches line {min(missed)} of kernel.py"
    assert told["held"] >= LEAST and told["refused"], f"a token attack on {name}: {dict(told)}"


@pytest.mark.parametrize("name", RULES)
def test_a_rule_under_calls_made_from_its_types(name):
    attacked(RULES[name], by_type(RULES[name]), 50)


# --- nothing else makes theorems ------------------------------------------------------------------

TREE = ast.parse(inspect.getsource(kernel))
FUNCTIONS = {f.name: f for f in ast.walk(TREE) if isinstance(f, ast.FunctionDef)}


def test_public_functions_that_return_a_theorem_are_listed():
    made = {n for n, f in FUNCTIONS.items() if f.returns and ast.unparse(f.returns) == "Theorem" and n[0] != "_"}
    assert made == set(RULES)
    assert all(getattr(kernel, name) is rule for name, rule in RULES.items())


def test_a_theorem_names_the_rule_that_makes_it():
    for name, function in FUNCTIONS.items():
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "_theorem":
                assert name in RULES and ast.unparse(node.args[2]) == repr(name)
    written = [n for n in ast.walk(TREE) if isinstance(n, ast.Name) and n.id == "_theorem"]
    inside = [n for f in RULES for n in ast.walk(FUNCTIONS[f]) if isinstance(n, ast.Name) and n.id == "_theorem"]
    assert len(written) == len(inside)


def test_the_list_is_for_reading():
    with pytest.raises(TypeError):
        RULES["forged"] = kernel.assume
    with pytest.raises(KernelError, match="no rule of this kernel: forged"):
        kernel._theorem(frozenset(), ("false",), "forged")


# --- the attacks find a false rule ----------------------------------------------------------------


def doubled(term: "Term") -> "Theorem":  # noqa: F821
    """A false rule that proves `t + t > t` for any t, also if t is not positive."""
    return kernel._theorem(frozenset(), (">", ("+", term, term), term), "square")


def test_a_false_rule_is_seen_whatever_its_own_attack_is():
    with pytest.raises(AssertionError, match="doubled proves"):
        attacked(doubled, by_type(doubled), 50, as_found)
    token = st.just((("q", 1, 1),))
    assert attacked(doubled, token)["refused"] == 0  # `test_a_rule_under_its_own_attack` rejects so few calls


@pytest.mark.parametrize("lost", ["premises", "positive"])
def test_a_lost_hypothesis_is_seen(lost, monkeypatch):
    """The attack finds it if `arith` drops the hypotheses of its premises, or x > 0 for names assumed positive."""
    if lost == "premises":
        monkeypatch.setattr(kernel, "_union", lambda premises: frozenset())
    else:
        names = kernel._names
        monkeypatch.setattr(kernel, "_names", lambda given: Unseen(names(given)))
    with pytest.raises(AssertionError, match="arith proves"):
        attacked(kernel.arith, ATTACKS["arith"], 300, as_found)


class Unseen(frozenset):
    """A set of names that answers membership tests but iterates as empty."""

    def __iter__(self):
        return iter(())
