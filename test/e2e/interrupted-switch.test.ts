import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { changesHistoryIndex, generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import {
  moveAliases,
  readChangesHistory,
  readLiveChanges,
  updateRegistry,
} from '@vitrine/projection/generations';
import { touchEntries } from '@vitrine/projection/store';
import { expect } from 'chai';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { IndexFollower } from '../support/index-follower.ts';
import { eventually } from '../support/service-process.ts';

const MAIN = join(import.meta.dirname, '../../services/operator/src/cli/main.ts');
const LISTINGS = [1, 2, 3, 4];
const idOf = MarketEvents.idOf;

describe('an interrupted switch', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  /** A follower that reads one entry from generation 1, and nothing else before the switch. */
  let behind: IndexFollower;

  const command = async (...args: string[]) => {
    const { code, output, json } = await cli(deployment, args);
    expect(code, `${args.join(' ')}: ${output}`).to.equal(0);
    return json;
  };
  const rebuild = async () => {
    await command('replay');
    await command('verify');
  };
  const live = async () => (await readLiveChanges(deployment.client, deployment.prefix))?.generation;
  const lastTransition = async () =>
    (await readChangesHistory(deployment.client, deployment.prefix)).transitions.at(-1);
  /**
   * Runs a command through a proxy. After the aliases have moved, the proxy cuts the connections that
   * `isLost` selects.
   */
  const interrupted = async (
    args: string[],
    isLost: (path: string, moment: 'before' | 'after') => boolean,
  ): Promise<string> => {
    const proxy: FaultProxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    let hasMoved = false;
    proxy.hook = (_, moment, { path }) => {
      if (moment === 'after' && path.startsWith('/_aliases')) hasMoved = true;
      return hasMoved && isLost(path, moment) ? 'cut' : 'pass';
    };
    const env = { ...deployment.env, ELASTICSEARCH_URL: proxy.url };
    const { code, output } = await cli({ ...deployment, env }, args);
    await proxy.close();
    expect(code, output).to.equal(1);
    return output;
  };
  /** Writes an entry behind the mark in one generation, as a projector does that has not noticed the move. */
  const writeBehind = (generation: number, listing: number) =>
    touchEntries(deployment.client, generationNames(deployment.prefix, generation), [idOf(listing)]);
  const expectFeed = async () => {
    await behind.follow();
    expect([...behind.items.keys()].sort()).to.deep.equal(
      [...(await deployment.items(await live())).keys()].sort(),
    );
  };

  beforeEach(async () => {
    deployment = await createDeployment('interrupted-switch', 1);
    projector = await runProjector(deployment);
    const market = new MarketEvents();
    await deployment.publish(LISTINGS.map((listing) => market.snapshot(listing)));
    await deployment.caughtUp();
    behind = new IndexFollower(deployment.client, deployment.prefix);
    await behind.page(1);
    await rebuild();
  });
  afterEach(async () => {
    await projector.stop();
    await deployment.close();
  });

  it('names the command that completes it, and then followers miss nothing', async () => {
    const output = await interrupted(['switch', '2'], (path) =>
      path.includes(`${deployment.prefix}-changes-1`),
    );
    expect(output).to.match(/Generation 2 is live, but the switch is not complete.*Run switch 2 /);
    expect(await live()).to.equal(2);
    await writeBehind(1, 4);
    await behind.follow();
    expect([...behind.items.keys()], 'before the completion').to.not.include(idOf(4));
    expect(await command('switch', '2')).to.deep.equal({ to: 2 });
    expect((await lastTransition())?.completed).to.equal(true);
    await expectFeed();
  });

  it('is completed by the next switch', async () => {
    await interrupted(['switch', '2'], (path) => path.includes(`${deployment.prefix}-changes-1`));
    await writeBehind(1, 4);
    await rebuild();
    await command('switch');
    expect(await live()).to.equal(3);
    await expectFeed();
  });

  it('names the generation that may be live, so that no repetition goes back to the other one', async () => {
    const isMove = (path: string) => path.startsWith('/_aliases');
    expect(await interrupted(['switch'], isMove)).to.match(/Generation 2 may be live already. Run switch 2 /);
    expect(await command('switch', '2')).to.deep.equal({ to: 2 });
    expect(await interrupted(['rollback'], isMove)).to.match(
      /Generation 1 may be live already. Run rollback 1 /,
    );
    expect(await command('rollback', '1')).to.deep.equal({ to: 1 });
    expect(await live()).to.equal(1);
  });

  it('also names the generation after Ctrl-C', async () => {
    const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    const child = spawn(process.execPath, [MAIN, 'switch'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...deployment.env, ELASTICSEARCH_URL: proxy.url },
    });
    proxy.hook = async (_, moment, { path }): Promise<Verdict> => {
      if (moment !== 'after' || !path.startsWith('/_aliases')) return 'pass';
      child.kill('SIGINT');
      await sleep(1_000);
      return 'cut';
    };
    const [written, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    await proxy.close();
    expect(code, written).to.equal(130);
    expect(written).to.match(/Generation 2 may be live already. Run switch 2 /);
    expect(await command('switch', '2')).to.deep.equal({ to: 2 });
  });

  it('names the generation if only the registry cannot be written afterwards', async () => {
    const isRegistry = (path: string) => !path.startsWith('/_aliases');
    expect(await interrupted(['switch'], isRegistry)).to.match(/Run switch 2 to complete the switch/);
    expect(await command('switch', '2')).to.deep.equal({ to: 2 });
    expect((await registryOf(deployment)).generations).to.have.length(2);
  });

  it('is not reported as complete if the aliases of the changes have not moved', async () => {
    await moveAliases(deployment.client, deployment.prefix, 1, 2, undefined);
    const { code, output } = await cli(deployment, ['switch', '2']);
    expect(code, output).to.equal(3);
    expect(output).to.include('/changes does not serve generation 2');
    await command('rollback');
    await command('verify', '2');
    await command('switch', '2');
    expect(await live()).to.equal(2);
  });

  describe('that is still preparing', () => {
    /** Starts a switch that waits before it writes the changes history. */
    const preparing = async (args: string[] = ['switch', '2']) => {
      const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
      const [reached, mayContinue] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      proxy.hook = async (_, moment, { method, path }): Promise<Verdict> => {
        const isWrite = method !== 'GET' && path.includes(changesHistoryIndex(deployment.prefix));
        if (moment === 'before' && isWrite) {
          reached.resolve();
          await mayContinue.promise;
        }
        return 'pass';
      };
      const env = { ...deployment.env, ELASTICSEARCH_URL: proxy.url };
      const result = cli({ ...deployment, env }, args);
      await Promise.race([reached.promise, result.then(({ output }) => reached.reject(new Error(output)))]);
      return async () => {
        mayContinue.resolve();
        const ended = await result;
        await proxy.close();
        return ended;
      };
    };
    const mark = async () => (await registryOf(deployment)).switching;

    it('keeps its generation from a plain prune and from other switches', async () => {
      const finish = await preparing();
      // The held request fails after 20 s, so the commands run at the same time.
      await Promise.all(
        (
          [
            [['prune'], 0, ''],
            [['prune', '2'], 3, 'a switch is making generation 2 live'],
            [['switch', '2'], 3, 'another process is making generation 2 live'],
            [['switch'], 3, 'another process is making generation 2 live'],
          ] as const
        ).map(async ([args, expected, message]) => {
          const { code, output } = await cli(deployment, args);
          expect([code, output.includes(message)], output).to.deep.equal([expected, true]);
        }),
      );
      const { code, output } = await finish();
      expect(code, output).to.equal(0);
      expect([await live(), await mark()]).to.deep.equal([2, undefined]);
      await expectFeed();
    });

    it('renews its mark, and switches nothing if it has lost the mark', async () => {
      const finish = await preparing();
      const given = await mark();
      await eventually('a renewed mark', async () => (await mark())?.at !== given?.at);
      const { client, prefix } = deployment;
      const other = { id: 'other', to: 2, at: new Date().toISOString() };
      await updateRegistry(client, prefix, (registry) => ({ ...registry, switching: other }));
      const { code, output } = await finish();
      expect([code, output.includes('lost its mark')], output).to.deep.equal([3, true]);
      expect([await live(), await mark()]).to.deep.equal([1, other]);
    });
  });

  it('that arrives late is not undone by a prune that began before', async () => {
    const { client, prefix, env } = deployment;
    const isMarked = async () => (await registryOf(deployment)).generations[1]?.phase === 'pruning';
    const proxy = await startFaultProxy(env.ELASTICSEARCH_URL as string);
    let readsAfterTheMark = 0;
    proxy.hook = async (_, moment, { path }): Promise<Verdict> => {
      const isRead = moment === 'before' && path.startsWith('/_alias/') && (await isMarked());
      if (isRead && ++readsAfterTheMark === 2) await moveAliases(client, prefix, 1, 2, undefined);
      return 'pass';
    };
    const proxied = { ...deployment, env: { ...env, ELASTICSEARCH_URL: proxy.url } };
    const { code, output } = await cli(proxied, ['prune', '2']);
    await proxy.close();
    expect(code, output).to.equal(3);
    expect(output).to.include('generation 2 is live');
    expect(await client.indices.exists({ index: generationNames(prefix, 2).items })).to.equal(true);
    expect((await registryOf(deployment)).generations[1]?.phase).to.equal('ready');
  });
});
