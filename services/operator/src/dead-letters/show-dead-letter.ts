import type { ScanProgress } from '@vitrine/kafka';
import type { RawRecord, Version } from '@vitrine/listing-events';
import type { CommandContext } from '../command-context.ts';
import { type Cause, causeOf } from './cause.ts';
import { readCorrectedDeadLetters } from './corrected-dead-letters.ts';
import { assertFound, partitionOf } from './dead-letter-ref.ts';
import { deadLetterRange } from './read-dead-letters.ts';
import { type RecordFault, recordFault } from './record-fault.ts';
import { SettledDeadLetters, settledAs } from './settled-dead-letters.ts';
import {
  asText,
  type DeadLetterSummary,
  holdsRecord,
  identityOf,
  type Standing,
  type StoredDeadLetter,
  summaryOf,
} from './stored-dead-letter.ts';

/** Bytes in readable form: `text` if they are valid UTF-8, otherwise `base64`. */
export type Content = { text: string } | { base64: string };

export interface ShownDeadLetter extends DeadLetterSummary {
  cause: Cause;
  /** The record's headers: `null` for a null header, and an array for a repeated name. */
  headers: Record<string, Content | null | Content[]>;
  /** The record's value, which is null for a tombstone. */
  value: Content | null;
  valueBytes: number;
  /** The bytes of the value that explain the reason, if the reason concerns specific bytes. */
  fault?: RecordFault;
  /** The parsed value, if it is JSON. */
  json?: unknown;
  /** False if the dead letter holds a batch or a listing's state instead of a record. */
  retryable: boolean;
}

/**
 * Reads a dead letter with its content.
 * @param ref `partition:offset`
 * @throws DeadLetterError if the dead letter does not exist; Kafka's errors
 */
export async function showDeadLetter(
  context: CommandContext,
  ref: string,
  onProgress?: (progress: ScanProgress) => void,
): Promise<ShownDeadLetter> {
  const range = await deadLetterRange(context, partitionOf(ref));
  let found: StoredDeadLetter | undefined;
  let correctedBy: Version | undefined;
  const settled = new SettledDeadLetters();
  await readCorrectedDeadLetters(
    context,
    range,
    (deadLetter) => deadLetter.ref === ref,
    (entry, corrected) => {
      settled.add(entry);
      if (entry.kind !== 'dead-letter' || entry.ref !== ref) return;
      found = entry;
      correctedBy = corrected;
    },
    onProgress,
  );
  assertFound<StoredDeadLetter>(found, ref);
  return shown(found, {
    ...settledAs(settled.of(identityOf(found))),
    ...(correctedBy !== undefined && { corrected: correctedBy }),
  });
}

/** Converts the bytes of a dead letter to readable members. Pure. */
export function shown(deadLetter: StoredDeadLetter, standing: Standing): ShownDeadLetter {
  const { value, headers = {} } = deadLetter.record;
  const isData = headers.ce_specversion !== undefined;
  const fault = recordFault(value, deadLetter, isData);
  return {
    ...summaryOf(deadLetter, standing),
    cause: causeOf(deadLetter),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, headerContent(header)]),
    ),
    value: value && content(value),
    valueBytes: value?.length ?? 0,
    ...(fault && { fault }),
    ...parsed(value),
    retryable: holdsRecord(deadLetter),
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
