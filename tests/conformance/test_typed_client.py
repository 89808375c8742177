"""The server with a typed client of the protocol that has the capabilities of real editors.

    CUTE_ANALYZER=PATH python3 -m pytest tests/conformance -W error::pytest_lsp.LspSpecificationWarning

`pytest-lsp` reads every answer as the type that the protocol's model gives it, and warns when a
server says more than its client understands; here such a warning is a failure.
"""

import os

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

URI = "file:///typed/client.cu"
SOURCE = """#include <cute/layout.hpp>
using namespace cute;
void host(int M)
{
  auto columns = make_layout(make_shape(Int<4>{}, Int<3>{}), make_stride(Int<3>{}, Int<1>{}));
  auto every_sixth = make_layout(Int<3>{}, Int<6>{});
  auto picked = composition(columns, every_sixth);
}
"""
DOCUMENT = types.TextDocumentIdentifier(uri=URI)
EDITORS = ["visual_studio_code", "neovim@0.10", "neovim@0.11", "emacs"]


@pytest_lsp.fixture(
    params=EDITORS,
    config=ClientServerConfig(server_command=[os.environ["CUTE_ANALYZER"]]),
)
async def client(request, lsp_client: LanguageClient):
    # The editors let servers register; the client of the tests has to be told that it does.
    lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, process_id=os.getpid(), root_uri=None)
    )
    item = types.TextDocumentItem(uri=URI, language_id="cuda-cpp", version=1, text=SOURCE)
    lsp_client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    yield
    await lsp_client.shutdown_session()


def place(what, after=0):
    """The position of the first occurrence of a text, so many characters into it."""
    before = SOURCE[: SOURCE.index(what)]
    line = before.count("\n")
    return types.Position(line=line, character=len(before) - before.rfind("\n") - 1 + after)


async def findings(client):
    """The findings by the way that the client has: fetched or sent."""
    if client.capabilities.text_document.diagnostic is not None:
        params = types.DocumentDiagnosticParams(text_document=DOCUMENT)
        return (await client.text_document_diagnostic_async(params)).items
    while URI not in client.diagnostics:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return client.diagnostics[URI]


@pytest.mark.asyncio
async def test_a_hover_has_the_value(client):
    params = types.HoverParams(text_document=DOCUMENT, position=place("columns", 2))
    hover = await client.text_document_hover_async(params)
    assert "(_4,_3):(_3,_1)" in hover.contents.value
    assert hover.range.start == place("columns")


@pytest.mark.asyncio
async def test_hints_have_tooltips(client):
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    params = types.InlayHintParams(text_document=DOCUMENT, range=whole)
    hints = await client.text_document_inlay_hint_async(params)
    assert [hint.label for hint in hints] == ["(4,3):(3,1)", "3:6"]
    resolved = await client.inlay_hint_resolve_async(hints[0])
    assert "(_4,_3):(_3,_1)" in resolved.tooltip


@pytest.mark.asyncio
async def test_a_finding_is_shown_and_a_fix_offered(client):
    found = await findings(client)
    assert [finding.code for finding in found] == ["stride-divisibility"]
    assert found[0].range.start == place("composition(")
    context = types.CodeActionContext(diagnostics=found)
    params = types.CodeActionParams(
        text_document=DOCUMENT, range=found[0].range, context=context
    )
    actions = await client.text_document_code_action_async(params)
    assert actions
    assert all(action.edit is not None for action in actions)


@pytest.mark.asyncio
async def test_an_edit_is_seen_by_the_next_request(client):
    start = place("6>{}")
    end = types.Position(start.line, start.character + 1)
    change = types.TextDocumentContentChangePartial(range=types.Range(start, end), text="4")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=URI, version=2),
            content_changes=[change],
        )
    )
    params = types.HoverParams(text_document=DOCUMENT, position=place("every_sixth"))
    hover = await client.text_document_hover_async(params)
    assert "_3:_4" in hover.contents.value


@pytest.mark.asyncio
async def test_the_outline_has_the_layouts(client):
    params = types.DocumentSymbolParams(text_document=DOCUMENT)
    symbols = await client.text_document_document_symbol_async(params)
    children = symbols[0].children if isinstance(symbols[0], types.DocumentSymbol) else symbols
    assert [symbol.name for symbol in children] == ["columns", "every_sixth"]


@pytest.mark.asyncio
async def test_a_signature_marks_the_parameter(client):
    params = types.SignatureHelpParams(
        text_document=DOCUMENT, position=place("columns, every_sixth", 3)
    )
    help = await client.text_document_signature_help_async(params)
    assert help.signatures[0].label == "composition(layout, tiler)"
    assert help.active_parameter == 0
    label = help.signatures[0].parameters[0].label
    if not isinstance(label, str):
        label = help.signatures[0].label[label[0] : label[1]]
    assert label == "layout"


@pytest.mark.asyncio
async def test_sizes_are_completed(client):
    params = types.CompletionParams(text_document=DOCUMENT, position=place("6>{}", 1))
    offered = await client.text_document_completion_async(params)
    assert offered
    assert all(item.text_edit.range.start == place("6>{}") for item in offered)


@pytest.mark.asyncio
async def test_without_instances_there_is_no_lens(client):
    params = types.CodeLensParams(text_document=DOCUMENT)
    assert list(await client.text_document_code_lens_async(params)) == []
