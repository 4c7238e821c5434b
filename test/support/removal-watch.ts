import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangeEntry, changeNumber, generationNames, type LiveChanges } from '@vitrine/feed-index';
import { readLiveChanges } from '@vitrine/projection/generations';
import type { Deployment } from './deployment.ts';
import type { FollowerProgram } from './follower-program.ts';

const EVERY_MS = 500;

/** Measures how long a follower's copy holds listings whose removal the follower has passed. */
export class RemovalWatch {
  /** The longest time so far, in milliseconds. */
  longestMs = 0;
  readonly #deployment: Deployment;
  readonly #follower: FollowerProgram;

  constructor(deployment: Deployment, follower: FollowerProgram) {
    this.#deployment = deployment;
    this.#follower = follower;
  }

  /**
   * @param mayFail whether Elasticsearch restarts, so that a check may fail
   * @param isPaused whether no projector works, so that no time counts
   */
  async run(isOver: () => boolean, mayFail: () => boolean, isPaused: () => boolean): Promise<void> {
    const { client, prefix } = this.#deployment;
    const ifAllowed = (error: unknown): undefined => {
      if (!mayFail()) throw error;
    };
    let held = new Map<string, number>();
    for (; !isOver(); await sleep(EVERY_MS)) {
      const live = await readLiveChanges(client, prefix).catch(ifAllowed);
      const now = Date.now();
      const found = (live && (await this.#missed(live).catch(ifAllowed))) ?? [];
      const ids = isPaused() ? [] : found;
      held = new Map(ids.map((id) => [id, held.get(id) ?? now]));
      for (const since of held.values()) this.longestMs = Math.max(this.longestMs, now - since);
    }
  }

  /**
   * The listings that are still in the copy although the follower has passed their removal. An item may be
   * newer than its entry, so only listings without an item count.
   */
  async #missed({ epoch, generation }: LiveChanges): Promise<string[]> {
    const { client, prefix } = this.#deployment;
    const position = this.#follower.position();
    const ids = [...this.#follower.copy().keys()];
    const { changes, items } = generationNames(prefix, generation);
    const entries = await client.mget<ChangeEntry>({ index: changes, ids });
    const passed = entries.docs.flatMap((doc) => {
      if (!('_source' in doc) || doc._source?.state !== 'deleted') return [];
      return changeNumber(epoch, doc._seq_no as number) <= position ? [doc._id] : [];
    });
    if (passed.length === 0) return [];
    const { docs } = await client.mget({ index: items, ids: passed, _source: false });
    return docs.flatMap((doc) => ('found' in doc && doc.found ? [] : [doc._id]));
  }
}
