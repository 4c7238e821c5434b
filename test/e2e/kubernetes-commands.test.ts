import { NoEnginesError } from '@vitrine/engines';
import { EXPECTED, listingEvent, RECORDS, recordOf } from '@vitrine/fixtures';
import { createTopic } from '@vitrine/kafka';
import { expect } from 'chai';
import { documentedCommands } from '../support/documented-commands.ts';
import { PASSWORDS, type SecureEngines, startSecureEngines } from '../support/engines.ts';
import { LocalCluster } from '../support/local-cluster.ts';
import { renderManifests } from '../support/manifests.ts';
import { addressesOf, eventually } from '../support/service-process.ts';

const PAGE = 'docs/operate/deployment.md';
const DEAD_LETTERS = 'marketplace.listing-events.dead-letters';
const EXEC = 'kubectl exec deploy/cli -n vitrine -- node services/operator/src/cli/main.ts';

describe('the documented commands for Kubernetes, with the roles and ACLs of infra/', () => {
  let secure: SecureEngines;
  let cluster: LocalCluster;

  before(async function () {
    if (renderManifests('infra/kubernetes/example') === undefined) {
      process.stderr.write('# skipped: these tests need kubectl\n');
      return this.skip();
    }
    const started = await startSecureEngines().catch((error: unknown) => {
      if (!(error instanceof NoEnginesError)) throw error;
      process.stderr.write(`# skipped: these tests need engines that run as JVMs: ${error.message}\n`);
    });
    if (!started) return this.skip();
    secure = started;
    cluster = await LocalCluster.create(secure);
  });
  after(async () => {
    await cluster?.stop();
    await secure?.stop();
  });

  const runSection = async (heading: string): Promise<string> => {
    let output = '';
    for (const command of documentedCommands(PAGE, heading)) output += await cluster.run(command);
    expectNoPassword(output);
    return output;
  };
  const exec = (...args: string[]) => cluster.run([...EXEC.split(' '), ...args]);
  const feedTotal = async (): Promise<number> => {
    const page = await eventually(
      'a page of the feed',
      async () => {
        const { origin } = await addressesOf(cluster.processOf('query'));
        const response = await fetch(`${origin}/api/ai-feed`);
        return response.ok && ((await response.json()) as { meta: { total: number } });
      },
      150_000,
    );
    return page.meta.total;
  };

  it('First installation: the job creates the topics, and the services start with their own users', async () => {
    await runSection('First installation');
    expect(await secure.admin.listTopics()).to.include.members(['marketplace.listing-events', DEAD_LETTERS]);
    await secure.producer.send({ topic: 'marketplace.listing-events', messages: RECORDS });
    await eventually('the feed has all items', async () => (await feedTotal()) === EXPECTED.length, 150_000);
  });

  it('Commands: the jobs rebuild the feed, and the idle pod switches and prunes', async () => {
    const total = await feedTotal();
    await runSection('Commands');
    expect(await liveGeneration()).to.equal(2);
    expect(await feedTotal()).to.equal(total);
  });

  it('Rollout of new rules: the second projector runs beside the first one, and is removed at the end', async () => {
    const total = await feedTotal();
    const commands = documentedCommands(PAGE, 'Rollout of new rules');
    const isSwitch = (words: string[]) => words.includes('switch');
    for (const command of commands) {
      if (isSwitch(command))
        expect(cluster.deployments).to.deep.equal(['projector', 'projector-next', 'query']);
      expectNoPassword(await cluster.run(command));
    }
    expect(commands.filter(isSwitch)).to.have.length(1);
    expect(cluster.deployments).to.deep.equal(['projector', 'query']);
    expect(await liveGeneration()).to.equal(3);
    expect(await feedTotal()).to.equal(total);
  });

  it('the nightly job compares and repairs the live items', async () => {
    const log = await cluster.run(
      'infra/kubernetes/run-job.sh vitrine verify-items-1 verify-items'.split(' '),
    );
    expect(log).to.not.equal('');
    expectNoPassword(log);
  });

  it('the idle pod retries a dead letter, and runs the commands that read both engines', async () => {
    const listing = {
      title: 'Loft',
      price: 1,
      location: { city: 'Olinda' },
      url: 'https://vitrine.example/',
    };
    const event = listingEvent('retried', 1, '2026-11-01T12:00:00Z', { type: 'snapshot', data: { listing } });
    await secure.producer.send({
      topic: DEAD_LETTERS,
      messages: [{ ...recordOf(event), headers: { 'dead-letter-reason': 'not-json' } }],
    });
    const total = await feedTotal();
    const retried = await exec('dead-letters', 'retry', '--key', 'retried', '--json');
    expect(jsonIn(retried)).to.include({ sent: 1 });
    await eventually('the retried listing is in the feed', async () => (await feedTotal()) === total + 1);
    for (const args of [
      ['topics', 'check'],
      ['dead-letters', 'list'],
      ['explain', 'studio', '--history'],
      ['verify', '--self', '--dry-run'],
    ])
      expect(await exec(...args), args.join(' ')).to.not.equal('');
  });

  it('The ingest: records of an existing topic become listings, with the rights of vitrine-ingest', async () => {
    const topic = 'marketplace.listings';
    await createTopic(secure.admin, { topic, numPartitions: 1 });
    await runSection('The ingest');
    const listing = {
      revision: 1,
      title: 'Sobrado',
      price: 80,
      city: 'Olinda',
      url: 'https://vitrine.example/s',
    };
    const messages = [
      { key: 'poison', value: '{' },
      { key: 'ingested', value: JSON.stringify(listing) },
    ];
    await secure.producer.send({ topic, messages });
    const { origin } = await addressesOf(cluster.processOf('query'));
    const exported = async () => (await fetch(`${origin}/api/export`)).text();
    await eventually(
      'the listing is in the feed',
      async () => (await exported()).includes('Sobrado'),
      150_000,
    );
    expect(await secure.admin.listTopics()).to.include('marketplace.listing-events.ingest-dead-letters');
  });

  const liveGeneration = async (): Promise<number | undefined> => {
    const { generations } = jsonIn<{ generations: { number: number; role: string }[] }>(
      await exec('status', '--json'),
    );
    return generations.find(({ role }) => role === 'live')?.number;
  };
  /** The document that `--json` prints after the progress. */
  const jsonIn = <T extends object>(output: string): T =>
    JSON.parse(/^\{\n.*^\}$/ms.exec(output)?.[0] ?? expect.fail(`no JSON document in ${output}`)) as T;
  const expectNoPassword = (text: string) => {
    for (const password of Object.values(PASSWORDS)) expect(text).to.not.include(password);
  };
});
