import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventRecord } from '@vitrine/fixtures';
import type { KafkaClient, KafkaProducer } from '@vitrine/kafka';

const TICK_MS = 250;
const RETRY_MS = 500;

/** Identifies a record by its bytes. */
export function digestOf({ key, value }: Pick<EventRecord, 'key' | 'value'>): string {
  const hash = createHash('sha1');
  for (const part of [key, value])
    hash
      .update(part === null ? 'null ' : 'bytes ')
      .update(part ?? '')
      .update(' ');
  return hash.digest('base64url').slice(0, 16);
}

/**
 * Publishes records at a steady rate. It repeats a batch until the broker confirms it, so the log may contain
 * a record twice, and contains each published record at least once.
 */
export class Publisher {
  /** Number of confirmed records. */
  published = 0;
  /** The digests of the confirmed records. */
  readonly confirmed = new Set<string>();
  /** Number of batches that were repeated. */
  repeated = 0;
  readonly #producer: KafkaProducer;
  readonly #topic: string;

  constructor(kafka: KafkaClient, topic: string) {
    this.#topic = topic;
    this.#producer = kafka.producer({ retries: 0 });
  }

  async connect(): Promise<void> {
    await this.#producer.connect();
  }

  /** Publishes records until `signal` aborts. @param next returns this many records */
  async run(
    next: (count: number) => readonly EventRecord[],
    perSecond: number,
    signal: AbortSignal,
  ): Promise<void> {
    const begin = performance.now();
    let due = 0;
    while (!signal.aborted) {
      // After an outage of Kafka, the sources of a market publish what they could not publish during the
      // outage.
      const count = Math.min(
        perSecond * 5,
        Math.floor(((performance.now() - begin) / 1_000) * perSecond) - due,
      );
      if (count > 0) {
        due += count;
        await this.publish(next(count), signal);
      }
      await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Publishes records, and returns when the broker has confirmed them or `signal` has aborted. */
  async publish(records: readonly EventRecord[], signal: AbortSignal): Promise<void> {
    while (records.length > 0) {
      try {
        await this.#producer.send({ topic: this.#topic, messages: records });
        for (const record of records) this.confirmed.add(digestOf(record));
        this.published += records.length;
        return;
      } catch {
        if (signal.aborted) return;
        this.repeated++;
        await sleep(RETRY_MS);
        await this.#producer.connect().catch(() => undefined);
      }
    }
  }

  async close(): Promise<void> {
    await this.#producer.disconnect();
  }
}
