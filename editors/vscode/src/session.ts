// The running server: started, restarted, stopped, one after the other, and shown in the status item.
import * as vscode from "vscode";
import {
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type LanguageClientOptions,
  type ServerOptions,
} from "vscode-languageclient/node";
import { chooseProgram, complaint, here, PATH_SETTING, versionOf, type ServerProgram } from "./server";

/** The section of the settings, and the prefix of commands. */
export const SECTION = "cute-analyzer";

/** Where the server is asked: files on disk in these languages. */
const DOCUMENTS = ["cuda-cpp", "cuda", "cpp", "c", "rust", "python"].map((language) => ({ scheme: "file", language }));

export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();
  private readonly status: vscode.LanguageStatusItem;
  private readonly trace: vscode.LogOutputChannel;

  constructor(
    private readonly extensionFolder: string,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.trace = vscode.window.createOutputChannel(`${SECTION}: messages`, { log: true });
    this.status = vscode.languages.createLanguageStatusItem(SECTION, DOCUMENTS);
    this.status.name = SECTION;
    this.status.command = { command: `${SECTION}.showLog`, title: "Show Log" };
  }

  /** Starts the server, after stopping the one that runs; a later call waits for an earlier one. */
  restart(): Promise<void> {
    return this.next(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  /** Stops the server. */
  stop(): Promise<void> {
    return this.next(() => this.stopNow());
  }

  dispose(): void {
    this.status.dispose();
    this.trace.dispose();
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step).catch((error: unknown) => this.log.error(String(error)));
    return this.turn;
  }

  private async startNow(): Promise<void> {
    const settings = vscode.workspace.getConfiguration(SECTION);
    const program = chooseProgram(settings.get<string | null>("server.path", null), here(this.extensionFolder));
    const env = { ...process.env, ...settings.get<Record<string, string>>("server.extraEnv", {}) };
    this.show("starting", vscode.LanguageStatusSeverity.Information, true);
    this.log.info(`server: ${program.path} (from ${program.from})`);
    try {
      const version = await versionOf(program, env);
      this.log.info(version);
      this.status.detail = version;
      await this.connect(program, env);
    } catch (error) {
      this.show("not running", vscode.LanguageStatusSeverity.Error);
      this.log.error(complaint(program, error));
      void this.offerHelp(complaint(program, error));
    }
  }

  private async connect(program: ServerProgram, env: NodeJS.ProcessEnv): Promise<void> {
    const server: ServerOptions = { command: program.path, args: ["lsp"], options: { env } };
    const client = new LanguageClient(SECTION, SECTION, server, this.clientOptions());
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.show("running", vscode.LanguageStatusSeverity.Information);
      } else if (newState === State.Stopped) {
        this.show("stopped", vscode.LanguageStatusSeverity.Warning);
      }
    });
    this.client = client;
    await client.start();
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: DOCUMENTS,
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      markdown: { isTrusted: false, supportHtml: true },
    };
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop()) {
      await client.stop();
    }
    await client?.dispose();
  }

  private show(text: string, severity: vscode.LanguageStatusSeverity, busy = false): void {
    this.status.text = text;
    this.status.severity = severity;
    this.status.busy = busy;
  }

  private async offerHelp(message: string): Promise<void> {
    const settings = "Open Settings";
    const log = "Show Log";
    const choice = await vscode.window.showErrorMessage(message, settings, log);
    if (choice === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", PATH_SETTING);
    } else if (choice === log) {
      this.log.show();
    }
  }
}
