"""Rules of thumb in claims: over all memory levels and links, worked out by hand. A rule for one of them is refuted."""

from fractions import Fraction
from itertools import product

import pytest
from test_sentences import claim

from roofproof.claims.judge.judge import judge
from roofproof.claims.language import Claim
from roofproof.hardware import chip

# operation, unknown, regime, and a factor: the bound is the larger of n ridge points of the memory and factor (n - 1)
# ridge points of the link. 2BDF/n FLOPs a chip, and 2 (n - 1)/n of 2BF bytes or (n - 1)/n of 2BD bytes over the link
SPLIT = [("sharded-matmul", "D", "B, F >> D", 2), ("gathered-matmul", "F", "B, D >> F", 1)]
CHIPS = [("tpu-v5e", "ici", "hbm"), ("h100-sxm", "nvlink", "hbm")]
CASES = list(product(SPLIT, CHIPS, (2, 3, 4, 8, 16)))


def kind(says: str, regime: str) -> str:
    found = claim(says, more=f'regime = "{regime}"')
    assert isinstance(found, Claim), found
    return judge(found).kind


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("split", "machine", "n"), CASES)
def test_a_rule_is_over_all_channels(split: tuple[str, str, str, int], machine: tuple[str, str, str], n: int) -> None:
    (op, size, regime, times), (name, link, memory) = split, machine
    figures = chip(name)
    by_link, by_memory = (Fraction(figures.rate("bf16").value / figures.rate(c).value) for c in (link, memory))
    bounds = sorted((times * (n - 1) * by_link, n * by_memory))
    says = f'compute_bound("{op}:n={n},link={link}", {name}) <=> {size} > {{}}'
    assert kind(says.format(bounds[1]), regime) in ("approximate", "verified")
    assert kind(says.format(bounds[0]), regime) == "refuted"
    assert kind(says.format(bounds[1] + 2), regime) == "refuted"
