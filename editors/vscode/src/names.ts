// Names that the parts of the extension share.

/** The section of the settings, and the prefix of commands. */
export const SECTION = "cute-analyzer";

/** The documents of the server: files on disk in these languages. */
export const DOCUMENTS = [
  ...["cuda-cpp", "cuda", "cpp", "c", "rust", "python"].map((language) => ({ scheme: "file", language })),
  // The cells of a notebook, which are one module.
  { scheme: "vscode-notebook-cell", language: "python" },
];

/** The command of links in hovers: it shows the layout at a place in the panel. */
export const SHOW_SUBJECT = `${SECTION}.showSubject`;

/** The command of links in hovers that shows what the words mean. */
export const OPEN_GLOSSARY = `${SECTION}.openGlossary`;

/** The command of links in hovers and from findings that opens the page of a rule. */
export const OPEN_RULE = `${SECTION}.openRule`;
