import type { Admin } from 'kafkajs';

/**
 * Admin clients of kafkajs, one per topic. Such a client keeps one copy of the metadata, and a request about one
 * topic replaces the copy while a request about another topic uses it. The other request then fails or finds no
 * partitions. A deleted topic also makes the requests about all other topics of its client fail.
 */
export class TopicAdmins {
  readonly #open: () => Admin;
  readonly #connected = new Map<string, Promise<Admin>>();

  /** @param open creates a client without connecting it */
  constructor(open: () => Admin) {
    this.#open = open;
  }

  /**
   * Sends a request about these topics. After an error, the next request gets a new client, because kafkajs keeps
   * outdated leaders for five minutes.
   * @throws the error of kafkajs
   */
  async ask<T>(topics: readonly string[], request: (admin: Admin) => Promise<T>): Promise<T> {
    const name = topics.join(',');
    const connected = this.#connected.get(name) ?? this.#connect(name);
    try {
      return await request(await connected);
    } catch (error) {
      if (this.#connected.get(name) === connected) this.#connected.delete(name);
      void disconnect(connected);
      throw error;
    }
  }

  async disconnect(): Promise<void> {
    const all = [...this.#connected.values()];
    this.#connected.clear();
    await Promise.all(all.map(disconnect));
  }

  #connect(name: string): Promise<Admin> {
    const admin = this.#open();
    const connected = admin.connect().then(() => admin);
    this.#connected.set(name, connected);
    return connected;
  }
}

const disconnect = (connected: Promise<Admin>): Promise<void> =>
  connected.then((admin) => admin.disconnect()).catch(() => undefined);
