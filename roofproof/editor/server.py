"""The server for editors: claims are judged when a file is opened or saved, and told at their lines."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import TYPE_CHECKING

from roofproof.editor.answers import Diagnostic, completions, diagnostics, hover

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


def server() -> LanguageServer:
    """Return the server, to be started by `start_io`."""
    from lsprotocol import types
    from pygls.lsp.server import LanguageServer

    made = LanguageServer("roofproof", version("roofproof"), text_document_sync_kind=types.TextDocumentSyncKind.Full)
    one_by_one = ThreadPoolExecutor(1)
    known: dict[str, tuple[Diagnostic, ...]] = {}

    async def judge(uri: str) -> None:
        document = made.workspace.get_text_document(uri)
        text, asked = document.source, document.version
        found = await asyncio.wrap_future(one_by_one.submit(diagnostics, text, document.path))
        if made.workspace.get_text_document(uri).source != text:
            return  # what was asked for is no longer there
        known[uri] = found
        problems = [
            types.Diagnostic(
                range=_line(each.line, document.lines), message=each.says, source="roofproof",
                severity=types.DiagnosticSeverity.Error,
            )
            for each in found if not each.holds
        ]  # fmt: skip
        made.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, problems, asked))

    def _line(line: int, rows: list[str]) -> types.Range:
        width = len(rows[line - 1].rstrip("\n")) if line <= len(rows) else 0
        return types.Range(types.Position(line - 1, 0), types.Position(line - 1, width))

    @made.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def _(params: types.DidOpenTextDocumentParams) -> None:
        await judge(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def _(params: types.DidSaveTextDocumentParams) -> None:
        await judge(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    def _(params: types.HoverParams) -> types.Hover | None:
        said = hover(known.get(params.text_document.uri, ()), params.position.line + 1)
        return None if said is None else types.Hover(types.MarkupContent(types.MarkupKind.PlainText, said))

    kinds = {
        "operation": types.CompletionItemKind.Module,
        "chip": types.CompletionItemKind.Constant,
        "function": types.CompletionItemKind.Function,
    }

    @made.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["(", " "]))
    def _(params: types.CompletionParams) -> list[types.CompletionItem]:
        document, at = made.workspace.get_text_document(params.text_document.uri), params.position
        found = completions(document.source, document.path, at.line + 1, at.character)
        return [types.CompletionItem(name, kind=kinds[kind], detail=said or kind) for name, kind, said in found]

    return made
