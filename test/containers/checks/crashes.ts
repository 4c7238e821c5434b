import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../support/service-process.ts';
import { docker } from '../support/docker.ts';
import { completeListing, connectProducer, crawl, publish } from '../support/market.ts';
import { ENGINES, SERVICES, type System } from '../support/system.ts';

const PUBLISH_EVERY_MS = 100;
const VISIBLE_WITHIN_MS = 5 * 60_000;

/** `kill -9` of each container loses no record that Kafka has acknowledged. */
export function describeCrashes(system: () => System): void {
  describe('kill -9', () => {
    for (const service of [...SERVICES, ...ENGINES])
      it(`${service}: comes back, and the feed contains every listing published meanwhile`, async () => {
        const before = await system().inspect(service);
        const stop = new AbortController();
        const publishing = publishListings(system().broker, service, stop.signal);
        try {
          await sleep(1_000);
          await kill(system(), service);
          await eventually(
            `${service} has restarted`,
            async () => (await system().inspect(service)).State.StartedAt !== before.State.StartedAt,
            60_000,
          );
          await system().untilHealthy(service);
          await sleep(1_000);
        } finally {
          stop.abort();
        }
        const published = await publishing;
        expect(published).to.have.length.above(5);
        const missing = async () => {
          const ids = new Set((await crawl(system().feedUrl)).map(({ id }) => id));
          return published.filter((id) => !ids.has(id));
        };
        // Another process may still serve an older page, so the test checks its last crawl, and does not
        // crawl again.
        let absent = published;
        await eventually(
          'all listings are in the feed',
          async () => {
            absent = await missing().catch(() => published);
            return absent.length === 0;
          },
          VISIBLE_WITHIN_MS,
          1_000,
        ).catch(() => {});
        expect(absent).to.deep.equal([]);
      });
  });
}

/** Publishes listings until the signal aborts. @returns the ids that Kafka has acknowledged */
async function publishListings(broker: string, name: string, signal: AbortSignal): Promise<string[]> {
  const producer = await connectProducer(broker);
  const acknowledged: string[] = [];
  for (let i = 0; !signal.aborted; i++) {
    const id = `crash-${name}-${i}`;
    await publish(producer, [completeListing(id)]).then(
      () => acknowledged.push(id),
      () => undefined, // the broker is away
    );
    await sleep(PUBLISH_EVERY_MS);
  }
  await producer.disconnect();
  return acknowledged;
}

/**
 * Kills the first process of the container as a crash would, so that Docker restarts it. If the test cannot
 * reach that process, Docker kills and starts the container.
 */
async function kill(system: System, service: string): Promise<void> {
  const { Id, State } = await system.inspect(service);
  try {
    if (!readFileSync(`/proc/${State.Pid}/cgroup`, 'utf8').includes(Id)) throw new Error('another process');
    process.kill(State.Pid, 'SIGKILL');
  } catch {
    await docker('kill', Id);
    await docker('start', Id);
  }
}
