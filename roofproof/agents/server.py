"""The MCP server, with one tool for each function in `tools`, over standard input and output."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.resources import files
from inspect import Parameter, getdoc, signature
from typing import Any

from roofproof.agents.answering_process import AnsweringProcess
from roofproof.agents.tools import TOOLS
from roofproof.apart import OutOfTime
from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

ARGUMENTS = {
    "op": "an operation: a name such as matmul (search_operations lists them), 'bf16[B,D], bf16[D,F] -> bf16[B,F]', "
    "or 'flops bf16 = 2 N; bytes memory = 12 N'; a claim calls it op",
    "chip": "a chip: a name such as h100-sxm (chips lists them), or specs, 'bf16=197 TFLOP/s, hbm=819 GB/s'; a "
    "claim calls it chip",
    "unknown": "the size to solve for, such as B",
    "at": "the other sizes, such as D=4096,F=4096",
    "regime": "the sizes that grow, such as 'D, F >> B'",
    "steps": "whether to print the proof line by line",
    "multiple_of": "round the integer answer up to a multiple of this",
    "says": "the claim, such as 'compute_bound(matmul, tpu-v5e) <=> B > 240'",
    "given": "assumptions, such as 'x >= 2; n integer'",
    "let": "values of names in the claim, such as 'T = 3 ms; D == 4096'",
    "tolerance": "the tolerance: '10 %', 'order of magnitude'; for an answer also 'digits' or 'exact'",
    "answer": "the answer to grade, in words, plain text or LaTeX",
    "asks": "the quantity asked for: threshold, smallest, largest, rule, intensity, flops, bytes, time, ridge, memory "
    "or bound",
    "lang": "en or zh",
    "text": "part of a name; without it, all are listed",
    "function": "FILE.py:FUNCTION on the machine of the server",
    "shapes": "shapes of the arguments, such as 'x:bf16[B,D], w:bf16[D,F]'",
    "where": "conditions on its sizes, such as 'k even; h = g*r'",
    "traffic": "the traffic model: fused, kernels or unfused",
}
OFF = "tracing runs the code of a file, and this server was started without it; start it with --allow-trace"


def skill() -> str:
    """Return the skill file, which explains when to use roofproof, which tool to call, and how to read the answer.

    >>> skill().splitlines()[1]
    'name: roofproof'
    """
    return files("roofproof.agents").joinpath("skill.md").read_text(encoding="utf-8")


def server(seconds: int, allow_trace: bool = False) -> MCPServer[Any]:
    """Return the server, which answers each question within `seconds`.

    Questions are answered one after another, in a child process without access to files. With `allow_trace`, a traced
    function runs in a separate process.
    """
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations
    from pydantic import ValidationError

    class Server(MCPServer[Any]):
        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            others = set(arguments) - {*signature(TOOLS[name]).parameters} if name in TOOLS else ()
            if others:
                return _result(*_refused(_unknown(name, sorted(others))), error=True)
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as problem:
                if not isinstance(problem.__cause__, ValidationError):
                    raise
                return _result(*_refused(_misused(name, problem.__cause__.errors())), error=True)

    made = Server(
        "roofproof", instructions=skill().split("---\n", 2)[2], version=version("roofproof"), log_level="WARNING"
    )
    one_thread = ThreadPoolExecutor(1)  # a child process ends with the thread that started it
    confined, traced = AnsweringProcess(seconds), AnsweringProcess(seconds, confined=False)
    one_thread.submit(confined.start)

    def asked(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name == "trace" and not allow_trace:
            raise RoofproofError(OFF)
        return (traced if name == "trace" else confined).answer(name, arguments)

    for name in TOOLS:
        made.add_tool(
            _tool(name, one_thread, asked), name=name, description=(getdoc(TOOLS[name]) or "").split("\n")[0],
            annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        )  # fmt: skip
    return made


def _tool(name: str, pool: ThreadPoolExecutor, asked: Any) -> Any:
    """Return a tool of the protocol, with the arguments of a function in `tools`, and text and data as its result."""
    from mcp.types import CallToolResult
    from pydantic import Field

    async def tool(**arguments: Any) -> Any:
        if isinstance(sizes := arguments.get("at"), dict):
            arguments["at"] = ",".join(f"{size}={value}" for size, value in sizes.items())
        try:
            found = await asyncio.wrap_future(pool.submit(asked, name, arguments))
        except OutOfTime as late:
            text = f"{late}; this is no verdict: ask for less, or start the server with more --seconds"
            return _result(*_refused(text, stopped=True), error=True)
        except RoofproofError as refused:
            return _result(*_refused(in_arguments(str(refused))), error=True)
        return _result(found["text"], found["data"])

    takes = [
        parameter.replace(annotation=_described(parameter, Field), kind=Parameter.KEYWORD_ONLY)
        for parameter in signature(TOOLS[name], eval_str=True).parameters.values()
    ]
    taken = signature(tool).replace(parameters=takes, return_annotation=CallToolResult)
    tool.__signature__ = taken  # type: ignore[attr-defined]
    tool.__name__ = name
    return tool


def in_arguments(text: str) -> str:
    """Return an error message with the arguments of a tool in place of command-line options.

    >>> in_arguments("--asks time needs a --chip"), in_arguments("name it with --for"), in_arguments("--allow-trace")
    ('`asks` time needs a `chip`', 'name it with `unknown`', '--allow-trace')
    """
    named = {"for": "unknown"} | {name: name for name in ARGUMENTS}
    return re.sub(rf"--({'|'.join(named)})(?![\w-])", lambda option: f"`{named[option[1]]}`", text)


def _refused(text: str, stopped: bool = False) -> tuple[str, dict[str, Any]]:
    return text, {"stopped": stopped, "error": text}


def _result(text: str, data: dict[str, Any], error: bool = False) -> Any:
    from mcp.types import CallToolResult, TextContent

    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data, is_error=error)


def _unknown(name: str, others: Iterable[str]) -> str:
    """Return a one-line message with the unknown arguments of a call, and those that the tool takes."""
    said = ", ".join(quoted(each) for each in others)
    return f"{name}: no argument {said}; it takes {', '.join(signature(TOOLS[name]).parameters)}"


def _misused(name: str, problems: Iterable[Any]) -> str:
    """Return a one-line message with the missing or invalid arguments of a call, and their descriptions."""
    said = []
    for problem in problems:
        argument = str(problem["loc"][0])
        said.append(f"{argument}: {str(problem['msg']).lower()}; it is {ARGUMENTS.get(argument, 'no argument of it')}")
    return f"{name}: {'; '.join(dict.fromkeys(said))}"


def _described(parameter: Parameter, field: Any) -> Any:
    from typing import Annotated

    kind = str | dict[str, int] if parameter.name == "at" else parameter.annotation
    return Annotated[kind, field(description=ARGUMENTS[parameter.name])]
