import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { createSourceTopic, ingestEnv } from '../support/ingest.ts';
import { startService } from '../support/service-process.ts';

/** Runs `npm run ingest` to its end. */
async function runCommand(deployment: Deployment, args: string[], env: Record<string, string> = {}) {
  const command = startService('ingest', { ...ingestEnv(deployment), ...env }, args);
  const code = await command.exited;
  await command.stop();
  return { code, output: command.log() };
}

describe('ingest as a command', () => {
  let deployment: Deployment;
  let folder: string;
  const file = (name: string) => join(folder, name);

  before(async () => {
    deployment = await createDeployment('ingest-dry', 1);
    folder = await mkdtemp(join(tmpdir(), 'vitrine-mapping-'));
  });
  after(async () => {
    await deployment.close();
    await rm(folder, { recursive: true });
  });

  it('--dry-run reports as check does, with the positions in the source topics, and publishes nothing', async () => {
    const source = await createSourceTopic(deployment, 'products', 1);
    const value = (price: number, title = 'Casa') => JSON.stringify({ title, price });
    await source.publish([
      { key: 'a', value: value(10) },
      { key: 'b', value: 'no JSON' },
      { key: 'c', value: value(-1) },
      { key: 'd', value: value(10, '') },
      { key: 'e', value: 'null' },
    ]);
    // The mapping is outside the repository, as a mounted file would be.
    await writeFile(
      file('mapping.ts'),
      `import { wholeListing } from '@vitrine/ingest/mappings/whole-listing';
       interface Product { title: string; price: number }
       export default wholeListing<Product>({
         topic: ${JSON.stringify(source.name)},
         version: 'offset',
         listing: ({ title, price }) =>
           ({ title, price, location: { city: 'Recife' }, url: 'https://shop.example/' }),
       });`,
    );
    const report = file('report.jsonl');
    const args = ['--mapping', file('mapping.ts'), '--dry-run', '--json', '--report', report];
    const { code, output } = await runCommand(deployment, args);
    expect(code, output).to.equal(3);
    const summary = JSON.parse(output.slice(output.indexOf('{'))) as Record<string, unknown>;
    expect(summary).to.deep.include({ records: 5, accepted: 2, refused: { undecodable: 2, schema: 1 } });
    expect(summary.listings).to.deep.equal({ visible: 1, hidden: { title: 1 }, dropped: {} });
    const place = { topic: source.name, partition: 0 };
    expect(summary.findings).to.deep.equal([
      { ...place, offset: '1', reason: 'undecodable', path: '' },
      {
        ...place,
        offset: '2',
        id: 'c',
        reason: 'schema',
        path: '/data/listing/price',
        value: -1,
        limit: 0,
      },
      { ...place, offset: '4', reason: 'undecodable', path: '' },
    ]);
    expect((await readFile(report, 'utf8')).trim().split('\n').length).to.be.at.least(4);
    const [end] = await deployment.admin.fetchTopicOffsets(deployment.topic);
    expect(end?.high, 'nothing was published').to.equal('0');
    const text = await runCommand(deployment, ['--mapping', file('mapping.ts'), '--dry-run']);
    expect(text.output).to.include(`${source.name} partition 0 offset 2`);
  });

  it('names every wrong member of a mapping module, and exits with 1', async () => {
    await writeFile(file('wrong.ts'), `export default { topics: ['a', 'b c'], format: 'xml', mapp: 1 };`);
    const { code, output } = await runCommand(deployment, [], { MAPPING: file('wrong.ts') });
    expect(code).to.equal(1);
    expect(output).to.include('topics contains "b c", which is not the name of a topic');
    expect(output).to.include('format must be one of json, debezium, confluent, not "xml"');
    expect(output).to.include('map must be a function, not undefined');
    expect(output).to.include('mapp is not a member of a mapping');
  });

  it('--dry-run prints errors as check does: a missing registry, a missing topic', async () => {
    const write = (format: string) =>
      writeFile(
        file('dry.ts'),
        `export default { topics: ['${deployment.topic}.none'], format: '${format}', map: () => [] };`,
      );
    const args = ['--mapping', file('dry.ts'), '--dry-run', '--json'];
    const failed = (message: string) => ({
      code: 1,
      output: `${JSON.stringify({ error: { kind: 'failed', message } })}\n`,
    });
    await write('confluent');
    expect(await runCommand(deployment, args)).to.deep.equal(
      failed('the format "confluent" needs the setting SCHEMA_REGISTRY_URL'),
    );
    await write('json');
    expect(await runCommand(deployment, args)).to.deep.equal(
      failed(`the topic ${deployment.topic}.none does not exist`),
    );
  });

  it('names a missing mapping, a module that does not load, and the options', async () => {
    await writeFile(file('broken.ts'), 'export default {');
    const run = async (...args: string[]) => (await runCommand(deployment, args)).output;
    expect((await runCommand(deployment, ['--unknown'])).code).to.equal(2);
    expect(await run()).to.include('name a mapping module with --mapping FILE or with MAPPING');
    expect(await run('--mapping', file('none.ts'))).to.match(/the mapping module .*none\.ts does not exist/);
    expect(await run('--mapping', file('broken.ts'))).to.match(/broken\.ts could not be loaded: .*Syntax/s);
    expect(await run('--help')).to.include('--dry-run');
    expect(await run('--unknown'))
      .to.include('--unknown')
      .and.not.include('at parseArgs');
  });
});
