"""The verdicts on the claims of a page, and a check that the numbers in their sentences are in the claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from roofproof.claims.kinds import HOLDING
from roofproof.claims.language.book import Claim
from roofproof.claims.results import Result
from roofproof.claims.scoped import scoped_book, values_from
from roofproof.claims.verifying import judged_claim
from roofproof.errors import RoofproofError, Undecided, error_message, quoted
from roofproof.formula.units import PLAIN, Unit, letter_unit, unit_of
from roofproof.ops.notation.stored import refuse_file_names
from roofproof.pages.written import AnnotatedPage, PageClaim, read_page

DIGITS = 5
_NUMBER = re.compile(r"(?<![\w.@-])\d{1,3}(?:,\d{3})+(?![\d,])|(?<![\w.@-])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = "毫秒|微秒|秒|字节|%|[A-Za-zµμ]+"
_PER = re.compile("/| per | for each | for every | ?每")
_UNIT = re.compile(rf"[ ~]?((?:{_WORD})(?:(?:{_PER.pattern})(?:{_WORD}))*)")
_SIZE = re.compile(r"\s*[A-Za-z_]\w*\s*==\s*\d+(?:\.\d+)?(?:[eE]\d+)?\s*")
_FORM = re.compile(r"(?P<says>.+?)(?:\s+in\s+(?P<unit>[^\s]+))?(?:\s+to\s+(?P<digits>[1-9]\d?)\s+digits)?")


@dataclass(frozen=True, slots=True)
class JudgedPageClaim:
    """A claim of a page with its result, the text that the page shows for it, and the claim as in a claims file."""

    written: PageClaim
    result: Result
    shown: str
    claim: Claim | None = None

    @property
    def holds(self) -> bool:
        """Whether the verdict is the one that the page expects."""
        return self.result.as_expected


def judged_file(path: str, **how: Any) -> Iterator[JudgedPageClaim]:
    """Yield each claim of the page in a file with its verdict, or an error result. `how` goes to `judged_page`."""
    try:
        page = read_page(path)
    except RoofproofError as problem:
        unread = Result(path, path, "", "", "verified", "", None, problem.said)
        yield JudgedPageClaim(PageClaim("", 1, problem=problem.said), unread, "")
    else:
        yield from judged_page(page, **how)


def judged_page(page: AnnotatedPage, **how: Any) -> Iterator[JudgedPageClaim]:
    r"""Yield each claim of a page with its verdict, in order. `how` goes to `judged_claim`.

    >>> from roofproof.pages.written import page_from_text
    >>> text = "From {claim}`3 tokens | 2 n > 4 <=> n > 2` on, {derived}`smallest(n, 2 n > 4)` are enough."
    >>> for each in judged_page(page_from_text(text)):
    ...     print(each.shown, each.holds, each.result.problem or each.result.kind)
    3 tokens False page.md:1: the sentence says 3 tokens, and the claim does not
    3 True verified

    A claim holds if its verdict is verified, rounded or approximate, or equals the verdict that it expects.
    """
    for written in page.written:
        yield _judged(page, written, how)


def _judged(page: AnnotatedPage, written: PageClaim, how: Mapping[str, Any]) -> JudgedPageClaim:
    where = f"{page.file}:{written.line}"
    shown = written.says if written.shown is None else written.shown
    try:
        if written.problem:
            raise RoofproofError(written.problem)
        if written.kind == "derived":
            return _derived(page, written, where)
        result, claim = _result(page, written.says, written.options, where, how)
        expected = written.options.get("expect") or (result.kind if result.kind in HOLDING else "verified")
        if result.verdict is not None and (missing := _unsaid(page, written)):
            raise RoofproofError("the sentence says <missing>, and the claim does not", missing=missing)
        return JudgedPageClaim(written, replace(result, expect=expected), shown, claim)
    except Exception as problem:  # an error in one claim does not affect the others
        return JudgedPageClaim(written, _failed(where, written, error_message(problem)), shown)


def _failed(where: str, written: PageClaim, problem: str) -> Result:
    file = where.rpartition(":")[0]
    return Result(file, where, written.says, "", "verified", "", None, f"{where}: {problem}")


def _result(
    page: AnnotatedPage, says: str, options: Mapping[str, str], where: str, how: Mapping[str, Any]
) -> tuple[Result, Claim | None]:
    scope = {**page.scope, **{name: value for name, value in options.items() if value and name not in ("given", "let")}}
    texts = [text for source in (page.scope, options) for text in source.get("given", "").split(";") if text.strip()]
    sizes = [text for text in texts if _SIZE.fullmatch(text)]  # in a page with a regime, one claim may have sizes
    given = "; ".join(text.strip() for text in texts if text not in sizes)
    let = values_from(page.scope.get("let", "")) | values_from(";".join(sizes)) | values_from(options.get("let", ""))
    refuse_file_names(says, given, *let.values())
    claim = {"id": where, "says": says, "given": given, "let": let}
    claim |= {name: scope[name] for name in ("regime", "tolerance", "expect") if name in scope}
    ops, chips = _things(scope)
    book = scoped_book([claim], ops, chips, page.file)
    if book.problems:
        raise RoofproofError(str(book.problems[0]).removeprefix(f"{page.file}: "))
    found = judged_claim(book, 0, **how)
    if found.verdict is None:
        said = str(found.problem).removeprefix(f"{page.file}: claim {quoted(where)}: ")
        return replace(found, problem=f"{where}: {said}"), None
    [made] = book.claims
    return found, made if isinstance(made, Claim) else None


def _unsaid(page: AnnotatedPage, written: PageClaim) -> str:
    """Return a number of the sentence that is neither in the claim nor in its assumptions."""
    if not written.shown:
        return ""
    texts = (
        written.says,
        *(source.get(name, "") for source in (page.scope, written.options) for name in ("given", "let")),
    )
    known = [each for text in texts for each in _amounts(text)]
    chip = written.options.get("chip") or page.scope.get("chip", "")
    shown = _without_name(written.shown, chip)
    return next((said.text for said in _amounts(shown) if not any(_is_said(said, each) for each in known)), "")


def _without_name(sentence: str, chip: str) -> str:
    """Return a sentence without the name of its chip, which may contain a number.

    >>> _without_name("An A100 80GB holds 80GB.", "a100-80gb-sxm")
    'An  holds 80GB.'
    """
    first, *rest = map(re.escape, chip.partition("@")[0].split("-"))
    name = first + "".join(f"(?:[ -]{part}" for part in rest) + ")?" * len(rest)
    return re.sub(rf"(?<!\w){name}(?!\w)", "", sentence, flags=re.IGNORECASE) if chip else sentence


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number as written, with the unit after it."""

    text: str
    value: Fraction
    unit: Unit | None


def _amounts(text: str) -> Iterator[_Amount]:
    """Yield the numbers in a text with their units, such as `131 us`, or the 240 in `240 rows`."""
    for number in _NUMBER.finditer(text):
        word = _UNIT.match(text, number.end())
        parts = _PER.split(word[1]) if word else []
        units = ("/".join(parts[:k]) for k in range(len(parts), 0, -1))
        unit = next((unit for each in units if (unit := unit_of(each) or letter_unit(each)) is not None), None)
        told = number[0] + (f" {word[1]}" if word and unit else "")
        yield _Amount(told, _value(number[0]), unit)


def _is_said(said: _Amount, known: _Amount) -> bool:
    """Return whether a number in a sentence equals one in a claim, with units compared if both have one."""
    if said.unit is None or known.unit is None:
        factor = said.unit.factor if said.unit is not None and said.unit.dimension == PLAIN else 1
        return known.value in (said.value, said.value * factor)
    same = said.unit.dimension == known.unit.dimension
    return same and said.value * said.unit.factor == known.value * known.unit.factor


def _value(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _derived(page: AnnotatedPage, written: PageClaim, where: str) -> JudgedPageClaim:
    """Compute a value, verify `expression == value`, and print it or compare it with the printed number."""
    from roofproof.export.numbers import rounded

    found = _FORM.fullmatch(written.says)
    assert found is not None
    refuse_file_names(written.says)
    unit = None
    if found["unit"] is not None and (unit := unit_of(found["unit"]) or letter_unit(found["unit"])) is None:
        raise RoofproofError("unknown unit <found>; expected a unit such as ms or GB/s", found=quoted(found["unit"]))
    claim = _claim(page, f"{found['says']} == 0", where)
    environment = claim.scope()
    try:
        value = environment.to_sympy(claim.proposition.operands[0])  # type: ignore[union-attr]
    except Undecided as problem:
        raise RoofproofError(str(problem)) from None
    if not value.is_Rational:
        free = ", ".join(sorted(map(str, value.free_symbols)))
        cure = f"give {free} a value, as in let" if free else "it is not a rational number"
        raise RoofproofError(
            "<found> is <value>, not a number to print; <cure>",
            found=quoted(found["says"]),
            value=quoted(value),
            cure=cure,
        )
    result, made = _result(page, f"{found['says']} == ({value.p}/{value.q})", written.options, where, {})
    if result.kind != "verified":
        return JudgedPageClaim(written, replace(result, says=written.says), "", made)
    printed = rounded(value / (unit.factor if unit else 1), int(found["digits"] or DIGITS)).text
    if written.shown and _value_or_none(written.shown) != _value(printed):
        raise RoofproofError("the page prints <shown>; it is <printed>", shown=quoted(written.shown), printed=printed)
    return JudgedPageClaim(written, replace(result, says=written.says), printed, made)


def _things(scope: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the values of `op` and `chip`, if a scope sets them."""
    return {k: v for k, v in scope.items() if k == "op"}, {k: v for k, v in scope.items() if k == "chip"}


def _value_or_none(text: str) -> Fraction | None:
    return _value(text) if _NUMBER.fullmatch(text) else None


def _claim(page: AnnotatedPage, says: str, where: str) -> Claim:
    claim = {"id": where, "says": says, "given": page.scope.get("given", ""),
             "let": values_from(page.scope.get("let", ""))}  # fmt: skip
    if "regime" in page.scope:
        claim["regime"] = page.scope["regime"]
    ops, chips = _things(page.scope)
    [made] = scoped_book([claim], ops, chips, page.file).claims
    if not isinstance(made, Claim):
        raise RoofproofError(str(made.message).removeprefix(f"{page.file}: claim {quoted(where)}: "))
    return made
