"""A rule of thumb printed with an exact answer has the same kind of bound, within a factor of two.

The tests do not use the code that selects printed rules. They use the usual sizes, for each operation of the library.
"""

from collections import Counter
from collections.abc import Iterator

import pytest
import sympy

from roofproof.derive.inequalities.cases import Above, bounds
from roofproof.derive.roofline.missing_rates import without_missing_rates
from roofproof.errors import RoofproofError
from roofproof.hardware import chip, chip_names
from roofproof.ops import entries
from roofproof.ops.roles import usual_sizes
from roofproof.proofs import ProvedThreshold, threshold

SLOW = ("generate", "prefill", "decode-step", "training-step", "convolution-3d")  # seconds to minutes, at some sizes
ASKED = [(name, s.name) for name, entry in entries().items() if entry().units for s in entry().dims]
CHIPS = chip_names()
KNOWN_WRONG = [  # for example, S > 295 was printed though no S suffices
    ("decode-attention", "S"), ("decode-attention", "B"), ("latent-attention", "S"), ("latent-attention", "B"),
    ("attention-core", "L"), ("linear-attention", "L"), ("ssd", "L"),
]  # fmt: skip


def answered(name: str, on: str, unknown: str) -> ProvedThreshold | None:
    """Return the threshold at the usual sizes, or None if the chip lacks a spec for it."""
    made, there = entries()[name](), chip(on)
    sizes = {n: size for n, size in usual_sizes(made).items() if n != unknown}
    try:
        left = {s.name for s in without_missing_rates(made, there)[0].dims}
        return threshold(made, there, unknown, sizes) if unknown in left else None
    except RoofproofError:
        return None


def told(found: ProvedThreshold) -> str:
    """Compare the rule with the exact answer, and return how well they agree."""
    rules = [r for r in found.rules if r.threshold is not None]
    if not rules or found.found.at_point is None:
        return "no rule"
    [rule] = rules
    said, exact, point = rule.threshold.at(found.found.point), found.found.at_point, found.found.point
    assert said.kind == exact.kind
    for low, high in zip(map(sympy.sympify, bounds(said)), map(sympy.sympify, bounds(exact)), strict=True):
        assert high / 2 < low < 2 * high
    limit, x, others = rule.limit, found.found.unknown, found.found.ceilings[1:]
    linear = sympy.diff(limit.value, x, x) == 0 and limit.value.subs(x, 0) == 0
    if isinstance(exact, Above) and linear and not others and limit.relative_error is not None:
        error = limit.relative_error.subs({s: point.get(s.name, exact.at) for s in limit.relative_error.free_symbols})
        assert any(sympy.simplify(said.at * (1 + sign * error) - exact.at) == 0 for sign in (1, -1))
        return "within its error, exactly"
    return "the same" if said == exact or not bounds(exact) else "within twice"


def selection() -> Iterator[tuple[str, str, str]]:
    """Yield an unknown and a chip for each operation, a different chip each time."""
    for i, name in enumerate(n for n in dict(ASKED) if n not in SLOW):
        unknowns = [x for n, x in ASKED if n == name]
        yield name, CHIPS[7 * i % len(CHIPS)], unknowns[i % len(unknowns)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "on", "unknown"), [*selection(), *((n, "h100-sxm", x) for n, x in KNOWN_WRONG)])
def test_the_rule_agrees_with_the_exact_answer(name: str, on: str, unknown: str) -> None:
    found = answered(name, on, unknown)
    if found is not None:
        told(found)


def test_the_law_is_about_something() -> None:
    rules = Counter(
        told(found)
        for name in ("matmul", "ffn", "lora", "dot")
        if (found := answered(name, "h100-sxm", entries()[name]().dims[0].name))
    )
    assert rules == {"within its error, exactly": 3, "the same": 1}


@pytest.mark.long
def test_the_rule_agrees_everywhere() -> None:
    """The rule agrees with the exact answer for every operation, unknown and chip."""
    counts: Counter[str] = Counter()
    for name, unknown in ASKED:
        for on in CHIPS:
            found = answered(name, on, unknown)
            counts["not to be asked" if found is None else told(found)] += 1
    print(dict(counts))
