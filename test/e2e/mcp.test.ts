import { type Item, offersOf } from '@vitrine/feed-index';
import { day, generateItems, inFeedOrder, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { connectMcp, ERAS, type McpClient, type ToolAnswer } from '../support/mcp-client.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const items = inFeedOrder(generateItems(400));
const isOpen = (item: Item, date: string) => offersOf(item).some((offer) => offer.date === date);
const isTaken = ({ calendar }: Item, on: string) =>
  calendar.some(({ date, available }) => date === on && !available);
const idsOf = (found: unknown) => (found as { id: string }[]).map(({ id }) => id);
const tokensOf = ({ text, data }: ToolAnswer) => countTokens(text) + countTokens(JSON.stringify(data));
/** The ids in the text's rows, in order. */
const textIds = (text: string) => text.split('\n').flatMap((row) => /^(\S+) \| "/.exec(row)?.[1] ?? []);

for (const era of ERAS)
  describe(`MCP, ${era === 'auto' ? '2026-07-28' : 'revisions of 2025'}`, () => {
    let deployment: QueryDeployment;
    let mcp: McpClient;

    before(async () => {
      deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
      await deployment.createIndex(items);
      mcp = await connectMcp(`${deployment.origin}/mcp`, era);
    });
    after(async () => {
      await mcp?.close();
      await deployment?.close();
    });

    it('negotiates a revision of its era', () => {
      const version = mcp.client.getNegotiatedProtocolVersion();
      expect(version).to.match(era === 'auto' ? /^2026-07-28$/ : /^2025-/);
      expect(mcp.client.getInstructions()).to.include('not instructions');
    });

    it('lists five read-only tools with flat, described arguments in at most 2,700 tokens', async () => {
      const { tools } = await mcp.client.listTools();
      expect(tools.map(({ name }) => name)).to.deep.equal([
        'search_listings',
        'get_listing',
        'check_availability',
        'list_facets',
        'list_changes',
      ]);
      for (const { name, annotations, inputSchema, description } of tools) {
        expect(annotations?.readOnlyHint, name).to.equal(true);
        expect(description, name).to.be.a('string');
        expect(JSON.stringify(inputSchema), name).not.to.match(/"(\$ref|oneOf|anyOf|allOf)"/);
        for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
          const { description = '', default: preset } = schema as { description?: string; default?: unknown };
          expect(description, `${name}.${argument}`).to.match(/\S{3}/);
          if (preset === undefined && !inputSchema.required?.includes(argument))
            expect(description, `${name}.${argument}`).to.match(/\b(No d|D)efault/);
        }
      }
      expect(countTokens(JSON.stringify(tools))).to.be.at.most(2_700);
    });

    it('searches by city and dates, with prices, the total, and neighboring stays or dates', async () => {
      const [date, dateTo] = [day(3), day(5)];
      const dates = [3, 4, 5].map(day);
      const open = items.filter((item) => dates.every((one) => isOpen(item, one)));
      const city = open[0]?.city ?? '';
      const wanted = open.filter((item) => item.city === city);
      const answer = await mcp.call('search_listings', { city, date, date_to: dateTo });
      const { data, text } = answer;
      expect(data['total']).to.equal(wanted.length);
      const shown = data['items'] as Record<string, unknown>[];
      expect(idsOf(shown)).to.deep.equal(idsOf(wanted).slice(0, shown.length));
      expect(textIds(text)).to.deep.equal(idsOf(shown));
      for (const [i, row] of shown.entries()) {
        const prices = new Map(offersOf(wanted[i] as Item).map((offer) => [offer.date, offer.price]));
        const nights = dates.map((one) => prices.get(one) ?? Number.NaN);
        const sum = Math.round(nights.reduce((a, b) => a + b, 0) * 100) / 100;
        expect(row['total_price'], String(row['id'])).to.equal(sum);
        expect(row['nights'] ?? nights.map(() => row['each_night'])).to.deep.equal(nights);
      }
      const metaOf = async (query: string) => {
        const feed = await fetchAccepted(`${deployment.origin}/api/ai-feed?city=${city}&pageSize=1&${query}`);
        return ((await feed.json()) as { meta: { availability: object[]; stays: object[] } }).meta;
      };
      const { stays } = await metaOf(`date=${date}&date_to=${dateTo}&sort=total_price`);
      expect(data['neighbouring_stays']).to.deep.equal(stays);
      const oneDate = await mcp.call('search_listings', { city, date });
      const { availability } = await metaOf(`date=${date}`);
      expect(oneDate.data['neighbouring_dates']).to.deep.equal(availability);
      expect(data['applied_filters']).to.deep.include({ date, date_to: dateTo });
      expect(data).to.include({ today: TODAY, zone: 'America/Sao_Paulo', currency: 'BRL' });
      expect(tokensOf(answer)).to.be.at.most(1_200);
    });

    it('pages through all matches with the cursor, each item once', async () => {
      const wanted = items.filter(({ ad_type }) => ad_type === 'rent');
      const found: string[] = [];
      for (let cursor: unknown, pages = 0; pages < 100; pages++) {
        const { data, text } = await mcp.call('search_listings', {
          ad_type: 'rent',
          limit: 20,
          ...(cursor !== undefined && { cursor }),
        });
        found.push(...idsOf(data['items']));
        cursor = data['next_cursor'];
        if (cursor === undefined) break;
        expect(text.split('\n').at(-1)).to.equal(`next_cursor: ${String(cursor)}`);
      }
      expect(found).to.deep.equal(idsOf(wanted));
    });

    it('includes both limits when it compares prices', async () => {
      const prices = items.map(({ feed_item }) => feed_item.price).sort((a, b) => a - b);
      const [min_price = 0, max_price = 0] = [prices[50], prices[90]];
      const wanted = items.filter(({ feed_item: { price } }) => price >= min_price && price <= max_price);
      const { data } = await mcp.call('search_listings', { min_price, max_price });
      expect(data['total']).to.equal(wanted.length);
      expect(idsOf(data['items'])).to.deep.equal(idsOf(wanted).slice(0, idsOf(data['items']).length));
    });

    it('says which filter emptied a result, and suggests a city for a typing error', async () => {
      const city = items[0]?.city ?? '';
      const inCity = items.filter((item) => item.city === city);
      const cheap = await mcp.call('search_listings', { city, max_price: 0 });
      expect(cheap.isError).to.equal(false);
      expect(cheap.data).to.deep.include({
        total: 0,
        items: [],
        without: [
          { filter: 'max_price', total: inCity.length },
          { filter: 'city', total: 0 },
        ],
      });
      const typo = await mcp.call('search_listings', {
        city: `${city.slice(0, -1)}${city.endsWith('x') ? 'y' : 'x'}`,
      });
      const { suggestions } = typo.data as { suggestions: { city: object[] } };
      expect(suggestions.city[0]).to.deep.include({ value: city, count: inCity.length });
      expect(typo.text).to.include(city);
    });

    it('finds a sub-category that was given as a category, and says that a city does not exist', async () => {
      const { sub_category = '', category } = items.find((one) => one.sub_category && one.category) as Item;
      const mistaken = await mcp.call('search_listings', { category: sub_category });
      const { suggestions } = mistaken.data as { suggestions: Record<string, { value: string }[]> };
      expect(category).not.to.equal(sub_category);
      expect(suggestions['sub_category']?.map(({ value }) => value)).to.include(sub_category);
      expect(mistaken.text).to.include('Set sub_category instead');
      const facet = await mcp.call('list_facets', { facet: 'category', query: sub_category });
      expect(facet.data['suggestions']).to.have.property('sub_category');
      const nowhere = await mcp.call('search_listings', { city: 'Xyzzyville' });
      expect(nowhere.data['suggestions']).to.deep.equal({ city: [] });
      expect(nowhere.text).to.include('No such city in the whole market');
    });

    it('tells on which dates a listing is available, and when else', async () => {
      const item = items.find((one) => isTaken(one, day(10)) && isOpen(one, day(11))) as Item;
      const { data, text } = await mcp.call('check_availability', {
        id: item.id,
        date: day(10),
        date_to: day(11),
      });
      expect(data).to.deep.include({
        id: item.id,
        available: false,
        unavailable_dates: [day(10)],
        unknown_dates: [],
      });
      expect(text).to.include(day(10));
      expect(data).not.to.have.property('total_price');
      const open = offersOf(item);
      const starts = open.filter(
        ({ date }, i) => date > day(10) && open[i + 1] && dayAfter(date) === open[i + 1]?.date,
      );
      const [first] = starts;
      const { nearest } = data as { nearest: { after?: { from: string } } };
      expect(nearest.after?.from).to.equal(first?.date);
      const past = await mcp.call('check_availability', { id: item.id, date: day(-1) });
      expect(past.data).to.deep.include({ available: false, unavailable_dates: [day(-1)] });
    });

    it('returns a listing whose calendar, as ranges, has the same dates', async () => {
      const item = items.find(({ calendar }) => calendar.length > 20) as Item;
      const { data } = await mcp.call('get_listing', { id: item.id });
      const ranges = data['calendar'] as { from: string; to: string; available: boolean; price: number }[];
      const days = ranges.flatMap(({ from, to, available, price }) => {
        const dates: object[] = [];
        for (let date = from; date <= to; date = dayAfter(date)) dates.push({ date, available, price });
        return dates;
      });
      const expected = item.calendar.filter(({ date }) => date >= TODAY && date < day(90));
      expect(days).to.deep.equal(data['truncated'] ? expected.slice(0, days.length) : expected);
      expect(days.length).to.be.above(0);
      expect(data).to.deep.include({ id: item.id, title: item.feed_item.title, url: item.feed_item.url });
      const unknown = await mcp.call('get_listing', { id: 'no-such-listing' });
      expect(unknown.isError).to.equal(true);
      expect(unknown.text).to.include('no-such-listing');
    });

    it('counts the values of a facet, most frequent first', async () => {
      const counts = new Map<string, number>();
      for (const { city = '' } of items) counts.set(city, (counts.get(city) ?? 0) + 1);
      const expected = [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
      const { data } = await mcp.call('list_facets', { facet: 'city', limit: 100 });
      const values = data['values'] as { value: string; label: string; count: number }[];
      expect(values.map(({ value, count }) => ({ value, count }))).to.deep.equal(
        expected.slice(0, values.length),
      );
      const [first] = values;
      const label = items.find(({ city }) => city === first?.value)?.labels.city;
      expect(first?.label).to.equal(label);
      const { data: some } = await mcp.call('list_facets', {
        facet: 'city',
        query: first?.label.slice(0, 4),
      });
      expect(some['values']).to.deep.include(first);
    });

    it('reads resources, the template and the prompt', async () => {
      const { resources } = await mcp.client.listResources();
      expect(resources.map(({ uri }) => uri).sort()).to.deep.equal(['feeds://categories', 'feeds://cities']);
      const { contents } = await mcp.client.readResource({ uri: 'feeds://cities' });
      expect(JSON.parse((contents[0] as { text: string }).text)).to.have.nested.property('values[0].count');
      const one = await mcp.client.readResource({ uri: `feeds://listing/${items[0]?.id}` });
      expect(JSON.parse((one.contents[0] as { text: string }).text)).to.include({ id: items[0]?.id });
      const unknown = await mcp.client
        .readResource({ uri: 'feeds://listing/no-such-listing' })
        .catch((error: { code?: number }) => error.code);
      expect(unknown).to.equal(-32_602);
      const { messages } = await mcp.client.getPrompt({
        name: 'plan_a_stay',
        arguments: { city: 'Curitiba', date: day(1), date_to: day(2) },
      });
      const prompt = JSON.stringify(messages);
      for (const part of ['Curitiba', 'search_listings', 'sort total_price', 'only from neighbouring_stays'])
        expect(prompt).to.include(part);
      expect(prompt).not.to.match(/neighbouring_dates|nights 3/);
      const flexible = await mcp.client.getPrompt({
        name: 'plan_a_stay',
        arguments: { city: 'Curitiba', date: day(1), date_to: day(9), nights: '3' },
      });
      expect(JSON.stringify(flexible.messages)).to.match(/a stay of .{0,3}3.{0,3} nights.*date_to, nights/);
    });

    it('names every malformed argument', async () => {
      const { isError, text } = await mcp.call('search_listings', {
        city: 7,
        date: '2026-02-30',
        limit: 'many',
        guests: 4,
        detail: 'all',
        max_price: -1,
      });
      expect(isError).to.equal(true);
      for (const name of ['city', 'date', 'limit', 'guests', 'detail', 'max_price'])
        expect(text).to.include(name);
      const rules = await mcp.call('search_listings', {
        date_to: day(1),
        lat: 1,
        cursor: 'x',
        min_price: 2,
        max_price: 1,
      });
      expect(rules.isError).to.equal(true);
      for (const name of ['date_to', 'lat', 'lng', 'min_price']) expect(rules.text).to.include(name);
    });
  });

describe('MCP on other indices', () => {
  const withService = async (work: (mcp: McpClient, service: QueryDeployment) => Promise<void>) => {
    const service = await startQuery({ env: { FEED_TODAY: TODAY } });
    const mcp = await connectMcp(`${service.origin}/mcp`);
    try {
      await service.createIndex(items);
      await work(mcp, service);
    } finally {
      await mcp.close();
      await service.close();
    }
  };

  it('lists changes in the order of their numbers, and continues', () =>
    withService(async (mcp, { elasticsearch, prefix }) => {
      const none = await mcp.call('list_changes');
      expect([none.isError, none.text]).to.deep.equal([
        true,
        'Changes are available after the next rebuild of the index.',
      ]);
      await createChangesIndex(elasticsearch, prefix, 1, 1);
      const known = items.slice(0, 12).map(({ id }) => id);
      await writeEntries(elasticsearch, prefix, 1, [
        ...known.map((id) => [id, 'updated'] as const),
        ['gone', 'deleted'] as const,
      ]);
      try {
        const seen: string[] = [];
        for (let after = 0, more = true; more; ) {
          const { data } = await mcp.call('list_changes', { after, limit: 5 });
          for (const { id, state } of data['changes'] as { id: string; state: string }[])
            seen.push(`${id} ${state}`);
          after = data['next_after'] as number;
          more = data['has_more'] as boolean;
        }
        expect(seen).to.deep.equal([...known.map((id) => `${id} updated`), 'gone deleted']);
      } finally {
        await deleteChanges(elasticsearch, prefix);
      }
    }));
});

const dayAfter = (date: string): string => new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
