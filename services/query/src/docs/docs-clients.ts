import { code, escapeHtml, inline, listing, prose } from './docs-html.ts';

/** A copy of docs/clients/crawl-by-cursor.mjs, because the images do not contain the docs folder. */
export const CRAWL_WITH_NODE = `// Prints every item of a feed, one JSON document per line:
// node crawl-by-cursor.mjs http://localhost:8080/api/public-feed
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 10;

for await (const item of crawl(process.argv[2])) console.log(JSON.stringify(item));

async function* crawl(feed) {
  for (let cursor = '*'; cursor !== undefined; ) {
    const { data, meta } = await get(\`\${feed}?pageSize=100&cursor=\${encodeURIComponent(cursor)}\`);
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
      throw new Error(\`\${url}: \${response.status} \${await response.text()}\`);
    await response.body?.cancel();
    await sleep(1_000 * Number(response.headers.get('retry-after')));
  }
}
`;

/** A copy of docs/clients/crawl-by-cursor.sh. */
export const CRAWL_WITH_CURL = `# Prints every item of a feed, one JSON document per line:
# sh crawl-by-cursor.sh http://localhost:8080/api/public-feed
set -e
cursor='*'
while [ -n "$cursor" ]; do
  # curl repeats a request after 429 and 503 and honours Retry-After.
  page=$(curl -fsS --retry 10 -G "$1" -d pageSize=100 --data-urlencode "cursor=$cursor")
  printf '%s\\n' "$page" | jq -c '.data[]'
  cursor=$(printf '%s\\n' "$page" | jq -r '.meta.nextCursor // empty')
done
`;

/** The origin in the examples if PUBLIC_URL is not set. */
const EXAMPLE_ORIGIN = 'http://localhost:8080';

const INTRODUCTION = 'Every operation is a GET request without authentication, for example:';

const CRAWL =
  'A cursor crawl misses no items while others are added and removed. It starts with ' +
  `\`cursor=*\` and continues with \`meta.nextCursor\` and the same filters. The last page has no ` +
  `\`meta.nextCursor\`. After 429 and 503, the client waits for the number of seconds ` +
  'in `Retry-After` and retries. With curl and jq:';

const LINK =
  `A crawl may also follow the \`Link\` header with \`rel="next"\` until it is absent. Its ` +
  'target is relative to the request URL and begins with the last path segment. To poll a page ' +
  `cheaply, send its \`ETag\` as \`If-None-Match\`: an unchanged page is a 304 without a body.`;

const GENERATED =
  `Generators make typed clients from openapi.json. Its \`servers\` entry is the public ` +
  'URL of this service. If the operator has not set one, the entry is only a path: a client generated ' +
  'from a saved file then needs the base URL as an option.';

const COPY =
  'To keep a complete copy, do not crawl repeatedly. Read `/export` once: each line is one item as JSON. Then ' +
  'follow the URL in its `Link` header, and the `next` of each page of changes. Store the `data` of each ' +
  '`updated` entry, and delete the listing of each `deleted` entry. An empty page means that the copy is up to ' +
  'date. After 410, start over with an export.';

/** For each generator, the call that sets the base URL of its client. */
const BASES: [generator: string, call: (base: string) => string][] = [
  ['openapi-fetch', (base) => `createClient<paths>({ baseUrl: '${base}' })`],
  ['hey-api', (base) => `client.setConfig({ baseUrl: '${base}' })`],
  ['openapi-python-client', (base) => `Client(base_url="${base}")`],
  ['openapi-generator, Java', (base) => `new ApiClient().updateBaseUri("${base}")`],
  ['openapi-generator, Go', (base) => `configuration.Servers = ServerConfigurations{{URL: "${base}"}}`],
];

/**
 * Generates the section about clients in the API reference: example requests, a complete crawl, and the base
 * URL of generated clients.
 */
export function clientsSection(basePath: string, publicUrl = EXAMPLE_ORIGIN): string {
  const base = `${publicUrl}${basePath}`;
  const requests = [
    `curl '${base}/public-feed?city=sao-paulo&pageSize=5'`,
    `curl '${base}/ai-feed/rent?date=2027-01-15&date_to=2027-01-18'`,
    `curl '${base}/public-feed?lat=-23.55&lng=-46.63&localOnly=true'`,
  ];
  const bases = BASES.map(([generator, call]) => `<li>${escapeHtml(generator)}: ${code(call(base))}</li>`);
  return [
    prose(INTRODUCTION),
    listing(requests.join('\n')),
    '<h3>Crawl</h3>',
    prose(CRAWL),
    listing(CRAWL_WITH_CURL.replaceAll(`${EXAMPLE_ORIGIN}/api`, base)),
    `<p>${inline('With Node, as `crawl-by-cursor.mjs`:')}</p>`,
    listing(CRAWL_WITH_NODE.replaceAll(`${EXAMPLE_ORIGIN}/api`, base)),
    prose(LINK),
    '<h3>Keep a copy</h3>',
    prose(COPY),
    '<h3>Generated clients</h3>',
    prose(GENERATED),
    `<ul>${bases.join('')}</ul>`,
  ].join('\n');
}
