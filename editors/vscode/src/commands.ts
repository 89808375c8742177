// The commands at the cursor: each asks the server and shows its answer.
import * as vscode from "vscode";
import { lookedAt } from "./editor";
import { type Choice, type Preferred, withChoice } from "./choices";
import { rulePage } from "./links";
import { OPEN_RULE, SECTION, SHOW_SUBJECT } from "./names";
import type { LayoutPanel } from "./panel";
import { isSubject, placeOf, type Subject } from "./place";
import { outcome, type RunReport } from "./run";
import type { Session } from "./session";
import { count } from "./words";

/** The scheme of documents that hold an explanation. */
const EXPLAINED = `${SECTION}-explained`;

/** A picture of this many cells is copied only when the user confirms. */
const MANY_CELLS = 1000;

/** How many rows and columns are copied of a larger picture when that is chosen. */
const SOME = 16;

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
  /** Whether it is the function at the cursor. */
  readonly here: boolean;
}

/** An instance in a list, and the argument of `cute/selectInstance` when it is picked. */
interface InstanceItem extends vscode.QuickPickItem {
  readonly choice?: Choice;
}

/** What keeps a choice: the settings of the workspace, or of the folder of the file; for one file or for all. */
interface Keep extends vscode.QuickInputButton {
  readonly target: vscode.ConfigurationTarget;
  /** The path of the file that the choice is for, below its folder; absent for all files. */
  readonly file?: string;
}

/** Registers the commands. */
export function register(
  session: Session,
  panel: LayoutPanel,
  log: vscode.LogOutputChannel,
  extension: vscode.Uri,
): vscode.Disposable[] {
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
    openGlossary: () => openPage(extension, "glossary.md"),
  };
  // What lenses and actions of the server name.
  session.handle("cute.explain", async (place) => explain(at, explanations, isSubject(place) ? place : undefined));
  session.handle("cute.picture", async (place) => (isSubject(place) ? panel.showSubject(place) : undefined));
  session.handle("cute.copyAs", async (what, run) => {
    const answer = (await run()) as Record<string, unknown> | null;
    const smaller = (size: object) =>
      session.ask<Record<string, unknown>>("workspace/executeCommand", {
        command: "cute.copyAs",
        arguments: [{ ...(what as object), ...size }],
      });
    return copyPicture(answer ?? undefined, "text", smaller);
  });
  return [
    vscode.workspace.registerTextDocumentContentProvider(EXPLAINED, explanations),
    vscode.commands.registerCommand(SHOW_SUBJECT, (place: unknown) => (isSubject(place) ? panel.showSubject(place) : undefined)),
    vscode.commands.registerCommand(OPEN_RULE, (rule: unknown) => {
      const page = rulePage(rule);
      return page === undefined ? undefined : openPage(extension, "rules", page);
    }),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`${SECTION}.${name}`, run)),
  ];
}

/** Shows a page of the package. */
function openPage(extension: vscode.Uri, ...path: string[]): Thenable<unknown> {
  return vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(extension, "dist", ...path));
}

/** Requests about the layout under the cursor. */
class AtCursor {
  constructor(
    private readonly session: Session,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The server's answer about a place, that of the cursor; where it has none the user is told. */
  async ask<T>(method: string, more: object, place: Subject | undefined = placeOf(lookedAt())): Promise<T | undefined> {
    const answer = place && (await this.session.ask<T>(method, { ...place, ...more }));
    if (place === undefined) {
      void vscode.window.showInformationMessage("cute-analyzer: put the cursor on a layout first.");
    } else if (answer === undefined) {
      vscode.window.setStatusBarMessage("cute-analyzer: no layout with known sizes is under the cursor", 5000);
    }
    return answer;
  }

  async copy(method: string, more: object, key: string): Promise<void> {
    const answer = await this.ask<Record<string, unknown>>(method, more);
    await copyPicture(answer, key, (size) => this.ask<Record<string, unknown>>(method, { ...more, ...size }));
  }

  async run(device: "cpu" | "cuda"): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage("cute-analyzer: layouts run only in trusted workspaces.");
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

/**
 * Copies what the server answered under a key. A picture of many cells is copied only when the user confirms: all of it,
 * or a smaller one.
 */
async function copyPicture(
  answer: Record<string, unknown> | undefined,
  key: string,
  smaller: (size: { rows: number; columns: number }) => Promise<Record<string, unknown> | undefined>,
): Promise<void> {
  const [cells, text] = [answer?.["cells"], answer?.[key]];
  if (typeof cells !== "number" || typeof text !== "string" || cells < MANY_CELLS) {
    await toClipboard(text);
    return;
  }
  const all = `Copy ${count(text.length, "Character")}`;
  const some = `Copy the First ${SOME} Rows and Columns`;
  const choice = await vscode.window.showInformationMessage(`The picture has ${count(cells, "cell")}.`, all, some);
  if (choice === all) {
    await toClipboard(text);
  } else if (choice === some) {
    await toClipboard((await smaller({ rows: SOME, columns: SOME }))?.[key]);
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

/** Chooses which instance of a function hints and hovers show: of the function at the cursor, else of any. */
async function selectInstance(session: Session): Promise<void> {
  const place = placeOf(lookedAt());
  const found = place && (await session.ask<Instances[]>("cute/instances", place));
  const here = (found ?? []).filter((one) => one.here);
  const functions = here.length > 0 ? here : (found ?? []);
  const file = lookedAt()?.document.uri;
  const keeps = keepsOf(file);
  const items: InstanceItem[] = functions.flatMap((one) => [
    { label: one.function, kind: vscode.QuickPickItemKind.Separator },
    ...one.instances.map((instance, index) => ({
      label: `${index === one.chosen ? "$(check)" : "$(blank)"} ${one.labels[index] ?? instance}`,
      description: `${index + 1}/${one.instances.length}`,
      detail: `${one.function}: ${instance}`,
      buttons: keeps,
      choice: { function: one.function, instance },
    })),
  ]);
  if (items.length === 0) {
    void vscode.window.showInformationMessage("cute-analyzer: no function in this file has several instances.");
    return;
  }
  const pick = vscode.window.createQuickPick<InstanceItem>();
  pick.title = "Show the layouts of";
  pick.placeholder = "The buttons of a row keep it in the settings, for the file, the folder or the workspace";
  pick.matchOnDetail = true;
  pick.items = items;
  pick.activeItems = items.filter((item) => item.label.startsWith("$(check)")).slice(0, 1);
  const take = async (item: InstanceItem | undefined, keep?: Keep) => {
    pick.hide();
    if (item?.choice) {
      const document = keep?.file !== undefined && file ? { textDocument: { uri: file.toString() } } : {};
      await session.ask("cute/selectInstance", { ...item.choice, ...document });
      await keepInstance(item.choice, keep);
    }
  };
  pick.onDidAccept(() => void take(pick.activeItems[0]));
  pick.onDidTriggerItemButton(({ item, button }) => void take(item, button as Keep));
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

/** Where the choice of an instance can be kept: a file outside of every folder has none but the workspace. */
function keepsOf(file: vscode.Uri | undefined): Keep[] {
  const workspace = new vscode.ThemeIcon("save-all");
  const keeps: Keep[] = [
    { iconPath: workspace, tooltip: "Keep for the workspace", target: vscode.ConfigurationTarget.Workspace },
  ];
  if (file && vscode.workspace.getWorkspaceFolder(file)) {
    const target = vscode.ConfigurationTarget.WorkspaceFolder;
    const path = vscode.workspace.asRelativePath(file, false);
    keeps.unshift(
      { iconPath: new vscode.ThemeIcon("file"), tooltip: "Keep for this file", target, file: path },
      { iconPath: new vscode.ThemeIcon("folder"), tooltip: "Keep for this folder", target },
    );
  }
  return vscode.workspace.workspaceFolders ? keeps : [];
}

/** Writes the choice of an instance into the settings. */
async function keepInstance(
  choice: Choice,
  keep: Keep | undefined,
): Promise<void> {
  if (keep === undefined) {
    return;
  }
  const settings = vscode.workspace.getConfiguration(SECTION, lookedAt()?.document.uri);
  const kept = settings.inspect<Preferred>("instances.preferred");
  const before = keep.target === vscode.ConfigurationTarget.Workspace ? kept?.workspaceValue : kept?.workspaceFolderValue;
  await settings.update("instances.preferred", withChoice(before ?? {}, choice, keep.file), keep.target);
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
