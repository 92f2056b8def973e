r"""Chapters as documents with state: each kind of display that their authors write, in English and in Chinese.

What is read says what the page says; a value holds where it was told, and a free name is open, never wrong.
"""

from pathlib import Path

import pytest

from roofproof.claims.documents.checkable import checked_against_proofs
from roofproof.claims.documents.draft import Draft, draft, draft_of, to_toml
from roofproof.claims.language.book import book_from_text
from roofproof.claims.verifying import judged_claim

DATA = Path(__file__).parents[1] / "data"


def told(text: str) -> list[str]:
    """Return what a text states, each with the values it has and its regime."""
    return [
        f"{s.kind}: {s.text}"
        + "".join(f" [{name} = {value}]" for name, value in s.let if s.kind == "claim")
        + (f" | {s.regime}" if s.regime else "")
        for s in draft_of(text, "chapter.md").statements
    ]


KINDS = {
    "a value leaks into no other section": (
        "# A\nLet $d = 64$.\n$$ 2 d = 128 $$\n# B\n$$ 3 d = 12 $$",
        "# 甲\n设 $d = 64$。\n$$ 2 d = 128 $$\n# 乙\n$$ 3 d = 12 $$",
        ["definition: d == 64", "claim: 2 d == 128 [d = 64]", "claim: 3 d == 12"],
    ),
    "a value leaks into no other exercise": (
        "# A\n**Exercise 1.** With $d = 64$:\n$$ 2 d = 128 $$\n\n**Exercise 2.**\n$$ 3 d = 12 $$",
        "# 甲\n**练习 1**：取 $d = 64$：\n$$ 2 d = 128 $$\n\n**练习 2**：\n$$ 3 d = 12 $$",
        ["definition: d == 64", "claim: 2 d == 128 [d = 64]", "claim: 3 d == 12"],
    ),
    "values in bullets": (
        "- hidden size $d$: 4096\n- layers L = 32\n- traffic $Q$: 14 GB\n\n$$ 2 d = 8192 $$\n\n$$ Q > 3 L $$",
        "- 隐藏维度 $d$：4096\n- 层数 L = 32 层\n- 访存量 $Q$：14 GB\n\n$$ 2 d = 8192 $$\n\n$$ Q > 3 L $$",
        [
            "definition: d == 4096",
            "definition: L == 32",
            "definition: Q == 14 GB",
            "claim: 2 d == 8192 [d = 4096]",
            "claim: Q > 3 L [L = 32] [Q = 14 GB]",
        ],
    ),
    "values in tables": (
        "| name | value |\n|---|---|\n| batch $B$ | 16 |\n| $V$ | 32,000 |\n\n$$ B V = 512000 $$",
        "| 参数 | 值 |\n|---|---|\n| 批大小 $B$ | 16 |\n| $V$ | 32,000 |\n\n$$ B V = 512000 $$",
        ["definition: B == 16", "definition: V == 32000", "claim: B V == 512000 [B = 16] [V = 32000]"],
    ),
    "values in the last column of tables": (
        "| name | of | value |\n|---|---|---|\n| $K$ | heads of keys | 8 |\n| h | width | 128 |\n\n$$ K h = 1024 $$",
        "| 符号 | 含义 | 值 |\n|---|---|---|\n| $K$ | KV 头数 | 8 |\n| h | 头维度 | 128 |\n\n$$ K h = 1024 $$",
        ["definition: K == 8", "definition: h == 128", "claim: K h == 1024 [K = 8] [h = 128]"],
    ),
    "labels": (
        r"$$T^{\text{ring}} = \frac{2N}{W}$$ $$I_{ridge}^{NVLink} = \frac{P}{W_{NVLink}}$$ $$I^* = \frac{P}{W}$$",
        r"$$T^{\mathrm{ring}} = \frac{2N}{W}$$ $$I^{NVLink}_{ridge} = \frac{P}{W_{NVLink}}$$ $$I^* = \frac PW$$",
        ["definition: T_ring == 2 N / W", "definition: I_ridge_NVLink == P / W_NVLink", "definition: I_star == P / W"],
    ),
    "M is a million": (
        r"$$ 4096 \times 32000 = 131\text{M} $$ $$ N = 7M $$",
        r"$$ 4096 \times 32000 = 131\text{百万} $$ $$ N = 7\text{百万} $$",
        ["claim: 4096 * 32000 == 131e6", "definition: N == 7e6"],
    ),
    "an abbreviation that stands by itself": (
        r"A peak $P = 8$. With $CP$ chips in a ring $$ T = \frac{(CP - 1) S}{W} $$",
        r"峰值 $P = 8$。$CP$ 张卡组成环 $$ T = \frac{(CP - 1) S}{W} $$",
        ["definition: P == 8", "definition: T == (CP - 1) S / W"],
    ),
    "units in words": (
        r"$$ 2 \times 8 \times 128 \text{ byte} = 2048 \text{ byte} $$ $$ T = 3 \text{ ms} $$",
        r"$$ 2 \times 8 \times 128 \text{ 字节} = 2048 \text{ 字节} $$ $$ T = 3 \text{ 毫秒} $$",
        ["claim: 2 * 8 * 128 byte == 2048 byte", "definition: T == 3 ms"],
    ),
    "capitals are one name": (
        r"Context parallelism (CP) sends $$ T = \frac{(CP - 1) S}{W} $$ $$ t = 2 \, T $$",
        r"上下文并行（CP）发送 $$ T = \frac{(CP - 1) S}{W} $$ $$ t = 2 \, T $$",
        ["definition: T == (CP - 1) S / W", "definition: t == 2 T"],
    ),
    "capitals that are spoken of in full": (
        r"Context parallelism over $P = 8$ chips sends $$ m = CP - 1 $$",
        r"上下文并行在 $P = 8$ 块芯片上需要 $$ m = CP - 1 $$",
        ["definition: P == 8", "definition: m == CP - 1"],
    ),
    "assignments": (
        r"The loop is $$ y = \alpha x + y $$ $$ y[i] = \alpha x[i] + y[i] $$ $$ y \leftarrow \alpha x + y $$",
        r"循环为 $$ y = αx + y $$ $$ y[i] = \alpha x[i] + y[i] $$ $$ y \leftarrow \alpha x + y $$",
        [
            "assignment: y == alpha x + y",
            r"assignment: y[i] = \alpha x[i] + y[i]",
            r"assignment: y \leftarrow \alpha x + y",
        ],
    ),
    "a display goes on": (
        "So\n\n$$ I = \\frac{2BDF}{2BD + 2DF} $$\n\nwhich is\n\n$$ = \\frac{BF}{B + F} $$",
        "于是\n\n$$ I = \\frac{2BDF}{2BD + 2DF} $$\n\n化简得\n\n\\begin{align} &= \\frac{BF}{B + F} \\end{align}",
        ["definition: I == 2 B D F / (2 B D + 2 D F)", "claim: 2 B D F / (2 B D + 2 D F) == B F / (B + F)"],
    ),
    "microseconds": (
        r"$$ T = 5 \mu s $$ $$ U = 5\,\mu\text{s} $$ $$ V = 5~\mathrm{\mu s} $$",
        r"启动时间 $$ T = 5 \mu s $$ $$ U = 5\,\mu\text{s} $$ $$ V = 5~\mathrm{\mu s} $$",
        ["definition: T == 5 μs", "definition: U == 5 μs", "definition: V == 5 μs"],
    ),
    "FLOPs/byte in any case": (
        r"$$ R = 240 \text{ flops/Byte} $$ $$ S = 240\ \mathrm{Flop/B} $$ $$ T = 240 \text{ FLOPS per byte} $$",
        r"$$ R = 240 \text{ FLOPs/字节} $$ $$ S = 240\ \mathrm{flops/byte} $$ $$ T = 240 \text{ FLOPS/Byte} $$",
        ["definition: R == 240 FLOPs/byte", "definition: S == 240 FLOPs/byte", "definition: T == 240 FLOPs/byte"],
    ),
    "orders of growth are left alone": (
        r"It takes $$ T = O(n^2 d) $$ and $$ I = \Theta(\sqrt{M}) $$ $$ Q = \mathcal{O}(n) $$",
        r"需要 $$ T = O(n^2 d) $$ 与 $$ I = Θ(\sqrt{M}) $$ $$ Q = \mathcal{O}(n) $$",
        [r"growth: T = O(n^2 d)", "growth: I", r"growth: Q = \mathcal{O}(n)"],
    ),
    "a regime above": (
        "When D, F ≫ B, much falls away.\n\n$$ \\frac{BDF}{BD + DF + BF} \\approx B $$",
        "当 D, F ≫ B 时，许多项可以略去。\n\n$$ \\frac{BDF}{BD + DF + BF} \\approx B $$",
        ["regime: D, F >> B", "claim: B D F / (B D + D F + B F) ~= B | D, F >> B"],
    ),
    "pi is the number": (
        "Recall $\\pi = 3.14$.\n\n$$ 2 \\pi r > 6.28 r $$ $$ \\pi = 3.2 $$",
        "圆周率 $\\pi = 3.14$。\n\n$$ 2 \\pi r > 6.28 r $$ $$ \\pi = 3.2 $$",
        ["claim: pi == 3.14", "claim: 2 pi r > 6.28 r", "claim: pi == 3.2"],
    ),
    "inequalities that say the same": (
        r"We need $$ \frac{2BDF}{P} > \frac{2DF}{W} $$ that is, $$ B > \frac{P}{W} $$",
        r"需要 $$ \frac{2BDF}{P} > \frac{2DF}{W} $$ 即 $$ B > \frac{P}{W} $$",
        ["claim: 2 B D F / P > 2 D F / W <=> B > P / W"],
    ),
}


@pytest.mark.parametrize("language", ["English", "Chinese"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_display(kind: str, language: str) -> None:
    english, chinese, expected = KINDS[kind]
    found = told(english if language == "English" else chinese)
    assert [said[: len("growth: I")] if said.startswith("growth: I") else said for said in found] == expected


def test_a_name_that_another_value_needs_too_has_its_value() -> None:
    [*_, last] = draft_of("$T = a + b$, $a = 2$, $b = 3$. So $a + b < 2 T$.", "a.md").statements
    assert last.let == (("a", "2"), ("b", "3"), ("T", "a + b"))


def checked(name: str) -> Draft:
    return checked_against_proofs(draft(str(DATA / name)))


def verdicts(made: Draft) -> list[tuple[int, str, str]]:
    """Return the verdict on each claim of a draft that is not as its book expects."""
    book = book_from_text(to_toml(made))
    results = [judged_claim(book, k) for k in range(len(book.claims))]
    return [
        (int(r.source.rpartition(":")[2]), r.kind, (r.verdict.exact if r.verdict else None) or "")
        for r in results
        if not r.as_expected
    ]


@pytest.mark.parametrize("name", ["chapter-en.md", "chapter-planted-zh.md"])
def test_every_display_of_a_chapter_is_read(name: str) -> None:
    made = draft(str(DATA / name))
    assert (made.display, made.display_read, made.inline, made.inline_read) == (21, 21) + (made.inline,) * 2


def test_a_chapter_without_a_mistake_has_no_alarm() -> None:
    made = checked("chapter-en.md")
    assert verdicts(made) == []
    assert [each.line for each in made.statements if each.open] == []


def test_three_planted_mistakes_are_found_for_their_reasons() -> None:
    assert verdicts(checked("chapter-planted-zh.md")) == [
        (44, "refuted", "2*B*D*F/(2*B*D + 2*B*F + 2*D*F)"),
        (86, "refuted", "2/117 (0.0170940)"),
        (136, "refuted", "B"),
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("$$ B > 240 $$", "B and"),
        ("$$ R = \\frac{P}{W} = 240 $$", "P, W and"),
        ("$$ T_a > T_b \\iff B > 240 $$", "B, T_a, T_b and"),
        ("$$ \\frac{x}{y} = \\frac{a}{4 b} $$", "a, b, x, y and"),
        ("$$ \\frac{2BDF}{P} = \\frac{B}{240} $$", "B, D, F, P and"),
    ],
)
def test_a_claim_of_free_names_is_open(text: str, why: str) -> None:
    [only] = checked_against_proofs(draft_of(text, "a.md")).statements
    assert only.expect == "not-checkable" and f"some values of {why} not for others" in only.open


@pytest.mark.parametrize(
    "text",
    ["$$ \\frac{2BD}{4D} = B $$", "$$ x + 1 < x $$", "$$ a > b \\iff 2a > 3b $$", "$$ 2 + 2 = 5 $$",
     "- $d$: 64\n\n$$ 2 d = 129 $$", "设 $d = 64$。\n\n$$ 2 d > 129 $$"],
)  # fmt: skip
def test_what_is_worked_out_wrongly_is_refuted(text: str) -> None:
    made = checked_against_proofs(draft_of(text, "a.md"))
    assert [kind for _, kind, _ in verdicts(made)] == ["refuted"]


def test_operations_and_chips_are_proposed() -> None:
    made = draft_of("# A\nOn TPU v5e in bf16: `x[B, D] * w[D, F] -> z[B, F]`, 点积。\n\n$$ I = B $$", "a.md")
    assert [(each.name, each.line) for each in made.operations] == [
        ("bf16[B, D], bf16[D, F] -> bf16[B, F]", 2),
        ("dot", 2),
    ]
    assert [(each.name, each.line) for each in made.chips] == [("tpu-v5e", 2)]
    book = book_from_text(to_toml(made))
    assert [str(op.flops) for op in book.ops.values()] == ["2*B*D*F", "2*N - 1"] and not book.problems


def test_values_are_those_of_one_name_each() -> None:
    text = "- d = 4096, 8192\n- $d$: 4096/8192\n- d = 4096 或 8192\n- $W$：约 819 GB/s\n- B = 3, L = 4"
    text += "\n\n| p | 1 | 2 |\n| $q$ | of 7B | 2 |"
    text += "\n\n| | 带宽（GB/s） |\n|--|--|\n| $W$ | 819 |\n\n| $V$ | bandwidth in GB/s | 50 |\n| $U$ | 字节/秒 | 50 |"
    assert told(text) == ["definition: B == 3", "definition: L == 4"]


@pytest.mark.parametrize(
    "text", ["当 $$ 2B > 240 $$ 或 $$ B > 120 $$ 时，计算受限。", "If $$ 2B > 240 $$ or $$ B > 120 $$ it is busy."]
)
def test_a_condition_of_words_is_told_as_one(text: str) -> None:
    assert told(text) == ["condition: 2 B > 240", "condition: B > 120"]
