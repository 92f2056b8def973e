"""What was proved is what was written: the formula of a claim is built a second time, straight from its tree.

SymPy works with the values of a claim before it is proved, and may cancel and reorder. So each comparison of the
formula that was proved is held against the one that the tree says, as quotients of polynomials, where no algebra
system had a hand in; what a value divides by is read off the tree as well (`definedness`).
"""

from __future__ import annotations

from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.case import Case
from roofproof.claims.language.kernel_form import let_terms, same, to_formula
from roofproof.claims.language.nodes import Call, Node, is_proposition
from roofproof.errors import RoofproofError
from roofproof.proofs import translate
from roofproof.proofs.kernel.terms import Formula, KernelError, Term


def is_as_written(case: Case, node: Node, condition: Boolean) -> bool | None:
    """Tell whether a condition says what the tree says; None where that cannot be told, as of roots.

    >>> import sympy
    >>> from roofproof.claims.judging.judge import Evidence
    >>> from roofproof.claims.judging.domain import Domain
    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "x + x > y"').claims
    >>> case, x, y = Case(c, c.environment, Domain(), Evidence()), *sympy.symbols("x y")
    >>> is_as_written(case, c.proposition, 2*x > y), is_as_written(case, c.proposition, 2*x > 2*y)
    (True, False)
    """
    try:
        written = formula_as_written(case, node)
        return None if written is None else same(written, translate.to_formula(condition))
    except (RoofproofError, KernelError):
        return None


def formula_as_written(case: Case, node: Node) -> Formula | None:
    """Return the kernel's formula that the tree of a claim says; values of the engine go in as they are worked out."""
    if case.env.signs:
        return None  # names stand for zero or for minus a name

    def value(part: Node) -> Term:
        if not isinstance(part, Call) or is_proposition(part):
            raise KernelError("a value is due")
        return translate.to_term(case.env.to_sympy(part))

    def said(part: Node) -> Formula:
        if not isinstance(part, Call) or not is_proposition(part):
            raise KernelError("a statement of the engine is due")
        return translate.to_formula(case.env.to_boolean(part))

    return to_formula(node, let_terms(case.env.let, value), value, said)
