/** Quotes a text as one word for a POSIX shell. A single quote ends a quoted word. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
