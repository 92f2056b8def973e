"""Every sentence of the grader and the verdicts has a Chinese form with the same placeholders."""

import ast
import errno
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from set_out import derivation, rendered

import roofproof
from roofproof import chip, op
from roofproof.errors import RoofproofError
from roofproof.export.explain.threshold import TRUST as ANSWERS
from roofproof.export.outline import outline
from roofproof.export.site.labels import LABELS as ON_SITE
from roofproof.export.slides.labels import LABELS as ON_SLIDES
from roofproof.ops import entries, parse_operation
from roofproof.ops.network.collectives import one_shot_all_reduce, tree_all_reduce
from roofproof.proofs.known import GIVEN, PRINTED, TRUST
from roofproof.say import NAMED, clauses, table, translated
from roofproof.sentences import Sentence, joined

LABELS = {*ON_SITE, *ON_SLIDES}
PACKAGE = Path(roofproof.__file__).parent
GAP = re.compile("<([a-z_]+)>")
ROOMS = ("audit", "claims/answers", "claims/judge", "claims/printed.py", "commands", "ops/notation", "proofs/steps",
         "export/site/answers.py", "export/site/asked", "export/site/site.py", "export/latex/compiling.py",
         "export/slides", "hardware", "toml.py", "formats.py", "json_text.py", "errors.py", "teach",
         "claims/language", "formula", "derive/limits", "bounds", "export/plots", "export/files.py")  # fmt: skip
ERRORS = {"RoofproofError", "Undecided", "Unreadable", "_Named", "error_at"}


@cache
def trees() -> dict[str, ast.Module]:
    return {
        str(p.relative_to(PACKAGE)): ast.parse(p.read_text(encoding="utf-8")) for p in sorted(PACKAGE.rglob("*.py"))
    }


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def forms() -> Iterator[tuple[str, str]]:
    """Yield (file, form) for every sentence, and for every error of the packages with Chinese messages."""
    for file, tree in trees().items():
        for node in (n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args):
            name = called(node)
            if name in ERRORS and file.startswith(ROOMS):
                first = node.args[name == "error_at"]
                assert not isinstance(first, ast.JoinedStr), f"{file}:{node.lineno}: parts filled in too early"
            elif name in ("Sentence", "joined") or (name == "say" and isinstance(node.func, ast.Name)):
                first = node.args[0]
            elif name == "read_bytes" and len(node.args) > 2:  # the kind of file, before its name
                first = node.args[2]
            else:
                continue
            yield from ((file, each) for each in (*constants(first), *assigned(tree, first)))
        if file.startswith(("export", "commands")):
            yield from ((file, form) for form in looked_up(tree))
        if file.startswith("export/explain") or file.endswith("labels.py"):
            tables = (n.value for n in tree.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Dict))
            yield from ((file, each) for table in tables for value in table.values for each in constants(value))


def looked_up(tree: ast.Module) -> Iterator[str]:
    """Yield the English texts that are translated by `words["..."]`, `words.say("...")` or `self.words("...")`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("words", "self.words", "said", "live"):
            yield from constants(node.slice)
        elif isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith(("words.say", "words")):
            yield from constants(node.args[0])


def templates() -> str:
    return "\n".join(p.read_text(encoding="utf-8") for p in sorted(PACKAGE.glob("export/*/templates/*.j2")))


def assigned(tree: ast.Module, first: ast.expr) -> list[str]:
    """Return the texts with placeholders that the file assigns to `first`, if it is a name."""
    if not isinstance(first, ast.Name):
        return []
    given = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == first.id]
    for each in given:
        assert not isinstance(each.value, ast.JoinedStr), f"line {each.lineno}: parts of {first.id} filled in too early"
    return [form for each in given for form in constants(each.value) if GAP.search(form)]


def constants(node: ast.expr) -> list[str]:
    if isinstance(node, ast.IfExp):
        return [*constants(node.body), *constants(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def every_sentence() -> Iterator[tuple[str, str]]:
    return (
        (form, said)
        for part, every in table().items()
        if part not in (*NAMED, "conventions")
        for form, said in every.items()
    )


def test_every_sentence_is_there_in_chinese() -> None:
    with_words = {form for _, form in forms() if GAP.sub("", form).strip("()")}
    there = {form for form, _ in every_sentence()}
    assert not sorted(with_words - there - LABELS)


def test_the_gaps_are_those_of_the_english_form() -> None:
    for form, said in every_sentence():
        assert set(GAP.findall(said)) <= set(GAP.findall(form)), form
        chinese = re.search("[\u4e00-\u9fff；：（）、，。]|^(?:<[a-z_]+>)+$", said)
        assert chinese or said == form or "FLOP" in said or form == "中文", form


def test_nothing_is_there_that_nobody_says() -> None:
    said = {
        node.value for tree in trees().values() for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }  # fmt: skip
    said |= {os.strerror(code) for code in errno.errorcode}  # errors of the operating system
    said |= {entry.heading for entry in entries().values()} | {"Your own"}
    shown = templates().replace("\\'", "'").replace("\\\\", "\\")
    assert not {form for form, _ in every_sentence() if form not in said and form not in shown}


def test_what_templates_say_is_there_in_chinese() -> None:
    found = re.findall(r"""(?:words|live|say)[\[(](["'])(.*?)(?<!\\)\1""", templates())
    said = {form.replace("\\'", "'").replace("\\\\", "\\") for _, form in found if form not in LABELS}
    assert len(said) > 120
    there = {form for form, _ in every_sentence()}
    assert not sorted(form for form in said - there if not form.endswith("-"))


def test_a_sentence_in_a_sentence_is_said_inside_out() -> None:
    both = joined("<first>; <second>", [Sentence("<part> divides <whole>", part="t", whole="B"), "D > 1", ""])
    assert (both, translated(both, "zh"), translated(both, "en")) == (
        "t divides B; D > 1",
        "t 整除 B；D > 1",
        "t divides B; D > 1",
    )
    assert translated("a text of a user, with <gaps>", "zh") == "a text of a user, with <gaps>"


def test_an_error_is_said_in_chinese_however_it_is_handed_on() -> None:
    inner = RoofproofError("size of <name> is given twice", name="D")
    outer = RoofproofError("column <column>: <problem>", column=3, problem=inner)
    assert (str(outer), translated(outer.said, "zh")) == (
        "column 3: size of D is given twice",
        "第 3 列：尺寸 D 给了两次",
    )


def test_a_gap_unfilled_is_an_error() -> None:
    with pytest.raises(KeyError):
        Sentence("<part> divides <whole>", part="t")


SAID_IN_ENGLISH = {"FLOP", "FLOPs", "token", "softmax", "epsilon", "log", "max", "min", "sqrt", "ceil"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", entries())
def test_no_english_word_is_left_in_a_derivation(name: str) -> None:
    """Names, formulas, units and the wording of sources may stay in English.

    The counting convention of a new operation may lack a translation, but must not be translated in part.
    """
    found = parse_operation(name)
    if not set(clauses(found.convention, "zh")).difference(clauses(found.convention, "en")):
        found = replace(found, convention="")
    named = " ".join([found.name, *map(str, found.dims), *(f"{t.name} {t.dtype}" for t in found.tensors)])
    named = " ".join([named, *found.demands, *found.compute, *found.footprint])
    text = rendered(outline(found, None, None, {}), "zh")
    words = set(re.findall("[A-Za-z]{3,}", text)) - set(re.findall("[A-Za-z]{3,}", named)) - SAID_IN_ENGLISH
    assert not words, text
    assert not re.findall(r"[，。；：、（）\u4e00-\u9fff] [，。；：、（）\u4e00-\u9fff]|\bmemory\b", text), text


def test_every_way_to_reduce_has_a_title_in_chinese() -> None:
    for made in (tree_all_reduce(), tree_all_reduce(halves=True), one_shot_all_reduce()):
        title = translated(made.operation().name, "zh")
        assert re.fullmatch("n 个芯片间 V 字节的[\u4e00-\u9fff]+ all-reduce", title), title


def test_what_is_said_of_figures_and_times_is_in_chinese() -> None:
    text = rendered(outline(parse_operation("matmul"), chip("h100-sxm"), None, {"B": 1, "D": 2, "F": 3}), "zh")
    assert "bf16 = 9.89e14 FLOP/s    稠密；印作 989 TFLOP/s；厂商文档" in text
    assert "  最大  " in text and "  总和  " in text
    assert "最大 ≈" in text and "lower" not in text
    english = rendered(outline(parse_operation("matmul"), chip("h100-sxm"), None, {}), "en")
    assert "bf16 = 9.89e14 FLOP/s    dense; printed 989 TFLOP/s; vendor docs" in english and "  max     " in english


def test_a_rule_of_our_own_is_no_source() -> None:
    english, chinese = (derivation(parse_operation("add"), None, None, {}, lang=lang) for lang in ("en", "zh"))
    assert "; counted: each operand read once, the result written once " in english
    assert "；计数约定：每个操作数读一遍，结果写一遍 " in chinese and "counted as in" not in english
    timed = derivation(parse_operation("matmul"), chip("h100-sxm"), None, {"B": 1, "D": 2, "F": 3}, lang="zh")
    assert r"T_{\text{max}} \approx" in timed and "max $" not in timed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bf16[B,D] -> bf16[B]", "每个相加的元素计一次加法"),
        ("bf16[B], bf16[D] -> bf16[B,D]", "每个元素一次乘法，不求和"),
        ("x:bf16[B,D], a:bf16[D,r], b:bf16[r,F], s:bf16[F] -> y:bf16[B,F]",
         "按书写顺序两两相乘：t1[B,r] = x a，2*B*D*r FLOP；t2[B,F] = t1 b，2*B*F*r FLOP；"
         "y[B,F] = t2 s，B*F FLOP，在向量单元上（fp32-vector）；各步之间的中间结果留在片上"),
        ("x[B, D_n] * w[D_n, F] -> z[B, F_n]",
         "每次乘加 2 FLOP；按单芯片计；链路字节数按单向计；"
         "在 n 上 reduce-scatter：z[B, F]{U_n} -> z[B, F_n]，2*B*F 字节"),
        ("flash-attention:block=b,keys=c,softmax=counted",
         "每次乘加 2 FLOP；逐头计算，每块查询都重读一遍键和值；softmax 每个得分 5 FLOP"),
        ("grouped-matmul:touched=all", "每次乘加 2 FLOP；每个 token 由其各个专家各读一遍；每个专家的权重都读"),
    ],
)  # fmt: skip
def test_how_an_operation_of_ones_own_is_counted_is_said_in_chinese(text: str, said: str) -> None:
    assert "；".join(clauses(op(text).convention, "zh")) == said


def test_a_name_that_is_a_word_stays() -> None:
    named = op("flops bf16 = n^2; bytes memory = n")
    never = replace(named, name="never")
    assert translated(never.name, "zh") == "never" and translated("never", "zh") == "永不"
    said = Sentence("<op> assumes that <conditions>", op=never.name, conditions="never")
    assert translated(said, "zh").count("永不") == 1


def test_every_trust_of_a_table_has_words() -> None:
    assert set(PRINTED) == {*TRUST, *GIVEN} and set(TRUST) <= set(ANSWERS)
