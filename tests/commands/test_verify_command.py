"""`roofproof verify`: exit statuses, reports, error messages, one bad claim among good ones, and proofs for solvers."""

import json
import time
from pathlib import Path

import pytest

from roofproof.cli import main


def claim(says: str, name: str = "a", more: str = "") -> str:
    return f"[[claim]]\nid = {json.dumps(name)}\nsays = {json.dumps(says)}\n{more}\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], text: str, *options: str) -> tuple[int, str, str]:
    """Verify a claims file, and return (exit status, standard output, standard error)."""
    Path("book.toml").write_text(text, encoding="utf-8")
    status = main(["verify", "book.toml", "--workers", "1", *options])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (claim("1 == 1"), 0),
        (claim("1 == 2", more='expect = "refuted"'), 0),
        (claim("1 == 2"), 1),
        (claim("1 == 1", more='expect = "refuted"'), 1),
        (claim("flops(matmul) == B D F", more='expect = "refuted"\nslip = "dropped-tensor"'), 1),  # another mistake
        (claim("1 +"), 2),
        (claim("1 ==") + claim("1 == 2", "b"), 2),
        ("[chips.c]\nhbm = '3 bananas'\n" + claim("1 == 1"), 2),  # though no claim uses it
    ],
)
def test_exit_status(text: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, text)[0] == status


def test_only(capsys: pytest.CaptureFixture[str]) -> None:
    book = claim("1 == 1") + claim("1 == 2", "b") + claim("1 < 2", "c")
    status, out, _ = run(capsys, book, "--json", "--only", "c", "--only", "a")
    assert status == 0
    assert [c["id"] for c in json.loads(out)["claims"]] == ["a", "c"]
    status, out, err = run(capsys, book, "--only", "bb")
    assert (status, out) == (2, "")
    assert err == "roofproof: unknown claim 'bb'; known: a, b, c\n" or "did you mean 'b'" in err


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, _ = run(capsys, claim("x_1 >= 2 x_1", more='source = "p. 3 <b>"'), "--report", "out.md")
    assert status == 1
    assert Path("out.md").read_text() == (
        "# Verdicts on book.toml\n\n| verdict | claims |\n|---|---|\n| refuted | 1 |\n\n"
        "## Errata\n\nWhat is wrong, with what is right.\n\n"
        "| where | about | printed | right | why |\n|---|---|---|---|---|\n"
        "| p. 3 &lt;b> |  | x_1 >= 2 x_1 |  | it fails at x_1 = 1 |\n\n### a: p. 3 \\<b\\>\n\n"
        "- claim: $x_1 \\geq 2x_1$\n- it fails at $x_1 = 1$\n"
        "- verdict: refuted, proved (expected verified)\n"
    )
    assert sorted(p.name for p in Path().iterdir()) == ["book.toml", "out.md"]  # no temporary file is left


@pytest.mark.parametrize("place", ["no/such/out.md", "folder"])
def test_a_report_is_written_whole_or_not_at_all(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder").mkdir()
    status, _, err = run(capsys, claim("1 == 1"), "--report", place)
    assert status == 2
    assert err.startswith(f"roofproof: cannot write '{place}': ") and err.count("\n") == 1
    assert sorted(p.name for p in Path().iterdir()) == ["book.toml", "folder"]


def test_one_broken_claim_never_stops_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    book = (
        claim("1 +", "bad") + claim("1 == 1", "good") + claim("ridge(t4, bf16) == 1", "late") + claim("2 > 1", "last")
    )
    status, out, err = run(capsys, book, "--json")
    assert status == 2
    assert [(c["id"], c["verdict"]) for c in json.loads(out)["claims"]] == [
        ("bad", "unusable"), ("good", "verified"), ("late", "unusable"), ("last", "verified")]  # fmt: skip
    first, second = err.splitlines()
    assert first == "roofproof: book.toml: claim 'bad': says: column 4: the text is incomplete"
    assert second.startswith("roofproof: book.toml: claim 'late': column 1: chip 't4' has no spec 'bf16'")


def test_a_fault_of_the_engine_stops_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import roofproof.claims.verifying as module

    def faulty(claim: object) -> None:
        raise ZeroDivisionError("inside\nof it")

    monkeypatch.setattr(module, "judge_with_slip", faulty)
    status, _, err = run(capsys, claim("1 == 1") + claim("2 == 2", "b"))
    assert status == 2
    assert err.count("\n") == 2 and "roofproof failed on this claim: ZeroDivisionError" in err


# content of the claims file: message, from the id on
UNUSABLE = {
    claim("1 == 1") * 2: "claim 'a': duplicate id; ids must be unique",
    claim("1 == 1", more='colour = "red"'): (
        "claim 'a': unknown field 'colour'; "
        "known: draft, expect, given, id, let, note, reason, regime, says, slip, source, tolerance"
    ),
    claim(
        "flosp(matmul) == 1"
    ): "claim 'a': says: column 1: unknown function 'flosp'; did you mean 'flops' or 'floor'?",
    claim("1 < flops(matmul, hbm, 3)"): ("claim 'a': says: column 5: expected flops(op[, resource]), got 3 arguments"),
    claim("В > 1"): (
        "claim 'a': says: column 1: 'В' is CYRILLIC CAPITAL LETTER VE; names are ASCII letters, digits and underscores"
    ),
    claim("9**9**9**9 > 1"): "claim 'a': says: column 7: the exponent '387420489' exceeds 64",
    claim("(" * 10_000 + "1" + ")" * 10_000 + " == 1"): (
        "claim 'a': says: a statement has 20006 characters; the limit is 10000"
    ),
    claim("1 == 1", more='let = { flops = "3" }'): (
        "claim 'a': let flops: 'flops' is a function of the language; choose another name"
    ),
    claim("x == 1", more='let = { x = "x + 1" }'): "claim 'a': let x: the definition of x uses x; remove the cycle",
    claim("x == 1", more='given = "x > 2; x < 1"'): (
        "claim 'a': given: the assumptions contradict each other: x > 2; x < 1"
    ),
    claim("n > 5", more='given = "n integer; n > 2; n < 3"'): (
        "claim 'a': given: the assumptions contradict each other: n integer; n > 2; n < 3"
    ),
    claim("1 == 2", more='slip = "dropped-tensors"'): (
        "claim 'a': unknown mistake 'dropped-tensors'; "
        "did you mean 'dropped-tensor' or 'dropped-size' or 'dropped-part'?"
    ),
    claim("__import__('os').system('true') == 0"): (
        "claim 'a': says: column 1: unknown function '__import__'; for a product write '__import__ * (...)'"
    ),
}


def test_a_sentence_in_the_place_of_a_file_is_told_where_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "intensity(matmul) > 3"]) == 2
    assert capsys.readouterr().err == (
        "roofproof: expected a claims file or page, got the sentence 'intensity(matmul) > 3'; put it into a .toml file "
        'under [[claim]], as id = "a" and says = "..."\n'
    )


def test_what_is_unknown_is_told_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    text = claim("flops(matmul, fp8) == 1") + claim("bytes(matmul, nvlink) == 1", "b")
    told = run(capsys, text, "--lang", "zh")[1]
    assert "matmul 的计算单元 'fp8'" in told and "matmul 的存储层级或互连 'nvlink'" in told


def test_an_operation_has_the_name_that_the_file_gives_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = "[ops]\nnorm = 'flops fp32-vector = 4 n; flops exp = n; bytes hbm = 4 n'\n" + claim("flops(norm) == n")
    assert (
        "norm has FLOPs of fp32-vector, exp, which are not added; ask for those of one unit, as in flops(norm, "
        in (run(capsys, text)[2])
    )


@pytest.mark.parametrize("text", UNUSABLE, ids=[m[:60] for m in UNUSABLE.values()])
def test_unusable_claims(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    start = time.monotonic()
    status, _, err = run(capsys, text)
    assert time.monotonic() - start < 10
    assert (status, err) == (2, f"roofproof: book.toml: {UNUSABLE[text]}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[claim]\n", ", line 1, column 8: not TOML: expected ']]' at the end of an array declaration"),
        ("#" * 17_000_000, ": larger than 16 MiB; split the claims file"),
        ("claim = 3", ": claims are tables that begin with [[claim]]"),
    ],
    ids=["not TOML", "10 MB", "no tables"],
)
def test_unusable_books(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    start = time.monotonic()
    assert run(capsys, text) == (2, "", f"roofproof: book.toml{message}\n")
    assert time.monotonic() - start < 10


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("((a + b)^50 + (c + d)^50)^50 == 1", "refuted"),
        (f"max({', '.join(f'x{i}' for i in range(30))}) > min({', '.join(f'x{i}' for i in range(30))})", "refuted"),
        ("sum(i, i, 1, 10^30) == 3", "refuted"),
        ("sum(i^20, i, 1, 20000) > 0", "verified"),
        ("smallest(n, ceil(n / 8) < 0) == 1", "refuted"),
        ("x^x > x/2", "undecided"),
    ],
    ids=["large power", "many arguments", "long sum", "sum of powers", "no integer", "open"],
)
def test_what_is_large_is_judged_soon(says: str, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    start = time.monotonic()
    status, out, err = run(capsys, claim(says, more=f'expect = "{kind}"'))
    assert (status, err) == (0, ""), out
    assert time.monotonic() - start < 10


# --- replaying ------------------------------------------------------------------------------------

BOOK = (
    claim("x + 1 > x and 1/3 == 0.3333", "S1/1", 'expect = "rounded"')
    + claim("x^2 > x + 1", "fails", 'expect = "refuted"')
    + claim("floor(floor(n / 2) / 2) >= floor(n / 4)", "whole", 'given = "n integer"')
    + claim("limit(x / (x + 1), x) == 1", "limit")
    + claim("", "opinion", 'expect="not-checkable"\nreason="r"')
)


def files(folder: str) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in Path(folder).rglob("*") if p.is_file())


def test_a_book_is_replayed_by_a_solver(capsys: pytest.CaptureFixture[str]) -> None:
    import z3

    assert run(capsys, BOOK, "--smtlib", "out")[0] == 0
    first, *rows = Path("out/index.txt").read_text().splitlines()
    assert first == "written by roofproof, one file a line"
    assert [row.partition(" proves")[0] for row in rows] == [
        "S1-1/01.smt2: unsat", "S1-1/02.smt2: unsat", "fails/01.smt2: sat", "whole/01.smt2: unsat",
        "limit/01.smt2: unsat", "limit/02.smt2: unsat"]  # fmt: skip
    assert files("out") == sorted([*(row.partition(":")[0] for row in rows), "index.txt"])
    for row in rows:
        name, expected = row.partition(" proves")[0].split(": ")
        solver = z3.Solver()
        solver.from_file(f"out/{name}")
        assert str(solver.check()) == expected, row


@pytest.mark.slow
def test_two_processes_tell_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    many = "".join(claim(f"x + {k} > x", f"c{k}") for k in range(1, 13))
    assert run(capsys, many, "--smtlib", "one")[0] == 0
    assert main(["verify", "book.toml", "--workers", "2", "--smtlib", "two"]) == 0
    assert files("one") == files("two") and len(files("one")) == 13
    assert all(Path("one", name).read_bytes() == Path("two", name).read_bytes() for name in files("one"))


@pytest.mark.parametrize("second", [["verify", "book.toml"], ["derive", "split-matmul", "--for", "D"]])
def test_nothing_of_an_earlier_run_stays(second: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, BOOK, "--smtlib", "out")[0] == 0
    Path("book.toml").write_text(claim("2 > 1", "b"), encoding="utf-8")
    assert main([*second, "--smtlib", "out"]) == 0
    kept = ["b/01.smt2", "index.txt"] if second[0] == "verify" else ["01.smt2", "index.txt"]
    assert files("out") == kept
    assert [p.name for p in Path("out").iterdir() if p.is_dir()] == ["b"] * (second[0] == "verify")


@pytest.mark.parametrize("command", [["verify", "book.toml", "--workers", "1"], ["derive", "matmul", "--for", "B"]])
@pytest.mark.parametrize("own", [False, True])
def test_what_is_not_ours_is_left_alone(command: list[str], own: bool, capsys: pytest.CaptureFixture[str]) -> None:
    Path("book.toml").write_text(claim("2 > 1"), encoding="utf-8")
    Path("out").mkdir()
    if own:
        assert main([*command, "--smtlib", "out"]) == 0
    Path("out/notes.txt").write_text("mine")
    before = {name: Path("out", name).read_text() for name in files("out")}
    capsys.readouterr()
    assert main([*command, "--smtlib", "out"]) == 2
    said = "roofproof: cannot write 'out': it holds other files, such as 'notes.txt'; name an empty folder\n"
    assert capsys.readouterr().err.endswith(said)
    assert {name: Path("out", name).read_text() for name in files("out")} == before


def test_all_files_or_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, claim("2 > 1", "old"), "--smtlib", "out")[0] == 0
    write = Path.write_text

    def full(self: Path, text: str, *rest: object, **named: object) -> int:
        if self.name == "02.smt2":
            raise OSError(28, "No space left on device")
        return write(self, text, *rest, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full)
        for folder in ("out", "new/out"):
            assert run(capsys, BOOK, "--smtlib", folder)[0] == 2
    assert files("out") == ["index.txt", "old/01.smt2"]
    assert not Path("new/out").exists()
