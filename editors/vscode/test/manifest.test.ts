import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Setting {
  default: unknown;
  description?: string;
  markdownDescription?: string;
}
interface Manifest {
  contributes: {
    commands: { command: string; title: string }[];
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

test("what names a program is restricted in untrusted workspaces", () => {
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  const server = Object.keys(settings).filter((name) => name.startsWith("cute-analyzer.server."));
  assert.deepEqual([...restricted].sort(), server.sort());
});

test("the lock file names no registry host", () => {
  assert.doesNotMatch(lock, /"resolved":/);
});
