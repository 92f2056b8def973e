"""The functions about what a chip is and takes: ceilings, energy, waves of blocks, estimates."""

from collections.abc import Callable

import sympy

from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import Call, Node, Reference
from roofproof.derive.roofline.communication import alpha_beta
from roofproof.derive.roofline.energy import balance, energy
from roofproof.derive.roofline.estimates import estimate, kept
from roofproof.derive.roofline.waves import wave_efficiency, waves


def _text(reference: Node) -> str:
    assert isinstance(reference, Reference)
    return reference.text.strip()


def _ceiling(env: Environment, call: Call) -> sympy.Expr:
    on, name, *of = call.arguments
    return sympy.Rational(env.chip(on).ceiling(_text(name), *map(_text, of)).value)


def _balance(env: Environment, call: Call) -> sympy.Expr:
    on, compute, *over = call.arguments
    return balance(env.chip(on), _text(compute), *map(_text, over))


def _of_both(work: Callable[..., sympy.Expr]) -> Callable[[Environment, Call], sympy.Expr]:
    return lambda env, call: env.bound(work(env.operation(call.arguments[0]), env.chip(call.arguments[1])))


def _estimated(work: Callable[..., sympy.Expr]) -> Callable[[Environment, Call], sympy.Expr]:
    def value(env: Environment, call: Call) -> sympy.Expr:
        op, on, *corner = call.arguments
        return env.bound(work(env.operation(op), env.chip(on), *map(_text, corner)))

    return value


def _alpha_beta(env: Environment, call: Call) -> sympy.Expr:
    op, *on = call.arguments
    return env.bound(alpha_beta(env.operation(op), env.chip(on[0]) if on else None))


MACHINE = {
    "ceiling": _ceiling, "energy": _of_both(energy), "balance": _balance, "waves": _of_both(waves),
    "wave_efficiency": _of_both(wave_efficiency), "estimate": _estimated(estimate), "share": _estimated(kept),
    "alpha_beta": _alpha_beta,
}  # fmt: skip
