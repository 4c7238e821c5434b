import {
  type FetchedRecord,
  type KafkaProducer,
  type Message,
  recordBytes,
  sendInHalves,
} from '@vitrine/kafka';
import type { DeadLetter } from '@vitrine/projection/dead-letters';

/** The reason for a dead letter if the events topic does not accept an event of this size. */
export const REFUSED_BY_TOPIC = 'refused-by-topic';

interface Pending {
  message: Message;
  record: FetchedRecord;
}

/** Kafka limits the size of a batch. All messages for one partition in a request form a batch. */
const MAX_SEND_BYTES = 512 * 1024;
const OWN_BYTES = 256;
/** While one request waits for the replicas, the next records are mapped. */
const REQUESTS_AT_ONCE = 2;

interface OutboxOptions {
  producer: KafkaProducer;
  topic: string;
  /** Repeats a request until Kafka accepts it. */
  whileUnavailable<T>(send: () => Promise<T>): Promise<T>;
}

/** Sends the events of one chunk in requests of bounded size. */
export class EventOutbox {
  readonly #options: OutboxOptions;
  readonly #requests = new Set<Promise<void>>();
  readonly #refused = new Map<FetchedRecord, DeadLetter>();
  #failure: unknown;
  #pending: Pending[] = [];
  #bytes = 0;
  /** The number of events that Kafka has acknowledged. */
  sent = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /**
   * Adds the events from a record. Waits while too many requests are in flight.
   * @throws the same errors as `flush`
   */
  async add(record: FetchedRecord, messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      const bytes = recordBytes(message as Parameters<typeof recordBytes>[0]) + OWN_BYTES;
      if (this.#bytes + bytes > MAX_SEND_BYTES) await this.#request();
      this.#pending.push({ message, record });
      this.#bytes += bytes;
    }
  }

  /**
   * Resolves when Kafka has acknowledged all events.
   * @returns the dead letters for the records with an event that the topic does not accept
   * @throws the error from `whileUnavailable`
   */
  async flush(): Promise<DeadLetter[]> {
    await this.#request();
    await Promise.all(this.#requests);
    if (this.#failure) throw this.#failure;
    return [...this.#refused.values()];
  }

  async #request(): Promise<void> {
    while (this.#requests.size >= REQUESTS_AT_ONCE) await Promise.race(this.#requests);
    if (this.#failure) throw this.#failure;
    const pending = this.#pending;
    this.#pending = [];
    this.#bytes = 0;
    if (pending.length === 0) return;
    const request = this.#send(pending)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#requests.delete(request));
    this.#requests.add(request);
  }

  async #send(pending: readonly Pending[]): Promise<void> {
    const { producer, topic, whileUnavailable } = this.#options;
    await sendInHalves(
      pending,
      async (some) => {
        await whileUnavailable(() => producer.send({ topic, messages: some.map(({ message }) => message) }));
        this.sent += some.length;
      },
      ({ record }, { message }) => {
        const detail = `the topic ${topic} refuses an event of this record: ${message}`;
        this.#refused.set(record, { record, reason: REFUSED_BY_TOPIC, detail });
      },
    );
  }
}
