"""Exercises: keys are proved and graded right, wrong answers are proved wrong and graded wrong with their mistake."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
import sympy

from roofproof.claims.answers import proved
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.hardware import chip
from roofproof.ops import parse_operation
from roofproof.proofs.known import ByCounterexample
from roofproof.teach import Exercise, Variant, bank, variants
from roofproof.teach.bank_file import bank_of, shipped
from roofproof.teach.distractors import different, distractors
from roofproof.teach.variants import _parameters

EVERY = [(name, exercise) for name in shipped() for exercise in bank(name).exercises]
COUNTED: Counter[str] = Counter()
TRUSTED = ("kernel", "smt", "model")


def names(pair: tuple[str, Exercise]) -> str:
    return f"{pair[0]}/{pair[1].id}"


def holds(made: Variant) -> None:
    """Assert that a variant has a proved key, and wrong answers that are graded wrong with their mistake."""
    assert made.trust in TRUSTED, made.key
    assert grade(made.asked, made.key).passed, made.key
    assert made.distractors or made.asked.asks == "bound", f"{made.id}: no wrong answers"
    assert len(set(made.options)) == len(made.options) == len(made.distractors) + 1
    for wrong in made.distractors:
        assert isinstance(wrong.differs.warrant, ByCounterexample) and wrong.differs.trust == "kernel"
        found = grade(made.asked, wrong.shown)
        assert found.grade == "wrong", (made.id, wrong.shown, made.key)
        assert found.slip == wrong.slip
    for lang in ("en", "zh"):
        told = made.text(lang)
        assert "{" not in told and told.strip() == told


@pytest.mark.sampled(27)
@pytest.mark.parametrize("pair", EVERY, ids=names)
def test_key_is_right_and_wrong_answers_are_wrong(pair: tuple[str, Exercise]) -> None:
    for made in variants(pair[1], 2, seed=3):
        holds(made)


@pytest.mark.long
@pytest.mark.parametrize("pair", EVERY, ids=names)
def test_ten_thousand_variants(pair: tuple[str, Exercise]) -> None:
    """All banks together have ten thousand variants. Questions about a time have fewer, because they take longest."""
    for made in variants(pair[1], 200 if pair[1].options["asks"] == "time" else 4000, seed=7):
        holds(made)
        COUNTED.update(variants=1, wrong=len(made.distractors))


@pytest.fixture(scope="module", autouse=True)
def counts() -> Iterator[None]:
    """Print the number of variants that the long run checked, at its end."""
    yield
    if COUNTED:
        right = f"\n{COUNTED['variants']:,} variants, every key proved and graded right"
        wrong = f"{COUNTED['wrong']:,} wrong answers, each proved different from its key and graded wrong with its slip"
        print(f"{right}; {wrong}, no two options alike")


@pytest.mark.parametrize("pair", EVERY, ids=names)
def test_text_stands_in_both_languages(pair: tuple[str, Exercise]) -> None:
    exercise = pair[1]
    assert set(exercise.text) == {"en", "zh"}
    assert {lang: len(hints) for lang, hints in exercise.hints.items()} in ({}, *({"en": k, "zh": k} for k in range(9)))


def test_banks_have_what_they_say() -> None:
    assert {name: len(bank(name).exercises) for name in shipped()} == {
        "edge-llm": 20,
        "llama-tutorial": 10,
        "memory": 3,
        "operations": 43,
        "rooflines": 22,
    }


def test_a_share_is_of_the_whole_and_no_ratio() -> None:
    """At L = d attention has 12 of 28 L^3 FLOPs, which is the share, and 12/16 of the network, which is a ratio."""
    exercise = next(e for _, e in EVERY if e.id == "2.2-share")
    asked = exercise.asked({"L": 1024, "d": 1024})
    assert asked.key.value == sympy.Rational(3, 7)
    assert [grade(asked, said).grade for said in ("3/7", "42.9%", "0.4286")] == ["right", "digits", "digits"]
    assert (grade(asked, "3/4").grade, grade(asked, "75%").slip) == ("wrong", "ratio-for-share")
    with pytest.raises(RoofproofError, match=r"^--asks share needs --of, the other operation$"):
        replace(asked, whole=None)


def test_a_wrong_number_near_the_right_one_is_no_option() -> None:
    """No option is close to the right answer: 500 would show no mistake if 499 is right."""
    asked = Question(parse_operation("flops bf16 = 2 N^3; bytes hbm = 6 N^2"), chip("tpu-v5p"), "N", asks="smallest")
    assert asked.key.integer == 499
    options = [d.key.integer for d in distractors(asked, 4)]
    assert options and all(n is not None and abs(n - 499) > 25 for n in options), options


def test_one_formula_in_two_forms_is_one_option() -> None:
    for id in ("2.2-share-formula", "2.4-unfused", "q4-intensity"):
        made = variants(next(e for _, e in EVERY if e.id == id))[0]
        values = [made.asked.key.value, *(d.key.value for d in made.distractors)]
        assert all(sympy.cancel(a - b) != 0 for a, b in combinations(values, 2))


@pytest.mark.slow
def test_a_seed_settles_the_variants() -> None:
    one = next(e for _, e in EVERY if e.id == "smallest-batch")
    first, again, other = (variants(one, 6, seed) for seed in (7, 7, 8))
    assert [v.parameters for v in first] == [v.parameters for v in again] != [v.parameters for v in other]
    assert [v.options for v in first] == [v.options for v in again]
    assert len({tuple(v.parameters.items()) for v in first}) == 6


def test_of_too_many_parameters_to_be_listed_none_come_twice() -> None:
    one = next(e for _, e in EVERY if e.id == "smallest-batch")
    one = replace(one, vary={**one.vary, "D": tuple(range(1, 20_000))})
    found = [tuple(each.items()) for each in _parameters(one, 7)]
    assert len(set(found)) == len(found) < 10_000  # 10,000 are drawn


def test_variants_end_where_the_parameters_do() -> None:
    one = next(e for _, e in EVERY if e.id == "rule-chips")
    assert len(variants(one, 100)) == 4


def test_nice_numbers_come_before_ugly_ones() -> None:
    one = next(e for _, e in EVERY if e.id == "ridge-figures")
    assert all(v.asked.key.value.q == 1 or len(v.key) < 12 for v in variants(one, 5, 1))
    ugly = Exercise("r", {"en": "?"}, {"op": "matmul", "chip": "bf16={p} TFLOP/s, hbm=900 GB/s", "asks": "ridge"},
                    vary={"p": (100, 200, 400, 90, 180)})  # fmt: skip
    assert {v.key for v in variants(ugly, 5)} == {"100 FLOP/B", "200 FLOP/B"}  # 111.1, 222.2 and 444.4 are left out


def test_a_variant_whose_key_is_not_proved_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Exercise("r", {"en": "?"}, {"op": "matmul", "chip": "bf16={p} TFLOP/s, hbm=1 TB/s", "asks": "ridge"},
                   vary={"p": (100, 200, 401)})  # fmt: skip
    trusted = proved.trust
    monkeypatch.setattr(proved, "trust", lambda asked: "sampled" if asked.key.value == 200 else trusted(asked))
    assert {v.key for v in variants(one, 5)} == {"100 FLOP/B", "401 FLOP/B"}


def test_a_key_that_says_never_is_asked_for_only_where_it_may_be() -> None:
    text = """
[[exercise]]
id = "never"
text = "From which B on is the dot product compute-bound?"
op = "dot"
chip = "tpu-v5e"
for = "N"
asks = "threshold"
"""
    (one,) = bank_of(text, "b.toml").exercises
    with pytest.raises(RoofproofError) as refused:
        variants(one)
    assert str(refused.value) == ("b.toml, line 2: no variant has a key: the answer is never (say never = true to "
                                  "allow that); change `vary` or `asks`")  # fmt: skip
    (allowed,) = bank_of(text + "never = true\n", "b.toml").exercises
    assert [v.key for v in variants(allowed)] == ["never"]


def test_what_is_the_same_is_no_distractor() -> None:
    (one,) = variants(next(e for _, e in EVERY if e.id == "q1-bytes"))
    assert different(one.asked.key, one.asked.key, one.asked) is None
    assert len(distractors(one.asked, 2)) == 2


UNREAD = "' is markup of TeX, Markdown or HTML that is not read; write plain text with $formulas$"
HEAD = '[[exercise]]\nid = "a"\ntext = "How many?"\nop = "matmul"\n'
REFUSED = {
    "": "b.toml: no [[exercise]]; each has an id, a text, an op, and what `roofproof grade` takes",
    "\n[course]": "b.toml, line 2: unknown table 'course'; known: bank, exercise",
    '[bank]\ntitel = "x"\n' + HEAD: "b.toml, line 1, [bank]: unknown key of [bank] 'titel'; did you mean 'title'?",
    '[[exercise]]\nid = "a"\nop = "dot"': 'b.toml, line 1: no text; write text = "How many FLOPs?"',
    '[[exercise]]\nid = "a"\ntext = "?"': 'b.toml, line 1: no op; write op = "matmul"',
    '# 1\n\n[[exercise]]\nid = "../a"\ntext = "?"\nop = "dot"': (
        "b.toml, line 3: the id '../a' becomes a file name; use letters, digits, . _ and -"
    ),
    HEAD: 'b.toml, line 1: no asks, so there is no key; write asks = "flops"',
    (HEAD + 'asks = "flops"\n') * 2: "b.toml, line 6: the id 'a' is given twice; give each exercise its own",
    HEAD + 'asks = "flops"\n[[stem]]\nid = "b"': (
        "b.toml, line 6: [[stem]] was removed; repeat in each exercise what they have in common"
    ),
    HEAD + 'figure = { file = "a.svg" }': (
        "b.toml, line 1: figure was removed; add pictures to the files that are written"
    ),
    HEAD + 'ask = "flops"': "b.toml, line 1: unknown key of an exercise 'ask'; did you mean 'asks'?",
    HEAD + "points = 0": "b.toml, line 1: points must be a whole number from 1; got '0'",
    HEAD + 'at = { B = "{n}" }': "b.toml, line 1: the gap {n} has no values; list them, as vary = { n = [1, 2] }",
    HEAD + "vary = { n = [] }": "b.toml, line 1: vary.n must list values, as [2048, 4096], or be { from = 1, to = 8 }",
    HEAD + "vary = { n = { from = 1 } }": (
        "b.toml, line 1: vary.n needs from and to, and step or times: { from = 1, to = 8, times = 2 }"
    ),
    HEAD + "vary = { n = { from = 8, to = 4 } }": (
        "b.toml, line 1: vary.n: from = 8 is above to = 4; swap them"
    ),
    HEAD + "vary = { n = [1, 2] }": (
        "b.toml, line 1: vary.n is used nowhere, and its variants are all the same; write {n}"
    ),
    HEAD + 'vary = { n = [1, 2] }\nhints = ["{n}"]': (
        "b.toml, line 1: vary.n is used nowhere, and its variants are all the same; write {n}"
    ),
    HEAD + "vary = { n = { from = 1, to = 99999999 } }": (
        "b.toml, line 1: vary.n has 10001 values; at most 10000 are tried"
    ),
    HEAD.replace("How many?", "How many $x?"): "b.toml, line 1: text: '$" + UNREAD,
    HEAD.replace("How many?", r"Is $\\input{x}$?"): (
        "b.toml, line 1: text: $\\input{x}$: '\\input' cannot be used in a formula; leave it out"
    ),
    HEAD.replace("How many?", "<script>"): "b.toml, line 1: text: '<s" + UNREAD,
    HEAD.replace("How many?", "[[input:ans1]]"): "b.toml, line 1: text: '[[" + UNREAD,
    HEAD + 'hints = ["**B"]': "b.toml, line 1: hints: '**" + UNREAD,
    HEAD.replace("How many?", "_How_ many?"): "b.toml, line 1: text: '_How_" + UNREAD,
    HEAD.replace("How many?", "How &lt; many?"): "b.toml, line 1: text: '&lt;" + UNREAD,
    HEAD.replace('"How many?"', "3"): "b.toml, line 1: text must be text in quotes; got '3'",
    HEAD + 'hints = "x"': "b.toml, line 1: hints: en must be a list; got 'x'",
    HEAD + "hints = [1]": 'b.toml, line 1: hints: each must be text in quotes, as hints = ["Count the bytes."]',
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_a_bank_that_cannot_be_used_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        bank_of(text, "b.toml")
    assert str(refused.value) == REFUSED[text]


UNANSWERED = {
    HEAD + 'asks = "flops"\nhints = ["It is 2 B D F, or 2*B*D*F."]': (
        "b.toml, line 1: the hint 'It is 2 B D F, or 2*B*D*F.' gives the answer away (2*B*D*F); say where to "
        "look instead"
    ),
    HEAD + 'asks = "ridge"': (
        "b.toml, line 1: no variant has a key: --asks ridge needs a --chip; change `vary` or "
        "`asks`"
    ),
    HEAD + 'chip = "no-such"\nasks = "ridge"': "b.toml, line 1: no variant has a key: unknown chip 'no-such'",
    HEAD.replace("matmul", "matmul:{f}") + 'asks = "bytes"\nvary = { f = ["bf16", "fp77"] }': (
        "b.toml, line 1: vary.f: nothing can be asked with 'fp77': "
    ),
    HEAD + 'asks = "flops"\nat = { B = "{n}" }\nvary = { n = [0, -1] }': (
        "b.toml, line 1: no variant has a key: size B = '0': expected a positive integer, such as D = 4096"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", UNANSWERED, ids=range(len(UNANSWERED)))
def test_an_exercise_without_an_answer_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        for exercise in bank_of(text, "b.toml").exercises:
            variants(exercise)
    assert str(refused.value).startswith(UNANSWERED[text])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RoofproofError, match="cannot read exercise file"):
        bank(str(tmp_path / "none.toml"))


def test_the_numbers_of_the_source_come_first() -> None:
    one = next(e for name, e in EVERY if (name, e.id) == ("edge-llm", "2.1-ridge"))
    for seed in (3, 8):
        first, *others = variants(one, 4, seed)
        assert first.parameters == {"peak": "1.2", "bandwidth": 48} and first.key == "25 FLOP/B"
        assert len(others) == 3 and all(v.parameters != first.parameters for v in others)
    with pytest.raises(RoofproofError, match=r"own needs a value for each of peak, bandwidth$"):
        replace(one, own={"peak": "1.2"})


@pytest.mark.parametrize("pair", [pair for pair in EVERY if pair[1].own], ids=names)
def test_what_is_the_source_s_own_is_asked(pair: tuple[str, Exercise]) -> None:
    assert variants(pair[1])[0].parameters == pair[1].own


def test_a_wrong_answer_has_no_size_that_the_question_gives_no_name() -> None:
    """Wrong answers use no size that the question does not name, such as the number of heads."""
    (one,) = variants(next(e for _, e in EVERY if e.id == "2.2-attention"))
    found = distractors(one.asked)
    assert len(found) >= 3 and all(d.key.value is not None and d.key.value.is_number for d in found)


@pytest.mark.parametrize(
    ("op", "asks", "key"),
    [
        ("flops bf16 = 2 k B D F; bytes hbm = 2 E D F (1 - (1 - k/E)^B)", "intensity", "-B*k/(E*((1 - k/E)^B - 1))"),
        ("flops bf16 = 256 ceil(B/128) D; bytes hbm = 2 B D", "intensity", "128*ceil(B/128)/B"),
        ("flops fp32-vector = n log2(n)^2; bytes hbm = 8 n", "threshold", "n > 2^(4*sqrt(44823)/67)"),
    ],
)
def test_a_key_with_a_power_or_a_rounding_is_graded_right(op, asks, key):
    """The printed form of a key can be read, and is graded right."""
    solved = {"chip": "h100-sxm", "for": "n"} if asks == "threshold" else {}
    (made,) = variants(Exercise("own", {"en": "?"}, {"op": op, "asks": asks, **solved}))
    assert made.key == key and all(not grade(made.asked, wrong.shown).passed for wrong in made.distractors)


@pytest.mark.parametrize(
    ("tower", "why"),
    [
        *((tower, "the degree of the formula is too high") for tower in ("B^B^B", "2^2^B", "(1+B)^(2000 B)")),
        *((f"{n}^(10^9 sqrt(2))", f"'{n}^(1000000000*sqrt(2))' has more than 8192 binary digits") for n in (2, 10)),
        ("sqrt(2)^(10^8 sqrt(3))", "'2^(50000000*sqrt(3))' has more than 8192 binary digits"),
        ("(sqrt(2)+10^6)^(900 sqrt(2))", "'(sqrt(2) + 1000000)^(900*sqrt(2))' has more than 8192 binary digits"),
    ],
)
def test_a_power_that_nobody_works_out_is_not_read(tower, why):
    found = grade(Question(parse_operation("matmul"), asks="flops"), tower)
    assert found.grade == "unreadable" and found.note.startswith(why)


def test_a_power_of_two_is_one_in_every_format(tmp_path: Path) -> None:
    bank = tmp_path / "fft.toml"
    bank.write_text(
        '[bank]\ntitle = { en = "fft" }\nsource = "own"\n[[exercise]]\nid = "fft"\ntext = { en = "From which N?" }\n'
        'op = "fft"\nchip = "h100-sxm"\nfor = "N"\nasks = "threshold"\n'
    )
    formats = [word for name in ("gift", "latex", "myst", "prairielearn") for word in ("--to", name)]
    assert main(["exercises", str(bank), *formats, "-o", str(tmp_path / "out")]) == 0
    told = {
        path.suffix: path.read_text()
        for path in (tmp_path / "out").rglob("*")
        if path.is_file() and "64" in path.read_text()
    }
    assert r"$N > 2^{64}$" in told[".tex"] and r"$N \gt 2^{64}$" in told[".md"]
    assert r"=\\(N \\gt 2^\{64\}\\)" in told[".txt"]
    assert '"N > 2^64"' in told[".json"] and r'"$N \\gt 2^{64}$"' in told[".json"]
