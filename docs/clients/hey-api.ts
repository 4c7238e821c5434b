// Prints every item of a feed, one JSON document per line. The generated client validates every request and
// response: npx @hey-api/openapi-ts --file openapi-ts.config.ts node hey-api.ts http://localhost:8080/api
// page
import { client } from './generated/client.gen.ts';
import { getPublicFeed } from './generated/sdk.gen.ts';
import type { FeedResponse } from './generated/types.gen.ts';
import { zFeedResponse, zGetPublicFeedQuery } from './generated/zod.gen.ts';

const [baseUrl = '', way = 'cursor'] = process.argv.slice(2);
client.setConfig({ baseUrl });
const crawls: Record<string, () => AsyncGenerator<FeedResponse>> = {
  page: byPage,
  cursor: byCursor,
  link: byLink,
};

for await (const { data } of crawls[way]?.() ?? [])
  for (const item of data) console.log(JSON.stringify(item));

async function* byPage(): AsyncGenerator<FeedResponse> {
  for (let page = 1, pageCount = 1; page <= pageCount; page++) {
    const { data } = await getPublicFeed({ query: { page, pageSize: 7 }, throwOnError: true });
    yield data;
    pageCount = data.meta.pageCount;
  }
}

async function* byCursor(): AsyncGenerator<FeedResponse> {
  for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
    // A parsed query contains every default of the document. `page` has none, because it excludes `cursor`.
    const query = zGetPublicFeedQuery.parse({ cursor, pageSize: 7 }) as { cursor: string; pageSize: number };
    const { data } = await getPublicFeed({ query, throwOnError: true });
    yield data;
    cursor = data.meta.nextCursor;
  }
}

async function* byLink(): AsyncGenerator<FeedResponse> {
  for (let url: string | undefined = `${baseUrl}/public-feed?pageSize=7`; url !== undefined; ) {
    const response: Response = await fetch(url);
    yield zFeedResponse.parse(await response.json()) as unknown as FeedResponse;
    const target = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    url = target && new URL(target, url).href;
  }
}
