"""Random questions to the command line in the form of answers/record.py: sentences, thresholds, operations, answers.

    for question in islice(QUESTIONS["thresholds"](1), 10): print(question["args"])

The stream is endless and the same for the same seed. tests/old_and_new.py asks two versions these questions.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import count
from random import Random
from typing import Any

import everything
from everything import FORMATS, USUAL, operations, sizes

from roofproof import RoofproofError, ridge, threshold
from roofproof.hardware import chip_names

Question = dict[str, Any]
SHAPES = ("[B,D] [D,F] [B,F]", "[N] [N] []", "[G,B,D] [G,D,F] [G,B,F]", "[B,D] [D] [B]", "[M,K] [K,N] [M,N]",
          "[B,H,L,k] [B,H,S,k] [B,H,L,S]", "[T,D] [D,r] [T,r]", "[B,i,j] [B,j,k] [i,k]")  # fmt: skip
TERMS = ("2 B D F", "B D", "D F", "B F", "3 B^2", "5 N", "B D F/2", "4 ceil(B/128) D", "7", "B log2(B)", "sqrt(D) B")


def text(r: Random) -> tuple[str, list[str]]:
    """Return an operation as text, and its sizes."""
    if r.random() < 0.5:
        x, w, z = r.choice(SHAPES).split()
        x, w, z = (f"{r.choice(FORMATS)}{shape}" for shape in (x, w, z))
        return f"{x}, {w} -> {z}", sorted({c for c in x + w if c in "BDFNGHLSkTrMKij"} - set("f"))
    engines = r.sample(["bf16", "fp32", "int8", "exp", "fp32-vector"], r.choice([1, 1, 2]))
    flops = [f"flops {engine} = {' + '.join(r.sample(TERMS, r.randint(1, 2)))}" for engine in engines]
    moved = f"bytes hbm = {' + '.join(r.sample(TERMS, r.randint(1, 3)))}"
    return "; ".join([*flops, moved]), [n for n in "BDFN" if n in " ".join([*flops, moved]).replace("FLOP", "")]


def any_operation(r: Random) -> tuple[str, list[str]]:
    if r.random() < 0.4:
        return text(r)
    name = r.choice(operations())
    with_format = f"{name}:{r.choice(FORMATS)}" if r.random() < 0.2 else name
    return with_format, list(sizes(name) or ("B",))


def size(r: Random) -> int:
    return r.choice([1, 2, 3, 16, 64, 100, 128, 1000, 1024, 4096, 8192, r.randint(1, 10**5), 2 ** r.randint(0, 20)])


def at(r: Random, names: list[str], every: bool) -> list[str]:
    kept = [n for n in names if every or r.random() < 0.5]
    return ["--at", ",".join(f"{n}={size(r)}" for n in kept)] if kept else []


def a_sentence(r: Random, of: str) -> Question:
    file = {"c.claims.toml": everything.Sentence(r).draft("c").toml}
    return {"args": ["verify", "c.claims.toml", "--workers", "1", "--json"], "files": file}


def a_threshold(r: Random, of: str) -> Question:
    op, names = any_operation(r)
    unknown = r.choice(names)
    args = ["derive", op, "--for", unknown]
    args += ["--chip", r.choice(USUAL[:4] if r.random() < 0.6 else chip_names())] if r.random() < 0.9 else []
    args += at(r, [n for n in names if n != unknown], r.random() < 0.5) if r.random() < 0.7 else []
    options = [
        ["--multiple-of", str(r.choice([8, 128, 100]))],
        ["--regime", f"{r.choice(names)} -> oo"],
        ["--share", "0.8"],
        ["--share", "90 %", "--corner", r.choice(["max", "sum", "root"])],
        ["--level", r.choice(["l2", "smem"])],
        ["--where", f"{r.choice([2, 3, 128])} divides {r.choice(names)}"],
        ["--where", f"{r.choice(names)} >= 100"],
        ["--where", f"{unknown} even; {unknown} <= 5000"],
    ]
    return {"args": [*args, *(r.choice(options) if r.random() < 0.4 else []), "--json"]}


def an_operation(r: Random, of: str) -> Question:
    op, names = any_operation(r)
    on = ["--chip", r.choice(chip_names())] if r.random() < 0.5 else []
    sized = at(r, names, True) if r.random() < 0.5 else []
    return {"args": ["derive", op, *on, *sized, "--json"]}


WRITTEN = ("B > {v}", "B >= {v}", "{v}", "about {v}", "B < {v}", "at least {v} tokens", "more than {v}", "$B > {v}$",
           "B \\geq {v}", "B = {v}", "the batch must exceed {v}", "never", "always", "B > {v} or so", "exactly {v}",
           "between {v} and {w}", "大于 {v}", "至少 {v}", "B 大于 {v}", "约 {v}", "不少于 {v} 个 token", "小于 {v}",
           "永远不会", "临界批大小是 {v}", "仅当 B > {v}", "B > {v}，因为 I > R", "{v} FLOP/B",
           "B > {v}, since the intensity exceeds the ridge")  # fmt: skip
FORMULAS = ("2BDF", "2 B D F", "B D F", "BD + DF + BF", "2(BD + DF + BF)", "2BD+2DF+2BF bytes", "B", "BDF/(BD+DF+BF)",
            "2N", "2N - 1", "(2N-1)/(4N+2)", "1/2", "\\frac{BDF}{BD+DF+BF}", "与 B 成正比", "4BD + 4DF", "min(B, D, F)",
            "1/(1/B + 1/D + 1/F)", "O(BDF)", "R D F/(D F - R (D + F))", "2*B*D*F FLOPs", "us", "二分之一")  # fmt: skip


@cache
def right(chip: str, at: str) -> Fraction | None:
    """Return the right number: the ridge point for the rule of thumb, or the smallest batch at given sizes."""
    try:
        found = threshold("matmul", chip, "B", at=at).integer if at else ridge(chip, "bf16")
        return None if found is None else Fraction(str(found))
    except RoofproofError:
        return None


def an_answer(r: Random, of: str) -> Question:
    if r.random() < 0.35:
        args = ["--op", r.choice(["matmul", "dot", "matmul:int8", "matvec"])]
        args += ["--asks", r.choice(["flops", "bytes", "intensity"])]
        return {"args": ["check", *args, f"--answer={r.choice(FORMULAS)}", "--json"]}
    chip = r.choice([*USUAL[:4], "b200", "tpu-v6e"])
    sized = r.choice(["", "D=4096,F=4096", "D=1024,F=8192", "D=1000,F=3000"])
    exact = right(chip, sized) or Fraction(240)
    others = [exact + r.choice([-1, 1]), exact / 2, exact * 2, exact * 4, Fraction(round(exact, -1)), exact * 10]
    v = exact if r.random() < 0.4 else r.choice(others)
    shown = r.choice([str(round(v)), str(round(v)), f"{v.numerator}/{v.denominator}", f"{float(v):.2f}"])
    answer = r.choice([*WRITTEN, r.choice(FORMULAS)]).replace("{v}", shown).replace("{w}", str(round(2 * v)))
    asks = r.choice([["--asks", "smallest"], []]) if sized else ["--regime", "D, F >> B", "--asks", "rule"]
    how = r.choice([[], [], ["--tolerance", r.choice(["exact", "2%", "order of magnitude"])], ["--lang", "zh"]])
    of_all = ["check", "--op", "matmul", "--chip", chip, "--for", "B", *(["--at", sized] if sized else [])]
    return {"args": [*of_all, *asks, *how, f"--answer={answer}", "--json"]}


def asked(kind: str, make: Callable[[Random, str], Question]) -> Callable[[int], Iterator[Question]]:
    def questions(seed: int) -> Iterator[Question]:
        for k in count():
            of = f"{kind}/{seed}/{k}"
            yield {"id": of, **make(Random(of), of)}

    return questions


QUESTIONS = {
    kind: asked(kind, make)
    for kind, make in (
        ("sentences", a_sentence), ("thresholds", a_threshold), ("operations", an_operation), ("answers", an_answer),
    )
}  # fmt: skip
