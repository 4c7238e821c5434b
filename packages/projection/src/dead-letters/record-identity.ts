import { createHash } from 'node:crypto';
import type { SourceRecord } from '@vitrine/kafka';

/**
 * A short text that is equal for all dead letters of one record: a hash of its position in the log and its
 * content. The position alone is not enough, because a recreated topic holds other records at the same
 * positions. Headers are content: the version of a tombstone and the attributes of a binary CloudEvent are
 * headers. The topic's id is part of the identity if it is known: release 1.1.0 wrote dead letters without
 * it. Pure. Rule: docs/decisions/0033-dead-letter-identity.md
 */
export function recordIdentity(record: SourceRecord): string {
  const { topic, topicId, partition, offset, key, value, headers = {} } = record;
  const hash = createHash('sha256');
  // A length precedes each part, so different records never produce the same input for the hash.
  const add = (part: Buffer | string | null | undefined) => {
    hash.update(`${part === null || part === undefined ? 'null' : Buffer.byteLength(part)}/`);
    if (part) hash.update(part);
  };
  for (const part of [topic, String(partition), offset, key, value]) add(part);
  for (const [name, header] of Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parts = [header].flat();
    for (const part of [name, String(parts.length), ...parts]) add(part);
  }
  if (topicId !== undefined) add(topicId);
  // 128 bits make an accidental collision practically impossible.
  return hash.digest('base64url').slice(0, 22);
}
