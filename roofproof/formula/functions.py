"""The functions of the language, one per line: their arguments, their kind and their dimension."""

import re
from dataclasses import dataclass

from roofproof.formula.units import BYTE, FLOP, JOULE, PLAIN, SECOND, Dimension, per


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the language.

    `takes` lists the arguments by kind, with alternatives separated by `|`. `?` marks an optional argument, and `*` one
    that may be repeated. Kinds: op, chip, resource, word (names or strings), number, name, equation, proposition, set.
    `dimension` is that of the value: "first" if it is that of the first argument, None if it is open. A `reserved` name
    cannot be declared, and any other function gives way to a declared name. A function with a `file` is evaluated by
    `WORD` in that file of claims/judge/.

    >>> FUNCTIONS["ridge"].signatures
    (('chip', 'resource'), ('chip', 'resource', 'resource'))
    """

    name: str
    takes: str
    dimension: Dimension | str | None = None
    proposition: bool = False
    reserved: bool = True
    file: str = ""

    @property
    def signatures(self) -> tuple[tuple[str, ...], ...]:
        """The kinds of arguments, one tuple for each number of arguments (a `*` matches any number)."""
        found: list[tuple[str, ...]] = []
        for way in self.takes.split("|"):
            kinds = [kind.strip() for kind in way.split(",")]
            least = sum(not kind.endswith("?") for kind in kinds)
            found += [tuple(k.rstrip("?") for k in kinds[:count]) for count in range(least, len(kinds) + 1)]
        return tuple(found)

    def kinds(self, count: int) -> tuple[str, ...] | None:
        """Return the kinds of `count` arguments, or None if the function does not take that many.

        >>> FUNCTIONS["max"].kinds(3), FUNCTIONS["abs"].kinds(2)
        (('number', 'number', 'number'), None)
        """
        for kinds in self.signatures:
            if kinds[-1].endswith("*") and count >= len(kinds):
                return kinds[:-1] + (kinds[-1].rstrip("*"),) * (count - len(kinds) + 1)
            if len(kinds) == count:
                return kinds
        return None

    @property
    def usage(self) -> str:
        """The syntax of a call, for a message.

        >>> FUNCTIONS["argmin"].usage, FUNCTIONS["max"].usage
        ('argmin(number, name[, set])', 'max(number, ...)')
        """
        ways = re.sub(r", (\w+)\?", r"[, \1]", self.takes).replace("*", ", ...").split("|")
        return " or ".join(f"{self.name}({way.strip()})" for way in ways)


FUNCTIONS: dict[str, Function] = {
    f.name: f
    for f in (
        # values of operations and specs of chips
        Function("flops", "op, resource?", FLOP),
        Function("bytes", "op, resource?", BYTE),
        Function("intensity", "op, resource?", per(FLOP, BYTE)),
        Function("ridge", "chip, resource, resource?", per(FLOP, BYTE)),
        Function("time", "op, chip, resource?", SECOND),
        Function("lower", "op, chip, word?", SECOND),
        Function("upper", "op, chip", SECOND),
        Function("attainable", "chip, resource, number, resource? | op, chip", per(FLOP, SECOND)),
        Function("compute_bound", "op, chip, resource?, resource?", proposition=True),
        Function("threshold", "op, chip, name, resource? | op, name"),
        Function("rate", "chip, resource", reserved=False),
        Function("capacity", "chip, resource", BYTE, reserved=False),
        Function("ceiling", "chip, word, resource?", reserved=False),
        Function("trait", "chip, word", reserved=False),
        Function("energy", "op, chip", JOULE, reserved=False),
        Function("balance", "chip, resource, resource?", per(FLOP, BYTE), reserved=False),
        Function("waves", "op, chip", PLAIN, reserved=False),
        Function("wave_efficiency", "op, chip", PLAIN, reserved=False),
        Function("lower_bound", "op, number", BYTE, reserved=False, file="memory_bounds"),
        Function("best_tile", "op, number", BYTE, reserved=False, file="memory_bounds"),
        Function("estimate", "op, chip, word?", SECOND, reserved=False),
        Function("share", "op, chip, word?", PLAIN, reserved=False),
        Function("alpha_beta", "op, chip?", SECOND, reserved=False),
        # analysis
        Function("limit", "number | number, name | number, name, number", "first"),
        Function("solve", "equation, name"),
        Function("smallest", "name, proposition"),
        Function("largest", "name, proposition"),
        Function("argmin", "number, name, set?"),
        Function("argmax", "number, name, set?", reserved=False),
        Function("minimum", "number, name, set?", "first"),
        Function("maximum", "number, name, set?", "first"),
        Function("sum", "number, name, number, number", "first"),
        Function("increasing", "number, name", proposition=True),
        Function("decreasing", "number, name", proposition=True),
        Function("independent", "number, name*", proposition=True),
        Function("degree", "number, name"),
        # arithmetic
        Function("floor", "number", "first"),
        Function("ceil", "number", "first"),
        Function("abs", "number", "first"),
        Function("min", "number*", "first"),
        Function("max", "number*", "first"),
        Function("sqrt", "number"),
        Function("log2", "number"),
        Function("log", "number", reserved=False),
    )
}

ARITHMETIC = frozenset({"floor", "ceil", "abs", "min", "max", "sqrt", "log2", "log"})
"""The functions that SymPy has. All others are roofproof's own."""

KEYWORDS = frozenset({"and", "or", "not", "oo"})
