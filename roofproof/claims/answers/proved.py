"""The proofs behind the key of a question: the known statements that it rests on, and their warrants."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.answers.question import Question, regime_limit
from roofproof.derive.inequalities.cases import (
    Above,
    Below,
    Case,
    Cases,
    Threshold,
    plain_threshold,
    substitute,
    with_bounds,
)
from roofproof.derive.inequalities.integers import integer_answer
from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.critical_size import threshold as derived
from roofproof.derive.roofline.intensities import reduced
from roofproof.errors import RoofproofError
from roofproof.proofs.known import GIVEN, PROVED, TRUST, Known, weakest
from roofproof.proofs.provers import roofline
from roofproof.proofs.provers.critical_size import ProvedThreshold, started_at, threshold
from roofproof.sentences import Sentence

SETTLED = (*PROVED, *GIVEN)


@lru_cache(maxsize=256)
def trust(asked: Question) -> str:
    """Return the warrant of the right answer: `kernel` if the proof checker proved everything it rests on.

    >>> from roofproof import chip, op
    >>> trust(Question(op("matmul"), chip("tpu-v5e"), "B", "D, F >> B", {"D": 4096, "F": 4096}))
    'kernel'
    >>> trust(Question(op("matmul"), asks="flops"))                       # 2 for a multiply-add is a convention
    'model'

    Raises RoofproofError for a proof of another answer than the key, which would be a bug in roofproof.
    """
    proved, known = basis(asked)
    if proved is None:
        return weakest(known)
    found, key = proved.found, asked.key
    whole = asked.asks in ("smallest", "largest") and (key.integer is not None or key.label == "never")
    told = found.at_point is None or asked.asks == "rule" or same_threshold(found.at_point, key.threshold)
    told = told or (found.searched > 0 and _first_whole(found.at_point) == _first_whole(key.threshold) is not None)
    if not (told or (whole and key.integer == found.integer)):
        at_point = found.at_point and plain_threshold(found.unknown, found.at_point)
        raise RoofproofError("the proved threshold, <at_point>, differs from the key", at_point=at_point)
    if found.at_point is None and asked.asks == "threshold" and not _is_a_case(asked, found.symbolic):
        raise RoofproofError("the proved threshold, <cases>, differs from the key", cases=str(found.symbolic))
    return proved.trust


def same_threshold(a: Threshold, b: Threshold | None) -> bool:
    """Return whether two thresholds are equal. Their bounds may have square roots in numerator and denominator."""
    return b is not None and (a == b or with_bounds(a, sympy.radsimp) == with_bounds(b, sympy.radsimp))


def _first_whole(there: Threshold | None) -> tuple[type[Threshold], int | None] | None:
    """Return the first integer above a bound, or the last below it, with the side, or None for another threshold."""
    if not isinstance(there, Above | Below) or not there.at.is_number:
        return None
    return type(there), integer_answer(there)


def _is_a_case(asked: Question, cases: Cases) -> bool:
    """Return whether the key is one of the proved cases, with its condition, for the given specs and sizes."""
    key, given = asked.key, {**asked.ridges, **asked.at}

    def there(case: Case) -> tuple[Threshold, Boolean]:
        return with_bounds(case.threshold, lambda b: reduced(substitute(b, given))), substitute(case.when, given)

    everywhere = key.when == sympy.true and cases.at(given) == key.threshold
    return everywhere or any(there(case) == (key.threshold, key.when) for case in cases)


def trust_of(known: Iterable[Known], asked: Question) -> str:
    """Return the weakest warrant among those behind the grade and the right answer.

    >>> from roofproof import op
    >>> from roofproof.claims.answers.grade import grade
    >>> asked = Question(op("matmul"), unknown="B")
    >>> trust_of(grade(asked, "never").known, asked)                      # compute-bound at a point
    'kernel'
    """
    how = trust(asked)
    return max((t for t in (how, *(k.trust for k in known)) if t in TRUST[1:]), key=TRUST.index, default=how)


@lru_cache(maxsize=256)
def basis(asked: Question) -> tuple[ProvedThreshold | None, tuple[Known, ...]]:
    """Return the proved threshold that the key of a question rests on, or None and the known statements.

    >>> from roofproof import op
    >>> [k.statement.says for k in basis(Question(op("matmul"), asks="bytes"))[1]]
    ['bytes over memory = 2*B*D + 2*B*F + 2*D*F']
    """
    if (far_out := regime_limit(asked)) is not None:
        exact = replace(asked, regime=None, far=False)
        return None, (*basis(exact)[1], *far_out.value_proofs(growth=True))
    op, chip = asked.op, asked.chip
    if asked.asks in ("flops", "bytes"):
        counted = tuple(roofline.counted(op))
        wanted = "total" if asked.asks == "bytes" else "flops"
        return None, tuple(k for k in counted if k.statement.kind == wanted) or counted
    if asked.against is not None:
        from roofproof.proofs.provers.times import prove_faster

        return None, prove_faster(asked.faster)[1].known
    if asked.whole is not None:
        counts = (*roofline.counted(op), *roofline.counted(asked.whole))
        return None, tuple(k for k in counts if k.statement.kind == "flops")
    if asked.asks == "intensity":
        return None, tuple(roofline.intensities(op))
    if asked.asks == "ridge":
        return None, (roofline.ridge(ceilings(op, chip)[0]),)
    if asked.asks == "memory":
        from roofproof.bounds.memory import memory_needed

        return None, memory_needed(op, ceilings(op, chip)[0])
    if asked.asks in ("time", "bound"):
        from roofproof.proofs.provers.times import timed

        assert chip is not None
        return None, tuple(timed(op, chip, asked.at))
    assert asked.unknown is not None
    if asked.started:
        return None, started_at(derived(op, chip, asked.unknown, asked.at, share=asked.kept))
    return threshold(op, chip, asked.unknown, asked.at, asked.regime or None, share=asked.kept), ()


@lru_cache(maxsize=256)
def unproved(asked: Question) -> str:
    """Return the reason why the key of a question is not proved well enough for grading, or "".

    >>> from roofproof import op
    >>> unproved(Question(op("matmul"), asks="intensity"))
    ''
    """
    asked.key  # noqa: B018  (a key that cannot be derived is an error of the question, not of its proof)
    try:
        how = trust(asked)
    except RoofproofError as problem:
        return problem.said
    return "" if how in SETTLED else Sentence("the right answer is not proved: <how>", how=how)
