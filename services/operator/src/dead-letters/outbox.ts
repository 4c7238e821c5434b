import { deadLetterTopic, type Message, type MessageHeaders, sendInHalves } from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';
import { retryMark, type StoredDeadLetter } from './stored-dead-letter.ts';

/** Kafka limits the size of a batch. All messages for one partition in a request form a batch. */
const MAX_SEND_BYTES = 512 * 1024;

/**
 * Sends the records of dead letters in small batches, and writes the marks of each topic's records directly
 * after them. A topic that fails receives no further records, and does not hold up the others.
 */
export class Outbox {
  readonly #context: Pick<CommandContext, 'producer' | 'settings' | 'signal'>;
  readonly #ofIngest: boolean;
  readonly #refused: (deadLetter: StoredDeadLetter, detail: string) => void;
  readonly #failures = new Map<string, unknown>();
  #deadLetters: StoredDeadLetter[] = [];
  #bytes = 0;

  /**
   * @param ofIngest whether each record goes back to its own topic instead of the events topic
   * @param refused receives each record that its topic refuses because of its size, and the topic's message
   */
  constructor(
    context: Pick<CommandContext, 'producer' | 'settings' | 'signal'>,
    ofIngest: boolean,
    refused: (deadLetter: StoredDeadLetter, detail: string) => void,
  ) {
    this.#context = context;
    this.#ofIngest = ofIngest;
    this.#refused = refused;
  }

  /**
   * Adds a dead letter. First sends the earlier ones if the batch would become too large.
   * @throws KafkaError if a mark cannot be written; the signal's reason
   */
  async add(deadLetter: StoredDeadLetter): Promise<void> {
    if (this.#deadLetters.length > 0 && this.#bytes + deadLetter.bytes > MAX_SEND_BYTES) await this.#flush();
    this.#deadLetters.push(deadLetter);
    this.#bytes += deadLetter.bytes + 100;
  }

  /**
   * Sends the last records.
   * @throws Error that names each topic that failed; KafkaError if a mark cannot be written; the signal's
   * reason
   */
  async end(): Promise<void> {
    await this.#flush();
    if (this.#failures.size === 0) return;
    const reasons = [...this.#failures].map(([topic, error]) => `${topic}: ${(error as Error).message}`);
    throw new Error(`could not send records to ${reasons.join('; ')}`, {
      cause: [...this.#failures.values()][0],
    });
  }

  async #flush(): Promise<void> {
    const { producer, settings, signal } = this.#context;
    const topicOf = ({ origin }: StoredDeadLetter) =>
      this.#ofIngest ? origin.topic : settings.LISTING_EVENTS_TOPIC;
    for (const [topic, deadLetters] of Map.groupBy(this.#deadLetters, topicOf)) {
      if (this.#failures.has(topic)) continue;
      const sent = await this.#send(topic, deadLetters).catch((error: unknown) => {
        signal.throwIfAborted();
        this.#failures.set(topic, error);
        return [];
      });
      const now = new Date();
      const marks = sent.map((deadLetter) => retryMark(deadLetter, now));
      await sendInHalves(marks, (messages) => producer.send({ topic: deadLetterTopic(settings), messages }));
    }
    this.#deadLetters = [];
    this.#bytes = 0;
  }

  /** Sends the records to their topic, except those that it refuses. @throws KafkaError */
  async #send(topic: string, deadLetters: readonly StoredDeadLetter[]): Promise<StoredDeadLetter[]> {
    const compression = this.#bytes > MAX_SEND_BYTES && { compression: 'gzip' as const };
    const sent = new Set(deadLetters);
    await sendInHalves(
      deadLetters,
      (some) => this.#context.producer.send({ topic, messages: some.map(originalMessage), ...compression }),
      (one, { message }) => {
        sent.delete(one);
        this.#refused(one, message);
      },
    );
    return [...sent];
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
