// What VS Code calls: activation and deactivation. No layout knowledge lives in this extension.
import * as vscode from "vscode";
import * as commands from "./commands";
import { SECTION } from "./names";
import { LayoutPanel } from "./panel";
import { Session } from "./session";

/** A moment, by the processor and by the clock. */
interface Moment {
  readonly processor: NodeJS.CpuUsage;
  readonly clock: number;
}

/** When this bundle began to load; the build puts it first. */
declare const loadingBegan: Moment;

/**
 * Milliseconds of processor time since a moment, at most: the process has other threads, whose time is in its
 * processor time, and the clock goes on where another program has the processor.
 */
function timeSince(begun: Moment): number {
  const { user, system } = process.cpuUsage(begun.processor);
  return Math.min((user + system) / 1000, performance.now() - begun.clock);
}

/** What loading took: this file is the last one of the bundle. What is done until activation is VS Code's. */
const loading = timeSince(loadingBegan);

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const begun: Moment = { processor: process.cpuUsage(), clock: performance.now() };
  const log = vscode.window.createOutputChannel(SECTION, { log: true });
  const { version } = context.extension.packageJSON as { version: string };
  const running = new Session(context.extensionPath, version, log);
  const panel = new LayoutPanel(running, context.extension.id);
  session = running;
  context.subscriptions.push(
    log,
    running,
    panel,
    ...commands.register(running, panel, log, context.extensionUri),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${SECTION}.server`) || change.affectsConfiguration(`${SECTION}.enable`)) {
        // After the library has told the server of the change, which it does on the same event.
        setImmediate(() => void running.restart());
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void running.restart()),
  );
  void running.restart();
  log.info(`activated in ${Math.ceil(loading + timeSince(begun))} ms of processor time`);
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
