import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseProgram, complaint, outdated, PATH_SETTING, versionOf, type ServerProgram, type Surroundings } from "../src/server";

const linux = (bundled: boolean): Surroundings => ({
  extensionFolder: "/ext",
  platform: "linux",
  home: "/home/u",
  exists: (file) => bundled && file === "/ext/server/cute-analyzer",
});
const program = (path: string, from: ServerProgram["from"] = "setting"): ServerProgram => ({ path, from });

test("the setting wins over the bundled program", () => {
  assert.deepEqual(chooseProgram("/opt/ca", linux(true)), program("/opt/ca"));
});

test("~/ in the setting is the home folder, and only there", () => {
  assert.equal(chooseProgram("~/bin/ca", linux(true)).path, "/home/u/bin/ca");
  assert.equal(chooseProgram("~other/ca", linux(true)).path, "~other/ca");
});

test("an empty setting counts as none", () => {
  assert.equal(chooseProgram("  ", linux(true)).from, "extension");
});

test("the bundled program wins over PATH", () => {
  assert.deepEqual(chooseProgram(null, linux(true)), program("/ext/server/cute-analyzer", "extension"));
  assert.deepEqual(chooseProgram(null, linux(false)), program("cute-analyzer", "PATH"));
});

test("Windows programs have their suffix", () => {
  assert.equal(chooseProgram(null, { ...linux(false), platform: "win32" }).path, "cute-analyzer.exe");
});

test("a missing program is a complaint that names it and the setting", async () => {
  const missing = program("/nowhere/cute-analyzer");
  const error: unknown = await versionOf(missing, process.env).catch((reason: unknown) => reason);
  const text = complaint(missing, error);
  assert.match(text, /\/nowhere\/cute-analyzer: the program does not exist/);
  assert.ok(text.includes(PATH_SETTING), text);
});

test("another program is not taken for the server", async () => {
  await assert.rejects(versionOf(program(process.execPath), process.env), /it says it is "v\d+/);
});

test("each origin gets its own advice", () => {
  const advice = (["setting", "extension", "PATH"] as const).map((from) => complaint(program("x", from), new Error("no")));
  assert.equal(new Set(advice).size, 3);
  for (const text of advice) {
    assert.ok(text.includes(PATH_SETTING), text);
  }
});

test("a server that is older than the extension is named, a newer one is not", () => {
  const setting = program("/opt/ca");
  for (const version of ["cute-analyzer 0.2.0", "cute-analyzer 0.2.1", "cute-analyzer 1.0.0", "cute-analyzer 0.10.0"]) {
    assert.equal(outdated(setting, version, "0.2.0"), undefined, version);
  }
  const said = outdated(setting, "cute-analyzer 0.1.9", "0.2.0") ?? "";
  assert.ok(["/opt/ca", "0.1.9", "0.2.0", PATH_SETTING].every((part) => said.includes(part)), said);
  assert.ok(outdated(program("cute-analyzer", "PATH"), "cute-analyzer 0.1.9", "0.2.0")?.includes("Update it"));
});
