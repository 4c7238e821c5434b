// Prints every item of a feed, one JSON document per line:
// node crawl-by-cursor.mjs http://localhost:8080/api/public-feed
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 10;

for await (const item of crawl(process.argv[2])) console.log(JSON.stringify(item));

async function* crawl(feed) {
  for (let cursor = '*'; cursor !== undefined; ) {
    const { data, meta } = await get(`${feed}?pageSize=100&cursor=${encodeURIComponent(cursor)}`);
    yield* data;
    cursor = meta.nextCursor; // The last page has none.
  }
}

async function get(url) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url);
    if (response.ok) return response.json();
    const retryable = response.status === 429 || response.status === 503;
    if (!retryable || attempt === ATTEMPTS)
      throw new Error(`${url}: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
    await sleep(1_000 * Number(response.headers.get('retry-after')));
  }
}
