import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engines, startEngines } from '@vitrine/engines';
import { generationNames } from '@vitrine/feed-index';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { cli, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

const NOT_OURS = /is not the one that Vitrine created/;

describe('indices that were closed when a snapshot was restored over them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-snapshots-'));
  let engines: Engines;
  before(async () => {
    // Elasticsearch can run as another user.
    chmodSync(folder, 0o777);
    engines = await startEngines({
      env: { ...process.env, KAFKA_BROKERS: '', ELASTICSEARCH_URL: '' },
      elasticsearchHeap: '512m',
      elasticsearchSettings: { 'path.repo': folder },
    });
  });
  after(async () => {
    await engines?.stop();
    rmSync(folder, { recursive: true });
  });

  it('keep their UUID, but Vitrine notices the restore, and a replay brings back the lost events', async () => {
    const deployment = await createDeployment('restored', 1, {}, engines.settings);
    const { client, prefix } = deployment;
    const { states, items, changes } = generationNames(prefix, 1);
    const indices = [states, items, changes];
    const records = workload({ seed: 83, listings: 60, events: 600 });
    const project = async (part: typeof records) => {
      const projector = await runProjector(deployment);
      await deployment.publish(part);
      await deployment.caughtUp();
      await projector.stop();
    };
    const uuids = async () =>
      Object.values(await client.indices.getSettings({ index: indices })).map(
        ({ settings }) => settings?.index?.uuid,
      );

    await project(records.slice(0, 200));
    const location = join(folder, 'repository');
    await client.snapshot.createRepository({
      name: prefix,
      repository: { type: 'fs', settings: { location } },
    });
    const snapshot = { repository: prefix, snapshot: 'one', indices, wait_for_completion: true };
    await client.snapshot.create(snapshot);
    const old = await deployment.items();
    await project(records.slice(200, 400));
    const before = await uuids();
    await client.indices.close({ index: indices });
    await client.snapshot.restore(snapshot);
    expect(await uuids()).to.deep.equal(before);

    const status = await cli(deployment, ['status']);
    const [found] = status.json.generations as { findings?: string[] }[];
    const findings = (found?.findings ?? []).filter((finding) => NOT_OURS.test(finding));
    for (const index of indices) expect(findings.join('; ')).to.include(index);
    await deployment.publish(records.slice(400));
    const projector = await runProjector(deployment, {}, { inspectEvery: 300 });
    await eventually('the reason', async () => (await projector.reasons()).some((one) => NOT_OURS.test(one)));
    expect(await deployment.items()).to.deep.equal(old);
    const refused = await cli(deployment, ['replay', '--from', 'states']);
    expect(refused.code).not.to.equal(0);
    expect(refused.output).to.match(NOT_OURS);

    // This is the repair that the runbook describes.
    await client.indices.delete({ index: indices });
    expect((await cli(deployment, ['replay'])).json).to.deep.include({ generation: 2 });
    expect((await cli(deployment, ['switch', '2'])).code).to.equal(0);
    await deployment.caughtUp(undefined, 2);
    await expectFold(deployment, records);
    await projector.stop();
    await deployment.close();
  });
});
