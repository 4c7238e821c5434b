import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@elastic/elasticsearch';
import {
  CHANGES_MAPPING_VERSION,
  CURRENT_ITEMS,
  generationNames,
  itemsAlias,
  itemsIndexBody,
} from '@vitrine/feed-index';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { RULES } from '@vitrine/listing';
import type { ListingEvent } from '@vitrine/listing-events';
import { Projection } from '@vitrine/projection';
import {
  createIndices,
  documentRules,
  ensureFirstGeneration,
  moveAliases,
  readRegistry,
  readRoles,
  updateRegistry,
  versionsWith,
} from '@vitrine/projection/generations';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { startQuery } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

/**
 * Two addresses of one Elasticsearch stand in for two nodes. A client sends its first request to the first
 * address, and its next request to the second.
 */
describe('several nodes of Elasticsearch', () => {
  const prefix = `several-${process.pid}`;
  const settings = { INDEX_PREFIX: prefix, INDEX_SHARDS: 2, INDEX_REPLICAS: '0' };
  let real: string;
  let proxy: FaultProxy;
  let direct: Client;
  const clients: Client[] = [];
  const clientOf = (...nodes: string[]): Client => {
    const client = createElasticsearch({ url: nodes.join(','), requestTimeout: 60_000, maxRetries: 0 });
    clients.push(client);
    return client;
  };
  /** Makes the proxy drop the response to the next request. */
  const loseAnAnswer = () => {
    let lost = false;
    proxy.hook = (_, moment) => {
      if (moment === 'before' || lost) return 'pass';
      lost = true;
      return 'cut';
    };
    return () => lost;
  };

  before(async () => {
    real = (await engines()).settings.ELASTICSEARCH_URL;
    proxy = await startFaultProxy(real);
    direct = clientOf(real);
    await ensureFirstGeneration(direct, settings, versionsWith(RULES), async () => 0);
  });
  after(async () => {
    await direct.indices.delete({ index: Object.keys(await direct.indices.get({ index: `${prefix}-*` })) });
    await Promise.all(clients.map((client) => client.close()));
    await proxy.close();
  });

  it('the indices have as many shards and replicas as the settings demand', async () => {
    for (const index of [generationNames(prefix, 1).states, generationNames(prefix, 1).items]) {
      const found = (await direct.indices.getSettings({ index }))[index]?.settings?.index;
      expect(found, index).to.include({
        number_of_shards: '2',
        number_of_replicas: '0',
        auto_expand_replicas: 'false',
      });
    }
  });

  it('an unreachable node makes no requests fail', async () => {
    const client = clientOf('http://127.0.0.1:9', real, 'http://127.0.0.1:9');
    for (let i = 0; i < 10; i++) expect(await readRegistry(client, prefix)).to.have.property('last', 1);
  });

  it('a client uses a recovered node again, even if the client only reads streams', async () => {
    const node = createServer((_, response) =>
      response.writeHead(200, { 'x-elastic-product': 'Elasticsearch' }).end('{}'),
    );
    let asked = 0;
    node.on('request', ({ method }) => method === 'GET' && asked++);
    await once(node.listen(0, '127.0.0.1'), 'listening');
    const { port } = node.address() as AddressInfo;
    await new Promise((resolve) => node.close(resolve));
    const client = clientOf(`http://127.0.0.1:${port}`, real);
    const search = () =>
      client.transport
        .request<NodeJS.ReadableStream>({ method: 'GET', path: '/_cat/indices' }, { asStream: true })
        .then((body) => body.resume());
    await Promise.all(Array.from({ length: 20 }, search));
    await once(node.listen(port, '127.0.0.1'), 'listening');
    try {
      for (
        const deadline = Date.now() + 60_000;
        asked === 0 && Date.now() < deadline;
        await new Promise((resolve) => setTimeout(resolve, 50))
      )
        await search();
      expect(asked).to.be.above(0);
    } finally {
      node.closeAllConnections();
      node.close();
    }
  });

  it('states and items are written once if a node dies after the writes but before its response', async () => {
    const fields = { title: 'Casa', price: 1, location: { city: 'Recife' }, url: 'https://a.example/' };
    const event: ListingEvent = { kind: 'changed', id: 'a', version: 1, time: 0, fields };
    const client = clientOf(real, proxy.url);
    const lost = loseAnAnswer();
    // The projection reads the states through one address and writes them through the other address.
    const projected = await new Projection({
      client,
      generation: generationNames(prefix, 1),
      rules: documentRules(versionsWith(RULES), RULES),
      changesMapping: CHANGES_MAPPING_VERSION,
    }).apply(new Map([['a', [event]]]));
    expect(lost(), 'a response was lost').to.equal(true);
    expect([...projected.visible]).to.deep.equal(['a']);
    const state = await direct.get({ index: generationNames(prefix, 1).states, id: 'a' });
    const item = await direct.get({ index: generationNames(prefix, 1).items, id: 'a' });
    expect(item._version).to.equal(state._version);
  });

  it('a change of the registry takes effect once if a node dies after the change but before its response', async () => {
    const client = clientOf(real, proxy.url);
    const lost = loseAnAnswer();
    let changes = 0;
    const changed = await updateRegistry(client, prefix, (registry) => ({
      ...registry,
      last: registry.last + ++changes,
    }));
    expect(lost(), 'a response was lost').to.equal(true);
    expect([changes, changed.last, (await readRegistry(direct, prefix))?.last]).to.deep.equal([1, 2, 2]);
  });

  it('a switch succeeds if a node dies after it moved the aliases but before its response', async () => {
    await createIndices(direct, settings, generationNames(prefix, 2), versionsWith(RULES), 'building');
    const lost = loseAnAnswer();
    await moveAliases(clientOf(proxy.url, real), prefix, 1, 2, undefined);
    expect(lost(), 'a response was lost').to.equal(true);
    expect(await readRoles(direct, prefix)).to.deep.equal({ live: 2, previous: 1 });
  });

  it('the feed responds 503 while a shard is on no node, and never serves only the other shards', async () => {
    const items = generateItems(300);
    const query = await startQuery({ env: { CACHE_BYTES: '0', FEED_TODAY: TODAY }, resultWindow: 200 });
    const index = generationNames(query.prefix, 1).items;
    const answered = async (page: number, request: typeof fetchAccepted = fetch): Promise<number> => {
      const response = await request(`${query.origin}/api/public-feed?page=${page}`);
      const { meta } = (await response.json()) as { meta?: { total: number } };
      return response.status === 200 ? (meta?.total ?? 0) : response.status;
    };
    const write = (timeout: string) =>
      direct.bulk({
        index,
        timeout,
        refresh: true,
        operations: items.flatMap((item) => [{ index: { _id: item.id } }, CURRENT_ITEMS.documentOf(item)]),
      });
    try {
      const { settings: body, mappings } = itemsIndexBody();
      // The index has three shards, but the cluster may allocate only two of them.
      const limited = {
        ...body,
        number_of_shards: 3,
        max_result_window: 200,
        'routing.allocation.total_shards_per_node': 2,
      };
      await direct.indices.create({
        index,
        settings: limited,
        mappings,
        aliases: { [itemsAlias(query.prefix)]: {} },
        wait_for_active_shards: 0,
      });
      await eventually(
        'two shards',
        async () => (await direct.cluster.health({ index })).active_shards === 2,
      );
      expect((await write('100ms')).errors, 'writes to the third shard fail').to.equal(true);
      // Page 12 uses the rank index at a point in time.
      expect([await answered(1), await answered(12)]).to.deep.equal([503, 503]);
      await direct.indices.putSettings({
        index,
        settings: { 'index.routing.allocation.total_shards_per_node': 3 },
      });
      await direct.cluster.health({ index, wait_for_status: 'yellow' });
      expect((await write('10s')).errors).to.equal(false);
      expect([await answered(1, fetchAccepted), await answered(12, fetchAccepted)]).to.deep.equal([
        items.length,
        items.length,
      ]);
    } finally {
      await query.close();
    }
  });
});
