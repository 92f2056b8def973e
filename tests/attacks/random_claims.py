"""Random claims of every form of the claim language, each with its intended verdict: true, false, rounded ...

    for draft in drafts(seed=1, forms=PLAIN): print(draft.toml)

The intended verdict follows from the construction of a claim. To widen the campaign, write a function
(random, broken) -> Draft in forms/ and add it to PLAIN, REGIMES or ROOTS.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from random import Random

from forms import analysis as a
from forms import mathematics as m
from forms import numerals as n
from forms import operations as o
from forms import regimes as g
from forms.draft import Draft
from forms.logic import domains, integers, logic, rounding

FITTING = {  # the verdicts that fit each intended one; all others are wrong
    "true": {"verified", "undecided"},
    "false": {"refuted", "conditional", "undecided"},
    "rounded": {"rounded", "undecided"},
    "eventually": {"verified", "approximate", "rounded", "undecided"},
    "conditional": {"conditional", "refuted", "undecided"},
    "undefined": {"conditional", "unusable", "refuted", "undecided"},
    "nothing": {"refuted", "unusable", "undecided"},
    "unusable": {"unusable"},
    "anything": {"verified", "approximate", "rounded", "conditional", "refuted", "undecided"},
}

Form = Callable[[Random, bool], Draft]


def named(*forms: Form) -> dict[str, Form]:
    return {form.__name__: form for form in forms}


PLAIN = named(
    m.identity, m.inequality, m.arithmetic, m.definedness, m.logarithms, m.signs, logic, integers, domains,
    rounding, a.analysis, a.solutions, a.series, a.behaviour, a.existence, o.operations, o.thresholds, o.chips, o.sized,
    o.critical, n.units, n.printed, n.one_digit, n.equals, n.quantities,
)  # fmt: skip
REGIMES = named(g.regimes, g.far_out, g.rules, g.anyhow)
ROOTS = named(m.roots)


def wrapped(r: Random, draft: Draft) -> Draft:
    """Return an equivalent claim: negated twice, or combined with a true or false statement."""
    if draft.meant not in ("true", "false") or draft.regime or r.random() < 0.75:
        return draft
    says = draft.says
    if any(sign in says for sign in ("=>", "⇒", "⇔", " and ", " or ")):
        return replace(draft, says=r.choice([f"({says}) and 1 < 2", f"not (not ({says}))", f"({says}) or 2 < 1"]))
    return replace(draft, says=r.choice([f"{says} and 1/3 < 2/5", f"1 == 2 or {says}", f"3 > 2 => {says}",
                                         f"not not ({says})", f"({says}) <=> 7 == 7"]))  # fmt: skip


def drafts(seed: int, forms: dict[str, Form], half: float = 0.5) -> Iterator[Draft]:
    """Yield claims without end, cycling through the forms. The same seed gives the same claims."""
    random = Random(seed)
    for i in count():
        for name, form in forms.items():
            draft = wrapped(random, form(random, random.random() < half))
            yield replace(draft, form=name, id=f"{name}-{seed}-{i}")
