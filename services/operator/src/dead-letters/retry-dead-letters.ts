import {
  deadLetterTopic,
  type Message,
  type MessageHeaders,
  type ScanProgress,
  sendInHalves,
} from '@vitrine/kafka';
import { decodeRecord, type VersionBound, versionBound } from '@vitrine/listing-events';
import type { CommandContext } from '../command-context.ts';
import { type Chosen, findChosen } from './chosen-dead-letters.ts';
import { readDeadLetters } from './read-dead-letters.ts';
import {
  type DeadLetterSummary,
  holdsRecord,
  identityOf,
  retryMark,
  type StoredDeadLetter,
  summaryOf,
} from './stored-dead-letter.ts';

/**
 * Selects a dead letter by its ref, or all dead letters that match a filter. A dry run sends nothing. The
 * records of the ingest go back to their own topics, and only the ingest's mapping can tell whether they are
 * valid now.
 */
export type RetryOptions = Chosen & { dryRun: boolean; ofIngest?: boolean };

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
  /**
   * The dead letters whose records this code still rejects, each with its new reason. There are at most 1,000
   * entries.
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
/** Kafka limits the size of a batch. All messages for one partition in a request form a batch. */
const MAX_SEND_BYTES = 512 * 1024;

/**
 * Sends the records of dead letters to the events topic again if this code accepts them, for example after a
 * fix. Sends the ingest's records to the topics from which they came. Each retried dead letter gets a mark in
 * the dead-letter topic, so that later commands neither list nor send it again. After an interruption between
 * a record and its mark, the next retry sends the record again, which is harmless because the fold is
 * idempotent.
 * @throws DeadLetterError if the requested dead letter does not exist; Kafka's errors
 */
export async function retryDeadLetters(
  context: CommandContext,
  options: RetryOptions,
  onProgress?: (progress: ScanProgress) => void,
): Promise<RetryResult> {
  const { ref, range, chosen, settled, halves } = await findChosen(context, options, onProgress);

  const { dryRun, ofIngest = false } = options;
  const result = new Result(dryRun, versionBound(context.settings.MAX_VERSION));
  const seen = new Set<string>();
  const outbox = new Outbox(context, ofIngest);
  await readDeadLetters(
    context,
    range,
    async (entry) => {
      if (entry.kind === 'mark' || !chosen(entry)) return;
      const identity = identityOf(entry);
      if (seen.has(identity)) return;
      seen.add(identity);
      const settlement = settled.of(identity);
      if (settlement === 'retried') result.alreadyRetried++;
      else if (settlement && ref === undefined) result.dismissed++;
      else if (result.accepts(entry, ofIngest) && !dryRun) await outbox.add(entry);
    },
    halves(1),
  );
  await outbox.flush();
  return { ...result };
}

class Result implements RetryResult {
  readonly #bound: VersionBound | undefined;
  readonly dryRun: boolean;
  sent = 0;
  alreadyRetried = 0;
  dismissed = 0;
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
      this.stillRefusedTotal++;
      const { reason, detail } = decoded;
      if (this.stillRefused.length < MAX_LISTED)
        this.stillRefused.push({ ...summaryOf(deadLetter, { retried: false }), reason, detail });
      return false;
    }
    this.sent++;
    return true;
  }
}

/** Sends records in small batches, and writes the marks after each batch. */
class Outbox {
  readonly #context: CommandContext;
  readonly #ofIngest: boolean;
  #deadLetters: StoredDeadLetter[] = [];
  #bytes = 0;

  constructor(context: CommandContext, ofIngest: boolean) {
    this.#context = context;
    this.#ofIngest = ofIngest;
  }

  async add(deadLetter: StoredDeadLetter): Promise<void> {
    if (this.#deadLetters.length > 0 && this.#bytes + deadLetter.bytes > MAX_SEND_BYTES) await this.flush();
    this.#deadLetters.push(deadLetter);
    this.#bytes += deadLetter.bytes + 100;
  }

  async flush(): Promise<void> {
    const { producer, settings } = this.#context;
    if (this.#deadLetters.length === 0) return;
    const topicOf = ({ origin }: StoredDeadLetter) =>
      this.#ofIngest ? origin.topic : settings.LISTING_EVENTS_TOPIC;
    for (const [topic, deadLetters] of Map.groupBy(this.#deadLetters, topicOf))
      await sendInHalves(deadLetters.map(originalMessage), (messages) =>
        producer.send({ topic, messages, ...(this.#bytes > MAX_SEND_BYTES && { compression: 'gzip' }) }),
      );
    const now = new Date();
    const marks = this.#deadLetters.map((deadLetter) => retryMark(deadLetter, now));
    await sendInHalves(marks, (messages) => producer.send({ topic: deadLetterTopic(settings), messages }));
    this.#deadLetters = [];
    this.#bytes = 0;
  }
}

/**
 * Returns the original record without its null headers. kafkajs cannot write null headers, and the decoder
 * treats an absent header like a null header.
 */
function originalMessage({ record: { key, value, headers = {} } }: StoredDeadLetter): Message {
  const kept = Object.entries(headers).filter(([, header]) => header !== null && header !== undefined);
  return { key, value, headers: Object.fromEntries(kept) as MessageHeaders };
}
