const MAX_LENGTH = 300;

/**
 * Describes what a rules module returned or threw, in a string that fits into a dead letter. The function
 * never throws, although it may be impossible to convert the value to a string. If the value is a promise,
 * nothing waits for it. The function therefore handles the promise's rejection, which would otherwise end the
 * process.
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
