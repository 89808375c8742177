// The subject of a request: a place in a document, or an expression.
import type { TextEditor } from "vscode";

/** The subject of a request of the server's own. */
export type Subject =
  | { readonly textDocument: { readonly uri: string }; readonly position: { line: number; character: number } }
  | { readonly expression: string };

/** Whether the argument of a command is a subject. */
export function isSubject(argument: unknown): argument is Subject {
  return typeof argument === "object" && argument !== null && ("textDocument" in argument || "expression" in argument);
}

/** The place of the cursor; nothing where no file on disk is open. */
export function placeOf(editor: TextEditor | undefined): Subject | undefined {
  if (editor?.document.uri.scheme !== "file") {
    return undefined;
  }
  const { line, character } = editor.selection.active;
  return { textDocument: { uri: editor.document.uri.toString() }, position: { line, character } };
}
