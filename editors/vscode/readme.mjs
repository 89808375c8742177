// readme.mjs: the README of the package, dist/README.md: that of this folder with its pictures inside, as the
// package stands at no address from which they could be had.
import fs from "node:fs";

const inside = (whole, text, file) =>
  `![${text}](data:image/png;base64,${fs.readFileSync(file).toString("base64")})`;
const text = fs.readFileSync("README.md", "utf8");
fs.mkdirSync("dist", { recursive: true });
fs.writeFileSync("dist/README.md", text.replaceAll(/!\[(.*?)\]\((media\/.*?\.png)\)/g, inside));
