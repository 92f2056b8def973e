"""Which drafted claims can be held to a proof as they stand: one of a free name is open until somebody says what it is.

`B > 240` holds for some B and not for others, and so does `I = P / W` where nothing above tells what P is: neither is
wrong. What is worked out from its own names is right or wrong, `2 B D / (2 D) = B`, and so is what never holds.
"""

from collections.abc import Iterator
from dataclasses import replace

from roofproof.claims.documents.draft import Draft, to_toml
from roofproof.claims.documents.reading import Statement
from roofproof.claims.judging.judge import judge
from roofproof.claims.kinds import HOLDING, REFUTED, UNDECIDED, VERIFIED
from roofproof.claims.language.book import Claim, book_from_text
from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Comparison, Name, Number, Op, Tree, walk, walk_with_values

SMALL = 16  # whole numbers up to here are factors of formulas; any other may be the value of a name
DIGITS = "'=' between printed numbers is read to their digits"
NAMED = 4  # names that a reason lists


def checked_against_proofs(made: Draft) -> Draft:
    r"""Return a draft in which each claim that cannot be held to a proof yet says why, and each other what is expected.

    >>> from roofproof.claims.documents.draft import draft_of
    >>> text = "$$ B > 240. $$\n\n$$ \\frac{2BD}{2D} = B $$"
    >>> for each in checked_against_proofs(draft_of(text, "ch.md")).statements:
    ...     print(each.text, "|", each.expect, "|", each.open or "as it stands")
    B > 240 | not-checkable | it holds for some values of B and not for others; say what it is
    2 B D / (2 D) == B | verified | as it stands
    """
    book = book_from_text(to_toml(made))
    claims = iter(book.claims)
    found = []
    for said in made.statements:
        if said.kind in ("claim", "definition"):
            claim = next(claims)
            if said.kind == "claim" and isinstance(claim, Claim):
                said = _judged(said, claim)
        found.append(said)
    return replace(made, statements=tuple(found))


def _judged(said: Statement, claim: Claim) -> Statement:
    try:
        kind = judge(claim).kind
        if kind == REFUTED and (printed := _to_digits(claim)) is not None:
            kind = judge(replace(claim, proposition=printed)).kind
            said = replace(said, text=to_text(printed), remark=DIGITS) if kind in HOLDING else said
        if kind == UNDECIDED and "->" in said.text and claim.regime is None:
            return replace(said, expect="not-checkable", open="it tends to something; say which sizes grow")
        if kind != REFUTED or _is_wrong(claim):
            return replace(said, expect=kind if kind in HOLDING else VERIFIED)
    except RoofproofError:
        return said  # verify tells what is wrong with it, at its place
    free = sorted(_free(claim, claim.proposition))
    names = ", ".join(free[:NAMED]) + (", ..." if len(free) > NAMED else "")
    why = (
        f"it holds for some values of {names} and not for others; say what {'it is' if len(free) == 1 else 'they are'}"
    )
    return replace(said, expect="not-checkable", open=why)


def _to_digits(claim: Claim) -> Tree | None:
    """Return a chain of equations between numbers as one of what is printed: `312/2.03 = 153` to its digits."""
    node = claim.proposition
    if not isinstance(node, Comparison) or "==" not in node.relations or _free(claim, node):
        return None
    return replace(node, relations=tuple("~=" if r == "==" else r for r in node.relations))


def _is_wrong(claim: Claim) -> bool:
    """Tell whether a claim that is not true of all values is wrong, and not open."""
    if not _free(claim, claim.proposition):
        return True
    return any(
        judge(replace(claim, proposition=link)).kind == REFUTED
        if _works_out(claim, link)
        else judge(replace(claim, proposition=Op("not", (link,)))).kind == VERIFIED
        for link in _links(claim.proposition)
    )


def _links(node: Tree | None) -> Iterator[Tree]:
    """Yield a chain taken apart: `a = b` and `b > c`, each with the one before it."""
    match node:
        case Comparison():
            yield from node.links
        case Op("<=>", members):
            yield from (Op("<=>", members[k : k + 2]) for k in range(len(members) - 1))
        case None:
            return
        case _:
            yield node


def _works_out(claim: Claim, link: Tree) -> bool:
    """Tell whether a link says what follows from its own names: what stands right has none that do not stand left.

    A name that is gone on the right, beside a number that is new there, may have been given that value.
    """
    match link:
        case Comparison(operands=(left, right), relations=(relation,)):
            if relation not in ("==", "~=") or (relation == "~=" and claim.regime is None):
                return not _free(claim, link)
        case Op("<=>", (left, right)) | Op("=>", (left, right)):
            pass
        case _:
            return not _free(claim, link)
    names, others = _free(claim, left), _free(claim, right)
    if not names and not others:
        return True
    new = {n.value for n in walk(right) if isinstance(n, Number)} - {
        n.value for n in walk(left) if isinstance(n, Number)
    }
    data = any(value.denominator != 1 or abs(value) > SMALL for value in new)
    return bool(others) and others <= names and not (others < names and data)


def _free(claim: Claim, node: Tree | None) -> set[str]:
    """Return the names in a claim that have no value."""
    let = claim.environment.let
    found = walk_with_values([node] if node is not None else [], let)
    return {part.name for part in found if isinstance(part, Name)} - let.keys()
