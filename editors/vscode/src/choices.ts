// Choices of instances as the settings keep them. Knows nothing of VS Code.

/** A function and one of its instances. */
export interface Choice {
  readonly function: string;
  readonly instance: string;
}

/** `instances.preferred`: by function, and by file and function. */
export type Preferred = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The setting with a choice added: for one file, by its path, or for all files. */
export function withChoice(before: Preferred, choice: Choice, file: string | undefined): Preferred {
  if (file === undefined) {
    return { ...before, [choice.function]: choice.instance };
  }
  const inFile = before[file];
  const kept = typeof inFile === "object" ? inFile : {};
  return { ...before, [file]: { ...kept, [choice.function]: choice.instance } };
}
