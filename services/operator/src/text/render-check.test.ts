import { expect } from 'chai';
import type { CheckResult } from '../check/check-result.ts';
import { FaultGroups } from '../check/fault-groups.ts';
import { renderCheck } from './render-check.ts';

const EMPTY: CheckResult = {
  summary: {
    records: 0,
    accepted: 0,
    refused: {},
    skipped: 0,
    findings: [],
    listings: { visible: 0, hidden: {}, dropped: {} },
    warnings: [],
  },
  faults: [],
  findings: 0,
  hidden: [],
  dropped: [],
};

describe('the text of a check', () => {
  it('says that there is nothing to check', () =>
    expect(renderCheck(EMPTY)).to.equal('The input contains no record.'));

  it('says that everything is as it should be', () => {
    const listings = { visible: 1, hidden: {}, dropped: {} };
    expect(
      renderCheck({ ...EMPTY, summary: { ...EMPTY.summary, records: 1, accepted: 1, listings } }),
    ).to.equal(
      '1 record: 1 accepted, 0 refused\n\n1 listing: 1 in the feed, 0 hidden\n\n' +
        'Every record is accepted, and every listing is complete.',
    );
  });

  it('shows the texts of reasons, including those of a rules module', () => {
    const tally = { count: 1, ids: ['a'] };
    const listings = { visible: 0, hidden: { price: 1, image: 1 }, dropped: {} };
    const text = renderCheck(
      {
        ...EMPTY,
        summary: { ...EMPTY.summary, records: 2, accepted: 2, listings },
        hidden: [
          ['price', tally],
          ['image', tally],
        ],
      },
      undefined,
      { reasons: { image: 'no\u001b image' } },
    );
    expect(text)
      .to.include('price (no price above 0): 1 (a)')
      .and.to.match(/image \(no.{0,10} image\): 1 \(a\)/);
    expect(text).not.to.include('\u001b');
  });

  it('groups faults by rule and path, and names listings', () => {
    const groups = new FaultGroups();
    const fault = { reason: 'schema', id: 'a-1\u001b', value: 'x'.repeat(100), limit: 'number' };
    groups.add({ ...fault, line: 3, index: 2, path: '/data/dates/0/price' }, 'must be number');
    groups.add({ ...fault, line: 4, path: '/data/dates/17/price' }, 'must be number');
    groups.add({ partition: 1, offset: '5', reason: 'schema', path: '', limit: 'id' }, 'lacks the member id');
    const text = renderCheck(
      {
        summary: {
          records: 4_000,
          accepted: 3_998,
          refused: { schema: 2 },
          skipped: 1,
          findings: [],
          listings: { visible: 10, hidden: { url: 4 }, dropped: { images: 1 } },
          warnings: [{ kind: 'future-time', count: 2, ids: ['c'] }],
        },
        faults: groups.list(),
        findings: 3,
        hidden: [['url', { count: 4, ids: ['a', 'b', 'c', 'd'], example: '"ftp://x"' }]],
        dropped: [['images', { count: 1, ids: ['b\u202e'], example: '1 of 2 have no valid URL' }]],
      },
      'report.ndjson',
    );
    expect(text.split('\n')).to.deep.equal([
      '4,000 records: 3,998 accepted, 2 refused, 1 of unknown types skipped',
      'Refused:',
      '  schema: 2 records',
      'Faults:',
      `  /data/dates/*/price must be number: 2, first at line 3 (event 2), listing a-1\\u001b: "${'x'.repeat(58)}…`,
      '  the event lacks the member id: 1, at partition 1 offset 5',
      '',
      '14 listings: 10 in the feed, 4 hidden',
      'Hidden, because a part is missing or unusable:',
      '  url (must be an http or https URL with a host and without credentials or white space): 4 (a, b, c, …): "ftp://x"',
      'Left out of the items:',
      '  images: 1 (b\\u202e): 1 of 2 have no valid URL',
      'Warnings:',
      '  future-time: 2 (c): the time of the event is later than now',
      '',
      'All findings and listings are in report.ndjson.',
    ]);
  });
});
