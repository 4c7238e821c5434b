/** Quotes a text as one word for a POSIX shell. A single quote in it would otherwise end the quotation. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
