import type { Item } from '@vitrine/feed-index';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { connectMcp, type McpClient, type ToolAnswer } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const items = generateItems(60);
/** An item whose calendar has one taken date, one gap, and an end. */
const known: Item = {
  ...(items[0] as Item),
  id: 'known',
  calendar: [2, 3, 4, 6, 7].map((n) => ({ date: day(n), available: n !== 4, price: 100 + n })),
};
const without: Item = { ...(items[1] as Item), id: 'without', calendar: [] };
const market = [known, without, ...items].map((item) => ({
  ...item,
  feed_item: { ...item.feed_item, id: item.id },
}));
const tokensOf = ({ text, data }: ToolAnswer) => countTokens(text) + countTokens(JSON.stringify(data));

describe('MCP: calendars and several listings by id', () => {
  let deployment: QueryDeployment;
  let mcp: McpClient;

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(market);
    mcp = await connectMcp(`${deployment.origin}/mcp`);
  });
  after(async () => {
    await mcp?.close();
    await deployment?.close();
  });
  const check = (id: string, date: string, date_to: string) =>
    mcp.call('check_availability', { id, date, date_to });

  it('never call a date in a gap or after the end of a calendar unavailable', async () => {
    const { data, text } = await check('known', day(3), day(9));
    expect(data).to.deep.include({
      available: false,
      unavailable_dates: [day(4)],
      unknown_dates: [day(5), day(8), day(9)],
      calendar_until: day(7),
      nearest: {},
    });
    expect(text).to.include(
      `Taken or past: ${day(4)}\nUnknown, neither free nor taken: ${day(5)}, ${day(8)}`,
    );
  });

  it('say in words that a calendar ends before the requested dates', async () => {
    const { data, text } = await check('known', day(20), day(26));
    expect(data).to.deep.include({ available: false, unavailable_dates: [], calendar_until: day(7) });
    expect(data['unknown_dates']).to.deep.equal([20, 21, 22, 23, 24, 25, 26].map(day));
    expect(text).to.include(`calendar known until ${day(7)}`);
    expect(text)
      .to.include('it is unknown whether it is free')
      .and.not.to.match(/not available|Taken/);
    const nothing = await check('without', day(20), day(20));
    expect(nothing.data).to.deep.include({ unavailable_dates: [], unknown_dates: [day(20)] });
    expect(nothing.data).not.to.have.property('calendar_until');
    expect(nothing.text).to.include('nobody knows which dates are free');
    const whole = await mcp.call('get_listing', { id: 'known', date: day(6), date_to: day(8) });
    expect(whole.data).to.deep.include({ available: false, unknown_dates: [day(8)], calendar_until: day(7) });
  });

  it('are taken, past or unknown as the stored calendar says, for random stays', async () => {
    for (const [i, item] of items.slice(0, 30).entries()) {
      const [first, last] = [i - 8, i - 8 + (i % 5)];
      const { data } = await check(item.id, day(first), day(last));
      const [taken, unknown]: [string[], string[]] = [[], []];
      for (let n = first; n <= last; n++) {
        const entry = item.calendar.find(({ date }) => date === day(n));
        if (n < 0 || entry?.available === false) taken.push(day(n));
        else if (!entry) unknown.push(day(n));
      }
      const until = item.calendar.at(-1)?.date;
      expect(data, item.id).to.deep.include({
        available: taken.length + unknown.length === 0,
        unavailable_dates: taken,
        unknown_dates: unknown,
        ...(until && { calendar_until: until }),
      });
    }
  });

  it('come with several ids in one answer, which names unknown ids without failing', async () => {
    const ids = ['known', 'item-7', 'no-such-listing', 'without'];
    for (const tool of ['get_listing', 'check_availability']) {
      const stay = { date: day(2), date_to: day(3) };
      const answer = await mcp.call(tool, { id: ids.join(','), ...stay });
      const { items: found, unknown_ids } = answer.data as { items: { id: string }[]; unknown_ids: string[] };
      expect(found.map(({ id }) => id)).to.deep.equal(['known', 'item-7', 'without']);
      expect(unknown_ids).to.deep.equal(['no-such-listing']);
      for (const id of ids) expect(answer.text, tool).to.include(id);
      expect(answer.data).not.to.have.property('left_out_ids');
      for (const id of ['known', 'item-7', 'without']) {
        const alone = await mcp.call(tool, { id, ...stay });
        const { as_of: _, today: __, zone: ___, ...members } = alone.data;
        expect(found.find((one) => one.id === id)).to.deep.equal(members);
      }
    }
    const none = await mcp.call('get_listing', { id: 'nobody,nothing' });
    expect(none.isError).to.equal(true);
    expect(none.text).to.include('nobody').and.to.include('nothing');
    const many = await mcp.call('get_listing', { id: Array.from({ length: 11 }, (_, i) => i).join(',') });
    expect([many.isError, many.text]).to.deep.equal([
      true,
      'Invalid arguments.\nid: must contain at most 10 ids',
    ]);
  });

  it('fit into 4,000 tokens for ten ids, and an answer names every id that it leaves out', async () => {
    const ids = items.slice(0, 10).map(({ id }) => id);
    for (const tool of ['get_listing', 'check_availability'])
      for (const length of [1, 3, 31]) {
        const stay = { date: day(4), date_to: day(3 + length) };
        const answer = await mcp.call(tool, { id: ids.join(','), ...stay });
        const { items: found, left_out_ids = [] } = answer.data as {
          items: { id: string }[];
          left_out_ids?: string[];
        };
        expect(tokensOf(answer), `${tool} ${length}`).to.be.at.most(4_000);
        expect([...found.map(({ id }) => id), ...left_out_ids]).to.deep.equal(ids);
        if (length <= 3) expect(left_out_ids).to.deep.equal([]);
      }
    const all = await mcp.call('get_listing', { id: ids.join(',') });
    expect(tokensOf(all)).to.be.at.most(4_000);
    expect(all.data['items']).to.have.length(10);
  });
});
