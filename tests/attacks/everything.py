"""Random sentences over every function, resource, relation, operation and chip: right, wrong, odd or meaningless.

    for sentence in sentences(seed=1): print(sentence.toml)

Their right verdicts are unknown. test_any_sentence.py tests the laws that hold for all of them, and old_and_new.py
compares two versions on them. Each function of the language has one entry in FUNCTIONS with its argument kinds.
"""

from collections.abc import Iterator
from functools import cache
from itertools import count
from random import Random

from forms.draft import Draft

from roofproof import op as operation_of
from roofproof.hardware import chip_names
from roofproof.ops import entries

FUNCTIONS = {
    "flops": "op, resource?", "bytes": "op, resource?", "intensity": "op, resource?",
    "ridge": "chip, resource, resource?", "time": "op, chip, resource?", "lower": "op, chip, resource?",
    "upper": "op, chip",
    "attainable": "chip, resource, number, resource? | op, chip", "threshold": "op, chip, name, resource? | op, name",
    "compute_bound": "op, chip, resource?, resource?", "rate": "chip, resource", "capacity": "chip, resource",
    "ceiling": "chip, word, resource?", "trait": "chip, word", "energy": "op, chip",
    "balance": "chip, resource, resource?", "waves": "op, chip", "wave_efficiency": "op, chip",
    "lower_bound": "op, number", "best_tile": "op, number", "estimate": "op, chip, word?", "share": "op, chip, word?",
    "alpha_beta": "op, chip?", "limit": "number | number, name | number, name, number", "solve": "equation, name",
    "smallest": "name, proposition", "largest": "name, proposition", "argmin": "number, name, set?",
    "argmax": "number, name, set?", "minimum": "number, name, set?", "maximum": "number, name, set?",
    "sum": "number, name, number, number", "increasing": "number, name", "decreasing": "number, name",
    "independent": "number, name", "degree": "number, name", "floor": "number", "ceil": "number", "abs": "number",
    "min": "number, number", "max": "number, number", "sqrt": "number", "log2": "number", "log": "number",
}  # fmt: skip
OF = {  # functions of operations and chips by dimension; any other has that of its arguments, or none
    "FLOP": ("flops",), "B": ("bytes", "lower_bound", "best_tile", "capacity"),
    "FLOP/B": ("intensity", "ridge", "balance"),
    "s": ("time", "lower", "upper", "estimate", "alpha_beta"), "FLOP/s": ("attainable", "rate", "ceiling"),
    "B/s": ("rate",), "J": ("energy",), "": ("threshold", "waves", "wave_efficiency", "share", "trait"),
}  # fmt: skip
PROPOSITIONS = ("compute_bound", "increasing", "decreasing", "independent")
TOLD = [f for f in FUNCTIONS if FUNCTIONS[f].startswith(("op", "chip")) and f not in PROPOSITIONS]
WORKED_OUT = [f for f in FUNCTIONS if f not in TOLD and f not in PROPOSITIONS]
RELATIONS = ("==", "!=", "<", "<=", ">", ">=", "~=", "->")
RESOURCES = ("bf16", "fp16", "fp32", "fp64", "int8", "fp8", "tf32", "int4", "fp32-vector", "exp", "hbm", "memory", "l2",
             "smem", "vmem", "ici", "nvlink", "dram", "flops")  # fmt: skip
WORDS = ("max", "sum", "root", "no-fma", "sms", "clock", "cores", "power", "cold", "warm", "nothing")
UNITS = {"FLOP": ("FLOP", "TFLOP"), "B": ("byte", "GB", "GiB"), "FLOP/B": ("FLOP/B",), "s": ("us", "ms"),
         "FLOP/s": ("FLOP/s", "TFLOP/s"), "B/s": ("B/s", "GB/s"), "J": ("mJ",), "": ("%",)}  # fmt: skip
FORMATS = ("bf16", "fp16", "fp32", "int8", "fp8", "int4", "fp64")
OWN = {"mm": "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]", "mv": "flops bf16 = 2 D F; bytes hbm = 2 D F + 2 D + 2 F"}
OWN_CHIP = {"edge": {"fp16": "1.2 TFLOP/s", "bf16": "1.2 TFLOP/s", "dram": "48 GB/s", "l2": "200 GB/s"}}
USUAL = ("tpu-v5e", "h100-sxm", "a100-80gb-sxm", "mi300x", "edge", "apple-m2", "epyc-9654", "tpu-v6e")


@cache
def operations() -> tuple[str, ...]:
    return tuple(sorted(entries() if isinstance(entries(), dict) else (e.name for e in entries())))


@cache
def demanded(name: str) -> tuple[str, ...]:
    """Return the resources that an operation demands, or () if it cannot be built from its name."""
    try:
        return tuple(operation_of(name).demands)
    except Exception:
        return ()


@cache
def sizes(name: str) -> tuple[str, ...]:
    """Return the sizes of an operation, or () if it cannot be built from its name."""
    try:
        return tuple(map(str, operation_of(OWN.get(name, name)).dims))
    except Exception:
        return ()


class Sentence:
    """A sentence under construction, with a fixed operation, chip and names, so that its parts usually fit together."""

    def __init__(self, r: Random) -> None:
        self.r = r
        self.op = r.choice(
            ["matmul", "mm", "mv", r.choice(operations()), r.choice(operations()), r.choice(operations())]
        )
        self.chip = r.choice([*USUAL, r.choice(chip_names())])
        self.resources = [*demanded(OWN.get(self.op, self.op)), "hbm", "memory", "bf16"]
        self.names = list(sizes(self.op) or ("B", "D", "F"))[:5] + r.sample(["x", "a", "R", "n"], r.randint(0, 2))

    def an(self, kind: str, depth: int, dimension: str = "") -> str:
        r = self.r
        if r.random() < 0.01:  # a wrong kind of argument
            kind = r.choice(["op", "chip", "resource", "word", "number", "name", "equation", "proposition", "set"])
        match kind:
            case "op":
                name = self.op if r.random() < 0.85 else r.choice(operations())
                if name not in OWN and r.random() < 0.15:
                    name = f"{name.partition(':')[0]}:{r.choice(FORMATS)}"
                return name if name in OWN or (name.isidentifier() and r.random() < 0.7) else f'"{name}"'
            case "chip":
                return self.chip if r.random() < 0.9 else r.choice(chip_names())
            case "resource":
                return r.choice(self.resources if r.random() < 0.9 else RESOURCES)
            case "word":
                return r.choice(WORDS[:3] if r.random() < 0.8 else WORDS)
            case "name":
                return r.choice(self.names)
            case "set":
                return "{" + ", ".join(str(r.choice([1, 2, 3, 4, 8, 64, 1000])) for _ in range(r.randint(1, 4))) + "}"
            case "equation":
                dimension = r.choice(list(OF))
                return f"{self.number(depth, dimension)} == {self.number(depth, dimension)}"
            case "proposition":
                return self.proposition(depth)
        return self.number(depth, dimension)

    def call(self, function: str, depth: int, dimension: str = "") -> str:
        kinds = [k.strip() for k in self.r.choice(FUNCTIONS[function].split("|")).split(",")]
        kept = [k.rstrip("?") for k in kinds if not k.endswith("?") or self.r.random() < 0.3]
        inner = [dimension if k == 0 or function in ("min", "max") else "" for k in range(len(kept))]
        return f"{function}({', '.join(self.an(k, depth - 1, d) for k, d in zip(kept, inner, strict=True))})"

    def number(self, depth: int, dimension: str = "") -> str:
        r, way = self.r, self.r.random()
        if r.random() < 0.01:
            dimension = r.choice(list(OF))
        if depth <= 0 or way < 0.15:
            plain = str(r.choice([0, 1, 2, 3, 7, 240, 4096, "1/2", "0.5", "2.40", "1e12", "10^30", "2^14", "pi"]))
            name = r.choice(self.names)
            with_unit = f"{r.choice([1, 2, 43.6, 240])} {r.choice(UNITS[dimension])}"
            return r.choice(
                [plain, name, f"{r.randint(2, 9)} {name}", with_unit]
                if not dimension
                else [with_unit, with_unit, plain]
            )
        if way < 0.55:
            return self.call(r.choice(OF[dimension]), depth)
        if way < 0.75:
            return self.call(r.choice(WORKED_OUT), depth, dimension)
        if way < 0.85:
            return f"{self.number(depth - 1, dimension)} {r.choice('+-')} {self.number(depth - 1, dimension)}"
        a, b, other = self.number(depth - 1, dimension), self.number(depth - 1), self.number(depth - 1)
        whole = [f"{b} * ({a})", f"({a}) / ({b})", f"{other} * ({a})"]
        return r.choice(whole if dimension else [*whole, f"({a})^2", f"2^{r.choice(self.names)}", f"({a})^({b})"])

    def comparison(self, depth: int) -> str:
        relation = self.r.choice(RELATIONS if self.r.random() < 0.3 else RELATIONS[:6])
        dimension = self.r.choice([*OF, "", "s", "FLOP/B"])
        left, right = self.number(depth, dimension), self.number(depth - self.r.randint(0, 1), dimension)
        if relation == "->" and self.r.random() < 0.3:
            right = "oo"
        chain = f" {self.r.choice(RELATIONS[2:4])} {self.number(0, dimension)}" if self.r.random() < 0.05 else ""
        return f"{left} {relation} {right}{chain}"

    def proposition(self, depth: int) -> str:
        r, way = self.r, self.r.random()
        if depth <= 0 or way < 0.6:
            return self.comparison(depth)
        if way < 0.75:
            return self.call(r.choice(PROPOSITIONS), depth)
        if way < 0.8:
            return f"not ({self.proposition(depth - 1)})"
        if way < 0.83:
            word = r.choice(["", " integer", " real"])
            return f"{r.choice(['exists', 'for all'])} {r.choice(self.names)}{word}: {self.proposition(depth - 1)}"
        joined = r.choice(["and", "or", "=>", "<=>", "<=>"])
        return f"({self.proposition(depth - 1)}) {joined} ({self.proposition(depth - 1)})"

    def given(self) -> str:
        r, found = self.r, []
        for name in self.names:
            sort = [f"{name} integer", f"{name} real", f"{name} >= 0", f"{name} >= 2", f"{name} in {{1, 2, 4096}}",
                    f"{name} <= 64", f"{name} > {r.choice(self.names)}", f"{name} == 4096"
                    f"{name} == 2 {r.choice(self.names)}", f"floor({name}/2) == {name}/2"]  # fmt: skip
            if r.random() < 0.25:
                found.append(r.choice(sort))
        return "; ".join(found)

    def regime(self) -> str:
        r, names = self.r, list(self.names)
        r.shuffle(names)
        several = f"{names[0]}, {names[-1]} >> {names[1]}" if len(names) > 2 else f"{names[0]} -> oo"
        return r.choice([f"{names[0]} -> oo", f"{names[0]} >> {names[-1]}" if len(names) > 1 else "x -> oo", several])

    def draft(self, of: str) -> Draft:
        r = self.r
        says = self.proposition(r.choice([1, 1, 2, 2, 3]))
        fixed = {
            n: str(r.choice([1, 2, 3, 64, 1000, 4096])) for n in self.names if r.random() < r.choice([0, 0, 0.6, 1])
        }
        regime = self.regime() if r.random() < (0.5 if "->" in says else 0.15) else ""
        if regime:
            fixed = {}
        return Draft(says, "anything", self.given() if r.random() < 0.4 else "", regime, fixed, OWN, OWN_CHIP, id=of)


def sentences(seed: int) -> Iterator[Draft]:
    """Yield sentences without end. The same seed gives the same sentences."""
    for k in count():
        yield Sentence(Random(f"{seed} {k}")).draft(f"e{seed}-{k}")
