// What VS Code calls: activation and deactivation. No layout knowledge lives in this extension.
import * as vscode from "vscode";
import * as commands from "./commands";
import { SECTION } from "./names";
import { LayoutPanel } from "./panel";
import { Session } from "./session";

/** The processor time when this bundle began to load; the build puts it first. */
declare const loadingBegan: NodeJS.CpuUsage;

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel(SECTION, { log: true });
  const { version } = context.extension.packageJSON as { version: string };
  const running = new Session(context.extensionPath, version, log);
  const panel = new LayoutPanel(running);
  session = running;
  context.subscriptions.push(
    log,
    running,
    panel,
    ...commands.register(running, panel, log),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${SECTION}.server`) || change.affectsConfiguration(`${SECTION}.enable`)) {
        void running.restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void running.restart()),
  );
  void running.restart();
  const { user, system } = process.cpuUsage(loadingBegan);
  log.info(`activated in ${Math.ceil((user + system) / 1000)} ms of processor time`);
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
