"""The functions about what a chip is and takes: ceilings, energy, waves of blocks, estimates."""

from collections.abc import Callable

import sympy

from roofproof.claims.language.environment import Environment, in_all, text_of
from roofproof.derive.roofline.communication import alpha_beta
from roofproof.derive.roofline.energy import balance, energy
from roofproof.derive.roofline.estimates import estimate, kept
from roofproof.derive.roofline.waves import wave_efficiency, waves
from roofproof.formula.tree import Call


def _ceiling(env: Environment, call: Call) -> sympy.Expr:
    on, name, *of = call.arguments
    return sympy.Rational(env.chip(on).ceiling(text_of(name), *map(text_of, of)).value)


def _balance(env: Environment, call: Call) -> sympy.Expr:
    on, compute, *over = call.arguments
    return balance(env.chip(on), text_of(compute), *map(text_of, over))


def _estimated(work: Callable[..., sympy.Expr]) -> Callable[[Environment, Call], sympy.Expr]:
    def value(env: Environment, call: Call) -> sympy.Expr:
        op, on, *corner = call.arguments
        return env.bound(work(env.operation(op), env.chip(on), *map(text_of, corner)))

    return value


def _alpha_beta(env: Environment, call: Call) -> sympy.Expr:
    op, *on = call.arguments
    return env.bound(alpha_beta(env.operation(op), env.chip(on[0]) if on else None))


MACHINE = {
    "ceiling": _ceiling, "energy": in_all(energy), "balance": _balance, "waves": in_all(waves),
    "wave_efficiency": in_all(wave_efficiency), "estimate": _estimated(estimate), "share": _estimated(kept),
    "alpha_beta": _alpha_beta,
}  # fmt: skip
