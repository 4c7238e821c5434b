import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { envelopeErrors } from './listing-event-schema.ts';
import { EVENT_SCHEMA_NAMES, LISTING_EVENT_SCHEMA, PUBLISHED_SCHEMA } from './published-schema.ts';
import { recordFaults } from './record-faults.ts';

type Json = Record<string, unknown>;

const TYPES = LISTING_EVENT_SCHEMA.allOf.map(({ if: condition }) => condition.properties.type.const);

const price = fc.constantFrom(0, 1e12, 1e13, -1, 1.5, null, '1', {});
const name = fc.constantFrom('Casa', '', 'x'.repeat(100_001), null, 7, []);
const version = fc.constantFrom(1, 2 ** 53 - 1, 2 ** 53, 0, 1.5, 1e300, null, '1');
const date = fc.record(
  {
    date: fc.constantFrom('2026-12-24', '2026-02-30', 7),
    available: fc.constantFrom(true, false, null),
    price,
  },
  { requiredKeys: [] },
);
const calendar = fc.oneof(fc.array(date, { maxLength: 3 }), fc.constantFrom(null, {}, 'x'));
const fields = {
  ad_type: fc.constantFrom('sale', 'rent', 'service', null, 'barter', 1),
  title: name,
  price,
  location: fc.oneof(
    fc.record({ city: name, lat: fc.constantFrom(-27.5, 91, null, '1') }, { requiredKeys: [] }),
    fc.constantFrom(null, 1),
  ),
  provider: fc.oneof(fc.record({ name, slug: name }, { requiredKeys: [] }), fc.constantFrom(null, [])),
  review_count: fc.constantFrom(0, 2 ** 40, -1, 0.5, null, true),
  images: fc.constantFrom([], ['https://a.example/1'], [1], null, {}),
  published_at: fc.constantFrom('2026-11-21T12:00:00Z', 'yesterday', null, 3),
  owner: fc.constant('an unknown member'),
};
const optional = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] });
const data = fc.oneof(
  optional({
    version,
    version_epoch: fc.constantFrom(0, 1_000_000, -1, 1_000_001, null),
    listing: optional({ ...fields, availability: calendar }),
    changes: optional(fields),
    dates: calendar,
    mode: fc.constantFrom('merge', 'replace', 'other', null),
    reason: fc.constantFrom('sold', 'x'.repeat(1_001), 1),
  }),
  fc.constantFrom(null, [], 'x'),
);
const event = fc.record(
  {
    specversion: fc.constantFrom('1.0', '1.0', '1.0', '0.3', 1),
    id: fc.constantFrom('e-1', 'e-2', '', 7),
    source: fc.constantFrom('/s', '/t', '', null),
    type: fc.constantFrom(...TYPES, ...TYPES, 'marketplace.listing.viewed', 7),
    subject: fc.constantFrom('a-1', 'a-2', 'a 1'),
    time: fc.constantFrom('2026-11-21T12:00:00Z', '2026-11-21T12:00:00-03:00', 'today'),
    datacontenttype: fc.constantFrom('application/json', 'application/json', 'text/plain'),
    data,
  },
  { requiredKeys: ['specversion', 'type', 'data'] },
);
/** Valid events of each type to which one arbitrary member was added. */
const almostValid = fc.tuple(fc.constantFrom(...TYPES), data).map(([type, changed]) => ({
  specversion: '1.0',
  id: 'e-1',
  source: '/s',
  type,
  subject: 'a-1',
  time: '2026-11-21T12:00:00Z',
  data: { version: 1, listing: {}, changes: { price: 1 }, dates: [], ...(changed as Json | null) },
}));

describe('the published schema', () => {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  const root = ajv.compile(PUBLISHED_SCHEMA);
  const ofType = new Map(
    EVENT_SCHEMA_NAMES.map((schema, index) => [
      TYPES[index],
      ajv.compile({ $ref: `${PUBLISHED_SCHEMA.$id}#/$defs/${schema}` }),
    ]),
  );

  it('is a valid schema of JSON Schema 2020-12', async () =>
    expect(await ajv.validateSchema(PUBLISHED_SCHEMA), ajv.errorsText()).to.equal(true));

  it('accepts the same events as the schema that validates them, and so does the schema of each type', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(event, almostValid), (value) => {
        const isValid = envelopeErrors(value).length === 0;
        seen[isValid ? 'accepted' : 'refused']++;
        expect(root(value), JSON.stringify(value)).to.equal(isValid);
        const typed = ofType.get(value.type as string);
        if (typed) expect(typed(value), JSON.stringify(value)).to.equal(isValid);
      }),
      { numRuns: 5_000 },
    );
    expect(seen.accepted).to.be.above(100);
    expect(seen.refused).to.be.above(1_000);
  }).timeout(60_000);

  it('has a schema for each event type, which accepts no other type', () => {
    expect(EVENT_SCHEMA_NAMES).to.deep.equal([
      'snapshotEvent',
      'changedEvent',
      'availabilityChangedEvent',
      'removedEvent',
    ]);
    const valid = {
      specversion: '1.0',
      id: 'e-1',
      source: '/s',
      subject: 'a-1',
      time: '2026-11-21T12:00:00Z',
      data: { version: 1, listing: {}, changes: { price: 1 }, dates: [] },
    };
    for (const type of TYPES)
      expect(
        [...ofType].filter(([, accepts]) => accepts({ ...valid, type })).map(([name]) => name),
      ).to.deep.equal([type]);
  });

  it('gives each object and each enumeration a title, because generators name their classes after it', () => {
    const untitled: string[] = [];
    const visit = (part: unknown, path: string): void => {
      if (typeof part !== 'object' || part === null) return;
      const { type, title } = part as { type?: unknown; title?: unknown };
      const isObject = [type].flat().includes('object') || 'enum' in part;
      if (isObject && typeof title !== 'string') untitled.push(path);
      for (const [name, value] of Object.entries(part)) visit(value, `${path}/${name}`);
    };
    visit(PUBLISHED_SCHEMA, '');
    expect(untitled).to.deep.equal([]);
  });

  it('gives versions 64 bits, and every const and enum a type', () => {
    expect(PUBLISHED_SCHEMA.$defs).to.have.nested.property('version.format', 'int64');
    const text = JSON.stringify(PUBLISHED_SCHEMA.$defs);
    expect(text).to.not.match(/\{"const"|"anyOf"/);
    expect(PUBLISHED_SCHEMA.$defs).to.have.nested.property('listingFields.properties.price').that.includes({
      maximum: 1e12,
    });
  });

  it('adds no fault to a version that is not an integer', () => {
    const record = (version: unknown) => ({
      key: Buffer.from('a-1'),
      value: Buffer.from(
        JSON.stringify({
          specversion: '1.0',
          id: 'e-1',
          source: '/s',
          type: 'marketplace.listing.removed',
          subject: 'a-1',
          time: '2026-11-21T12:00:00Z',
          data: { version },
        }),
      ),
    });
    expect(recordFaults(record(1.5)).map(({ message }) => message)).to.deep.equal(['must be integer']);
    expect(recordFaults(record('1')).map(({ message }) => message)).to.deep.equal(['must be integer']);
  });
});
