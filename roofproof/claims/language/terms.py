"""The trees of a claim as terms and formulas of the proof checker, without a computer algebra system in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from roofproof.claims.meaning import CallTerms, definitions, exceeded, named_ceilings
from roofproof.derive.roofline.compute_bound import Ceiling, by_channel
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.tree import Call, Tree, is_statement
from roofproof.proofs.from_tree import to_formula, to_term
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Known
from roofproof.proofs.translate import takes_longer_than_each, with_functions
from roofproof.proofs.translate import to_formula as formula_of

if TYPE_CHECKING:
    from roofproof.claims.language.environment import Environment


class Terms:
    """The terms and formulas for the trees of one claim. A call becomes the term of its definition.

    >>> from roofproof.claims.language.environment import Environment
    >>> from roofproof.formula.reader import read_statement
    >>> terms = Environment().terms
    >>> terms.formula(read_statement("flops(matmul) > (x - y)/(x - y)"))[2][0]
    '/'
    >>> print(*(known.statement.says for known in terms.definitions))
    flops(matmul) = 2*B*D*F
    """

    def __init__(self, env: Environment, known: Mapping[Tree, Formula] | None = None) -> None:
        self.env, self.known = env, {**(known or {})}
        self.calls: dict[Call, Term] = {}
        self._names: dict[str, Term | None] = {}
        self._bounds: dict[Call, None] = {}

    def name(self, name: str) -> Term:
        """Return the term of a name, which is the term of its value if `let` defines the name."""
        if name not in self.env.let:
            value = self.env.value(name)  # the name may have a sign, or a value that a mistake changed
            return Term("v", value.name) if value.is_Symbol else with_functions(value)
        if name not in self._names:
            self._names[name] = None  # being evaluated
            try:
                self._names[name] = self.term(self.env.let[name])
            finally:
                if self._names[name] is None:
                    del self._names[name]
        if (found := self._names[name]) is None:
            raise RoofproofError("the definition of <name> uses <name>; remove the cycle", name=name)
        return found

    @property
    def definitions(self) -> tuple[Known, ...]:
        """The definitions of the calls translated so far."""
        found = [k for call in list(self.calls) for k in definitions(self.env, call, self.term)]
        found += [k for call in self._bounds for _, (_, known) in self._exceeded(call) for k in known]
        return tuple(dict.fromkeys(found))

    def formula(self, node: Tree) -> Formula:
        """Return the formula of a proposition. Raises Undecided for a part that the proof checker cannot express."""
        if node not in self.known:
            self.known[node] = to_formula(node, self.name, self._value, self._said, self.known)
        return self.known[node]

    def term(self, node: Tree) -> Term:
        """Return the term of a value. Raises Undecided for a part that the proof checker cannot express."""
        return to_term(node, self.name, self._value)

    def _value(self, node: Tree) -> Term:
        if not isinstance(node, Call) or is_statement(node):
            raise Undecided("expected a value")
        if node not in self.calls:
            if (made := CallTerms(self.env, self.term).term_of(node)) is None:
                return self._found(node)
            self.calls[node] = made
        return self.calls[node]

    def _found(self, call: Call) -> Term:
        return with_functions(self.env.to_sympy(call))  # the environment keeps the proofs of this value

    def _said(self, node: Tree) -> Formula:
        if not isinstance(node, Call) or not is_statement(node):
            raise Undecided("expected a statement that roofproof can evaluate")
        if node.function == "compute_bound":
            return self._compute_bound(node)
        return formula_of(self.env.to_boolean(node))

    def _compute_bound(self, node: Call) -> Formula:
        self._bounds[node] = None
        return takes_longer_than_each(by_channel((c, formula) for c, (formula, _) in self._exceeded(node)))

    def _exceeded(self, node: Call) -> Iterator[tuple[Ceiling, tuple[Formula, tuple[Known, ...]]]]:
        """Yield each ceiling with the formula that its compute unit takes longer, and the definitions in it."""
        operation, *rest = node.arguments
        for ceiling in named_ceilings(self.env, operation, *rest):
            yield ceiling, exceeded(self.env, ceiling, operation, self.term)
