// The links of the server, which name things of the editor, as commands. Knows nothing of VS Code.
import { OPEN_GLOSSARY, OPEN_RULE, SHOW_SUBJECT } from "./names";

/** A link to the page of a rule: `cute:rule?not-a-composition`. */
const RULE = /^cute:rule\?([a-z0-9-]+)$/;

/** A hover whose links start commands of this extension. */
export function withCommands(markdown: string): string {
  return markdown
    .replaceAll("(cute:panel?", `(command:${SHOW_SUBJECT}?`)
    .replaceAll("(cute:glossary)", `(command:${OPEN_GLOSSARY})`)
    .replaceAll(/\((cute:rule\?[a-z0-9-]+)\)/g, (link, target: string) => {
      const command = ruleCommand(target);
      return command === undefined ? link : `(${command})`;
    });
}

/** The command that a link to the page of a rule starts; `undefined` for any other address. */
export function ruleCommand(target: string): string | undefined {
  const rule = RULE.exec(target)?.[1];
  return rule && `command:${OPEN_RULE}?${encodeURIComponent(JSON.stringify([rule]))}`;
}

/** The page of a rule in the package of this extension; `undefined` for what is not the name of a rule. */
export function rulePage(rule: unknown): string | undefined {
  return typeof rule === "string" && /^[a-z0-9-]+$/.test(rule) ? `${rule}.md` : undefined;
}
