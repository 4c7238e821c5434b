import { DEFAULT_CHANGES_LIMIT, MAX_CHANGES_LIMIT } from '../contract/changes-parameters.ts';
import type { BadParameter } from '../filters/filter.ts';
import { readQueryString } from './query-string.ts';

export interface ChangesCriteria {
  /** Change number, from 0 to 2^53-1. */
  after: number;
  /** Whether the request contains the change number. */
  hasAfter: boolean;
  limit: number;
  /** Whether the request contains `limit`, so that `next` contains it too. */
  hasLimit: boolean;
}

const INTEGER = /^[0-9]+$/;

/**
 * Reads a request for changes. Rule: docs/reference/rules.md#changes.
 * @param query the raw query, without the `?`
 */
export function readChangesRequest(query: string): ChangesCriteria | { bad: BadParameter[] } {
  const { values, bad } = readQueryString(query, ['afterChangeNumber', 'limit'] as const);
  const read = (name: keyof typeof values, fallback: number, min: number, max: number): number => {
    const text = values[name];
    if (text === undefined) return fallback;
    const number = INTEGER.test(text) ? Number(text) : Number.NaN;
    // An integer above 2^53-1 has no exact number, and NaN fails every comparison.
    if (number >= min && number <= max) return number;
    bad.push({ parameter: name, detail: `must be a decimal integer from ${min} to ${max}` });
    return fallback;
  };
  const after = read('afterChangeNumber', 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = read('limit', DEFAULT_CHANGES_LIMIT, 1, MAX_CHANGES_LIMIT);
  if (bad.length > 0) return { bad };
  return {
    after,
    hasAfter: values.afterChangeNumber !== undefined,
    limit,
    hasLimit: values.limit !== undefined,
  };
}
