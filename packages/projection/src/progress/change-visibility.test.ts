import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ChangeVisibility } from './change-visibility.ts';

describe('the visibility of changes', () => {
  const poll = { pollEveryMs: 1 };
  const until = async (condition: () => boolean) => {
    while (!condition()) await sleep(1);
  };

  it('begins when the checkpoint has reached their entries', async () => {
    let checkpoint = 4;
    const seen: number[] = [];
    const visibility = new ChangeVisibility({
      ...poll,
      readCheckpoint: async () => checkpoint,
      onVisible: (seconds) => seen.push(Math.floor(seconds)),
    });
    const now = Date.now();
    visibility.add([
      { sequence: 4, time: now - 10_000 },
      { sequence: 5, time: now - 20_000 },
      { sequence: 3, time: now + 60_000 },
    ]);
    await until(() => seen.length >= 2);
    await sleep(20);
    expect(seen).to.deep.equal([10, 0]);
    checkpoint = 5;
    await until(() => seen.length >= 3);
    expect(seen).to.deep.equal([10, 0, 20]);
    visibility.stop();
  });

  it('ends a poll in progress when the consumer stops, because Elasticsearch may be frozen', async () => {
    const polled = Promise.withResolvers<AbortSignal>();
    const visibility = new ChangeVisibility({
      ...poll,
      readCheckpoint: (signal) => {
        polled.resolve(signal);
        return new Promise<number>(() => undefined);
      },
      onVisible: () => undefined,
    });
    visibility.add([{ sequence: 1, time: Date.now() }]);
    const signal = await polled.promise;
    expect(signal.aborted).to.equal(false);
    visibility.stop();
    expect(signal.aborted).to.equal(true);
  });

  it('is polled again after an error, and no longer than there are invisible changes', async () => {
    let polls = 0;
    const seen: number[] = [];
    const visibility = new ChangeVisibility({
      ...poll,
      readCheckpoint: async () => {
        if (++polls === 1) throw new Error('unavailable');
        return 1;
      },
      onVisible: (seconds) => seen.push(seconds),
    });
    visibility.add([{ sequence: 1, time: Date.now() }]);
    await until(() => seen.length === 1);
    await sleep(20);
    expect(polls).to.equal(2);
    visibility.stop();
  });

  it('is measured for a limited number of changes while a copy does not respond', async () => {
    const seen: number[] = [];
    let checkpoint = -1;
    const visibility = new ChangeVisibility({
      ...poll,
      readCheckpoint: async () => checkpoint,
      onVisible: (seconds) => seen.push(seconds),
    });
    const changes = Array.from({ length: 3_000 }, (_, sequence) => ({ sequence, time: 0 }));
    visibility.add(changes);
    visibility.add(changes);
    await sleep(20);
    checkpoint = 3_000;
    await until(() => seen.length > 0);
    expect(seen).to.have.length(5_000);
    visibility.stop();
  });
});
