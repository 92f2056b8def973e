"""Convert trees to terms and formulas of the kernel and back, without an algebra system: nothing cancels or moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from roofproof.errors import Undecided
from roofproof.formula.tree import Call, Comparison, Constant, Name, Number, Op, Quantity, Tree, flat, literal
from roofproof.proofs.assumptions import LN2, PI
from roofproof.proofs.kernel.terms import MAX_EXPONENT, Formula, Term
from roofproof.proofs.powers import over_smallest_base

_HEADS = ("max", "min", "floor", "ceil", "sqrt", "log2")

Value = Callable[[Tree], Term]
"""The term of a computed value, such as `flops(mm)`; raises Undecided if it has none."""


Named = Callable[[str], Term]
"""The term of a name: a variable, or the value of the name."""


def _variable(name: str) -> Term:
    return Term("v", name)


def _no_value(node: Tree) -> Term:
    raise Undecided("a value that has no term")


def _nothing_said(node: Tree) -> Formula:
    raise Undecided("a value that has no term")


def to_formula(
    node: Tree,
    name: Named = _variable,
    value: Value = _no_value,
    said: Callable[[Tree], Formula] = _nothing_said,
    known: Mapping[Tree, Formula] = MappingProxyType({}),
) -> Formula:
    """Return the kernel's formula for a proposition, part by part as written.

    >>> from roofproof.formula.reader import read_statement
    >>> to_formula(read_statement("(x - y)/(x - y) < 1"))[2]
    ('/', ('+', ('v', 'x'), ('*', ('q', -1, 1), ('v', 'y'))), ('+', ('v', 'x'), ('*', ('q', -1, 1), ('v', 'y'))))

    `name` maps names to terms. `value` and `said` map calls to terms and formulas, `known` maps parts to formulas.
    Raises Undecided for anything the kernel cannot express: `~=`, `->`, infinity, functions of the claim language.
    """

    def formula(node: Tree) -> Formula:
        if node in known:
            return known[node]
        match node:
            case Comparison():
                links = [_link(k.relations[0], *(to_term(o, name, value) for o in k.operands)) for k in node.links]
                return links[0] if len(links) == 1 else Formula("and", *links)
            case Op("not", (operand,)):
                return Formula("not", formula(operand))
            case Op("and" | "or" as head, members):
                return Formula(head, *map(formula, members))
            case Op("=>", (premise, conclusion)):
                return Formula("=>", formula(premise), formula(conclusion))
            case Op("<=>", [first, *others]):
                links = [Formula("<=>", formula(first), formula(other)) for other in others]
                return links[0] if len(links) == 1 else Formula("and", *links)
        return said(node)

    return formula(node)


def to_term(node: Tree, name: Named = _variable, value: Value = _no_value) -> Term:
    """Return the kernel's term for a value, part by part as written, with only numbers evaluated.

    >>> from roofproof.formula.reader import read_value
    >>> to_term(read_value("1/2 GB x")), to_term(read_value("x^(1/2) + x^(2/3)"))
    (('*', ('q', 500000000, 1), ('v', 'x')), ('+', ('sqrt', ('v', 'x')), ('power', ('v', 'x'), ('q', 2, 3))))
    """

    def term(node: Tree) -> Term:
        if (number := _number(node)) is not None:
            return Term.rational(number)
        match node:
            case Quantity(amount=amount, unit=unit):
                return Term("*", term(amount), Term.rational(unit.factor))
            case Name(name=text):
                return name(text)
            case Constant("pi"):
                return PI
            case Op("+", terms):
                return Term("+", *map(term, terms))
            case Op("-", (operand,)):
                return Term("*", Term("q", -1, 1), term(operand))
            case Op("*", factors):
                return Term("*", *map(term, factors))
            case Op("/", (above, below)):
                return Term("/", term(above), term(below))
            case Op("^", (base, exponent)):
                return _power(term(base), term(exponent))
            case Call(function="abs", arguments=[inside]):
                return Term("max", term(inside), Term("*", Term("q", -1, 1), term(inside)))
            case Call(function="log", arguments=[inside]):
                return Term("*", LN2, Term("log2", term(inside)))
            case Call(function=function, arguments=arguments) if function in _HEADS:
                return Term(function, *map(term, arguments))
        return value(node)

    return term(node)


def _number(node: Tree) -> Fraction | None:
    """Return the value of a number, a negated number, a quotient of numbers or a quantity, else None."""
    match node:
        case Number(value=value):
            return value
        case Op("-", (inner,)) if (value_inside := _number(inner)) is not None:
            return -value_inside
        case Op("/", (above, below)) if (over := _number(above)) is not None and (under := _number(below)):
            return over / under
        case Quantity(amount=amount, unit=unit) if (value_inside := _number(amount)) is not None:
            return value_inside * unit.factor
    return None


_LINKS = {">": (">", False), ">=": (">=", False), "<": (">", True), "<=": (">=", True), "==": ("=", False)}


def _link(relation: str, a: Term, b: Term) -> Formula:
    if relation == "!=":
        return Formula("not", Formula("=", a, b))
    if relation not in _LINKS:
        raise Undecided("no relation of the kernel")
    head, turned = _LINKS[relation]
    return Formula(head, b, a) if turned else Formula(head, a, b)


def _power(base: Term, exponent: Term) -> Term:
    if exponent[0] != "q" or exponent[2] > 2 or abs(exponent[1]) > MAX_EXPONENT:
        return over_smallest_base(base, exponent)
    raised: Term = Term("sqrt", base) if exponent[2] == 2 else base
    if abs(exponent[1]) != 1:
        raised = Term("^", raised, abs(exponent[1]))
    return Term("/", Term("q", 1, 1), raised) if exponent[1] < 0 else raised


def from_formula(f: Formula) -> Tree:
    """Return a formula of the kernel as a proposition of the claim language.

    >>> from roofproof.formula.printing import to_text
    >>> to_text(from_formula(("=>", (">", ("v", "x"), ("q", 1, 2)), ("not", ("=", ("^", ("v", "x"), 2), ("q", 0, 1))))))
    'x > 1/2 => x^2 != 0'

    Raises Undecided for anything the language cannot express, such as the kernel's limits.
    """
    match f:
        case (">" | ">=" | "=" as relation, a, b):
            said = "==" if relation == "=" else relation
            return Comparison((from_term(a), from_term(b)), (said,))
        case ("not", ("=", a, b)):
            return Comparison((from_term(a), from_term(b)), ("!=",))
        case ("not", part):
            return Op("not", (from_formula(part),))
        case ("and" | "or" as head, *parts) if parts:
            return flat(head, map(from_formula, parts))
        case ("=>", a, b):
            return Op("=>", (from_formula(a), from_formula(b)))
        case ("<=>", a, b):
            return Op("<=>", (from_formula(a), from_formula(b)))
    raise Undecided("the claim language has no words for it")


def from_term(t: Term) -> Tree:
    """Return a term of the kernel as a value of the claim language.

    >>> from roofproof.formula.printing import to_text
    >>> to_text(from_term(Term("/", Term("+", Term("v", "x"), Term("q", 1, 1)), Term("q", 2, 1))))
    '(x + 1) / 2'

    Raises Undecided for anything the language cannot express.
    """
    match t:
        case ("q", p, q):
            size = literal(abs(p))
            whole: Tree = size if q == 1 else Op("/", (size, literal(q)))
            return Op("-", (whole,)) if p < 0 else whole
        case ("v", "log(2)"):
            return Call("log", (literal(2),))
        case ("v", "π"):
            return Constant("pi")
        case ("v", name) if name.isascii() and name.isidentifier():
            return Name(name)
        case ("+", *parts) if parts:
            return flat("+", map(from_term, parts))
        case ("*", ("q", -1, 1), part):
            return Op("-", (from_term(part),))
        case ("*", *parts) if parts:
            return flat("*", map(from_term, parts))
        case ("/", a, b):
            return Op("/", (from_term(a), from_term(b)))
        case ("^", base, power):
            return Op("^", (from_term(base), literal(power)))
        case (str(head), *parts) if head in _HEADS:
            return Call(head, tuple(map(from_term, parts)))
        case ("power", base, exponent):
            return Op("^", (from_term(base), from_term(exponent)))
    raise Undecided("the claim language has no words for it")
