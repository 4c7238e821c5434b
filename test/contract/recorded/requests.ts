import { day, Random } from '@vitrine/fixtures';
import { agentRequests } from './agent-requests.ts';
import { get, type RecordedRequest } from './request.ts';

/** Number of requests with random feed parameters. */
const RANDOM_FEED_REQUESTS = 230;
const FEEDS = ['/public-feed', '/public-feed/sale', '/public-feed/rent', '/public-feed/service'];
const ALL_FEEDS = [...FEEDS, ...FEEDS.map((path) => path.replace('public', 'ai'))];

/** Requests that a feed refuses, and values that it must ignore. */
const UNUSUAL = [
  'page=0',
  'pageSize=101',
  'page=1&page=1',
  'city=%FF',
  'date=2026-02-30&data=x',
  `date_to=${day(1)}`,
  `date=${day(2)}&date_to=${day(1)}`,
  `date=${day(0)}&date_to=${day(31)}`,
  'lat=1',
  'lat=91&lng=181',
  'localOnly=true',
  'localOnly=yes&lat=1&lng=1',
  'cursor=*&page=1',
  'cursor=!',
  'cursor=abc',
  'city=recife&cidade=recife',
  'page=&pageSize=&city=&date=&cursor=&lat=&lng=&localOnly=&date_to=',
  'pageSize=1&unknown=1&utm_source=x',
  'page=9007199254740991',
  'page=40&pageSize=7',
];

const CHANGES = [
  'limit=3',
  'limit=20',
  'afterChangeNumber=9007199254740991',
  'afterChangeNumber=&limit=',
  'unknown=1&limit=1',
  'limit=0',
  'limit=1001',
  'limit=1&limit=1',
  'afterChangeNumber=-1',
  'afterChangeNumber=x',
  'afterChangeNumber=1',
];
const EXPORTS = ['after=item-90', 'after=zzz', 'unknown=1&after=item-8', 'after=a&after=b'];

const DOCUMENTS = [
  '/api/openapi.json',
  '/api/listing-event.schema.json',
  '/api/asyncapi.json',
  '/llms.txt',
  '/robots.txt',
  '/sitemap.xml',
  '/.well-known/ai-catalog.json',
  '/.well-known/ucp',
  '/mcp/server-card',
  '/ucp/availability.json',
];
const WRONG_PATHS = ['/api/nothing', '/api/public-feed/rental', '/api/public-feed/', '/API/ai-feed', '/x'];

/**
 * Lists the requests whose responses are recorded. The same code gives the same requests. Each name is
 * unique.
 */
export function recordedRequests(): RecordedRequest[] {
  const random = new Random(34);
  const requests = [
    ...Array.from({ length: RANDOM_FEED_REQUESTS }, () =>
      get(`/api${random.pick(ALL_FEEDS)}?${feedQuery(random)}`, { headers: acceptedEncoding(random) }),
    ),
    ...ALL_FEEDS.map((path) => get(`/api${path}?cursor=*&pageSize=4`, { pages: 2 })),
    ...ALL_FEEDS.map((path) => get(`/api${path}?lat=-8.05&lng=-34.9&cursor=*&pageSize=2`, { pages: 2 })),
    ...UNUSUAL.flatMap((query) => [get(`/api/public-feed?${query}`), get(`/api/ai-feed/sale?${query}`)]),
    ...['/api/ai-feed?pageSize=1', '/api/changes?limit=2', ...DOCUMENTS].flatMap((path) => [
      get(path),
      { ...get(path), method: 'HEAD' },
      { ...get(path), method: 'OPTIONS' },
      { ...get(path), method: 'DELETE' },
    ]),
    ...CHANGES.map((query) => get(`/api/changes?${query}`, { pages: query === 'limit=20' ? 4 : 1 })),
    ...EXPORTS.map((query) => get(`/api/export?${query}`)),
    { ...get('/api/export'), method: 'OPTIONS' },
    ...WRONG_PATHS.map((path) => get(path)),
    ...agentRequests(random),
  ];
  // Two equal random requests would share one recording.
  return [...new Map(requests.map((request) => [nameOf(request), request])).values()];
}

/** The name of a request in the recording and in messages. It contains everything that is sent. */
export function nameOf({ method, path, headers, body }: RecordedRequest): string {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...more, ...(body === undefined ? [] : [body])].join(' · ');
}

function feedQuery(random: Random): string {
  const query = new URLSearchParams();
  const maybe = (probability: number, add: () => void) => {
    if (random.chance(probability)) add();
  };
  maybe(0.8, () => query.set('pageSize', String(random.integer(1, 6))));
  maybe(0.3, () => query.set('page', String(random.integer(1, 8))));
  maybe(0.4, () =>
    query.set(
      random.pick(['city', 'cidade']),
      random.pick(['São Paulo', 'sao-paulo', 'recife', 'nowhere', 'Santa Bárbara d’Oeste']),
    ),
  );
  maybe(0.3, () =>
    query.set(random.pick(['category', 'categoria']), random.pick(['casa', 'Apartamento', 'barco'])),
  );
  maybe(0.3, () =>
    query.set(random.pick(['sub_category', 'subcategoria']), random.pick(['quarto', 'inteiro'])),
  );
  maybe(0.4, () => {
    const first = random.integer(-1, 12);
    query.set(random.pick(['date', 'data']), day(first));
    maybe(0.4, () => query.set('date_to', day(first + random.integer(0, 4))));
  });
  maybe(0.3, () => {
    query.set('lat', String(random.pick([-23.55, -8.05, 0])));
    query.set('lng', String(random.pick([-46.63, -34.9, 10])));
    maybe(0.4, () => query.set('localOnly', random.pick(['true', '1', 'ON', 'off'])));
  });
  return query.toString();
}

const acceptedEncoding = (random: Random): Record<string, string> =>
  random.chance(0.2) ? { 'accept-encoding': random.pick(['gzip', 'br', 'zstd', '*']) } : {};
