"""For each place that reads text, an error names the option or the key, and the column in the typed text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofproof import judge, limit, op
from roofproof.agents import tools
from roofproof.audit.formulas import formula
from roofproof.claims.draft import draft_of
from roofproof.claims.language.book import Unusable, book_from_text
from roofproof.claims.values import value
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.formula.latex import read_latex
from roofproof.ops import parse_operation
from roofproof.trace.shapes import read as read_shapes

BAD = "§"  # a character that no parser accepts
Said = Callable[[str, Path, pytest.CaptureFixture[str]], str]


def raised(read: Callable[[str], object]) -> Said:
    def said(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
        with pytest.raises(RoofproofError) as problem:
            read(text)
        return str(problem.value)

    return said


def command(*words: str) -> Said:
    """Return a function that runs a command with the text in place of `TEXT` and returns its error message."""

    def said(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
        assert main([text if word == "TEXT" else word for word in words]) == 2
        out = capsys.readouterr()
        return out.err or out.out

    return said


def key(*lines: str) -> Said:
    """Return a function that returns the error message for a key of a claim."""

    def said(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
        rows = "\n".join(line.replace("TEXT", text) for line in lines)
        [claim] = book_from_text(f'[textbook]\ntitle = "t"\n{rows}\n', "book.toml").claims
        assert isinstance(claim, Unusable)
        return claim.message

    return said


def file(*lines: str) -> Said:
    """Return a function that returns the error message for an operation file."""

    def said(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
        path = folder / "own.toml"
        path.write_text("\n".join(line.replace("TEXT", text) for line in lines), encoding="utf-8")
        with pytest.raises(RoofproofError) as problem:
            parse_operation(str(path))
        return str(problem.value)

    return said


def listed(*lines: str) -> Said:
    """Return a function that returns the error message for a list of formulas."""

    def said(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
        path = folder / "list.formulas.toml"
        path.write_text("\n".join(line.replace("TEXT", text) for line in lines), encoding="utf-8")
        assert main(["audit", str(path)]) == 2
        return capsys.readouterr().out

    return said


CLAIM = "[[claim]]\nid = 'a'\nsays = '2 B > 1'"
EINSUM, DEMANDS = "x:bf16[B,D], w:bf16[D,§F] -> z:bf16[B,F]", "flops bf16 = 2 B § D; bytes hbm = B"
MATMUL = ("--op", "matmul", "--chip", "tpu-v5e", "--for", "B")
ENTRANCES: dict[str, tuple[Said, str, str]] = {
    # options and arguments of commands
    "derive OP, einsum": (command("derive", "TEXT"), EINSUM, "in 'x:bf16[B,D]"),
    "derive OP, amounts": (command("derive", "TEXT"), DEMANDS, "in 'flops bf16"),
    "derive OP, sharded": (command("derive", "TEXT"), "bf16[B_X,D] * bf16[D,§F] -> bf16[B_X,F]", "in 'bf16[B_X,D]"),
    "derive --where": (command("derive", "matmul", "--where", "TEXT"), "D > 2; B > 2 § D", "--where: "),
    "derive --regime": (command("derive", "matmul", "--for", "B", "--regime", "TEXT"), "D, F >> §B", "regime '"),
    "derive --at": (command("derive", "matmul", "--at", "TEXT"), "D=4096,F=4§", "size 'F=4§'"),
    "grade --op": (command("grade", "--op", "TEXT", "--for", "B", "--answer", "2"), EINSUM, "in 'x:bf16[B,D]"),
    "grade --answer": (command("grade", *MATMUL, "--answer", "TEXT"), "B > 2§4", "'§'"),
    "grade --tolerance": (command("grade", *MATMUL, "--answer", "2", "--tolerance", "TEXT"), "5 §", "tolerance '5 §'"),
    "floors --where": (command("time", "matmul", "--chip", "h100-sxm", "--where", "TEXT"), "B > §", "--where: "),
    "sweep --over": (command("sweep", "matmul", "--over", "TEXT"), "B=1:§", "'B=1:§'"),
    "audit FORMULA": (command("audit", "TEXT", "--op", "matmul"), " 2*B*(§D + 1)", "formula '"),
    "audit --names": (command("audit", "2*M", "--op", "matmul", "--names", "TEXT"), "M=B§", "M='B§'"),
    # keys of files
    "claim: says": (key("[[claim]]", "id = 'a'", "says = 'TEXT'"), "  2 B > § 1", "says: "),
    "claim: given": (key(CLAIM, "given = 'TEXT'"), "B > 1; § D > 2", "given: "),
    "claim: let": (key(CLAIM, "let = { R = 'TEXT' }"), "B + §", "let R: "),
    "claim: regime": (key(CLAIM, "regime = 'TEXT'"), "D >> §B", "regime: "),
    "claim: tolerance": (key(CLAIM, "tolerance = 'TEXT'"), "5 §", "tolerance '5 §'"),
    "claims: [ops]": (key(CLAIM.replace("2 B", "flops(mm)"), "[ops]", "mm = 'TEXT'"), EINSUM, "mm cannot be used"),
    "claims: [chips]": (
        key(CLAIM.replace("2 B", "rate(q, hbm)"), "[chips.q]", "hbm = 'TEXT'"), "8§ GB/s", "hbm: '8§ GB/s'"
    ),
    "operation: op": (file("op = 'TEXT'"), EINSUM, "own.toml, line 1: op: "),
    "operation: where": (file("op = 'matmul'", "where = 'TEXT'"), "B > §", "own.toml, line 2: where: "),
    "operation: reads": (file("[reads]", "x = 'TEXT'", "[flops]", "bf16 = 'B'"), "bf16[B,§D]", "line 2: reads.x: "),
    "operation: flops": (file("[flops]", "bf16 = 'TEXT'"), " 2 B + §", "own.toml, line 2: flops.bf16: "),
    "operation: bytes": (file("[flops]", "bf16 = 'B'", "[bytes]", "hbm = 'TEXT'"), "B §", "line 4: bytes.hbm: "),
    "operation: footprint": (file("[flops]", "bf16 = 'B'", "[footprint]", "vmem = 'TEXT'"), "B §", "footprint.vmem: "),
    "operation: blocks": (file("op = 'matmul'", "blocks = 'TEXT'"), "B/§2", "own.toml, line 2: blocks: "),
    "operation: sizes": (file("op = 'matmul'", "[sizes]", "B = 'TEXT'"), "§", "line 3: sizes.B: role 'B: §'"),
    "formulas: text": (
        listed("[[formula]]", "op = 'matmul'", "text = 'TEXT'"), "2*B + §", "list.formulas.toml, line 1: formula '"
    ),
    "formulas: names": (
        listed("[[formula]]", "op = 'matmul'", "text = '2*M'", "names = { M = 'TEXT' }"), "2*§B", "M='2*§B'"
    ),
    # text that a file or a program gives
    "chapter": (lambda text, *_: str(draft_of(text, "ch.md").unread[0].why), "$B > § 2$", ""),
    "LaTeX": (raised(read_latex), r"\frac{B}{2} > § 1", ""),
    "shapes of traced code": (raised(read_shapes), "x:bf16[B,§D]", "--shapes: "),
    "conditions of traced code": (raised(lambda text: read_shapes("x:bf16[B,D]", text)), "B > § 2", "--where: "),
    # tools of the MCP server
    "mcp op": (raised(lambda text: tools.derive(text)), EINSUM, "in 'x:bf16[B,D]"),
    "mcp at": (raised(lambda text: tools.derive("matmul", at=text)), "D=4§", "size 'D=4§'"),
    "mcp regime": (raised(lambda text: tools.derive("matmul", unknown="B", regime=text)), "D >> §B", "regime '"),
    "mcp judge": (raised(lambda text: tools.judge(text)), "2 B > § 1", "says: "),
    # Python functions
    "op": (raised(op), EINSUM, "in 'x:bf16[B,D]"),
    "judge says": (raised(judge), "2 B > § 1", "says: "),
    "judge given": (raised(lambda text: judge("2 B > 1", given=text)), "B > §", "given: "),
    "limit": (raised(lambda text: limit(text, "D -> oo")), "B § D", ""),
    "limit regime": (raised(lambda text: limit("B D", text)), "D >> §B", "regime '"),
    "value": (raised(value), "flops(matmul) § 2", ""),
    "formula": (raised(lambda text: formula(text, "B")), "2*B*§", "formula '"),
    "formula name": (raised(lambda text: formula("M", M=text)), "2*§", "M='2*§'"),
}  # fmt: skip


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_an_error_names_its_place(entrance: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said, text, named = ENTRANCES[entrance]
    message = said(text, tmp_path, capsys)
    assert named in message
    short = named.endswith("'") and BAD in named  # the entry itself is quoted
    assert short or f"column {text.strip('$').index(BAD) + 1}: " in message, message
