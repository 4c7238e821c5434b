/** Two texts, split into their common start, their different parts and their common end. */
export interface TextDifference {
  before: string;
  leftPart: string;
  rightPart: string;
  after: string;
}

/** Finds the parts in which two texts differ, without splitting a character. Pure. */
export function textDifference(left: string, right: string): TextDifference {
  const [a, b] = [[...left], [...right]];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return {
    before: a.slice(0, start).join(''),
    leftPart: a.slice(start, a.length - end).join(''),
    rightPart: b.slice(start, b.length - end).join(''),
    after: a.slice(a.length - end).join(''),
  };
}

const LONGEST = 600;

/** Formats a JSON value for a cell of a table. A string appears without quotes. Pure. */
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
