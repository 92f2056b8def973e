"""The first line that each command prints, which is its answer in English or Chinese, and errors that name the fix."""

import re
import shlex
from pathlib import Path

import pytest

from roofproof.cli import main
from roofproof.commands.usage import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SIZES = "--at B=512,D=4096,F=4096"
FIRST = [  # (command, first line in English, part of the first line in Chinese)
    ("derive matmul --chip h100-sxm --for B --at D=4096,F=4096", r"compute-bound for B >= 345 .* \[proved\]",
     "计算受限"),
    ("derive matmul --chip tpu-v5e,h100-sxm --for B --at D=4096,F=4096",
     r"matmul: compute-bound for B >= 273 on tpu-v5e, B >= 345 on h100-sxm at .* \[proved\]",
     "当 tpu-v5e 上 B >= 273、h100-sxm 上 B >= 345 时计算受限"),
    ("derive fft --chip h100-sxm --for N", r"compute-bound for N >= \d+ .*more than the memory of",
     "超出"),
    ("derive softmax", r"I = 1 FLOP/B of fp32-vector, 1/4 FLOP/B of exp \[proved\]", "I = 1 FLOP/B（fp32-vector）"),
    (f"traffic matmul --memory 228KiB {SIZES.replace('512', '4096')}",
     r"at least 804 MB for any schedule; a tile of B = 340, F = 340 moves 906 MB \[proved, given",
     "任何调度至少搬运 804 MB"),
    ("traffic 'bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]'",
     r"at least 16\*a\*b\*c\*d/M - M bytes for any schedule that multiplies all 3 tensors at once",
     "一起相乘"),
    ("derive matmul --chip h100-sxm --for B --at D=4096,F=4096 --where 'B in {100, 400, 500}'",
     r"compute-bound for B >= 400 and \(B = 100 or B = 400 or B = 500\) \(B > 344.95\) on h100-sxm", "计算受限"),
    ("time matmul --chip h100-sxm --at B=1Mi,D=1Mi,F=1Mi --measured '1 s'",
     r"minimum 2.331 ks .*; measured 1 s = 0.000429 x minimum: beyond the model", "0.000429"),
    ("traffic dot", r"at least 4\*N \+ 2 bytes for any schedule; .* \[proved\]", "任何调度至少搬运 4*N + 2 字节"),
    (f"time matmul --chip h100-sxm {SIZES} --measured '24 us'",
     r"minimum 17.37 us \(bf16\) at .*; measured 24 us = 1.382 x minimum: possible", "最短时间 17.37 us"),
    (f"time matmul --chip h100-sxm {SIZES} --measured '9 us'", r"minimum .* = 0.518 x minimum: impossible", "不可能"),
    ("verify examples/chapter.claims.toml", r"3 checked: 3 right", "检查了 3 条：3 条正确"),
    ("grade --op matmul --asks flops --answer BDF", r"Wrong\. Probable mistake: a multiply-add",
     "可能的错误"),
    ("grade --op matmul --asks flops --answer 2BDF", r"Right\.", "正确"),
    ("audit '2*M*N*K' --op matmul --names M=B,N=F,K=D", r"equal, for all sizes", "对一切尺寸相等"),
    ("audit '2*M*N*K + M*N' --op matmul --names M=B,N=F,K=D", r"differs: subtract B\*F", "应减去 B*F"),
    ("time 'flops bf16 = 6 N' --chip 'bf16=1 MFLOP/s, hbm=1 MB/s' --at N=1 --measured '5.9999999 us'",
     r"minimum 6 us \(bf16\) at N = 1; measured 5.999 us, just below the minimum: impossible", "略低于最短时间"),
    ("show matmul", r"matmul: matrix times matrix", "matmul"),
    ("show all-reduce:link=dcn", r"all-reduce:link=dcn: all-reduce over a ring", "all-reduce"),
]  # fmt: skip
NO_LANGUAGE = [
    (
        "calibrate examples/measured/products_h100.csv --chip h100-sxm",
        r"peak 78.9 %, bandwidth 76.1 %, start 8.48 us; ",
    ),
    ("sweep matmul --over B=1:64 --at D=16,F=16 -o {}/x.csv", r"wrote 64 rows to \S*x\.csv"),
    ("plot matmul --chip tpu-v5e -o {}/x.svg", r"wrote \S*x\.svg"),
    ("slides matmul --chip tpu-v5e -o {}/x.tex", r"wrote \d+ slides to \S*x\.tex"),
    ("draft examples/chapter.md -o {}/d.toml", r"\d+ formulas: \d+ claims, \d+ without a claim \(listed below\)"),
    ("tools latex {}", r"wrote \S*roofproof\.sty"),
    ("exercises", r"edge-llm"),
]
CURES = [
    ("time matmul --chip h100-sxm --at D=4096", "no value for B, F; add --at B=256,D=4096,F=4096"),
    ("time matmul --chip h100-sxm --measured 24", "expected a time in s, ms, us or ns, such as '14 us', or a file"),
    ("time matmul --chip h100-sxm --measured '2 min'", "expected a time in s, ms, us or ns, such as '14 us', or a"),
    ("time matmul --chip h100-sxm --measured=.5us", "expected a time in s, ms, us or ns, such as '14 us', or a file"),
    ("derive matmul --chip h100-sxm --at 'D=4096 F=4096'", "put commas between them, such as D=4096,F=4096"),
    ("derive matmul --chip h100-sxm --steps", "--steps requires --for"),
    ("derive matmul --json --latex", "use only one of --json, --latex"),
    ("derive matmul --for B --chip h100-sxm --as table --json", "--as table takes no --json; leave it out"),
    ("derive matmul --chip h100-sxm,tpu-v5e --latex", "--as list takes no --latex; leave it out"),
    ("derive matmul --chip h100-sxm --as list --regime 'D, F >> B'", "--as list takes no --regime; leave it out"),
    ("derive conv2d", "did you mean 'convolution'?"),
    ("derive nothing-like-it", "list them with `roofproof show operations`"),
    ("slides rooflines -o x.tex", "rooflines is a course; use --course rooflines"),
    ("exercises rooflines", "--to is missing; expected gift, latex"),
    ("traffic softmax --memory 1MiB", "softmax is not a plain product of tensors"),
    ("sweep matmul --over B=0:4", "expected sizes from 1 to 2^53, smallest first, such as B=1:4096"),
    ("audit '2*M*N*K' --op matmul", "unknown name 'M'; known: B, D, F; map it, as in --names M=SIZE"),
    ("verify examples/chapter.md", "roofproof draft FILE -o NEW.claims.toml"),
    ("grade --op matmul --chip h100-sxm --answer 'B > 3'", "for another quantity add --for or --asks"),
]


def first(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(shlex.split(command)) in (0, 1)
    return capsys.readouterr().out.splitlines()[0]


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("command", "line", "chinese"), FIRST)
def test_the_first_line_is_the_answer(
    command: str, line: str, chinese: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert re.match(line, first(command, capsys))
    assert chinese in first(f"{command} --lang zh", capsys)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("command", "line"), NO_LANGUAGE)
def test_the_first_line_says_what_came_out_or_was_written(
    command: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert re.match(line, first(command.format(tmp_path), capsys))


@pytest.mark.parametrize(("command", "cure"), CURES)
def test_an_error_names_the_cure(command: str, cure: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)) == 2
    printed = capsys.readouterr()
    assert cure in printed.err + printed.out


def test_most_commands_are_here() -> None:
    asked = {command.split()[0] for command, *_ in (*FIRST, *NO_LANGUAGE)}
    assert set(COMMANDS) - asked == {"trace", "site", "mcp"}  # traced code, a folder of pages, a server


IN_GENERAL = [  # answers for all sizes: a symbolic ridge point, one `when`, no vacuous bound
    ("stencil7 --for N", "compute-bound for every N when R < 1/2 [proved]"),
    ("latent-prefill --for L", "compute-bound for L above a threshold [proved]"),
    ("blocked-stencil --for N", "compute-bound for some N, in 1 of 2 cases [proved]"),
    ("attention-core --for L --chip h100-sxm",
     "compute-bound for L > 2*R*k/(k - 2*R) when R < k/2 on h100-sxm [proved]"),
    ("latent-attention --for B --chip h100-sxm",
     "compute-bound for every B when R*(c + p) < h*(p + 2*c) and S >> B on h100-sxm [proved]"),
    ("decode-attention --for B --chip h100-sxm",
     "compute-bound for every B when r > 295.22 and S >> B on h100-sxm [proved]"),
    ("matvec --for D", "compute-bound for D > R/(1 - R) when R < 1 and F >> D [proved]"),
    ("sliding-window-attention --for W",
     "compute-bound for W >= 2*R when R < 1/2, or W > 2*R when R >= 1/2, as L >> W [proved]"),
    ("causal-attention --for L",
     "compute-bound for L > 4*R - 1 when R > 1/4, or every L when R <= 1/4 [proved]"),
    ("causal-attention --for L --regime 'L -> oo'", "compute-bound when L -> oo [proved]"),
    ("stencil7 --for N --lang zh", "R < 1/2 的情形下，对任何 N 都计算受限 [已证明]"),
    ("matmul --chip h100-sxm --at B=8,D=8,F=8",
     "minimum 114.62 ps (memory) on h100-sxm at B = 8, D = 8, F = 8 [proved]"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "line"), IN_GENERAL)
def test_the_first_line_for_all_sizes(command: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert first(f"derive {command}", capsys) == line


WORDS = [("conv2d", "convolution: "), ("gemm", "matmul: "), ("rmsnorm", "rms-norm: "), ("卷积", "convolution"),
         ("注意力", "attention"), ("flash attention", "Attention"), ("nvidia", "NVIDIA")]  # fmt: skip


@pytest.mark.parametrize(("words", "line"), WORDS)
def test_show_finds_by_words(words: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", words]) == 0
    assert line in capsys.readouterr().out


@pytest.mark.parametrize("name", ["matmul", "softmax", "stream-triad", "all-reduce"])
def test_show_says_what_letters_mean_and_where_to_start(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", name]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"sizes +\w+ = [a-z ]+, such as \d+", shown)
    [start] = re.findall(r"start with  roofproof (.*)", shown)
    assert main(shlex.split(start)) == 0


@pytest.mark.parametrize(
    ("other", "english"), [("all-reduce:algorithm=tree,n=8", "by a tree"), ("all-reduce:link=dcn,n=8", "over ici")]
)
def test_a_comparison_of_collectives_is_chinese(other: str, english: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "all-reduce:n=8", "--faster-than", other, "--for", "V", "--lang", "zh"]) == 0
    assert english not in capsys.readouterr().out


@pytest.mark.parametrize("what", ["operations", "softmax", "fft", "flash-attention"])
def test_show_has_no_tex_in_chinese(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", what, "--lang", "zh"]) == 0
    assert not set("\\${}") & set(capsys.readouterr().out)
