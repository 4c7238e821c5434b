import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { estypes } from '@elastic/elasticsearch';
import { generationNames, registryIndex } from '@vitrine/feed-index';
import { listingEvent } from '@vitrine/fixtures';
import { RULES } from '@vitrine/listing';
import { createIndices, readChangesHistory, versionsWith } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

const run = promisify(execFile);
const COMPLETE = {
  title: 'Casa',
  price: 1,
  location: { city: 'Curitiba' },
  url: 'https://vitrine.example/',
  published_at: '2026-01-01T00:00:00Z',
};
const listing = (id: string, version: number, more: object = {}): string =>
  JSON.stringify(
    listingEvent(id, version, new Date('2026-01-01T00:00:00Z'), {
      type: 'snapshot',
      data: { listing: { ...COMPLETE, ...more } },
    }),
  );

describe('index settings', () => {
  let deployment: Deployment;
  let projector: RunningProjector | undefined;

  beforeEach(async () => {
    deployment = await createDeployment('settings', 1);
  });
  afterEach(async () => {
    await projector?.stop();
    projector = undefined;
    await withoutTemplate();
    await deployment.close();
  });

  const template = () => `${deployment.prefix}-foreign`;
  const withTemplate = (given: estypes.IndicesPutIndexTemplateIndexTemplateMapping, kind = '*') =>
    deployment.client.indices.putIndexTemplate({
      name: template(),
      index_patterns: [`${deployment.prefix}-${kind}`],
      priority: 1_000,
      template: given,
    });
  const withoutTemplate = () =>
    deployment.client.indices.deleteIndexTemplate({ name: template() }, { ignore: [404] });
  const start = async () => {
    projector = await runProjector(deployment, {}, { inspectEvery: 300 });
    return projector;
  };
  const ready = () => eventually('ready', async () => (await projector?.reasons())?.length === 0);
  const reason = async (pattern: RegExp): Promise<string> => {
    let found: string | undefined;
    await eventually(`a reason that matches ${pattern}`, async () => {
      found = (await projector?.reasons())?.find((one) => pattern.test(one));
      return found !== undefined;
    });
    return found as string;
  };
  /** Runs the command at the end of a message in a shell, as an operator does. */
  const runCommandOf = async (message: string) => {
    const command = /curl .*'/.exec(message)?.[0] ?? 'false';
    await run('bash', ['-c', `${command} --fail --silent --show-error`], {
      env: { ...process.env, ...deployment.env },
    });
  };
  const isServed = async (id: string) => {
    await deployment.caughtUp();
    return (await deployment.items()).has(id);
  };

  it('elasticsearch#32758: foreign templates change neither the settings nor the mapping of a new index', async () => {
    const { nodes } = await deployment.client.nodes.info({ filter_path: 'nodes.*.version' });
    const isOld = Object.values(nodes).some(({ version }) => version.startsWith('9.2.'));
    await withTemplate({
      settings: {
        default_pipeline: 'missing-pipeline',
        final_pipeline: 'missing-pipeline',
        refresh_interval: '-1',
        max_result_window: 100,
        max_terms_count: 2,
        gc_deletes: '1s',
        hidden: true,
        number_of_shards: 4,
        number_of_routing_shards: 8,
        sort: { field: ['zone'], order: ['desc'], missing: ['_first'] },
        translog: { durability: 'async' },
        blocks: { write: true, read_only: true },
        mapping: {
          nested_objects: { limit: 1 },
          nested_fields: { limit: 0 },
          total_fields: { limit: 5 },
          depth: { limit: 1 },
          ignore_malformed: true,
        },
        'mapping.ignore_above': 2,
        // Version 9.2 does not know this setting.
        ...(!isOld && { 'mapping.array_objects.limit': 1 }),
        'routing.allocation.enable': 'none',
      } as estypes.IndicesIndexSettings,
      mappings: {
        _source: { enabled: false },
        dynamic: true,
        properties: {
          id: { type: 'keyword', doc_values: false },
          registry: { type: 'long' },
          zone: { type: 'keyword' },
        },
      },
      aliases: { [`${deployment.prefix}-everything`]: {} },
    } as estypes.IndicesPutIndexTemplateIndexTemplateMapping);
    await start();
    const dates = ['2030-12-01', '2030-12-02'].map((date, i) => ({ date, available: true, price: 100 + i }));
    await deployment.publish([{ key: 'a', value: listing('a', 1, { availability: dates }) }]);
    expect(await isServed('a')).to.equal(true);
    await ready();
    expect(await deployment.deadLetters()).to.deep.equal([]);
    const check = await cli(deployment, ['verify', '--self']);
    expect(check.json).to.include({ items: 1, states: 1 }).and.to.deep.include({ disagreements: [] });
    const status = await cli(deployment, ['status']);
    expect((status.json.generations as object[])[0]).not.to.have.any.keys('findings', 'trouble');
  });

  it('a template for another mode of the index does not prevent the start', async () => {
    await withTemplate({ settings: { mode: 'lookup' } });
    await start();
    await deployment.publish([{ key: 'a', value: listing('a', 1) }]);
    expect(await isServed('a')).to.equal(true);
    await ready();
  });

  for (const [effect, foreign, named] of [
    ['required routing', { mappings: { _routing: { required: true } } }, '_routing.required is true'],
    [
      'a part of _source',
      { mappings: { _source: { excludes: ['state'] } } },
      '_source.excludes is ["state"]',
    ],
    [
      'a runtime field in place of a field',
      { mappings: { runtime: { hidden: { type: 'long' } } } },
      'a runtime field hides hidden',
    ],
  ] as const)
    it(`a template that adds ${effect} is named, and the projector starts as soon as it is gone`, async () => {
      await withTemplate(foreign as never, 'states-*');
      const started = start();
      await eventually('the projector has tried', () =>
        deployment.client.indices.exists({ index: registryIndex(deployment.prefix) }),
      );
      const unused = generationNames(deployment.prefix, 7);
      const direct = createIndices(
        deployment.client,
        { INDEX_PREFIX: deployment.prefix, INDEX_SHARDS: 1, INDEX_REPLICAS: '0-1' },
        unused,
        versionsWith(RULES),
        'building',
      );
      const refusal = await direct.catch(({ message }: Error) => message);
      expect(refusal)
        .to.include(named)
        .and.to.include('an index template changes the new index')
        .and.to.include('_index_template');
      expect(await deployment.client.indices.exists({ index: unused.states })).to.equal(false);
      await withoutTemplate();
      await started;
      await deployment.publish([{ key: 'a', value: listing('a', 1) }]);
      expect(await isServed('a')).to.equal(true);
      await ready();
    });

  it('elasticsearch#62527: a template for data streams is named, and its removal is enough for the rebuild', async () => {
    await start();
    await ready();
    await deployment.client.indices.putIndexTemplate({
      name: template(),
      index_patterns: [`${deployment.prefix}-*`],
      priority: 1_000,
      data_stream: {},
    });
    const { code, output } = await cli(deployment, ['replay']);
    expect(code).to.equal(1);
    expect(output)
      .to.include(`an index template prevents the new index ${deployment.prefix}-changes-2`)
      .and.to.include(template())
      .and.to.include('GET _index_template');
    await withoutTemplate();
    expect((await cli(deployment, ['replay', 'resume'])).json).to.deep.include({ generation: 2 });
  });

  it('a first switch creates no index that readers of the changes would have to wait for', async () => {
    await start();
    await ready();
    // The shard of a new history would never start.
    await withTemplate(
      { settings: { 'index.routing.allocation.require._name': 'no-node' } },
      'changes-history',
    );
    for (const command of [['replay'], ['verify', '2'], ['switch', '2']]) {
      const { code, output } = await cli(deployment, command);
      expect(code, output).to.equal(0);
    }
    const { transitions } = await readChangesHistory(deployment.client, deployment.prefix);
    expect(transitions.map(({ generation }) => generation)).to.deep.equal([2]);
  });

  it('a template that gives the alias of the readers to an index under construction is refused', async () => {
    await start();
    await ready();
    await withTemplate({ aliases: { [`${deployment.prefix}-items`]: {} } }, 'items-*');
    const { code, output } = await cli(deployment, ['replay']);
    expect(code).to.equal(1);
    expect(output).to.include(`the alias ${deployment.prefix}-items belongs to another index`);
    await withoutTemplate();
    expect((await cli(deployment, ['replay', 'resume'])).json).to.deep.include({ generation: 2 });
  });

  it('refresh_interval -1 on the items: status and the projector name it and a command that works', async () => {
    await start();
    await ready();
    const { items } = generationNames(deployment.prefix, 1);
    await deployment.client.indices.putSettings({ index: items, settings: { refresh_interval: '-1' } });
    const message = await reason(/refresh_interval/);
    expect(message).to.include(
      `the index ${items} has other settings than Vitrine requires: index.refresh_interval is -1, but Vitrine ` +
        'requires 1s',
    );
    const status = await cli(deployment, ['status']);
    expect((status.json.generations as { findings: string[] }[])[0]?.findings).to.deep.equal([message]);
    await runCommandOf(message);
    await ready();
    const after = await deployment.client.indices.getSettings({ index: items, flat_settings: true });
    expect(after[items]?.settings).to.include({ 'index.refresh_interval': '1s' });
  });

  it('a limit or a pipeline that would damage documents stops the consumer until the command runs', async () => {
    await start();
    await ready();
    const { items, states } = generationNames(deployment.prefix, 1);
    for (const [index, settings] of [
      [items, { 'mapping.nested_objects.limit': 1 }],
      [states, { default_pipeline: 'missing' }],
    ] as const) {
      await deployment.client.indices.putSettings({ index, settings });
      const message = await reason(new RegExp(`the index ${index} has other settings`));
      await eventually('the consumer has stopped', async () => {
        const { members } = await deployment.admin.describeGroup(deployment.groupId);
        return members.length === 0;
      });
      await deployment.publish([{ key: index, value: listing(index, 1) }]);
      await runCommandOf(message);
      await ready();
      expect(await isServed(index)).to.equal(true);
    }
    expect(await deployment.deadLetters()).to.deep.equal([]);
  });

  it('a lost _meta is named with its version, and replay --from states works', async () => {
    await start();
    await deployment.publish([{ key: 'a', value: listing('a', 1) }]);
    expect(await isServed('a')).to.equal(true);
    const { states, items } = generationNames(deployment.prefix, 1);
    for (const index of [states, items]) await deployment.client.indices.putMapping({ index, _meta: {} });
    const message = await reason(new RegExp(`the mapping of the index ${items} no longer names its version`));
    expect(message).not.to.include('NaN');
    const replayed = await cli(deployment, ['replay', '--from', 'states']);
    expect(replayed.json).to.deep.include({ generation: 2 });
    expect([...(await deployment.items(2)).keys()]).to.deep.equal(['a']);
    await runCommandOf(message);
    await runCommandOf(await reason(new RegExp(`the mapping of the index ${states} no longer`)));
    await ready();
  });

  it('a lost _meta together with a lost registry: the fields identify the version', async () => {
    await start();
    await ready();
    await projector?.stop();
    const { items } = generationNames(deployment.prefix, 1);
    await deployment.client.indices.putMapping({ index: items, _meta: {} });
    await deployment.client.indices.delete({ index: registryIndex(deployment.prefix) });
    await start();
    await reason(/no longer names its version, which is 4/);
    expect((await registryOf(deployment)).generations[0]?.versions).to.include({ items: 4, changes: 2 });
  });

  it('an index that was deleted and created again is named by status and stops the writer', async () => {
    await start();
    await deployment.publish([{ key: 'a', value: listing('a', 1) }]);
    expect(await isServed('a')).to.equal(true);
    const { client, prefix } = deployment;
    const { items, states } = generationNames(prefix, 1);
    const body = (await client.indices.get({ index: items }))[items];
    const mappings = body?.mappings as estypes.MappingTypeMapping;
    await client.indices.delete({ index: items });
    await client.indices.create({ index: items, mappings, aliases: body?.aliases ?? {} });
    const message = await reason(/is not the one that Vitrine created/);
    expect(message).to.include(items).and.to.include('A replaced index');
    const status = await cli(deployment, ['status']);
    // The projector names the generation if its consumer has noticed the index first.
    const finding = message.replace(/^generation 1: /, '');
    expect((status.json.generations as { findings: string[] }[])[0]?.findings?.[0]).to.equal(finding);
    const check = await cli(deployment, ['verify', '--self']);
    expect(check.output).to.include('is not the one that Vitrine created');
    // This is the repair that the runbook describes.
    await client.indices.delete({ index: [items, states] });
    expect((await cli(deployment, ['replay'])).json).to.deep.include({ generation: 2 });
    expect((await cli(deployment, ['switch'])).code).to.equal(0);
    expect((await deployment.items()).has('a')).to.equal(true);
  });

  it('a registry of version 1.1.0 has no identities of the indices and is completed', async () => {
    await start();
    await ready();
    await projector?.stop();
    const { index_ids, ...record } = (await registryOf(deployment)).generations[0] ?? expect.fail();
    expect(index_ids).to.have.all.keys('states', 'items', 'changes');
    const registry = { ...(await registryOf(deployment)), generations: [record] };
    await deployment.client.index({
      index: registryIndex(deployment.prefix),
      id: 'registry',
      document: { registry },
    });
    await start();
    await ready();
    await eventually('the record is complete', async () => {
      const [first] = (await registryOf(deployment)).generations;
      return JSON.stringify(first?.index_ids) === JSON.stringify(index_ids);
    });
  });
});
