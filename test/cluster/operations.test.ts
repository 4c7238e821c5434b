import { type EventRecord, EXPECTED, listingEvent, RECORDS, recordOf, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { documentedBlocks, documentedCommands } from '../support/documented-commands.ts';
import { hasRentals, RENTALS_TODAY, readRentals } from '../support/rentals.ts';
import { Checks, EXEC, TOPIC, waitFor } from './support/checks.ts';
import { CLI_IMAGE, Installation, PAGE } from './support/installation.ts';
import { isReady, type Pod, runProgram } from './support/kubectl.ts';
import { PERMITTED } from './support/permissions.ts';
import { FREEZE } from './support/programs.ts';

const RUN_JOB = ['infra/kubernetes/run-job.sh', 'vitrine'];
/** A replay of this many records, at 1,500 per second, takes longer than a drain needs to evict its pod. */
const REPLAYED_RECORDS = 20_000;
/** The liveness probe fails 6 times, 10 s apart. Kubernetes kills the process 35 s later. */
const FROZEN_PROCESS_STOPPED_MS = 120_000;
/** How long the Service still sends requests to a lost node: about 50 s until Kubernetes notices, and a timeout. */
const LOST_NODE_NOTICED_MS = 120_000;

/** The test's records, the items that they become, and the calendars' day. */
const market = () =>
  hasRentals
    ? {
        records: readRentals<EventRecord>('events'),
        items: readRentals<{ item: Record<string, unknown> }>('expected').map(({ item }) => item),
        today: RENTALS_TODAY,
      }
    : { records: RECORDS, items: EXPECTED, today: TODAY };

/** `npm run test:cluster` runs on the cluster that KUBECONFIG names. */
describe('an installation in a cluster', function () {
  this.timeout(30 * 60_000);
  // Each step needs the ones before it.
  this.bail(true);
  const { records, items, today } = market();
  let installation: Installation;
  let check: Checks;
  const say = (line: string) => process.stdout.write(`# ${new Date().toISOString().slice(11, 19)} ${line}\n`);

  before(async function () {
    if (!process.env['KUBECONFIG']) {
      process.stdout.write('Skipped the tests in a cluster: KUBECONFIG names none.\n');
      return this.skip();
    }
    installation = await Installation.create({ FEED_TODAY: today }, say);
    check = new Checks(installation, items, say);
    const home = (await nodes()).find((name) => name !== PERMITTED.node);
    await installation.startEngines(
      home ?? expect.fail('the engines need a node that the test does not drain'),
    );
    say(`the engines run on ${home}`);
  });
  after(() => installation?.remove());
  const skipUnless = (test: Mocha.Context, variable: string) => {
    if (process.env[variable]) return;
    say(`skipped: ${variable} is not set`);
    test.skip();
  };

  /** The names of the nodes that accept pods. */
  const nodes = async (): Promise<string[]> => {
    const { items: all } = await installation.kubectl.json<{
      items: { metadata: { name: string }; spec: { unschedulable?: boolean } }[];
    }>('get', 'nodes');
    return all.filter(({ spec }) => !spec.unschedulable).map(({ metadata }) => metadata.name);
  };
  const patch = (object: string, name: string, change: object) =>
    installation.kubectl.run(['patch', object, name, '--type=merge', '-p', JSON.stringify(change)]);

  it('First installation: the documented commands work in sequence, and both feeds equal the expectation', async () => {
    await installation.section('First installation');
    await installation.publish(records, TOPIC);
    await check.feeds();
  });

  it('Commands: a replay, its comparison and the switch fail no request', async () => {
    check.noFailure(await installation.underLoad(() => installation.section('Commands')));
    expect(await check.liveGeneration()).to.equal(2);
    await check.feeds();
  });

  it('a rollout fails no request, and spreads the new pods over the nodes', async () => {
    const { kubectl } = installation;
    check.noFailure(
      await installation.underLoad(async () => {
        await kubectl.run(['rollout', 'restart', 'deploy/query', 'deploy/projector']);
        await kubectl.rollout('query');
        await kubectl.rollout('projector');
      }),
    );
    if ((await nodes()).length < 2) return;
    for (const name of ['query', 'projector']) {
      const pods = await check.readyPods(name, 2);
      expect(new Set(pods.map(({ spec }) => spec.nodeName)), name).to.have.property('size', 2);
    }
  });

  it('a changed setting replaces the pods and fails no request', async () => {
    await installation.changeSettings({ RATE_LIMIT: '100000' });
    check.noFailure(
      await installation.underLoad(async () => {
        await installation.command(['kubectl', 'apply', '-k', 'infra/kubernetes/example']);
        await installation.kubectl.rollout('query');
        await installation.kubectl.rollout('projector');
      }),
    );
  });

  it('the eviction of every pod, as in a drain, fails no request', async () => {
    const { kubectl } = installation;
    check.noFailure(
      await installation.underLoad(async () => {
        for (const name of ['query', 'projector'])
          for (const { metadata } of await check.readyPods(name, 2)) {
            await kubectl.evict(metadata.name);
            await waitFor('the evicted pod is replaced', async () => {
              const pods = await kubectl.podsOf(name);
              return (
                pods.every((pod) => pod.metadata.name !== metadata.name) && pods.filter(isReady).length === 2
              );
            });
          }
      }),
    );
    await check.feeds();
  });

  it('Rollout of new rules: the documented commands work in sequence and fail no request', async () => {
    const hidden = items.at(-1)?.['id'];
    const folder = 'infra/kubernetes/example';
    const enable = (path: string) =>
      installation.change(`${path}/kustomization.yaml`, /# (- .*rules-module)/, '$1');
    await installation.write(
      `${folder}/rules-module/rules.ts`,
      `import { defineRules } from '@vitrine/listing';
       export default defineRules({
         name: 'test', version: 1, reasons: { test: 'the test hides it' },
         hide: ({ id }) => (id === ${JSON.stringify(hidden)} ? 'test' : undefined),
       });`,
    );
    await enable(`${folder}/commands`);
    await enable(`${folder}/rollout`);
    check.noFailure(
      await installation.underLoad(async () => {
        for (const words of documentedCommands(PAGE, 'Rollout of new rules')) {
          if (words.includes(folder)) await enable(folder);
          const ran = installation.command(words);
          // The new rules hide an item, so the comparison finds a difference.
          if (!words.includes('verify')) await ran;
          else
            expect(await ran.catch(String)).to.match(
              /ended with 1:.*The job verify-2 failed.*\nexplained: /s,
            );
        }
      }),
    );
    expect(await check.liveGeneration()).to.equal(3);
    check.items = items.slice(0, -1);
    await check.feeds();
  });

  it('Drain of a node: a replay that loses its pod continues, and no request fails', async () => {
    const { kubectl } = installation;
    // The replay must run until its node is drained.
    const removal = listingEvent('removed', 1, '2026-11-01T12:00:00Z', {
      type: 'removed',
      data: { reason: 'sold' },
    });
    await installation.publish(
      Array.from({ length: REPLAYED_RECORDS }, () => recordOf(removal)),
      TOPIC,
    );
    const others =
      PERMITTED.node === undefined ? [] : (await nodes()).filter((one) => one !== PERMITTED.node);
    for (const one of others) await kubectl.run(['cordon', one]);
    const replay = installation.command([...RUN_JOB, 'replay-3', 'replay']).then(
      () => 'succeeded',
      () => 'failed',
    );
    const uncordon = async () => {
      for (const one of others) await kubectl.run(['uncordon', one]);
    };
    const pod = await waitFor<string>('the replay runs', async () => {
      const label = ['-l', 'batch.kubernetes.io/job-name=replay-3'];
      const {
        items: [found],
      } = await kubectl.json<{ items: { metadata: { name: string } }[] }>('get', 'pods', ...label);
      const log = found && (await kubectl.run(['logs', found.metadata.name]).catch(() => ''));
      return log && found.metadata.name;
    }).finally(uncordon);
    check.noFailure(
      await installation.underLoad(async () => {
        if (PERMITTED.node === undefined) {
          say('VITRINE_CLUSTER_NODE is not set: only the pod of the replay is evicted');
          await kubectl.evict(pod);
          await replay;
          await installation.command([...RUN_JOB, 'replay-resume-1', 'replay-resume']);
        } else await installation.section('Drain of a node', { 'node-1': PERMITTED.node });
      }),
    );
    expect(await replay).to.equal('failed');
    await installation.command([...RUN_JOB, 'verify-3', 'verify']);
    await installation.command([...EXEC, 'switch']);
    await installation.command([...EXEC, 'prune']);
    await check.feeds();
  });

  it('a wrong secret stops the rollout at its first pod, and the corrected one completes it', async () => {
    const { kubectl } = installation;
    const replace = async (password: string) => {
      await patch('secret', 'projector-credentials', { stringData: { 'kafka-password': password } });
    };
    const { data } = await kubectl.json<{ data: Record<string, string> }>(
      'get',
      'secret',
      'projector-credentials',
    );
    const password = Buffer.from(data['kafka-password'] ?? '', 'base64').toString();
    check.noFailure(
      await installation.underLoad(async () => {
        await replace('wrong');
        await kubectl.run(['rollout', 'restart', 'deploy/projector']);
        await waitFor('the first new pod restarts', async () =>
          (await kubectl.podsOf('projector')).some(
            ({ status }) => (status.containerStatuses?.[0]?.restartCount ?? 0) > 0,
          ),
        );
        expect((await kubectl.podsOf('projector')).filter(isReady)).to.have.length(2);
        await replace(password);
        await kubectl.run(['rollout', 'restart', 'deploy/projector']);
        await kubectl.rollout('projector');
      }),
    );
  });

  it('the autoscaler scales down without a failed request', async () => {
    const limits = (minReplicas: number) =>
      patch('hpa', 'query', {
        spec: { minReplicas, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
      });
    await limits(4);
    await check.readyPods('query', 4);
    check.noFailure(
      await installation.underLoad(async () => {
        await limits(2);
        await check.readyPods('query', 2);
      }),
    );
  });

  it('the loss of one of three brokers: no request fails, and a new listing reaches the feed', async () => {
    // The broker exits, and its container starts again with the same data.
    const stop = ['exec', 'kafka-1', '--', 'bash', '-c', 'kill 1'];
    check.noFailure(
      await installation.underLoad(async () => {
        await installation.kubectl.run(stop);
        await check.newListing('without-a-broker');
      }),
    );
    await waitFor('the broker is ready again', async () => {
      const broker = await installation.kubectl.json<Pod>('get', 'pod', 'kafka-1');
      return broker.status.containerStatuses?.[0]?.restartCount === 1 && isReady(broker);
    });
  });

  it('reconcile: the CronJob with the documented overlay finds no difference', async () => {
    const [overlay = ''] = documentedBlocks('docs/operate/reconcile.md', 'Every night');
    const lines = check.items
      .map(({ id, title, price }) => ({ id: String(id), title, price }))
      .toSorted((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))
      .map((line) => JSON.stringify(line));
    const folder = 'infra/kubernetes/example/commands';
    // The test has no database, so a file stands in for the dump.
    await installation.write(`${folder}/dump.sql`, `${lines.join('\n')}\n`);
    await installation.write(
      `${folder}/reconcile.yaml`,
      overlay
        .replace('image: postgres:15', `image: ${CLI_IMAGE}`)
        .replace('psql -v ON_ERROR_STOP=1 -f', 'cat'),
    );
    await installation.append(
      `${folder}/kustomization.yaml`,
      'patches: [{path: reconcile.yaml}]\n' +
        'configMapGenerator: [{name: reconcile-dump, files: [dump.sql], options: {disableNameSuffixHash: true}}]\n',
    );
    await installation.command(['kubectl', 'apply', '-k', folder]);
    await installation.command([...RUN_JOB, 'reconcile-1', 'reconcile']);
  });

  it('The ingest: the documented commands work in sequence, and records become listings', async () => {
    const listing = {
      revision: 1,
      title: 'Sobrado',
      price: 80,
      city: 'Olinda',
      url: 'https://vitrine.example/s',
    };
    await installation.publish(
      [{ key: 'ingested', value: JSON.stringify(listing) }],
      'marketplace.listings',
      2,
    );
    await installation.section('The ingest');
    await check.inFeed('ingested');
  });

  it('the liveness probe restarts a query process that does not respond', async () => {
    const { kubectl } = installation;
    const [pod] = await check.readyPods('query', 2);
    const name = pod?.metadata.name ?? '';
    const load = await installation.underLoad(async () => {
      await kubectl.run(['exec', name, '--', 'sh', '-c', 'kill -USR1 1']);
      await kubectl.run(['exec', '-i', name, '--', 'node', '--input-type=module', '-e', FREEZE]);
      say('one query process is frozen');
      await waitFor('the container has restarted, and is ready', async () =>
        (await kubectl.podsOf('query')).some(
          (one) =>
            one.metadata.name === name &&
            one.status.containerStatuses?.[0]?.restartCount === 1 &&
            isReady(one),
        ),
      );
    });
    // Until the restart, the Service sends requests to the frozen process.
    expect(load.requests).to.be.above(load.failed);
    expect(load.lastFailureMs).to.be.below(FROZEN_PROCESS_STOPPED_MS);
  });

  it('the loss of a node: the other node serves the feed, and the pods move to it', async function () {
    for (const variable of ['VITRINE_CLUSTER_NODE', 'VITRINE_CLUSTER_NODE_DOWN', 'VITRINE_CLUSTER_NODE_UP'])
      skipUnless(this, variable);
    const shell = async (command = '') => {
      const { code, stderr } = await runProgram(['sh', '-c', command]);
      if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr}`);
    };
    // A drain leaves all pods on the other node.
    for (const name of ['query', 'projector']) {
      const onNodes = async () => (await check.readyPods(name, 2)).map(({ spec }) => spec.nodeName);
      if (new Set(await onNodes()).size < 2) {
        const [pod] = await check.readyPods(name, 2);
        await installation.kubectl.evict(pod?.metadata.name ?? '');
        await waitFor(
          `the pods of ${name} are on two nodes`,
          async () => new Set(await onNodes()).size === 2,
        );
      }
    }
    // The remaining node must have room for the other pods.
    await installation.kubectl.run(['scale', 'deploy/ingest', '--replicas=0']);
    const isReadyNode = async () =>
      isReady(await installation.kubectl.json<Pod>('get', 'node', PERMITTED.node ?? ''));
    const began = performance.now();
    const sayAfter = (what: string) =>
      say(`${what} ${((performance.now() - began) / 1_000).toFixed(0)} s after the loss of the node`);
    const load = await installation.underLoad(async () => {
      await shell(PERMITTED.down);
      await waitFor('the node is not ready', async () => !(await isReadyNode()));
      sayAfter('the node is not ready');
      await check.newListing('without-a-node');
      for (const name of ['query', 'projector']) {
        await check.readyPods(name, 2);
        sayAfter(`two pods of ${name} are ready`);
      }
    });
    expect(load.lastFailureMs).to.be.below(LOST_NODE_NOTICED_MS);
    await shell(PERMITTED.up);
    await waitFor('the node is ready', isReadyNode);
    sayAfter('the node is back');
    await check.inFeed('ingested');
  });
});
