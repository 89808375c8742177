// readme.mjs: the pages of the package: dist/README.md, dist/glossary.md and dist/rules. Their pictures are inside, as the
// package has no address from which they could be fetched.
import fs from "node:fs";
import path from "node:path";

const TYPES = { ".png": "image/png", ".svg": "image/svg+xml" };

/** A page with its pictures inside; links to other files of the repository are plain text. */
function complete(file) {
  const inside = (whole, text, picture) => {
    const bytes = fs.readFileSync(path.join(path.dirname(file), picture));
    return `![${text}](data:${TYPES[path.extname(picture)]};base64,${bytes.toString("base64")})`;
  };
  return fs.readFileSync(file, "utf8").replaceAll(/!\[(.*?)\]\(([\w/-]+\.(?:png|svg))\)/g, inside);
}

fs.mkdirSync("dist", { recursive: true });
fs.writeFileSync("dist/README.md", complete("README.md"));
fs.writeFileSync("dist/glossary.md", complete("../../docs/glossary.md"));
fs.cpSync("../../docs/rules", "dist/rules", { recursive: true });
