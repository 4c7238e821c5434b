import type { Client } from '@elastic/elasticsearch';
import {
  type ChangesSegment,
  changeNumber,
  generationNames,
  type ItemDocument,
  planChanges,
} from '@vitrine/feed-index';
import { readChangesHistory, readLiveChanges } from '@vitrine/projection/generations';
import { readCheckpoint } from '@vitrine/projection/store';

/**
 * A follower that reads the changes indices directly, as docs/guide/changes.md prescribes. It shows, without
 * the query service, whether the write side keeps its promises.
 */
export class IndexFollower {
  /** The items that this follower holds, as JSON. */
  readonly items = new Map<string, string>();
  /** The last change number of each received id. */
  readonly numbers = new Map<string, number>();
  /** All received ids, in order. */
  readonly received: string[] = [];
  /** The change number up to which this follower has read. */
  position = 0;
  readonly #client: Client;
  readonly #prefix: string;

  constructor(client: Client, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** Copies all items, as an export does. The change number is read before the items. */
  async export(): Promise<void> {
    const live = await readLiveChanges(this.#client, this.#prefix);
    if (!live) throw new Error('no epoch is live');
    const { items, changes } = generationNames(this.#prefix, live.generation);
    const { checkpoint } = await readCheckpoint(this.#client, changes);
    this.position = checkpoint < 0 ? 0 : changeNumber(live.epoch, checkpoint);
    await this.#client.indices.refresh({ index: items });
    const all = this.#client.helpers.scrollDocuments<ItemDocument>({ index: items, size: 1_000 });
    for await (const item of all) this.items.set(item.id, JSON.stringify(item));
  }

  /** Reads pages until it is up to date. @returns the number of received entries */
  async follow(limit = 1_000): Promise<number> {
    for (let count = 0; ; ) {
      const received = await this.page(limit);
      if (received === 0) return count;
      count += received;
    }
  }

  /** Reads one page. @returns the number of received entries. @throws Error if it has to start over */
  async page(limit: number): Promise<number> {
    const live = await readLiveChanges(this.#client, this.#prefix);
    if (!live) throw new Error('no epoch is live');
    const history = await readChangesHistory(this.#client, this.#prefix);
    const plan = planChanges(live, history, this.position);
    if (plan.kind === 'expired') throw new Error('expired');
    for (const segment of plan.segments) {
      const entries = await this.#entries(segment, limit);
      if (entries.length === 0) continue;
      const { docs } = await this.#client.mget<ItemDocument>({
        index: generationNames(this.#prefix, live.generation).items,
        ids: entries.map(({ id }) => id),
      });
      for (const [i, { id, sequence }] of entries.entries()) {
        const doc = docs[i];
        if (doc && 'found' in doc && doc.found) this.items.set(id, JSON.stringify(doc._source));
        else this.items.delete(id);
        const number = changeNumber(segment.epoch, sequence);
        if (number <= this.position) throw new Error(`${number} is not above ${this.position}`);
        this.position = number;
        this.received.push(id);
        this.numbers.set(id, number);
      }
      return entries.length;
    }
    return 0;
  }

  async #entries({ generation, after, upTo }: ChangesSegment, size: number) {
    const index = generationNames(this.#prefix, generation).changes;
    const end = upTo ?? (await readCheckpoint(this.#client, index)).checkpoint;
    await this.#client.indices.refresh({ index });
    const { hits } = await this.#client.search({
      index,
      size,
      sort: [{ _seq_no: 'asc' }],
      query: { range: { _seq_no: { gt: after, lte: end } } },
    });
    return hits.hits.map(({ _id, sort }) => ({ id: _id as string, sequence: sort?.[0] as number }));
  }
}
