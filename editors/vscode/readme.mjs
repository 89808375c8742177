// readme.mjs: the README of the package, dist/README.md: that of this folder without its pictures, which the
// marketplace takes from an address only; the walkthrough has them.
import fs from "node:fs";

const lines = fs.readFileSync("README.md", "utf8").split("\n");
fs.mkdirSync("dist", { recursive: true });
fs.writeFileSync("dist/README.md", lines.filter((line) => !/^!\[.*\]\(media\/.*\)$/.test(line)).join("\n"));
