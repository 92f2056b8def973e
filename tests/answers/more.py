#!/usr/bin/env python3
"""Write questions/more.jsonl: command-line questions beyond commands.jsonl, which record.py asks."""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from roofproof import chip, op
from roofproof.ops.library import entries
from roofproof.ops.roles import usual_sizes

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHIPS = ["h100-sxm", "tpu-v5e", "mi300x", "a100-80gb-sxm", "b200", "tpu-v6e", "l4", "epyc-9654", "tpu-v5p", "mi210"]
LEVELS = [
    ("h100-sxm", "l2"),
    ("h100-sxm", "smem"),
    ("tpu-v5e", "vmem"),
    ("a100-80gb-sxm", "l2"),
    ("mi300x", "l2"),
    ("b200", "smem"),
]
MODELS = ["prefill", "decode-step", "generate", "training-step"]  # one question of each kind, to save time
JSON = ["--json"]
Question = dict[str, object]


def asked(name: str, args: list[str], *, files: dict[str, str] | None = None, **keep: str) -> Question:
    return {
        "id": name,
        "args": args,
        **({"all": True} if "--json" in args else {}),
        **({"files": files} if files else {}),
        **({"keep": keep} if keep else {}),
    }


def pairs(sizes: dict[str, int]) -> str:
    return ",".join(f"{n}={v}" for n, v in sizes.items())


class Operation:
    """The k-th operation of the library, with its sizes and the chips that it is asked about."""

    def __init__(self, k: int, name: str) -> None:
        self.k, self.name, made = k, name, op(name)
        self.dims = [str(d) for d in made.dims]
        self.usual = {str(n): v for n, v in usual_sizes(made).items()}
        needs = set(re.findall(r"([a-z][\w-]*): ", repr(made).partition(": ")[2])) - {"memory"}
        fit = [c for c in CHIPS if all(chip(c).has(n) for n in needs)]
        linked = {"n", "X", "Y", "Z"} & set(self.dims) or name == "point-to-point"
        self.chips = ["h100-sxm", "tpu-v5e", "tpu-v5p"] if linked else fit or CHIPS
        self.flops, self.bytes = str(made.flops), str(made.bytes())

    def chip(self, turn: int) -> str:
        """Return another chip for each turn, from those that have the specs the operation needs."""
        return self.chips[(self.k + turn) % len(self.chips)]

    def but(self, *dims: str) -> str:
        return pairs({n: v for n, v in self.usual.items() if n not in dims})


def derivations(o: Operation) -> Iterator[Question]:
    """Yield questions about levels, shares, multiples and regimes, and about thresholds in other formats."""
    for turn, d in enumerate(o.dims[:3]):
        for place, level in (LEVELS[(o.k + turn) % 6], LEVELS[(o.k + turn + 2) % 6])[: 2 - turn % 2]:
            yield asked(
                f"levels/{o.name}/{d}/{place}/{level}",
                ["derive", o.name, "--chip", place, "--for", d, "--level", level, *JSON],
            )
        corner = ("max", "sum", "root")[(o.k + turn) % 3]
        share = ("0.5", "80 %", "0.9")[turn]
        args = ["derive", o.name, "--chip", o.chip(turn), "--for", d, "--share", share]
        yield asked(f"shares/{o.name}/{d}/{corner}", [*args, "--corner", corner, *JSON])
        if turn == 0:
            yield asked(f"shares/{o.name}/{d}/calibrated", ["derive", o.name, "--chip", "h100-sxm", *args[4:], *JSON])
        if o.but(d) and turn == 0:
            yield asked(f"shares-at/{o.name}/{d}/{corner}", [*args, "--corner", corner, "--at", o.but(d), *JSON])
        multiple = ("128", "8", "3")[turn]
        at = ["--at", o.but(d)] if o.but(d) else []
        yield asked(
            f"multiples/{o.name}/{d}",
            ["derive", o.name, "--chip", o.chip(turn + 2), "--for", d, "--multiple-of", multiple, *at, *JSON],
        )
    for turn, d in enumerate(o.dims[:4]):
        rest = [n for n in o.dims if n != d]
        told = [
            f"{d} -> oo",
            *([f"{', '.join(rest)} >> {d}", f"{d} >> {', '.join(rest)}"] if rest else []),
            *([f"{rest[0]} ~ {d} -> oo"] if rest else []),
        ]
        for k, regime in enumerate(told):
            if (k + turn + o.k) % 3 == 0 or len(o.dims) == 1:
                goal = rest[k % len(rest)] if rest and k % 2 == 0 else d
                yield asked(
                    f"regimes/{o.name}/{regime}/{goal}",
                    ["derive", o.name, "--chip", o.chip(turn + k), "--for", goal, "--regime", regime, *JSON],
                )
    for turn, kind in enumerate((("int8", "fp32"), ("fp8", "fp16"))[o.k % 2]):
        d = o.dims[turn % len(o.dims)]
        yield asked(
            f"formats/{o.name}/{kind}/{d}", ["derive", f"{o.name}:{kind}", "--chip", o.chip(turn), "--for", d, *JSON]
        )


def shown(o: Operation) -> Iterator[Question]:
    """Yield questions about steps, LaTeX and slides of an operation, as formulas that are read back."""
    for turn, d in enumerate(o.dims[:3]):
        args = ["derive", o.name, "--chip", o.chip(turn + 1), "--for", d]
        at = ["--at", o.but(d)] if o.but(d) else []
        yield asked(f"steps/{o.name}/{d}", [*args, "--steps"], steps="")
        yield asked(f"latex/{o.name}/{d}", [*args, "--latex", *(["--lang", "zh"] if turn == 1 else [])], latex="")
        if at and turn < 1:
            yield asked(
                f"steps-at/{o.name}/{d}",
                ["derive", o.name, "--chip", o.chip(turn + 4), "--for", d, "--steps", *at],
                steps="",
            )
            yield asked(
                f"latex-at/{o.name}/{d}",
                ["derive", o.name, "--chip", o.chip(turn + 3), "--for", d, "--latex", *at],
                latex="",
            )
    d = o.dims[o.k % len(o.dims)]
    at = ["--at", o.but(d)] if o.but(d) else []
    yield asked(f"steps/{o.name}", ["derive", o.name, "--steps"], steps="")
    yield asked(
        f"slides/{o.name}/{d}",
        ["slides", o.name, "--chip", o.chip(0), "--for", d, *at, "-o", "deck.tex"],
        latex="deck.tex",
    )
    if o.k % 3 == 0:
        yield asked(
            f"slides-zh/{o.name}/{d}",
            ["slides", o.name, "--chip", o.chip(1), "--for", d, *at, "--lang", "zh", "-o", "deck.tex"],
            latex="deck.tex",
        )


def drawn(o: Operation) -> Iterator[Question]:
    """Yield questions about plots, as data, and about sweeps."""
    at = pairs(o.usual)
    yield asked(
        f"plot/roofline/{o.name}", ["plot", o.name, "--chip", o.chip(0), "--at", at, "-o", "p.tex"], plot="p.tex"
    )
    most = max(o.dims, key=lambda n: (n in "BLNT", -o.dims.index(n)))
    rest = o.but(most)
    yield asked(
        f"plot/time/{o.name}",
        [
            "plot",
            o.name,
            "--chip",
            o.chip(1),
            "--kind",
            "time",
            "--for",
            most,
            *(["--at", rest] if rest else []),
            "-o",
            "p.tex",
        ],
        plot="p.tex",
    )
    for turn, across in enumerate(n for n in o.dims if n != most):
        if turn < 1:
            rest = o.but(most, across)
            kind = ("threshold", "regions")[(turn + o.k) % 2]
            args = ["plot", o.name, "--chip", o.chip(turn), "--kind", kind, "--for", most, "--across", across]
            yield asked(
                f"plot/{kind}/{o.name}/{most}/{across}",
                [*args, *(["--at", rest] if rest else []), "-o", "p.tex"],
                plot="p.tex",
            )
    for turn, quantities in enumerate((["flops", "bytes"], ["lower", "upper"], ["intensity", "attainable"])):
        n = o.dims[turn % len(o.dims)]
        rest = o.but(n)
        args = [
            "sweep",
            o.name,
            "--chip",
            o.chip(turn),
            "--chip",
            o.chip(turn + 1),
            "--over",
            f"{n}={('1:9', '64:4096:576', '100:100000:25000')[turn]}",
        ]
        yield asked(
            f"sweep/{o.name}/{n}/{'-'.join(quantities)}",
            [*args, *(["--at", rest] if rest else []), *(x for q in quantities for x in ("--quantity", q))],
            table="",
        )


def tex(formula: str) -> str:
    """Return a formula of roofproof in LaTeX, as a textbook would print it."""
    return re.sub(r"\*\*(\d+)", r"^{\1}", formula).replace("log2(", r"\log_2(").replace("*", " ")


def judged(o: Operation) -> Iterator[Question]:
    """Yield student answers, formulas of tools, drafts of claims and claims about an operation."""
    flops, moved = o.flops, o.bytes
    first, last = o.dims[0], o.dims[-1]
    answers = {
        "flops": [flops, f"({flops})/2", f"2*({flops})", f"{flops} + {first}", f"({flops})/{last}", f"{first}"],
        "bytes": [moved, f"({moved})/2", f"({moved})/4", f"2*({moved}) - 1", f"{moved} + 2*{last}", f"{last}"],
        "intensity": [
            f"({flops})/({moved})",
            f"({moved})/({flops})",
            f"2*({flops})/({moved})",
            f"({flops})/({moved} + {first})",
        ],
    }
    for asks, given in answers.items():
        for k, answer in enumerate(given):
            if k == 0 or (k + o.k) % 3 == 0:
                yield asked(
                    f"check/{asks}/{o.name}/{k}", ["check", "--op", o.name, "--asks", asks, f"--answer={answer}", *JSON]
                )
    at = o.but(first)
    if at:
        for k, answer in enumerate((f"{first} > 100", "never", "always")):
            yield asked(
                f"check/exact/{o.name}/{k}",
                ["check", "--op", o.name, "--chip", o.chip(k), "--for", first, "--at", at, f"--answer={answer}", *JSON],
            )
    formulas = [
        ("flops", flops),
        ("flops", f"({flops})/2"),
        ("flops", f"({flops})*{first}"),
        ("bytes", moved),
        ("bytes", f"2*({moved})"),
        ("bytes", f"{moved} - {last}"),
    ]
    table = [
        f'[[formula]]\nname = "f{k}"\ntext = "{formula}"\nop = "{o.name}"\nquantity = "{what}"\n'
        for k, (what, formula) in enumerate(formulas)
    ]
    names = "names = { " + ", ".join(f'{n} = "{n}"' for n in o.dims) + " }\n"
    if o.k % 3 != 2:
        listed = {"a.formulas.toml": "\n".join(t + names for t in table)}
        yield asked(f"audit/{o.name}", ["audit", "a.formulas.toml", *JSON], files=listed)
    lines = f"M &= {tex(moved)}, \\\\\nI &= \\frac{{{tex(flops)}}}{{{tex(moved)}}}."
    block = f"$$\n\\begin{{align}}\n{lines}\n\\end{{align}}\n$$"
    chapter = f"# A chapter\n\nIt takes\n\n$$ C = {tex(flops)} $$\n\nand moves\n\n{block}\n"
    yield asked(
        f"draft/{o.name}",
        ["draft", "c.md", "-o", "c.claims.toml", *JSON],
        files={"c.md": chapter},
        draft="c.claims.toml",
    )
    made = o.chip(2)
    says = [
        f"flops({o.name}) == {flops}",
        f"flops({o.name}) <= ({flops})/2",
        f"bytes({o.name}) == {moved}",
        f"bytes({o.name}) >= {moved} + {first}",
        f"intensity({o.name}) == ({flops})/({moved})",
        f"intensity({o.name}) ~= 1/2",
        f"lower({o.name}, {made}) <= upper({o.name}, {made})",
        f"threshold({o.name}, {made}, {first}) > 100",
        f"limit(intensity({o.name}), {first}) > 1",
    ]
    claims = "\n".join(f"[[claim]]\nid = 'c{k}'\nsays = '{said}'\n" for k, said in enumerate(says))
    if o.k % 3:
        book = {"c.claims.toml": claims}
        yield asked(f"claims/{o.name}", ["verify", "--workers", "1", "c.claims.toml", *JSON], files=book)


def proved(o: Operation) -> Iterator[Question]:
    """Yield questions about the proofs that are written for other checkers, and how many there are."""
    for turn, d in enumerate(o.dims[:1]):
        args = ["derive", o.name, "--chip", o.chip(turn + 3), "--for", d]
        yield asked(
            f"proofs/{o.name}/{d}",
            [*args, "--coq", "p/coq", "--smtlib", "p/smt", "--certificate", "p/certificate", *JSON],
            proofs="p",
        )


def banks() -> Iterator[Question]:
    """Yield questions about the key and the wrong answers of each exercise, with three seeds and in two languages."""
    for path in sorted((ROOT / "roofproof" / "teach" / "banks").glob("*.toml")):
        head, *texts = re.split(r"(?m)^(?=\[\[exercise\]\])", path.read_text(encoding="utf-8"))
        for text in texts:
            name = tomllib.loads(text)["exercise"][0]["id"]
            for seed in (1, 2, 3):
                lang = ["--lang", "zh"] if seed == 3 else []
                args = [
                    "exercises",
                    "b.toml",
                    "--seed",
                    str(seed),
                    "--variants",
                    "2",
                    *lang,
                    "--to",
                    "gift",
                    "-o",
                    "bank",
                ]
                yield asked(
                    f"bank/{path.stem}/{name}/{seed}", args, files={"b.toml": head + text}, bank="bank/gift.txt"
                )


def fits() -> Iterator[Question]:
    """Yield questions that fit peaks to a part of each table of measured times."""
    folder = ROOT / "examples" / "measured"
    for name, chips in {
        "gemm_fp16.tsv": ("a100-80gb-sxm", "h100-sxm"),
        "products_h100.csv": ("h100-sxm",),
        "products_h200.csv": ("h200-sxm",),
    }.items():
        head, *lines = (folder / name).read_text(encoding="utf-8").splitlines()
        for made in chips:
            of = [x for x in lines if x.startswith(made.split("-")[0])]
            for part in range(5):
                kept = random.Random(part).sample(of, min(len(of), 50))
                for corner in ([], ["--corner", "max"], ["--corner", "sum"], ["--corner", "root"])[
                    : 4 if part < 2 else 2
                ]:
                    args = ["fit", f"t{Path(name).suffix}", "--chip", made, *corner, *JSON]
                    yield asked(
                        f"fit/{name}/{made}/{part}/{corner[-1] if corner else 'best'}",
                        args,
                        files={args[1]: "\n".join([head, *kept]) + "\n"},
                    )


def questions() -> Iterator[Question]:
    for k, name in enumerate(entries()):
        o = Operation(k, name)
        every = [q for kind in (derivations, shown, drawn, judged, proved) for q in kind(o)]
        first = {str(q["id"]).split("/")[0]: q for q in reversed(every)}
        yield from first.values() if name in MODELS else every
    yield from banks()
    yield from fits()


def bare(q: Question) -> str:
    """Return the text of a question, with digits in names of operations, chips and formats changed to letters."""
    return re.sub(
        r"(?<=[A-Za-z])-?\d+",
        lambda m: "".join(chr(65 + int(c)) if c.isdigit() else c for c in m[0]),
        json.dumps([q["args"], q.get("files")]),
    )


def main() -> None:
    seen: dict[str, Question] = {}
    for q in questions():  # no two that differ only in a number, except in banks and fits, where numbers matter
        key = str(q["id"]) if str(q["id"]).startswith(("bank", "fit")) else re.sub(r"\d+(\.\d+)?", "#", bare(q))
        seen.setdefault(key, q)
    lines = [json.dumps(q, ensure_ascii=False) for q in {q["id"]: q for q in seen.values()}.values()]
    (HERE / "questions" / "more.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(len(lines))


if __name__ == "__main__":
    main()
