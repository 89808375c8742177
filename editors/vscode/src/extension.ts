// What VS Code calls: activation and deactivation. No layout knowledge lives in this extension.
import * as vscode from "vscode";
import * as commands from "./commands";
import { SECTION } from "./names";
import { LayoutPanel } from "./panel";
import { Session } from "./session";

/** The times when this bundle began to load; the build puts it first. */
declare const loadingBegan: { readonly processor: NodeJS.CpuUsage; readonly clock: number };

/**
 * Milliseconds of processor time that loading and activation took, at most: the process has other threads, whose
 * time is in its processor time, and the clock goes on where another program has the processor.
 */
function activationTime(): number {
  const { user, system } = process.cpuUsage(loadingBegan.processor);
  return Math.ceil(Math.min((user + system) / 1000, performance.now() - loadingBegan.clock));
}

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
  log.info(`activated in ${activationTime()} ms of processor time`);
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
