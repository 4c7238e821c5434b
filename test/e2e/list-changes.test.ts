import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);
const NOW = at('2026-11-30T12:00:00Z');
const YESTERDAY = '2026-11-29';

interface Row {
  id: string;
  state: string;
  kind?: string;
  at: string;
  price?: number;
  previous_price?: number;
}

describe('list_changes by time, kind and place', () => {
  const items = generateItems(12);
  const id = (i: number) => items[i]?.id as string;
  let service: QueryDeployment;
  let mcp: McpClient;
  const list = async (args: object) => {
    const { data, text, isError } = await mcp.call('list_changes', args);
    return { rows: (data['changes'] ?? []) as Row[], data, text, isError };
  };
  const idsOf = async (args: object) => (await list(args)).rows.map((row) => row.id);

  before(async () => {
    service = await startQuery({ env: { FEED_TODAY: TODAY } });
    mcp = await connectMcp(`${service.origin}/mcp`);
    const { elasticsearch, prefix } = service;
    await service.createIndex(items);
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    const old = NOW - 100 * HOUR;
    const [bonito, natal] = [
      ['bonito', 'bonito-ms'],
      ['natal', 'natal-rn'],
    ];
    await writeEntries(
      elasticsearch,
      prefix,
      1,
      [
        [id(0), 'updated', { times: { new: old }, city: bonito }],
        [id(1), 'updated', { times: { new: NOW - HOUR, price: NOW }, previous_price: 5, city: bonito }],
        [id(2), 'updated', { times: { new: old, price: NOW - 2 * HOUR }, previous_price: 70, city: bonito }],
        [
          id(3),
          'updated',
          { times: { new: old, price: NOW - 3 * HOUR, availability: NOW }, previous_price: 80, city: natal },
        ],
        [id(4), 'updated', { times: { other: NOW }, category: 'chale' }],
        [id(5), 'updated', { times: { price: old }, previous_price: 90, city: natal }],
        ['gone', 'deleted', { times: { removed: NOW }, city: ['bonito', 'bonito-pe'] }],
        ['long gone', 'deleted', { times: { removed: old } }],
        // A rebuild copies such an entry from a generation that 1.1.0 wrote.
        ['gone before', 'deleted'],
      ],
      NOW,
    );
  });
  after(async () => {
    await deleteChanges(service.elasticsearch, service.prefix);
    await mcp.close();
    await service.close();
  });

  it('answers what changed since yesterday with kinds, times and old prices, in one call of few tokens', async () => {
    const { rows, data, text } = await list({ since: YESTERDAY });
    expect(rows.map((row) => [row.id, row.state, row.kind, row.previous_price])).to.deep.equal([
      [id(1), 'updated', 'new', undefined],
      [id(2), 'updated', 'price', 70],
      [id(3), 'updated', 'availability', 80],
      [id(4), 'updated', 'other', undefined],
      ['gone', 'deleted', 'removed', undefined],
      ['gone before', 'deleted', 'removed', undefined],
    ]);
    expect(rows.map((row) => row.at)).to.deep.equal(
      [1, 2, 0, 0, 0, 0].map((hours) => new Date(NOW - hours * HOUR).toISOString().replace('.000', '')),
    );
    expect(data['counts']).to.deep.equal({ new: 1, price: 3, availability: 1, other: 1, removed: 2 });
    expect(text).to.include('since 2026-11-29T03:00:00Z');
    expect(text).to.match(
      new RegExp(`^${id(2)} \\| price \\| 2026-11-30T10:00:00Z \\| .* \\(before: 70\\)`, 'm'),
    );
    expect(countTokens(text) + countTokens(JSON.stringify(data))).to.be.at.most(2_500);
  });

  it('lists one kind, even if the listing has changed again in another way', async () => {
    const cheaper = await list({ kind: 'price', since: YESTERDAY });
    expect(cheaper.rows.map((row) => [row.id, row.kind, row.previous_price])).to.deep.equal([
      [id(1), 'price', 5],
      [id(2), 'price', 70],
      [id(3), 'price', 80],
    ]);
    expect(cheaper.data['counts'], 'the counts of all kinds').to.deep.equal({
      new: 1,
      price: 3,
      availability: 1,
      other: 1,
      removed: 2,
    });
    expect(await idsOf({ kind: 'price' })).to.deep.equal([1, 2, 3, 5].map(id));
    expect(await idsOf({ kind: 'new' })).to.deep.equal([0, 1, 2, 3].map(id));
    expect(await idsOf({ kind: 'removed' })).to.deep.equal(['gone', 'long gone', 'gone before']);
    expect(await idsOf({ kind: 'removed', since: YESTERDAY })).to.deep.equal(['gone', 'gone before']);
  });

  it('narrows by city, by city and state, and by category, even for removed listings', async () => {
    expect(await idsOf({ city: 'Bonito' })).to.deep.equal([id(0), id(1), id(2), 'gone']);
    expect(await idsOf({ city: 'Bonito - PE' })).to.deep.equal(['gone']);
    expect(await idsOf({ city: ['bonito/ms', 'Natal'], since: YESTERDAY })).to.deep.equal([1, 2, 3].map(id));
    expect(await idsOf({ category: 'Chalé' })).to.deep.equal([id(4)]);
    expect(await idsOf({ city: 'Nowhere' })).to.deep.equal([]);
  });

  it('continues with next_after until it is up to date, with any filter', async () => {
    const seen: string[] = [];
    let after = 0;
    for (let more = true; more; ) {
      const { rows, data } = await list({ since: YESTERDAY, kind: 'price', limit: 2, after });
      seen.push(...rows.map((row) => row.id));
      after = data['next_after'] as number;
      more = data['has_more'] as boolean;
    }
    expect(seen).to.deep.equal([1, 2, 3].map(id));
    await writeEntries(service.elasticsearch, service.prefix, 1, [
      [id(6), 'updated', { times: { price: NOW }, previous_price: 1 }],
    ]);
    let next: string[] = [];
    await eventually('the new change', async () => {
      next = await idsOf({ kind: 'price', after });
      return next.length > 0;
    });
    expect(next).to.deep.equal([id(6)]);
  });

  it('says what is wrong with a time or a kind', async () => {
    for (const since of ['yesterday', '2026-02-30', '25/11/2026']) {
      const { isError, text } = await list({ since });
      expect([isError, text], since).to.deep.equal([
        true,
        'Invalid arguments.\nsince: must be a date (YYYY-MM-DD) or a time such as 2026-11-25T08:00:00-03:00',
      ]);
    }
    const { isError, text } = await list({ kind: 'cheaper' });
    expect(isError).to.equal(true);
    expect(text).to.include('kind: must be one of new, price, availability, other, removed');
  });
});

describe('list_changes on a changes index of 1.1.0', () => {
  it('has times, and refuses kinds and places in plain words', async () => {
    const items = generateItems(3);
    const service = await startQuery({ env: { FEED_TODAY: TODAY } });
    const mcp = await connectMcp(`${service.origin}/mcp`);
    try {
      const { elasticsearch, prefix } = service;
      await service.createIndex(items);
      await createChangesIndex(elasticsearch, prefix, 1, 1, 1);
      const entries = items.map(({ id }) => [id, 'updated'] as const);
      await writeEntries(elasticsearch, prefix, 1, entries.slice(0, 1), NOW - 100 * HOUR);
      await writeEntries(elasticsearch, prefix, 1, [...entries.slice(1), ['gone', 'deleted']], NOW);
      const { data } = await mcp.call('list_changes', { since: YESTERDAY });
      expect((data['changes'] as Row[]).map(({ id, kind, at }) => [id, kind, at])).to.deep.equal([
        [items[1]?.id, undefined, '2026-11-30T12:00:00Z'],
        [items[2]?.id, undefined, '2026-11-30T12:00:00Z'],
        ['gone', 'removed', '2026-11-30T12:00:00Z'],
      ]);
      expect(data).not.to.have.property('counts');
      const removed = await mcp.call('list_changes', { since: YESTERDAY, kind: 'removed' });
      expect((removed.data['changes'] as Row[]).map(({ id }) => id)).to.deep.equal(['gone']);
      for (const args of [{ kind: 'price' }, { city: 'Natal' }, { category: 'casa' }]) {
        const refused = await mcp.call('list_changes', args);
        expect([refused.isError, refused.text]).to.deep.equal([
          true,
          'kind, city and category work for changes after the next rebuild of the index. Leave them out.',
        ]);
      }
    } finally {
      await deleteChanges(service.elasticsearch, service.prefix);
      await mcp.close();
      await service.close();
    }
  });
});
