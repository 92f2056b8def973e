"""A separate parser for Coq theorems: real terms, comparisons, connectives and definitions.

It shares no code with the writer of the files. The tests compare each parsed theorem with the known statement.
"""

import re

TOKEN = re.compile(r"\s+|(\d+|[^\W\d][\w']*|<->|->|/\\|\\/|:=|>=|[()+\-*/^<>=~:,])")
CALLS = {"Rmax": 2, "Rmin": 2, "sqrt": 1, "floor": 1, "ceil": 1, "log2": 1, "Rpower": 2, "Rabs": 1, "integer": 1,
         "compute_bound": 3, "ridge": 2, "intensity": 2, "seconds": 2}  # fmt: skip


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match, f"not read: {text[at : at + 30]!r}"
        if match.group(1):
            found.append(match.group(1))
        at = match.end()
    return [*found, "end"]


class Reader:
    """Statements as trees: ("forall" | "exists", name, body), ("->" | "/\\" | ..., a, b), (">", a, b), ("+", a, b)."""

    def __init__(self, text, definitions=None):
        self.tokens, self.at, self.definitions = tokens(text), 0, definitions or {}

    def peek(self):
        return self.tokens[self.at]

    def take(self, *wanted):
        found = self.peek()
        if wanted:
            assert found in wanted, f"expected {wanted}, got {found} after {' '.join(self.tokens[: self.at])}"
        self.at += 1
        return found

    def whole(self):
        found = self.proposition()
        self.take("end")
        return found

    def proposition(self):
        if self.peek() in ("forall", "exists"):
            which, names = self.take(), []
            while self.peek() != ":":
                names.append(self.take())
            for expected in (":", "real", ","):
                self.take(expected)
            body = self.proposition()
            for name in reversed(names):
                body = (which, name, body)
            return body
        left = self.either()
        if self.peek() in ("->", "<->"):
            return (self.take(), left, self.proposition())
        return left

    def either(self):
        left = self.both()
        return (self.take(), left, self.either()) if self.peek() == "\\/" else left

    def both(self):
        left = self.atom()
        return (self.take(), left, self.both()) if self.peek() == "/\\" else left

    def atom(self):
        if self.peek() == "~":
            return (self.take(), self.atom())
        if self.peek() in ("True", "False"):
            return (self.take(),)
        if self.peek() == "(":  # a proposition in parentheses, unless they belong to a comparison
            back = self.at
            try:
                self.take("(")
                inside = self.proposition()
                self.take(")")
                if self.peek() in (")", "end", "->", "<->", "/\\", "\\/"):
                    return inside
            except AssertionError:
                pass
            self.at = back
        left = self.sum()
        if self.peek() in (">", ">=", "=", "<"):
            return (self.take(), left, self.sum())
        assert left[0] in ("integer", ">"), left
        return left

    def sum(self):
        left = self.product()
        while self.peek() in ("+", "-"):
            left = (self.take(), left, self.product())
        return left

    def product(self):
        left = self.power()
        while self.peek() in ("*", "/"):
            left = (self.take(), left, self.power())
        return left

    def power(self):
        left = self.called()
        return (self.take("^"), left, self.called()) if self.peek() == "^" else left

    def called(self):
        name = self.peek()
        if name in CALLS:
            return unfolded(self.take(), *(self.simple() for _ in range(CALLS[name])))
        if name in self.definitions:
            takes, body = self.definitions[self.take()]
            return put(body, dict(zip(takes, [self.simple() for _ in takes], strict=True)))
        return self.simple()

    def simple(self):
        if self.peek() == "(":
            self.take()
            if self.peek() == "-":
                self.take()
                found = -int(self.take())
            else:
                found = self.sum()
            self.take(")")
            return found
        name = self.take()
        if name in self.definitions:
            takes, body = self.definitions[name]
            assert not takes, name
            return body
        return int(name) if name.isdigit() else ("name", name)


def unfolded(name, *parts):
    """Return the expansion of a function that Meaning.v defines."""
    if name == "compute_bound":
        flops, moved, ridge = parts
        return (">", ("/", flops, moved), ridge)
    return ("/", *parts) if name in ("ridge", "intensity", "seconds") else (name, *parts)


def put(tree, values):
    if isinstance(tree, tuple):
        return values.get(tree[1], tree) if tree[0] == "name" else tuple(put(part, values) for part in tree)
    return tree


def definitions_of(text):
    """Return the parameters and the body of each real function in a file, with the calls in the body expanded."""
    found = {}
    for name, takes, body in re.findall(
        r"^Definition (\w+)((?: \([\w' ]+ : real\))?) : real := \((.*)\)%R\.$", text, re.M
    ):
        names = takes.strip(" ()").removesuffix(": real").split()
        reader = Reader(body, found)
        found[name] = (names, reader.sum())
        reader.take("end")
    return found


def theorems_of(text):
    """Return each theorem of a file by name, as a tree with the definitions expanded."""
    definitions = definitions_of(text)
    stated = re.findall(r"^Theorem (\w+) :\n  \((.*)\)%R\.$", text, re.M)
    assert len(stated) == text.count("\nTheorem ")
    return {name: Reader(said, definitions).whole() for name, said in stated}


# --- known statements as trees --------------------------------------------------------------------


def expected(known, names):
    """Return the tree that the theorem of a known statement must have, with the `names` of the file."""
    said = known.statement
    goal = said.spelled_out(said.goal)
    assumed = [said.spelled_out(f) for f in said.assumptions]
    free = free_of(goal).union(*map(free_of, assumed))
    positive = [f for f in map(said.spelled_out, said.positive()) if free_of(f) <= free]
    given = [formula(f, names) for f in dict.fromkeys([*positive, *assumed])]
    tree = formula(goal, names)
    for f in reversed(given):
        tree = ("/\\" if said.somewhere else "->", f, tree)
    for name in sorted(free, reverse=True):
        tree = ("exists" if said.somewhere else "forall", names[name], tree)
    return tree


def free_of(f):
    if f[0] == "tends":
        return (free_of(f[1]) | free_of(f[3])) - set(f[2])
    if f[0] == "v":
        return {f[1]}
    return set().union(*(free_of(part) for part in f[1:] if isinstance(part, tuple)))


def formula(f, names):
    head, *parts = f
    if head in (">", ">=", "="):
        return (head, *(term(t, names) for t in parts))
    if head == "int":
        return ("integer", term(parts[0], names))
    if head == "tends":
        tree = ("<", ("Rabs", ("-", term(parts[0], names), term(parts[2], names))), ("name", "eps"))
        for name in reversed(parts[1]):
            above = (">", ("name", names[name]), ("name", "M"))
            tree = ("forall", names[name], ("->", above, tree))
        return ("forall", "eps", ("->", (">", ("name", "eps"), 0), ("exists", "M", tree)))
    if head in ("true", "false"):
        return (head.capitalize(),)
    if head == "not":
        return ("~", formula(parts[0], names))
    sign = {"and": "/\\", "or": "\\/", "=>": "->", "<=>": "<->"}[head]
    if not parts:
        return ("True",) if head == "and" else ("False",)
    *others, tree = [formula(p, names) for p in parts]
    for other in reversed(others):
        tree = (sign, other, tree)
    return tree


def term(t, names):
    head, *parts = t
    if head == "v":
        return ("name", names[parts[0]])
    if head == "q":
        return parts[0] if parts[1] == 1 else ("/", *parts)
    if head == "^":
        return ("^", term(parts[0], names), parts[1])
    if head in ("+", "*") and not parts:
        return 0 if head == "+" else 1
    call = {"max": "Rmax", "min": "Rmin", "power": "Rpower"}.get(head, head)
    first, *others = [term(p, names) for p in parts]
    if head in ("sqrt", "floor", "ceil", "log2"):
        return (call, first)
    for other in others:
        first = (call, first, other)
    return first
