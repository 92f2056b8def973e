"""Laws for every sentence of the language that need no known right answer.

No sentence ends in an internal error, also with mistakes, steps and read-back, and two processes give the same verdicts
as one. A verified claim also holds in every regime within `given`, and with more assumptions. A counterexample is a
point at which the claim is false, according to an evaluator that does not use the proofs.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from claim_evaluator import Evaluator
from everything import FUNCTIONS, OWN, OWN_CHIP, sentences
from forms.draft import Draft
from independent.claims import UNDEFINED, Stated
from independent.numbers import Imprecise, Undefined, Unknown
from independent.reading import Unread
from random_claims import PLAIN, drafts

from roofproof.claims.judge.judge import judge
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text
from roofproof.claims.verifying import verify
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.formula import functions as known

UNTOLD = (Unread, Unknown, Undefined, Imprecise, KeyError, ValueError)  # cases that the evaluator does not support
KINDS = ("verified", "approximate", "rounded", "conditional", "refuted", "undecided", "unusable")


def test_every_function_of_the_language_is_among_the_sentences() -> None:
    assert set(FUNCTIONS) == set(known.FUNCTIONS)


# --- no internal error, and two processes agree with one -------------------------------------------------------


def book(claims: Iterable[Draft], folder: Path) -> str:
    """Write a claims file of some claims with shared operations and chips, and return its path."""
    own = replace(Draft("1 < 2", "", ops=OWN, chips=OWN_CHIP, id="first")).toml
    texts = [replace(claim, ops={}, chips={}).toml for claim in claims]
    (folder / "sentences.claims.toml").write_text("\n".join([own, *texts]), encoding="utf-8")
    return str(folder / "sentences.claims.toml")


def told(path: str, workers: int, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Return the status and output of the command for a claims file, without the times."""
    status = main(["verify", path, "--json", "--workers", str(workers)])
    out, err = capsys.readouterr()
    return status, re.sub(r'("seconds": )[0-9.e-]+', r"\g<1>0", out), err


def no_internal_error(claims: list[Draft], folder: Path, capsys: pytest.CaptureFixture[str]) -> Counter[str]:
    path = book(claims, folder)
    one, two = told(path, 1, capsys), told(path, 2, capsys)
    assert one == two
    found = list(verify([path], workers=1, back=True, steps=True))
    assert not [r.problem for r in found if "engine failed" in r.problem or (r.verdict is None and not r.problem)]
    assert len(found) == len(claims) + 1 == len(json.loads(one[1])["claims"])
    assert [r.kind for r in found] == [c["verdict"] for c in json.loads(one[1])["claims"]]
    assert {r.kind for r in found} <= set(KINDS)
    return Counter(r.kind for r in found)


def test_no_sentence_ends_in_an_internal_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    no_internal_error(list(islice(sentences(4), 20)), tmp_path, capsys)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 140))
def test_no_sentence_of_two_thousand(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = no_internal_error(list(islice(sentences(seed), 50)), tmp_path, capsys)
    with capsys.disabled():
        print(f"\n{seed}: {dict(found)}")


FAILED = [  # sentences that failed, or whose verdict was lost in the search for mistakes
    {"says": 'time("gated-ffn", tpu-v5e, memory) < 1 us', "let": {"D": "1000", "F": "2"}},
    {"says": "time(matmul, h100-sxm, bf16) > time(matmul, h100-sxm, hbm)"},
    {"says": "(2^14 <= 2^14) <=> (4096 == pi)"},
    {"says": "(10^30)^2 * (pi * (2 GB/s)) -> 43.6 GB/s", "regime": "B -> oo"},
    {"says": "flops(weights) <= flops(weights, int4)", "regime": "N -> oo", "given": "d in {1, 2, 4096}"},
]


@pytest.mark.slow
@pytest.mark.parametrize("fields", FAILED, ids=lambda fields: fields["says"])
def test_a_sentence_that_failed(fields: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = [Draft(f"{k} < {k + 1}", "", id=f"o{k}") for k in range(12)]  # enough for a second process
    no_internal_error([Draft(**{"meant": "", "id": "a", **fields}), *others], tmp_path, capsys)


# --- laws of verdicts -----------------------------------------------------------------------------------------


def judged(claim: Draft) -> dict[str, Any]:
    """Return the verdict on a claim. A refused claim is unusable, with the reason as its note."""
    [read] = book_from_text(claim.toml).claims
    if not isinstance(read, Claim):
        return {"verdict": "unusable", "note": read.message}
    try:
        return judge(read).record(claim.id)
    except RoofproofError as refusal:
        return {"verdict": "unusable", "note": str(refusal)}


def mixed(seed: int) -> Iterator[Draft]:
    """Yield claims of every form in turn with random sentences."""
    for pair in zip(drafts(seed, PLAIN), sentences(seed), strict=False):
        yield from pair


def verified(seed: int, count: int) -> Iterator[Draft]:
    """Yield verified claims without a regime."""
    plain = (claim for claim in mixed(seed) if not claim.regime)
    yield from islice((claim for claim in plain if judged(claim)["verdict"] == "verified"), count)


def names(claim: Draft) -> list[str]:
    """Return the names in a claim, except those with fixed values."""
    try:
        found = Stated(claim.toml).names
    except UNTOLD:
        found = sorted(set(re.findall(r"(?<![\w.\"-])[A-Za-z](?![\w(\"-])", claim.says)))
    return [n for n in found if n not in claim.let]


def grows(name: str, claim: Draft) -> bool:
    """Return whether `given` lets a name grow without bound."""
    parts = [part for part in claim.given.split(";") if re.search(rf"(?<!\w){name}(?!\w)", part)]
    return all(re.fullmatch(rf"\s*{name}\s*(integer|real|>=? *[\d/]+)\s*", part) for part in parts)


def in_regimes(seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """Return the verdicts on verified claims in a regime within `given`, and the claims that fail there."""
    seen, wrong, random = Counter[str](), [], Random(seed)
    for claim in verified(seed, count):
        free = [n for n in names(claim) if grows(n, claim)]
        if not free or re.search("exists|for all", claim.says):  # only free names can grow in a regime
            continue
        growing = random.sample(free, random.randint(1, min(2, len(free))))
        stays = [n for n in free if n not in growing]
        far = f">> {stays[0]}" if stays and random.random() < 0.7 else "-> oo"
        there = replace(claim, regime=f"{', '.join(growing)} {far}")
        found = judged(there)
        seen[found["verdict"]] += 1
        if found["verdict"] not in ("verified", "approximate", "rounded"):
            wrong.append(f"{there.toml}# {found['verdict']}, verified without the regime: {found.get('note')}")
    return seen, wrong


def given_more(seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """Return the verdicts on verified claims with more assumptions, and the claims that fail then."""
    seen, wrong, random = Counter[str](), [], Random(seed)
    for claim in verified(seed, count):
        for name in names(claim)[:2]:
            more = random.choice(["integer", "real; {n} >= 1", ">= 2", "<= 64", "== 4096", "in {1, 3, 1000}", "> 1/2"])
            given = "; ".join(filter(None, [claim.given, f"{name} {more.replace('{n}', name)}"]))
            found = judged(replace(claim, given=given))
            seen[found["verdict"]] += 1
            if found["verdict"] not in ("verified", "undecided") and "contradict" not in (found.get("note") or ""):
                told = f"# {found['verdict']}, verified with less given: {found.get('note')}"
                wrong.append(f"{replace(claim, given=given).toml}{told}")
    return seen, wrong


def put_in(seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """Return the truth of refuted claims at their counterexamples, and the claims that are not false there."""
    seen, wrong = Counter[str](), []
    refuted = ((c, found) for c in mixed(seed) if not c.regime and (found := judged(c))["verdict"] == "refuted")
    for claim, found in islice(refuted, count):
        truth = at_counterexample(claim, found.get("counterexample"))
        seen[truth] += 1
        if truth in ("true", "outside"):
            wrong.append(f"{claim.toml}# {truth} at {found['counterexample']}")
    return seen, wrong


def at_counterexample(claim: Draft, given: dict[str, str] | None) -> str:
    """Return false, true, or outside (a point beyond the domain of the claim), or else why the truth is unknown."""
    if given is None:
        return "no point"
    try:
        point = {name: Fraction(value) for name, value in given.items()}
    except ValueError:
        return "irrational"
    loose = "~=" in claim.says or "." in claim.says  # integers are exact: 2 does not agree with 1
    try:
        stated = Stated(claim.toml)
        if set(stated.names) <= set(point):
            inside = stated.inside(point)
            truth = stated.truth(point, loose) if inside else "outside"
            if truth in (True, False, UNDEFINED, "outside"):
                return {True: "true", False: "false", UNDEFINED: "false", "outside": "outside"}[truth]
    except UNTOLD:
        pass
    [read] = book_from_text(claim.toml).claims
    assert isinstance(read, Claim)
    try:
        evaluator = Evaluator(read, Random(1))
        worked = evaluator.holds_at(far=False, loose=loose, point=point)
    except RoofproofError:
        worked = None
    return "not worked out" if worked is None or set(evaluator.point) - set(point) else str(worked).lower()


LAWS = (in_regimes, given_more, put_in)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_of_verdicts(law: Any) -> None:
    seen, wrong = law(1, 20)
    assert not wrong, "\n\n".join(wrong)
    assert seen.total() >= 10


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_of_many_verdicts(law: Any, capsys: pytest.CaptureFixture[str]) -> None:
    seen, wrong = law(2, 1000)
    with capsys.disabled():
        print(f"\n{law.__name__}: {dict(seen)}")
    assert not wrong, f"{len(wrong)} wrong\n\n" + "\n\n".join(wrong)
