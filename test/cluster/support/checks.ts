import { isDeepStrictEqual } from 'node:util';
import { listingEvent, recordOf } from '@vitrine/fixtures';
import { expect } from 'chai';
import { eventually } from '../../support/service-process.ts';
import type { Installation, Load } from './installation.ts';
import { isReady, type Pod } from './kubectl.ts';

export const EXEC = 'kubectl exec deploy/cli -n vitrine -- node services/operator/src/cli/main.ts'.split(' ');
export const TOPIC = 'marketplace.listing-events';
const WITHIN_MS = 10 * 60_000;
const POLL_MS = 1_000;

/** Waits for a condition that a cluster may need minutes to meet. */
export const waitFor = <T>(what: string, condition: () => Promise<T | undefined | false>): Promise<T> =>
  eventually<T>(what, condition, WITHIN_MS, POLL_MS);

/** The checks that the tests make in one installation. */
export class Checks {
  /** The expected items of the agents' feed, in order. */
  items: readonly Record<string, unknown>[];
  readonly #installation: Installation;
  readonly #say: (line: string) => void;

  constructor(
    installation: Installation,
    items: readonly Record<string, unknown>[],
    say: (line: string) => void,
  ) {
    this.#installation = installation;
    this.items = items;
    this.#say = say;
  }

  /** Expects that both feeds become equal to the expected feeds. */
  async feeds(): Promise<void> {
    // Only the agents' feed contains calendars.
    const withoutCalendars = this.items.map(({ availability: _, ...item }) => item);
    for (const [path, expected] of [
      ['/api/ai-feed', this.items],
      ['/api/public-feed', withoutCalendars],
    ] as const) {
      // Another pod may still serve an older page, so the check compares its last crawl.
      let found: unknown;
      await waitFor(`${path} is complete`, async () => {
        found = await this.#installation.crawl(path).catch((error: unknown) => error);
        return isDeepStrictEqual(found, expected);
      }).catch(() => undefined);
      expect(found, path).to.deep.equal(expected);
    }
    this.#say(`both feeds equal the expected ${this.items.length} items`);
  }

  /** Expects that a new listing reaches the feed, and leaves it after its removal. */
  async newListing(id: string): Promise<void> {
    const began = performance.now();
    const listing = {
      title: 'Loft',
      price: 1,
      location: { city: 'Olinda' },
      url: 'https://vitrine.example/l',
    };
    const event = listingEvent(id, 1, '2026-11-01T12:00:00Z', { type: 'snapshot', data: { listing } });
    await this.#installation.publish([recordOf(event)], TOPIC);
    await this.inFeed(id);
    this.#say(`a new listing is in the feed after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    const removal = listingEvent(id, 2, '2026-11-01T12:00:00Z', {
      type: 'removed',
      data: { reason: 'sold' },
    });
    await this.#installation.publish([recordOf(removal)], TOPIC);
    await this.inFeed(id, false);
  }

  /** Waits until the feed has an item or, if it is not expected, does not have it. */
  async inFeed(id: string, expected = true): Promise<void> {
    await waitFor(`${id} is ${expected ? '' : 'not '}in the feed`, async () => {
      const items = await this.#installation.crawl('/api/ai-feed').catch(() => undefined);
      return items?.some((item) => item['id'] === id) === expected;
    });
  }

  noFailure({ requests, failed, failures }: Load): void {
    expect(failures).to.deep.equal([]);
    expect(failed).to.equal(0);
    expect(requests).to.be.above(20);
  }

  /** Waits until a Deployment has exactly this number of ready pods. */
  readyPods(name: string, count: number): Promise<Pod[]> {
    return waitFor<Pod[]>(`${count} pods of ${name} are ready`, async () => {
      const pods = (await this.#installation.kubectl.podsOf(name)).filter(isReady);
      return pods.length === count && pods;
    });
  }

  async liveGeneration(): Promise<number | undefined> {
    const { generations } = JSON.parse(await this.#installation.command([...EXEC, 'status', '--json'])) as {
      generations: { number: number; role: string }[];
    };
    return generations.find(({ role }) => role === 'live')?.number;
  }
}
