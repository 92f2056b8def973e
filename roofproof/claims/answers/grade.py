"""The grade of a student's answer, from right to wrong, unreadable or undecided, and the mistake that explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from roofproof import answer
from roofproof.claims.answers.assumed import without_assumed
from roofproof.claims.answers.clauses import AND, Clause, clauses, in_rows, names_a_bound
from roofproof.claims.answers.derivations import WrongLine, first_wrong_line, holds_where, lines_of
from roofproof.claims.answers.evaluated_answer import (
    EvaluatedAnswer,
    evaluate_last_value,
    has_wrong_unit,
    is_counted,
    is_decimal,
    rational,
    value_of,
    wanted_unit,
)
from roofproof.claims.answers.numerals import in_english_digits
from roofproof.claims.answers.parsed import Answer
from roofproof.claims.answers.plain_text import MAX_ANSWER, in_one_row, one_line, unmarked
from roofproof.claims.answers.proved import basis, unproved
from roofproof.claims.answers.question import LABELS, SOLVED, Key, Question, right_value, symbolic_cases
from roofproof.claims.answers.reading import NEVER_MEMORY_BOUND, read_answer, read_condition, tokens_of, unplaced
from roofproof.claims.answers.readings import LEAST, KeyComparison, exactly, graded, without_other_end
from roofproof.claims.answers.tokens import LETTERS, Unreadable
from roofproof.claims.answers.unsolved import bound_of
from roofproof.claims.kinds import UNDECIDED
from roofproof.claims.language.environment import to_boolean
from roofproof.claims.mistakes.catalogue import CATALOGUE
from roofproof.claims.mistakes.chips import is_coarse
from roofproof.claims.mistakes.of_answers import Edit, InAnswer, at_sizes, edits, made_of
from roofproof.claims.mistakes.search import worth_trying
from roofproof.claims.printed import agreement, significant
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import bounds
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, explaining, quoted
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Number, walk
from roofproof.formula.units import dimension_text
from roofproof.hardware.resources import LINKS
from roofproof.ops.roles import role_of
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import Known
from roofproof.sentences import Sentence, joined

if TYPE_CHECKING:
    from roofproof.claims.judge.verdict import Verdict

PASSED = ("right", "digits", "limit", "close")
MOST_DIGITS = max(slip.digits for slip in CATALOGUE.values())  # the most digits that any mistake requires
NEARLY = Fraction(1, 200)  # the relative error allowed between a one-digit number and the result of a mistake


@dataclass(frozen=True, slots=True, repr=False)
class Grade(answer.Answer):
    """The grade of an answer.

    >>> from roofproof import op
    >>> found = grade(Question(op("matmul"), asks="bytes"), "2BD + 2DF")       # 2 B F of the result are missing
    >>> found.grade, found.passed, found.slip, found.read_as
    ('wrong', False, 'dropped-tensor:z', 'bytes = 2 B D + 2 D F')

    `read_as` is the answer as parsed, and `said` is the evaluated answer. `slip` is the mistake that gives it, `about`
    the number format, spec or chip in the mistake, and `runner_up` another possible mistake. `link` is the first wrong
    equation of a chain, number `wrong_link`, and `before` is the one before it. `left_line` is the number of the first
    wrong line of a derivation. `held` is the comparison with the key. `conditions` is the verdict on the conditions in
    the answer. `unitless` is true if only the unit is missing. `asked` is the question and `text` the original answer,
    if available.
    """

    grade: str
    read_as: str = ""
    slip: str = ""
    about: str = ""
    runner_up: str = ""
    wrong_link: int = 0
    note: str = ""
    said: EvaluatedAnswer | None = None
    link: str = ""
    before: str = ""
    left_line: int = 0
    held: KeyComparison | None = None
    conditions: Verdict | None = None
    unitless: bool = False
    asked: Question | None = field(default=None, compare=False)
    text: str = field(default="", compare=False)

    @property
    def known(self) -> tuple[Known, ...]:
        """The known statements that the grade rests on, apart from those behind the key."""
        held, stated = self.held, self.conditions
        return answer.Parts((*(held.known if held else ()), *(stated.known if stated else ())))

    @property
    def derivation(self) -> Derivation:
        """The known statements that the right answer rests on."""
        if self.asked is None:
            return Derivation(self.known)
        proved, known = basis(self.asked)
        return proved.derivation if proved else Derivation(known)

    def __repr__(self) -> str:
        return f"{self.read_as or self.text}: {self.grade}"

    @property
    def passed(self) -> bool:
        """Whether the answer is accepted: right, right to its digits, in the limit, or within the tolerance."""
        return self.grade in PASSED


def grade(asked: Question, text: str) -> Grade:
    """Return the grade of an answer to a question, `undecided` if the key could not be proved.

    >>> from roofproof import chip, op
    >>> rule = Question(op("matmul"), chip("tpu-v5e"), "B", "D, F >> B", asks="rule")
    >>> grade(rule, "B > 240").grade, grade(rule, "约 240").grade     # 1.97e14 / 8.19e11 = 240.54
    ('right', 'right')
    >>> grade(rule, "481").slip                                       # B D F FLOPs in place of 2 B D F
    'multiply-add-once'
    """
    text = in_one_row(in_english_digits(unmarked(text))) if len(text) <= MAX_ANSWER else text
    try:
        said = clauses(in_rows(text), asked.unknown) if len(text) <= MAX_ANSWER else []
        lines = [] if any(c.otherwise or c.unless or c.when for c in said) else lines_of(text, asked)
        one_line(lines[-1][0] if len(lines) > 1 else text)
    except RoofproofError as problem:
        return Grade("unreadable", note=problem.said)
    if len(lines) > 1:
        return _along(lines, grade(asked, lines[-1][0]), asked)
    try:
        return _of_clauses(said, asked)
    except Unreadable as problem:
        so_far = Sentence("read so far: <words>", words=problem.so_far) if problem.so_far else ""
        return Grade("unreadable", problem.so_far, note=joined("<first>; <second>", [problem.said, so_far]))


def _of_clauses(said: list[Clause], asked: Question) -> Grade:
    """Return the grade of the last step of an answer, with the first wrong step before it."""
    starts = [i for i, c in enumerate(said) if c.so and i]
    steps = [said[i:j] for i, j in zip([0, *starts], [*starts, len(said)], strict=True)]
    while steps[1:] and asked.asks == "bound" and not any(names_a_bound(c.says) for c in steps[0]):
        for reason in steps.pop(0):  # "I < R, so memory-bound"
            _check_reason(reason.says, asked)
    stated = [[c for each in step if (c := _merged(each, asked)).says] for step in steps]
    found = [_of_cases(step, asked) for step in stated if step]
    if not found:
        raise Unreadable("the answer is empty")
    wrong = next((i for i, g in enumerate(found[:-1]) if not g.passed), None)
    if found[1:] and found[-1].said is None and any(g.passed for g in found[:-1]):
        raise Unreadable("two answers; expected one", found[0].read_as)
    if wrong is None or found[-1].grade == UNDECIDED:
        return found[-1]
    line = found[wrong].read_as
    return replace(found[-1], left_line=wrong + 1, link=line, before=found[wrong - 1].read_as if wrong else "")


def _merged(clause: Clause, asked: Question) -> Clause:
    """Return a clause with its condition merged into its statement, if it is about the unknown or about every size."""
    _check_reason(clause.because, asked)
    if not clause.says:
        return replace(clause, says=_alone(clause), when="", only=False)
    if asked.asks not in SOLVED or not clause.when or clause.unless or _is_regime(clause.when, asked):
        return clause
    said, when = (_kinds(words, asked) for words in (clause.says, clause.when))
    if "every" in when and not when - {"every", "unknown"}:
        return replace(clause, says=f"always {clause.says}" if said == {"label"} else clause.says, when="")
    if {"value", "unknown"} <= when and _labels(clause, asked) == {"always"}:  # "always for B > 344"
        return replace(clause, says=_alone(clause), when="", only=False)
    if "value" not in said or "value" not in when:
        return replace(clause, says=f"{clause.says} {_alone(clause)}", when="", only=False)
    return replace(clause, only=False)


def _alone(clause: Clause) -> str:
    """Return the condition of a clause, with the word `only` if the clause has it."""
    return f"only {clause.when}" if clause.only else clause.when


def _kinds(words: str, asked: Question) -> set[str]:
    """Return the kinds of words in a text: `value` for numbers, sizes and similar, `unknown`, `every`, `label`."""
    kinds = set()
    for t in tokens_of(words, [*asked.symbols], asked.asks, asked.unknown):
        if t.kind == "name" and t.text == asked.unknown:
            kinds.add("unknown")
        elif t.kind == "label" and t.text.endswith("-bound"):
            kinds.add("label")
        elif t.kind == "word" and t.text == "every":
            kinds.add("every")
        elif t.kind not in ("filler", "subject", "counted") and t.text not in ("=", ":", "alone", "not"):
            kinds.add("value")
    return kinds


def _check_reason(reason: str, asked: Question) -> None:
    """Raise Unreadable for a reason that cannot be read or is false."""
    if not reason:
        return
    open_key = asked.key.label not in ("never", "always")  # a condition that is never true implies everything
    if open_key and asked.asks in SOLVED and asked.against is None and holds_where(reason, asked):
        return  # "since I > R": the definition of compute-bound
    known = {"R": asked.ceilings[0].ridge, "I": asked.ceilings[0].intensity} if asked.chip and asked.ceilings else {}
    holds = to_boolean(read_condition(reason, [*(asked.symbols | known)]), {**asked.symbols, **known}.__getitem__)
    sizes = {s: asked.at[s.name] for s in holds.free_symbols if s.name in asked.at}
    if holds.subs(sizes).doit() != sympy.true:
        raise Unreadable("the reason <reason> does not hold, or is not understood", reason=quoted(reason))


def _of_cases(said: list[Clause], asked: Question) -> Grade:
    """Return the grade of an answer with cases: a bound with its condition, and a statement on all other sizes."""
    if len(said) == 1 and not (said[0].otherwise or said[0].unless):
        return _grade_clause(said[0], asked)
    kinds = [_kinds(c.says, asked) for c in said]
    said = [c for c, k in zip(said, kinds, strict=True) if k] or said[:1]  # "as a rule of thumb, B > 240": the bound
    kinds = [k for k in kinds if k]
    for i, (c, k) in enumerate(zip(said, kinds, strict=False)):
        if i and k == {"label"} and asked.asks in SOLVED and c == Clause(c.says) and not said[i - 1].otherwise:
            again = _labels(said[i - 1], asked) == {"never"} and "compute-bound" not in _labels(c, asked)
            both = said[i - 1].says if again else f"{said[i - 1].says} {c.says}"  # "never, it stays memory-bound"
            said = [*said[: i - 1], replace(said[i - 1], says=both), *said[i + 1 :]]
            break  # "B > 272, compute-bound"
    if len(said) == 1 and not (said[0].otherwise or said[0].unless):
        return _grade_clause(said[0], asked)
    others = [c for c, k in zip(said, kinds, strict=True) if c.otherwise and k == {"label"}]
    if others and asked.asks in SOLVED:  # "otherwise memory-bound"
        said = [c for c in said if c not in others]
        if len(said) != 1 or len(others) != 1 or not _is_opposite(others[0], said[0], asked):
            raise Unreadable("<word> cannot be combined with the other words", word=others[0].says)
        return _grade_clause(said[0], asked)
    if _is_never_otherwise(asked):
        return _of_never_otherwise(said, asked)
    plainly = [c.says for c in said] if all(c == Clause(c.says) for c in said) else []
    if plainly and without_assumed(plainly, asked)[1]:  # "W > 640, W <= 4096"
        return _grade_clause(Clause(AND.join(plainly)), asked)
    if not any(c.otherwise or c.unless for c in said):
        found = [_grade_clause(c, asked) for c in said]
        worst = max(found, key=lambda g: WORST.index(g.grade) if g.grade in WORST else 0)
        if worst.passed or (all("label" in k for k in kinds) and worst.grade == "wrong"):
            return replace(worst, read_as=joined("<first>; <second>", dict.fromkeys(g.read_as for g in found)))
    raise Unreadable("two answers; expected one", said[0].says)


WORST = ("right", "digits", "limit", "close", UNDECIDED, "wrong")


def _is_opposite(other: Clause, clause: Clause, asked: Question) -> bool:
    """Return whether the label for all other sizes is the opposite of the label for these sizes."""
    [label] = _labels(other, asked)
    return not other.when and (label == "compute-bound") != (_labels(clause, asked) in (set(), {"compute-bound"}))


def _labels(clause: Clause, asked: Question) -> set[str]:
    """Return the labels in a clause: `never`, `memory-bound`."""
    found = tokens_of(clause.says, [*asked.symbols], asked.asks, asked.unknown)
    return {t.text for t in found if t.kind == "label"}


def _of_never_otherwise(said: list[Clause], asked: Question) -> Grade:
    """Return the grade of a bound with its condition, and of `never` for all other sizes."""
    bounded: list[Clause] = []
    others: list[Clause] = []
    for clause in said:
        label = read_answer(clause.says, [*asked.symbols], asked.asks, asked.unknown, asked.at).label
        if clause.unless and label and clause.when:
            clause, label = replace(clause, unless=False, when=f"not {clause.when}"), label
        (others if label else bounded).append(clause)
        if label == "always":
            return Grade("wrong", Sentence("always"), note=Sentence("otherwise it is never compute-bound"))
    if len(bounded) != 1 or len(others) > 1:
        raise Unreadable("two answers; expected one", said[0].says)
    [bound] = bounded
    conditions = [] if bound.otherwise else bound.when.split(AND) if bound.when else []
    outside = [c.when for c in others if c.when]
    if bound.otherwise and not outside:
        raise Unreadable("say when it is never compute-bound", bound.says)
    found = _grade_clause(replace(bound, when="", otherwise=False), asked, conditions, outside)
    return (
        found
        if outside or not others or "otherwise" in found.read_as
        else replace(
            found,
            read_as=joined("<first>; <second>", [found.read_as, Sentence("<what> otherwise", what=Sentence("never"))]),
        )
    )


def _grade_clause(
    clause: Clause, asked: Question, conditions: list[str] | None = None, outside: Sequence[str] = ()
) -> Grade:
    """Return the grade of one clause with its conditions. `outside` are conditions of sizes without a bound."""
    parts = [part.strip() for part in clause.says.split(AND) if part.strip()]
    if conditions is None:
        conditions = [part.strip() for part in clause.when.split(AND) if part.strip()]
    if clause.when and _is_regime(clause.when, asked):
        conditions = [clause.when]
    (stated, *rest), assumed = without_assumed([*parts, *conditions] or [""], asked)
    found = _grade_answer(read_answer(stated, [*asked.symbols], asked.asks, asked.unknown, asked.at), asked)
    _refuse_two_readings(stated, found, asked)
    if assumed:
        met = joined("<first> and <second>", assumed)
        found = replace(found, read_as=Sentence("<what> when <condition>", what=found.read_as, condition=met))
    why = unproved(found.held.asked if found.held else asked)
    if why:
        return Grade(UNDECIDED, found.read_as, note=why)
    return _with_conditions(found, rest, asked, outside)


def _along(lines: list[tuple[str, bool]], found: Grade, asked: Question) -> Grade:
    """Return the grade of the last line of a derivation, with the first wrong line."""
    if found.grade in ("unreadable", UNDECIDED):
        return found
    try:
        left = first_wrong_line(lines, asked)
    except Unreadable as problem:
        said = Sentence("<first>; <second>", first=problem.said, second=Sentence("<what>", what=problem.so_far))
        return Grade("unreadable", found.read_as, note=said if problem.so_far else problem.said)
    if left is None and found.grade == "wrong":
        left = WrongLine(len(lines), lines[-1][0], lines[-2][0])
    return found if left is None else replace(found, left_line=left.place, link=left.line, before=left.before)


def _refuse_two_readings(text: str, found: Grade, asked: Question) -> None:
    """Reject a wrong answer that would be right if the letter of a size were a unit: `2BD B`, `9 B/(2 GB/s)`."""
    for letter, unit, said in _as_units(text, asked) if found.grade == "wrong" else ():
        as_unit = Grade("unreadable")
        with suppress(Unreadable):
            as_unit = _grade_answer(read_answer(said, [*asked.symbols], asked.asks, asked.unknown), asked)
        if as_unit.passed:
            raise Unreadable(
                "<letter> is a size and a unit; write <unit>, or a product sign",
                found.read_as,
                letter=letter,
                unit=unit,
            )


def _as_units(text: str, asked: Question) -> Iterator[tuple[str, str, str]]:
    """Yield each letter of a size that may be a unit, the unit, and the text with the unit in place of the letter."""
    thousands = {letter: "e3" for letter in "kK" if re.search(rf"\d ?{letter}\s*$", text)}  # "15.3k", if k is a size
    for letter, unit in {**LETTERS.get(asked.asks, {}), **thousands}.items():
        apart = letter in thousands or re.search(rf"[\w)}}] +{letter}\s*$", text)
        if letter in asked.symbols and apart:
            yield letter, unit, text.rstrip()[: -len(letter)].rstrip(" " if letter in thousands else "") + unit
    if "B" in asked.symbols and asked.asks in ("time", "intensity", "ridge"):
        said = re.sub(r"(\d) +B(?!\w)", r"\1 byte", text)
        if said != text:
            yield "B", "byte", said


def _with_conditions(found: Grade, conditions: list[str], asked: Question, outside: Sequence[str] = ()) -> Grade:
    """Compare the conditions in an answer with the condition of the key. An answer may leave them out."""
    when = (found.held or asked).key.when
    if conditions and _is_regime(", ".join(conditions), asked):
        return found
    if conditions and found.grade == "wrong" and when != sympy.true:
        said = ", ".join(conditions)
        return replace(found, read_as=Sentence("<what> when <condition>", what=found.read_as, condition=said))
    if found.grade != "right" or when == sympy.true:
        if conditions and when != sympy.true and found.grade in PASSED:  # the condition may be rounded, too
            raise Unreadable("the condition could not be compared with the right one", found.read_as)
        if conditions and found.grade != "unreadable":
            raise Unreadable(
                "the right answer needs no condition; leave out <condition>",
                found.read_as,
                condition=quoted(conditions[0].strip()),
            )
        return found
    if not conditions and not outside:
        return replace(found, note=Sentence("it holds when <condition>", condition=plain(when)))
    from roofproof.claims.judge.judge import judge  # a third of the startup time, needed for few answers
    from roofproof.claims.language import Claim
    from roofproof.claims.language.environment import Environment
    from roofproof.formula.reader import read_statement
    from roofproof.formula.tree import Op

    theirs = [read_condition(text, [*asked.symbols]) for text in conditions]
    stated = [theirs[0] if len(theirs) == 1 else Op("and", tuple(theirs))] if theirs else []
    for text in outside:
        denied = read_condition(text.removeprefix("not "), [*asked.symbols])
        stated.append(denied if text.startswith("not ") else Op("not", (denied,)))
    both = [*stated, read_statement(plain(when), [*asked.symbols])]
    names = {n: Number(Fraction(v), str(v)) for n, v in asked.symbols.items() if isinstance(v, sympy.Rational)}
    claim = Claim("condition", [*conditions, *outside][0], Op("<=>", tuple(both)), Environment(let=names), names)
    verdict = judge(claim)
    if verdict.kind not in ("verified", "refuted"):
        raise Unreadable("the condition could not be compared with the right one", found.read_as)
    met = joined("<first> and <second>", map(to_text, stated))
    said = Sentence("<what> when <condition>", what=found.read_as, condition=met)
    worth = "right" if verdict.kind == "verified" else "wrong"
    return replace(found, read_as=said, grade=worth, conditions=verdict)


def _is_never_otherwise(asked: Question) -> bool:
    """Return whether the key has a condition that every compute-bound size meets."""
    if asked.asks != "threshold" or asked.regime is not None or asked.key.when == sympy.true:
        return False
    return sum(case.threshold.kind != "never" for case in symbolic_cases(asked)) == 1


_GROWING = re.compile(r"(?:\s|,|、|和|与|\b(?:large|big|very|both|are|is|and)\b|足够|很|都|大|→∞|\b[A-Za-z]\b)+")
_TO_INFINITY = re.compile(r"(?:→|->|\\(?:to|rightarrow)(?![a-z])) *(?:∞|\\infty(?![a-z])|(?:oo|inf|infinity)\b)")


def _is_regime(text: str, asked: Question) -> bool:
    """Return whether a condition is the regime of the question in other words."""
    if not asked.regime:
        return False
    said = _TO_INFINITY.sub("→∞", re.sub(r"≫|\\gg\b", ">>", text).replace("$", ""))
    names = set(re.findall(r"[A-Za-z]\w*", said)) & {*asked.symbols}
    if names == set(Regime(asked.regime).growing) and _GROWING.fullmatch(said):
        return True
    with suppress(RoofproofError):
        return Regime(said) == Regime(asked.regime)
    return False


def _grade_answer(answer: Answer, asked: Question) -> Grade:
    key = asked.key
    if answer.label:
        return _labelled(answer, key, asked)
    if asked.asks == "bound":
        raise Unreadable("expected compute-bound, memory-bound or communication-bound", str(answer))
    if answer.beside not in ("", "compute-bound", "not compute-bound") and len(asked.ceilings) > 1:
        raise Unreadable("say for which sizes it is compute-bound", str(answer))
    if answer.value.counted and not is_counted(answer.value.counted, asked):
        if asked.asks in SOLVED and asked.against is None:
            raise Unreadable(
                "this counts something else; the question asks for <name>", str(answer), name=asked.unknown
            )
        unit = dimension_text(wanted_unit(asked))
        raise Unreadable("this is a count; the question asks for a value in <unit>", str(answer), unit=unit)
    if has_wrong_unit(answer.value, asked):
        unit = answer.value.unit.text if answer.value.unit else ""
        return Grade("wrong", str(answer), note=Sentence("<unit> is not a unit of this quantity", unit=unit))
    try:
        said = _evaluate(answer, asked)
        place = _wrong_link(answer, key, asked)
    except RoofproofError as problem:
        raise Unreadable(unplaced(problem), str(answer)) from None
    before, link = ("", *(each.text for each in answer.links))[place - 1 : place + 1] if place else ("", "")
    held = _compare_with_key(said, asked)
    asked = held.asked
    key = asked.key
    if held.grade == "digits" and _is_coarse(said, held.key, asked) and _is_mistaken(said, asked):
        held = graded(replace(said, printed=None), key, asked)
    if held.grade == "close" and asked.asks in ("smallest", "largest") and asked.tolerance == "digits":
        rounded = made_of(CATALOGUE["rounded-input"], asked)
        fine = (e for e in rounded if asked.chip and e.taken.chip and not is_coarse(asked.chip, e.taken.chip, e.about))
        rounding = next((e for e in fine if _is_given(said, e)), None)
        if rounding is not None:
            return Grade("close", str(answer), rounding.name, rounding.about, said=said, held=held)
        held = graded(said, key, replace(asked, tolerance="exact"))  # an integer answer must be exact
    note, unitless = _which_start(held) or _which_count(held), _is_unitless(answer, held)
    if unitless:
        note = Sentence("a time without a unit is in seconds; the unit is missing")
    if said.turned:
        unit = dimension_text(wanted_unit(asked))
        turned = Sentence("<value> is one over the value in <unit>", value=answer.value.text, unit=unit)
        note = joined("<first>; <second>", [note, turned])
    read_as = _text_as_read(answer, asked, said)
    found = Grade(held.grade, read_as, note=note, wrong_link=place, said=said, link=link, before=before,
                  held=held, unitless=unitless)  # fmt: skip
    return _explained(found, said, key, asked)


def _evaluate(answer: Answer, asked: Question) -> EvaluatedAnswer:
    """Evaluate an answer: solve an inequality, and reduce a chain to one bound if all sizes meet the other."""
    if answer.other is not None:
        left, right = (value_of(link, asked) for link in (answer.other, answer.value))
        relation, end = bound_of(left, answer.relation, right, asked)
        numbers = [n for link in (answer.other, answer.value) for n in walk(link.node) if isinstance(n, Number)]
        digits = next((n.text for n in numbers if end.is_Rational and n.value == rational(end)), None)
        return EvaluatedAnswer(relation, end, digits, decimal=is_decimal(answer.value))
    said = evaluate_last_value(answer, asked)
    return said if answer.below is None else without_other_end(said, answer.below[1].printed, asked)


def _text_as_read(answer: Answer, asked: Question, said: EvaluatedAnswer | None = None) -> str:
    """Return the answer as it was read. A plain number is the value of the threshold, in either direction."""
    if answer.other is not None and said is not None:
        bound = f"{asked.unknown} {said.relation} {plain(said.value)}"
        return Sentence("<what>, which is <bound>", what=str(answer), bound=bound)
    if asked.asks not in ("threshold", "rule") or answer.relation not in "=≈" or answer.below:
        return str(answer)
    value = " = ".join(link.text for link in answer.links)
    return Sentence("the threshold of <name> is <value>", name=answer.subject, value=value)


def _compare_with_key(said: EvaluatedAnswer, asked: Question) -> KeyComparison:
    """Return the comparison of an answer with the key, or with that of another convention if that is better.

    A threshold for a share may count the start time or not, and FLOPs may include the first addition of a sum or not.
    """
    held = graded(said, asked.key, asked)
    for other in () if held.agrees else filter(None, (asked.with_start, asked.otherwise_counted)):
        held = min(held, graded(said, other.key, other), key=lambda h: WORST.index(h.grade))
    return held


def _which_start(held: KeyComparison) -> str:
    """Return a note on whether an accepted answer counts the start time, if both answers are possible."""
    asked = held.asked
    if held.grade not in PASSED or not (asked.started or asked.with_start):
        return ""
    from roofproof.formula.magnitudes import prefixed

    assert asked.kept is not None
    start = prefixed(asked.kept.start, "s")
    form = "with the start of <start> counted" if asked.started else "once started: the start of <start> is not counted"
    return Sentence(form, start=start)


def _which_count(held: KeyComparison) -> str:
    """Return a note on the counting convention of an accepted answer, if it differs from the key."""
    if held.grade not in PASSED or not held.asked.recounted:
        return ""
    exact = held.asked.op.exact_compute is None
    return Sentence(
        "by the other count: the first term of each sum needs no addition"
        if exact
        else "by the other count: every term of a sum counts an addition"
    )


def _is_unitless(answer: Answer, held: KeyComparison) -> bool:
    """Return whether a time is right except for a missing unit: 43.6 for 43.6 us, but not 0.0436."""
    said = held.said
    if not said.value.is_number or said.value < 1:
        return False
    if held.grade != "wrong" or held.asked.asks != "time" or answer.value.unit or said.printed is None:
        return False
    factors = (Fraction(1, 1000**k) for k in (1, 2, 3))
    timed = (replace(said, value=said.value * sympy.Rational(f), factor=f) for f in factors)
    return any(exactly(each, held.key, held.asked).agrees for each in timed)


def _is_coarse(said: EvaluatedAnswer, key: Key, asked: Question) -> bool:
    """Return whether a number agrees with the key only by one digit or by cut-off digits, over a percent away."""
    exact = right_value(key, asked)
    if exact is None or not exact.is_number or said.printed is None:
        return False
    value = rational(exact) / said.factor
    agreed = agreement(value, said.printed)
    return agreed is not None and agreed.is_coarse(value)


def _is_mistaken(said: EvaluatedAnswer, asked: Question) -> bool:
    """Return whether a mistake other than rounding gives the number exactly. It is then not a rounded key."""
    likely = (e for e in edits(asked) if e.of.name not in ("rounded-input", "other-chip"))
    return any(e.end == said.value for e in likely)


_OTHER = {"not compute-bound": "memory-bound", "not memory-bound": "compute-bound"}


def _labelled(answer: Answer, key: Key, asked: Question) -> Grade:
    if answer.label == NEVER_MEMORY_BOUND:
        if any(name in LINKS for name in asked.op.demands):
            raise Unreadable("<label> leaves open whether a link is slower; say for which sizes it is compute-bound",
                             answer.label, label=Sentence(answer.label))  # fmt: skip
        answer = replace(answer, label="always")
    if asked.asks == "bound" and answer.label in _OTHER and not any(name in LINKS for name in asked.op.demands):
        answer = replace(answer, label=_OTHER[answer.label])
    if answer.label.startswith("not ") or (asked.asks == "bound") != answer.label.endswith("-bound"):
        raise Unreadable("<label> does not answer the question", answer.label, label=answer.label)
    if asked.asks not in (*SOLVED, "bound"):
        raise Unreadable("<label> is not a value", answer.label, label=answer.label)
    held = exactly(EvaluatedAnswer(answer.label, sympy.nan), key, asked)
    if held.grade == "wrong" and (late := asked.with_start) is not None:
        other = exactly(EvaluatedAnswer(answer.label, sympy.nan), late.key, late)
        held = other if other.agrees else held
    ruled = held.grade == "wrong" and asked.asks == "bound" and _is_ruled(answer.label, asked)
    slip = "limit-for-exact" if ruled else ""
    return Grade(held.grade, answer.label, held=held, slip=slip, note=_which_start(held))


def _is_ruled(label: str, asked: Question) -> bool:
    """Return whether the rule of thumb for the smallest growing size gives the label of an answer."""
    growing = [name for name in asked.names if role_of(asked.op, name).grows]
    if not growing or label == LABELS[2]:
        return False
    least = min(growing, key=asked.at.__getitem__)
    with suppress(RoofproofError):
        at = {name: size for name, size in asked.at.items() if name != least}
        ruled = replace(asked, asks="rule", unknown=least, at=at).key.allowed_threshold
        x = next(s for s in asked.op.dims if s.name == least)
        return ruled is not None and (ruled.holds(x).subs(x, asked.at[least]) == sympy.true) == (label == LABELS[0])
    return False


def _wrong_link(answer: Answer, key: Key, asked: Question) -> int:
    """Return the number of the first wrong equation in a chain, counted from 1, or 0.

    A value without a unit may be in the unit of the last one: `T = 1000/64 = 15.6 ms`.
    """
    last = answer.links[-1].unit
    for place, link in enumerate(answer.links, 1):
        if len(answer.links) == 1:
            return 0
        readings = dict.fromkeys((link, link if link.unit else replace(link, unit=last)))
        said = (_evaluate(replace(answer, links=(each,)), asked) for each in readings)
        if not any(_compare_with_key(each, asked).grade in PASSED for each in said):
            return place
    return 0


def _explained(found: Grade, said: EvaluatedAnswer, key: Key, asked: Question) -> Grade:
    if found.grade in ("right", "digits") and not found.wrong_link:
        return found
    if found.grade == "limit":
        if key.limit is not None and exactly(said, key.limit, asked).agrees:
            return replace(found, slip="limit-for-exact")
    elif (asked.asks == "rule" or asked.far) and found.grade == "wrong" and (exact := _exact(said, asked)) is not None:
        return replace(found, grade="limit", slip="exact-for-limit", held=replace(exact, grade="limit"))
    if found.grade in ("wrong", "close") and (turned := _turned(said, key, asked)):
        return replace(found, slip=turned)
    if found.grade in ("right", "digits") or asked.started:  # mistakes change the closed form, without the start time
        return found
    slips: dict[str, Edit] = {}
    with explaining():
        for edit in _giving(said, asked, found.grade):
            slips.setdefault(edit.name, edit)
    if not slips:
        return found
    first, *others = slips.values()
    return replace(found, slip=first.name, about=first.about, runner_up=others[0].full_name if others else "")


def _exact(said: EvaluatedAnswer, asked: Question) -> KeyComparison | None:
    """Return the comparison of a formula with the exact threshold or intensity, if they are equal, else None."""
    if not said.value.free_symbols:
        return None
    exact = replace(asked, far=False) if asked.far else replace(asked, asks="threshold")
    held = exactly(said, exact.key, exact)
    return held if held.grade == "right" else None


def _turned(said: EvaluatedAnswer, key: Key, asked: Question) -> str:
    """Return `reversed` or `strictness` for the right number with a wrong relation, else ""."""
    if said.relation in "=≈" or said.low is not None:
        return ""
    if graded(replace(said, relation="="), key, asked).grade not in ("right", "digits", "limit"):
        return ""
    there = key.allowed_threshold.kind if key.allowed_threshold is not None else ""
    sides = {"smallest": ">", "largest": "<", **dict.fromkeys(LEAST, ">")}
    side = sides.get(asked.asks) or {"above": ">", "below": "<"}.get(there)
    return "" if side is None else "strictness" if said.relation[0] == side else "reversed"


def _is_given(said: EvaluatedAnswer, edit: Edit) -> bool:
    """Return whether a mistake gives an answer. A numeric test comes first, as most results are far from it."""
    return edit.key is not None and not _is_far(said, edit) and _gives(said, edit.key, edit)


def _is_far(said: EvaluatedAnswer, edit: Edit) -> bool:
    """Return whether an answer is far from the results of a mistake. Bounds 2 apart may allow the same integers."""
    if said.low is not None or not edit.there or (here := at_sizes(said.value)) is None:
        return False
    apart = 2 if edit.taken.asks in SOLVED else 0
    return all(abs(here - there) > max(abs(there) / 50, Fraction(apart)) for there in edit.there)


def _giving(said: EvaluatedAnswer, asked: Question, grade: str) -> list[Edit]:
    """Return all mistakes of the most common class that give an answer, or else a pair of mistakes."""
    digits = _digits(said)
    if asked.asks == "bound":
        return []
    search = InAnswer(asked, lambda edit: _is_given(said, edit), digits and min(digits, MOST_DIGITS))
    return [*search.found(worth_trying(digits) if grade == "wrong" else 0)]


def _digits(said: EvaluatedAnswer) -> int | None:
    return None if said.printed is None else significant(Decimal(said.printed), "." in said.printed)[1]


def _gives(said: EvaluatedAnswer, key: Key, edit: Edit) -> bool:
    """Return whether the key of an edit is the answer, exactly or to its digits. A threshold may also be the limit."""
    asked = edit.asked
    keys = (key, key.limit) if asked.asks in SOLVED else (key,)
    return any(_fits(said, each, edit, asked) for each in keys if each is not None)


def _is_bound(said: EvaluatedAnswer, key: Key) -> bool:
    """Return whether a number may be a threshold. All those below 1 allow the same integers and prove nothing."""
    ends = bounds(key.threshold) if key.threshold is not None else ()
    if not ends or not said.value.is_positive:
        return False
    if not ends[0].is_number or ends[0] >= 1:
        return True
    end = rational(ends[0])  # no number is near 0
    return abs(rational(said.value) - end) <= NEARLY * 2 * end


def _is_printed(said: EvaluatedAnswer, end: sympy.Expr) -> bool:
    """Return whether a number agrees with a bound to its digits. Integers and quotients such as 1/318 pass.

    273.6 does not agree with 273.1, even though the two bounds allow the same integers."""
    if not said.is_number or said.value.is_integer or not end.is_number or said.value == end:
        return True
    return said.printed is None or agreement(rational(end) / said.factor, said.printed) is not None


def _fits(said: EvaluatedAnswer, key: Key, edit: Edit, asked: Question) -> bool:
    end = right_value(key, asked)
    if said.is_number and end is not None and end.free_symbols:  # a number cannot equal a formula with sizes
        return False
    if key.threshold is not None and said.is_number and not _is_bound(said, key):
        return False
    if end is not None and "chips" not in edit.of.asks and not _is_printed(said, end):
        return False
    result = exactly(said, key, asked, of_all=True).grade
    if said.printed is None or result not in ("right", "digits"):
        return result == "right"
    digits = _digits(said)
    assert digits is not None
    if digits < edit.of.digits or result == "right":
        return digits >= edit.of.digits
    value = key.value if key.value is not None else bounds(key.threshold)[0] if key.threshold else None
    if asked.asks in ("smallest", "largest") or value is None:
        return False
    off = abs(rational(said.value) / rational(value) - 1)
    return bool(off <= (NEARLY if digits == 1 else Fraction(1, 100)))
