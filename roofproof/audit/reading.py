"""Arithmetic of sizes as Python writes it, read and never run: what an expression, a function or a method comes to.

Of a file there are its functions, its classes with their methods, properties and bases, and its constants. What comes
from elsewhere (`self`, a configuration, an imported function) is known by the values that are given for its names. A
branch is taken where its test is decided by what is given; a loop is followed over what is written down.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from roofproof.errors import RoofproofError, quoted, unknown

MAX_BITS = 4_096  # of a number
MAX_POWER = 16
MAX_STEPS = 20_000
MAX_DEPTH = 40  # of calls, one within the other
MAX_TURNS = 1_000

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = dict[str, Any]
LISTS = (tuple, list)
TYPES: Mapping[str, Any] = {"str": str, "tuple": tuple, "list": list, "dict": dict, "bool": bool, "int": sympy.Integer}


def _product(*given: Any) -> Any:
    [parts] = given if len(given) == 1 and isinstance(given[0], LISTS) else [given]
    return sympy.Mul(*map(_number, parts))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "ceil": lambda x: sympy.ceiling(_number(x)),
    "floor": lambda x: sympy.floor(_number(x)),
    "int": lambda x: sympy.sign(_number(x)) * sympy.floor(sympy.Abs(_number(x))),
    "float": lambda x: _number(x),
    "abs": lambda x: sympy.Abs(_number(x)),
    "min": lambda *x: sympy.Min(*map(_number, _several(x))),
    "max": lambda *x: sympy.Max(*map(_number, _several(x))),
    "sum": lambda x: sympy.Add(*map(_number, x)),
    "prod": _product,
    "len": lambda x: sympy.Integer(len(x)),
    "log2": lambda x: sympy.log(_number(x), 2),
}
OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: sympy.floor(a / b),
    ast.Mod: sympy.Mod,
    ast.Pow: lambda a, b: a**b,
}
ORDERS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
TOLD = ("print", "warn", "debug", "info", "warning", "error", "exception", "log")  # calls that change no count
ENUMERATIONS = {"Enum", "IntEnum", "StrEnum"}
ELSEWHERE = ("", "math", "np", "numpy", "torch", "jnp")  # where functions of numbers are from


@dataclass(frozen=True, slots=True)
class ExternalName:
    """What is not in the file, by the names that lead to it: `self`, `config.rope`, `math`."""

    path: str
    kind: ast.ClassDef | None = None


@dataclass(frozen=True, slots=True)
class Callee:
    """A function of the file, with the names around it and the object it belongs to."""

    node: Function | ast.Lambda
    scopes: tuple[Scope, ...] = ()
    own: ExternalName | None = None
    owner: ast.ClassDef | None = None


@dataclass(slots=True)
class Reader:
    """Reads expressions and functions of one text; `names` are the values given, `used` those that were asked for."""

    text: str
    names: Mapping[str, Any]
    where: Callable[[ast.AST], str] = lambda _: "formula: "
    body: Mapping[str, Any] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    constants: dict[str, Any] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)
    steps: int = 0

    def refused(self, node: ast.AST, said: str) -> RoofproofError:
        return RoofproofError(f"{self.where(node)}{said}")

    def evaluated(self, node: ast.expr, scopes: tuple[Scope, ...] = ()) -> Any:
        """Evaluate an expression: a number, text, a tuple, a table, or something from outside."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise self.refused(node, f"more than {MAX_STEPS} steps")
        found = self._value(node, scopes)
        if isinstance(found, sympy.Expr):
            if found.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
                raise self.refused(node, f"{_said(node)} has no value")
            if any(max(abs(n.p), n.q).bit_length() > MAX_BITS for n in found.atoms(sympy.Rational)):
                raise self.refused(node, f"{_said(node)}: a number of more than {MAX_BITS} bits")
        return found

    def number(self, node: ast.expr, scopes: tuple[Scope, ...] = ()) -> sympy.Expr:
        """Evaluate an expression, which has to be a number."""
        return self.as_number(node, self.evaluated(node, scopes))

    def as_number(self, node: ast.AST, found: Any) -> sympy.Expr:
        """Return a value as a number, which it has to be."""
        if isinstance(found, ExternalName):
            raise self.refused(node, f"{found.path} is not given; name its value, as in {_last(found.path)}=1")
        try:
            return _number(found)
        except TypeError:
            raise self.refused(node, f"{_said(node)} is no arithmetic of sizes") from None

    def called(self, callee: Callee, given: list[Any], named: Mapping[str, Any], at: ast.AST, depth: int = 0) -> Any:
        """Return what a function of the file returns."""
        if depth > MAX_DEPTH or len(callee.scopes) > MAX_DEPTH:
            raise self.refused(at, f"more than {MAX_DEPTH} calls within each other")
        given = [*([] if callee.own is None else [callee.own]), *given]
        local = self._bound(callee, given, dict(named), at)
        scopes = (*callee.scopes, {"": (callee, depth), **local})
        if isinstance(callee.node, ast.Lambda):
            return self.evaluated(callee.node.body, scopes)
        found = self._run(callee.node.body, scopes)
        return found[0] if found is not None else None

    def _bound(self, callee: Callee, given: list[Any], named: dict[str, Any], at: ast.AST) -> Scope:
        """Return the parameters of a function with their values."""
        asked = callee.node.args
        every = [*asked.posonlyargs, *asked.args]
        called = getattr(callee.node, "name", "lambda")
        if len(given) > len(every) and asked.vararg is None:
            raise self.refused(at, f"{called} takes {len(every)} values, and {len(given)} are given")
        local: Scope = {parameter.arg: value for parameter, value in zip(every, given, strict=False)}
        if asked.vararg is not None:
            local[asked.vararg.arg] = tuple(given[len(every) :])
        defaults = dict(zip([p.arg for p in every[len(every) - len(asked.defaults) :]], asked.defaults, strict=True))
        defaults |= {p.arg: d for p, d in zip(asked.kwonlyargs, asked.kw_defaults, strict=True) if d is not None}
        for parameter in (*every, *asked.kwonlyargs):
            name = parameter.arg
            if name in local:
                continue
            if name in named:
                local[name] = named.pop(name)
            elif name in defaults:
                local[name] = self.evaluated(defaults[name], callee.scopes)
            else:
                raise self.refused(at, f"{called} needs {name}")
        if asked.kwarg is not None:
            local[asked.kwarg.arg] = named
        elif named:
            raise self.refused(at, f"{called} has no parameter {next(iter(named))}")
        return local

    # --- expressions --------------------------------------------------------------------------------

    def _value(self, node: ast.expr, scopes: tuple[Scope, ...]) -> Any:
        match node:
            case ast.Constant(value=bool() | str() | None as plain):
                return plain
            case ast.Constant(value=int() as number):
                return sympy.Integer(number)
            case ast.Constant(value=float() as number):  # float: read as the decimal that is written
                return self._decimal(node, number)
            case ast.Name(id=name):
                return self._named(name, scopes)
            case ast.Tuple(elts=parts):
                return tuple(self.evaluated(part, scopes) for part in parts)
            case ast.Set(elts=parts):
                return self._once([self.evaluated(part, scopes) for part in parts], node)
            case ast.List(elts=parts):
                return [self.evaluated(part, scopes) for part in parts]
            case ast.Dict(keys=keys, values=values) if all(key is not None for key in keys):
                made = zip((self._key(k, scopes) for k in keys if k is not None), values, strict=True)
                return {key: self.evaluated(value, scopes) for key, value in made}
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
                number = self.number(inner, scopes)
                return -number if isinstance(sign, ast.USub) else number
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return not self.truth(inner, scopes)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
                return self._combined(node, sign, self.evaluated(left, scopes), self.evaluated(right, scopes))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.evaluated(body if self.truth(test, scopes) else orelse, scopes)
            case ast.BoolOp(op=sign, values=parts):
                found: Any = None
                for part in parts:
                    found = self.evaluated(part, scopes)
                    if self._held(part, found) != isinstance(sign, ast.And):
                        break
                return found
            case ast.Compare(left=left, ops=signs, comparators=others):
                sides = [self.evaluated(side, scopes) for side in (left, *others)]
                pairs = zip(signs, sides, sides[1:], strict=False)
                return all(self._compared(node, sign, a, b) for sign, a, b in pairs)
            case ast.Attribute(value=inner, attr=name):
                return self._attribute(self.evaluated(inner, scopes), name, node, scopes)
            case ast.Subscript(value=inner, slice=index):
                return self._part(self.evaluated(inner, scopes), index, node, scopes)
            case ast.Call(func=function, args=args, keywords=keywords):
                return self._call(node, function, args, keywords, scopes)
            case ast.GeneratorExp() | ast.ListComp():
                return tuple(self.evaluated(node.elt, (*scopes, local)) for local in self._each(node, scopes))
            case ast.Lambda():
                return Callee(node, scopes)
            case ast.JoinedStr():
                return ExternalName(_said(node))
        raise self.refused(node, f"{_said(node)} is no arithmetic of sizes")

    def _once(self, parts: list[Any], node: ast.Set) -> tuple[Any, ...]:
        """Return the members of a set, each once; of two sizes nobody knows whether they are one."""
        kept = [_number(part) if _is_number(part) else part for part in parts]
        sizes = [part for part in kept if isinstance(part, sympy.Expr)]
        if len(sizes) > 1 and not all(part.is_Number for part in sizes):
            raise self.refused(node, f"{_said(node)}: whether these are one is not known")
        return tuple(part for k, part in enumerate(kept) if part not in kept[:k])

    def _decimal(self, node: ast.expr, number: float) -> sympy.Expr:
        written = ast.get_source_segment(self.text, node) or ""
        if not 0 < number < math.inf and set(written) - {*"0._"}:  # too far out to be written down in digits
            raise self.refused(node, f"{quoted(written, 60)}: expected a number from 1e-300 to 1e300")
        return sympy.Rational(Fraction(written))

    def _combined(self, node: ast.BinOp, sign: ast.operator, a: Any, b: Any) -> Any:
        """Apply an operator to two values: of numbers a number, of lists their sum or several times one."""
        if isinstance(sign, ast.Add) and isinstance(a, LISTS) and type(a) is type(b):
            made = type(a)([*a, *b])
        elif isinstance(sign, ast.Mult) and isinstance(a, LISTS) and isinstance(b, sympy.Integer) and b <= MAX_TURNS:
            made = type(a)(a * int(b) if len(a) <= MAX_TURNS else a)
        else:
            return self._operated(node, sign, self.as_number(node.left, a), self.as_number(node.right, b))
        if len(made) > MAX_TURNS:
            raise self.refused(node, f"{_said(node)}: more than {MAX_TURNS} values")
        return made

    def _operated(self, node: ast.AST, sign: ast.operator, a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
        if isinstance(sign, ast.Pow) and not (b.is_Integer and 0 <= b <= MAX_POWER):
            raise self.refused(node, f"power {quoted(str(b))}: expected a whole number up to {MAX_POWER}")
        if isinstance(sign, ast.Div | ast.FloorDiv | ast.Mod) and b == 0:
            raise self.refused(node, f"{_said(node)} divides by zero")
        return OPERATORS[type(sign)](a, b)

    def _named(self, name: str, scopes: tuple[Scope, ...]) -> Any:
        for scope in reversed(scopes):
            if name in scope:
                return scope[name]
        if name in self.names:
            self.used.add(name)
            return self.names[name]
        known = self.body.get(name)
        if isinstance(known, Function):
            return Callee(known)
        if isinstance(known, ast.ClassDef):
            return ExternalName(name, known)
        if isinstance(known, ast.expr):
            if name not in self.constants:
                self.constants[name] = ExternalName(name)  # of a constant that needs itself
                self.constants[name] = self.evaluated(known)
            return self.constants[name]
        if not self.body and name not in FUNCTIONS:
            raise unknown("name of a formula", name, self.names)
        return ExternalName(name)

    def given(self, path: str) -> Any:
        """Return the value given for a path, or for its last name; None where there is none."""
        for name in (path, _last(path)):
            if name in self.names:
                self.used.add(name)
                return _Given(self.names[name])
        return None

    def _attribute(self, of: Any, name: str, node: ast.AST, scopes: tuple[Scope, ...]) -> Any:
        if (isinstance(of, dict) and name == "get") or (isinstance(of, list) and name == "append"):
            return of
        if not isinstance(of, ExternalName):
            raise self.refused(node, f"{_said(node)} is no arithmetic of sizes")
        path = f"{of.path}.{name}"
        if path in self.stored:
            return self.stored[path]
        if (given := self.given(path)) is not None:
            return given.value
        if of.kind is not None and (found := self._member(of.kind, name)) is not None:
            owner, member = found
            if of.path == of.kind.name and {_last(ast.unparse(base)) for base in of.kind.bases} & ENUMERATIONS:
                return ExternalName(path)
            if isinstance(member, ast.expr):
                return ExternalName(path) if _sets(of.kind, name) else self.evaluated(member)
            kinds = {_last(ast.unparse(d)) for d in member.decorator_list}
            callee = Callee(member, (), None if "staticmethod" in kinds else of, owner)
            if kinds & {"property", "cached_property"}:
                return self.called(callee, [], {}, node, _depth(scopes) + 1)
            return callee
        return ExternalName(path)

    def _member(self, kind: ast.ClassDef, name: str, seen: int = 0) -> tuple[ast.ClassDef, Function | ast.expr] | None:
        """Return a method or a constant of a class or of the first of its bases that has it."""
        for part in kind.body:
            if isinstance(part, Function) and part.name == name:
                return kind, part
            for target, value in _assigned(part):
                if target == name:
                    return kind, value
        for base in kind.bases:
            above = self.body.get(_last(ast.unparse(base)))
            if isinstance(above, ast.ClassDef) and seen < MAX_DEPTH:
                found = self._member(above, name, seen + 1)
                if found is not None:
                    return found
        return None

    def _part(self, of: Any, index: ast.expr, node: ast.AST, scopes: tuple[Scope, ...]) -> Any:
        if isinstance(of, LISTS):
            if isinstance(index, ast.Slice):
                ends = [None if e is None else self._whole(e, scopes) for e in (index.lower, index.upper, index.step)]
                if ends[2] == 0:
                    raise self.refused(node, f"{_said(node)}: a step of zero")
                return of[slice(*ends)]
            place = self._whole(index, scopes)
            if not -len(of) <= place < len(of):
                raise self.refused(node, f"{_said(node)}: there are {len(of)} of them")
            return of[place]
        key = self._key(index, scopes)
        if isinstance(of, dict):
            if key in of:
                return of[key]
            raise self.refused(node, f"{_said(node)}: there is no {quoted(key)}")
        if isinstance(of, ExternalName) and isinstance(key, str | sympy.Integer):
            path = f"{of.path}.{key}" if isinstance(key, str) else f"{of.path}[{key}]"
            if path in self.stored:
                return self.stored[path]
            given = self.given(path)
            return ExternalName(path) if given is None else given.value
        raise self.refused(node, f"{_said(node)} is no arithmetic of sizes")

    def _key(self, node: ast.expr, scopes: tuple[Scope, ...]) -> Any:
        found = self.evaluated(node, scopes)
        if not isinstance(found, str | bool | None | sympy.Integer):
            raise self.refused(node, f"{_said(node)}: expected a word or a whole number")
        return found

    def _whole(self, node: ast.expr, scopes: tuple[Scope, ...]) -> int:
        found = self.number(node, scopes)
        if not found.is_Integer:
            raise self.refused(node, f"{_said(node)}: expected a whole number")
        return int(found)

    def _call(
        self, node: ast.Call, function: ast.expr, args: list[ast.expr], keywords: list[ast.keyword],
        scopes: tuple[Scope, ...],
    ) -> Any:  # fmt: skip
        if any(isinstance(each, ast.Starred) for each in args) or any(each.arg is None for each in keywords):
            raise self.refused(node, f"{_said(node)}: values handed over in a list are not read")
        if isinstance(function, ast.Attribute) and ast.unparse(function.value) == "super()":
            callee = self._above(function.attr, node, scopes)
        else:
            callee = self.evaluated(function, scopes)
        given = [self.evaluated(each, scopes) for each in args]
        named = {each.arg: self.evaluated(each.value, scopes) for each in keywords if each.arg is not None}
        if isinstance(callee, Callee):
            return self.called(callee, given, named, node, _depth(scopes) + 1)
        if isinstance(callee, dict) and given and not named:
            return callee.get(given[0], *given[1:2]) if isinstance(given[0], str | sympy.Integer) else None
        if isinstance(callee, list) and isinstance(function, ast.Attribute) and len(given) == 1 and not named:
            callee.append(given[0])
            return None
        if not isinstance(callee, ExternalName):
            return callee  # a function that is given as its value
        above, _, name = callee.path.rpartition(".")
        if name in ("get", "getattr") and 1 <= len(given) - (name == "getattr") <= 2:
            of, key, *rest = given if name == "getattr" else (ExternalName(above), *given)
            if isinstance(of, ExternalName) and isinstance(key, str):
                found = self._attribute(of, key, node, scopes)
                return rest[0] if rest and isinstance(found, ExternalName) else found
        if name == "range" and given and not named:
            ends = [self.as_number(node, each) for each in given]
            if not all(end.is_Integer for end in ends):
                raise self.refused(node, f"{_said(node)}: a loop is followed over a number of turns that is given")
            turns = range(*map(int, ends)) if len(ends) < 3 or ends[2] != 0 else range(MAX_TURNS + 1)
            if len(turns) > MAX_TURNS:
                raise self.refused(node, f"{_said(node)}: more than {MAX_TURNS} turns")
            return tuple(map(sympy.Integer, turns))
        if not above and named.keys() <= {"strict"} and (made := self._made(node, name, given)) is not None:
            return made
        known = name in FUNCTIONS and above in ELSEWHERE and given and not named
        if known and (len(given) == 1 or name in ("min", "max", "prod")):
            try:
                return FUNCTIONS[name](*given)
            except TypeError:
                for each in given:
                    self.as_number(node, each)
        if self.body:
            due = f"give its value, as in {name}=2"
            raise self.refused(node, f"{callee.path}(...) is no function of this file; {due}")
        raise self.refused(node, f"{_said(node)} is no arithmetic of sizes")

    def _made(self, node: ast.AST, name: str, given: list[Any]) -> Any:
        """Apply a function of Python to values that are no numbers; None for an unknown function."""
        match name, given:
            case "list", [list() | tuple() as parts]:
                return list(parts)
            case "tuple", [list() | tuple() as parts]:
                return tuple(parts)
            case "enumerate", [list() | tuple() as parts]:
                return tuple((sympy.Integer(k), part) for k, part in enumerate(parts))
            case "zip", [*several] if all(isinstance(parts, LISTS) for parts in several):
                return tuple(zip(*several, strict=False))
            case "type", [value]:
                return ExternalName(self._type(node, value))
            case "isinstance", [value, kind]:
                kinds = kind if isinstance(kind, tuple) else (kind,)
                return self._type(node, value) in {each.path for each in kinds if isinstance(each, ExternalName)}
        return None

    def _type(self, node: ast.AST, value: Any) -> str:
        if isinstance(value, sympy.Expr) and value.is_integer:
            return "int"
        for name, kind in TYPES.items():
            if isinstance(value, kind):
                return name
        raise self.refused(node, self._open(node))

    def _above(self, name: str, node: ast.AST, scopes: tuple[Scope, ...]) -> Any:
        """Return the method that `super()` finds."""
        callee = next((s[""][0] for s in reversed(scopes) if "" in s and s[""][0].owner is not None), None)
        own = None if callee is None else callee.own
        for base in [] if callee is None else callee.owner.bases:
            above = self.body.get(_last(ast.unparse(base)))
            found = self._member(above, name) if isinstance(above, ast.ClassDef) else None
            if found is not None and isinstance(found[1], Function):
                return Callee(found[1], (), own, found[0])
        raise self.refused(node, f"{_said(node)}: no class of this file has it")

    def _each(self, node: ast.GeneratorExp | ast.ListComp, scopes: tuple[Scope, ...]) -> Iterator[Scope]:
        if len(node.generators) > 1:
            raise self.refused(node, f"{_said(node)}: one `for` is read")
        [loop] = node.generators
        for value in self._turns(loop.iter, scopes):
            local: Scope = {}
            self._put(loop.target, value, (*scopes, local))
            if all(self.truth(test, (*scopes, local)) for test in loop.ifs):
                yield local

    def _turns(self, node: ast.expr, scopes: tuple[Scope, ...]) -> tuple[Any, ...]:
        found = self.evaluated(node, scopes)
        if isinstance(found, dict):
            return tuple(found)
        if not isinstance(found, LISTS):
            raise self.refused(node, f"{_said(node)}: a loop is followed over what is written down")
        return tuple(found)

    # --- tests --------------------------------------------------------------------------------------

    def truth(self, node: ast.expr, scopes: tuple[Scope, ...]) -> bool:
        """Return whether a test holds, which has to be decided by what is given."""
        return self._held(node, self.evaluated(node, scopes))

    def _held(self, node: ast.AST, found: Any) -> bool:
        if isinstance(found, sympy.Expr):
            if found.is_zero is None:
                raise self.refused(node, self._open(node))
            return not found.is_zero
        if isinstance(found, ExternalName):
            if not self.body:
                raise self.refused(node, self._open(node))
            raise self.refused(node, f"{found.path} is not given; name its value, as in {_last(found.path)}=False")
        return bool(found)

    def _open(self, node: ast.AST) -> str:
        if not self.body:
            return "what an `if` asks has to be given as a number, 0 where it is false"
        return f"whether {_said(node)} holds is not decided by what is given"

    def _compared(self, node: ast.AST, sign: ast.cmpop, a: Any, b: Any) -> bool:
        if isinstance(sign, ast.In | ast.NotIn):
            if not isinstance(b, tuple | list | dict | str) or (isinstance(b, str) and not isinstance(a, str)):
                raise self.refused(node, self._open(node))
            among: bool = a in b if isinstance(b, str) else any(self._compared(node, ast.Eq(), a, each) for each in b)
            return among == isinstance(sign, ast.In)
        same = isinstance(sign, ast.Eq | ast.Is)
        if isinstance(a, ExternalName) or isinstance(b, ExternalName):
            if a == b or (isinstance(a, ExternalName) and isinstance(b, ExternalName) and _are_told_apart(a, b)):
                return bool(a == b) == same
            missing = a if isinstance(a, ExternalName) and not _is_type(a) else b
            said = getattr(missing, "path", "a type")
            raise self.refused(node, f"{said} is not given; name its value, as in {_last(said)}=1")
        if isinstance(sign, ast.Is | ast.IsNot):
            return (a is b) == same
        if isinstance(sign, ast.Eq | ast.NotEq):
            if not (_is_number(a) and _is_number(b)):
                return bool(a == b) == same
            apart = _number(a) - _number(b)
            apart = sympy.expand(apart) if degree(apart) <= MAX_POWER else apart
            if apart.is_zero is None:
                raise self.refused(node, self._open(node))
            return bool(apart.is_zero) == same
        held = ORDERS[type(sign)](self.as_number(node, a), self.as_number(node, b))
        if held not in (sympy.true, sympy.false):
            raise self.refused(node, self._open(node))
        return bool(held)

    # --- statements ---------------------------------------------------------------------------------

    def _run(self, body: list[ast.stmt], scopes: tuple[Scope, ...]) -> tuple[Any] | None:
        """Return the value that a body returns, None where it returns none."""
        for statement in body:
            self.steps += 1
            found = self._done(statement, scopes)
            if found is not None:
                return found
        return None

    def _done(self, statement: ast.stmt, scopes: tuple[Scope, ...]) -> tuple[Any] | None:
        match statement:
            case ast.Return(value=value):
                return (None if value is None else self.evaluated(value, scopes),)
            case ast.Assign(targets=targets, value=value):
                found = self.evaluated(value, scopes)
                for target in targets:
                    self._put(target, found, scopes)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self._put(target, self.evaluated(value, scopes), scopes)
            case ast.AugAssign(target=target, op=sign, value=value) if type(sign) in OPERATORS:
                before, change = self.number(target, scopes), self.number(value, scopes)
                self._put(target, self._operated(statement, sign, before, change), scopes)
            case ast.If(test=test, body=body, orelse=orelse):
                return self._run(body if self.truth(test, scopes) else orelse, scopes)
            case ast.For(target=target, iter=turns, body=body, orelse=[]):
                for value in self._turns(turns, scopes):
                    self._put(target, value, scopes)
                    found = self._run(body, scopes)
                    if found is not None:
                        return found
            case ast.FunctionDef(name=name):
                scopes[-1][name] = Callee(statement, scopes)
            case ast.Raise():
                raise self.refused(statement, f"{_said(statement)} is reached with what is given")
            case ast.Pass() | ast.Assert() | ast.Import() | ast.ImportFrom():
                pass  # what is asserted is a condition on sizes, and no part of the count
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call(func=function)):
                if _last(ast.unparse(function)) not in TOLD:
                    self.evaluated(statement.value, scopes)
            case _:
                raise self.refused(statement, f"{_said(statement)} is no arithmetic of sizes")
        return None

    def _put(self, target: ast.expr, value: Any, scopes: tuple[Scope, ...]) -> None:
        match target:
            case ast.Name(id=name):
                scopes[-1][name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if not isinstance(value, LISTS) or len(value) != len(parts):
                    raise self.refused(target, f"{_said(target)}: expected {len(parts)} values")
                for part, each in zip(parts, value, strict=True):
                    self._put(part, each, scopes)
            case ast.Attribute(value=inner, attr=name):
                of = self.evaluated(inner, scopes)
                if not isinstance(of, ExternalName):
                    raise self.refused(target, f"{_said(target)} is no arithmetic of sizes")
                self.stored[f"{of.path}.{name}"] = value
            case ast.Subscript(value=inner, slice=index):
                of, key = self.evaluated(inner, scopes), self._key(index, scopes)
                if isinstance(of, dict):
                    of[key] = value
                elif isinstance(of, ExternalName) and isinstance(key, str):
                    self.stored[f"{of.path}.{key}"] = value
                else:
                    raise self.refused(target, f"{_said(target)} is no arithmetic of sizes")
            case _:
                raise self.refused(target, f"{_said(target)} is no arithmetic of sizes")


@dataclass(frozen=True, slots=True)
class _Given:
    value: Any


def parsed(text: str, mode: str, said: str) -> Any:
    """Return the tree of a text; raises RoofproofError with `said` for what Python does not read."""
    try:
        with warnings.catch_warnings(action="ignore"):  # Python's own, of numbers that names follow at once
            return ast.parse(text, mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise RoofproofError(said) from None


def contents(tree: ast.Module) -> dict[str, Any]:
    """Return the functions, the classes and the constants of a file by name, the last of each.

    >>> sorted(contents(ast.parse("BITS = 8\\ndef size(n): return n * BITS")))
    ['BITS', 'size']
    """
    found: dict[str, Any] = {}
    for part in tree.body:
        if isinstance(part, Function | ast.ClassDef):
            found[part.name] = part
        found |= dict(_assigned(part))
    return found


def _sets(kind: ast.ClassDef, name: str) -> bool:
    """Tell whether a class sets an attribute of its objects, for which its constant of that name is none."""
    stored = (node for node in ast.walk(kind) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    return any(node.attr == name and ast.unparse(node.value) == "self" for node in stored)


def degree(expr: sympy.Expr) -> int:
    """Return an upper bound on the degree of an expression, of several quotients that over their common denominator.

    >>> from roofproof.symbols import dimension
    >>> B, D = dimension("B"), dimension("D")
    >>> degree(B**3 + 2 * B * D + 1), degree(1 / B + 1 / D)
    (3, 2)
    """
    if expr.is_Pow:
        return abs(int(expr.exp)) * degree(expr.base) if expr.exp.is_Integer else MAX_BITS
    parts = [degree(part) for part in expr.args]
    divided = any(power.exp.is_negative for power in expr.atoms(sympy.Pow))
    if expr.is_Add and not divided:
        return max(parts)
    return int(expr.is_Symbol) + sum(parts)


def _assigned(part: ast.stmt) -> list[tuple[str, ast.expr]]:
    match part:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return [(name, value)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [(name, value)]
    return []


def _is_type(of: Any) -> bool:
    return isinstance(of, ExternalName) and of.path in (*TYPES, "float")


def _are_told_apart(a: ExternalName, b: ExternalName) -> bool:
    """Tell whether two names from outside stand for two things: types, or members of one enumeration."""
    roots = {each.path.rpartition(".")[0] for each in (a, b)}
    return (_is_type(a) and _is_type(b)) or (len(roots) == 1 and roots.pop()[:1].isupper())


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | sympy.Expr)


def _number(value: Any) -> sympy.Expr:
    if not _is_number(value):
        raise TypeError("no number")
    return sympy.Integer(value) if isinstance(value, bool) else value


def _several(given: tuple[Any, ...]) -> Any:
    return given[0] if len(given) == 1 and isinstance(given[0], LISTS) else given


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _said(node: ast.AST) -> str:
    return quoted(" ".join(ast.unparse(node).split()), 60)


def _depth(scopes: tuple[Scope, ...]) -> int:
    return max((scope[""][1] for scope in scopes if "" in scope), default=0)
