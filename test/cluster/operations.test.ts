import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type EventRecord, EXPECTED, RECORDS, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { eventually } from '../support/service-process.ts';
import { Installation, type Load } from './support/installation.ts';
import { isReady } from './support/kubectl.ts';
import { FREEZE } from './support/programs.ts';

const EXEC = 'kubectl exec deploy/cli -n vitrine -- node services/operator/src/cli/main.ts'.split(' ');
const RUN_JOB = ['infra/kubernetes/run-job.sh', 'vitrine'];
const TOPIC = 'marketplace.listing-events';
const FEED_WITHIN_MS = 10 * 60_000;
const PODS_WITHIN_MS = 10 * 60_000;

const RENTALS = join(import.meta.dirname, '../../../shared/data/rentals');
const read = <T>(file: string): T[] =>
  gunzipSync(readFileSync(join(RENTALS, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
/** The records of the test, the items that they become, and the day of the calendars. */
const market = () =>
  existsSync(RENTALS)
    ? {
        records: read<EventRecord>('events.ndjson.gz'),
        items: read<{ item: Record<string, unknown> }>('expected.ndjson.gz').map(({ item }) => item),
        today: '2026-12-01',
      }
    : { records: RECORDS, items: EXPECTED, today: TODAY };

/** `npm run test:cluster` runs on the cluster that KUBECONFIG names, in a namespace that it removes. */
describe('an installation in a cluster', function () {
  this.timeout(30 * 60_000);
  // Each step needs the ones before it.
  this.bail(true);
  const { records, items, today } = market();
  let installation: Installation;
  const say = (line: string) => process.stdout.write(`# ${new Date().toISOString().slice(11, 19)} ${line}\n`);

  before(async function () {
    if (!process.env['KUBECONFIG']) {
      process.stdout.write('Skipped the tests in a cluster: KUBECONFIG names none.\n');
      return this.skip();
    }
    installation = await Installation.create(
      {
        KAFKA_BROKERS: 'kafka:9092',
        KAFKA_TLS: '',
        KAFKA_TLS_CA_FILE: '',
        KAFKA_SASL_MECHANISM: 'plain',
        ELASTICSEARCH_URL: 'http://elasticsearch:9200',
        ELASTICSEARCH_TLS_CA_FILE: '',
        FEED_TODAY: today,
      },
      say,
    );
    await installation.startEngines();
    say('the engines run');
  });
  after(() => installation?.remove());

  const expectFeeds = async (): Promise<void> => {
    // Only the agents' feed contains calendars.
    const withoutCalendars = items.map(({ availability: _, ...item }: Record<string, unknown>) => item);
    for (const [path, expected] of [
      ['/api/ai-feed', items],
      ['/api/public-feed', withoutCalendars],
    ] as const) {
      const found = () => installation.crawl(path);
      await eventually(
        `${path} is complete`,
        async () => isDeepStrictEqual(await found().catch(() => undefined), expected),
        FEED_WITHIN_MS,
        1_000,
      ).catch(() => undefined);
      expect(await found(), path).to.deep.equal(expected);
    }
    say(`both feeds equal the expected ${items.length} items`);
  };
  const expectNoFailure = ({ requests, failed, failures }: Load): void => {
    expect(failures).to.deep.equal([]);
    expect(failed).to.equal(0);
    expect(requests).to.be.above(20);
  };
  const readyPods = (name: string, count: number) =>
    eventually(
      `${count} pods of ${name} are ready`,
      async () => {
        const pods = (await installation.kubectl.podsOf(name)).filter(isReady);
        return pods.length === count && pods;
      },
      PODS_WITHIN_MS,
      1_000,
    );
  const nodes = async () =>
    (
      await installation.kubectl.json<{ items: { spec: { unschedulable?: boolean } }[] }>('get', 'nodes')
    ).items.filter(({ spec }) => !spec.unschedulable).length;
  const liveGeneration = async () => {
    const { generations } = JSON.parse(await installation.command([...EXEC, 'status', '--json'])) as {
      generations: { number: number; role: string }[];
    };
    return generations.find(({ role }) => role === 'live')?.number;
  };

  it('First installation: the documented commands work in sequence, and both feeds equal the expectation', async () => {
    await installation.section('First installation');
    await installation.publish(records, TOPIC);
    await expectFeeds();
  });

  it('Commands: a replay, its comparison and the switch fail no request', async () => {
    expectNoFailure(await installation.underLoad(() => installation.section('Commands')));
    expect(await liveGeneration()).to.equal(2);
    await expectFeeds();
  });

  it('a rollout fails no request, and spreads the new pods over the nodes', async () => {
    const { kubectl } = installation;
    expectNoFailure(
      await installation.underLoad(async () => {
        await kubectl.run(['rollout', 'restart', 'deploy/query', 'deploy/projector']);
        await kubectl.rollout('query');
        await kubectl.rollout('projector');
      }),
    );
    if ((await nodes()) < 2) return;
    for (const name of ['query', 'projector']) {
      const pods = await readyPods(name, 2);
      expect(new Set(pods.map(({ spec }) => spec.nodeName)), name).to.have.property('size', 2);
    }
  });

  it('a changed setting replaces the pods and fails no request', async () => {
    await installation.changeSettings({ RATE_LIMIT: '100000' });
    expectNoFailure(
      await installation.underLoad(async () => {
        await installation.command(['kubectl', 'apply', '-k', 'infra/kubernetes/example']);
        await installation.kubectl.rollout('query');
        await installation.kubectl.rollout('projector');
      }),
    );
  });

  it('the eviction of every pod, as in a drain, fails no request', async () => {
    const { kubectl } = installation;
    expectNoFailure(
      await installation.underLoad(async () => {
        for (const name of ['query', 'projector'])
          for (const { metadata } of await readyPods(name, 2)) {
            await kubectl.evict(metadata.name);
            await eventually(
              'the evicted pod is replaced',
              async () => {
                const pods = await kubectl.podsOf(name);
                return (
                  pods.every((pod) => pod.metadata.name !== metadata.name) &&
                  pods.filter(isReady).length === 2
                );
              },
              PODS_WITHIN_MS,
              1_000,
            );
          }
      }),
    );
    await expectFeeds();
  });

  it('Rollout of new rules: the documented commands work in sequence and fail no request', async () => {
    expectNoFailure(await installation.underLoad(() => installation.section('Rollout of new rules')));
    expect(await liveGeneration()).to.equal(3);
    await expectFeeds();
  });

  it('a replay whose pod is evicted continues with replay-resume', async () => {
    const { kubectl } = installation;
    const failed = installation.command([...RUN_JOB, 'replay-3', 'replay']).then(
      () => 'succeeded',
      () => 'failed',
    );
    const label = ['-l', 'batch.kubernetes.io/job-name=replay-3'];
    const pod = await eventually('the replay runs', async () => {
      const {
        items: [found],
      } = await kubectl.json<{ items: { metadata: { name: string } }[] }>('get', 'pods', ...label);
      const log = found && (await kubectl.run(['logs', found.metadata.name]).catch(() => ''));
      return log && found.metadata.name;
    });
    await kubectl.evict(pod);
    const end = await failed;
    say(`the evicted replay has ${end}`);
    if (end === 'failed') await installation.command([...RUN_JOB, 'replay-resume-3', 'replay-resume']);
    await installation.command([...RUN_JOB, 'verify-3', 'verify']);
    await installation.command([...EXEC, 'switch']);
    await installation.command([...EXEC, 'prune']);
    expect(end).to.equal('failed');
    await expectFeeds();
  });

  it('a wrong secret stops the rollout at its first pod, and the corrected one completes it', async () => {
    const { kubectl } = installation;
    const replace = async (password: string) => {
      await kubectl.run([
        'patch',
        'secret',
        'projector-credentials',
        '--type=merge',
        '-p',
        JSON.stringify({ stringData: { 'kafka-password': password } }),
      ]);
    };
    const { data } = await kubectl.json<{ data: Record<string, string> }>(
      'get',
      'secret',
      'projector-credentials',
    );
    const password = Buffer.from(data['kafka-password'] ?? '', 'base64').toString();
    expectNoFailure(
      await installation.underLoad(async () => {
        await replace('wrong');
        await kubectl.run(['rollout', 'restart', 'deploy/projector']);
        await eventually(
          'the first new pod restarts',
          async () =>
            (await kubectl.podsOf('projector')).some(
              ({ status }) => (status.containerStatuses?.[0]?.restartCount ?? 0) > 0,
            ),
          PODS_WITHIN_MS,
          1_000,
        );
        expect((await kubectl.podsOf('projector')).filter(isReady)).to.have.length(2);
        await replace(password);
        await kubectl.run(['rollout', 'restart', 'deploy/projector']);
        await kubectl.rollout('projector');
      }),
    );
  });

  it('the autoscaler scales down without a failed request', async () => {
    const { kubectl } = installation;
    const limits = (minReplicas: number) =>
      kubectl.run([
        'patch',
        'hpa',
        'query',
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { minReplicas, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } } }),
      ]);
    await limits(4);
    await readyPods('query', 4);
    expectNoFailure(
      await installation.underLoad(async () => {
        await limits(2);
        await readyPods('query', 2);
      }),
    );
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
    await eventually(
      'the listing is in the feed',
      async () => (await installation.crawl('/api/ai-feed')).some(({ id }) => id === 'ingested'),
      FEED_WITHIN_MS,
      1_000,
    );
  });

  it('the liveness probe restarts a query process that does not respond', async () => {
    const { kubectl } = installation;
    const [pod] = await readyPods('query', 2);
    const name = pod?.metadata.name ?? '';
    await kubectl.run(['exec', name, '--', 'sh', '-c', 'kill -USR1 1']);
    await kubectl.run(['exec', '-i', name, '--', 'node', '--input-type=module', '-e', FREEZE]);
    say('one query process is frozen');
    await eventually(
      'the container has restarted, and is ready',
      async () =>
        (await kubectl.podsOf('query')).some(
          (one) =>
            one.metadata.name === name &&
            one.status.containerStatuses?.[0]?.restartCount === 1 &&
            isReady(one),
        ),
      PODS_WITHIN_MS,
      1_000,
    );
  });
});
