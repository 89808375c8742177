import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import load from "node-gyp-build";

const root = fileURLToPath(new URL("../..", import.meta.url));
const binding = load(root);
const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

binding.nodeTypeInfo = JSON.parse(read("src/node-types.json"));
binding.HIGHLIGHTS_QUERY = read("queries/highlights.scm");
binding.FOLDS_QUERY = read("queries/folds.scm");
binding.LOCALS_QUERY = read("queries/locals.scm");

export default binding;
