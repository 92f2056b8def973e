"""Outlines of courses: what cannot be read is refused in one line, and what a chip lacks is left out and told."""

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.slides.course_deck import course_deck
from roofproof.export.slides.gaps import Gaps
from roofproof.teach.course_file import course_of

from test_courses import plain, sentences  # isort: skip

SMALL = """[course]
title = "Title // 标题"
subtitle = "Subtitle // 副标题"
[chips]
v5e = "tpu-v5e@scaling-book"
[operations]
bf16 = { op = "matmul", for = "B", chip = "v5e", at = { D = 4096, F = 4096 } }
never = { op = "embedding", for = "T", chip = "v5e" }
[[slide]]
section = "Part // 部分"
title = "One // 一"
show = '''
LINE
- last // 末'''
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Two", "expected English // Chinese, got 'Two'"),
        ("a // b // c", "expected English // Chinese, got 'a // b // c'"),
        ("$$ I = << v5e >> | $R$", "expected a formula within a formula, got ('TPU v5e',)"),
        ("| $a$ | $b$ |", "expected a table whose second row aligns each column, such as | :-- | --: |"),
        ("<< bf16.limt >>", "unknown value of an operation 'limt'; did you mean 'limit'?"),
        ("<< bf17 >>", "unknown name in a course 'bf17'; did you mean 'bf16'?"),
        ("<< bf16.limit | number >>", "expected an exact number, got B; sizes are given as in .at(D=4096)"),
        ("<< v5e.rate >>", "'v5e.rate' has no value in a course"),
        ("<< bf16.limit.subs >>", "'bf16.limit.subs' has no value in a course"),
        ("<< bf16.__class__ >>", "'bf16.__class__' has no value in a course"),
        ("<< bf16.limit.subs(1, 2) >>", "'bf16.limit.subs(1, 2)' has no value in a course"),
        ("<< 'x' * 99999999999 >>", "\"'x' * 99999999999\" has no value in a course"),
        ("<< (lambda: 1)() >>", "'(lambda: 1)()' has no value in a course"),
        ("<< ridge(v5e, 'bf16') * 0.5 | number >>", "'0.5' has no value in a course"),
        ("<< ridge(v5e, 'bf17') >>", "unknown resource 'bf17'"),
        ("<< never.exact >>", "embedding has no threshold: no-flops"),
        ("<< 1 +>>", "expected a value such as << matmul.exact | number(4) >>, got '1 +'"),
        ("<< bf16.flops | nmber >>", "unknown filter 'nmber'; did you mean 'number'?"),
        ("<% for each in v5e %>", "a for or an if without its end"),
        ("<% if bf16.rule = 3 %>", "a for or an if without its end"),
    ],
)
def test_errors_tell_the_line(line: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        course_deck(course_of(SMALL.replace("LINE", line), "small.toml"), "en")
    assert str(caught.value).startswith(f"small.toml, line 13: {message}"), str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[course]", "[corse]", "small.toml: unknown table 'corse'; did you mean 'course'?"),
        ('title = "Title // 标题"', "", 'small.toml, [course]: no title; write title = "English // Chinese"'),
        ('title = "One // 一"', "", 'small.toml, line 9: a slide without a title; write title = "English // Chinese", '
         "or name an exercise or a derivation"),
        ("v5e = ", "V5 = ", "small.toml: the name 'V5' stands in gaps; use small letters, digits and _"),
        ('for = "B", chip = "v5e"', 'for = "B", chip = "v5"', "small.toml, [operations.bf16]: chip: unknown name 'v5'; "
         "did you mean 'v5e'?"),
        ('op = "matmul"', 'op = "matmull"', "small.toml, [operations.bf16]: unknown operation 'matmull'"),
        ('title = "One // 一"', 'exercise = "rooflines q0"\ntitle = "One // 一"',
         "small.toml, line 9: unknown exercise of rooflines 'q0'"),
        ('title = "One // 一"', 'title = "One // 一"\nsay.en = "only"',
         "small.toml, line 9: say needs both languages, say.en and say.zh"),
        ('title = "One // 一"', 'title = "One // 一"\nneeds = { v6 = ["link"] }',
         "small.toml, line 9: needs: unknown chip 'v6'; known: v5e"),
        ("[[slide]]", '[figures.one]\nkind = "pie"\n[[slide]]', 
         "small.toml, [figures.one]: unknown kind of figure 'pie'"),
        ("[[slide]]", "[sizes]\nwide = 0\n[[slide]]",
         "small.toml, [sizes]: wide must be a whole number from 1, or a list of them"),
    ],
)  # fmt: skip
def test_what_is_no_course_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        course_deck(course_of(SMALL.replace("LINE\n", "").replace(old, new, 1), "small.toml"), "en")
    assert str(caught.value).startswith(message), str(caught.value)


def test_questions_are_shared_by_their_lists() -> None:
    text = SMALL.replace("LINE\n- last // 末", "?") + '[[slide]]\ntitle = "Two // 二"\nshow = "?"\n'
    text += "".join(f'[[slide]]\nquestion = "Q{c} // 问{c}"\nshow = "- a // 甲"\n' for c in "abc")
    frames = course_deck(course_of(text, "small.toml"), "zh").frames
    assert [[plain(w) for b in f.blocks for w in sentences(b)] for f in frames] == [
        ["问a"], ["问b", "问c"], ["问a", "甲"], ["问b", "甲"], ["问c", "甲"],
    ]  # fmt: skip
    assert [plain(f.title) for f in frames] == ["一", "二", "解答 1", "解答 2", "解答 3"]
    assert [plain(f.section) for f in frames] == ["部分", "", "", "", ""]


def test_what_a_chip_lacks_is_left_out_and_told() -> None:
    made = course_of(
        SMALL.replace("LINE\n", "").replace("[[slide]]", '[[slide]]\nneeds = { v5e = ["link"] }', 1), "a.toml"
    )
    assert len(made.on(["apple-m2"]).shown_slides()[0]) == 0
    assert made.on(["apple-m2"]).shown_slides()[1] == ("left out: One // 一: Apple M2 has no link",)
    with pytest.raises(RoofproofError, match=r"^a\.toml: 2 chips for a course on 1; leave some out$"):
        made.on(["apple-m2", "h100-sxm"])


def test_an_if_keeps_its_lines_where_it_holds_and_a_loop_takes_each_value_once() -> None:
    def filled(lines: str, n: int) -> list[str]:
        return [text for _, text in Gaps({"n": n}, {}, ()).filled(list(enumerate(lines.split("|"), 1)), str)]

    for asked, holds in (("n == 1", {1}), ("n != 1", {2, 3})):
        for n in (1, 2, 3):
            assert filled(f"<% if {asked} %>|said|<% endif %>|end", n) == (["said", "end"] if n in holds else ["end"])
    assert filled("<% for k in (1, 2, 1) %>|<< k >>|<% endfor %>|next|end", 1) == ["1", "2", "next", "end"]
