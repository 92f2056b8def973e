"""Where a claim is not defined: what it divides by, takes a root or a logarithm of, as it was written.

An algebra system cancels `(x - y)/(x - y)` before anybody sees that it says nothing where x = y. So the obligations
are read off the tree of the claim: each holds on the whole domain, or it is a condition of the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.functions.analysis import MAX_TERMS
from roofproof.claims.judging.as_written import values
from roofproof.claims.judging.by_signs import BEHAVIOUR
from roofproof.claims.judging.case import Case
from roofproof.claims.judging.decide_by_needs import decide_by_needs, formulas_of
from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.decide_formula import Finding
from roofproof.claims.judging.far_out import decide_far_out
from roofproof.claims.language import Claim
from roofproof.claims.language.dimensions import constant
from roofproof.claims.language.functions import ARITHMETIC, FUNCTIONS
from roofproof.claims.language.kernel_form import from_formula
from roofproof.claims.language.nodes import (
    Call,
    Comparison,
    Conjunction,
    Disjunction,
    Equivalence,
    Implication,
    Name,
    Negation,
    Negative,
    Node,
    Number,
    Power,
    Quantified,
    Quotient,
    Sum,
    names_in,
    walk_with_values,
    with_parts,
)
from roofproof.claims.language.printing import to_text
from roofproof.claims.language.sympy_form import joined
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, variables
from roofproof.proofs.known import Known, holds
from roofproof.proofs.translate import to_formula, with_functions

FEW = 64  # terms of a sum that are looked at one by one
VALUE = "value"  # a word has one
_EACH = "_any"  # any one of the numbers that the index of a sum goes through
_STRENGTH = ("real", "nonnegative", "positive")
_NARROWER = {">=": "nonnegative", ">": "positive"}
Obligation = tuple[tuple[Node, ...], str, Node]  # under these premises the value of a node has this relation to zero,
# or where the relation is VALUE, it has a value


def obligations(node: Node, let: Mapping[str, Node], under: tuple[Node, ...] = ()) -> Iterator[Obligation]:
    """Yield what must hold of the parts of a claim for it to be defined; what a premise says may be used.

    >>> from roofproof.claims.language import read_proposition, to_text
    >>> claim = read_proposition("x > 1 => sqrt(x - 1) / (x - 1) > 0")
    >>> [(relation, to_text(part), [to_text(p) for p in under]) for under, relation, part in obligations(claim, {})]
    [('!=', 'x - 1', ['x > 1']), ('>=', 'x - 1', ['x > 1'])]
    """
    match node:
        case Implication(premise=premise, conclusion=conclusion):
            yield from obligations(premise, let, under)
            yield from obligations(conclusion, let, (*under, premise))
            return
        case Conjunction(members=members):
            for member in members:
                yield from obligations(member, let, (*under, *(m for m in members if m is not member)))
            return
        case Name(name=name) if name in let:
            yield from obligations(let[name], {n: v for n, v in let.items() if n != name}, under)
        case Quotient(below=below):
            yield under, "!=", below
        case Power(base=base, exponent=exponent):
            power = constant(exponent)
            if power is not None and power.denominator % 2 == 0:
                yield under, ">=" if power > 0 else ">", base
            elif power is not None and power < 0:
                yield under, "!=", base
        case Call(function="sqrt", arguments=[inside]):
            yield under, ">=", inside
        case Call(function="log2" | "log", arguments=[inside]):
            yield under, ">", inside
        case Call(function="sum", arguments=[term, Name(name=name), first, last]):
            yield under, VALUE, node
            yield from (o for bound in (first, last) for o in obligations(bound, let, under))
            for premises, relation, part in obligations(term, let, under):
                yield from _each_term(premises, relation, part, name, first, last, let)
            return
    bound = _bound(node) if isinstance(node, Call) else set()
    asks = isinstance(node, Call) and node.function not in ARITHMETIC  # what its words need, too
    if asks:
        yield under, VALUE, node
    for part in node.parts:
        for found in obligations(part, let, under):
            if not (asks and found[1] == VALUE) and (not bound or not bound & _names((*found[0], found[2]), let)):
                yield found


def _each_term(
    under: tuple[Node, ...], relation: str, part: Node, i: str, first: Node, last: Node, let: Mapping[str, Node]
) -> Iterator[Obligation]:
    """Yield what must hold of a part of the terms of a sum: of one after the other where they are numbered and few."""
    names = _names((part,), let)
    if i not in names:
        yield under, relation, part
        return
    low, high = constant(first), constant(last)
    if low is not None and high is not None and high - low < (MAX_TERMS if names == {i} else FEW):
        for k in range(math.ceil(low), math.floor(high) + 1):
            yield under, relation, _put(part, i, Number(Fraction(k), str(k)), let)
        return
    each, one = Name(f"{i}{_EACH}"), Number(Fraction(1), "1")  # counted from one, as names are positive
    place = each if low == 1 else Sum((each, first, Negative(one)))
    within = Comparison((one, each), ("<=",)), Comparison((place, last), ("<=",))
    yield (*under, *within), relation, _put(part, i, place, let)


def _names(nodes: Iterable[Node], let: Mapping[str, Node]) -> set[str]:
    return {n.name for n in walk_with_values(nodes, let) if isinstance(n, Name)} - {*let}


def _put(node: Node, name: str, value: Node, let: Mapping[str, Node]) -> Node:
    """Return a tree with a value in the place of a name, in what `let` names as well."""
    if isinstance(node, Name):
        if node.name not in let:
            return value if node.name == name else node
        return _put(let[node.name], name, value, {n: v for n, v in let.items() if n != node.name})
    if isinstance(node, Call) and name in _bound(node):
        return node
    return with_parts(node, lambda part: _put(part, name, value, let))


def _bound(call: Call) -> set[str]:
    """Return the names that a function binds, as `x` in `limit(1/x, x)`."""
    kinds = FUNCTIONS[call.function].kinds(len(call.arguments)) or ()
    if call.function in (*ARITHMETIC, *BEHAVIOUR):
        return set()
    return {a.name for a, kind in zip(call.arguments, kinds, strict=False) if kind == "name" and isinstance(a, Name)}


def where_defined(claim: Claim) -> tuple[Claim, tuple[str, ...]]:
    """Return a claim with names not negative under a root and positive in a logarithm, and what that supposes.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "log2(x^2) == 2 log2(x)"\\ngiven = "x real"').claims
    >>> narrower, said = where_defined(c)
    >>> narrower.given.domain("x").sign, said
    ('positive', ('x > 0',))
    """
    domains, said = dict(claim.given.domains), dict[str, str]()
    let = claim.environment.let
    for under, relation, part in obligations(claim.proposition, let) if claim.proposition else ():
        if under or not isinstance(part, Name) or part.name in let or relation not in _NARROWER:
            continue
        own = claim.given.domain(part.name)
        if _STRENGTH.index(domains.get(part.name, own).sign) < _STRENGTH.index(_NARROWER[relation]):
            domains[part.name] = replace(own, sign=_NARROWER[relation])
            said[part.name] = f"{part.name} {relation} 0"
    if not said:
        return claim, ()
    given = replace(claim.given, domains=MappingProxyType(domains))
    narrower = replace(claim, given=given, environment=replace(claim.environment, given=given, _values={}))
    return narrower, tuple(said.values())


def undefined_where(
    case: Case, node: Node, where: Boolean | None = None
) -> tuple[dict[str, Node | None], tuple[Known, ...]]:
    """Return the conditions under which a claim is defined that its domain does not give, in words and, where nothing
    guards them, as trees; and what is known of others. `where` is what the claim is to hold under.

    A value is needed only as far as the truth of the claim takes it: `a < 3 => solve(x + a == 3, x) < 3` is true at
    a = 4, `1/(x - 1) > 0 or x <= 1` at 1. In a regime it has to be defined far out.
    """
    found: dict[str, Node | None] = {}
    rests: list[Known] = []
    each_term = False  # of a sum is one of them: for all of these no comparison says it
    for under, relation, part in obligations(node, case.env.let):
        try:
            if _plainly(case, relation, part):
                continue
            if relation == VALUE:
                each = [p for p in under if of_each((), p)]
                for condition in case.env.where(part):
                    known = _holds_there(case, condition, [*map(case.boolean, each)], where)
                    if known is None:
                        each_term |= bool(each)
                        said = from_formula(to_formula(condition, with_functions))
                        found[plain(condition)] = None if under else said
                    rests += known or ()
                continue
            guards = [
                p for p in under if all(r != VALUE and _plainly(case, r, q) for _, r, q in obligations(p, case.env.let))
            ]
            known = _known(case, relation, part, guards, where)  # under what is defined anyway, or it proves itself
            if known is None:
                each_term |= of_each(under, part)
                condition = None if under else Comparison((part, Number(Fraction(0), "0")), (relation,))
                found[_said(case, under, relation, part)] = condition
            rests += known or ()
        except RoofproofError:
            continue  # what cannot be worked out is told where it is judged
    if found and not each_term and (known := true_anyway(case, node, where)) is not None:
        return {}, (*rests, *known)
    return found, tuple(rests)


def of_each(under: Iterable[Node], part: Node) -> bool:
    """Tell whether a part is any one of the terms of a sum."""
    return any(n.endswith(_EACH) for node in (*under, part) for n in names_in(node))


def true_anyway(
    case: Case, node: Node, where: Boolean | None = None, elsewhere: bool = True
) -> tuple[Known, ...] | None:
    """Return why a statement that joins others is true where parts of it have no value, being so `elsewhere`."""
    if not isinstance(node, Negation | Conjunction | Disjunction | Implication | Equivalence):
        return None
    domain = case.given if where is None else case.given.where(*formulas_of(where))
    try:
        needs = needs_of(case, node)
        if case.claim.regime is not None:
            return _holds_there(case, _enough(case, node), [], where) if {*needs} <= {*case.env.where(node)} else None
        goal = _enough(case, node) if elsewhere else case.env.held(node, where=partial(needs_of, case))
        found = decide_by_needs(goal, needs, domain, case.oracle, case.steps)
    except (RoofproofError, KernelError):
        return None
    return found.known if found.status == "proved" else None


def false_somewhere(case: Case, node: Node) -> Finding | None:
    """Return where a statement that joins others is false, though parts of it may have no value there."""
    if not isinstance(node, Negation | Conjunction | Disjunction | Implication | Equivalence):
        return None
    try:
        if not (needs := needs_of(case, node)):  # it was judged with all of its values
            return None
        denied = sympy.Not(case.env.held(node, False, partial(needs_of, case)), evaluate=False)
        found = decide_by_needs(denied, needs, case.over_sizes(case.given), case.oracle, case.steps)
    except (RoofproofError, KernelError):
        return None
    return found if found.status == "refuted" else None


def _enough(case: Case, node: Node) -> Boolean:
    """Return what makes a statement true everywhere that is true wherever all its parts have values."""
    if isinstance(node, Implication) and not needs_of(case, node.premise) and (due := needs_of(case, node.conclusion)):
        return joined(sympy.Or, [sympy.Not(case.boolean(node.premise), evaluate=False), joined(sympy.And, [*due])])
    return case.env.held(node, where=partial(needs_of, case))


def needs_of(case: Case, node: Node) -> tuple[Boolean, ...]:
    """Return what a statement takes to have a value, words and arithmetic, beyond what the signs of its names give.

    What stands inside comes before what it stands in. Raises Undecided for what each term of a sum takes.
    """
    found: dict[Boolean, None] = {}
    for under, relation, part in obligations(node, case.env.let):
        if _plainly(case, relation, part):
            continue
        if of_each(under, part):
            raise Undecided("what each term of a sum takes is no condition on the names of a claim")
        if relation == VALUE:
            found |= dict.fromkeys(case.env.where(part))
        else:
            found[sympy.Rel(case.env.to_sympy(part), 0, relation, evaluate=False)] = None
    return tuple(reversed(found))


def only_where_defined(case: Case, node: Node) -> tuple[Claim, tuple[str, ...]]:
    """Return the claim with what it takes to be defined among what is given, and that in words; none is none.

    Names alone are `where_defined`; what a premise guards stays as it is.
    """
    found = {said: condition for said, condition in undefined_where(case, node)[0].items() if condition is not None}
    given = replace(case.claim.given, conditions=(*case.claim.given.conditions, *found.values()))
    environment = replace(case.claim.environment, given=given, _values={})
    return replace(case.claim, given=given, environment=environment), tuple(found)


def _said(case: Case, under: tuple[Node, ...], relation: str, part: Node) -> str:
    """Return a condition in words: of the terms of a sum, for all of them."""
    each = tuple(n for n in names_in(part) if n.endswith(_EACH))
    if not each:
        return compared_with_zero(case.env.to_sympy(part), relation)
    within = tuple(p for p in under if {*each} & {*names_in(p)})
    due = Comparison((part, Number(Fraction(0), "0")), (relation,))
    return to_text(Quantified("for all", each, ("integer",), Implication(Conjunction(within), due)))


def _known(
    case: Case, relation: str, part: Node, guards: list[Node], where: Boolean | None
) -> tuple[Known, ...] | None:
    """Return why what must hold of a part does, at all points, or far out in the regime; None where it is open."""
    said: Node = Comparison((part, Number(Fraction(0), "0")), (relation,))
    not_zero = sympy.Rel(case.env.to_sympy(part), 0, relation, evaluate=False)
    premises = [*map(case.boolean, guards), *([] if where is None else [where])]
    goal: Boolean = sympy.Implies(sympy.And(*premises), not_zero, evaluate=False) if premises else not_zero
    if guards:
        said = Implication(guards[0] if len(guards) == 1 else Conjunction(tuple(guards)), said)
    written = None if where is not None else case.written(said)
    found = decide_condition(goal, case.domain, case.oracle, case.steps, written)
    if found.status == "proved":
        return found.known
    regime = case.claim.regime
    if regime is None:
        return None
    far = decide_far_out(goal, case.domain, regime, case.oracle, case.steps)
    return (*far.known, *case.bridged(values(said))) if far.status == "proved" else None


def _holds_there(
    case: Case, condition: Boolean, premises: list[Boolean], where: Boolean | None
) -> tuple[Known, ...] | None:
    """Return why a condition holds wherever a claim is about, or far out in its regime; None where that is open."""
    premises = [*premises, *([] if where is None else [where])]
    goal: Boolean = sympy.Implies(sympy.And(*premises), condition, evaluate=False) if premises else condition
    found = decide_condition(goal, case.given, case.oracle, case.steps)
    if found.status == "proved":
        return found.known
    regime = case.claim.regime
    if regime is None:
        return None
    far = decide_far_out(goal, case.given, regime, case.oracle, case.steps)
    return far.known if far.status == "proved" else None


def _plainly(case: Case, relation: str, part: Node) -> bool:
    """Tell whether the signs of the names alone give what must hold of a part, by the kernel or as a number."""
    if relation == VALUE:
        return not case.env.where(part)
    try:
        term = case.reading.term(part)
    except (RoofproofError, KernelError):
        value = case.env.to_sympy(part)  # the kernel has no words for it
        return bool(value.is_positive or not value.free_symbols)
    goal = Formula(">", term, ZERO)
    if not variables(term):
        return holds(Formula("not", Formula("=", term, ZERO)) if relation == "!=" else (relation, term, ZERO), {})
    try:
        kernel.arith(goal, positive=[n for n in variables(term) if case.domain.signs.get(n, "positive") == "positive"])
    except KernelError:
        return relation == ">=" and term[0] == "v" and case.domain.signs.get(term[1]) == "nonnegative"
    return True


def compared_with_zero(value: sympy.Expr, relation: str) -> str:
    """Return `x != y` for x - y != 0, and what else there is as it stands.

    >>> x, y = sympy.symbols("x y")
    >>> compared_with_zero(y - x, "!="), compared_with_zero(x*y, ">")
    ('y != x', 'x*y > 0')
    """
    if value.is_Add and len(value.args) == 2:
        first, second = sorted(value.args, key=lambda a: (a.could_extract_minus_sign(), not a.is_Symbol, str(a)))
        if second.could_extract_minus_sign():
            return f"{plain(first)} {relation} {plain(-second)}"
    return f"{plain(value)} {relation} 0"
