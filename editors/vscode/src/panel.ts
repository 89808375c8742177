// The layout panel: shows the page that the server makes, of the place where the cursor is or of an expression.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { lookedAt } from "./editor";
import { DOCUMENTS, SECTION } from "./names";
import { placeOf, type Subject } from "./place";
import type { Session } from "./session";

/** The type of the panel, by which VS Code finds it again after a reload of its window. */
const TYPE = `${SECTION}.layout`;

/** The rest in moving the cursor after which the panel follows, in milliseconds. */
const REST = 60;

/** The answer to `cute/picture`: a picture, or the name of a value and the reason why it has none. */
interface Picture {
  readonly picture?: unknown;
  readonly name?: string;
  readonly reason?: string;
}

/** A message of the page: it is ready; go to a declaration; show another part of a large layout; copy a link to the layout. */
type Message =
  | { readonly kind: "ready" }
  | { readonly kind: "reveal"; readonly place: { readonly uri: string; readonly line: number; readonly character: number } }
  | { readonly kind: "part"; readonly row: number; readonly column: number }
  | { readonly kind: "link"; readonly expression: string };

export class LayoutPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private asked: vscode.CancellationTokenSource | undefined;
  private rest: NodeJS.Timeout | undefined;
  /** The expression that is shown, in the place of the cursor's layout. */
  private expression: string | undefined;
  /** What was shown last, of which the page may ask for another part. */
  private subject: Subject | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly session: Session,
    /** The extension, as links name it. */
    private readonly extension: string,
  ) {
    this.subscriptions = [
      vscode.window.registerUriHandler({
        handleUri: async ({ query }) => {
          const expression = new URLSearchParams(query).get("draw");
          if (expression) {
            await this.showExpression(expression);
          }
        },
      }),
      vscode.window.onDidChangeTextEditorSelection(() => this.follow()),
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.workspace.onDidChangeTextDocument(() => this.follow()),
      session.onStarted(() => this.follow()),
      vscode.window.registerWebviewPanelSerializer(TYPE, {
        deserializeWebviewPanel: async (panel) => {
          this.adopt(panel);
          await this.fill(panel, { expression: "1:0" });
          this.follow();
        },
      }),
    ];
  }

  /** Shows the layout under the cursor beside the text, and follows the cursor from now on. */
  async showPlace(): Promise<void> {
    const place = placeOf(lookedAt());
    if (!place) {
      void vscode.window.showInformationMessage("cute-analyzer: put the cursor on a layout first.");
      return;
    }
    await this.showSubject(place);
  }

  /** Shows a place or an expression; a place until the cursor moves. */
  async showSubject(subject: Subject): Promise<void> {
    this.expression = "expression" in subject ? subject.expression : undefined;
    await this.open(subject);
  }

  /** Shows an expression. */
  async showExpression(expression: string): Promise<void> {
    await this.showSubject({ expression });
  }

  dispose(): void {
    clearTimeout(this.rest);
    this.asked?.dispose();
    this.panel?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async open(subject: Subject): Promise<void> {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      this.subject = subject;
      const params = { ...subject, operands: true, reasons: true, format: "page" };
      await this.show(await this.session.ask<Picture>("cute/picture", params));
      return;
    }
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(TYPE, "Layout", place, {
      enableScripts: true,
      localResourceRoots: [],
      enableFindWidget: false,
    });
    this.adopt(panel);
    const missing = await this.fill(panel, subject);
    if (missing !== undefined) {
      panel.dispose();
      if (!("expression" in subject)) {
        void vscode.window.showInformationMessage(`cute-analyzer: ${missing}`);
      }
    }
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    panel.webview.onDidReceiveMessage((message: Message) => void this.answer(message));
    panel.onDidDispose(() => {
      if (this.panel === panel) {
        this.panel = undefined;
      }
    });
  }

  /** Does what the page asks for. */
  private async answer(message: Message): Promise<void> {
    if (message.kind === "reveal") {
      const { uri, line, character } = message.place;
      const selection = new vscode.Range(line, character, line, character);
      const others = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri);
      const viewColumn = others?.viewColumn ?? vscode.ViewColumn.One;
      await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection, viewColumn });
    } else if (message.kind === "part" && this.subject) {
      await this.update(this.subject, { firstRow: message.row, firstColumn: message.column });
    } else if (message.kind === "link") {
      const query = new URLSearchParams({ draw: message.expression });
      await vscode.env.clipboard.writeText(`${vscode.env.uriScheme}://${this.extension}/?${query.toString()}`);
      vscode.window.setStatusBarMessage("cute-analyzer: copied a link that shows this layout", 3000);
    }
  }

  /** Gives the panel its page; says why there is none. */
  private async fill(panel: vscode.WebviewPanel, subject: Subject): Promise<string | undefined> {
    const nonce = randomBytes(16).toString("hex");
    const params = { ...subject, operands: true, reasons: true, format: "html", nonce };
    const answer = await this.session.ask<Picture>("cute/picture", params);
    if (typeof answer?.picture !== "string") {
      return missing(answer) ?? "no layout is under the cursor.";
    }
    panel.webview.html = answer.picture;
    this.subject = subject;
    return undefined;
  }

  /** Shows the layout under the cursor once it rests; what is shown stays where there is none. */
  private follow(): void {
    if (!this.panel || this.expression !== undefined) {
      return;
    }
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      const editor = vscode.window.activeTextEditor;
      const place = editor && vscode.languages.match(DOCUMENTS, editor.document) > 0 ? placeOf(editor) : undefined;
      if (place && this.panel?.visible) {
        void this.update(place);
      }
    }, REST);
  }

  /** Shows a subject, or a part of it from a row and a column on. */
  private async update(subject: Subject, from: { firstRow?: number; firstColumn?: number } = {}): Promise<void> {
    this.asked?.cancel();
    const asked = new vscode.CancellationTokenSource();
    this.asked = asked;
    const params = { ...subject, ...from, operands: true, reasons: true, format: "page" };
    const answer = await this.session.askQuietly<Picture>("cute/picture", params, asked.token);
    if (!asked.token.isCancellationRequested) {
      this.subject = answer?.picture ? subject : this.subject;
      await this.show(answer);
    }
    asked.dispose();
  }

  private async show(answer: Picture | undefined): Promise<void> {
    if (answer) {
      await this.panel?.webview.postMessage({ sheet: answer.picture, reason: missing(answer) });
    }
  }
}

/** Why a value has no picture. */
function missing(answer: Picture | undefined): string | undefined {
  return answer?.reason === undefined ? undefined : `${answer.name}: ${answer.reason}`;
}
