import { expect } from 'chai';
import { asyncApiDocument } from '../asyncapi.ts';
import { compareAsyncApi } from './compare-events.ts';
import { findingLine } from './finding.ts';
import type { JsonObject } from './flat-schema.ts';

type Mutable = { [key: string]: Mutable };

const document = (): JsonObject => JSON.parse(JSON.stringify(asyncApiDocument())) as JsonObject;

/** A copy of a document with another value at a path. `undefined` removes the value. */
function changed(path: string, value: unknown, old: JsonObject = document()): JsonObject {
  const now = structuredClone(old) as Mutable;
  const names = path.split('/');
  const last = names.pop() ?? '';
  const part = names.reduce<Mutable | undefined>((node, name) => node?.[name], now);
  if (!part) throw new Error(`the document has no ${path}`);
  if (value === undefined) delete part[last];
  else part[last] = value as Mutable;
  return now;
}

const findings = (path: string, value: unknown, old: JsonObject = document()): string[] =>
  compareAsyncApi(old, changed(path, value, old)).map(findingLine);

const MESSAGE = 'components/messages/listingSnapshot';
const KEY = `${MESSAGE}/bindings/kafka/key`;
const EVENTS = { $ref: '#/channels/listingEvents' };

describe('comparison of AsyncAPI documents', () => {
  it('finds nothing between equal documents', () =>
    expect(compareAsyncApi(document(), document())).to.deep.equal([]));

  const BREAKING: [title: string, path: string, value: unknown, finding: RegExp][] = [
    ['a shorter key', `${KEY}/maxLength`, 100, /listingSnapshot, key:: maxLength 200 is now 100/],
    ['another form of the key', `${KEY}/pattern`, '^[0-9]+$', /listingSnapshot, key:: pattern/],
    ['another content type', `${MESSAGE}/contentType`, 'application/avro', /cloudevents\+json is now .*avro/],
    [
      'another default content type',
      'defaultContentType',
      'text/csv',
      /tombstone: the content type .* text\/csv/,
    ],
    ['no reading of events', 'operations/readListingEvents', undefined, /listingEvents: .* action receive/],
    ['another action', 'operations/readListingEvents/action', 'send', /listingEvents: .* action receive/],
    ['no dead letters', 'operations/writeDeadLetters/channel', EVENTS, /deadLetters: .* action send/],
    ['a removed channel', 'channels/deadLetters', undefined, /deadLetters: the channel was removed/],
    ['another address', 'channels/deadLetters/address', 'letters', /dead-letters is now letters/],
  ];
  for (const [title, path, value, finding] of BREAKING)
    it(`finds ${title}`, () => expect(findings(path, value).join('\n')).to.match(finding));

  const HARMLESS: [title: string, path: string, value: unknown][] = [
    ['a longer key', `${KEY}/maxLength`, 300],
    ['any key', KEY, undefined],
    ['another operation on a channel', 'operations/more', { action: 'send', channel: EVENTS }],
    ['the default content type of a message', `${MESSAGE}/contentType`, undefined],
  ];
  for (const [title, path, value] of HARMLESS)
    it(`accepts ${title}`, () => expect(findings(path, value)).to.deep.equal([]));

  it('finds a key that must have a form from now on', () => {
    const [binding, key] = [`${MESSAGE}/bindings`, { type: 'string', maxLength: 5 }];
    const open = changed(binding, {});
    expect(findings(binding, { kafka: { key } }, open)).to.have.lengthOf(2);
  });

  it('finds a key of dead letters that may have another form from now on', () => {
    const binding = 'components/messages/deadLetter/bindings';
    const keyed = changed(binding, { kafka: { key: { type: 'string' } } });
    expect(findings(binding, {}, keyed)[0]).to.match(/deadLetter, key:: the type/);
  });
});
