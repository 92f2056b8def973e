"""Course files: an invalid one gives a one-line error, and slides that need a missing spec are skipped and listed."""

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.slides.beamer import large
from roofproof.export.slides.course_deck import course_deck
from roofproof.export.slides.filling import CourseText
from roofproof.export.slides.model import Display, Table
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

LATER = """[[slide]]
title = "Later, << best(v5e) >> // 后来，<< best(v5e) >>"
show = "- last // 末"
say.en = "Said."
say.zh = "说。"
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
        ("<< v5e.rate >>", "'rate' has no value in a course"),
        ("<< bf16.limit.subs >>", "'subs' has no value in a course"),
        ("<< bf16.__class__ >>", "'__class__' has no value in a course"),
        ("<< bf16.limit.subs(1, 2) >>", "'subs' has no value in a course"),
        ("<< 'x' * 99999999999 >>", "* takes numbers"),
        ("<< (lambda: 1)() >>", "expected token ')', got ':'"),
        ("<< ridge(v5e, 'bf16') * 0.5 | number >>", "'0.5' has no value in a course"),
        ("<< ridge(v5e, 'bf17') >>", "unknown resource 'bf17'"),
        ("<< never.exact >>", "embedding has no threshold: no-flops"),
        ("<< 1 +>>", "unexpected 'end of print statement'"),
        ("<< bf16.flops | nmber >>", "unknown filter 'nmber'; did you mean 'number'?"),
        ("<% for each in v5e %>", "Unexpected end of template. Jinja was looking for the following tags: 'endfor'"),
        ("<% if bf16.rule = 3 %>", "expected token 'end of statement block', got '='"),
        ("<% set v5e = 3 %>", "Assign is not read in a course; write a value such as << matmul.exact | number(4) >>"),
        ("<< v5e ~ 3 >>", "Concat is not read in a course"),
        ("<< 9 ** 9999999 >>", "Pow is not read in a course"),
        ("<< range(3) >>", "unknown name in a course 'range'"),
        ("<< v5e['rate'] >>", "Getitem is not read in a course"),
        ("<< v5e.has >>", "'has' has no value in a course"),
        ("<% if 1 < 2 %>x<% endif %>", "two values are compared by == or !="),
        ("<< bf16.at(Q=3).flops >>", "unknown dimension of matmul 'Q'; known: B, D, F"),
        ("<< bf16.at(D='x').flops >>", "D of matmul: expected a whole number from 1, got 'x'"),
        ("<< bf16 >> // << bf16 >>", "matmul is an operation; name a value of it, as << matmul.intensity >>"),
        ("![a // 甲](<< v5e >>)", "expected a plot of the course, such as ![about // 说明](<< roof >>)"),
        ("so << bf16.tensors >> // 故 << bf16.tensors >>", "expected words and formulas, got a table or a plot in"),
        ("a <b>c</b> // <b>甲</b>", "'<b>' is markup of HTML; write plain text"),
        (r"$$ I = \input{x}", r"unknown command in a formula '\input'; did you mean '\infty' or '\min'?"),
        ("$$ I = ^^5cinput{x}", "unknown command in a formula '^^'; known:"),
    ],
)
def test_errors_tell_the_line(line: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        course_deck(course_of(SMALL.replace("LINE", line), "small.toml"), "en")
    assert str(caught.value).startswith(f"small.toml, line 13: {message}"), str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[course]", "[corse]", "small.toml, line 1: unknown table 'corse'; did you mean 'course'?"),
        ('title = "Title // 标题"', "", 'small.toml, line 1, [course]: no title; write title = "English // Chinese"'),
        ('title = "Title // 标题"', 'title = "Title // 标题"\nformat = "bf17"',
         "small.toml, line 1, [course]: format: unknown number format 'bf17'; did you mean 'bf16'?"),
        ('title = "Title // 标题"', 'title = "Title // 标题"\nexercises = "rooflines"',
         "small.toml, line 1, [course]: exercises must be a list; got 'rooflines'"),
        ('"tpu-v5e@scaling-book"', '"tpu-v5x"',
         "small.toml, line 5, [chips.v5e]: unknown chip 'tpu-v5x'; did you mean 'tpu-v7x' or 'tpu-v5p' or 'tpu-v5e'?"),
        ('"tpu-v5e@scaling-book"', "3", "small.toml, line 5, [chips.v5e]: must be text in quotes; got '3'"),
        ('title = "One // 一"', "", 'small.toml, line 9: no title; write title = "English // Chinese", '
         "or name an exercise"),
        ("v5e = ", "V5 = ", "small.toml, line 5, [chips.V5]: the name 'V5' stands in gaps; use "
         "small letters, digits and _"),
        ('for = "B", chip = "v5e"', 'for = "B", chip = "v5"', "small.toml, line 7, [operations.bf16]: chip: unknown "
         "name 'v5'; did you mean 'v5e'?"),
        ('op = "matmul"', 'op = "matmull"', "small.toml, line 7, [operations.bf16]: unknown operation "
         "'matmull'"),
        ('op = "matmul"', 'op = "matmul:{bst}"',
         "small.toml, line 7, [operations.bf16]: {bst}: unknown name 'bst'; did you mean 'best'?"),
        ('op = "matmul"', 'op = ""', 'small.toml, line 7, [operations.bf16]: no op; write op = "matmul"'),
        ("D = 4096", 'D = "wde"', "small.toml, line 7, [operations.bf16]: at.D: expected a whole number from 1, a "
         "size of the course, or a dimension that it is equal to; got 'wde'"),
        ("D = 4096", "Q = 4096", "small.toml, line 7, [operations.bf16]: unknown dimension 'Q'; known: B, D, F"),
        ("D = 4096", "B = 4096", "small.toml, line 7, [operations.bf16]: B is the size solved for; leave it out "
         "of at"),
        ('for = "B"', 'for = "Q"', "small.toml, line 7, [operations.bf16]: unknown dimension 'Q'; known: B, D, F"),
        ('title = "One // 一"', 'title = "One // 一"\nsolved = "bf17"',
         "small.toml, line 9: solved: unknown operation of the course 'bf17'; did you mean 'bf16'?"),
        ('title = "One // 一"', 'derivation = "bf17"',
         "small.toml, line 9: derivation: unknown operation of the course 'bf17'; did you mean 'bf16'?"),
        ('title = "One // 一"', 'derivation = "bf16"\nparts = ["stepz"]',
         "small.toml, line 9: unknown part 'stepz'; did you mean 'steps' or 'setup'?"),
        ('title = "One // 一"', 'derivation = "never"\nparts = ["steps"]',
         "small.toml, line 9: never has no slide on steps"),
        ('title = "One // 一"', 'derivation = "bf16"\nparts = [3]',
         'small.toml, line 9: parts: each must be text in quotes, as parts = ["steps"]'),
        ('title = "One // 一"', 'exercise = "roofline q1"',
         "small.toml, line 9: unknown exercise file 'roofline'; did you mean 'rooflines'?"),
        ("[[slide]]", '[claims]\nwrong = "a > a"\n[[slide]]', "small.toml, line 10, [claims.wrong]: expected what the "
         "proof checker proves; a > a is refuted (kernel)"),
        ("[[slide]]", '[errata]\nwrong = "roofline-notes"\n[[slide]]', "small.toml, line 10, [errata.wrong]: expected "
         'a book and a claim of it, as "roofline-notes S1-13"'),
        ("[[slide]]", '[errata]\nwrong = "roofline-nots S1-13"\n[[slide]]', "small.toml, line 10, [errata.wrong]: "
         "unknown book 'roofline-nots'; did you mean 'roofline-notes'"),
        ("[[slide]]", '[figures]\none = { kind = "achieved", of = ["bf16"] }\n[[slide]]', "small.toml, line 10, "
         "[figures.one]: `of` lists operations of the course, `chips` its chips; one of each at least"),
        ("[[slide]]", '[figures]\none = { kind = "achieved", of = ["bf16"], chips = ["v6e"] }\n[[slide]]',
         "small.toml, line 10, [figures.one]: chips: unknown name 'v6e'; did you mean 'v5e'?"),
        ("[[slide]]", '[figures]\none = { kind = "achieved", of = ["bf16"], chips = ["v5e"] }\n[[slide]]',
         "small.toml, line 10, [figures.one]: up: unknown dimension ''; known: B, D, F"),
        ("[[slide]]", '[figures]\none = { kind = "roofline", of = ["bf16"], chips = ["v5e"], at = 3 }\n[[slide]]',
         "small.toml, line 10, [figures.one]: at must be a table, as { D = 4096 }; got '3'"),
        ('title = "One // 一"', 'exercise = "rooflines q0"\ntitle = "One // 一"',
         "small.toml, line 9: unknown exercise of rooflines 'q0'"),
        ('title = "One // 一"', 'title = "One // 一"\nsay.en = "only"',
         "small.toml, line 9: say needs both languages, say.en and say.zh"),
        ("[[slide]]", '[figures.one]\nkind = "pie"\n[[slide]]',
         "small.toml, line 9, [figures.one]: unknown kind of plot 'pie'"),
        ("[[slide]]", "[sizes]\nwide = 0\n[[slide]]",
         "small.toml, line 10, [sizes.wide]: must be a whole number from 1, or a list of them; got '0'"),
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
    text = SMALL.replace("LINE", "- << v5e.rate(v5e.link) | number >>") + LATER
    made = course_of(text, "a.toml")
    assert [plain(f.title) for f in course_deck(made, "en").frames] == ["One", "Later, bf16"]
    there = course_deck(made.on(["apple-m2"]), "en")
    assert [(plain(f.section), plain(f.title)) for f in there.frames] == [("Part", "Later, fp32")]
    assert there.left_out == ("Left out: One (apple-m2 has no spec link).",)
    assert plain(there.frames[0].note) == "Said. Left out: One (apple-m2 has no spec link)."
    assert course_deck(made.on(["apple-m2"]), "zh").left_out == ("略去：一（apple-m2 没有 link 的数据）。",)
    with pytest.raises(
        RoofproofError, match=r"^a\.toml, line 9: no slide is left, as chip 'apple-m2' has no spec of a l"
    ):
        course_deck(course_of(text.replace(LATER, ""), "a.toml").on(["apple-m2"]), "en")
    with pytest.raises(RoofproofError, match=r"^a\.toml: 2 chips for a course on 1; leave some out$"):
        made.on(["apple-m2", "h100-sxm"])


def test_an_if_keeps_its_lines_where_it_holds_and_a_loop_takes_each_value_once() -> None:
    def filled(lines: str, n: int) -> list[str]:
        return [text for _, text in CourseText({"n": n}, {}, ()).filled(list(enumerate(lines.split("|"), 1)), str)]

    for asked, holds in (("n == 1", {1}), ("n != 1", {2, 3})):
        for n in (1, 2, 3):
            assert filled(f"<% if {asked} %>|said|<% endif %>|end", n) == (["said", "end"] if n in holds else ["end"])
    assert filled("<% for k in (1, 2, 1) %>|<< k >>|<% endfor %>|next|end", 1) == ["1", "2", "next", "end"]


@pytest.mark.parametrize(
    ("gap", "value"),
    [("2 * n | add(1)", 7), ("(2 * n) | add(1)", 7), ("2 * (n | add(1))", 8), ("n + n * n | add(n + 1 | add(1))", 17),
     ("(n | add(1)) / 3 | add(1)", "7/3"), ("n / 2 - 1", "1/2"), ("several.b | add(n | add(2))", 9)],
)  # fmt: skip
def test_a_filter_takes_all_that_stands_before_it(gap: str, value: int | str) -> None:
    text = CourseText({"n": 3, "several": {"b": 4}}, {"add": lambda whole, more: whole + more}, ())
    assert text.filled([(1, f"<< {gap} >>"), (2, f"<% if {gap} == 99 | add({gap}) %>no<% endif %>")], str) == [
        (1, str(value))
    ]


def test_no_text_takes_the_place_of_a_line() -> None:
    for text in ("a\x013\x01b", "\x02 hidden \x03", "a\nb"):
        with pytest.raises(RoofproofError, match=r"^line 7: .* is a control character; leave it out$"):
            CourseText({}, {}, ()).filled([(7, text)], str)


def test_an_exercise_asks_alone_and_its_answer_has_a_slide() -> None:
    text = (
        '[course]\ntitle = "T // 题"\nsubtitle = "S // 副"\n'
        '[[slide]]\nexercise = "edge-llm 2.1-ridge"\n[[slide]]\nexercise = "edge-llm 2.6-fp16"\n'
    )
    for lang, hint in (("en", "If that is not enough: "), ("zh", "还不够，再提示：")):
        frames = course_deck(course_of(text, "c.toml"), lang).frames
        asked, answered, slips = frames[:3]
        assert len(asked.blocks) == 1 and hint in plain(asked.note)  # the hint is in the notes, not on the slide
        (derivation,) = (b for b in answered.blocks if isinstance(b, Display))
        assert not large(derivation)
        (table,) = (b for b in slips.blocks if isinstance(b, Table))
        assert len({row[1] for row in table.rows}) == len(table.rows)  # each mistake is listed once
        lines = [len(b.lines) for frame in frames[4:-1] for b in frame.blocks if isinstance(b, Display)]
        assert lines == [7]  # on one slide
