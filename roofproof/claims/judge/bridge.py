"""What the tree of a claim says in the kernel's terms, with no algebra system in between, and that SymPy says the same.

A statement about all values is proved in the form that its tree has. What the engine works out of a claim by SymPy
(limits, optima, what holds in a regime) rests on values in other forms: that each is equal to the value written is a
theorem, too, or the trust of the verdict says that it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from roofproof.claims.judge.domain import Domain, defined_where
from roofproof.claims.judge.transfer import DIFFERENT
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import definition, exceeded, named_ceilings
from roofproof.derive.roofline.compute_bound import by_channel
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.printing import to_text
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Number,
    Quantity,
    Reference,
    Tree,
    is_op,
    is_statement,
    walk,
)
from roofproof.proofs import Theorem, translate
from roofproof.proofs.from_tree import to_formula, to_term
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.known import ByAlgebra, Known, by_kernel, warranted
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import aligned, equal, equivalent, power_lemmas
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions


class Reading:
    """The trees of one claim in the kernel's terms; what the words of the engine stand for is kept in `definitions`.

    >>> from roofproof.formula.reader import read_statement
    >>> reading = Reading(Environment())
    >>> reading.formula(read_statement("flops(matmul) > (x - y)/(x - y)"))[2][0]
    '/'
    >>> print(*(known.statement.says for known in reading.definitions))
    flops(matmul) = 2*B*D*F
    """

    def __init__(self, env: Environment, known: Mapping[Tree, Formula] | None = None) -> None:
        self.env, self.known = env, {**(known or {})}
        self.found: dict[Call, tuple[Known, ...]] = {}
        self._names: dict[str, Term | None] = {}

    def name(self, name: str) -> Term:
        """Return the term of a name: that of its value where `let` names one."""
        if name not in self.env.let:
            value = self.env.value(name)  # of a name with a sign, or that a slip gives another value
            return Term("v", value.name) if value.is_Symbol else with_functions(value)
        if name not in self._names:
            self._names[name] = None  # being worked out, and so it stays where the kernel has no words for it
            self._names[name] = self.term(self.env.let[name])
        if (found := self._names[name]) is None:
            raise Undecided("a value that the kernel has no words for")
        return found

    @property
    def definitions(self) -> tuple[Known, ...]:
        """What the words of the engine stand for that were met so far."""
        return tuple(dict.fromkeys(k for known in self.found.values() for k in known))

    def formula(self, node: Tree) -> Formula:
        """Return the formula of a proposition; raises Undecided where the kernel has no words for a part of it."""
        if node not in self.known:
            self.known[node] = to_formula(node, self.name, self._value, self._said, self.known)
        return self.known[node]

    def term(self, node: Tree) -> Term:
        """Return the term of a value; raises Undecided where the kernel has no words for a part of it."""
        return to_term(node, self.name, self._value)

    def _value(self, node: Tree) -> Term:
        if not isinstance(node, Call) or is_statement(node):
            raise Undecided("expected a value")
        if (made := definition(self.env, node, self.term)) is not None:
            value, self.found[node] = made
            return value
        return self._found(node)

    def _found(self, call: Call) -> Term:
        return with_functions(self.env.to_sympy(call))  # by the engine, which says what it knows of it

    def _said(self, node: Tree) -> Formula:
        if not isinstance(node, Call) or not is_statement(node):
            raise Undecided("expected a statement that roofproof can evaluate")
        if node.function == "compute_bound":
            return self._compute_bound(node)
        return translate.to_formula(self.env.to_boolean(node))

    def _compute_bound(self, node: Call) -> Formula:
        operation, *rest = node.arguments
        ceilings = named_ceilings(self.env, operation, *rest)
        above = [(c, exceeded(self.env, c, operation, self.term)) for c in ceilings]
        self.found[node] = tuple(known for _, (_, rests) in above for known in rests)
        return translate.over_each_channel(by_channel((c, formula) for c, (formula, _) in above))


def bridges(reading: Reading, domain: Domain, nodes: Iterable[Tree]) -> tuple[Known, ...]:
    """Prove that what SymPy worked with is what is written, values and statements, or that this is its word only.

    Raises Undecided where one of them is something else at some point.
    """
    made: list[Known] = []
    for node in dict.fromkeys(nodes):
        if is_statement(node):
            made += _of_statement(reading, domain, node)
        elif not isinstance(node, Number | Quantity) and node != Constant("oo"):
            made += _of_value(reading, domain, node)
    return tuple(made)


def _of_statement(reading: Reading, domain: Domain, node: Tree) -> tuple[Known, ...]:
    """Return it of a statement as a whole, or of the values that it compares."""
    try:
        written = reading.formula(node)
        form = aligned(translate.to_formula(reading.env.to_boolean(node)), written)
    except (RoofproofError, KernelError):
        return bridges(reading, domain, values(node))
    loose = domain.loose
    if loose & variables(written) and not any(isinstance(part, Call) and is_statement(part) for part in walk(node)):
        return bridges(reading, domain, values(node))
    if written == form:
        return ()
    goal = Formula("<=>", written, form)
    given = (*domain.assumptions, *defined_where(goal, variables(goal) - loose))
    return (_same(goal, given, equivalent(written, form, given), loose),)


def values(node: Tree) -> Iterator[Tree]:
    """Yield the values that a proposition compares."""
    for part in walk(node):
        if isinstance(part, Comparison):
            yield from part.operands


def arguments(nodes: Iterable[Tree]) -> Iterator[Tree]:
    """Yield the values, and the sides of comparisons, that functions of the engine are asked about."""
    for node in nodes:
        if isinstance(node, Call) and node.function not in ARITHMETIC:
            for argument in node.arguments:
                if not (isinstance(argument, Name | Reference) or is_op(argument, "set")):
                    yield argument


def _of_value(reading: Reading, domain: Domain, node: Tree) -> tuple[Known, ...]:
    try:
        form = with_functions(reading.env.to_sympy(node))
    except (RoofproofError, TypeError):
        return ()  # no finite value was worked out of it
    try:
        written = reading.term(node)
        form = aligned(form, written)
    except (RoofproofError, KernelError):
        return (Known(Statement(to_text(node), (), Formula("=", form, form)), ByAlgebra()),)
    return () if written == form else (same_value(written, form, domain),)


def same_value(written: Term, form: Term, domain: Domain) -> Known:
    """Prove that two terms are equal where both are defined: by the kernel, or on the word of SymPy.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> apart = Term("+", x, Term("*", Term("q", -1, 1), y))
    >>> same_value(Term("/", Term("*", apart, x), apart), x, Domain()).theorem
    not(0 + 1*x^1 + -1*y^1 = 0), x > 0, y > 0 |- ((x + -1*y)*x)/(x + -1*y) = x

    Raises Undecided where they differ at some point.
    """
    names = variables(written) | variables(form)
    loose = domain.loose & names
    goal = Formula("=", written, form)
    given = (*domain.assumptions, *defined_where(goal, names - loose))
    theorem = equal(written, form, given, sorted(names - loose))
    if theorem is None and not loose:
        theorem = tactics.prove(goal, given, power_lemmas(goal))
    return _same(goal, given, theorem, loose)


def _same(goal: Formula, given: Sequence[Formula], theorem: Theorem | None, loose: frozenset[str]) -> Known:
    """Prove that two forms say the same, as known by the kernel or on the word of SymPy."""
    if theorem is not None:
        used = tuple(f for f in given if f in theorem.hypotheses)
        if (known := by_kernel(Statement("", used, goal, "bridge", reals=loose), theorem)) is not None:
            return known
    same = warranted(Statement("", tuple(given), goal, "bridge", reals=loose), ByAlgebra())
    if same is None:
        raise Undecided(DIFFERENT)
    return same
