// Hints, hovers and findings of another extension on the same lines.
const vscode = require("vscode");

exports.activate = (context) => {
  const documents = { language: "cuda-cpp" };
  const findings = vscode.languages.createDiagnosticCollection("neighbour");
  const mark = (document) => {
    if (document.languageId === "cuda-cpp") {
      const line = document.lineAt(0).range;
      findings.set(document.uri, [new vscode.Diagnostic(line, "neighbour's finding")]);
    }
  };
  vscode.workspace.textDocuments.forEach(mark);
  context.subscriptions.push(
    findings,
    vscode.workspace.onDidOpenTextDocument(mark),
    vscode.languages.registerHoverProvider(documents, {
      provideHover: () => new vscode.Hover("neighbour's hover"),
    }),
    vscode.languages.registerInlayHintsProvider(documents, {
      provideInlayHints: (document) =>
        Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line))
          .filter((line) => line.text.includes("auto "))
          .map((line) => new vscode.InlayHint(line.range.end, "neighbour")),
    }),
  );
};
