// Prints every item of a feed, one JSON document per line, with types that openapi-typescript generates:
// npx openapi-typescript http://localhost:8080/api/openapi.json -o schema.ts
// node openapi-fetch.ts http://localhost:8080/api page
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Feed = components['schemas']['AgentFeedResponse'];
type Query = NonNullable<paths['/ai-feed']['get']['parameters']['query']>;

const [baseUrl = '', way = 'cursor'] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
const crawls: Record<string, () => AsyncGenerator<Feed>> = { page: byPage, cursor: byCursor, link: byLink };

for await (const { data } of crawls[way]?.() ?? [])
  for (const item of data) console.log(JSON.stringify(item));

async function read(query: Query): Promise<Feed> {
  const { data, error, response } = await client.GET('/ai-feed', { params: { query } });
  if (!data) throw new Error(`${response.status}: ${error?.detail}`);
  return data;
}

async function* byPage(): AsyncGenerator<Feed> {
  for (let page = 1, pageCount = 1; page <= pageCount; page++) {
    const feed = await read({ page, pageSize: 7 });
    yield feed;
    pageCount = feed.meta.pageCount;
  }
}

async function* byCursor(): AsyncGenerator<Feed> {
  for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
    const feed = await read({ cursor, pageSize: 7 });
    yield feed;
    cursor = feed.meta.nextCursor;
  }
}

async function* byLink(): AsyncGenerator<Feed> {
  for (let url: string | undefined = `${baseUrl}/ai-feed?pageSize=7`; url !== undefined; ) {
    const response: Response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    yield (await response.json()) as Feed;
    const target = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    url = target && new URL(target, url).href;
  }
}
