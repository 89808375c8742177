// The running server: started, restarted, stopped, one after the other, and shown in the status item.
import { basename } from "node:path/posix";
import * as vscode from "vscode";
import type {
  CloseHandlerResult,
  LanguageClient,
  LanguageClientOptions,
  ServerOptions,
  StaticFeature,
} from "vscode-languageclient/node";
import { Crashes, GIVEN_UP } from "./crashes";
import { Patience } from "./patience";
import { chooseProgram, complaint, here, outdated, PATH_SETTING, versionOf, type ServerProgram } from "./server";
import { ruleCommand, withCommands } from "./links";
import { DOCUMENTS, OPEN_GLOSSARY, OPEN_RULE, SECTION, SHOW_SUBJECT } from "./names";
import { themed } from "./theme";
import { saidOf, type DocumentStatus } from "./words";

/** The library of the protocol. A separate file, loaded after activation: most of this extension. */
type Library = typeof import("./library");

/** What is done with a command of the server's in its place; `run` gives the server's answer. */
export type Handler = (argument: unknown, run: () => Promise<unknown>) => Promise<unknown>;

/** Tells the server that `cute/status` is wanted, and that VS Code's own hovers show the text of squiggles. */
const ABOUT_US: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    const others: unknown = capabilities.experimental;
    capabilities.experimental = { ...(others as object | undefined), cuteStatus: true, cuteDiagnosticsInHovers: true, cutePanelLinks: true, cuteGlossary: true, cuteRules: true };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

/** Sends a request. A token that is there but undefined would be taken for a second parameter. */
async function answerOf<T>(
  client: LanguageClient,
  method: string,
  params: object,
  token?: vscode.CancellationToken,
): Promise<T | undefined> {
  const answer = token
    ? await client.sendRequest<T | null>(method, params, token)
    : await client.sendRequest<T | null>(method, params);
  return answer ?? undefined;
}

/** What takes longer is shown in the status bar, in milliseconds. */
const MOMENT = 1000;

/** Whether the theme of the window is dark. */
function isDark(): boolean {
  const { kind } = vscode.window.activeColorTheme;
  return kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
}

/** Lets the code of a finding open the page of its rule. */
function linkRule(diagnostic: vscode.Diagnostic): void {
  const { code } = diagnostic;
  if (typeof code === "object") {
    const command = ruleCommand(code.target.toString(true));
    if (command !== undefined) {
      diagnostic.code = { value: code.value, target: vscode.Uri.parse(command) };
    }
  }
}

export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();
  private version = "";
  private readonly crashes = new Crashes();
  private readonly handlers = new Map<string, Handler>();
  private readonly known = new Map<string, DocumentStatus>();
  private readonly patience = new Patience(MOMENT, (uri, done) => {
    const title = `cute-analyzer: evaluating ${basename(vscode.Uri.parse(uri).path)}`;
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => done);
  });
  private readonly status: vscode.LanguageStatusItem;
  private readonly trace: vscode.LogOutputChannel;
  private readonly started = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  /** The server runs, for the first time or again. */
  readonly onStarted = this.started.event;

  constructor(
    private readonly extensionFolder: string,
    private readonly ownVersion: string,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.trace = vscode.window.createOutputChannel(`${SECTION}: messages`, { log: true });
    this.status = vscode.languages.createLanguageStatusItem(SECTION, DOCUMENTS);
    this.status.name = SECTION;
    this.subscriptions = [
      this.status,
      this.trace,
      this.started,
      vscode.window.onDidChangeActiveTextEditor(() => this.showDocument()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.patience.end(uri.toString())),
    ];
  }

  /** Starts the server, after stopping the one that runs; a later call waits for an earlier one. */
  restart(): Promise<void> {
    return this.next(async () => {
      this.crashes.forget();
      await this.stopNow();
      if (vscode.workspace.getConfiguration(SECTION).get<boolean>("enable", true)) {
        await this.startNow();
      } else {
        this.show("off", vscode.LanguageStatusSeverity.Information);
      }
    });
  }

  /** Stops the server. */
  stop(): Promise<void> {
    return this.next(() => this.stopNow());
  }

  /** Asks the server; what is not answered is `undefined`, and the user is told why. */
  async ask<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T | undefined> {
    await this.turn;
    if (!this.client?.isRunning()) {
      void this.offerHelp("cute-analyzer: the server is not running.");
      return undefined;
    }
    try {
      return await answerOf<T>(this.client, method, params, token);
    } catch (error) {
      if (token?.isCancellationRequested) {
        return undefined;
      }
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showWarningMessage(`cute-analyzer: ${reason}`);
      return undefined;
    }
  }

  /** As `ask`, for requests at every move of the cursor: a failure is treated as no answer. */
  async askQuietly<T>(method: string, params: object, token: vscode.CancellationToken): Promise<T | undefined> {
    try {
      return this.client && (await answerOf<T>(this.client, method, params, token));
    } catch {
      return undefined;
    }
  }

  /** Shows what the answer to a command says, which a lens or an action names: the server cannot. */
  handle(command: string, handler: Handler): void {
    this.handlers.set(command, handler);
  }

  /** Opens the output with the messages between VS Code and the server. */
  showMessages(): void {
    this.trace.show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
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
    this.log.info(`server (from ${program.from}): ${program.path}`);
    try {
      this.version = await versionOf(program, env);
      this.log.info(this.version);
      const old = outdated(program, this.version, this.ownVersion);
      if (old) {
        this.log.warn(old);
        void this.offerHelp(old);
      }
      await this.connect(program, env);
    } catch (error) {
      this.show("not running", vscode.LanguageStatusSeverity.Error);
      this.log.error(complaint(program, error));
      void this.offerHelp(complaint(program, error));
    }
  }

  private async connect(program: ServerProgram, env: NodeJS.ProcessEnv): Promise<void> {
    const library = await import("./library");
    const server: ServerOptions = { command: program.path, args: ["lsp"], options: { env } };
    const client = new library.LanguageClient(SECTION, SECTION, server, this.clientOptions(library));
    client.registerFeature(ABOUT_US);
    client.onDidChangeState(({ newState }) => {
      if (newState === library.State.Running) {
        this.showDocument();
        this.started.fire();
      } else if (newState === library.State.Stopped) {
        this.known.clear();
        this.patience.endAll();
        this.show("stopped", vscode.LanguageStatusSeverity.Warning);
      }
    });
    client.onNotification("cute/status", (status: DocumentStatus) => {
      const uri = vscode.Uri.parse(status.uri).toString();
      // What was known of the version before is said until the new one is known.
      const before = status.state === "analysing" ? this.known.get(uri) : undefined;
      this.known.set(uri, { ...before, ...status });
      if (status.state === "analysing") {
        this.patience.begin(uri);
      } else {
        this.patience.end(uri);
      }
      this.showDocument();
    });
    this.client = client;
    await client.start();
  }

  private clientOptions(library: Library): LanguageClientOptions {
    return {
      documentSelector: DOCUMENTS,
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      revealOutputChannelOn: library.RevealOutputChannelOn.Never,
      markdown: { isTrusted: { enabledCommands: [SHOW_SUBJECT, OPEN_GLOSSARY, OPEN_RULE] }, supportHtml: true },
      initializationOptions: { trusted: vscode.workspace.isTrusted },
      middleware: {
        provideHover: async (document, position, token, next) => {
          const hover = await next(document, position, token);
          for (const content of hover?.contents ?? []) {
            if (content instanceof vscode.MarkdownString) {
              content.value = withCommands(themed(content.value, isDark()));
            }
          }
          return hover;
        },
        handleDiagnostics: (uri, diagnostics, next) => {
          diagnostics.forEach(linkRule);
          next(uri, diagnostics);
        },
        provideDiagnostics: async (document, previous, token, next) => {
          const report = await next(document, previous, token);
          if (report && "items" in report) {
            report.items.forEach(linkRule);
          }
          return report;
        },
        executeCommand: async (command, args: unknown[], next) => {
          const run = () => Promise.resolve<unknown>(next(command, args));
          const handler = this.handlers.get(command);
          return handler ? handler(args[0], run) : run();
        },
      },
      errorHandler: {
        error: () => ({ action: library.ErrorAction.Continue, handled: true }),
        closed: () => this.ended(library),
      },
    };
  }

  /** The server ended without being asked to: it is started again, unless it does so all the time. */
  private ended(library: Library): CloseHandlerResult {
    if (this.crashes.again(Date.now())) {
      this.log.warn("the server ended by itself; it is started again");
      return { action: library.CloseAction.Restart, handled: true };
    }
    this.log.error(GIVEN_UP);
    this.show("ended too often", vscode.LanguageStatusSeverity.Error);
    void this.offerHelp(GIVEN_UP);
    return { action: library.CloseAction.DoNotRestart, handled: true };
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop()) {
      await client.stop();
    }
    await client?.dispose();
  }

  /** What is known of the document that is looked at. */
  private showDocument(): void {
    if (!this.client?.isRunning()) {
      return;
    }
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const status = uri === undefined ? undefined : this.known.get(uri);
    this.show(saidOf(status), vscode.LanguageStatusSeverity.Information, status?.state === "analysing");
    this.status.detail = [...(status?.limits ?? []), this.version].join(" · ");
    const shows = status?.values !== undefined && status.values > 0;
    void vscode.commands.executeCommand("setContext", `${SECTION}.hasValues`, shows);
  }

  private show(text: string, severity: vscode.LanguageStatusSeverity, busy = false): void {
    this.status.text = text;
    this.status.detail = this.version;
    this.status.severity = severity;
    this.status.busy = busy;
    this.status.command =
      severity === vscode.LanguageStatusSeverity.Information
        ? { command: `${SECTION}.showLog`, title: "Show Log" }
        : { command: `${SECTION}.restart`, title: "Restart" };
  }

  private async offerHelp(message: string): Promise<void> {
    const restart = "Restart";
    const settings = "Open Settings";
    const log = "Show Log";
    const choice = await vscode.window.showErrorMessage(message, restart, settings, log);
    if (choice === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", PATH_SETTING);
    } else if (choice === log) {
      this.log.show();
    } else if (choice === restart) {
      await this.restart();
    }
  }
}
