// The commands at the cursor: each asks the server and shows its answer.
import * as vscode from "vscode";
import { lookedAt } from "./editor";
import { SECTION } from "./names";
import type { LayoutPanel } from "./panel";
import { isSubject, placeOf, type Subject } from "./place";
import { outcome, type RunReport } from "./run";
import type { Session } from "./session";
import { count } from "./words";

/** The scheme of documents that hold an explanation. */
const EXPLAINED = `${SECTION}-explained`;

interface Explanation {
  readonly summary: string;
  readonly sections: readonly { readonly title: string; readonly lines: readonly string[] }[];
}

/** How many closed files were checked, and what was found in them. */
interface Tally {
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
}

interface Instances {
  readonly function: string;
  readonly instances: readonly string[];
  readonly labels: readonly string[];
  readonly chosen: number;
}

/** Registers the commands. */
export function register(session: Session, panel: LayoutPanel, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const at = new AtCursor(session, log);
  const explanations = new Explanations();
  const commands: Record<string, () => unknown> = {
    showLayout: () => panel.showPlace(),
    drawExpression: () => drawExpression(panel),
    explain: () => explain(at, explanations, placeOf(lookedAt())),
    copyCute: () => at.copy("cute/layoutAt", {}, "value"),
    copySvg: () => at.copy("cute/picture", { format: "svg", operands: true }, "picture"),
    copyTikz: () => at.copy("cute/picture", { format: "tikz", operands: true }, "picture"),
    copyText: () => at.copy("cute/picture", { format: "text", operands: true }, "picture"),
    runOnCpu: () => at.run("cpu"),
    runOnGpu: () => at.run("cuda"),
    checkWorkspace: () => checkWorkspace(session),
    assume: () => assume(),
    selectInstance: () => selectInstance(session),
    restart: () => session.restart(),
    showLog: () => log.show(),
    showMessages: () => session.showMessages(),
    openWalkthrough: () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", `${SECTION}.${SECTION}#start`, false),
  };
  // What lenses and actions of the server name.
  session.handle("cute.explain", async (place) => explain(at, explanations, isSubject(place) ? place : undefined));
  session.handle("cute.picture", async (place) => (isSubject(place) ? panel.showSubject(place) : undefined));
  session.handle("cute.copyAs", async (_, run) => {
    const answer = (await run()) as { readonly text?: unknown } | null;
    return toClipboard(answer?.text);
  });
  return [
    vscode.workspace.registerTextDocumentContentProvider(EXPLAINED, explanations),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`${SECTION}.${name}`, run)),
  ];
}

/** What is asked about the layout under the cursor. */
class AtCursor {
  constructor(
    private readonly session: Session,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The server's answer about a place, that of the cursor; where it has none the user is told. */
  async ask<T>(method: string, more: object, place: Subject | undefined = placeOf(lookedAt())): Promise<T | undefined> {
    const answer = place && (await this.session.ask<T>(method, { ...place, ...more }));
    if (place === undefined) {
      void vscode.window.showInformationMessage("cute-analyzer: put the cursor on a layout of a source first.");
    } else if (answer === undefined) {
      vscode.window.setStatusBarMessage("cute-analyzer: no layout with known numbers is under the cursor", 5000);
    }
    return answer;
  }

  async copy(method: string, more: object, key: string): Promise<void> {
    const answer = await this.ask<Record<string, unknown>>(method, more);
    await toClipboard(answer?.[key]);
  }

  async run(device: "cpu" | "cuda"): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage("cute-analyzer: nothing is run in a workspace that is not trusted.");
      return;
    }
    const report = await this.ask<RunReport>("cute/run", { device });
    if (report) {
      const text = outcome(report);
      this.log.info(text);
      void (report.agrees ? vscode.window.showInformationMessage(text) : vscode.window.showErrorMessage(text));
    }
  }
}

async function toClipboard(text: unknown): Promise<void> {
  if (typeof text === "string") {
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(`cute-analyzer: copied ${text.length} characters`, 3000);
  }
}

async function drawExpression(panel: LayoutPanel): Promise<void> {
  const editor = lookedAt();
  const selected = editor?.document.getText(editor.selection) ?? "";
  const expression = await vscode.window.showInputBox({
    title: "Draw a layout or an operation",
    value: selected.includes("\n") ? "" : selected,
    placeHolder: "(8,8):(8,1)   composition((6,2):(8,2), (4,3):(3,1))   Sw<3,3,3> o 0 o (8,64):(64,1)",
  });
  if (expression) {
    await panel.showExpression(expression);
  }
}

async function explain(at: AtCursor, explanations: Explanations, place: Subject | undefined): Promise<void> {
  const answer = await at.ask<Explanation>("cute/explain", {}, place);
  if (answer) {
    const sections = answer.sections.map(({ title, lines }) => `## ${title}\n${lines.join("\n")}\n`);
    await explanations.show([`${answer.summary}\n`, ...sections].join("\n"));
  }
}

/** Has the closed files of the workspace checked; their findings come as those of open ones do. */
async function checkWorkspace(session: Session): Promise<void> {
  const progress = { location: vscode.ProgressLocation.Notification, title: "Checking layouts", cancellable: true };
  const request = { command: "cute.checkWorkspace", workDoneToken: "cute.checkWorkspace/own" };
  const tally = await vscode.window.withProgress(progress, (_, cancelled) =>
    session.ask<Tally>("workspace/executeCommand", request, cancelled),
  );
  if (tally) {
    const errors = count(tally.errors, "error");
    const text = `${errors} and ${count(tally.warnings, "warning")} in ${count(tally.files, "closed file")}`;
    void vscode.window.showInformationMessage(`cute-analyzer: ${text}.`);
  }
}

/** Adds a fact to the settings of the workspace, or of the user where there is none. */
async function assume(): Promise<void> {
  const fact = await vscode.window.showInputBox({
    title: "Assume for this workspace",
    prompt: "A size, a divisor or a bound; findings and layouts are evaluated under it.",
    placeHolder: "m=5120   ldA % 8 == 0   K >= 64",
  });
  if (!fact) {
    return;
  }
  const settings = vscode.workspace.getConfiguration(SECTION);
  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  const facts = settings.get<string[]>("assume", []);
  try {
    await settings.update("assume", [...facts.filter((other) => other !== fact), fact], target);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showWarningMessage(
      `cute-analyzer: the setting cannot be written (${reason}). Write "// cute: assume ${fact}" into the source, or set "${SECTION}.assume" in the user settings.`,
    );
  }
}

/** Chooses which instance of a function hints and hovers show. */
async function selectInstance(session: Session): Promise<void> {
  const uri = lookedAt()?.document.uri.toString();
  const found = uri && (await session.ask<Instances[]>("cute/instances", { textDocument: { uri } }));
  const items = (found || []).flatMap((one) =>
    one.instances.map((instance, index) => ({
      label: one.labels[index] ?? instance,
      description: index === one.chosen ? "shown now" : "",
      detail: `${one.function}: ${instance}`,
      choice: { function: one.function, instance },
    })),
  );
  if (items.length === 0) {
    void vscode.window.showInformationMessage("cute-analyzer: no function of this file has several instances.");
    return;
  }
  const picked = await vscode.window.showQuickPick(items, { title: "Show the layouts of", matchOnDetail: true });
  if (picked) {
    await session.ask("cute/selectInstance", picked.choice);
  }
}

/** Explanations as documents that cannot be edited. */
class Explanations implements vscode.TextDocumentContentProvider {
  private text = "";
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly uri = vscode.Uri.from({ scheme: EXPLAINED, path: "layout.md" });

  provideTextDocumentContent(): string {
    return this.text;
  }

  async show(text: string): Promise<void> {
    this.text = text;
    this.changed.fire(this.uri);
    const document = await vscode.workspace.openTextDocument(this.uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  }
}
