// The text that the user looks at: also while the panel has the focus.
import * as vscode from "vscode";
import { DOCUMENTS } from "./names";

/** The active editor, or else the first visible one of a language that the server reads. */
export function lookedAt(): vscode.TextEditor | undefined {
  const served = (editor: vscode.TextEditor) => vscode.languages.match(DOCUMENTS, editor.document) > 0;
  return vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find(served);
}
