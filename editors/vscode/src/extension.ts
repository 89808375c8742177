// What VS Code calls: activation and deactivation. No layout knowledge lives in this extension.
import * as vscode from "vscode";
import { SECTION, Session } from "./session";

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel(SECTION, { log: true });
  const running = new Session(context.extensionPath, log);
  session = running;
  context.subscriptions.push(
    log,
    running,
    vscode.commands.registerCommand(`${SECTION}.restart`, () => running.restart()),
    vscode.commands.registerCommand(`${SECTION}.showLog`, () => log.show()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${SECTION}.server`)) {
        void running.restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void running.restart()),
  );
  void running.restart();
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
