"""A parsed claim in the claim language, with its assumptions and the theorems of its verdict."""

from __future__ import annotations

from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language import Claim
from roofproof.claims.language.assumed_sizes import assuming
from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.proofs.from_tree import from_formula
from roofproof.proofs.kernel.terms import Formula, show
from roofproof.proofs.known import PRINTED
from roofproof.proofs.statement import Statement
from roofproof.sentences import Sentence


def read_back(claim: Claim, verdict: Verdict) -> tuple[str, ...]:
    """Return lines with the parsed claim, its assumptions, its values, and each theorem with its assumptions.

    >>> from roofproof.claims.judge.judge import judge
    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\ngiven = "x>=2"\\nsays = "x*x≥2*x"').claims
    >>> print(*read_back(c, judge(c)), sep="\\n")
    read: x x >= 2 x
    given: x >= 2
    theorem: x >= 2 => x x >= 2 x
    """
    if claim.proposition is None:
        return ()
    lines: list[str] = [Sentence("read: <claim>", claim=to_text(claim.proposition))]
    claim = assuming(claim)
    assumed = [to_text(c) for c in claim.given.conditions]
    for name, domain in sorted(claim.given.domains.items()):
        kinds = [domain.sign] * (domain.sign != "positive") + ["integer"] * domain.integer
        assumed += [f"{name} {' '.join(kinds)}"] if kinds else []
    lines += [Sentence("given: <conditions>", conditions="; ".join(assumed))] if assumed else []
    lines += [Sentence("regime: <regime>", regime=claim.regime.text)] if claim.regime is not None else []
    lines += [f"let {name} = {to_text(value)}" for name, value in claim.let.items()]
    for known in verdict.known:
        if known.theorem is not None:
            said = _theorem(known.statement, known.theorem.hypotheses, known.theorem.conclusion)
            lines.append(Sentence("theorem: <theorem>", theorem=said))
        else:
            lines.append(Sentence("<how>: <what>", how=Sentence(PRINTED[known.trust]), what=known.statement.says))
    return tuple(dict.fromkeys(lines))


def _theorem(statement: Statement, hypotheses: frozenset[Formula], conclusion: Formula) -> str:
    """Return a theorem in the claim language, in which names are positive, or else in the proof checker's notation."""
    own = set(statement.positive())
    assumed = [statement.spelled_out(h) for h in sorted(hypotheses) if h not in own and h[0] != "int"]
    goal = statement.spelled_out(conclusion)
    whole = [h[1][1] for h in sorted(hypotheses) if h[0] == "int" and h[1][0] == "v"]
    said: Formula = (
        goal if not assumed else Formula("=>", assumed[0] if len(assumed) == 1 else Formula("and", *assumed), goal)
    )
    try:
        text = to_text(from_formula(said))
    except RoofproofError:
        return Sentence("<theorem>    (in the words of the kernel)", theorem=show(said))
    return Sentence("<theorem>    (<names> integer)", theorem=text, names=", ".join(whole)) if whole else text
