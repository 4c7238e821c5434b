import { isDeepStrictEqual } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** What a user learns: the ids in order, and further facts by name. */
export interface Answer {
  ids: string[];
  facts: Record<string, string | number | boolean>;
}

/** The cost of a sequence of calls or requests. */
export interface Cost {
  calls: number;
  /** o200k tokens of everything that the model writes and reads. */
  tokens: number;
}

/** Describes the difference between two answers; undefined if they are equal. */
export function difference(given: Answer, expected: Answer): string | undefined {
  if (isDeepStrictEqual(given, expected)) return undefined;
  return `${JSON.stringify(given).slice(0, 600)} instead of ${JSON.stringify(expected).slice(0, 600)}`;
}

/** Counts the o200k tokens of texts that a model reads or writes. */
export const tokensOf = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + countTokens(text), 0);
