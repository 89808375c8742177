import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Setting {
  default: unknown;
  description?: string;
  markdownDescription?: string;
}
interface Manifest {
  activationEvents: string[];
  contributes: {
    menus: { commandPalette: { command: string }[] };
    walkthroughs: { steps: { description: string; media: { image?: string; markdown?: string } }[] }[];
    commands: { command: string; title: string; enablement?: string }[];
    configuration: { properties: Record<string, Setting> }[];
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const readme = readFileSync("README.md", "utf8");
const lock = readFileSync("package-lock.json", "utf8");
const settings = Object.assign({}, ...manifest.contributes.configuration.map((group) => group.properties)) as Record<
  string,
  Setting
>;

test("every setting is described, and listed in the README with its default", () => {
  assert.ok(Object.keys(settings).length > 0);
  for (const [name, setting] of Object.entries(settings)) {
    assert.ok(setting.description ?? setting.markdownDescription, name);
    const shown = typeof setting.default === "string" ? setting.default : JSON.stringify(setting.default);
    assert.ok(readme.includes(`| \`${name}\` | \`${shown}\` |`), name);
  }
});

test("every command is listed in the README", () => {
  for (const { title } of manifest.contributes.commands) {
    assert.ok(readme.includes(`cute-analyzer: ${title}`), title);
  }
});

test("every command is registered by the extension", () => {
  const registered = readFileSync("src/commands.ts", "utf8");
  for (const { command } of manifest.contributes.commands) {
    assert.match(registered, new RegExp(`^    ${command.split(".")[1] ?? ""}: \\(\\) =>`, "m"), command);
  }
});

test("nothing is run in a workspace that is not trusted", () => {
  for (const { command, enablement } of manifest.contributes.commands) {
    assert.equal(enablement === "isWorkspaceTrusted", command.includes(".runOn"), command);
  }
});

test("the walkthrough's pictures and commands exist", () => {
  const commands = new Set(manifest.contributes.commands.map(({ command }) => command));
  for (const { description, media } of manifest.contributes.walkthroughs.flatMap((all) => all.steps)) {
    assert.ok(!description.includes("`"), "VS Code shows the marks of code in a walkthrough as they are");
    assert.ok(readFileSync(media.image ?? media.markdown ?? "").length > 0);
    for (const [, command] of description.matchAll(/\(command:([^)]+)\)/g)) {
      assert.ok(command !== undefined && commands.has(command), command);
    }
  }
});

test("languages that have the server are those that start the extension", () => {
  const names = readFileSync("src/names.ts", "utf8");
  const started = manifest.activationEvents.filter((event) => event.startsWith("onLanguage:"));
  assert.ok(started.length > 0);
  for (const event of started) {
    assert.ok(names.includes(JSON.stringify(event.slice("onLanguage:".length))), event);
  }
});

test("what names a program is restricted in untrusted workspaces", () => {
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  const server = Object.keys(settings).filter((name) => name.startsWith("cute-analyzer.server."));
  assert.deepEqual([...restricted].sort(), server.sort());
});

test("the lock file names no registry host", () => {
  assert.doesNotMatch(lock, /"resolved":/);
});
