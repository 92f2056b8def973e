"""The preconditions of the operations in a claim on their sizes. A claim says nothing about other sizes."""

from collections.abc import Iterable, Iterator

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.decide_formula import decide
from roofproof.claims.judge.domain import Domain, domain_of_given, formula_of
from roofproof.claims.language.assumed_sizes import assumed
from roofproof.claims.language.environment import Environment
from roofproof.derive.algebra.logic import divided
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import false_in_limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.memory_fit import no_larger
from roofproof.errors import Undecided
from roofproof.formula.tree import Reference, Tree, bound_names, walk_with_values
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Known
from roofproof.proofs.translate import to_term
from roofproof.sentences import Sentence, joined

BREAKS = "<op> requires <condition>, which <x> = <found> breaks"
FOUND = "<op> requires <condition>, which <x> = <found> breaks; write the bound on <x> instead"


def check_size(env: Environment, node: Tree, x: sympy.Symbol, found: object, form: str = FOUND) -> None:
    r"""Raise Undecided if a size that was found breaks a precondition of an operation, such as equal parts.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text("[[claim]]\nid = 'a'\nsays = 'bytes(\"sharded-matmul:n=4\") > 0'").claims
    >>> check_size(c.environment, c.proposition, c.environment.symbol("D"), 7)       # doctest: +ELLIPSIS
    Traceback (most recent call last):
    roofproof.errors.Undecided: sharded-matmul:n=4 requires 4 divides D, which D = 7 breaks; ...
    """
    for op, _, asked in _preconditions(env, node):
        if asked.subs(x, found) == sympy.false:
            raise Undecided(form, op=op, condition=plain(asked), x=x, found=found)


def check_range(env: Environment, node: Tree, i: sympy.Symbol, within: Domain) -> tuple[Known, ...]:
    r"""Prove that the operations in a statement exist for all values of a name in a domain, or raise Undecided.

    >>> from roofproof.formula.reader import read_statement
    >>> node, env = read_statement('flops("sliding-window-attention") > 0'), Environment()
    >>> check_range(env, node, env.symbol("W"), Domain(assumptions=(Formula(">=", Term("q", 9, 1), Term("v", "W")),)))
    Traceback (most recent call last):
    roofproof.errors.Undecided: sliding-window-attention requires W <= L, which is open for some W of the sum
    """
    known: list[Known] = []
    for op, condition, asked in _preconditions(env, node):
        for formula in _formulas([asked]) if i in asked.free_symbols else ():
            found = decide(formula, within)
            if found.status != "proved":
                raise Undecided(
                    "<op> requires <condition>, which is open for some <i> of the sum",
                    op=op, condition=plain(condition), i=i,
                )  # fmt: skip
            known += found.known
    return tuple(known)


def check_regime(env: Environment, node: Tree, regime: Regime) -> None:
    r"""Raise Undecided if an operation does not exist for large sizes in a regime.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text("[[claim]]\nid = 'a'\nsays = 'intensity(\"sliding-window-attention\") > 0'").claims
    >>> check_regime(c.environment, c.proposition, Regime("W -> oo"))
    Traceback (most recent call last):
    roofproof.errors.Undecided: sliding-window-attention requires W <= L, which does not hold in the regime W -> oo
    """
    for op, _, asked in _preconditions(env, node):
        if false_in_limit(no_larger(asked), regime):
            raise Undecided(
                "<op> requires <condition>, which does not hold in the regime <regime>",
                op=op, condition=plain(asked), regime=regime.text,
            )  # fmt: skip


def check_assumptions_in(env: Environment, regime: Regime) -> None:
    """Raise Undecided if an assumption fails in the regime of a function, which then has no value."""
    for each in env.assumed():
        if false_in_limit(each, regime):
            said = "<condition>, which is given, does not hold in the regime <regime>"
            raise Undecided(said, condition=plain(each), regime=regime.text)


def check_assumptions(env: Environment, node: Tree) -> None:
    r"""Raise Undecided if the values of names or the assumptions leave an operation no size.

    Contradictory assumptions are ignored here.

    >>> from roofproof.claims.language.book import book_from_text
    >>> text = "[[claim]]\nid = 'a'\nlet = {W = '8', L = '2'}\nsays = 'flops(\"sliding-window-attention\") < 0'"
    >>> [c] = book_from_text(text).claims
    >>> check_assumptions(c.environment, c.proposition)
    Traceback (most recent call last):
    roofproof.errors.Undecided: sliding-window-attention requires W <= L, which does not hold for what is given
    """
    ranging = {*bound_names(node)}
    free = [a for a in _preconditions(env, node) if not ranging & {s.name for s in a[1].free_symbols}]
    if not free or not (domain := domain_of_given(env)).can_hold():
        return
    for op, condition, asked in free:
        each = [c for c in (asked, env.bound(no_larger(condition))) if c != sympy.true]
        if sympy.false in each or not (domain := domain.where(*_formulas(each))).can_hold():
            raise Undecided(
                "<op> requires <condition>, which does not hold for what is given", op=op, condition=plain(condition)
            )


def size_assumptions(env: Environment, node: Tree) -> tuple[str, ...]:
    """Return in words the preconditions of the operations in a statement that the values of its names do not imply.

    >>> from roofproof.formula.reader import read_statement
    >>> print(*size_assumptions(Environment(), read_statement('flops("sliding-window-attention") > 0')))
    sliding-window-attention assumes that W <= L
    """
    found: dict[str, list[str]] = {}
    for op, condition, asked in _preconditions(env, node):
        if asked != sympy.true:
            found.setdefault(op, []).append(plain(condition))
    return tuple(
        Sentence("<op> assumes that <conditions>", op=op, conditions=joined("<first> and <second>", conditions))
        for op, conditions in found.items()
    )


def divisions(env: Environment, node: Tree, x: sympy.Symbol) -> tuple[Boolean, ...]:
    r"""Return the conditions of the operations in a statement that a size divides a number.

    >>> from roofproof.claims.language.book import book_from_text
    >>> text = "[[claim]]\nid = 'a'\nlet = {D = '24'}\nsays = 'flops(\"sharded-matmul\") > 0'"
    >>> [c] = book_from_text(text).claims
    >>> divisions(c.environment, c.proposition, c.environment.symbol("n"))
    (Eq(Mod(24, n), 0),)
    """
    every = ((asked, divided(asked)) for _, _, asked in _preconditions(env, node))
    return tuple(asked for asked, pair in every if pair is not None and pair[0].is_Integer and pair[1] == x)


def sizes_in(env: Environment, node: Tree) -> frozenset[str]:
    """Return the sizes of the operations in a statement or an expression.

    >>> from roofproof.formula.reader import read_value
    >>> sorted(sizes_in(Environment(), read_value("bytes(matmul) + n")))
    ['B', 'D', 'F']
    """
    operations = (n for n in walk_with_values([node], env.let) if isinstance(n, Reference) and n.kind == "op")
    return frozenset(s.name for op in operations for s in env.operation(op).dims)


def in_whole_sizes(env: Environment, node: Tree) -> tuple[Formula, ...]:
    """Return the divisibility conditions of the operations in a statement.

    >>> from roofproof.formula.reader import read_statement
    >>> in_whole_sizes(Environment(), read_statement('flops("sharded-matmul:n=4") > 0'))
    (('int', ('/', ('v', 'D'), ('q', 4, 1))),)
    """
    return _formulas(asked for _, _, asked in _preconditions(env, node) if divided(asked) is not None)


def _formulas(asked: Iterable[Boolean]) -> tuple[Formula, ...]:
    """Return conditions on sizes as formulas, without conditions on nonzero remainders."""
    found: list[Formula] = []
    for each in asked:
        if (pair := divided(each)) is not None:
            found.append(Formula("int", Term("/", *map(to_term, pair))))
        elif not each.has(sympy.Mod):
            found.append(formula_of(each))
    return tuple(found)


def _preconditions(env: Environment, node: Tree) -> Iterator[tuple[str, Boolean, Boolean]]:
    """Yield the name and precondition of each operation in a statement, and the precondition at the given sizes."""
    for op, condition in assumed(env, [node, *env.given.conditions]):
        yield op, condition, env.bound(condition)
