import { connect } from 'node:net';
import { Random } from '@vitrine/fixtures';

export interface RawResponse {
  status: number;
  /** The headers by lower-case name. */
  headers: Map<string, string>;
  body: string;
}

/**
 * Sends bytes unchanged and reads until the connection closes.
 * @returns the first response, or undefined if the connection closed without one
 */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<RawResponse | undefined> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.setTimeout(20_000, () => socket.destroy());
  });
  const text = Buffer.concat(chunks).toString();
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) };
}

/** Sends a GET request for a raw target over a new connection. */
export const getRaw = (port: number, target: string | Buffer): Promise<RawResponse | undefined> =>
  sendRaw(
    port,
    Buffer.concat([
      Buffer.from('GET '),
      Buffer.from(target),
      Buffer.from(' HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    ]),
  );

const plain = (table: string): string[] => table.trim().split(/\s+/);

/** Raw query strings for a feed that must never cause a 5xx response. */
export const NASTY_QUERIES = [
  ...plain(`
    ? ?& ?= ?== ?&&&=& ??page=1 ?page ?page= ?page=1;pageSize=2 ?page=% ?page=%2 ?page=%ZZ ?page=%00
    ?page=1%00 ?page=-1 ?page=0 ?page=1e9 ?page=0x10 ?page=9007199254740991 ?page=9007199254740992
    ?page=9007199254740991&pageSize=100 ?page[]=1 ?page[a]=1 ?page=1&page=2 ?page=1&%70age=2 ?pageSize=NaN
    ?pageSize=101 ?city=%FF%FE ?city=%C0%AF ?city=%ED%A0%80 ?city=%00 ?city=a%00b ?city=* ?city=%2A%3F
    ?city=%5C ?city=%22%7D%5D ?city={"match_all":{}} ?city=../../etc/passwd ?city=%F0%9F%98%80
    ?city=%E2%80%AE ?city=%EF%BB%BF ?city=%26%23x110000; ?__proto__=1 ?__proto__[page]=1 ?constructor=1
    ?toString=1&hasOwnProperty=1 ?date=0000-00-00 ?date=0000-01-01 ?date=9999-12-31 ?date=10000-01-01
    ?date=2026-12-01T00:00:00Z ?date=2026-02-30 ?date=-2026-12-01 ?date=now/d ?data=%00&date=%00
    ?city=a#page=0 # #?page=0 ?a=http://b?c
  `),
  '?city=\xff',
  '?city=\xc3\xa3',
  `?page=${'9'.repeat(5_000)}`,
  `?city=${'a'.repeat(10_240)}`,
  `?city=${'%C3%A3'.repeat(1_700)}`,
  `?city=${'%20'.repeat(3_000)}`,
  `?city=${'%3C'.repeat(3_000)}`,
  `?city=${'%26amp;'.repeat(1_000)}`,
  `?${'a&'.repeat(5_000)}`,
  `?${'city&'.repeat(2_000)}`,
  `?${'=&'.repeat(5_000)}`,
];

/** Whole targets that must never cause a 5xx response. */
export const NASTY_TARGETS = [
  ...plain(`
    // ///api/public-feed /api /api/ /api//public-feed /API/public-feed /api/public-feed/ /api/public-feed//
    // /api/public-feed/sale/ / /api/public-feed/sale/x /api/public-feed/% /api/public-feed/%ZZ
    /api/public-feed/%00 /api/public-feed/%FF /api/public-feed/.. /api/public-feed/%2e%2e
    /api/public-feed/__proto__ /api/public-feed/Sale /api/public-feed/:adType /api/public-feed/sale%2F
    /api/../api/public-feed /%61pi/public-feed /catalogo * api/public-feed http://localhost/nothing
    http://[::1 http://user:pass@host:99999/x ftp://x/y /public-feed /favicon.ico /api/openapi
  `),
  '/\xff\xfe',
  `/${'a'.repeat(10_000)}`,
];

/** A request header: one header line, or several lines with the same name. The values are bytes. */
export interface HostileHeader {
  name: string;
  values: Buffer[];
}

/** Every header that the service or one of its libraries parses. */
// biome-ignore format: one value per line would hide the list.
const PARSED = [
  'Accept-Encoding', 'If-Match', 'If-None-Match', 'X-Forwarded-For', 'X-Request-Id', 'Host', 'traceparent',
  'tracestate', 'baggage',
];
/** PARSED, every other header that Node or Koa reads, and some headers that proxies add. */
// biome-ignore format: one value per line would hide the list.
const NAMES = [
  ...PARSED,
  'Accept', 'Access-Control-Request-Headers', 'Access-Control-Request-Method', 'Cache-Control', 'Via',
  'Connection', 'Content-Length', 'Content-Type', 'Cookie', 'Date', 'Expect', 'Forwarded',
  'If-Modified-Since', 'If-Range', 'If-Unmodified-Since', 'Keep-Alive', 'Origin', 'Range', 'TE', 'Trailer',
  'Transfer-Encoding', 'Upgrade', 'User-Agent', 'X-Forwarded-Host', 'X-Forwarded-Proto',
];

/** Text that parsers of lists, weights, tags, addresses and numbers treat specially. */
// biome-ignore format: one value per line would hide the list.
const PIECES = [
  ',', ' ', '\t', '"', ', ', ' ,\t', 'W/', 'W/"', '""', '"a",', 'W/"a", ', '"\\', '\\', '\\"', ';', ' ;',
  ';q=', ';q=0.', ';q=1.000,', '=', 'gzip,', 'gzip ', 'br;q=0.5,', '*;q=0,', 'identity;q=0,', '*', '*,',
  '%', '%00', '%25', ':', '::', '::1,', '[', ']', '[::1]:80,', '1.', '1.1.1.1,', '::ffff:1.2.3.4%eth0,',
  'f:', '-', '.', '/', 'a', 'A-', '0', '9', '00-', 'a=1,', 'a=1;', '(', '{', '<', "'", '\x7f', '\xa0',
  '\xc3\xa3', '\xff', 'bytes=0-,', '0-0,', 'chunked,', 'close,', 'keep-alive, ', '100-continue',
  'no-cache,', 'Mon, 01 ',
];
const TAILS = ['', 'x', '"', ',', ' x', '\xff', '*', ' ', 'q', '"x'];
/** Values that are almost valid. */
// biome-ignore format: one value per line would hide the list.
const NEARLY = [
  'W/"', '"', 'W/ "a"', 'w/"a"', '"a"b"', '"a" "b"', '*, *', '"\\""', 'gzip;q=1e309', 'gzip;q=NaN',
  'gzip;q=-0', 'br;q=0.0001', 'br;q=2', 'q=1', '::', ':::', '1::2::3', '::ffff:999.1.1.1', '[::1', '::1]',
  '[::1]:99999', '256.256.256.256', '1.2.3.4:x', 'fe80::1%', '%', ',,,1.2.3.4', '-1', '+5', '0x10', '5, 5',
  '5,6', '1e3', '9'.repeat(30), ' 0', '0 0', '100-continue', '100-Continue, 100-continue', '200-ok',
  'bytes=9-1', 'bytes=-', 'chunked', 'chunked, chunked', 'gzip, chunked', 'identity', 'chunked;a',
  '\x0bchunked', 'xchunked', 'upgrade', 'h2c', 'websocket', 'TLS/1.0', 'localhost', 'a b', 'a@b', 'a/b',
  'http://a', '[', '[::1', 'a:b', 'a:99999', ':', '\xe9.example', 'a,b', 'null', 'http://\xff',
  'constructor', '__proto__', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
  `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-`, `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'a=1,a=1',
  'Thu, 01 Jan 1970 00:00:00 GMT', 'Thu, 99 Foo 9999', '0', '-0', '\x01', 'a\x00b', 'a\rb', 'a\nb',
  'a\r\n b', '{jndi:ldap://x}', "' OR 1=1", '<script>',
];
/** Value sizes that make a request slightly smaller and slightly larger than Node's limit (16 KiB). */
const LARGE = [15_000, 16_000, 16_200, 16_384, 17_000];

/**
 * For each parsed header, values that repeat one piece. The end of each value makes a regular expression try
 * every split.
 */
export const RUNS: readonly HostileHeader[] = PARSED.flatMap((name) =>
  PIECES.map((piece) => ({ name, values: [Buffer.from(`${piece.repeat(40)}x"`, 'latin1')] })),
);

/** `count` random headers. The same seed gives the same headers. */
export function hostileHeaders(seed: number, count: number): HostileHeader[] {
  const random = new Random(seed);
  const below = (end: number) => Math.floor(random.fraction() * end);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const repeated = (bytes: number) => {
    const piece = pick(PIECES);
    return piece.repeat(Math.ceil(bytes / piece.length)) + pick(TAILS);
  };
  const kinds: (() => string)[] = [
    // A few repetitions reveal exponential backtracking. Thousands of repetitions reveal quadratic cost.
    () => repeated(20 + below(200)),
    () => repeated(pick([500, 4_000, 8_000])),
    () => repeated(pick(LARGE)),
    () => Array.from({ length: 2 + below(12) }, () => pick(PIECES)).join('') + pick(TAILS),
    () => Array.from({ length: 1 + below(4) }, () => repeated(below(400))).join(''),
    () => pick(NEARLY),
    () => `${pick(NEARLY)}${pick([',', ';', ' ', ''])}${pick(NEARLY)}`,
    () =>
      Array.from({ length: 1 + below(300) }, () =>
        String.fromCharCode(pick([0x20, 0x80, 0xa0]) + below(96)),
      ).join(''),
  ];
  return Array.from({ length: count }, () => {
    const times = random.fraction() < 0.15 ? 2 + below(40) : 1;
    const kind = pick(kinds);
    return { name: pick(NAMES), values: Array.from({ length: times }, () => Buffer.from(kind(), 'latin1')) };
  });
}
