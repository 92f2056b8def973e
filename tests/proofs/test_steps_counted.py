"""Count how many answers of the library have a step-by-step proof, and how many give a reason why not.

The test covers every operation and dimension, with and without a chip. The proof checker proves each line.

Run `python -m pytest -q -s tests/proofs/test_steps_counted.py -m long`, or a part with `-k "tpu-v5e and attention"`.
"""

from collections import Counter
from collections.abc import Iterator

import pytest

from roofproof import chip, op, threshold
from roofproof.errors import RoofproofError
from roofproof.ops import entries
from roofproof.ops.roles import usual_sizes
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.steps.answer import answer_steps
from roofproof.proofs.steps.step import NoSteps, Reason

LONG = {"prefill", "generate", "decode-step", "training-step"}  # minutes each
TOLD: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def totals() -> Iterator[None]:
    yield
    print(f"\n{dict(sorted(TOLD.items()))}")


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in entries() if name not in LONG])
@pytest.mark.parametrize("on", [None, "h100-sxm", "tpu-v5e"])
def test_every_answer_is_told_line_by_line_and_each_line_is_proved(name: str, on: str | None) -> None:
    for s in op(name).dims:
        sizes = {k: n for k, n in usual_sizes(op(name), None).items() if k != s.name} if on == "tpu-v5e" else {}
        try:
            found = threshold(op(name), on and chip(on), s.name, sizes)
        except RoofproofError:
            TOLD["without a threshold"] += 1
            continue
        told(f"{name} for {s} on {on}", found)


def told(what: str, found: ProvedThreshold) -> None:
    everything = list(answer_steps(found))
    for made in everything:
        if isinstance(made, NoSteps):
            TOLD[f"{made.key}, why not"] += 1
            print(f"{what}: {made}")
            assert made.key == "limit" and made.why
            continue
        TOLD[f"{made.key}, told"] += 1
        for step in made:
            TOLD["lines"] += 1
            TOLD["statements"] += len(step.known)
            trust = {"model"} if step.reason is Reason.FUNCTION else {"kernel"}
            assert {k.trust for k in step.known} == trust, f"{what}: {step.line}"
