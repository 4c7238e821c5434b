import kafkajs, { type Admin } from 'kafkajs';
import { codeOf } from './errors.ts';

interface TopicAdmin {
  admin: Admin;
  connected: Promise<void>;
}

/**
 * The kafkajs admin clients, one per topic. A kafkajs client keeps one copy of the metadata. If topics shared
 * a client, a request about one topic could replace the copy while a request about another topic is using it.
 * The other request would then fail or find no partitions. A deleted topic would also make requests about all
 * other topics fail.
 */
export class TopicAdmins {
  readonly #open: () => Admin;
  readonly #clients = new Map<string, TopicAdmin>();
  #isClosed = false;

  /** @param open creates a client without connecting it */
  constructor(open: () => Admin) {
    this.#open = open;
  }

  /**
   * Sends a request about these topics. The first request connects their client. If the connection fails, the
   * next request connects a new client.
   * @throws the errors from kafkajs; KafkaJSNonRetriableError after `disconnect`
   */
  async ask<T>(topics: readonly string[], request: (admin: Admin) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const name = topics.join(',');
    const { admin, connected } = this.#clients.get(name) ?? this.#newClient(name, topics);
    await connected;
    this.#assertOpen();
    return request(admin);
  }

  /** Disconnects all clients. Does not wait for a client that is still connecting. */
  async disconnect(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#clients.values()].map(({ admin }) => admin.disconnect()));
  }

  #newClient(name: string, topics: readonly string[]): TopicAdmin {
    const admin = this.#open();
    const connected = connect(admin, topics);
    const client = { admin, connected };
    this.#clients.set(name, client);
    void this.#watch(name, client);
    return client;
  }

  /** Closes the sockets of a client that could not connect, or that connects after `disconnect`. */
  async #watch(name: string, { admin, connected }: TopicAdmin): Promise<void> {
    const isConnected = await connected.then(
      () => true,
      () => false,
    );
    if (isConnected && !this.#isClosed) return;
    this.#clients.delete(name);
    await admin.disconnect().catch(() => undefined);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new kafkajs.KafkaJSNonRetriableError('the admin client is disconnected');
  }
}

/**
 * Connects, and loads the topics' metadata, which some requests need. If a broker accepts a connection but
 * never responds, this function fails. An error from Kafka, for example about a missing topic, is reported by
 * the request itself.
 */
async function connect(admin: Admin, topics: readonly string[]): Promise<void> {
  await admin.connect();
  await admin.fetchTopicMetadata({ topics: [...topics] }).catch((error: unknown) => {
    if (codeOf(error) === undefined) throw error;
  });
}
