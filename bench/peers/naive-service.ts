/**
 * A typical first version of a query service: Koa, the client's search with `from` and `size`, objects in,
 * JSON out. It has no cache, no ETags, no parameter checks and no deep pages. Its pages of changes can miss
 * concurrent writes. Its settings are PORT, ELASTICSEARCH_URL, INDEX and CHANGES_INDEX.
 */
import { Client } from '@elastic/elasticsearch';
import { changeNumber, splitChangeNumber } from '@vitrine/feed-index';
import Koa from 'koa';

interface Item {
  feed_item: object;
  calendar: { date: string }[];
  ad_type?: string;
  published_at: number;
}

const client = new Client({ node: String(process.env['ELASTICSEARCH_URL']) });
const app = new Koa();

app.use(async (context) => {
  const query = context.query as Record<string, string | undefined>;
  if (context.path.includes('/changes')) {
    context.body = { items: await changesAfter(Number(query['afterChangeNumber']), Number(query['limit'])) };
    return;
  }
  const page = Number(query['page'] ?? 1);
  const pageSize = Number(query['pageSize'] ?? 20);
  const agent = context.path.includes('/ai-feed');
  const filter = [
    { exists: { field: 'published_at' } },
    ...['city', 'category', 'sub_category'].flatMap((name) =>
      query[name] ? [{ term: { [name]: query[name] } }] : [],
    ),
    ...(query['date'] ? [{ term: { open_dates: query['date'] } }] : []),
  ];
  const { hits } = await client.search<Item>({
    index: String(process.env['INDEX']),
    from: (page - 1) * pageSize,
    size: pageSize,
    track_total_hits: true,
    query: { bool: { filter } },
    sort: [{ published_at: 'desc' }, { id: 'asc' }],
    _source: agent ? ['feed_item', 'calendar'] : ['feed_item'],
  });
  const total = typeof hits.total === 'object' ? hits.total.value : 0;
  const data = hits.hits.flatMap(({ _source }) => {
    if (!_source) return [];
    const { feed_item, calendar } = _source;
    return agent
      ? [
          {
            ...feed_item,
            availability: calendar.filter(({ date }) => !query['date'] || date === query['date']),
          },
        ]
      : [feed_item];
  });
  const meta = {
    page,
    pageSize,
    pageCount: Math.ceil(total / pageSize),
    total,
    generatedAt: new Date().toISOString(),
  };
  context.body = { data, meta };
});

async function changesAfter(after: number, limit: number): Promise<object[]> {
  const { epoch, sequence } = splitChangeNumber(after);
  const { hits } = await client.search<{ at: number }>({
    index: String(process.env['CHANGES_INDEX']),
    size: limit,
    query: { range: { _seq_no: { gt: sequence } } },
    sort: [{ _seq_no: 'asc' }],
    track_total_hits: false,
  });
  const ids = hits.hits.map(({ _id }) => String(_id));
  const { docs } = await client.mget<Item>({ index: String(process.env['INDEX']), ids });
  const items = new Map(docs.map((doc) => [doc._id, '_source' in doc ? doc._source : undefined]));
  return hits.hits.map(({ _id: id, _source, sort }) => {
    const item = items.get(String(id));
    return {
      state: item ? 'updated' : 'deleted',
      kind: 'listing',
      id,
      modified: changeNumber(epoch, Number(sort?.[0])),
      at: new Date(_source?.at ?? 0).toISOString(),
      ...(item && {
        data: {
          ...item.feed_item,
          availability: item.calendar,
          ad_type: item.ad_type,
          published_at: new Date(item.published_at).toISOString(),
        },
      }),
    };
  });
}

app.listen(Number(process.env['PORT']), '127.0.0.1');
