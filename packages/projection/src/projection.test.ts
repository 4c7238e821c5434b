import { mock } from 'node:test';
import type { Client } from '@elastic/elasticsearch';
import { generationNames, ITEM_MAPPING_VERSION } from '@vitrine/feed-index';
import { RULES } from '@vitrine/listing';
import { expect } from 'chai';
import { documentRules } from './generations/generation-versions.ts';
import { FENCE_HOLDS_MS } from './limits.ts';
import { Projection } from './projection.ts';
import { ElasticsearchUnavailableError } from './store/elasticsearch-unavailable.ts';

describe('projection', () => {
  afterEach(() => mock.restoreAll());

  it('writes no item if the process was suspended after it wrote the state', async () => {
    const generation = generationNames('p', 1);
    const written: unknown[] = [];
    const client = {
      mget: async () => ({ docs: [{ _id: 'a', found: false }] }),
      transport: {
        request: async ({ bulkBody }: { bulkBody: Buffer }) => {
          const action = JSON.parse(bulkBody.toString().split('\n')[0] ?? '');
          written.push((action.create ?? action.delete)._index);
          const wakesAt = Date.now() + FENCE_HOLDS_MS + 1;
          mock.method(Date, 'now', () => wakesAt);
          return { items: [{ create: { status: 201, _version: 1, _seq_no: 0, _primary_term: 1 } }] };
        },
      },
    } as unknown as Client;
    const rules = documentRules({ items: ITEM_MAPPING_VERSION }, RULES);
    const projection = new Projection({ client, generation, rules, changesMapping: undefined });
    const removal = new Map([['a', [{ kind: 'removed', id: 'a', version: 1 } as const]]]);
    const outcome = await projection.apply(removal).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(ElasticsearchUnavailableError);
    expect(written).to.deep.equal([generation.statesWriter]);
  });

  it('writes the entry of an item that another writer has already written, because that writer may end', async () => {
    const generation = generationNames('p', 1);
    const written: unknown[] = [];
    const client = {
      mget: async () => ({ docs: [{ _id: 'a', found: false }] }),
      transport: {
        request: async ({ bulkBody }: { bulkBody: Buffer }) => {
          const { _index } = Object.values(JSON.parse(bulkBody.toString().split('\n')[0] ?? ''))[0] as {
            _index: string;
          };
          written.push(_index);
          const conflict = { status: 409, error: { type: 'version_conflict_engine_exception' } };
          const done = { status: 201, _version: 1, _seq_no: 0, _primary_term: 1 };
          return { items: [{ index: _index === generation.itemsWriter ? conflict : done }] };
        },
      },
    } as unknown as Client;
    const rules = documentRules({ items: ITEM_MAPPING_VERSION }, RULES);
    const projection = new Projection({ client, generation, rules, changesMapping: 2 });
    const fields = { title: 'Casa', price: 1, location: { city: 'Natal' }, url: 'https://vitrine.example/a' };
    const event = { kind: 'changed', id: 'a', version: 1, time: 0, fields } as const;
    const { visible } = await projection.apply(new Map([['a', [event]]]));
    expect([...visible]).to.deep.equal(['a']);
    expect(written).to.deep.equal([
      generation.statesWriter,
      generation.itemsWriter,
      generation.changesWriter,
    ]);
  });
});
