import type {
  AgentFeedItem,
  AgentFeedResponse,
  FeedResponse,
  ProblemDetails,
} from '../contract/feed-schema.ts';
import { MAX_URL_BYTES } from '../contract/operations.ts';
import { EXPIRED, UNKNOWN_AD_TYPE } from '../contract/problem.ts';

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

const generatedAt = '2027-01-10T12:00:00.000Z';
const listed = ({ availability: _, ...item }: AgentFeedItem): Item => item;
const inWindow = (item: AgentFeedItem, first: string, last: string): AgentFeedItem => ({
  ...item,
  availability: item.availability.filter(({ date }) => date >= first && date <= last),
});
const onDate = (item: AgentFeedItem, date: string): AgentFeedItem => inWindow(item, date, date);

export interface FeedExample {
  name: string;
  operation: string;
  summary: string;
  /** Path and query, relative to the base path. */
  path: string;
  value: FeedResponse | AgentFeedResponse;
}

/** Requests with their responses. A test sends each request to the service. */
export const FEED_EXAMPLES: FeedExample[] = [
  {
    name: 'catalogPage',
    operation: 'getPublicFeed',
    summary: 'The first of two pages',
    path: '/public-feed?pageSize=1',
    value: {
      data: [listed(APARTMENT)],
      meta: { page: 1, pageSize: 1, pageCount: 2, total: 2, endpoint: 'public-feed', generatedAt },
    },
  },
  {
    name: 'catalogOfType',
    operation: 'getPublicFeedByType',
    summary: 'Rentals in São Paulo',
    path: '/public-feed/rent?city=sao-paulo',
    value: {
      data: [listed(APARTMENT), listed(STUDIO)],
      meta: { page: 1, pageSize: 20, pageCount: 1, total: 2, endpoint: 'public-feed/rent', generatedAt },
    },
  },
  {
    name: 'nothingFound',
    operation: 'getPublicFeedByType',
    summary: 'A filter that matches nothing',
    path: '/public-feed/sale?category=fazenda',
    value: {
      data: [],
      meta: { page: 1, pageSize: 20, pageCount: 0, total: 0, endpoint: 'public-feed/sale', generatedAt },
    },
  },
  {
    name: 'agentPage',
    operation: 'getAiFeed',
    summary: 'Items with their availability from today',
    path: '/ai-feed',
    value: {
      data: [APARTMENT, STUDIO],
      meta: { page: 1, pageSize: 20, pageCount: 1, total: 2, endpoint: 'ai-feed', generatedAt },
    },
  },
  {
    name: 'agentOnDate',
    operation: 'getAiFeedByType',
    summary: 'Rentals that are available on a date, with a summary of neighboring dates',
    path: '/ai-feed/rent?date=2027-01-14',
    value: {
      data: [onDate(APARTMENT, '2027-01-14')],
      meta: {
        page: 1,
        pageSize: 20,
        pageCount: 1,
        total: 1,
        endpoint: 'ai-feed/rent',
        availability: [
          { date: '2027-01-11', items: 0 },
          { date: '2027-01-12', items: 0 },
          { date: '2027-01-13', items: 0 },
          { date: '2027-01-14', items: 1, min_price: 320, max_price: 320 },
          { date: '2027-01-15', items: 2, min_price: 165.5, max_price: 360 },
          { date: '2027-01-16', items: 0 },
          { date: '2027-01-17', items: 0 },
        ],
        generatedAt,
      },
    },
  },
  {
    name: 'agentStays',
    operation: 'getAiFeedByType',
    summary:
      'Rentals with a stay of one night in a window, cheapest first, with a summary of each first night',
    path: '/ai-feed/rent?date=2027-01-14&date_to=2027-01-15&nights=1&sort=total_price',
    value: {
      data: [
        {
          ...inWindow(STUDIO, '2027-01-14', '2027-01-15'),
          stay: { from: '2027-01-15', to: '2027-01-15', total_price: 165.5 },
        },
        {
          ...inWindow(APARTMENT, '2027-01-14', '2027-01-15'),
          stay: { from: '2027-01-14', to: '2027-01-14', total_price: 320 },
        },
      ],
      meta: {
        page: 1,
        pageSize: 20,
        pageCount: 1,
        total: 2,
        endpoint: 'ai-feed/rent',
        availability: [
          { date: '2027-01-11', items: 0 },
          { date: '2027-01-12', items: 0 },
          { date: '2027-01-13', items: 0 },
          { date: '2027-01-14', items: 1, min_price: 320, max_price: 320 },
          { date: '2027-01-15', items: 2, min_price: 165.5, max_price: 360 },
          { date: '2027-01-16', items: 0 },
          { date: '2027-01-17', items: 0 },
          { date: '2027-01-18', items: 0 },
        ],
        stays: [
          { from: '2027-01-14', to: '2027-01-14', items: 1, min_total_price: 320, max_total_price: 320 },
          { from: '2027-01-15', to: '2027-01-15', items: 2, min_total_price: 165.5, max_total_price: 360 },
        ],
        generatedAt,
      },
    },
  },
];

const problem = (status: number, title: string, detail: string): ProblemDetails => ({
  type: 'about:blank',
  title,
  status,
  detail,
});

/** One example of each kind of error. */
export const PROBLEM_EXAMPLES = {
  badParameters: {
    ...problem(400, 'Bad Request', 'The request has invalid query parameters.'),
    errors: [
      { parameter: 'pageSize', detail: 'must be a decimal integer from 1 to 100' },
      { parameter: 'date', detail: 'must be a calendar date, written YYYY-MM-DD' },
    ],
  },
  unknownAdType: problem(404, 'Not Found', UNKNOWN_AD_TYPE),
  methodNotAllowed: problem(405, 'Method Not Allowed', 'The allowed methods are GET, HEAD, OPTIONS.'),
  requestTimeout: problem(408, 'Request Timeout', 'The request did not arrive in time.'),
  expiredChangeNumber: problem(410, 'Gone', EXPIRED),
  preconditionFailed: problem(
    412,
    'Precondition Failed',
    'If-Match does not match. Only `*` can match, because entity tags of this service are weak.',
  ),
  contentTooLarge: problem(413, 'Payload Too Large', 'The chunk extensions are too large.'),
  uriTooLong: problem(414, 'URI Too Long', `The request target exceeds ${MAX_URL_BYTES} bytes.`),
  tooManyRequests: problem(429, 'Too Many Requests', 'A client may send 12000 requests per minute.'),
  headersTooLarge: problem(
    431,
    'Request Header Fields Too Large',
    'The request line and headers are too large.',
  ),
  internalError: problem(500, 'Internal Server Error', 'The service could not process this request.'),
  unavailable: problem(503, 'Service Unavailable', 'The feed is temporarily unavailable.'),
} satisfies Record<string, ProblemDetails>;
