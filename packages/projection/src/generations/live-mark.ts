import type { Client } from '@elastic/elasticsearch';
import { type ChangesHistory, generationNames, type LiveChanges, liveChain } from '@vitrine/feed-index';
import type { LiveMark } from '../store/changes-store.ts';
import { readChangesHistory, readLiveChanges } from './changes-history.ts';

const KEPT_MS = 1_000;

/** Finds the live generation, in which the followers of another generation continue. */
export class LiveMarks {
  readonly #client: Client;
  readonly #prefix: string;
  readonly #number: number;
  readonly #entries = new Map<number, number | undefined>();
  #current: { mark: Promise<LiveMark | undefined>; at: number } | undefined;

  /** @param number the generation whose followers continue */
  constructor(client: Client, prefix: string, number: number) {
    this.#client = client;
    this.#prefix = prefix;
    this.#number = number;
  }

  /**
   * Returns the live generation and the mark, which are at most a second old. Returns undefined if this
   * generation is live, or if no follower can continue from it.
   * @param signal ends the read, which the partitions share. A partition that continues then reads again.
   * @throws ElasticsearchClientError
   */
  current(signal?: AbortSignal): Promise<LiveMark | undefined> {
    const now = performance.now();
    if (!this.#current || now - this.#current.at > KEPT_MS) {
      const mark = this.#read(signal);
      this.#current = { mark, at: now };
      mark.catch(() => {
        this.#current = undefined;
      });
    }
    return this.#current.mark;
  }

  async #read(signal: AbortSignal | undefined): Promise<LiveMark | undefined> {
    const live = await readLiveChanges(this.#client, this.#prefix, signal);
    if (!live || live.generation === this.#number) return undefined;
    if (!this.#entries.has(live.epoch)) {
      const history = await readChangesHistory(this.#client, this.#prefix, signal);
      this.#entries.set(live.epoch, entryMark(live, history, this.#number));
    }
    const entry = this.#entries.get(live.epoch);
    return entry === undefined
      ? undefined
      : { generation: generationNames(this.#prefix, live.generation), entry };
  }
}

/**
 * The highest sequence number at which followers of a generation enter the live one, or -1 if they enter it
 * at its beginning. It is undefined if no follower does. A generation that was never live, such as one under
 * construction, has no followers. Pure.
 */
export function entryMark(live: LiveChanges, history: ChangesHistory, number: number): number | undefined {
  const chain = liveChain(live, history);
  const marks = chain.flatMap(({ generation, handover }) =>
    generation === live.generation && handover ? [handover.to] : [],
  );
  const hasFollowers = marks.length > 0 && chain.some(({ generation }) => generation === number);
  return hasFollowers ? Math.max(...marks) : undefined;
}
