// The server with the reference implementation of the protocol's client side, whose types `tsc` checks
// this file with: what is sent is of the type that the protocol gives it, and so is what is read of an
// answer. With CUTE_TESTS_RECORD set, what the server says is written down for `check.py`.
//
//     CUTE_ANALYZER=PATH npm test

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  CancellationTokenSource,
  CodeActionRequest,
  CodeActionTriggerKind,
  CodeLensRequest,
  CompletionRequest,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  DocumentSymbolRequest,
  ExecuteCommandRequest,
  ExitNotification,
  HoverRequest,
  InitializeRequest,
  InitializedNotification,
  InlayHintRequest,
  InlayHintResolveRequest,
  LSPErrorCodes,
  MarkupContent,
  ResponseError,
  SemanticTokensRequest,
  ShutdownRequest,
  SignatureHelpRequest,
  StreamMessageReader,
  StreamMessageWriter,
  WorkDoneProgress,
  WorkDoneProgressCreateRequest,
  WorkspaceDiagnosticRequest,
  createProtocolConnection,
} from "vscode-languageserver-protocol/node";

const SOURCE = `#include <cute/layout.hpp>
using namespace cute;
void host(int M)
{
  auto columns = make_layout(make_shape(Int<4>{}, Int<3>{}), make_stride(Int<3>{}, Int<1>{}));
  auto every_sixth = make_layout(Int<3>{}, Int<6>{});
  auto picked = composition(columns, every_sixth);
}
`;

const folder = mkdtempSync(join(tmpdir(), "cute-typed-"));
const uri = pathToFileURL(join(folder, "open.cu")).href;
const closed = pathToFileURL(join(folder, "closed.cu")).href;
const textDocument = { uri };

/** The place of the first occurrence of a text, so many characters into it. */
function place(/** @type {string} */ what, into = 0) {
  const before = SOURCE.slice(0, SOURCE.indexOf(what)).split("\n");
  return { line: before.length - 1, character: (before.at(-1) ?? "").length + into };
}

/** A server, its connection, and how it ends. */
function start() {
  const binary = process.env.CUTE_ANALYZER;
  assert(binary, "CUTE_ANALYZER names the program");
  const server = spawn(binary, ["lsp"], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const reader = new StreamMessageReader(server.stdout);
  const writer = new StreamMessageWriter(server.stdin);
  const recordIn = process.env.CUTE_TESTS_RECORD;
  if (recordIn) {
    const record = createWriteStream(join(recordIn, `typed-${process.pid}.jsonl`));
    /** @type {Map<unknown, unknown>} */
    const methods = new Map();
    const write = writer.write.bind(writer);
    writer.write = (message) => {
      const { id, method } = /** @type {{id?: unknown, method?: unknown}} */ (message);
      if (id !== undefined && method !== undefined) methods.set(id, method);
      return write(message);
    };
    const listen = reader.listen.bind(reader);
    reader.listen = (callback) =>
      listen((message) => {
        const { id, method } = /** @type {{id?: unknown, method?: unknown}} */ (message);
        const answers = method === undefined ? (methods.get(id) ?? null) : null;
        record.write(`${JSON.stringify({ message, answers })}\n`);
        callback(message);
      });
  }
  return { connection: createProtocolConnection(reader, writer), ended };
}

const { connection, ended } = start();

before(async () => {
  writeFileSync(join(folder, "closed.cu"), SOURCE);
  connection.onRequest(WorkDoneProgressCreateRequest.type, () => undefined);
  connection.listen();
  const root = pathToFileURL(folder).href;
  const initialized = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: root,
    workspaceFolders: [{ uri: root, name: "typed" }],
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      window: { workDoneProgress: true },
      workspace: { workspaceEdit: { documentChanges: true }, workspaceFolders: true },
      textDocument: {
        hover: { contentFormat: ["markdown", "plaintext"] },
        inlayHint: { resolveSupport: { properties: ["tooltip"] } },
        diagnostic: {},
        publishDiagnostics: { relatedInformation: true },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        codeAction: {
          isPreferredSupport: true,
          codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix"] } },
        },
      },
    },
  });
  assert.equal(initialized.capabilities.positionEncoding, "utf-16");
  // What clangd and rust-analyzer serve stays theirs.
  for (const theirs of /** @type {const} */ (["definitionProvider", "referencesProvider", "foldingRangeProvider", "renameProvider"])) {
    assert.equal(initialized.capabilities[theirs], undefined, theirs);
  }
  await connection.sendNotification(InitializedNotification.type, {});
  await connection.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "cuda-cpp", version: 1, text: SOURCE },
  });
});

after(async () => {
  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  assert.equal(await ended, 0);
  connection.dispose();
  rmSync(folder, { recursive: true });
});

test("a hover has the value and its range", async () => {
  const hover = await connection.sendRequest(HoverRequest.type, { textDocument, position: place("columns", 2) });
  assert(hover && MarkupContent.is(hover.contents));
  assert.match(hover.contents.value, /\(_4,_3\):\(_3,_1\)/);
  assert.deepEqual(hover.range?.start, place("columns"));
});

test("no hover where no layout is", async () => {
  const hover = await connection.sendRequest(HoverRequest.type, { textDocument, position: place("namespace") });
  assert.equal(hover, null);
});

test("hints are resolved", async () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hints = (await connection.sendRequest(InlayHintRequest.type, { textDocument, range })) ?? [];
  assert.deepEqual(hints.map((hint) => hint.label), ["(4,3):(3,1)", "3:6"]);
  const resolved = await connection.sendRequest(InlayHintResolveRequest.type, hints[0]);
  assert.match(String(resolved.tooltip), /\(_4,_3\):\(_3,_1\)/);
});

test("a finding is fetched, and its fixes are edits of this document", async () => {
  const report = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument });
  assert(report.kind === "full");
  const found = report.items.filter((item) => item.code === "stride-divisibility");
  assert.equal(found.length, 1);
  const actions = await connection.sendRequest(CodeActionRequest.type, {
    textDocument,
    range: found[0].range,
    context: { diagnostics: found, only: ["quickfix"], triggerKind: CodeActionTriggerKind.Invoked },
  });
  const preferred = (actions ?? []).filter((action) => "isPreferred" in action && action.isPreferred);
  assert(preferred.length >= 1);
  for (const action of actions ?? []) {
    assert("edit" in action && action.edit, action.title);
    const changed = [
      ...Object.keys(action.edit.changes ?? {}),
      ...(action.edit.documentChanges ?? []).map((change) => "textDocument" in change && change.textDocument.uri),
    ];
    assert.deepEqual(changed, [uri]);
  }
});

test("outline, lenses, tokens, signature and completion answer", async () => {
  const symbols = (await connection.sendRequest(DocumentSymbolRequest.type, { textDocument })) ?? [];
  const children = "children" in symbols[0] ? symbols[0].children : undefined;
  assert.deepEqual(children?.map((child) => child.name).slice(0, 2), ["columns", "every_sixth"]);
  const lenses = await connection.sendRequest(CodeLensRequest.type, { textDocument });
  assert(Array.isArray(lenses ?? []));
  const tokens = await connection.sendRequest(SemanticTokensRequest.type, { textDocument });
  assert.equal((tokens?.data.length ?? 0) % 5, 0);
  const help = await connection.sendRequest(SignatureHelpRequest.type, { textDocument, position: place("columns, every", 3) });
  assert.equal(help?.signatures[0].label, "composition(layout, tiler)");
  const offered = await connection.sendRequest(CompletionRequest.type, { textDocument, position: place("6>{}", 1) });
  const items = Array.isArray(offered) ? offered : (offered?.items ?? []);
  assert(items.length > 0);
});

test("the workspace is checked with progress, closed files too", async () => {
  /** @type {Promise<string[]>} */
  const kinds = new Promise((resolve) => {
    /** @type {string[]} */
    const said = [];
    connection.onProgress(WorkDoneProgress.type, "cute.checkWorkspace/1", (value) => {
      said.push(value.kind);
      if (value.kind === "end") resolve(said);
    });
  });
  const answer = await connection.sendRequest(ExecuteCommandRequest.type, { command: "cute.checkWorkspace" });
  assert.equal(answer, null);
  const said = await kinds;
  assert.equal(said[0], "begin");
  const report = await connection.sendRequest(WorkspaceDiagnosticRequest.type, { previousResultIds: [] });
  const item = report.items.find((one) => one.uri === closed);
  assert(item?.kind === "full" && item.items.length > 0);
  assert.equal(item.version, null);
});

test("a request that is taken back is answered as cancelled, or done", async () => {
  const source = new CancellationTokenSource();
  const answer = connection.sendRequest(WorkspaceDiagnosticRequest.type, { previousResultIds: [] }, source.token);
  source.cancel();
  await answer.then(
    (report) => assert(report.items),
    (error) => {
      assert(error instanceof ResponseError);
      assert.equal(error.code, LSPErrorCodes.RequestCancelled);
    },
  );
});

test("a request that nobody knows is refused by the protocol's error", async () => {
  await assert.rejects(connection.sendRequest("cute/noSuchThing", {}), (error) => {
    assert(error instanceof ResponseError);
    assert.equal(error.code, -32601);
    return true;
  });
});

test("an edit is seen by the next request", async () => {
  const start = place("6>{}");
  await connection.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: [{ range: { start, end: { ...start, character: start.character + 1 } }, text: "4" }],
  });
  const hover = await connection.sendRequest(HoverRequest.type, { textDocument, position: place("every_sixth", 1) });
  assert(hover && MarkupContent.is(hover.contents));
  assert.match(hover.contents.value, /_3:_4/);
});
