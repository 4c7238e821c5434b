/**
 * A typical first version of a query service: Koa, the client's search with `from` and `size`, objects in,
 * JSON out. It has no cache, no ETags, no parameter checks and no deep pages. Its settings are PORT,
 * ELASTICSEARCH_URL and INDEX.
 */
import { Client } from '@elastic/elasticsearch';
import Koa from 'koa';

interface Item {
  feed_item: object;
  calendar: { date: string }[];
}

const client = new Client({ node: String(process.env['ELASTICSEARCH_URL']) });
const app = new Koa();

app.use(async (context) => {
  const query = context.query as Record<string, string | undefined>;
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

app.listen(Number(process.env['PORT']), '127.0.0.1');
