/** The grammar of the layout notation, for `Parser.setLanguage` of `tree-sitter`. */
declare const binding: {
  /** The language, an opaque pointer. */
  language: unknown;
  /** Which kinds of node there are (`src/node-types.json`). */
  nodeTypeInfo: unknown[];
  /** `queries/highlights.scm` */
  HIGHLIGHTS_QUERY: string;
  /** `queries/folds.scm` */
  FOLDS_QUERY: string;
  /** `queries/locals.scm` */
  LOCALS_QUERY: string;
};
export default binding;
