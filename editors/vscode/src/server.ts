// Which server program is run, and whether it can be. Knows nothing of VS Code, so that it is tested without it.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";

/** The setting that names the server program. */
export const PATH_SETTING = "cute-analyzer.server.path";

/** A program to be run, and who chose it. */
export interface ServerProgram {
  readonly path: string;
  readonly from: "setting" | "extension" | "PATH";
}

/** What choosing a program depends on. */
export interface Surroundings {
  readonly extensionFolder: string;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly exists: (file: string) => boolean;
}

/** The surroundings of this process. */
export function here(extensionFolder: string): Surroundings {
  return { extensionFolder, platform: process.platform, home: homedir(), exists: existsSync };
}

/** The user's program, else the one in the extension, else the one on `PATH`. */
export function chooseProgram(setting: string | null, surroundings: Surroundings): ServerProgram {
  const chosen = setting?.trim();
  if (chosen) {
    return { path: withHome(chosen, surroundings.home), from: "setting" };
  }
  const name = surroundings.platform === "win32" ? "cute-analyzer.exe" : "cute-analyzer";
  const bundled = path.join(surroundings.extensionFolder, "server", name);
  return surroundings.exists(bundled) ? { path: bundled, from: "extension" } : { path: name, from: "PATH" };
}

function withHome(file: string, home: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(home, file.slice(1)) : file;
}

/** What the program says to `--version`; rejects when it cannot be run or is another program. */
export function versionOf(program: ServerProgram, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program.path, ["--version"], { env, timeout: 10_000 }, (error, stdout) => {
      const line = stdout.trim();
      if (error instanceof Error) {
        reject(error);
      } else if (!line.startsWith("cute-analyzer ")) {
        reject(new Error(`it says it is "${line.slice(0, 80)}"`));
      } else {
        resolve(line);
      }
    });
  });
}

/** Why the server does not run, and what to do, in one sentence each. */
export function complaint(program: ServerProgram, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const missing = code === "ENOENT";
  const reason = missing ? "the program does not exist" : error instanceof Error ? error.message : String(error);
  const advice = {
    setting: `Correct the setting "${PATH_SETTING}".`,
    extension: `Install the extension for this platform, or name a server in the setting "${PATH_SETTING}".`,
    PATH: `Put cute-analyzer on PATH, or name it in the setting "${PATH_SETTING}".`,
  }[program.from];
  return `cute-analyzer: cannot run ${program.path}: ${reason}. ${advice}`;
}

/** `1.2.3` in what a program says of its version. */
function numbers(text: string): readonly number[] {
  const found = /\b(\d+)\.(\d+)\.(\d+)/.exec(text);
  return found ? found.slice(1).map(Number) : [];
}

/** What to say where the server is older than the extension; nothing where it is not. */
export function outdated(program: ServerProgram, version: string, wanted: string): string | undefined {
  const [theirs, ours] = [numbers(version), numbers(wanted)];
  const first = ours.findIndex((number, index) => number !== theirs[index]);
  if (first === -1 || (theirs[first] ?? 0) > (ours[first] ?? 0)) {
    return undefined;
  }
  const advice =
    program.from === "setting"
      ? `Update it, or clear the setting "${PATH_SETTING}" to use the one in the extension.`
      : "Update it; until then some commands may not work.";
  return `cute-analyzer: ${program.path} is ${version}, older than this extension (${wanted}). ${advice}`;
}
