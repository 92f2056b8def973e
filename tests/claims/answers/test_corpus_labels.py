"""The labels of the corpus, derived a second time.

Each key follows from the demands of an operation and the specs of a chip. Each grade follows from the key and the
answer, and each mistake from the edit of the derivation that it names. Labels follow the policy, not roofproof, which
is not imported: a label that agrees with an error of roofproof is an error.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from second_route import WORDS, Entry, edit_of, edits, gives, graded, grown, points, said, solved, statement, value

HERE = Path(__file__).resolve().parent
GRADES = {"right", "digits", "limit", "close", "wrong", "unreadable"}
ASKS = {"threshold", "smallest", "largest", "rule", "intensity", "flops", "bytes", "time", "ridge", "bound"}
CHIP = r"(peak|rate) = [\d.e]+"
FORM = {  # the form of the edit for each mistake
    "bytes-per-element": r"all = 1",
    "multiply-add-once": r"flops = flops/2",
    "dropped-tensor": r"\w+ = 0(; \w+ = 0)?",
    "other-width": r"all = (?!1$)[1-9][\d/]*|(?!all)\w+ = [1-9][\d/]*",
    "other-figure": rf"{CHIP}(; {CHIP})?",
    "other-chip": rf"{CHIP}(; {CHIP})?",
    "rounded-input": rf"peak = \d[\d.]*\*rate|{CHIP}; {CHIP}",
    "prefix": r"key = (1000(\^2)?\*key|key[*/]1000(\^\d/1024\^\d)?)",
    "bits": r"key = (8\*key|key/8)",
    "reciprocal": r"key = 1/key",
    "reversed": None,  # tested separately
    "off-by-one": r"key = key [+-] 1",
    "strictness": None,
    "one-direction": rf"{CHIP}|key = (2\*key|key/2)",
    "seconds-milliseconds": r"key = (1000\*key|key/1000)",
    "per-chip-total": r"flops = flops\*[A-Z]|key = (key\*n|n\*key)",
    "forward-for-training": r"flops = (flops/3|3\*flops)",
    "backward-once": r"flops = 2/3\*flops",
    "other-convention": r"flops = flops - \(.*\)",
    "share-for-ratio": r"key = key/\(1 [+-] key\)",
    "limit-for-exact": r"key = (limit|(2\*)?V/rate)",
    "exact-for-limit": None,
    "dropped-part": r"flops = [\dA-Za-z*^+() ]+",
    "only-part": r"flops = [\dA-Za-z*^]+",
    "halved-part": r"flops = [\dA-Za-z*^+ ]+",
    "shorter-time": r"key = flops/peak",
    "own-part": r"key = (2\*)?V/rate",
    "one-step": r"key = V/n",
    "binary-rate": r"rate = rate\*1024\^3/1000\^3",
    "intensity-of-a-product": None,
}
OUTSIDE = {"", "other-figure", "other-chip", "rounded-input", "reversed"}  # second names that need a spec, or no edit


def load(name: str) -> list[Entry]:
    questions: list[Entry] = tomllib.loads((HERE / name).read_text(encoding="utf-8"))["question"]
    return questions


HALVES = {name: load(name) for name in ("answers.toml", "held_out.toml")}
QUESTIONS = [q for half in HALVES.values() for q in half]
pytestmark = pytest.mark.slow  # a label changes only with the corpus


def a_key_follows_from_demands_and_supplies(question: Entry) -> None:
    assert question["asks"] in ASKS and question["note"]
    relation, formula = statement(question["key"], question["for"])
    for sizes in points(question):
        found, v = solved(question, sizes, {})
        if found in WORDS:
            assert relation == found
            continue
        expected = value(formula, sizes)
        assert abs(v - expected) <= (expected / 10**20 if question["asks"] == "rule" else 0)
        assert relation == found or question["asks"] in {"smallest", "largest"}
    if "limit" in question:
        far = grown(question)
        limit = value(statement(question["limit"], question["for"])[1], far)
        assert abs(solved(question, far, {})[1] / limit - 1) < Fraction(1, 10**9)


def a_grade_follows_from_the_policy(question: Entry) -> None:
    wrong = []
    for answer in question["answers"]:
        allowed = {answer["grade"], *answer.get("also_grade", [])}
        assert allowed <= GRADES and answer["lang"] in {"en", "zh"}
        if answer["grade"] != "unreadable" and (grade := graded(question, answer)) not in allowed:
            wrong.append(f"{answer['text']!r} is {grade}, labelled {answer['grade']}")
    assert not wrong


def is_read(question: Entry, text: str) -> bool:
    """Return whether the notation reads a text as a statement. The bare unknown is not one."""
    try:
        relation, formula = statement(text, question["for"])
        if relation not in WORDS and formula != question["for"]:
            value(formula, points(question)[0])
            return bool(question["asks"] != "bound")
        return relation in WORDS
    except ValueError:
        return False


def nothing_that_can_be_read_is_labelled_unreadable(question: Entry) -> None:
    for answer in (a for a in question["answers"] if a["grade"] == "unreadable"):
        assert not {"means", "by"} & set(answer) and not is_read(question, answer["text"]), answer


def turned(question: Entry, answer: Entry) -> str:
    """Return the grade that the number of an answer would get without its relation."""
    relation, formula = said(question, answer)
    return "" if relation in WORDS | {"between"} else graded(question, {**answer, "means": formula})


def slip_faults(question: Entry, answer: Entry) -> list[str]:
    """Return the errors in the mistakes that label one answer, as text."""
    slip, others, by = answer["slip"], answer.get("also_slip", []), answer.get("by", "")
    names = [s.split(":")[0] for s in [slip, *others] if s]
    faults = [f"{n} is no slip" for n in names if n not in FORM]
    if answer["grade"] in {"right", "digits", "unreadable"}:
        return [*faults, *(["a slip without a mistake"] if slip else [])]
    if names and slip and FORM[names[0]]:
        if not re.fullmatch(FORM[names[0]] or "", by):
            faults.append(f"{by!r} is no edit of {slip}")
        elif not gives(question, answer, edit_of(by)):
            faults.append(f"{by!r} does not give it")
        tensor = re.compile(slip.partition(":")[2] + "(_read|_write)?")
        if names[0] == "dropped-tensor" and not all(map(tensor.fullmatch, edit_of(by))):
            faults.append(f"{by!r} drops another tensor")
    for other in others:
        if other not in OUTSIDE and not any(gives(question, answer, e) for name, e in edits(question) if name == other):
            faults.append(f"{other} does not give it")
    if not slip and "limit" in question and gives(question, answer, {"key": "limit"}):
        faults.append("it is the limit")
    if not slip and answer["grade"] == "wrong" and turned(question, answer) in {"right", "digits"}:
        faults.append("it is reversed")
    if (
        not slip
        and not others
        and answer["grade"] in {"wrong", "close", "limit"}
        and said(question, answer)[0] not in WORDS
    ):
        faults += [f"{name} gives it: {edit}" for name, edit in edits(question) if gives(question, answer, edit)]
    return faults


def a_slip_gives_the_answer_and_none_is_overlooked(question: Entry) -> None:
    found = {a["text"]: faults for a in question["answers"] if (faults := slip_faults(question, a))}
    assert not found


def a_reversed_answer_has_the_right_number_on_the_wrong_side(question: Entry) -> None:
    for answer in (a for a in question["answers"] if a["slip"] in {"reversed", "strictness"}):
        key = statement(question["key"], question["for"])[0]
        side = {"smallest": ">", "largest": "<"}.get(question["asks"], key)[0]
        assert (said(question, answer)[0][0] != side) == (answer["slip"] == "reversed")
        assert turned(question, answer) in {"right", "digits", "limit"} and graded(question, answer) == "wrong"


LAWS = (
    a_key_follows_from_demands_and_supplies,
    a_grade_follows_from_the_policy,
    nothing_that_can_be_read_is_labelled_unreadable,
    a_slip_gives_the_answer_and_none_is_overlooked,
    a_reversed_answer_has_the_right_number_on_the_wrong_side,
)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["id"])
def test_the_labels_of_a_question_follow_from_its_key(question: Entry) -> None:
    for law in LAWS:
        law(question)


def test_the_exact_answer_where_a_rule_was_asked_is_exact() -> None:
    pairs = [(q, a) for q in QUESTIONS for a in q["answers"] if a["slip"] == "exact-for-limit"]
    assert len(pairs) >= 2
    for question, answer in pairs:
        assert question["asks"] == "rule"
        sizes = {n: v / 10**26 if v > 10**30 else v for n, v in grown(question).items()}
        relation, v = solved({**question, "asks": "threshold"}, sizes, {})
        assert (relation, v) == (said(question, answer)[0], value(said(question, answer)[1], sizes))


def test_links_of_a_chain_are_equal_except_the_one_named() -> None:
    chains = [(q, a) for q in QUESTIONS for a in q["answers"] if "links" in a]
    assert len(chains) >= 6
    for question, answer in chains:
        for i, link in enumerate(answer["links"], 1):
            grade = graded(question, {**answer, "means": link})
            assert (grade in {"right", "limit"}) == (answer.get("wrong_link") != i)


def test_what_an_answer_means_has_the_numbers_and_names_of_its_text() -> None:
    for question in QUESTIONS:
        for answer in (a for a in question["answers"] if "means" in a and a["means"] not in WORDS):
            text = unicodedata.normalize("NFKC", answer["text"])
            text = re.sub(r"(?<=\d)[, ](?=\d{3})", "", text)
            shown = re.sub(r"\^\(?[0-9-]+|e-?\d+", "", re.sub(r"2\^[23]0", "", answer["means"]))
            numbers = [n.replace(".", "").strip("0") for n in re.findall(r"\d[\d.]*", shown)]
            plain = re.sub(r"(?<=\d)\.(?=\d)", "", text)
            assert all(n in plain for n in numbers), answer
            names = set(re.findall(r"[A-Za-z]\w*", shown)) - {question["for"], "I"}
            assert all(n in text for n in names), answer


def test_both_halves_are_large_enough_and_of_one_mixture() -> None:
    assert sum(len(q["answers"]) for q in QUESTIONS) >= 600 and len(QUESTIONS) >= 40
    assert len({q["id"] for q in QUESTIONS}) == len(QUESTIONS)
    for question in QUESTIONS:
        texts = [a["text"] for a in question["answers"]]
        assert len(set(texts)) == len(texts), question["id"]
    shares = []
    for half in HALVES.values():
        answers = [a for q in half for a in q["answers"]]
        count = Counter(a["grade"] for a in answers) + Counter(a["lang"] for a in answers)
        shares.append({name: Fraction(n, len(answers)) for name, n in count.items()})
    assert all(abs(shares[0][name] - shares[1][name]) <= Fraction(1, 20) for name in GRADES | {"en", "zh"})
    assert all({q["asks"] for q in half} == ASKS for half in HALVES.values())
