import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { createSourceTopic, ingestEnv } from '../support/ingest.ts';
import { readTopic } from '../support/read-topic.ts';
import { eventually, startService } from '../support/service-process.ts';

const RECORDS = 40;
/**
 * Each request contains one event of this size, so that early requests are acknowledged while later records
 * are mapped.
 */
const EVENT_BYTES = 400_000;

describe('a killed ingest', () => {
  let deployment: Deployment;
  let folder: string;

  before(async () => {
    deployment = await createDeployment('ingest-kill', 1);
    folder = await mkdtemp(join(tmpdir(), 'vitrine-kill-'));
  });
  after(async () => {
    await deployment.close();
    await rm(folder, { recursive: true });
  });

  it('repeats the events between acknowledgment and commit with the same ids, and loses none', async () => {
    const source = await createSourceTopic(deployment, 'products', 1);
    const mapping = join(folder, 'mapping.ts');
    const open = join(folder, 'open');
    // The record before the last one blocks the process until the test lets it pass.
    await writeFile(
      mapping,
      `import { existsSync } from 'node:fs';
       export default {
         topics: [${JSON.stringify(source.name)}],
         format: 'json',
         map({ offset }) {
           if (offset === ${RECORDS - 2} && !existsSync(${JSON.stringify(open)}))
             Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
           const images = Array.from({ length: 100 }, () => 'x'.repeat(${EVENT_BYTES / 100}));
           return [{ kind: 'changed', id: 'a-' + offset, version: 1, fields: { title: 'Casa', images } }];
         },
       };`,
    );
    await source.publish(Array.from({ length: RECORDS }, () => ({ key: 'a', value: '{}' })));
    const end = async () => {
      const [offsets] = await deployment.admin.fetchTopicOffsets(deployment.topic);
      return Number(offsets?.high ?? 0);
    };
    const args = ['--mapping', mapping];
    const first = startService('ingest', ingestEnv(deployment), args);
    await eventually('some events are acknowledged', async () => (await end()) >= RECORDS / 2);
    await first.end('SIGKILL');
    await first.stop();
    const published = await end();
    const groupId = `${deployment.prefix}-ingest-${source.name}`;
    const [committed] = await deployment.admin.fetchOffsets({ groupId, topics: [source.name] });
    expect(Number(committed?.partitions[0]?.offset ?? -1), 'nothing is committed').to.be.at.most(0);

    await writeFile(open, '');
    const second = startService('ingest', ingestEnv(deployment), args);
    await source.ingested();
    expect(await second.end()).to.equal(0);
    await second.stop();
    const ids = (await readTopic(deployment.env, deployment.topic)).map(
      ({ value }) => (JSON.parse(String(value)) as { id: string }).id,
    );
    expect(new Set(ids)).to.have.property('size', RECORDS);
    expect(ids).to.have.length.of.at.least(RECORDS + published);
  });
});
