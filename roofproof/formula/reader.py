"""Tokens to one tree, by one table of operators that the printer shares. Nothing is evaluated.

The reader never guesses, and each rule for this is next to the code it applies to. It refuses ambiguous text with both
readings, and a word that is not a name, unit or function with the likely word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple, NoReturn

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS, Function
from roofproof.formula.magnitudes import ENGLISH
from roofproof.formula.tokens import KEYWORDS, SUPERSCRIPTS, Token, error_at, exact_number, tokens, with_cure
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Number,
    Op,
    Quantified,
    Quantity,
    Reference,
    Tree,
    flat,
    is_op,
    is_statement,
    literal,
    walk,
)
from roofproof.formula.units import (
    COUNTS,
    LEAST_WORD,
    LETTERS,
    MEASURES,
    SPELLED,
    Unit,
    is_counted,
    is_unit,
    is_word,
    letter_unit,
    near_unit,
    unit_of,
)
from roofproof.sentences import Sentence, joined

MAX_DEPTH = 60  # levels of a tree
MAX_INSIDE = 120  # levels of nesting, at five frames each, that a recursive parser survives
MAX_EXPONENT = 64
MAX_EXPONENT_OF: dict[object, int] = {2: 4_096, 10: 1_024}  # for the bases of large sizes
MAX_ARGUMENTS = 32
MAX_CHOICES = 1_000
KINDS = ("integer", "integers", "real", "reals", "positive", "nonnegative")
LEAST_CALLED = 3  # least letters of a name before "(" that is taken for a function, not for a factor
TWO_WAYS = "<whole> can be read two ways; write <first> or <second>"
SEVERAL_WAYS = "<whole> can be read several ways; write <first>, <second> or <third>"
GLUED = (
    "<whole> can be read two ways; write <product> for the product, or spell a name of its own in another way, such as "
    "<name>"
)


_ONE = literal(1)


class Operator(NamedTuple):
    """A row of the table: a sign, its binding power, how several of it join, and whether it joins statements.

    `side` is "chain" if any number of operands make one node, and "left" or "right" if two do.
    """

    sign: str
    power: int
    side: str
    statements: bool = False


RELATIONS = ("==", "!=", "<=", ">=", "~=", "->", "<", ">", "=", ">>")
OPERATORS = {
    row.sign: row
    for row in (
        Operator("<=>", 1, "chain", statements=True),
        Operator("=>", 2, "right", statements=True),
        Operator("or", 3, "chain", statements=True),
        Operator("and", 4, "chain", statements=True),
        *(Operator(sign, 6, "chain") for sign in RELATIONS),
        Operator("+", 7, "chain"),
        Operator("-", 7, "chain"),
        Operator("*", 8, "left"),
        Operator("/", 8, "left"),
    )
}
_EQUALLY = {sign: tuple(s for s, r in OPERATORS.items() if r.power == row.power) for sign, row in OPERATORS.items()}
NOT, SIGN, BESIDE, POWER, ATOM = 5, 9, 10, 11, 12  # -x^2 is -(x^2), 2 x^2 is 2 (x^2), 1 / 2 x is refused

FOREIGN = re.compile("sin|cos|tan|exp|ln|lg|log|sinh|cosh|tanh|softmax|sigmoid|relu|gelu|argsort")
SPOKEN = {  # words for a sign, or for a relation that has none
    "and": "and", "or": "or", "not": "not", "implies": "=>", "iff": "<=>", "unless": "or", "exceeds": ">", "above": ">",
    "below": "<", "equals": "==", "plus": "+", "minus": "-", "times": "*",
    "divides": "n/2 == floor(n/2)", "even": "n/2 == floor(n/2)", "odd": "n/2 > floor(n/2)", "mod": "a - b*floor(a/b)",
}  # fmt: skip
INSTEAD = {  # other names of functions
    "ln": "log(...)", "log10": "log(...)/log(10)", "round": "floor(... + 1/2)", "mean": "(a + b)/2",
    "peak": "rate(chip, bf16)", "bandwidth": "rate(chip, hbm)",
    "memory_bound": "not compute_bound(op, chip)", "bound": "not compute_bound(op, chip)",
    "runtime": "time(op, chip, bf16)", "latency": "time(op, chip, bf16)", "duration": "time(op, chip, bf16)",
    "even": SPOKEN["even"], "odd": SPOKEN["odd"], "mod": SPOKEN["mod"],
}  # fmt: skip
PROSE = re.compile(
    "if|where|when|given|for|is|are|has|about|approximately|roughly|percent|large|small|larger|smaller|than|then|else|"
    "otherwise|at|of|on|by|with|per|over|divided|equal|greater|less|most|least|mod|whenever|provided|assuming|because|"
    "since|hence|thus|therefore|so|but|nor|either|neither|both|suppose|under|between|within|until|always|never|every|"
    "exactly|nearly|almost|around|necessarily|the|that|as|from|to"
)
REFERENCE = re.compile(r"[A-Za-z0-9_.-]+(?:@[A-Za-z0-9_.-]+)?")
_NAMED = {
    "op": "an operation (a name, or a string in quotes)",
    "chip": "a chip (a name, or a string in quotes)",
    "resource": "a resource such as bf16 or hbm",
    "word": "a word such as no-fma or sms",
}
_DUE: dict[str, tuple[str, Callable[[Tree], bool]]] = {
    "number": ("a value", lambda tree: not is_statement(tree)),
    "name": ("a name", lambda tree: isinstance(tree, Name)),
    "equation": (
        "an equation such as 'x^2 == 4'",
        lambda tree: isinstance(tree, Comparison) and tree.relations == ("==",),
    ),
    "proposition": ("a condition such as 'n > 3'", is_statement),
    "set": ("a set such as {1, 2, 4}", lambda tree: isinstance(tree, Op) and tree.head == "set"),
}


def read(text: str, declared: Collection[str] = (), *, letters: Collection[str] = (), measures: bool = False) -> Tree:
    """Return the tree of a formula: a value, or a statement.

    >>> read("1 + x^2 > 2 B D") == read("1 + (x²) > (2*B)*D")
    True
    >>> read("x > 2BD", letters="BD") == read("x > 2 B D")
    True

    `declared` are names in use, which win over units of the same spelling. `letters` are names of one letter that a
    word may be a product of. With `measures`, `2 s` is two seconds if nothing is named s. Raises RoofproofError with
    the column for text that is not a formula or is ambiguous.
    """
    return Reader(text, tokens(text), declared, letters=letters, measures=measures).parse_all()


def read_statement(
    text: str, declared: Collection[str] = (), *, letters: Collection[str] = (), measures: bool = False
) -> Tree:
    """Return the tree of a statement such as `B > 240`. See `read`.

    >>> read_statement("B > 240").relations
    ('>',)
    """
    reader = Reader(text, tokens(text, "a statement"), declared, letters=letters, measures=measures)
    return _statement(reader.parse_all(), 0)


def read_value(
    text: str, declared: Collection[str] = (), *, letters: Collection[str] = (), measures: bool = False
) -> Tree:
    """Return the tree of a value such as `peak / 2`. See `read`.

    >>> read_value("peak / 2")
    Op(head='/', args=(Name(name='peak'), Number(value=Fraction(2, 1), text='2')))
    """
    tree = Reader(text, tokens(text, "an expression"), declared, letters=letters, measures=measures).parse_all()
    if is_statement(tree):
        raise error_at(0, "expected an expression, got a proposition")
    return tree


class Reader:
    """A parser over the tokens of one text, by binding powers.

    In LaTeX (`latex`), each letter is a name, and units have been recognized by their font. `functions` are those that
    may be called. Any other word is a name.
    """

    def __init__(
        self,
        text: str,
        found: Sequence[Token],
        declared: Collection[str] = (),
        *,
        letters: Collection[str] = (),
        measures: bool = False,
        latex: bool = False,
        functions: Mapping[str, Function] = FUNCTIONS,
    ) -> None:
        self.text, self.latex, self.at, self.functions = text, latex, 0, functions
        self.tokens = [*found, Token("end", "", len(text), len(text))]
        self.declared = {*declared, *_bound(found)}
        self.letters = frozenset(letters)
        self.named = self.declared | (frozenset() if latex else _names_elsewhere(found))
        self.measures = measures and not latex
        self.counts = counted_words(found) - self.declared if self.measures else frozenset()
        self.inside = 0  # levels of nesting
        self.beside = -1  # where the last product without a multiplication sign began
        self.depths: dict[int, int] = {}
        self.kept: list[Tree] = []  # so that no id is reused

    # --- tokens -----------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.at + count, len(self.tokens) - 1)]

    def take(self, *kinds: str) -> Token | None:
        """Return the next token and move past it, if it is of one of the kinds."""
        if self.token.kind not in kinds:
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def need(self, kind: str) -> Token:
        return self.take(kind) or self.refuse()

    def refuse(self, *due: str) -> NoReturn:
        """Raise the error for an unexpected token. `due` are the signs that are allowed."""
        token = self.token
        listed = joined("<first> or <second>", map(repr, due))
        if token.kind == "end":
            end = len(self.text.rstrip())
            if due:
                raise error_at(end, "the text is incomplete; expected <due>", due=listed)
            raise error_at(end, "<whole> is incomplete", whole="the text")
        if token.kind == "number":
            why = "the number <token> directly after a factor; write '*' or '^' before it"
            raise error_at(token.at, why, token=quoted(token.text))
        if not self.latex and (cured := with_cure(self.text, token.at)):
            raise cured
        if token.kind == ":" and self.at and self.text[: token.at].rstrip()[-1:].isalpha():
            said = "unexpected ':'; an operation with options goes in quotes, as in flops(\"matmul:fp8\")"
            raise error_at(token.at, said)
        written = quoted(self.source_text(token))
        if due:
            raise error_at(token.at, "unexpected <token>; expected <due>", token=written, due=listed)
        raise error_at(token.at, "unexpected <token>", token=written)

    def source_text(self, token: Token) -> str:
        """Return a token as the user wrote it or, for LaTeX, the sign that it means."""
        return token.text if self.latex else self.text[token.at : token.end]

    def with_span(self, tree: Tree, start: int) -> Tree:
        """Return a node with its span, from its start to the last token, and refuse one that is too deep."""
        tree = replace(tree, span=(start, self.tokens[self.at - 1].end))
        depth = 1 + max((self.depths.get(id(part), 0) for part in tree.parts), default=0)
        if depth > MAX_DEPTH:
            raise error_at(start, "the text has more than <most> levels", most=MAX_DEPTH)
        self.depths[id(tree)] = depth
        self.kept.append(tree)
        return tree

    def ways(self, token: Token | int, whole: str, first: str, second: str) -> NoReturn:
        """Raise the error for a text that can be read in two ways."""
        at = token if isinstance(token, int) else token.at
        raise error_at(at, TWO_WAYS, whole=quoted(whole), first=quoted(first), second=quoted(second))

    # --- operators --------------------------------------------------------------------------------

    def parse_all(self) -> Tree:
        """Return the tree of all tokens."""
        tree = self.formula()
        if self.token.kind != "end":
            self.refuse()
        return tree

    def formula(self, least: int = 0) -> Tree:
        """Return the tree of operators with at least the binding power `least`."""
        start = self.token.at
        self.enter()
        left = self.operand()
        while (operator := OPERATORS.get(self.token.kind)) and operator.power >= least:
            left = self.joined(left, operator, start)
        self.inside -= 1
        return left

    def enter(self) -> None:
        """Count one level of nesting, and refuse a text that is too deep for Python's stack."""
        self.inside += 1
        if self.inside > MAX_INSIDE:
            said = "brackets, calls and signs are nested more than <most> deep"
            raise error_at(self.token.at, said, most=MAX_INSIDE)

    def joined(self, first: Tree, operator: Operator, start: int) -> Tree:
        """Return `first` joined with the operands of the operators of this power that follow it."""
        due = _statement if operator.statements else _value
        if operator.sign in RELATIONS:
            return self.comparison(first, start)
        if operator.side == "left":
            return self.product_or_quotient(first, start)
        if operator.side == "right":
            self.take(operator.sign)
            right = self.formula(operator.power)
            return self.with_span(Op(operator.sign, (due(first), due(right))), start)
        members = [due(first)]
        while sign := self.take(*_EQUALLY[operator.sign]):
            member = due(self.formula(operator.power + 1))
            if sign.kind == "-":
                member = self.with_span(Op("-", (member,)), member.span[0])
            members.append(member)
        if operator.sign == "<=>":  # (a <=> b) <=> c is not a <=> b <=> c
            return self.with_span(Op("<=>", tuple(members)), start)
        return self.with_span(flat("+" if operator.sign == "-" else operator.sign, members), start)

    def comparison(self, first: Tree, start: int) -> Tree:
        operands, relations = [_value(first)], []
        while sign := self.take(*RELATIONS):
            if sign.kind == ">>":
                said = '<token> goes into the regime, as in regime = "D, F >> B"'
                raise error_at(sign.at, said, token=quoted(self.source_text(sign)))
            relations.append("==" if sign.kind == "=" else sign.kind)
            if "->" in relations and len(relations) > 1:
                raise error_at(sign.at, "'->' goes between one value and its limit, not in a chain")
            operands.append(_value(self.formula(OPERATORS["+"].power)))
        return self.with_span(Comparison(tuple(operands), tuple(relations)), start)

    def product_or_quotient(self, first: Tree, start: int) -> Tree:
        sign = self.take("*", "/")
        assert sign is not None
        below = self.token.at
        right = _value(self.formula(SIGN))
        first = _value(first)
        if sign.kind == "*":
            return self.with_span(flat("*", [first, right]), start)
        self.refuse_two_quotients(first, sign, right, below, start)
        return self.with_span(Op("/", (first, right)), start)

    def refuse_two_quotients(self, above: Tree, slash: Token, right: Tree, below: int, start: int) -> None:
        """Refuse `a / b c`, `a / 2 GB`, `3/2 h` and `a / 8.2 * 10^11`."""
        whole = self.text[start : right.span[1]]
        if found := re.fullmatch(r"([\d.]+)\s*/\s*([\d.]+)\s*([hsJW])", whole):
            one, two, letter = found.groups()
            raise error_at(
                start,
                SEVERAL_WAYS,
                whole=quoted(found[0]),
                first=quoted(f"{one}/{two} {SPELLED[letter]}"),
                second=quoted(f"({one}/{two}) * {letter}"),
                third=quoted(f"{one}/({two} {letter})"),
            )
        numerator = self.text[start : slash.at].strip()
        signed = isinstance(right, Op) and right.head == "-"
        inner = right.args[0] if isinstance(right, Op) and signed else right
        ten = self.token.kind == "*" and self.ahead().text == "10" and self.ahead(2).kind in ("^", "power")
        if isinstance(right, Number) and ten:
            here = self.at
            self.at += 1
            power = self.formula(BESIDE)
            self.at = here
            number, after = self.text[slice(*right.span)], self.text[right.span[1] : power.span[1]]
            whole = self.text[start : power.span[1]]
            self.ways(slash, whole, f"({numerator}/{number}){after}", f"{numerator}/({number}{after})")
        if isinstance(inner, Quantity) and inner.amount is _ONE:  # 60 / s, but not x / 1 s
            return
        opened = any(t.kind == "(" and below <= t.at < inner.span[0] for t in self.tokens)
        quantity = isinstance(inner, Quantity) and not opened
        if isinstance(inner, Quantity) and quantity:
            if _has_a_unit(above) and (_is_number(inner.amount) or self.text[below] == "("):
                return
        elif not (self.beside == below or (signed and self.beside > below)):
            return
        parts = self.text[below : right.span[1]]
        first = inner.amount if isinstance(inner, Quantity) else inner
        leading = (first.args[0] if is_op(first, "*") else first).span[1]
        while self.text[below:leading].count("(") > self.text[below:leading].count(")"):
            leading += 1  # past the bracket that closes
        head, rest = self.text[below:leading].strip(), self.text[leading : right.span[1]].strip()
        times = "" if quantity else "* "
        self.ways(slash, whole, f"({numerator}/{head}) {times}{rest}", f"{numerator}/({parts})")

    # --- operands ---------------------------------------------------------------------------------

    def operand(self) -> Tree:
        """Return an operand: `not ...`, `exists t: ...`, `-x`, or a product without signs."""
        start = self.token.at
        if self.take("not"):
            return self.with_span(Op("not", (_statement(self.formula(NOT)),)), start)
        if quantifier := self.take("exists", "for all"):
            return self.quantified(quantifier)
        if sign := self.take("+", "-"):
            inner = _value(self.formula(SIGN))
            return inner if sign.kind == "+" else self.with_span(Op("-", (inner,)), start)
        return self.product()

    def quantified(self, quantifier: Token) -> Tree:
        names = [self.bound_name()]
        while self.take(","):
            names.append(self.bound_name())
        kinds = []
        while self.token.text in KINDS:
            kinds.append(self.need("name").text.removesuffix("s"))
        self.need(":")
        body = _statement(self.formula())
        return self.with_span(Quantified(quantifier.kind, tuple(names), tuple(kinds), body), quantifier.at)

    def bound_name(self) -> str:
        token = self.need("name")
        self.refuse_function(token)
        return token.text

    def product(self) -> Tree:
        """Return factors side by side, with the units among them: `2 B D`, `8 n byte`, `10^9 FLOP/s`."""
        start, self.beside = self.token.at, -1
        factors = [self.fraction() or self.factor()]
        while True:
            numbered = _is_number(factors[-1])
            if unit := self.unit(only_words=len(factors) > 1 or not numbered):
                amount = _value(factors[0])
                if len(factors) > 1:
                    amount = replace(flat("*", map(_value, factors)), span=(start, factors[-1].span[1]))
                factors = [self.with_span(Quantity(amount, unit), start)]
                if self.token.kind in ("^", "power"):
                    said = "a power of <unit> can be read two ways; write '(2 <unit>)^2' or '2 <unit> * 1 <unit>'"
                    raise error_at(self.token.at, said, unit=unit.text)
                if not _is_number(amount):
                    break
                continue
            if self.token.kind not in ("name", "(", "√", "oo"):
                break
            self.refuse_near_unit(numbered)
            factors.append(self.factor())
        if len(factors) == 1:
            self.beside = -1  # even if it is a product in brackets
            return factors[0]
        zero = isinstance(factors[0], Number) and factors[0].value == 0
        if zero and self.text[factors[0].span[1] : factors[0].span[1] + 1].isalpha():
            raise error_at(start, "zero times something; write only 0")
        self.beside = start
        return self.with_span(flat("*", map(_value, factors)), start)

    def refuse_near_unit(self, numbered: bool) -> None:
        """Refuse a word that is nearly a unit, after a number or, if it occurs only once, at the end of a product."""
        word, called = self.token.text, self.ahead().kind == "("
        if self.latex or self.token.kind != "name" or word in self.declared or (word in self.functions and called):
            return
        ends = self.ahead().kind not in ("name", "(", "√", "oo", "^", "power", "number")
        if not numbered and (not ends or len(word) < LEAST_WORD or [t.text for t in self.tokens].count(word) > 1):
            return
        if near := near_unit(word):
            raise error_at(self.token.at, "<word> is not a unit; did you mean <near>?", word=quoted(word), near=near)

    def fraction(self) -> Tree | None:
        """Return `1/2` directly before a unit, meaning half of the unit, if no other division precedes it."""
        above, slash, below = self.token, self.ahead(), self.ahead(2)
        before = next((t.kind for t in self.tokens[: self.at][::-1] if t.kind not in "+-"), "")
        if (above.kind, slash.kind, below.kind) != ("number", "/", "number") or before in ("/", "^"):
            return None
        self.at += 3
        found = self.unit(only_words=False, look=True)
        if not found or (found.text in MEASURES and not self.latex):
            self.at -= 3
            return None
        span = (above.at, below.end)
        if not above.end == slash.at or not slash.end == below.at:
            raise error_at(
                above.at,
                "two readings before a unit; write '<text> ...' for the fraction, "
                "'<above> / (<below> ...)' for the quotient",
                text=f"{above.text}/{below.text}",
                above=above.text,
                below=below.text,
            )
        numbers = (Number(exact_number(t.text, t.at), t.text, span=span) for t in (above, below))
        return Op("/", tuple(numbers), span=span)

    def factor(self) -> Tree:
        """Return an atom, or a power of one."""
        start, here = self.token.at, self.token
        base = self.atom()
        if self.token.kind not in ("^", "power"):
            return base
        if isinstance(base, Op) and base.head == "*" and here.kind == "name":
            letters = [part.name for part in base.args if isinstance(part, Name)]
            first, last = " ".join(letters[:-1]), letters[-1]
            self.ways(here, f"{here.text}^", f"{first} {last}^...", f"({first} {last})^...")
        if power := self.take("power"):
            digits = power.text.translate(SUPERSCRIPTS)
            exponent: Tree = Number(exact_number(digits, power.at), digits, span=(power.at, power.end))
        else:
            self.take("^")
            exponent = self.exponent()
        size, most = _magnitude(exponent), MAX_EXPONENT
        if isinstance(base, Number):
            most = MAX_EXPONENT_OF.get(base.value, MAX_EXPONENT)
        if size is not None and size > most:
            raise error_at(exponent.span[0], "the exponent <size> exceeds <most>", size=quoted(size, 20), most=most)
        return self.with_span(Op("^", (_value(base), exponent)), start)

    def exponent(self) -> Tree:
        start = self.token.at
        self.enter()
        if sign := self.take("+", "-"):
            inner = self.exponent()
            exponent = inner if sign.kind == "+" else self.with_span(Op("-", (inner,)), start)
        else:
            exponent = _value(self.factor())
        self.inside -= 1
        return exponent

    def atom(self) -> Tree:
        token = self.token
        match token.kind:
            case "number":
                self.at += 1
                return Number(exact_number(token.text, token.at), token.text, span=(token.at, token.end))
            case "oo":
                self.at += 1
                return Constant("oo", span=(token.at, token.end))
            case "√":
                self.at += 1
                self.enter()
                inside = _value(self.atom())
                self.inside -= 1
                return self.with_span(Call("sqrt", (inside,)), token.at)
            case "(":
                self.at += 1
                inner = self.formula()
                self.need(")")
                return inner
            case "name":
                self.at += 1
                return self.word(token)
            case "unit":
                said = "<word> is a unit; a unit follows a number, as in <example>"
                raise error_at(token.at, said, word=quoted(token.text), example=quoted(f"2 {token.text}"))
            case "string":
                said = "expected a value; a string or a chip's name goes into a call that takes one"
                raise error_at(token.at, said)
        self.refuse()

    # --- names and calls --------------------------------------------------------------------------

    def word(self, token: Token) -> Tree:
        """Return the tree of a word: a call, a product of letters, or a name."""
        word, span = token.text, (token.at, token.end)
        function = self.functions.get(word)
        usable = function and (function.reserved or word not in self.declared)
        if function and usable:
            if self.token.kind == "(":
                return self.call(token, function)
            if not self.latex or word in ARITHMETIC:  # \\text{bytes} is a name
                self.refuse_function(token)
        below = self.measures and word not in self.named and _is_below(self.tokens, self.at - 1)
        if below and (unit := letter_unit(word)):  # 60 / s
            return Quantity(_ONE, unit, span=span)
        if not self.latex and word not in self.declared and self.token.kind != "(":
            self.refuse_prose(token)
        if letters := self.product_of(token):
            return Op("*", tuple(Name(letter, span=span) for letter in letters), span=span)
        if self.token.kind == "(" and not self.latex and not (function and word in self.declared):
            self.refuse_unknown_call(token)
        if not self.latex and word not in self.declared:
            if self.token.kind == "(":
                self.refuse_prose(token)
            if is_word(word) and word not in self.named:
                spelled = self.spelled(self.at - 1)
                said = "<word> is a unit; a unit follows a number, as in <example>"
                raise error_at(token.at, said, word=quoted(word), example=quoted(f"2 {spelled}"))
        return Name(word, span=span)

    def refuse_function(self, token: Token) -> None:
        """Refuse a function with a reserved name that is not called."""
        function = self.functions.get(token.text)
        if function and function.reserved:
            said = "<word> is a function; write <usage>"
            raise error_at(token.at, said, word=token.text, usage=function.usage)

    def product_of(self, token: Token) -> str:
        """Return the letters that a word is the product of, or "" if it is a name. Refuse a word that may be either.

        `2BDF` is B D F if these are names of their own. Of `2BDG` only some are, so `BDG` may be a name. `BW`, of which
        one letter is known, is a name if it occurs in the text twice.
        """
        word = token.text
        if len(word) < 2 or not word.isalpha() or word in self.declared or self.latex or is_word(word) or word == "pi":
            return ""
        known = [letter in self.letters for letter in word]
        if all(known):
            return word
        before = self.tokens[self.at - 2] if self.at > 1 else None
        glued = before is not None and before.kind == "number" and before.end == token.at
        once = [t.text for t in self.tokens].count(word) == 1
        if word.isupper() and (glued or sum(known) > (not once)):
            number = before.text if before is not None and glued else ""
            raise error_at(
                token.at - len(number),
                GLUED,
                whole=quoted(number + word),
                product=quoted(" ".join(filter(None, (number, *word)))),
                name=quoted(f"{word[0]}_{word[1:]}"),
            )
        return ""

    def refuse_prose(self, token: Token) -> None:
        """Refuse a word of a sentence, or a function without brackets, since neither is a name."""
        word = token.text
        if FOREIGN.fullmatch(word):
            said = "unknown function <word>"
            said = "<word> is read as a function; write '<name>(...)'" if word in self.functions else said
            raise error_at(token.at, said, word=quoted(word), name=word)
        if word in ENGLISH or word.lower() in SPOKEN:
            cure = quoted(f"* 10^{ENGLISH[word]}" if word in ENGLISH else SPOKEN[word.lower()])
            raise error_at(token.at, "<word> is not a name; write <cure>", word=quoted(word), cure=cure)
        if is_prose(word):
            said = "<word> is not a name; expected a formula such as 'B > 240 => B D > 1'"
            raise error_at(token.at, said, word=quoted(word))

    def refuse_unknown_call(self, token: Token) -> None:
        """Refuse `name(...)` that looks like a call: a function's name, a long word, or not exactly one argument."""
        word, glued = token.text, self.token.at == token.end
        called = FOREIGN.fullmatch(word) or (glued and len(word) >= LEAST_CALLED)
        inside = [self.ahead(1).kind, self.ahead(2).kind]
        count = self.count_arguments()
        if word not in self.declared and (called or count != 1 or "string" in self.kinds_inside()):
            raise error_at(token.at, unknown_function(word, self.functions).said)
        if glued and inside in (["name", ")"], ["number", ")"]):
            said = "'<word>(<of>)' may be <word> at <of> or a product; write '<word> * <of>' for the product"
            raise error_at(token.at, said, word=word, of=self.ahead(1).text)

    def kinds_inside(self) -> list[str]:
        """Return the kinds of the tokens directly inside the bracket that comes next."""
        depth, found = 0, []
        for token in self.tokens[self.at :]:
            depth += (token.kind in ("(", "{")) - (token.kind in (")", "}"))
            if depth == 0:
                break
            if depth == 1:
                found.append(token.kind)
        return found

    def count_arguments(self) -> int:
        """Return the number of arguments of the bracket that comes next."""
        inside = self.kinds_inside()[1:]
        return inside.count(",") + 1 if inside or self.ahead().kind != ")" else 0

    def call(self, token: Token, function: Function) -> Tree:
        """Return a call. Each argument is read as the kind that the signature gives."""
        count = self.count_arguments()
        if count > MAX_ARGUMENTS:
            raise error_at(token.at, "<name> of more than <most> values", name=function.name, most=MAX_ARGUMENTS)
        if function.takes == "number*":
            self.refuse_thousands(r"\d{3}")
        else:
            self.refuse_thousands(r"0\d\d")
        kinds = function.kinds(count)
        if "[" in self.kinds_inside() and (kinds is None or ":" in self.kinds_inside()):
            said = "an operation goes in quotes, as in <example>"
            raise error_at(token.at, said, example=f'{function.name}("bf16[B,D], bf16[D,F] -> bf16[B,F]")')
        if kinds is None:
            came = Sentence("<count> argument" if count == 1 else "<count> arguments", count=count)
            said = "expected <usage>, got <came>"
            raise error_at(token.at, said, usage=function.usage, came=came)
        self.need("(")
        self.enter()
        arguments = []
        for place, kind in enumerate(kinds, 1):
            if place > 1:
                self.need(",")
            arguments.append(self.argument(function.name, place, kind))
        self.inside -= 1
        self.need(")")
        return self.with_span(Call(function.name, tuple(arguments)), token.at)

    def argument(self, function: str, place: int, kind: str) -> Tree:
        """Return an argument of the required kind, or raise RoofproofError."""
        start = self.token.at
        if kind in _NAMED:
            if found := self.reference(kind):
                return found
            what = _NAMED[kind]
        else:
            what, fits = _DUE[kind]
            if self.token.kind != "string":
                tree = self.set_of_values() if self.token.kind == "{" else self.formula()
                if fits(tree):
                    return tree
        said = "argument <place> of <function> is <what>"
        raise error_at(start, said, place=place, function=function, what=Sentence(what))

    def reference(self, kind: str) -> Tree | None:
        """Return a reference from a string or from words such as tpu-v5e@scaling-book, or None for anything else."""
        if string := self.take("string"):
            text, end = string.text[1:-1], string.end
            return Reference(kind, text, span=(string.at, end)) if text.strip() else None
        word = REFERENCE.match(self.text, self.token.at)
        if word is None:
            return None
        while self.token.at < word.end() and self.token.kind != "end":
            self.at += 1
        if self.token.kind == ":":
            self.refuse()
        if self.token.kind not in (",", ")") or self.tokens[self.at - 1].end != word.end():
            return None
        return Reference(kind, word[0], span=word.span())

    def set_of_values(self) -> Tree:
        start = self.token.at
        self.refuse_thousands(r"0\d\d")
        self.need("{")
        items = [_value(self.formula())]
        while self.take(","):
            items.append(_value(self.formula()))
            if len(items) > MAX_CHOICES:
                raise error_at(start, "a set of more than <most> values", most=MAX_CHOICES)
        self.need("}")
        return self.with_span(Op("set", tuple(items)), start)

    def refuse_thousands(self, after: str) -> None:
        """Refuse `max(1,200)`, which may have one argument or two. Elsewhere, `1,024` is hardly two numbers."""
        depth = 0
        for k in range(self.at, len(self.tokens) - 3):
            one, comma, two = self.tokens[k : k + 3]
            depth += (one.kind in ("(", "{")) - (one.kind in (")", "}"))
            if depth == 0:
                return
            alone = self.tokens[k - 1].kind in ("(", "{", ",") and self.tokens[k + 3].kind in (")", "}", ",")
            if depth == 1 and alone and (one.kind, comma.kind, two.kind) == ("number", ",", "number"):
                whole = self.text[one.at : two.end]
                if re.fullmatch(rf"\d{{1,3}},{after}", whole):
                    self.ways(one, whole, whole.replace(",", ""), whole.replace(",", ", "))

    # --- units ------------------------------------------------------------------------------------

    def unit(self, only_words: bool, look: bool = False) -> Unit | None:
        """Return the unit at this token, of words joined by `/` such as `GFLOP/GB`, and move past it.

        After a number it may be any unit, and after a name (`only_words`) only one that cannot be a name.
        """
        token = self.token
        if token.kind == "unit" and self.latex:
            self.at += not look
            return unit_of(token.text) or letter_unit(token.text)
        if token.kind not in ("unit", "name") or (self.latex and token.text != "%"):
            return None
        if token.text in self.functions and self.ahead().kind == "(":  # 2 bytes(mm)
            return None
        spelled = self.spelled(self.at)
        count = 2 * spelled.count("/") + 1
        found = unit_of(spelled, counts=self.counts)
        if found is None or (token.text in self.named and spelled != "B/s"):
            found, count = self.measure(only_words), 1
        if found is None or (only_words and not any(map(is_unit, found.text.split("/")))):
            return None
        self.refuse_near_unit_after(count)
        self.at += 0 if look else count
        return found

    def measure(self, only_words: bool) -> Unit | None:
        """Return the unit of a letter right after a number, at the end of its factor: seconds, joules, watts."""
        follows = self.ahead().kind in ("name", "number", "(", "^", "power", "√", "unit")
        if not self.measures or only_words or self.token.text in self.named or follows:
            return None
        return letter_unit(self.token.text)

    def spelled(self, place: int) -> str:
        """Return the longest unit that begins at a token: words joined by `/` without spaces."""
        text = self.tokens[place].text
        both = text == "B" and text in self.named  # B/s is a unit unless both are names
        while self.tokens[place + 1].kind == "/" and self.tokens[place + 2].kind in ("name", "unit"):
            one, slash, two = self.tokens[place : place + 3]
            longer = f"{text}/{two.text}"
            if one.end != slash.at or slash.end != two.at or unit_of(longer, counts=self.counts) is None:
                break
            if two.text in self.named and (both or two.text not in LETTERS):
                break
            if "/" in text and two.text in ("B", "b", "s"):  # FLOP/B/s might be FLOP/B over a name
                break
            text, place = longer, place + 2
        return text

    def refuse_near_unit_after(self, count: int) -> None:
        """Refuse `GB/sec`: a word glued to a unit by `/` that is nearly a unit."""
        last, slash, word = self.ahead(count - 1), self.ahead(count), self.ahead(count + 1)
        glued = slash.kind == "/" and word.kind == "name" and last.end == slash.at and slash.end == word.at
        if glued and word.text not in self.declared and (near := near_unit(word.text)):
            raise error_at(word.at, "<word> is not a unit; did you mean <near>?", word=quoted(word.text), near=near)


def unknown_function(word: str, functions: Mapping[str, Function] = FUNCTIONS) -> RoofproofError:
    """Return the error for an unknown function.

    >>> print(unknown_function("intensty"))
    unknown function 'intensty'; did you mean 'intensity'?
    >>> print(unknown_function("qux"))
    unknown function 'qux'; for a product write 'qux * (...)'
    >>> print(unknown_function("peak"))
    unknown function 'peak'; write 'rate(chip, bf16)'
    """
    if (cure := INSTEAD.get(word)) and all(name in functions for name in re.findall(r"(\w+)\(", cure)):
        return RoofproofError("unknown function <word>; write <cure>", word=quoted(word), cure=quoted(cure))
    if FOREIGN.fullmatch(word):
        return RoofproofError("unknown function <word>", word=quoted(word))
    error = unknown("function", word, functions)
    if "did you mean" in str(error):
        return error
    return RoofproofError(
        "unknown function <word>; for a product write <product>",
        word=quoted(word),
        product=repr(f"{word[:20]} * (...)"),
    )


def is_prose(word: str) -> bool:
    """Return whether a word is one of a sentence, also with a capital letter.

    >>> is_prose("when"), is_prose("When"), is_prose("IF")
    (True, True, False)
    """
    return PROSE.fullmatch(word.lower() if word.istitle() else word) is not None


def is_name(text: str) -> bool:
    """Return whether a text can be declared as a name.

    >>> is_name("T_math"), is_name("2x"), is_name("and")
    (True, False, False)
    """
    return text.isascii() and text.isidentifier() and text not in KEYWORDS


def _value(tree: Tree) -> Tree:
    if is_statement(tree):
        raise error_at(tree.span[0], "expected a value, got a proposition")
    return tree


def _statement(tree: Tree, at: int | None = None) -> Tree:
    if not is_statement(tree):
        place = tree.span[0] if at is None else at
        raise error_at(place, "expected a statement such as 'B > 240', got a number or expression")
    return tree


def _is_number(tree: Tree) -> bool:
    """Return whether a tree is a number, a quotient of two or a power of one by one, which a unit may follow."""
    match tree:
        case Op("^", (Number(), exponent)):
            return isinstance(exponent, Number) or _is_number(exponent)
        case Op("-", (Number(),)) | Op("/", (Number(), Number())):
            return True
    return isinstance(tree, Number)


def _magnitude(tree: Tree) -> Fraction | None:
    """Return the size of an exponent that is a number or a power of small numbers, or None for any other."""
    match tree:
        case Number(value=value):
            return value
        case Op("-", (inner,)):
            return _magnitude(inner)
        case Op("^", (Number(value=base), Number(value=Fraction(denominator=1) as times))):
            return base ** int(times)
    return None


def _has_a_unit(tree: Tree) -> bool:
    """Return whether a value already has units, so that its quotient by a quantity is intended."""
    return any(
        isinstance(part, Quantity) or (isinstance(part, Call) and part.function not in ARITHMETIC)
        for part in walk(tree)
    )


def _bound(found: Sequence[Token]) -> set[str]:
    """Return the names between `exists` or `for all` and the colon."""
    names, inside = set(), False
    for token in found:
        inside = token.kind in ("exists", "for all") or (inside and token.kind != ":")
        if inside and token.kind == "name" and token.text not in KINDS:
            names.add(token.text)
    return names


_ENDS = ("name", ")", "number", "power")  # where a product may end: 8 n byte, (a + b) ms, n² bytes
_BEGINS = ("", "+", "-", ",", ";", "(", "and", "or", "<=>", "=>", *RELATIONS)  # tokens before a term


def _names_elsewhere(found: Sequence[Token]) -> frozenset[str]:
    """Return the words that could be a unit or a name but are in a place where only a name can be.

    For an unlikely unit such as Pb, that is the beginning of a term. For GB, there is no such place.
    """
    kinds = ["", *(token.kind for token in found), "", ""]
    names = set()
    for k, token in enumerate(found):
        if token.kind != "name":
            continue
        word, before, after = token.text, kinds[k], kinds[k + 2]
        if word in MEASURES:
            named = not (_after_number(kinds, k) or before == "/" or _is_below(found, k))
        elif word.removesuffix("s") in COUNTS:  # in 2/GPU and in 6 params n they are not units
            below = before == "/" and k > 1 and found[k - 2].kind == "name"
            named = not (before in _ENDS or below) or after in ("number", "(") or _name_follows(found, k)
        else:
            bits = len(word) == 2 and word.endswith("b") and is_word(word)
            named = bits and before in _BEGINS
        if named:
            names.add(word)
    return frozenset(names)


def _name_follows(found: Sequence[Token], k: int) -> bool:
    """Return whether a product continues after a word with a name or a call, not with a unit."""
    after = [(t.kind, t.text) for t in found[k + 1 : k + 3]]
    if not after or after[0][0] != "name":
        return False
    return not is_word(after[0][1]) or after[1:] == [("(", "(")]


def _is_below(found: Sequence[Token], k: int) -> bool:
    """Return whether a letter is the divisor of a number or a unit: `60 / s`, `16 GB/(s)`, `2 * s^-1`."""
    before, after = [t.kind for t in found[:k]], [t.text for t in found[k + 1 : k + 4]]
    if after == ["^", "-", "1"]:
        return True
    slash = k - 2 if before[-1:] == ["("] and after[:1] == [")"] else k - 1
    above = found[slash - 1] if slash > 0 and before[slash] == "/" else None
    return above is not None and (above.kind != "name" or is_unit(above.text))


def counted_words(found: Sequence[Token]) -> frozenset[str]:
    """Return the words that count things in every place: `8 cores`, `1e6 rows/s`, `8 byte/row`, `32 GT/s`.

    >>> sorted(counted_words(tokens("1e6 rows/s * 8 byte/row == 2 n MB/s * heads + 2 heads")))
    ['row', 'rows']
    """
    kinds = ["", *(token.kind for token in found), "", ""]
    counts: set[str] = set()
    names: set[str] = set()
    for k, token in enumerate(found):
        if token.kind != "name" or is_unit(token.text) or token.text in FUNCTIONS:
            continue
        below = kinds[k] == "/" and k > 1 and kinds[k - 1] == "name" and found[k - 1].end == token.at
        goes_on = kinds[k + 2] in ("number", "(", "^", "power", "√") or _name_follows(found, k)
        counted = (_after_number(kinds, k) or below) and not goes_on and near_unit(token.text) is None
        (counts if counted and is_counted(token.text) else names).add(token.text)
    return frozenset(counts - names)


def _after_number(kinds: Sequence[str], k: int) -> bool:
    """Return whether a number, or a power of one (10^9, 10⁹, 10^(-9)), precedes token k."""
    last = kinds[: k + 1]
    if last[-6:] == ["number", "^", "(", "-", "number", ")"]:
        return True
    if last[-1:] == ["number"]:
        return last[-2:-1] != ["^"] or last[-3:] == ["number", "^", "number"]
    return last[-2:] == ["number", "power"]
