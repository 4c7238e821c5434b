import type { OpenApi, Operation } from '@vitrine/web';

/** An operation of the OpenAPI document with its path. */
export interface PathOperation extends Operation {
  /** The path, relative to the base path. */
  path: string;
}

/** Lists the operations of an OpenAPI document in the document's order. */
export const operationsOf = ({ paths }: OpenApi): PathOperation[] =>
  Object.entries(paths).map(([path, { get }]) => ({ ...get, path }));

/**
 * Returns whether a link to an operation is useful. The operation's path must be complete, and its response
 * must be one JSON document. The export is NDJSON of any length, so a program that follows all links should
 * not load it.
 */
export function isLinkable({ path, responses }: PathOperation): boolean {
  const success = responses['200'];
  const types = success !== undefined && 'content' in success ? Object.keys(success.content ?? {}) : [];
  const isJson = types.some((type) => /[/+]json$/.test(type));
  return isJson && !path.includes('{');
}
