import type { ScanProgress } from '@vitrine/kafka';
import { decodeRecord, type VersionBound, versionBound } from '@vitrine/listing-events';
import type { CommandContext } from '../command-context.ts';
import { type Chosen, findChosen } from './chosen-dead-letters.ts';
import { readCorrectedDeadLetters } from './corrected-dead-letters.ts';
import { Outbox } from './outbox.ts';
import {
  type DeadLetterSummary,
  holdsRecord,
  identityOf,
  type StoredDeadLetter,
  summaryOf,
} from './stored-dead-letter.ts';

/**
 * Selects a dead letter by its ref, or all open dead letters that match a filter. A dry run sends nothing.
 * The records of the ingest go back to their own topics, and only the ingest's mapping can tell whether they
 * are valid now.
 */
export type RetryOptions = Chosen & { dryRun: boolean };

export interface RetryResult {
  dryRun: boolean;
  /** The number of records that this retry sent, or that a dry run would send. */
  sent: number;
  /** The number of selected records that an earlier retry sent. */
  alreadyRetried: number;
  /**
   * The number of dismissed records that a filter selected. A retry sends such a record only if the operator
   * names its ref.
   */
  dismissed: number;
  /** The number of records that a filter selected and that a later version of their listing has corrected. */
  corrected: number;
  /**
   * The dead letters whose records this code or the topic's size limit still rejects, each with its new
   * reason. There are at most 1,000 entries.
   */
  stillRefused: DeadLetterSummary[];
  stillRefusedTotal: number;
  /**
   * The dead letters that hold a batch or a listing's state instead of a record. There are at most 1,000
   * entries.
   */
  notRetryable: DeadLetterSummary[];
  notRetryableTotal: number;
}

const MAX_LISTED = 1_000;

/**
 * Sends the records of dead letters to the events topic again if this code accepts them, for example after a
 * fix. Sends the ingest's records to the topics from which they came. Each retried dead letter gets a mark in
 * the dead-letter topic, so that later commands neither list nor send it again. After an interruption between
 * a record and its mark, the next retry sends the record again. The fold ignores it, unless the ingest gives
 * it another version. If Kafka does not accept records for a topic, the records of the other topics are still
 * sent before this function fails.
 * @throws DeadLetterError if the requested dead letter does not exist; Kafka's errors;
 * ElasticsearchClientError, but only for a filter
 */
export async function retryDeadLetters(
  context: CommandContext,
  options: RetryOptions,
  onProgress?: (progress: ScanProgress) => void,
): Promise<RetryResult> {
  const { ref, range, chosen, settled, halves } = await findChosen(context, options, onProgress);

  const { dryRun } = options;
  const { deadLettersOfIngest: ofIngest = false } = context;
  const result = new Result(dryRun, versionBound(context.settings.MAX_VERSION));
  const seen = new Set<string>();
  const outbox = new Outbox(context, ofIngest, (deadLetter, detail) =>
    result.refusedByTopic(deadLetter, detail),
  );
  await readCorrectedDeadLetters(
    context,
    range,
    (deadLetter) => ref === undefined && chosen(deadLetter),
    async (entry, corrected) => {
      if (entry.kind === 'mark' || !chosen(entry)) return;
      const identity = identityOf(entry);
      if (seen.has(identity)) return;
      seen.add(identity);
      const settlement = settled.of(identity);
      if (settlement === 'retried') result.alreadyRetried++;
      else if (settlement && ref === undefined) result.dismissed++;
      else if (corrected !== undefined) result.corrected++;
      else if (result.accepts(entry, ofIngest) && !dryRun) await outbox.add(entry);
    },
    halves(1),
  );
  await outbox.end();
  return { ...result };
}

class Result implements RetryResult {
  readonly #bound: VersionBound | undefined;
  readonly dryRun: boolean;
  sent = 0;
  alreadyRetried = 0;
  dismissed = 0;
  corrected = 0;
  stillRefused: DeadLetterSummary[] = [];
  stillRefusedTotal = 0;
  notRetryable: DeadLetterSummary[] = [];
  notRetryableTotal = 0;

  constructor(dryRun: boolean, bound: VersionBound | undefined) {
    this.#bound = bound;
    this.dryRun = dryRun;
  }

  /** Returns whether this code accepts the record, and updates the counts. */
  accepts(deadLetter: StoredDeadLetter, ofIngest: boolean): boolean {
    if (!holdsRecord(deadLetter)) {
      this.notRetryableTotal++;
      if (this.notRetryable.length < MAX_LISTED)
        this.notRetryable.push(summaryOf(deadLetter, { retried: false }));
      return false;
    }
    const decoded = ofIngest ? undefined : decodeRecord(deadLetter.record, this.#bound?.());
    if (decoded?.outcome === 'refused') {
      this.#refuse(deadLetter, decoded.reason, decoded.detail);
      return false;
    }
    this.sent++;
    return true;
  }

  /** Corrects the counts for a record that this code accepts, but its topic refuses. */
  refusedByTopic(deadLetter: StoredDeadLetter, detail: string): void {
    this.sent--;
    this.#refuse(deadLetter, 'refused-by-topic', detail);
  }

  #refuse(deadLetter: StoredDeadLetter, reason: string, detail: string): void {
    this.stillRefusedTotal++;
    if (this.stillRefused.length < MAX_LISTED)
      this.stillRefused.push({ ...summaryOf(deadLetter, { retried: false }), reason, detail });
  }
}
