import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { FeedUnavailable, PointInTimeLost } from '../search-failure.ts';
import type { ChangesClient } from './changes-client.ts';
import { ChangesMissing, openChangesView } from './changes-view.ts';

/** A client that records its calls. */
function recordingClient(
  answers: Partial<Record<keyof ChangesClient, (generation: number) => unknown>> = {},
) {
  const calls: string[] = [];
  const call =
    (name: keyof ChangesClient, answer: unknown) =>
    async (generation = 0): Promise<unknown> => {
      calls.push(generation > 0 ? `${name} ${generation}` : name);
      return answers[name] ? answers[name](generation) : answer;
    };
  const client = {
    live: call('live', { epoch: 7, generation: 5 }),
    history: call('history', { transitions: [], kept: [] }),
    checkpoint: call('checkpoint', 12),
    refresh: call('refresh', true),
    openChanges: call('openChanges', 'pit'),
    close: async (id: string) => calls.push(`close ${id}`),
  } as unknown as ChangesClient;
  return { client, calls };
}

describe('view of the changes', () => {
  it('reads epoch, history and checkpoint, then refreshes, then opens the point in time', async () => {
    const { client, calls } = recordingClient();
    const view = await openChangesView(client);
    expect(calls).to.deep.equal(['live', 'history', 'checkpoint 5', 'refresh 5', 'openChanges 5']);
    expect(view.checkpoint).to.equal(12);
  });

  it('refreshes only after the checkpoint has arrived, so the point in time shows every entry up to it', async () => {
    const checkpoint = Promise.withResolvers<number>();
    const { client, calls } = recordingClient({ checkpoint: () => checkpoint.promise });
    const opening = openChangesView(client);
    await turn();
    expect(calls).to.deep.equal(['live', 'history', 'checkpoint 5']);
    checkpoint.resolve(12);
    await opening;
    expect(calls.slice(3)).to.deep.equal(['refresh 5', 'openChanges 5']);
  });

  it('G11: reads the history while it opens the point in time, because each request in a row adds a delay', async () => {
    const opened = Promise.withResolvers<string>();
    const { client } = recordingClient({
      history: () => opened.promise.then(() => ({ transitions: [], kept: [] })),
      openChanges: () => {
        opened.resolve('pit');
        return 'pit';
      },
    });
    expect((await openChangesView(client)).history).to.deep.equal({ transitions: [], kept: [] });
  });

  it('opens the point in time of an older generation once, after a refresh, and closes all', async () => {
    const { client, calls } = recordingClient();
    const view = await openChangesView(client);
    calls.length = 0;
    await Promise.all([view.pointInTime(4), view.pointInTime(4), view.pointInTime(5)]);
    expect(calls).to.deep.equal(['refresh 4', 'openChanges 4']);
    await view.close();
    expect(calls.slice(2)).to.deep.equal(['close pit', 'close pit']);
  });

  it('reports an older generation without an index, and fails without the live index', async () => {
    const older = recordingClient({ refresh: (generation) => generation === 5 });
    expect(await (await openChangesView(older.client)).pointInTime(4)).to.equal(undefined);
    const lost = await openChangesView(recordingClient({ refresh: () => false }).client).catch(
      (error) => error,
    );
    expect(lost).to.be.instanceOf(PointInTimeLost);
  });

  it('opens the point in time of an older generation again after a failure, so that the next reader may succeed', async () => {
    const failures = [new FeedUnavailable('Request timed out')];
    const { client } = recordingClient({
      refresh: (generation) => {
        const failure = generation === 4 ? failures.shift() : undefined;
        if (failure) throw failure;
        return true;
      },
    });
    const view = await openChangesView(client);
    expect(await view.pointInTime(4).catch((error) => error)).to.be.instanceOf(FeedUnavailable);
    expect(await view.pointInTime(4)).to.equal('pit');
  });

  it('closes its point in time if the history cannot be read', async () => {
    const checkpoint = Promise.withResolvers<number>();
    const { client, calls } = recordingClient({
      history: () => Promise.reject(new FeedUnavailable('Request timed out')),
      checkpoint: () => checkpoint.promise,
    });
    const failure = await openChangesView(client).catch((error) => error);
    expect(failure).to.be.instanceOf(FeedUnavailable);
    checkpoint.resolve(12);
    await turn();
    expect(calls.slice(-2)).to.deep.equal(['openChanges 5', 'close pit']);
  });

  it('fails if the live generation has no changes index', async () => {
    const error = await openChangesView(recordingClient({ live: () => undefined }).client).catch(
      (error) => error,
    );
    expect(error).to.be.instanceOf(ChangesMissing).and.instanceOf(FeedUnavailable);
  });
});
