"""What an editor is told over standard input and output: lines that are wrong, values, names."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roofproof.editor.answers import completions, diagnostics, hover

PAGE = "---\nroofproof:\n  op: matmul\n---\n{claim}`flops(op) == 2 B D F`\n\n{derived}`2^10` {claim}`2 + 2 == 5`\n"
BOOK = '[[claim]]\nid = "a"\nsays = "1 < 2"\n\n[[claim]]\nid = "b"\nsays = "1 <"\n'


def test_lines_of_a_page_and_of_a_book() -> None:
    assert [(each.line, each.holds) for each in diagnostics(PAGE, "page.md")] == [(5, True), (7, True), (7, False)]
    assert [(each.line, each.holds) for each in diagnostics(BOOK, "b.claims.toml")] == [(1, True), (5, False)]
    assert [each.holds for each in diagnostics("[[claim", "b.claims.toml")] == [False]
    assert [each.line for each in diagnostics(PAGE.replace("op:", "opp:"), "page.md")] == [3]
    assert diagnostics(PAGE, "page.py") == ()


def test_the_exact_value_is_shown() -> None:
    said = hover(diagnostics(PAGE, "page.md"), 7)
    assert said is not None and "1024 = 2^10" in said and "exactly 4" in said
    assert hover(diagnostics(PAGE, "page.md"), 6) is None


@pytest.mark.parametrize(
    ("row", "file", "kinds"),
    [
        ("  chip: tpu", "page.md", {"chip"}), ("  op: ", "page.md", {"operation"}),
        ("so {claim}`flops(", "page.md", {"operation", "chip", "function"}), ("so flops(", "page.md", set()),
        ("says = \"flops(", "a.claims.toml", {"operation", "chip", "function"}),
    ],
)  # fmt: skip
def test_names_where_a_claim_is_written(row: str, file: str, kinds: set[str]) -> None:
    assert {kind for _, kind, _ in completions(row, file, 1, len(row))} == kinds


def test_a_header_longer_than_memory_is_refused_in_one_line() -> None:
    pytest.importorskip("pygls")
    command = [sys.executable, "-m", "roofproof", "editor"]
    done = subprocess.run(
        command, input=b"Content-Length: 99999999999999999999\r\n\r\n{}", capture_output=True, check=False
    )
    said = b"roofproof: the header of a message says that it is longer than memory"
    assert (done.returncode, done.stderr.splitlines()) == (2, [said])


def test_a_client_over_standard_input_and_output(tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="pygls is not installed; cure: pip install 'roofproof[editor]'")
    from lsprotocol import types
    from pygls.lsp.client import LanguageClient

    async def talk() -> tuple[Any, Any, Any]:
        client = LanguageClient("test", "1")
        published: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: types.PublishDiagnosticsParams) -> None:
            published.set_result(params)

        await client.start_io(sys.executable, "-m", "roofproof", "editor")
        await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        uri = (tmp_path / "page.md").as_uri()
        client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "markdown", 1, PAGE)))
        found = await asyncio.wait_for(published, 120)
        where = types.TextDocumentIdentifier(uri)
        shown = await client.text_document_hover_async(types.HoverParams(where, types.Position(6, 3)))
        names = await client.text_document_completion_async(types.CompletionParams(where, types.Position(4, 15)))
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()
        return found, shown, names

    found, shown, names = asyncio.run(talk())
    [problem] = found.diagnostics
    assert problem.range.start.line == 6 and "exactly 4" in problem.message
    assert "1024 = 2^10" in shown.contents.value
    assert {"matmul", "tpu-v5e"} <= {each.label for each in names}
