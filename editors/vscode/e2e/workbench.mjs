// A real VS Code workbench (code-server, loopback only) in headless Chromium, with a few verbs for tests.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

export const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Settings that keep the window still and quiet. */
const QUIET = {
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.enableExperiments": false,
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "chat.commandCenter.enabled": false,
  "git.enabled": false,
  "window.restoreWindows": "none",
  "editor.minimap.enabled": false,
  "editor.accessibilitySupport": "off",
  "editor.hover.delay": 150,
};

/** How long a condition is awaited, in milliseconds; the machine may be busy. */
const PATIENCE = 30_000;

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const settingsOf = (home) => path.join(home, "data/User/settings.json");

function prepare({ files, settings, trusted }) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "cute-analyzer-e2e-"));
  const workspace = path.join(home, "workspace");
  for (const folder of ["data/User", "extensions", "workspace"]) {
    fs.mkdirSync(path.join(home, folder), { recursive: true });
  }
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    fs.writeFileSync(path.join(workspace, name), text);
  }
  const trust = trusted
    ? { "security.workspace.trust.enabled": false }
    : { "security.workspace.trust.startupPrompt": "never" };
  fs.writeFileSync(settingsOf(home), JSON.stringify({ ...QUIET, ...trust, ...settings }));
  return { home, workspace };
}

function environment(home) {
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    // No gallery, so that nothing is asked of the network.
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "", itemUrl: "", resourceUrlTemplate: "", controlUrl: "" }),
  };
  for (const name of ["VSCODE_IPC_HOOK_CLI", "PORT", "PASSWORD"]) {
    delete env[name];
  }
  return env;
}

async function answers(port) {
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; ) {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (response?.ok) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("code-server did not start");
}

/** The titles of the commands that were run, of all workbenches. */
export const commanded = new Set();

/** What dialogs said: VS Code shows one where a command ends with an error. */
export const complaints = [];

/** How long our extension took to start in each workbench that was closed, in milliseconds, as its log says. */
export const activations = [];

function readLogs(home) {
  const logs = path.join(home, "data/logs");
  for (const name of fs.existsSync(logs) ? fs.readdirSync(logs, { recursive: true }) : []) {
    if (path.basename(name) === "cute-analyzer.log") {
      const text = fs.readFileSync(path.join(logs, name), "utf8");
      activations.push(...[...text.matchAll(/activated in (\d+) ms/g)].map(([, time]) => Number(time)));
    }
  }
}

/**
 * Opens a workspace.
 *
 * @param options codeServer: the program; chromium: the browser; vsix: the extension; artefacts: a folder
 *   for logs; files: the workspace's texts by name; settings: the user's; trusted: Workspace Trust is off;
 *   others: more extensions; outside: files outside of any folder, in the place of a workspace
 */
export async function openWorkbench(options) {
  const { codeServer, chromium: browserPath, vsix, artefacts, files, settings = {}, trusted = true } = options;
  const { others = [], outside = false } = options;
  const { home, workspace } = prepare({ files, settings, trusted });
  const env = environment(home);
  const folders = ["--user-data-dir", path.join(home, "data"), "--extensions-dir", path.join(home, "extensions")];
  const installed = [vsix, ...others].flatMap((file) => ["--install-extension", path.resolve(file)]);
  execFileSync(codeServer, [...folders, ...installed], { env, stdio: ["ignore", "ignore", "inherit"] });
  const port = await freePort();
  const log = fs.openSync(path.join(artefacts, "code-server.log"), "w");
  const quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check"];
  const trust = trusted ? ["--disable-workspace-trust"] : [];
  const server = spawn(codeServer, [...folders, ...quiet, ...trust, "--bind-addr", `127.0.0.1:${port}`], {
    env,
    stdio: ["ignore", log, log],
    detached: true,
  });
  let browser;
  const close = async () => {
    await browser?.close();
    try {
      process.kill(-server.pid);
    } catch {
      // It has ended already.
    }
    readLogs(home);
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    await answers(port);
    browser = await chromium.launch({ executablePath: browserPath, headless: true, args: CHROMIUM_FLAGS });
    const address = `http://127.0.0.1:${port}/?${outside ? "ew=true" : `folder=${encodeURIComponent(workspace)}`}`;
    return { ...(await openPage(browser, address, artefacts, settingsOf(home))), home, workspace, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPage(browser, address, artefacts, settingsFile) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE);
  const foreign = new Set();
  const leaves = (url) => url.protocol.startsWith("http") && !["127.0.0.1", "localhost"].includes(url.hostname);
  await context.route(leaves, (route) => {
    foreign.add(new URL(route.request().url()).hostname);
    return route.abort();
  });
  const page = await context.newPage();
  page.on("console", (message) =>
    fs.appendFileSync(path.join(artefacts, "console.log"), `${message.type()}: ${message.text()}\n`),
  );
  await page.goto(address);
  await page.waitForSelector(".monaco-workbench .part.statusbar");
  // The text has the room.
  const side = page.locator(".part.sidebar");
  if (await side.isVisible()) {
    await page.keyboard.press("Control+b");
    await side.waitFor({ state: "hidden" });
  }

  const dialog = page.locator(".monaco-dialog-box");
  await page.addLocatorHandler(dialog, async () => {
    complaints.push(await dialog.innerText());
    await page.keyboard.press("Escape");
  });

  const input = page.locator(".quick-input-widget .quick-input-box input.input").first();
  /** Opens the quick input with a key, types, and takes the row with this text. */
  async function pick(key, text, row, closes = true) {
    // A list that was opened before the extensions were read stays without their commands: then it is opened again.
    for (let tries = 0; ; tries += 1) {
      while (!(await input.isVisible())) {
        await page.keyboard.press(key);
        await page.waitForTimeout(300);
      }
      await input.fill(text);
      const there = page.locator(".quick-input-list .monaco-list-row", { hasText: row ?? "" }).first();
      if (!row || (await there.waitFor({ timeout: PATIENCE / 5 }).then(() => true, () => false))) {
        break;
      }
      if (tries === 5) {
        throw new Error(`no row ${row} for ${text}`);
      }
      await page.keyboard.press("Escape");
      await input.waitFor({ state: "hidden" });
    }
    // A page inside of the window may have taken the focus.
    await input.press("Enter");
    if (closes) {
      await accept();
    }
  }
  /** Awaits that the quick input has taken Enter; a busy window may have missed it. */
  async function accept() {
    const widget = page.locator(".quick-input-widget");
    for (let tries = 0; tries < 5; tries += 1) {
      const hidden = await widget.waitFor({ state: "hidden", timeout: PATIENCE / 5 }).then(() => true, () => false);
      if (hidden) {
        return;
      }
      await input.press("Enter", { timeout: 1000 }).catch(() => {});
    }
    await widget.waitFor({ state: "hidden" });
  }
  /** Changes the user's settings, in the editor as a user does. */
  async function set(settings) {
    const text = JSON.stringify({ ...QUIET, ...settings });
    const tab = page.locator(".tab.active", { hasText: "settings.json" });
    await pick("F1", ">Preferences: Open User Settings (JSON)", "Preferences: Open User Settings (JSON)");
    await tab.waitFor();
    // A busy window may have missed a key: what counts is what is in the file, where VS Code closes brackets once more.
    for (const deadline = Date.now() + PATIENCE; !fs.readFileSync(settingsFile, "utf8").startsWith(text); ) {
      if (Date.now() > deadline) {
        throw new Error("the settings were not written");
      }
      await page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
      await page.keyboard.press("Control+s");
      await page.waitForTimeout(500);
    }
    await page.keyboard.press("Control+w");
    await tab.waitFor({ state: "detached" });
  }
  /** The heading of a question, which the list of commands has not. */
  const question = page.locator(".quick-input-widget .quick-input-title, .quick-input-widget .quick-input-message").first();
  /** Runs a command until it asks. A busy window may have missed Enter, and closes the list of commands when the focus moves. */
  async function asked(title) {
    for (let tries = 0; tries < 5; tries += 1) {
      if (!(await question.isVisible())) {
        await pick("F1", `>${title}`, title, false);
      }
      if (await question.waitFor({ timeout: PATIENCE / 5 }).then(() => true, () => false)) {
        return;
      }
    }
    await question.waitFor();
  }
  /** Runs a command that asks for a text or a row of a list, and gives the one or takes the other. */
  async function answer(title, text, row) {
    commanded.add(title);
    await asked(title);
    // What a window that has just opened does may close the question: then it is asked again.
    for (let tries = 0; tries < 5; tries += 1) {
      const filled = await input.fill(text, { timeout: PATIENCE / 5 }).then(() => true, () => false);
      if (filled && (await question.isVisible())) {
        break;
      }
      await asked(title);
    }
    if (row) {
      await page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first().waitFor();
    }
    await input.press("Enter");
    await accept();
  }
  /** Runs a command. */
  function command(title) {
    commanded.add(title);
    return pick("F1", `>${title}`, title);
  }
  return {
    page,
    foreign,
    set,
    answer,
    clipboard: () => page.evaluate(() => navigator.clipboard.readText()),
    /** The page inside of the layout panel. */
    panel: () => page.frameLocator("iframe.webview").last().frameLocator("#active-frame"),
    /** Takes the action with this text from the menu of actions, which has to be open. */
    act: async (text) => {
      const rows = page.locator(".action-widget .monaco-list-row.action");
      await rows.filter({ hasText: text }).first().waitFor();
      for (let moves = await rows.count(); moves > 0; moves -= 1) {
        if ((await rows.and(page.locator(".focused")).innerText()).includes(text)) {
          break;
        }
        await page.keyboard.press("ArrowDown");
      }
      await page.keyboard.press("Enter");
    },
    /** Closes a file's tab, wherever the focus is. */
    closeTab: async (file) => {
      const tab = page.locator(".tab", { hasText: file });
      await tab.hover();
      await tab.locator(".codicon-close").click();
      await tab.waitFor({ state: "detached" });
    },
    open: (file) => pick("Control+p", file, file),
    command,
    goTo: (line, column) => pick("Control+g", `:${line}:${column}`),
    line: (text) => page.locator(".view-line", { hasText: text }).first(),
    screenshot: (name, clip) => page.screenshot({ path: path.join(artefacts, `${name}.png`), ...(clip && { clip }) }),
  };
}
