"""How many answers of the library are told line by line, and how many say why not: printed, and held.

`python -m pytest -q -s tests/proofs/test_steps_counted.py -m long`
"""

from collections import Counter

import pytest

from roofproof import chip, op, threshold
from roofproof.errors import RoofproofError
from roofproof.ops import entries
from roofproof.proofs.steps.step import Untold
from roofproof.proofs.steps.told import told_steps

LONG = {"prefill", "generate", "decode-step", "training-step"}  # minutes each


@pytest.mark.long
@pytest.mark.parametrize("on", [None, "h100-sxm", "tpu-v5e"])
def test_every_answer_is_told_line_by_line_or_says_why_not(on: str | None) -> None:
    told: Counter[str] = Counter()
    for name in (name for name in entries() if name not in LONG):
        for s in op(name).dims:
            try:
                found = threshold(op(name), on and chip(on), s.name)
            except RoofproofError:
                told["without a threshold"] += 1
                continue
            for made in told_steps(found):
                untold = isinstance(made, Untold)
                told[f"{made.key}, {'why not' if untold else 'told'}"] += 1
                if untold:
                    assert made.why
                    print(f"{name} for {s}: {made}")
    print(on or "no chip", dict(sorted(told.items())))
    assert told["threshold, why not"] <= 1
    assert told["limit, told"] > 3 * told["limit, why not"]
