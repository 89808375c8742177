// Rules that read types: what a promise is dropped, what is `any`, what cannot be otherwise.
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", "e2e/node_modules/"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // VS Code's own `Disposable` is anything that can be disposed of.
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "no-eval": "error",
      eqeqeq: "error",
    },
  },
  { files: ["test/**"], rules: { "@typescript-eslint/no-floating-promises": "off" } },
  { files: ["**/*.mjs"], extends: [tseslint.configs.disableTypeChecked] },
);
