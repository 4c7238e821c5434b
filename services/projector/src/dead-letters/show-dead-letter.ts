import type { RawRecord } from '@vitrine/listing-events';
import type { Operation } from '../operation.ts';
import { asText, holdsRecord, identityOf, type Letter, type LetterSummary, summaryOf } from './letter.ts';
import { assertFound, partitionOf } from './letter-at.ts';
import { type LetterProgress, letterRange, readLetters } from './read-letters.ts';
import { RetriedDeadLetters } from './retried-dead-letters.ts';

/** Bytes for a person or a script: `text` when they are valid UTF-8, else `base64`. */
export type Content = { text: string } | { base64: string };

/** All that there is of a letter. */
export interface ShownLetter extends LetterSummary {
  /** The record's own headers; null where it had null, several where it had several. */
  headers: Record<string, Content | null | Content[]>;
  /** Null = a tombstone. */
  value: Content | null;
  valueBytes: number;
  /** The value, when it is JSON. */
  json?: unknown;
  /** False = it holds no record: it stands for a batch that could not be decompressed, or for a listing. */
  retryable: boolean;
}

/**
 * Everything that a dead letter holds.
 * @param ref `partition:offset`
 * @throws DeadLetterError when there is no such letter; Kafka's errors
 */
export async function showDeadLetter(operation: Operation, ref: string, onProgress?: (progress: LetterProgress) => void): Promise<ShownLetter> {
  const range = await letterRange(operation, partitionOf(ref));
  let found: Letter | undefined;
  const retried = new RetriedDeadLetters();
  await readLetters(
    operation,
    range,
    (entry) => {
      retried.add(entry);
      if (entry.kind === 'letter' && entry.ref === ref) found = entry;
    },
    onProgress,
  );
  assertFound<Letter>(found, ref);
  return shown(found, retried.has(identityOf(found)));
}

/** A letter with its bytes made readable. Pure. */
export function shown(letter: Letter, retried: boolean): ShownLetter {
  const { value, headers = {} } = letter.record;
  return {
    ...summaryOf(letter, retried),
    headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, headerContent(header)])),
    value: value && content(value),
    valueBytes: value?.length ?? 0,
    ...parsed(value),
    retryable: holdsRecord(letter),
  };
}

function headerContent(header: NonNullable<RawRecord['headers']>[string]): Content | null | Content[] {
  if (header === null || header === undefined) return null;
  return Array.isArray(header) ? header.map(content) : content(header);
}

function content(bytes: Buffer | string): Content {
  const text = typeof bytes === 'string' ? bytes : asText(bytes);
  return text === undefined ? { base64: Buffer.from(bytes).toString('base64') } : { text };
}

function parsed(value: Buffer | null): { json?: unknown } {
  try {
    return value ? { json: JSON.parse(asText(value) ?? '') as unknown } : {};
  } catch {
    return {};
  }
}
