"""Coq files for random claims of every form state the theorems that were proved. The long run checks sixty with Coq:

python -m pytest -q -s tests/attacks/test_random_claims_in_coq.py -m long
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from coq_runner import all_checked, needs_coq, reads_back
from random_claims import PLAIN, REGIMES, ROOTS, drafts

from roofproof.claims import verifying
from roofproof.claims.language.book import book_from_text
from roofproof.proofs.replay.coq.files import FileContents


def answers(seed: int) -> Iterator[FileContents]:
    """Yield without end the Coq files of proved or refuted random claims, with the forms in random order."""
    random = Random(seed)
    forms = list({**PLAIN, **REGIMES, **ROOTS}.items())
    while True:
        random.shuffle(forms)
        for name, form in forms:
            draft = next(drafts(random.randrange(10**6), {name: form}))
            [claim] = book_from_text(draft.toml).claims
            if not hasattr(claim, "message"):
                found = verifying.in_coq(claim, verifying.judge_with_slip(claim))
                if found is not None:
                    yield found


def test_what_is_found_of_random_claims_is_what_files_state() -> None:
    assert sum(reads_back(each) for each, _ in zip(answers(606), range(10), strict=False)) >= 10


@needs_coq
@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_coq_checks_random_claims(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [each for each, _ in zip(answers(seed), range(20), strict=False)]
    theorems = sum(map(reads_back, found))
    all_checked([each.page() for each in found], tmp_path)
    with capsys.disabled():
        print(f"\n{len(found)} claims, {theorems} theorems")
