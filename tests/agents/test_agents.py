"""The MCP server: tool calls over standard input and output, time limits, and file access that is always denied."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from roofproof.agents.answering_process import AnsweringProcess
from roofproof.agents.server import ARGUMENTS, server, skill
from roofproof.agents.tools import TOOLS
from roofproof.apart import OutOfTime
from roofproof.errors import RoofproofError
from roofproof.ops.notation.stored import refuse_file_names

mcp = pytest.importorskip("mcp", reason="mcp is not installed; cure: pip install 'roofproof[mcp]'")
MATMUL = {"op": "matmul", "chip": "tpu-v5e", "unknown": "B", "at": "D=4096,F=4096"}


@pytest.fixture(scope="module")
def asked() -> Iterator[AnsweringProcess]:
    process = AnsweringProcess(60)
    yield process
    process.close()


def over_stdio(*calls: tuple[str, dict[str, Any]], options: tuple[str, ...] = ()) -> tuple[list[str], list[Any]]:
    """Start a server, and return the names of its tools and the results of the calls."""

    async def talk() -> tuple[list[str], list[Any]]:
        program = mcp.StdioServerParameters(command=sys.executable, args=["-m", "roofproof", "mcp", *options])
        async with mcp.Client(mcp.stdio_client(program)) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(talk())


def test_a_client_over_standard_input_and_output() -> None:
    names, (found, sizes, wrong, off, missing, unread, other) = over_stdio(
        ("threshold", MATMUL),
        ("threshold", {**MATMUL, "at": {"D": 4096, "F": 4096}}),
        ("judge", {"says": "intensity(op) == B", "op": "matmul"}),
        ("trace", {"function": "examples/gated.py:gated", "shapes": ""}),
        ("threshold", {"op": "matmul", "chip": "tpu-v5e"}),
        ("judge", {"says": "compute_bound(matmul, tpu-v5e) <=>"}),
        ("derive", {"op": "matmul", "chip": "tpu-v5e", "for": "B"}),
    )
    assert names == list(TOOLS)
    assert found.structured_content == sizes.structured_content
    assert found.structured_content["integer_at_point"] == 273
    assert "smallest integer B = 273" in found.content[0].text and not found.is_error
    assert any(each["hypotheses"] for each in found.structured_content["theorems"])
    assert wrong.structured_content["verdict"] == "refuted" and wrong.structured_content["counterexample"]
    assert off.is_error and "--allow-trace" in off.content[0].text
    assert missing.is_error and missing.content[0].text == (
        "threshold: unknown: field required; it is the size to solve for, such as B"
    )
    assert other.is_error and other.content[0].text == (
        "derive: no argument 'for'; it takes op, chip, unknown, at, regime, steps"
    )
    assert unread.is_error and unread.structured_content == {
        "stopped": False, "error": "says: column 35: the text is incomplete"
    }  # fmt: skip


def test_every_argument_is_described() -> None:
    taken = {name for tool in TOOLS.values() for name in signature(tool).parameters}
    assert taken == set(ARGUMENTS)
    assert all(f"`{name}`" in skill() for name in set(TOOLS) - {"trace"})


def test_a_question_out_of_time_is_stopped_and_the_next_one_answered() -> None:
    late, given = AnsweringProcess(0), {"text": "tpu-v5e"}
    try:
        with pytest.raises(OutOfTime, match="stopped: 'the question' did not end within 0 s"):
            late.answer("threshold", MATMUL)
        late._seconds = 60
        assert late.answer("chips", given)["data"] == {"chips": ["tpu-v5e"]}
    finally:
        late.close()


def test_stopped_is_no_verdict() -> None:
    async def talk() -> Any:
        async with mcp.Client(server(0)) as client:
            return await client.call_tool("judge", {"says": "1 < 2"})

    found = asyncio.run(talk())
    assert found.is_error and found.structured_content["stopped"] and "verdict" not in found.structured_content
    assert "this is no verdict" in found.content[0].text


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("derive", {"op": "examples/models/llama-3.1-8b.json:decode"}),
        ("floor", {"op": "matmul", "chip": "chip.toml"}),
        ("judge", {"says": 'flops("a.json:decode") > 0'}),
        ("judge", {"says": "x > 0", "let": "x = flops(a.json)"}),
        ("check", {"op": "a.json:decode", "answer": "1"}),
        ("chips", {"text": "/etc/chip.toml"}),
    ],
)
def test_no_file_is_read(tool: str, given: dict[str, Any]) -> None:
    with pytest.raises(RoofproofError, match="is a file, and files are not read here"):
        TOOLS[tool](**given)


def test_the_process_denies_files_itself(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("7")
    code = "from roofproof.agents.answering_process import answer; answer({'start': True}); "
    code += f"open({str(tmp_path / 'secret')!r})"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"TMPDIR": ""}, capture_output=True, text=True)
    assert "PermissionError" in done.stderr.splitlines()[-1]


def test_names_of_operations_are_no_files() -> None:
    refuse_file_names("matmul:int8", "decode-step:llama-3.1-8b", "bf16=1.97e14 FLOP/s, hbm=820 GB/s", "x.python < 2")


def test_values_of_a_claim(asked: AnsweringProcess) -> None:
    found = asked.answer("judge", {"says": "T < 3 ms", "let": "T = 2 ms; D == 4096"})["data"]
    assert found["verdict"] == "verified"
    with pytest.raises(RoofproofError, match="is not a name"):
        asked.answer("judge", {"says": "1 < 2", "let": '"]\nid = "x" = 3'})


def test_a_warm_answer_takes_less_than_a_second(asked: AnsweringProcess) -> None:
    calls = [
        ("threshold", MATMUL), ("floor", {"op": "matmul", "chip": "h100-sxm", "at": "B=1,D=4096,F=4096"}),
        ("judge", {"says": "compute_bound(op, chip) <=> B > 120", "op": "matmul", "chip": "tpu-v5e",
                   "regime": "D, F >> B"}),
        ("chips", {}), ("search_operations", {"text": "attention"}), ("derive", {"op": "softmax", "chip": "tpu-v5e"}),
    ]  # fmt: skip
    for name, given in calls:
        asked.answer(name, given)
    start = perf_counter()
    for name, given in calls:
        asked.answer(name, given)
    assert perf_counter() - start < len(calls)


def test_what_a_threshold_leaves_out_is_told() -> None:
    told = TOOLS["threshold"]("softmax:int8", "h100-sxm", "B", "N=2048").text
    assert "left out, as the chip has no spec: 4*B*N on int8-vector" in told
    assert "left out" not in TOOLS["threshold"]("softmax", "h100-sxm", "B", "N=2048").text
