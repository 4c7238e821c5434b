const MAX_LENGTH = 300;

/**
 * Describes what a rules module returned or threw, in a text that fits into a dead letter. Never throws, although
 * the value may have no text form. Nobody waits for a promise, so the function also handles its rejection, which
 * would otherwise end the process.
 */
export function describeValue(value: unknown): string {
  if (value instanceof Promise) value.catch(() => undefined);
  const text = textOf(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH).toWellFormed()}…` : text;
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return `${typeof value} without a text form`;
  }
}
