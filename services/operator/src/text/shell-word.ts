import { printable } from './plain-text.ts';

/**
 * Writes a string as one word for a shell (Bash, Zsh), which reads the string back unchanged. Control
 * characters become escapes, so that the word cannot control the terminal.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (printable(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${printable(text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`))}'`;
}
