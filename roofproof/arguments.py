"""Checks of the plain arguments of the functions in `api` against their annotations, with one-line errors."""

from __future__ import annotations

from _thread import allocate_lock
from functools import wraps

from roofproof.errors import WrongType

TYPE_CHECKING = False  # importing typing would slow down the start of short commands
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

NONE = type(None)
LOADING = allocate_lock()
TEXT = "text"
KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), TEXT),
    "str | None": ((str, NONE), TEXT),
    "bool": ((bool,), "True or False"),
}
"""For each annotation, the accepted types and their name in messages."""

SUCH = {
    "channel": "'memory' or 'ici'",
    "compute": "'bf16'",
    "level": "'smem'",
    "regime": "'D, F >> B'",
    "oracle": "'z3'",
    "corner": "'max'",
    "asks": "'threshold'",
    "tolerance": "'5 %'",
    "caches": "'cold'",
    "measured": "'14 us'",
    "shapes": "'x:bf16[B,D]'",
    "where": "'F = 4 D'",
    "traffic": "'fused'",
    "unrolled": "'n'",
    "quantity": "'flops'",
    "answer": "'B > 240'",
    "says": "'intensity(matmul) ~= B'",
    "given": "'x > 0'",
}
"""An example value for each argument, by the name of the argument."""


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that first checks the types of its arguments against its annotations.

    The function also imports SymPy, one thread at a time.

    >>> @checked
    ... def bytes_over(channel: str = "memory", warm: bool = False) -> str:
    ...     return channel
    >>> bytes_over("ici")
    'ici'
    >>> bytes_over(3)
    Traceback (most recent call last):
    roofproof.errors.WrongType: channel: expected text, got int 3; such as 'memory' or 'ici'
    >>> bytes_over(warm="no")
    Traceback (most recent call last):
    roofproof.errors.WrongType: warm: expected True or False, got str 'no'; such as True
    """
    code, said = function.__code__, function.__annotations__
    names = code.co_varnames[: code.co_argcount]
    kinds = {name: KINDS[kind] for name, kind in said.items() if kind in KINDS and name != "return"}

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> T:
        for name, thing in (*zip(names, args, strict=False), *named.items()):
            if name in kinds and not isinstance(thing, kinds[name][0]):
                raise WrongType(name, kinds[name][1], thing, SUCH.get(name, "True"))
        with LOADING:  # SymPy has circular imports: two threads that import it at once each see it incomplete
            import sympy  # noqa: F401
        return function(*args, **named)

    return call
