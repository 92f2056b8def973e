"""Tables of published times: each row held against the floor, which is proved; what is no table is refused."""

from fractions import Fraction
from pathlib import Path

import pytest

from roofproof.claims.language.book import Unusable, book_from_text, read_book
from roofproof.claims.results import exit_status
from roofproof.claims.verifying import verify
from roofproof.errors import RoofproofError
from roofproof.export.explain.verdicts import results_text

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "speed-of-light.toml"
PEAK, MEMORY, LINK = Fraction(13074 * 10**11), Fraction(53 * 10**11), Fraction(448 * 10**9)
BF16 = Fraction(989 * 10**12)  # of h100-sxm


def by_hand(which, m, n, k):
    """The floor of a chip of eight, in microseconds."""
    flops = Fraction(2 * m * n * k, 8)
    gathered, moved = (
        (m * k, m * k + n * k / 8 + m * n / 8) if which == "ag-gemm" else (m * n, (m + n) * k / 8 + m * n / 8)
    )
    return max(flops / PEAK, 2 * Fraction(moved) / MEMORY, Fraction(7, 8) * 2 * gathered / LINK) * 10**6


def rows():
    for claim in read_book(EXAMPLE).claims:
        sizes = [
            int(claim.let[name].text if hasattr(claim.let[name], "text") else str(claim.let[name].value))
            for name in "mnk"
        ]
        yield claim, sizes


def test_the_example_is_as_expected_and_its_factors_are_those_counted_by_hand():
    results = list(verify([str(EXAMPLE)]))
    assert exit_status(results) == 0 and len(results) == 12 and {r.verdict.trust for r in results} == {"kernel"}
    for result, (claim, sizes) in zip(results, rows(), strict=True):
        time = Fraction(claim.held.time.removesuffix(" us"))
        factor = time / by_hand(result.id.partition("/")[0], *sizes)
        assert f"{float(f'{float(factor):.5g}'):g} times the minimum" in result.verdict.note
    slow = {r.id: r.verdict.note.partition(" times")[0].rpartition(" ")[2] for r in results}
    assert (slow["ag-gemm/2"], slow["ag-gemm/5"], slow["ag-gemm/6"]) == ("3.0005", "3.5", "2.4937")


def test_without_the_factors_the_slow_rows_are_refuted():
    text = EXAMPLE.read_text().replace("slower\n", "other\n").replace('"has_bias"]', '"has_bias", "other"]')
    folder = EXAMPLE.parent
    claims = book_from_text(text, str(folder / "x.toml")).claims
    from roofproof.claims.judge.judge import judge

    kinds = {c.id: judge(c).kind for c in claims}
    assert [name for name, kind in kinds.items() if kind == "refuted"] == [
        "ag-gemm/2", "ag-gemm/5", "ag-gemm/6", "gemm-rs/1",
    ]  # fmt: skip


TABLE = """id,op,chip,time [us],B,D,F
fast,matmul,h100-sxm,10,1024,4096,4096
good,matmul,h100-sxm,50,1024,4096,4096
einsum,"x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]",h100-sxm,51.5,1024,4096,4096
"""


def test_measured_times_hold_unless_they_are_faster_than_the_floor(tmp_path):
    path = tmp_path / "times.csv"
    path.write_text(TABLE)
    results = list(verify([str(path)]))
    floor = 2 * 1024 * 4096 * 4096 / BF16 * 10**6
    assert [r.verdict.kind for r in results] == ["refuted", "verified", "verified"] and exit_status(results) == 1
    assert f"{float(50 / floor):.5g} times the minimum, {float(floor):.5g} us of bf16" == results[1].verdict.note
    said = "0.28784 of the minimum, 34.742 us of bf16: the time, a spec of h100-sxm or the count is wrong"
    assert results[0].verdict.note == said and results[0].verdict.slip is None
    chinese = results_text(results, "zh")
    assert (
        "仅为下限的 0.28784（bf16 需 34.742 us）" in chinese
        and "为下限的 1.4392 倍" in chinese
        and "the floor" not in chinese
    )


@pytest.mark.parametrize(
    "separated", ["B D F time[ms]\n1 2 3 4", "| B | D | F | time [ms] |\n|---|:--|--:|---|\n| 1 | 2 | 3 | 4 |"]
)
def test_tables_as_they_are_printed_are_read(separated):
    hold = f"[[hold]]\nid = 'a'\nop = 'matmul'\nchip = 'h100-sxm'\ntable = '''\n{separated}\n'''"
    [claim] = book_from_text(hold).claims
    assert claim.says == "lower(matmul, h100-sxm, warm) <= 4 ms" and list(claim.let) == ["B", "D", "F"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("time [us]", "t", "expected different columns, one of them time[us] or floor[us]; got"),
        ("time [us]", "time [min]", "unknown unit of time 'min'; known: ms, ns, s, us"),
        ("B,D,F", "B,B,F", "expected different columns"),
        (",10,", ",ten,", "time [us]: expected a number such as 24.58, got 'ten'"),
        (",10,", ",0.0,", "time [us]: expected a number such as 24.58, got '0.0'"),
        (",10,", ",-1,", "time [us]: expected a number such as 24.58, got '-1'"),
        (
            "10,1024",
            "10,1e3",
            "column 'B': expected a size, a whole number from 1, got '1e3'; a column that is no size",
        ),
        ("10,1024", "10,0", "column 'B': expected a size, a whole number from 1, got '0'"),
        ("10,1024,4096", "10,1024", "6 cells in a row; 7 columns have a name"),
        ("fast,matmul", "fast,", "op is missing: a column of the table, or a field of the hold"),
        ("h100-sxm,10", "h100 sxm,10", "op and chip: give texts with signs of their own a name, in [ops] and [chips]"),
        ("h100-sxm,10", "h100,10", "unknown chip 'h100'; did you mean 'h100-nvl'"),
        ("fast,matmul", "fast,matmull", "unknown operation 'matmull'; did you mean 'matmul'"),
        (
            "B,D,F",
            "B,D,G",
            "'G': the sizes of matmul are B, D, F, the columns B, D, G; give every size a column, and put",
        ),
        ("matmul", "dot", "'B': the sizes of dot are N, the columns B, D, F; give every size a column"),
    ],
)
def test_a_row_that_cannot_be_used_says_why(tmp_path, old, new, message):
    path = tmp_path / "times.csv"
    path.write_text(TABLE.replace(old, new, 1))
    try:
        first, *_ = read_book(path).claims
        assert isinstance(first, Unusable)
        said = first.message
    except RoofproofError as error:
        said = str(error)
    assert message in said and "\n" not in said and str(path) in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hold = 3", "book: tables of times begin with [[hold]]"),
        ("[[hold]]\nop = 'dot'", 'book: hold 1: id is missing, as in id = "all-gather"'),
        ("[[hold]]\nid = 'a'", "book: hold 'a': table is missing: lines of columns, the first their names"),
        ("[[hold]]\nid = 'a'\ntable = 'N time[us]'", "book: hold 'a': 0 rows; expected 1 to 2000"),
        ("[[hold]]\nid = 'a'\ntable = ''", "book: hold 'a': expected different columns, one of them time[us] or fl"),
        (
            "[[hold]]\nid = 'a'\ntable = 'x'\nstates = 'guess'",
            "book: hold 'a': states: unknown kind of time 'guess'; known: fl",
        ),
        ("[[hold]]\nid = 'a'\ntabel = 'x'", "book: hold 'a': unknown field 'tabel'; did you mean 'table'?"),
    ],
)
def test_what_is_no_table_is_refused(text, message):
    with pytest.raises(RoofproofError) as caught:
        book_from_text(text)
    assert str(caught.value).startswith(message)


def test_a_time_with_warm_caches_is_not_accused(tmp_path):
    lines = ("5,4000000", "2,16000000", "15,16000000")
    table = "\n".join(["op,chip,time[us],N", *(f"add:fp16,h100-sxm,{line}" for line in lines)])
    (tmp_path / "times.csv").write_text(table)  # 24 MB lie in 52.4 MB; of 96 MB 43.6 cross at 3.35 TB/s, in 13 us
    results = list(verify([str(tmp_path / "times.csv")]))
    assert [r.verdict.kind for r in results] == ["verified", "refuted", "verified"]
    assert {r.verdict.trust for r in results} == {"kernel"}
    rows = table.replace("\n", "\\n")
    cold = f'[[hold]]\nid = "t"\ncaches = "cold"\ntable = "{rows}"\n'
    (tmp_path / "cold.toml").write_text(cold)
    assert [r.verdict.kind for r in verify([str(tmp_path / "cold.toml")])] == ["refuted", "refuted", "refuted"]
    with pytest.raises(RoofproofError, match="caches: unknown kind of caches 'hot'; known: cold, warm"):
        book_from_text(cold.replace('"cold"', '"hot"'))
