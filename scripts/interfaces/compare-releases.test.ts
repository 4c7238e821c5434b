import { openApiDocument } from '@vitrine/query';
import { expect } from 'chai';
import { compareReleases, type Interfaces } from './compare-releases.ts';
import { findingLine } from './finding.ts';

type Mutable = { [key: string]: Mutable };

const ITEM = 'components.schemas.FeedItem';
const GET = 'paths./public-feed.get';
const interfaces = (): Interfaces =>
  JSON.parse(JSON.stringify({ 'openapi.json': openApiDocument('/api') })) as Interfaces;

/** Changes the current OpenAPI document at a path, and compares it with the unchanged one. */
function findings(path: string, change: (part: Mutable) => void): string[] {
  const now = interfaces() as unknown as Mutable;
  const part = path
    .split('.')
    .filter(Boolean)
    .reduce<Mutable | undefined>((node, name) => node?.[name], now['openapi.json']);
  if (!part) throw new Error(`the document has no ${path}`);
  change(part);
  return compareReleases(interfaces(), now as unknown as Interfaces).map(findingLine);
}
const remove = (name: string) => (part: Mutable) => {
  if (!(name in part)) throw new Error(`there is no ${name}`);
  delete part[name];
};
const set = (name: string, value: unknown) => (part: Mutable) => {
  part[name] = value as Mutable;
};
const push = (value: unknown) => (list: Mutable) => void (list as unknown as unknown[]).push(value);
const drop = (value: string) => (list: Mutable) => {
  const values = list as unknown as string[];
  expect(values).to.include(value);
  values.splice(values.indexOf(value), 1);
};
const parameter = (name: string) => `components.parameters.${name}`;

const BREAKING: [title: string, path: string, change: (part: Mutable) => void, finding: string][] = [
  ['a removed path', 'paths', remove('/export'), '/export: the path was removed'],
  ['a removed operation', 'paths./export', remove('get'), 'GET /export: the operation was removed'],
  ['another operationId', GET, set('operationId', 'list'), 'the operationId getPublicFeed is now list'],
  ['a removed status', `${GET}.responses`, remove('400'), 'response 400: the response was removed'],
  [
    'a removed parameter',
    `${GET}.parameters`,
    (list) => void (list as unknown as unknown[]).splice(0, 1),
    'the parameter was removed',
  ],
  [
    'a new required parameter',
    `${GET}.parameters`,
    push({ name: 'key', in: 'query', required: true, schema: {} }),
    'query parameter key: the required parameter is new',
  ],
  [
    'a parameter that is now required',
    parameter('city'),
    set('required', true),
    'the parameter is now required',
  ],
  ['a lower maximum', `${parameter('limit')}.schema`, set('maximum', 10), 'maximum'],
  ['another base path', 'servers.0', set('url', '/v2'), 'servers: the server /api was removed'],
  ['no servers', '', remove('servers'), 'servers: the server /api was removed'],
  ['other variables of a server', 'servers.0', set('variables', { a: {} }), 'the server /api was removed'],
  [
    'another base path of one path',
    'paths./export',
    set('servers', [{ url: '/v2' }]),
    'GET /export: the server /api was removed',
  ],
  [
    'another base path of one operation',
    GET,
    set('servers', [{ url: '/v2' }]),
    'GET /public-feed: the server /api was removed',
  ],
  [
    'a removed media type',
    `${GET}.responses.200`,
    set('content', { 'text/csv': {} }),
    'the media type application/json was removed',
  ],
  ['a removed header', `${GET}.responses.200.headers`, remove('ETag'), 'header ETag: the header was removed'],
  ['a removed response member', `${ITEM}.properties`, remove('currency'), 'currency: the member was removed'],
  [
    'a member that is no longer required',
    `${ITEM}.required`,
    drop('url'),
    'url: the member is no longer required',
  ],
  ['a response member of another type', `${ITEM}.properties.price`, set('type', 'string'), 'type'],
  [
    'a wider enum of a response',
    `${ITEM}.properties.currency`,
    (schema) => {
      delete schema.const;
      schema.enum = ['BRL', 'EUR'] as unknown as Mutable;
    },
    'the values',
  ],
];

const HARMLESS: [title: string, path: string, change: (part: Mutable) => void][] = [
  ['a new path', 'paths', set('/new', { get: { operationId: 'getNew', responses: {} } })],
  ['a new optional parameter', `${GET}.parameters`, push({ name: 'seller', in: 'query', schema: {} })],
  ['a new response member', `${ITEM}.properties`, set('color', { type: 'string' })],
  ['a new status', `${GET}.responses`, set('425', { description: 'Too early' })],
  ['a new header', `${GET}.responses.200.headers`, set('X-New', { schema: { type: 'string' } })],
  [
    'another value of Vary, which instructs caches',
    'components.headers.Vary',
    set('schema', { type: 'string', const: 'Host' }),
  ],
  ['a new media type', `${GET}.responses.200.content`, set('text/csv', { schema: { type: 'string' } })],
  ['a higher maximum', `${parameter('limit')}.schema`, set('maximum', 1_000)],
  ['a member that is always present now', `${ITEM}.required`, push('category')],
  ['a new description', 'info', set('description', 'text')],
  ['a second server', 'servers', push({ url: '/v2' })],
  ['another description of a server', 'servers.0', set('description', 'text')],
  ['the same server at an operation', GET, set('servers', [{ url: '/api' }])],
  ['a new version', 'info', set('version', '9.9.9')],
];

describe('comparison of releases', () => {
  it('finds nothing between equal releases', () =>
    expect(compareReleases(interfaces(), interfaces())).to.deep.equal([]));

  for (const [title, path, change, finding] of BREAKING)
    it(`finds in the OpenAPI document: ${title}`, () =>
      expect(findings(path, change).join('\n')).to.include(finding));

  it('finds in the OpenAPI document: authentication of all operations', () => {
    const now = interfaces();
    const closed = { ...now, 'openapi.json': { ...now['openapi.json'], security: [{ key: [] }] } };
    expect(compareReleases(interfaces(), closed).map(findingLine)[0]).to.include('requires authentication');
  });

  for (const [title, path, change] of HARMLESS)
    it(`accepts in the OpenAPI document: ${title}`, () => expect(findings(path, change)).to.deep.equal([]));

  it('finds a removed interface, and accepts a new one', () => {
    expect(compareReleases(interfaces(), {}).map(findingLine)).to.deep.equal([
      'openapi.json: the interface was removed',
    ]);
    expect(compareReleases({}, interfaces())).to.deep.equal([]);
  });
});
