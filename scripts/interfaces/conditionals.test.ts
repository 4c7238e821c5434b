import { expect } from 'chai';
import event from '../../docs/reference/releases/1.1.0/listing-event.schema.json' with { type: 'json' };
import { compareEventSchemas } from './compare-events.ts';
import { compareSchemas } from './compare-schemas.ts';
import { findingLine } from './finding.ts';
import type { JsonObject } from './flat-schema.ts';

const of = (member: string, value: unknown) => ({ properties: { [member]: { const: value } } });
const SNAPSHOT = of('type', 'marketplace.listing.snapshot');
const PAUSED = of('type', 'marketplace.listing.paused');
/** A rule. Its `then` is a keyword of JSON Schema, no method of a promise. */
const rule = (condition: JsonObject, matching: unknown): JsonObject => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: see above
  then: matching,
});
const data = (schema: JsonObject) => ({ properties: { data: schema } });

const compared = (change: (schema: typeof event) => JsonObject): string[] =>
  compareEventSchemas(event, change(structuredClone(event))).map(findingLine);
const withRule = (added: JsonObject) =>
  compared((schema) => ({ ...schema, allOf: [...schema.allOf, added] }));

/** Rules that an event schema gets in addition, with the finding. */
const BREAKING: [title: string, rule: JsonObject, finding: RegExp][] = [
  [
    'a second rule for an event type',
    rule(SNAPSHOT, data({ properties: { listing: { required: ['price', 'title'] } } })),
    /\(if .*snapshot.*\)\.data\.listing\.price: the member is now required/,
  ],
  [
    'a second rule for an event type that narrows another member',
    rule(SNAPSHOT, { properties: { subject: { maxLength: 5 } } }),
    /\(if .*snapshot.*\)\.subject: maxLength 200 is now 5/,
  ],
  [
    'a rule for a value that every event has',
    rule(of('specversion', '1.0'), { required: ['subject', 'traceparent'] }),
    /\(if .*specversion.*\)\.traceparent: the member is now required/,
  ],
  [
    'a rule that narrows a member for a value that some events have',
    rule(of('source', '/catalogue'), { properties: { subject: { maxLength: 5 } } }),
    /\(if .*source.*\)\.subject: maxLength 200 is now 5/,
  ],
  [
    'a rule that rejects all values except one',
    { if: of('source', '/catalogue'), else: false },
    /\(if .*source.*\): no value is valid any more/,
  ],
  ['a new event type that rejects the others', { if: PAUSED, else: false }, /no value is valid any more/],
  [
    'a rule for all events that are no snapshots',
    { if: SNAPSHOT, else: { required: ['traceparent'] } },
    /traceparent: the member is now required/,
  ],
  [
    'a known event type in another form of condition',
    rule(
      { properties: { type: { enum: ['marketplace.listing.snapshot', 'marketplace.listing.paused'] } } },
      { required: ['traceparent'] },
    ),
    /traceparent: the member is now required/,
  ],
];

const HARMLESS: [title: string, rule: JsonObject][] = [
  ['a new event type', rule(PAUSED, data({ required: ['until'] }))],
  [
    'two new event types in one rule',
    rule({ properties: { type: { enum: ['paused', 'resumed'] } } }, { required: ['traceparent'] }),
  ],
  ['a rule that only repeats another', rule(SNAPSHOT, data({ required: ['version'] }))],
  ['a rule that only repeats the schema', rule(of('source', '/a'), { required: ['subject'] })],
  ['a rule that changes nothing', rule(of('source', '/catalogue'), true)],
];

describe('comparison of rules with conditions', () => {
  for (const [title, added, finding] of BREAKING)
    it(`finds ${title}`, () => expect(withRule(added).join('\n')).to.match(finding));
  for (const [title, added] of HARMLESS)
    it(`accepts ${title}`, () => expect(withRule(added)).to.deep.equal([]));

  it('finds a rule for one ad type of the listing, because no rule depended on the ad type before', () => {
    const found = compared((schema) => {
      const fields = {
        ...schema.$defs.listingFields,
        ...rule(of('ad_type', 'rent'), { required: ['price'] }),
      };
      return { ...schema, $defs: { ...schema.$defs, listingFields: fields } };
    });
    expect(found.join('\n')).to.match(/data\.listing \(if .*ad_type.*\)\.price: the member is now required/);
  });

  it('finds a new value of an optional member, because the rule applies without the member too', () => {
    const rules = (...values: string[]) =>
      values.map((value) => rule(of('kind', value), { required: [`${value} data`] }));
    const find = (more: JsonObject) =>
      compareSchemas(
        { old: {}, new: {} },
        { allOf: rules('a'), ...more },
        { allOf: rules('a', 'b'), ...more },
        'input',
        'x:',
      ).length;
    expect(find({ type: 'object', required: ['kind'] })).to.equal(0);
    expect(find({ type: 'object' })).to.equal(1);
    expect(find({ required: ['kind'] })).to.equal(1);
  });

  it('accepts rules that are joined or divided, in both directions', () => {
    const requires = (...names: string[]) => rule(SNAPSHOT, { required: names });
    const [divided, joined] = [{ allOf: [requires('a'), requires('b')] }, { allOf: [requires('a', 'b')] }];
    for (const direction of ['input', 'output'] as const)
      for (const [one, other] of [
        [divided, joined],
        [joined, divided],
      ])
        expect(compareSchemas({ old: {}, new: {} }, one, other, direction, 'x:')).to.deep.equal([]);
  });

  it('ends on a schema with rules that contains itself', () => {
    const tree = (...rules: string[]) => ({
      type: 'object',
      properties: { child: { $ref: '#/$defs/tree' }, kind: {} },
      allOf: rules.map((name) =>
        rule(of('kind', name), { properties: { child: { $ref: '#/$defs/tree', required: [name] } } }),
      ),
    });
    const document = (...rules: string[]) => ({ $defs: { tree: tree(...rules) } });
    const find = (...rules: string[]) =>
      compareSchemas(
        { old: document('a'), new: document(...rules) },
        { $ref: '#/$defs/tree' },
        { $ref: '#/$defs/tree' },
        'input',
        'x:',
      ).length;
    expect(find('a')).to.equal(0);
    expect(find('a', 'b')).to.be.greaterThan(0);
  });
});
