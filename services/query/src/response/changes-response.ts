import type { ChangesCriteria } from '../request/changes-request.ts';
import type { Change } from '../stored/complete-item.ts';
import type { Representation } from './representation.ts';
import { weakEtag } from './representation.ts';

/** The URL at which clients reach the service, and the license of its data. */
export interface ChangesOrigin {
  /** Absolute URL of the base path, without a trailing slash. */
  base: string;
  license: string;
}

/**
 * Returns the absolute URL of the next page. An empty page links to itself. Rule:
 * docs/reference/rules.md#changes.
 */
function nextChanges(
  { after, hasAfter, limit, hasLimit }: ChangesCriteria,
  changes: readonly Change[],
  base: string,
): string {
  const last = changes.at(-1)?.modified ?? (hasAfter ? after : undefined);
  const limited = hasLimit ? `limit=${limit}` : undefined;
  if (last !== undefined) return `${changesUrl(base, last)}${limited ? `&${limited}` : ''}`;
  return `${base}/changes${limited ? `?${limited}` : ''}`;
}

/** Returns the URL of the changes after a change number. */
export const changesUrl = (base: string, number: number): string =>
  `${base}/changes?afterChangeNumber=${number}`;

const [COMMA, END_ENTRY] = [Buffer.from(','), Buffer.from('}')] as const;

/** Serializes a page of changes (RPDE 1.0). */
export function representChanges(
  criteria: ChangesCriteria,
  changes: readonly Change[],
  { base, license }: ChangesOrigin,
): Representation {
  const next = JSON.stringify(nextChanges(criteria, changes, base));
  const body = Buffer.concat([
    Buffer.from(`{"next":${next},"items":[`),
    ...changes.flatMap((change, i) => (i === 0 ? entry(change) : [COMMA, ...entry(change)])),
    Buffer.from(`],"license":${JSON.stringify(license)}}`),
  ]);
  return { body, etag: weakEtag(body) };
}

function entry({ id, modified, note, item }: Change): Buffer[] {
  const at = new Date(note.at).toISOString();
  const members = `"kind":"listing","id":${JSON.stringify(id)},"modified":${modified},"at":"${at}"`;
  if (!item) return [Buffer.from(`{"state":"deleted",${members}}`)];
  return [Buffer.from(`{"state":"updated",${members},"data":`), ...item.data, END_ENTRY];
}
