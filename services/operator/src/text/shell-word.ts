import { printable, withoutControls } from './plain-text.ts';

/**
 * Writes a string as one word for a shell (Bash, Zsh), which reads the string back unchanged. Control
 * characters become escapes, so that the word cannot control the terminal. Each escape is one byte of UTF-8
 * (`\x`). A shell decodes `\u` only if its locale has the character, and Bash 3.2 never decodes it.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (printable(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${withoutControls(text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`), bytesOf)}'`;
}

const bytesOf = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
