// check.mjs [--write]: whether every Lua file of the plugin has StyLua's format, with the options of
// .stylua.toml; --write gives it to them. StyLua runs as WebAssembly, so nothing is compiled.
import fs from "node:fs";
import path from "node:path";
import { Config, formatCode, IndentType, LuaVersion, OutputVerification, QuoteStyle } from "@johnnymorganz/stylua";

const plugin = path.resolve(import.meta.dirname, "../..");
const options = Object.fromEntries(
  fs
    .readFileSync(path.join(plugin, ".stylua.toml"), "utf8")
    .split("\n")
    .filter((line) => line.includes("="))
    .map((line) => line.split("=").map((part) => part.trim().replaceAll('"', ""))),
);

function config() {
  const chosen = Config.new();
  chosen.syntax = LuaVersion.LuaJIT;
  chosen.column_width = Number(options.column_width);
  chosen.indent_type = IndentType[options.indent_type];
  chosen.indent_width = Number(options.indent_width);
  chosen.quote_style = QuoteStyle[options.quote_style];
  return chosen;
}

let unformatted = 0;
const files = fs.readdirSync(plugin, { recursive: true }).filter((file) => file.endsWith(".lua") && !file.includes("node_modules"));
for (const name of files) {
  const file = path.join(plugin, name);
  const text = fs.readFileSync(file, "utf8");
  const formatted = formatCode(text, config(), undefined, OutputVerification.None);
  if (formatted !== text && process.argv.includes("--write")) {
    fs.writeFileSync(file, formatted);
  } else if (formatted !== text) {
    console.log(`not formatted: ${name}`);
    unformatted += 1;
  }
}
console.log(`${files.length} Lua files, ${unformatted} not formatted`);
process.exit(unformatted === 0 && files.length > 0 ? 0 : 1);
