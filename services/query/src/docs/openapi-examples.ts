import type {
  AgentFeedItem,
  AgentFeedResponse,
  FeedResponse,
  ProblemDetails,
} from '../contract/feed-schema.ts';
import { MAX_URL_BYTES } from '../contract/operations.ts';
import { EXPIRED, Problem, type ProblemType, UNKNOWN_AD_TYPE } from '../contract/problem.ts';
import type { BadParameter } from '../filters/filter.ts';

type Item = FeedResponse['data'][number];

/** The current date in the examples. The items below have complete calendars. */
export const EXAMPLE_TODAY = '2027-01-10';

const APARTMENT: AgentFeedItem = {
  id: 'lst-10482',
  title: 'Apartamento mobiliado a duas quadras da Paulista',
  description: 'Dois quartos, varanda e garagem, a cinco minutos do metrô Trianon-Masp.',
  category: 'apartamento',
  sub_category: 'imovel-inteiro',
  price: 320,
  currency: 'BRL',
  location: { city: 'São Paulo', state: 'SP', country: 'BR' },
  provider: { name: 'Casa Aurora', slug: 'casa-aurora' },
  rating: 4.8,
  review_count: 57,
  images: ['https://cdn.example.com/lst-10482/sala.jpg'],
  url: 'https://www.example.com/catalogo/lst-10482',
  availability: [
    { date: '2027-01-14', available: true, price: 320 },
    { date: '2027-01-15', available: true, price: 360 },
    { date: '2027-01-16', available: false, price: 360 },
  ],
};

const STUDIO: AgentFeedItem = {
  id: 'lst-20931',
  title: 'Estúdio no centro histórico',
  category: 'apartamento',
  price: 149.9,
  currency: 'BRL',
  location: { city: 'São Paulo', country: 'BR' },
  url: 'https://www.example.com/catalogo/lst-20931',
  availability: [{ date: '2027-01-15', available: true, price: 165.5 }],
};

/** The items of the examples in feed order. Both are for rent. */
export const EXAMPLE_ITEMS = [APARTMENT, STUDIO];

const listed = ({ availability: _, ...item }: AgentFeedItem): Item => item;
const inWindow = (item: AgentFeedItem, first: string, last: string): AgentFeedItem => ({
  ...item,
  availability: item.availability.filter(({ date }) => date >= first && date <= last),
});

export interface FeedExample {
  name: string;
  operation: string;
  summary: string;
  /** Path and query, relative to the base path. */
  path: string;
  value: FeedResponse | AgentFeedResponse;
}

type Data = FeedExample['value']['data'];
type Meta = AgentFeedResponse['meta'];

/**
 * @param more members that `meta` has in addition to, or instead of, those of a single page of up to 20 items
 */
function example(
  [name, operation, summary]: readonly [name: string, operation: string, summary: string],
  path: string,
  data: Data,
  more: Partial<Meta> = {},
): FeedExample {
  const total = data.length;
  const [endpoint = ''] = path.slice(1).split('?');
  const place = { page: 1, pageSize: 20, pageCount: Math.min(total, 1), total, endpoint };
  const meta = { ...place, ...more, generatedAt: `${EXAMPLE_TODAY}T12:00:00.000Z` };
  return { name, operation, summary, path, value: { data, meta } };
}

const FREE: Record<string, { items: number; min_price: number; max_price: number }> = {
  '2027-01-14': { items: 1, min_price: 320, max_price: 320 },
  '2027-01-15': { items: 2, min_price: 165.5, max_price: 360 },
};
/** The summaries of the dates from 11 January. */
const summaries = (count: number): NonNullable<Meta['availability']> =>
  Array.from({ length: count }, (_, day) => {
    const date = `2027-01-${11 + day}`;
    return { date, ...(FREE[date] ?? { items: 0 }) };
  });

const WINDOW = ['2027-01-14', '2027-01-15'] as const;

/** Requests with their responses. A test sends each request to the service. */
export const FEED_EXAMPLES: FeedExample[] = [
  example(
    ['catalogPage', 'getPublicFeed', 'The first of two pages'],
    '/public-feed?pageSize=1',
    [listed(APARTMENT)],
    { pageSize: 1, pageCount: 2, total: 2 },
  ),
  example(
    ['catalogOfType', 'getPublicFeedByType', 'Rentals in São Paulo'],
    '/public-feed/rent?city=sao-paulo',
    EXAMPLE_ITEMS.map(listed),
  ),
  example(
    ['nothingFound', 'getPublicFeedByType', 'A filter that matches nothing'],
    '/public-feed/sale?category=fazenda',
    [],
  ),
  example(['agentPage', 'getAiFeed', 'Items with their availability from today'], '/ai-feed', EXAMPLE_ITEMS),
  example(
    [
      'agentOnDate',
      'getAiFeedByType',
      'Rentals that are available on a date, with a summary of neighboring dates',
    ],
    '/ai-feed/rent?date=2027-01-14',
    [inWindow(APARTMENT, '2027-01-14', '2027-01-14')],
    { availability: summaries(7) },
  ),
  example(
    [
      'agentStays',
      'getAiFeedByType',
      'Rentals with a stay of one night in a window, cheapest first, with a summary of each first night',
    ],
    '/ai-feed/rent?date=2027-01-14&date_to=2027-01-15&nights=1&sort=total_price',
    [
      {
        ...inWindow(STUDIO, ...WINDOW),
        stay: { from: '2027-01-15', to: '2027-01-15', total_price: 165.5 },
      },
      {
        ...inWindow(APARTMENT, ...WINDOW),
        stay: { from: '2027-01-14', to: '2027-01-14', total_price: 320 },
      },
    ],
    {
      availability: summaries(8),
      stays: [
        { from: '2027-01-14', to: '2027-01-14', items: 1, min_total_price: 320, max_total_price: 320 },
        { from: '2027-01-15', to: '2027-01-15', items: 2, min_total_price: 165.5, max_total_price: 360 },
      ],
    },
  ),
];

/** The members that make this occurrence of a problem type different from others. */
const OCCURRENCES: Record<ProblemType, { detail: string; errors?: BadParameter[] }> = {
  'invalid-parameters': {
    detail: 'The request has invalid query parameters.',
    errors: [
      { parameter: 'pageSize', detail: 'must be a decimal integer from 1 to 100' },
      { parameter: 'date', detail: 'must be a calendar date, written YYYY-MM-DD' },
    ],
  },
  'page-too-large': {
    detail: 'The items of this page exceed the size limit of a response.',
    errors: [
      {
        parameter: 'pageSize',
        detail: 'must be smaller, because these items exceed 8 MiB. Or use a cursor',
      },
    ],
  },
  'malformed-request': { detail: 'This is not an HTTP request.' },
  'unknown-path': { detail: 'This path does not exist.' },
  'unknown-ad-type': { detail: UNKNOWN_AD_TYPE },
  'method-not-allowed': { detail: 'The allowed methods are GET, HEAD, OPTIONS.' },
  'request-timeout': { detail: 'The request did not arrive in time.' },
  'expired-change-number': { detail: EXPIRED },
  'precondition-failed': {
    detail: 'If-Match does not match. Only `*` can match, because entity tags of this service are weak.',
  },
  'content-too-large': { detail: 'The chunk extensions are too large.' },
  'uri-too-long': { detail: `The request target exceeds ${MAX_URL_BYTES} bytes.` },
  'too-many-requests': { detail: 'A client may send 12000 requests per minute.' },
  'headers-too-large': { detail: 'The request line and headers are too large.' },
  'internal-error': { detail: 'The service could not process this request.' },
  unavailable: { detail: 'The feed is temporarily unavailable.' },
  overloaded: { detail: 'The service is handling too many requests.' },
  'rebuild-needed': { detail: 'Changes are available after the next `replay` and `switch`.' },
};

/** Returns one example of each problem type, by its name. @param pages from `problemPages` */
export const problemExamples = (pages: string): Record<ProblemType, ProblemDetails> =>
  Object.fromEntries(
    Object.entries(OCCURRENCES).map(([type, { detail, errors }]) => [
      type,
      new Problem(type as ProblemType, detail, errors && { errors }).details(pages),
    ]),
  ) as Record<ProblemType, ProblemDetails>;
