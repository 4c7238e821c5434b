const LONGEST = 600;

/** Formats a JSON value for a cell of a table. A text appears without quotes. Pure. */
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
