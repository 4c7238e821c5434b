import type { Client } from '@elastic/elasticsearch';
import { removeAliases } from '@vitrine/projection/generations';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';

describe('removed aliases', () => {
  const index = `removed-aliases-${process.pid}`;
  const named = (...names: string[]) => names.map((name) => ({ index, alias: `${index}-${name}` }));
  let client: Client;
  const left = async () => Object.keys((await client.indices.getAlias({ index }))[index]?.aliases ?? {});

  before(async () => {
    const { ELASTICSEARCH_URL: url } = (await engines()).settings;
    client = createElasticsearch({ url, requestTimeout: 60_000, maxRetries: 0 });
    await client.indices.create({ index });
  });
  beforeEach(async () => {
    await client.indices.updateAliases({ actions: named('a', 'b').map((add) => ({ add })) });
  });
  after(async () => {
    await client.indices.delete({ index });
    await client.close();
  });

  it('a second removal of all of them succeeds, as when two builders end a phase', async () => {
    await removeAliases(client, named('a', 'b'));
    expect(await left()).to.deep.equal([]);
    await removeAliases(client, named('a', 'b'));
    expect(await left()).to.deep.equal([]);
  });

  it('a missing alias does not prevent the removal of the others', async () => {
    await removeAliases(client, named('a', 'c'));
    expect(await left()).to.deep.equal([`${index}-b`]);
  });

  it('a missing index is an error', async () => {
    const missing = [{ index: `${index}-missing`, alias: 'x' }];
    const outcome = await removeAliases(client, missing).catch(({ message }: Error) => message);
    expect(outcome).to.include('index_not_found_exception');
  });
});
