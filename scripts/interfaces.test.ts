import { expect } from 'chai';
import release from '../package.json' with { type: 'json' };
import { compareReleases } from './interfaces/compare-releases.ts';
import { findingLine } from './interfaces/finding.ts';
import { breakingChanges, currentInterfaces, storedInterfaces, storedVersions } from './interfaces.ts';

type Versioned = { info: { version: string } };

describe('interfaces of the releases', () => {
  it('change nothing on which clients of an earlier release with the same major version depend', () => {
    const found = breakingChanges(release.version, currentInterfaces());
    expect([...found.keys()]).to.include('1.0.0');
    for (const [version, findings] of found)
      expect(findings.map(findingLine), `since ${version}`).to.deep.equal([]);
  });

  it('may change with a new major version', () =>
    expect(breakingChanges('999.0.0', currentInterfaces()).size).to.equal(0));

  it('are stored under the version that they name', () => {
    for (const version of storedVersions()) {
      const stored = storedInterfaces(version);
      for (const file of ['openapi.json', 'asyncapi.json'])
        expect((stored[file] as unknown as Versioned).info.version, `${version}/${file}`).to.equal(version);
      expect(stored).to.have.property('listing-event.schema.json');
    }
  });

  const BROKEN: [title: string, file: string, from: string, to: string, finding: RegExp][] = [
    [
      'a newly required field',
      'listing-event.schema.json',
      '"required":["date","available"]',
      '"required":["date","available","price"]',
      /dates\[\]\.price: the member is now required/,
    ],
    [
      'a removed event type',
      'listing-event.schema.json',
      'marketplace.listing.removed',
      'marketplace.listing.gone',
      /marketplace\.listing\.removed.*the case was removed/,
    ],
    [
      'a shorter limit',
      'listing-event.schema.json',
      '"maxLength":100000',
      '"maxLength":1000',
      /maxLength 100000/,
    ],
    ['a smaller calendar', 'listing-event.schema.json', '"maxItems":1096', '"maxItems":366', /maxItems 1096/],
    [
      'a removed ad type',
      'listing-event.schema.json',
      '"enum":["sale","rent","service",null]',
      '"enum":["sale","rent"]',
      /listing\.ad_type: the values/,
    ],
    [
      'a removed field',
      'listing-event.schema.json',
      '"review_count":',
      '"reviews":',
      /review_count: the member was removed/,
    ],
    [
      'a removed message',
      'asyncapi.json',
      'listingRemovedBinary',
      'goneBinary',
      /listingRemovedBinary: .*removed/,
    ],
    [
      'another topic',
      'asyncapi.json',
      '"address":"marketplace.listing-events"',
      '"address":"events"',
      /the address marketplace\.listing-events is now events/,
    ],
    [
      'a removed header of dead letters',
      'asyncapi.json',
      '"dead-letter-reason":',
      '"reason":',
      /dead-letter-reason: the member was removed/,
    ],
    [
      'a removed tool',
      'agent-tools.json',
      '"list_facets":',
      '"facets":',
      /list_facets: the tool was removed/,
    ],
    [
      'a removed argument',
      'agent-tools.json',
      '"min_price":',
      '"lowest":',
      /min_price: the member was removed/,
    ],
    ['a smaller limit of a tool', 'agent-tools.json', '"maximum":20', '"maximum":10', /limit: maximum 20/],
  ];
  for (const [title, file, from, to, finding] of BROKEN)
    it(`reports ${title} in ${file}`, () => {
      const current = currentInterfaces();
      const text = JSON.stringify(current[file]);
      expect(text).to.include(from);
      const changed = { ...current, [file]: JSON.parse(text.replaceAll(from, to)) };
      expect(compareReleases(current, changed).map(findingLine).join('\n')).to.match(finding);
    });

  const ADDED: [title: string, file: string, from: string, to: string][] = [
    ['a new field', 'listing-event.schema.json', '"rating":', '"color":{"type":"string"},"rating":'],
    [
      'a new event type',
      'listing-event.schema.json',
      '"allOf":[{"if":',
      '"allOf":[{"if":{"properties":{"type":{"const":"marketplace.listing.paused"}}},' +
        '"then":{"properties":{"data":{"required":["until"]}}}},{"if":',
    ],
    ['a higher limit', 'listing-event.schema.json', '"maxItems":200', '"maxItems":300'],
    [
      'a new optional argument',
      'agent-tools.json',
      '"min_price":',
      '"seller":{"type":"string"},"min_price":',
    ],
  ];
  for (const [title, file, from, to] of ADDED)
    it(`accepts ${title} in ${file}`, () => {
      const current = currentInterfaces();
      const text = JSON.stringify(current[file]);
      expect(text).to.include(from);
      expect(
        compareReleases(current, { ...current, [file]: JSON.parse(text.replaceAll(from, to)) }),
      ).to.deep.equal([]);
    });
});
