"""Value and truth of a tree at one point."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from independent.agreement import agrees, equal_in_digits
from independent.numbers import Arithmetic, Real, Undefined, Unknown, real
from independent.operations import Demands
from independent.reading import NEED_OPERATION, Tree

OO = "oo"
MEASURES = (60, 140, 420, 1200)  # binary digits, tried in turn until they suffice
DEMANDS = {*NEED_OPERATION, "ridge", "rate", "attainable"}


class Evaluator:
    """Evaluator of one claim at one point. `reach` is how far out the growing names are, or 0 if none grows.

    With `loose`, printed digits may agree by rounding, and values in a regime in the limit. Otherwise all is exact.
    """

    def __init__(
        self,
        let: Mapping[str, Tree],
        demands: Demands,
        point: Mapping[str, Fraction],
        arithmetic: Arithmetic,
        reach: int = 0,
        loose: bool = False,
        whole: frozenset[str] = frozenset(),
        signed: frozenset[str] = frozenset(),
        conditions: Sequence[Tree] = (),
    ) -> None:
        self.let, self.demands, self.reach, self.loose = let, demands, reach, loose
        self.point: dict[str, Real] = {k: real(v) for k, v in point.items()}
        self.n, self.whole, self.signed = arithmetic, whole, signed
        self.conditions = conditions  # the conditions of the claim; any change of a name must respect them
        self.digits_doubtful = False

    # --- truth ------------------------------------------------------------------------------------

    def true(self, tree: Tree) -> bool:
        """Return whether a proposition holds. Every part must be defined, unless the other parts decide."""
        match tree:
            case ("and", *members):
                return not self._one_is(False, members)
            case ("or", *members):
                return self._one_is(True, members)
            case ("not", operand):
                return not self.true(operand)
            case ("=>", premise, conclusion):
                return not self.true(premise) or self.true(conclusion)
            case ("<=>", *members):
                return len({self.true(m) for m in members}) == 1
            case ("relation", operands, signs):
                return all([self.related(operands[i], sign, operands[i + 1]) for i, sign in enumerate(signs)])
            case ("call", "compute_bound", *arguments):
                return self.true(self.demands.written_out("compute_bound", tuple(arguments)))
            case ("call", "increasing" | "decreasing" | "independent", *_):
                from independent import analysis

                return analysis.stated(self, tree)
        raise Unknown(f"the truth of {tree[0]}")

    def _one_is(self, due: bool, members: Sequence[Tree]) -> bool:
        """Return whether any member has the truth `due`. If none has, all must be defined."""
        nowhere: Undefined | None = None
        for member in members:
            try:
                if self.true(member) is due:
                    return True
            except Undefined as problem:
                nowhere = problem
        if nowhere is not None:
            raise nowhere
        return False

    def related(self, left: Tree, sign: str, right: Tree) -> bool:
        a, b = self.value_or_infinity(left), self.value_or_infinity(right)
        if OO in (a, b):
            return self._at_infinity(a, sign, b)
        if sign == "->":
            return self._tends(a, b, right)
        if sign in ("==", "~=") and self.loose:
            return self._agree(a, b, left, right, sign)
        order = self.n.compare(a, b)
        return {"==": order == 0, "~=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0,
                ">=": order >= 0}[sign]  # fmt: skip

    def _at_infinity(self, a: Any, sign: str, b: Any) -> bool:
        if sign in ("==", "->", "~="):
            if a == b:
                return True
            value = a if b == OO else b
            if sign == "->" and self.reach:
                return value.low > 10 ** (self.reach // 4)
            return False
        raise Unknown("an order at infinity")

    def _tends(self, a: Real, b: Real, printed: Tree) -> bool:
        if not self.reach:
            raise Unknown("a limit where nothing grows")
        scale = max(abs(b.low), Fraction(1, 10 ** (self.reach // 8)))
        if self.n.near(a, b, scale / 10 ** (self.reach // 10)):
            return True
        return bool(self.loose and (text := literal(printed)) and self._printed(agrees, self._measured(a, text), text))

    def _agree(self, a: Real, b: Real, left: Tree, right: Tree, sign: str) -> bool:
        for value, printed in ((a, right), (b, left)):
            if (text := literal(printed)) and text[0].strip("-0."):  # zero has no significant digits
                rule = agrees if sign == "~=" else equal_in_digits
                return self._printed(rule, self._measured(value, text), text)
        if sign == "~=" and self.reach:
            if self.n.sign(a) * self.n.sign(b) <= 0:
                return self.n.compare(a, b) == 0
            return self.n.near(a, b, abs(b.low) / 10 ** (self.reach // 10))
        return self.n.compare(a, b) == 0

    def _printed(self, rule: Any, value: Real, text: tuple[str, Fraction]) -> bool:
        found = rule(value, text[0])
        self.digits_doubtful |= found is None
        return bool(found is None or found)

    @staticmethod
    def _measured(value: Real, text: tuple[str, Fraction]) -> Real:
        return Real(value.low / text[1], value.high / text[1])

    # --- values -----------------------------------------------------------------------------------

    def value_or_infinity(self, tree: Tree) -> Any:
        if tree == ("oo",):
            return OO
        if tree[:2] == ("call", "limit"):
            from independent import analysis

            return analysis.limit(self, *tree[2:])
        return self.value(tree)

    def value(self, tree: Tree) -> Real:
        n = self.n
        match tree:
            case ("number", value, _) | ("unit", value, *_):
                return real(value)
            case ("name", name):
                return self.named(name)
            case ("+", *terms):
                out = real(0)
                for term in terms:
                    out = n.add(out, self.value(term))
                return out
            case ("*", *factors):
                out = real(1)
                for factor in factors:
                    out = n.times(out, self.value(factor))
                return out
            case ("/", above, below):
                return n.over(self.value(above), self.value(below))
            case ("-", operand):
                return n.negative(self.value(operand))
            case ("^", base, exponent):
                return n.power(self.value(base), self.value(exponent))
            case ("call", function, *arguments):
                return self.called(function, arguments)
        raise Unknown(f"the value of {tree[0]}")

    def named(self, name: str) -> Real:
        if name in self.point:
            return self.point[name]
        if name in self.let:
            return self.value(self.let[name])
        raise Unknown(f"the name {name}")

    def called(self, function: str, arguments: list[Tree]) -> Real:
        n = self.n
        if function in DEMANDS:
            return self.value(self.demands.written_out(function, tuple(arguments)))
        if function in ("sqrt", "log2", "floor", "ceil", "abs"):
            work = {"sqrt": n.root, "log2": n.log2, "floor": n.floor, "ceil": n.ceil, "abs": n.absolute}[function]
            return work(self.value(arguments[0]))
        if function in ("min", "max"):
            values = [self.value(a) for a in arguments]
            return n.least(values) if function == "min" else n.greatest(values)
        from independent import analysis

        found = analysis.value(self, function, arguments)
        if found == OO:
            raise Undefined("an infinite value")
        return found

    def bound(self, name: str, value: Real) -> Any:
        """Return a context manager that gives a name a value."""
        return _Bound(self, name, value)


class _Bound:
    def __init__(self, evaluator: Evaluator, name: str, value: Real) -> None:
        self.evaluator, self.name, self.value = evaluator, name, value

    def __enter__(self) -> None:
        self.kept = self.evaluator.point.get(self.name)
        self.evaluator.point[self.name] = self.value

    def __exit__(self, *_: object) -> None:
        if self.kept is None:
            del self.evaluator.point[self.name]
        else:
            self.evaluator.point[self.name] = self.kept


def literal(tree: Tree) -> tuple[str, Fraction] | None:
    """Return (digits, value of the unit) for a number as printed, or None for any other tree."""
    match tree:
        case ("number", _, text):
            return text, Fraction(1)
        case ("-", ("number", _, text)):
            return "-" + text, Fraction(1)
        case ("*", ("number", _, text), ("unit", factor, *_)):
            return text, factor
    return None


__all__ = ["DEMANDS", "MEASURES", "OO", "Evaluator", "Undefined", "literal"]
