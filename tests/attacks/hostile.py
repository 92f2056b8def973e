"""Hostile input: valid texts for every entry point, ways to spoil them, and the allowed outcomes."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from hostile_documents import LONGEST_MESSAGE, OF_DOCUMENTS, ROOT, check_message
from hostile_files import OF_FILES
from hostile_words import COMMANDS, FIGURES, LATEX, NASTY, REGIMES, SHAPES, SHARDED

SECONDS = 10  # processor time for one input
MEGABYTES = 500  # for the whole process
OUT = "out"  # the only file or folder that a command may write

TOKEN = re.compile(r"\s+|[A-Za-z]+|\d+|->|=>|<=>|[<>=!~]=|\\[A-Za-z]+|.", re.DOTALL)


@cache
def tokens(text: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(text))


def spoiled(text: str, others: list[str], random: Random) -> str:
    """Return a text with a few words moved, repeated, dropped, or replaced by fragments known to cause failures."""
    words = list(tokens(text))
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 6))):
        at = random.randrange(len(words) + 1)
        to = min(len(words), at + random.choice((0, 1, 1, 1, 2, 5)))
        other = tokens(random.choice(others))
        match random.randrange(10):
            case 0:
                del words[at:to]
            case 1:
                words[at:to] = [random.choice(NASTY)]
            case 2:
                words[at:at] = [random.choice(NASTY)]
            case 3 | 4 if other:
                words[at:to] = [random.choice(other)]
            case 5 if other:
                start = random.randrange(len(other))
                words[at:to] = other[start : start + random.randrange(1, 12)]
            case 6 if words:
                words[at:to] = words[at:to] * random.choice((2, 2, 3, 50, 300))
            case 7 if words:
                i, j = random.randrange(len(words)), random.randrange(len(words))
                words[i], words[j] = words[j], words[i]
            case 8:
                words[at:to] = ["(", *words[at:to], ")"] * random.choice((1, 1, 1, 9))
            case _ if words:
                i = min(at, len(words) - 1)
                if words[i].isascii() and words[i].isdigit():
                    words[i] = str(random.choice((0, 1, int(words[i][:9]) + 1, 10**18, 2**64, random.randrange(10**6))))
                elif words[i]:
                    k = random.randrange(len(words[i]))
                    sign = chr(random.choice((random.randrange(32, 127), random.randrange(0x250), 0x2264, 0x221A)))
                    words[i] = words[i][:k] + sign + words[i][k + 1 :]
    if random.random() < 0.02:
        del words[random.randrange(len(words) + 1) :]
    return "".join(words)[:20_000]


# --- entry points ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entrance:
    """An entry point for text: its reader, and valid texts to start from."""

    read: Callable[[str], object]
    corpus: Callable[[], list[str]]
    share: int  # per thousand inputs


def books() -> list[Path]:
    return sorted([*ROOT.glob("roofproof/claims/textbooks/*.toml"), *ROOT.glob("tests/data/*.toml")])


@cache
def said() -> dict[str, list[str]]:
    """Return every text in the claims files, by field."""
    found: dict[str, list[str]] = {k: [] for k in ("says", "given", "regime", "let", "ops", "claims")}
    for path in books():
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
        found["ops"] += [v for v in data.get("ops", {}).values() if isinstance(v, str)]
        for claim in data.get("claim", []):
            for field in ("says", "given", "regime"):
                found[field] += [claim[field]] if claim.get(field) else []
            found["let"] += [str(v) for v in claim.get("let", {}).values()]
        _head, *claims = re.split(r"(?m)^(?=\[\[claim\]\])", text)
        found["claims"] += [c for c in claims if len(c) < 1_500]
    return found


def operations() -> list[str]:
    from roofproof.ops import entries

    catalog = (ROOT / "roofproof/ops/library").glob("*.py")
    einsums = {t for p in catalog for t in re.findall(r'"([^"\n]*\]\s*->[^"\n]*)"', p.read_text(encoding="utf-8"))}
    return [
        *entries(), *said()["ops"], *sorted(einsums), "matmul:int8", "matmul:bf16@fp32", "bf16[N], bf16[N] -> []",
        "bf16[B,D], int8[D,F] -> bf16[B,F] @ bf16 acc fp32", "flops bf16 = 2 B D F; bytes hbm = 2 B D + 2 D F + 2 B F",
        "flops bf16 = N^3 + max(N, M); bytes hbm = 2 N^2; bytes ici = N log2(N)", "all-reduce:n=8",
        "fsdp:X=16,part=step", "attention:d=128", "decode-step:llama-3-8b",
    ]  # fmt: skip


def _texts(field: str) -> Callable[[], list[str]]:
    return lambda: said()[field]


def _chip_files() -> list[str]:
    calibrated = (ROOT / "examples/measured/h100.toml").read_text(encoding="utf-8")
    return [
        calibrated,
        *(p.read_text(encoding="utf-8")[:4_000] for p in sorted(ROOT.glob("roofproof/hardware/data/*.toml"))),
    ]


def _examples() -> list[str]:
    """Return the commands of COMMANDS, the README and the docs, except those that run user code."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md")]
    shown = [c for p in pages for c in re.findall(r"(?m)^\$ roofproof (.*)$", p.read_text(encoding="utf-8"))]
    own = [c for c in shown if not c.startswith("audit") and ".py:" not in c]
    return COMMANDS + [c for c in own if c.count("'") % 2 == 0 and not c.endswith("\\")]  # only commands on one line


def _expression(text: str) -> object:
    from roofproof.formula.to_sympy import parse_expression

    return parse_expression(text)


def _operation(text: str) -> object:
    from roofproof.ops import parse_operation

    op = parse_operation(text)
    return op.flops, op.bytes(), str(op)


def _sharded(text: str) -> object:
    from roofproof.ops.network.sharded import sharded_einsum

    return sharded_einsum(text).operation("asked").demands


def _proposition(text: str) -> object:
    from roofproof.formula.printing import to_text
    from roofproof.formula.reader import read_statement

    node = read_statement(text, {"B"})
    again = to_text(read_statement(to_text(node), {"B"}))
    assert again == to_text(node), (to_text(node), again)
    return node


def _given(text: str) -> object:
    from roofproof.formula.conditions import read_conditions

    return read_conditions(text)


def _latex(text: str) -> object:
    from roofproof.formula.latex import read_latex

    return read_latex(text, {"B", "D", "F"})


def _regime(text: str) -> object:
    from roofproof.derive import Regime
    from roofproof.derive.limits.limits import limit
    from roofproof.symbols import quantity

    regime = Regime(text)
    assert Regime(regime.text).stages == regime.stages, regime.text
    b, d, f = map(quantity, "BDF")
    return limit(b * d * f / (b * d + d * f + b * f), regime)


def _book(text: str) -> object:
    from roofproof.claims.language.book import book_from_text

    read = book_from_text(text, "x.toml")
    messages = [*read.problems, *(c.message for c in read.claims if hasattr(c, "message"))]
    for message in messages:
        check_message(message)
    return read


def _chip_text(text: str) -> object:
    from roofproof.hardware import any_chip

    return any_chip(text if not text.endswith(".toml") else text + " ")


def _chip_file(text: str) -> object:
    from roofproof.hardware.reading import chip_from_toml

    return chip_from_toml("x", text.encode("utf-8", "surrogateescape"), "x.toml").supplies


def _model_configuration(text: str) -> object:
    from roofproof.ops.models.config_json.reading import config_from_text

    return config_from_text(text.encode("utf-8", "surrogateescape"), "x.json")


def _model_configurations() -> list[str]:
    return [p.read_text(encoding="utf-8") for p in sorted(ROOT.glob("examples/models/*.json"))]


def _operation_file(text: str) -> object:
    from roofproof.ops import parse_operation
    from roofproof.ops.notation.operation_file import Description

    path = str(ROOT / "examples/operations/x.toml")
    return Description.read(text.encode("utf-8", "surrogateescape"), Path(path), parse_operation)().demands


def _operation_files() -> list[str]:
    return [p.read_text(encoding="utf-8") for p in sorted(ROOT.glob("examples/operations/*.toml"))]


def _conditions(text: str) -> object:
    from roofproof.ops import parse_operation
    from roofproof.ops.notation.where import with_conditions

    return with_conditions(parse_operation("matmul"), text).demands


def _sizes(text: str) -> object:
    from roofproof.ops.notation.sizes import sizes_from

    return sizes_from([text])


def _shapes(text: str) -> object:
    from roofproof.trace.shapes import read

    shapes, _, where = text.partition("@")
    return read(shapes, where)


def _manifest(text: str) -> object:
    from roofproof.times.problems import manifest_from

    path = ROOT / ("x.toml" if "[[" in text else "x.csv")
    found = manifest_from(text.encode("utf-8", "surrogateescape"), path)
    for one in found:
        check_message(one.error)
    return found


def _manifests() -> list[str]:
    return [(ROOT / "examples/floors.toml").read_text(encoding="utf-8"), "name,op,at\na,matmul,B=8\nb,dot,N=3\n"]


def _times(text: str) -> object:
    from roofproof.times.tables import times_from_text

    return times_from_text(text, "x.csv")


def _measured() -> list[str]:
    files = [ROOT / "examples/floors_times.csv", *sorted(ROOT.glob("examples/measured/*.[ct]sv"))]
    return [p.read_text(encoding="utf-8")[:3000].rpartition("\n")[0] for p in files] + [
        '[{"m": 64, "n": 128, "k": 8, "median_us": 3.5}, {"m": 64, "n": 128, "k": 9, "median_us": 3.6}]'
    ]


def _formula(text: str) -> object:
    from roofproof.audit.formulas import formula

    return formula(text, B="B", D="D", F="F", n=7)


def _definition(text: str) -> object:
    from roofproof.times.problems import definition_from

    found = definition_from(text.encode("utf-8", "surrogateescape"), Path("x/definition.json"))
    check_message(found.error)
    return found


def _definitions() -> list[str]:
    return [p.read_text(encoding="utf-8") for p in sorted(ROOT.glob("examples/**/definition.json"))]


def _formulas(text: str) -> object:
    from roofproof.audit.guard import audit_list_from

    found = list(audit_list_from(text.encode("utf-8", "surrogateescape"), ROOT / "x.toml"))
    for one in found:
        check_message(one.error)
    return found


def _lists_of_formulas() -> list[str]:
    _, *entries = (ROOT / "examples/errata.formulas.toml").read_text(encoding="utf-8").split("[[formula]]")
    return [f"[[formula]]{entry}" for entry in entries]


def _bound(text: str) -> object:
    from roofproof.bounds import bound
    from roofproof.hardware.quantities import parse_quantity
    from roofproof.ops import parse_operation

    op, _, memory = text.partition("@")
    return bound(parse_operation(op), parse_quantity(memory or "228KiB", "B"))


def _answer(text: str) -> object:
    from roofproof import op
    from roofproof.claims.answers.grade import grade
    from roofproof.claims.answers.question import Question

    return [grade(Question(op("matmul"), None, *rest), text).grade for rest in (("B",), (None, "D, F >> B"))]


def _claim(text: str) -> object:
    """Verify up to two claims with the small step budget of a mistake search."""
    from roofproof.claims.judge.judge import judge_quietly
    from roofproof.claims.language.book import book_from_text

    for claim in book_from_text(text, "x.toml").claims[:2]:
        if not hasattr(claim, "message"):
            found = judge_quietly(claim, quick=True)
            check_message(found.note, longest=4 * LONGEST_MESSAGE)
    return None


def _here(function: str, op: str, quantity: str, chip: str | None, seconds: int, lang: str) -> tuple[bool, str]:
    """Audit in this process, because the test may not start another. `tame` admits only known functions."""
    import math

    from roofproof.audit.audits import audit
    from roofproof.commands.audit import check_name
    from roofproof.errors import RoofproofError
    from roofproof.export.explain.audits import explain_audit
    from roofproof.export.to_text import untitled_text
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    check_name(function)
    if function != "math:gcd":
        raise RoofproofError(f"cannot load {function!r}: it is not known")
    found = audit(math.gcd, parse_operation(op), quantity, None if chip is None else any_chip(chip))
    return found.same, untitled_text(explain_audit(found))


def _command(text: str) -> object:
    """Run a command line, given as one word per line, with its output encoded as for a terminal."""
    import contextlib
    import io
    from unittest.mock import patch

    from roofproof.cli import main
    from roofproof.commands import audit

    words = tame(text.split("\n"))
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="surrogateescape")
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), patch.object(audit, "audit_apart", _here):
        try:
            status = main(words)
        except SystemExit as stop:
            status = stop.code
    out.flush()
    err.flush()
    told = err.buffer.getvalue().decode()
    assert status in (0, 1, 2, None), status
    assert "the engine failed" not in told, told
    assert "Traceback" not in told, told
    for line in told.splitlines():
        assert line.startswith("roofproof: "), told[:500]
        check_message(line)
    # Status 2 with output: an unreadable answer, or unusable problems and formulas.
    said = {"check", "grade", "floors", "time", "audit"} & {*words}
    unread = bool(said) and status == 2 and bool(out.buffer.getvalue())
    assert (status == 2) == bool(told or unread), (status, told)
    assert len(out.buffer.getvalue()) < 5_000_000
    return status


def tame(words: list[str]) -> list[str]:
    """Restrict a command line: it writes only to files named `out`, loads no named module, and starts no process.

    Requests for long work are cut short: an atlas to one chip, a sweep to small ranges.
    """
    made, option = [], ""
    for word in words:
        name, equals, value = word.partition("=")
        if option:
            made.append(_tamed(option, word))
            option = ""
        elif name in _TAMED and equals:
            made.append(f"{name}={_tamed(name, value)}")
        else:
            made.append(word)
            option = word if word in _TAMED else ""
    command = next((w for w in made if not w.startswith("-")), "")
    if command == "audit":
        return ["nowhere:" + w.replace(":", "") if ":" in w and w != "math:gcd" else w for w in made]
    if command == "verify" and not any(w.startswith("--workers") for w in made):
        return [*made, "--workers=1"]
    if command in ("atlas", "table") or any(w.startswith("--as") for w in made):
        return [*made, "matmul", "--for=B"] + ([] if any(w.startswith("--chip") for w in made) else ["--chip=tpu-v5e"])
    if command == "plot" and not any(w.startswith("-o") for w in made):
        return [*made, "-o", f"{OUT}.svg"]
    return made


_TAMED = ("--smtlib", "--certificate", "--report", "-o", "--output", "--workers", "--over")


def _tamed(option: str, value: str) -> str:
    if option == "--workers":
        return value if re.fullmatch("1?|[^0-9]+", value) and "tcp" not in value else "1"
    if option == "--over":
        return re.sub(r"[0-9]{3,}", "99", value)
    return OUT + "".join(re.findall(r"\.(?:tex|csv|npz|parquet|svg|md|xyz)$", value))


ENTRANCES: dict[str, Entrance] = {
    "expression": Entrance(_expression, _texts("let"), 130),
    "operation": Entrance(_operation, operations, 130),
    "sharding": Entrance(_sharded, lambda: SHARDED, 60),
    "proposition": Entrance(_proposition, _texts("says"), 150),
    "given": Entrance(_given, _texts("given"), 60),
    "latex": Entrance(_latex, lambda: LATEX, 134),
    "regime": Entrance(_regime, lambda: REGIMES + said()["regime"], 80),
    "book": Entrance(_book, _texts("claims"), 80),
    "chip text": Entrance(_chip_text, lambda: FIGURES, 60),
    "chip file": Entrance(_chip_file, _chip_files, 40),
    "model configuration": Entrance(_model_configuration, _model_configurations, 40),
    "operation file": Entrance(_operation_file, _operation_files, 30),
    "conditions": Entrance(_conditions, lambda: ["F = 4 D; 128 divides D", "B even; F <= D", "D = 8*B/F; 2|B"], 20),
    "sizes": Entrance(_sizes, lambda: ["D=4096,F=4096", "B=1", "D = 4096 , F=8"], 30),
    "shapes": Entrance(_shapes, lambda: SHAPES, 20),
    "manifest": Entrance(_manifest, _manifests, 20),
    "measured times": Entrance(_times, _measured, 20),
    "formula": Entrance(
        _formula, lambda: ["int(10*B*D*F/3) + (B + 127) // 128 * 0.5e3", "max(B, D % n) if n else log2(F)**2"], 8
    ),
    "definition": Entrance(_definition, _definitions, 20),
    "list of formulas": Entrance(_formulas, _lists_of_formulas, 8),
    "bound": Entrance(_bound, lambda: ["matmul@1KiB", "bf16[B,D], bf16[D,F] -> bf16[B,F]@64KiB", "dot@8KiB"], 8),
    **{name: Entrance(*entrance) for name, entrance in (OF_DOCUMENTS | OF_FILES).items()},
    "command line": Entrance(_command, lambda: ["\n".join(shlex.split(c)) for c in _examples()], 30),
    "answer": Entrance(_answer, lambda: [*LATEX, "B > 240", "B > R D F/(D F - R (D + F))", "never", "300"], 8),
    "claim": Entrance(_claim, _texts("claims"), 8),
}


def inputs(count: int, seed: int, names: list[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield (entry point, text): one text in twenty unchanged from the corpus, the others spoiled."""
    random = Random(seed)
    chosen = list(names or ENTRANCES)
    shares = [ENTRANCES[n].share for n in chosen]
    for _ in range(count):
        name = random.choices(chosen, shares)[0]
        corpus = ENTRANCES[name].corpus()
        text = random.choice(corpus)
        if name == "command line":
            words = text.split("\n")
            if random.random() < 0.9:
                i = random.randrange(len(words))
                words[i] = spoiled(words[i], said()["says"] if random.random() < 0.1 else REGIMES + FIGURES, random)
            if random.random() < 0.3:
                more = random.choice((*NASTY, *random.choice(corpus).split("\n")))
                words.insert(random.randrange(len(words) + 1), more)
            text = "\n".join(words)
        elif random.random() < 0.95:
            text = spoiled(text, corpus, random)
        yield name, text
