// The colours of pictures in hovers. Knows nothing of VS Code.

/** The condition under which a picture of the server's has dark colours, as the picture's address has it. */
const DARK = "%40media%20%28prefers-color-scheme:dark%29";

/** A hover whose pictures have the colours of the theme: by themselves they follow the operating system. */
export function themed(markdown: string, isDark: boolean): string {
  return markdown.replaceAll(DARK, isDark ? "%40media%20all" : "%40media%20not%20all");
}
