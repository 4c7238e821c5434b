import kafkajs from 'kafkajs';

interface TopicClient<Client> {
  client: Client;
  connected: Promise<void>;
}

export interface TopicClientsOptions<Client> {
  /** Creates a client without connecting it. */
  open(): Client;
  connect(client: Client, topics: readonly string[]): Promise<void>;
}

/**
 * The kafkajs clients of one kind (admin clients or producers), one per topic. A kafkajs client keeps one copy of
 * the metadata. If topics shared a client, a request about one topic could replace the copy while a request
 * about another topic is using it. The other request would then fail or find no partitions. A deleted topic
 * would also make requests about all other topics fail.
 */
export class TopicClients<Client extends { disconnect(): Promise<void> }> {
  readonly #options: TopicClientsOptions<Client>;
  readonly #clients = new Map<string, TopicClient<Client>>();
  #isClosed = false;

  constructor(options: TopicClientsOptions<Client>) {
    this.#options = options;
  }

  /**
   * Sends a request about these topics. The first request connects their client. If the connection fails, the
   * next request connects a new client.
   * @throws the errors from kafkajs; KafkaJSNonRetriableError after `disconnect`
   */
  async ask<T>(topics: readonly string[], request: (client: Client) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const name = topics.join(',');
    const { client, connected } = this.#clients.get(name) ?? this.#newClient(name, topics);
    await connected;
    this.#assertOpen();
    return request(client);
  }

  /** Disconnects all clients. Does not wait for a client that is still connecting. */
  async disconnect(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#clients.values()].map(({ client }) => client.disconnect()));
  }

  #newClient(name: string, topics: readonly string[]): TopicClient<Client> {
    const client = this.#options.open();
    const opened = { client, connected: this.#options.connect(client, topics) };
    this.#clients.set(name, opened);
    void this.#watch(name, opened);
    return opened;
  }

  /** Closes the sockets of a client that could not connect, or that connects after `disconnect`. */
  async #watch(name: string, { client, connected }: TopicClient<Client>): Promise<void> {
    const isConnected = await connected.then(
      () => true,
      () => false,
    );
    if (isConnected && !this.#isClosed) return;
    this.#clients.delete(name);
    await client.disconnect().catch(() => undefined);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new kafkajs.KafkaJSNonRetriableError('the client is disconnected');
  }
}
