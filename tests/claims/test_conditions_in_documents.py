r"""Conditions of a chapter: kept as conditions, or the statement is refused; a claim that loses one may be false."""

import pytest

from roofproof.claims.documents.draft import draft_of, to_toml
from roofproof.claims.documents.names import Names
from roofproof.claims.documents.places import SourceFormula
from roofproof.claims.documents.reading import read_formula
from roofproof.claims.judging.judge import judge_quietly
from roofproof.claims.language.book import Claim, book_from_text

KEPT = {
    r"a > 1, \quad \text{when } b > 2": "b > 2 => a > 1",
    r"a > 1 \quad \text{when $b > 2$}": "b > 2 => a > 1",
    r"a > 1 \quad \mbox{whenever $b > 2$ and $c > 3$}": "b > 2 and c > 3 => a > 1",
    r"a > 1 \quad \text{provided that } b > 2": "b > 2 => a > 1",
    r"a > 1 \quad (\text{for } b > 2)": "b > 2 => a > 1",
    r"\boxed{a > 1} \quad \text{if } b > 2": "b > 2 => a > 1",
    r"\begin{align} a &> 1 && \text{when } b > 2 \end{align}": "b > 2 => a > 1",
    r"\begin{align} a &> 1 & \text{when } b &> 2 \end{align}": "b > 2 => a > 1",
    r"\begin{align} a &> 1 & & \text{for $b > 2$} \end{align}": "b > 2 => a > 1",
    r"\begin{align} a^2 &> 2a \\ & \text{if } a > 2 \end{align}": "a > 2 => a^2 > 2 a",
    r"\text{if } b > 2 \text{ then } a > 1": "b > 2 => a > 1",
    r"\text{when } b > 2, \text{ then } a > 1": "b > 2 => a > 1",
    r"\text{当 } b > 2 \text{ 时}, a > 1": "b > 2 => a > 1",
    r"a > 1 \quad \text{当 } b > 2 \text{ 时}": "b > 2 => a > 1",
    r"\text{若 } b > 2 \text{，则 } a > 1": "b > 2 => a > 1",
    r"f = \begin{cases} x & \text{if $x > 2$,} \\ y & \text{otherwise.} \end{cases}": "x > 2 => f == x",
}
REFUSED = (
    r"a > 1 \quad \text{once } b > 2",
    r"a > 1 \quad \text{unless } b > 2",
    r"a > 1 \quad \text{only if } b > 2",
    r"a > 1 \quad \forall b > 2",
    r"a > 1 \quad when \quad b > 2",
    r"a > 1 \quad (b > 2)",
    r"a > 1, \quad b > 2 a",
    r"a^2 = 4, \quad a = 2",
    r"x > 4 B \quad D \gg B",
    r"x^2 > 4 \; x > 2",
    r"x^2 > 4\ (x > 2)",
    r"x^2 > 4 \tag{if $x > 2$}",
    r"a > 1 \text{ if } b > 2 \quad = c",
    r"\begin{align} a &> 1 && (b > 2) \end{align}",
    r"\begin{align} a > 1 & a > 2 \end{align}",
    r"\begin{align} T &= 2a \quad \text{when } a > 1 \\ &= 3b \end{align}",
    r"\begin{align} T &= 2a & \text{when } a &> 1 \\ &= 3b & \text{when } a &> 2 \end{align}",
    r"\begin{align} S &> 3b \\ a^2 &> 2a \\ & \text{if } a > 2 \end{align}",
    r"\begin{align} S &> 3b \\ a^2 &> 2a \\ & \text{unless } a < 2 \end{align}",
    r"\begin{align} x^2 &> 4 \\ \intertext{for $x > 2$, and} y &> 3 \end{align}",
)


@pytest.mark.parametrize(("text", "said"), KEPT.items())
def test_a_condition_in_words_is_kept(text: str, said: str) -> None:
    first, *_ = read_formula(SourceFormula(text, 0, 1, True), Names([text]))
    assert first.text == said


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_be_a_condition_leaves_no_claim_without_it(text: str) -> None:
    assert {each.kind for each in read_formula(SourceFormula(text, 0, 1, True), Names([text]))} == {"unread"}


def test_rows_are_statements_of_their_own() -> None:
    text = r"\begin{align} a &> 1 && \text{if } b > 2 \\ c &> 1 && \text{if } b > 3 \\ x &= 2y && S = T + 1 \end{align}"
    found = [each.text for each in read_formula(SourceFormula(text, 0, 1, True), Names([text]))]
    assert found == ["b > 2 => a > 1", "b > 3 => c > 1", "x == 2 y", "S == T + 1"]


IN_SENTENCES = {
    "The rule is $b > 240$.": ["b > 240"],
    "When $b > 2$, it is $c > 3$. So $d > 4$.": ["d > 4"],
    "It is $c > 3$ for $b > 2$, e.g. here.": [],
    "If the batch is small, $c > 3$; then $d > 4$.": [],
    "$$ x^2 > 4 $$\nwhere $x > 2$.": [],
    "$$ x^2 > 4 $$\n\nfor $x > 2$.": [],
    "$$ x^2 > 4. $$\n\nFor $y > 2$ see below.": ["x^2 > 4"],
    "- if $t > 1$\n- it is $u > 1$": ["u > 1"],
    "当 $b > 2$ 时，$a > 1$。规则是 $a > 7$，当前 $j > 2$。": ["a > 7", "j > 2"],
    "若 $x > 1$，则 $y > 2$。": [],
    "With $n = 2$ it takes $14 / 7 = 2$ ms, and $c > 3$.": ["14/7 == 2"],
    "`if` it is $o > 3$ <!-- when -->": ["o > 3"],
    "$x^2 > x$ ($x > 1$).": [],
    "$x^2 > x$ whenever $x$ exceeds one.": [],
    "在 $x > 1$ 的条件下 $x^2 > x$。": [],
    "Since $x^2 > 1$, it is $x^2 + 1 > 2$.": ["x^2 > 1", "x^2 + 1 > 2"],
    "We never have $x^2 > x$. It is false that $2 = 3$. Is $a > b$? $3 = 3$.": ["3 == 3"],
    "不成立：$2 = 3$。但是 $3 = 3$。": ["3 == 3"],
}


@pytest.mark.parametrize(("text", "claims"), IN_SENTENCES.items())
def test_a_claim_in_a_sentence_with_a_condition_is_not_read(text: str, claims: list[str]) -> None:
    made = draft_of(text, "a.md")
    assert [each.text for each in made.statements if each.kind == "claim"] == claims


HELD_BY_SOME = (  # or at times, or by nobody
    "There is an $x$ such that $x^2 = 2$.",
    "There is an $x$ with $x^2 = 2$.",
    "There is an $x$ such that $x = 2 y$.",
    "There exists $x$ with $x > 2 x$.",
    "For some $t$, $t > 5 z$.",
    "Some $r$ has $r > 7 z$.",
    "Some batch sizes\nhave $r > 7 z$.",
    "Take an $x$ such\nthat $x^2 = 2$. ",
    "There's an $x$ with~$x^2 = 2$.",
    "At least one $x$ has $x > 2 y$.",
    "No $x$ has $x > 2 x$.",
    "It can be $a > 2 b$.",
    "It may be that $a > 2 b$.",
    "It might hold that $a > 2 b$.",
    "Sometimes $a > 2 b$.",
    "It is possible that $a > 2 b$.",
    "Nobody would say $m > 2 m$.",
    "Nobody says $2 = 3$.",
    "No one has $m > 2 m$.",
    "We hardly have $m > 2 m$.",
    "It is false that $S = T$.",
    "Contrary to $a > b$, it is fast.",
    "It was mistakenly said that $a > b$.",
    "One might think $2 = 3$.",
    "It isn't true that $a > 2 a$.",
    "存在 $x$ 使得 $x^2 = 2$。",
    "取 $x$ 使得 $x = 2 y$。",
    "有一个 $x$ 满足 $x^2 = 2$。",
    "某个 $r$ 有 $r > 7 z$。",
    "有时 $a > 2 b$。",
    "可能 $a > 2 b$。",
    "$a > 2 b$ 未必成立。",
    "没有人说 $m > 2 m$。",
    "有人误以为 $2 = 3$。",
    "并非 $S = T$。",
    "有人错误地写 $S = T$。",
)
PLAINLY_STATED = {
    "So we have $a > b$.": "a > b",
    "It follows that $a > b$.": "a > b",
    "Clearly $a > b$.": "a > b",
    "After some algebra, $a > b$.": "a > b",
    "The time can be written as $S = T$.": "S == T",
    "It can easily be shown that $a > b$.": "a > b",
    "With some algebra we find $a > b$.": "a > b",
    "It may also be simply written $a > b$.": "a > b",
    "We may therefore write $S = T$.": "S == T",
    "There are $L$ layers, so $P > 12 L D$.": "P > 12 L D",
    "There is a simple rule: $B > 240$.": "B > 240",
    "It may take $14 / 7 = 2$ ms.": "14/7 == 2",
    "Then $S = T$.": "S == T",
    "Suppose that $S = T$.": "S == T",
    "显然 $a > b$。": "a > b",
    "所有时间里 $a > b$。": "a > b",
    "这使得 $a > b$。": "a > b",
    "权重存在显存中，于是 $a > b$。": "a > b",
    "尽可能大的批有 $B > 240$。": "B > 240",
}


@pytest.mark.parametrize("text", HELD_BY_SOME)
def test_what_a_sentence_says_of_some_or_denies_is_no_claim_of_all(text: str) -> None:
    said = list(draft_of(text, "a.md").statements)
    assert said and all(s.kind == "unread" and "its sentence says" in s.text for s in said if s.kind != "value")


@pytest.mark.parametrize(("text", "stated"), PLAINLY_STATED.items())
def test_what_a_sentence_states_plainly_is_read(text: str, stated: str) -> None:
    [said] = [each for each in draft_of(text, "a.md").statements if each.kind != "value"]
    assert said.kind in ("claim", "definition") and said.text == stated


@pytest.mark.parametrize("text", ["Unless $a = b$, it is fine.", "If it is cold, $a = b$.", "除非 $a = b$，都可以。"])
def test_what_is_a_condition_or_under_one_defines_nothing(text: str) -> None:
    [said, after] = list(draft_of(f"{text} So $a > c$.", "a.md").statements)
    assert (said.kind, after.text, after.let) == ("unread", "a > c", ())


@pytest.mark.parametrize(
    "text",
    ["As $D \\gg B$, $I \\approx B$.", "因此当 $B \\ll D$ 时，$I \\approx B$。", "$I \\approx B$ for $D \\gg B$"],
)
def test_a_regime_in_the_words_of_a_sentence_is_that_of_its_claims(text: str) -> None:
    claim = next(each for each in draft_of(text, "a.md").statements if each.kind == "claim")
    assert (claim.text, claim.regime) == ("I ~= B", "D >> B")


def test_a_regime_beside_another_condition_is_not_all_there_is() -> None:
    for text in ("As $D \\gg B$ and if it is cold, $I \\approx B$.", "When $D \\gg B$ and for $F > 3$, $I > 2$."):
        assert not [s for s in draft_of(text, "a.md").statements if s.kind == "claim"]


def test_what_is_assumed_is_given_to_the_end_of_the_section() -> None:
    text = "Suppose that $x > 1$ and $y > 1$. So $x y > y$. Also $x y > 1$.\n\n设 $a > 2$。于是 $a^2 > b$。\n\n"
    text += "## Next\n\n$x > z$"
    claims = [each for each in draft_of(text, "a.md").statements if each.kind == "claim"]
    assert [(said.text, said.given) for said in claims] == [
        ("x y > y", "x > 1; y > 1"),
        ("x y > 1", "x > 1; y > 1"),
        ("a^2 > b", "a > 2"),
        ("x > z", ""),
    ]
    [first, *_] = book_from_text(to_toml(draft_of(text, "a.md"))).claims
    assert isinstance(first, Claim) and judge_quietly(first).kind == "verified"


def test_what_a_name_was_defined_as_goes_with_the_claims_after_it() -> None:
    text = (
        "$S = T + 1$. $T = a/b$. So $(S - 1) b = a$. At $x = 3$ it is $x > z$. $y = a$, later $y = b$. So $y + a > a$."
    )
    made = draft_of(text, "a.md")
    claims = [each for each in made.statements if each.kind == "claim"]
    assert [(said.text, said.let) for said in claims] == [
        ("(S - 1) b == a", (("T", "a / b"), ("S", "T + 1"))),
        ("x > z", (("x", "3"),)),
        ("y + a > a", ()),
    ]
    [first] = [c for c in book_from_text(to_toml(made)).claims if isinstance(c, Claim) and c.says == claims[0].text]
    assert judge_quietly(first).kind == "verified"
    [_, _, last] = draft_of("$b = 2 T$. $T = a/b$. So $T + b > a$.", "a.md").statements
    assert last.let == ()


def test_a_name_that_is_defined_case_by_case_has_no_one_value() -> None:
    text = r"$$f = \begin{cases} x, & x > 1 \\ 1, & x \le 1 \end{cases}$$ So $f > 3$. But $g > 3$."
    said = [(each.kind, each.text) for each in draft_of(text, "a.md").statements[2:]]
    assert said == [("unread", "f is defined case by case; write each case as a claim of its own"), ("claim", "g > 3")]


@pytest.mark.slow
def test_a_million_empty_lines_are_looked_at_once() -> None:
    """Each asked what comes after all the others, which took more than nine minutes."""
    drafted = draft_of("$a > 1$" + "\n" * (2**20 - 20) + "$b > 2$", "chapter.md")
    assert [each.text for each in drafted.statements] == ["a > 1", "b > 2"]
