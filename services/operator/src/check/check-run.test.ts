import { RULES } from '@vitrine/listing';
import { expect } from 'chai';
import { CheckRun } from './check-run.ts';
import { EventStore } from './event-store.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const COMPLETE = {
  title: 'Casa',
  price: 100,
  location: { city: 'Curitiba' },
  url: 'https://example.com/1',
};
const MS = Date.parse('2026-11-01T00:00:00Z');

type Data = Record<string, unknown>;
const event = (type: string, data: Data, more: Data = {}): Data => ({
  specversion: '1.0',
  id: `e-${String(data.version)}`,
  source: '/relay',
  type: `marketplace.listing.${type}`,
  subject: 'a-1',
  time: '2026-11-01T00:00:00Z',
  data,
  ...more,
});
const snapshot = (version: number, listing: Data = {}, more: Data = {}) =>
  event('snapshot', { version, listing: { ...COMPLETE, ...listing } }, more);
const changed = (version: number, changes: Data, more: Data = {}) =>
  event('changed', { version, changes }, more);
const dates = (version: number, mode: string, ...days: string[]) =>
  event('availability_changed', {
    version,
    mode,
    dates: days.map((date) => ({ date, available: true })),
  });

/** Checks events, one per line. */
async function checked(...events: (Data | string)[]) {
  const lines: object[] = [];
  const report = { write: (line: object) => lines.push(line), end: () => undefined };
  // A store of the smallest size also uses its file.
  const run = new CheckRun({ rules: RULES, report, now: NOW, store: new EventStore(1_000) });
  try {
    for (const [at, one] of events.entries())
      run.add(
        { key: undefined, value: Buffer.from(typeof one === 'string' ? one : JSON.stringify(one)) },
        { line: at + 1 },
      );
    const { summary } = await run.finish(new AbortController().signal);
    return { ...summary, lines };
  } finally {
    run.close();
  }
}
const warnings = async (...events: Data[]) => {
  const { warnings, lines } = await checked(...events);
  expect(lines.filter((line) => 'warning' in line)).to.have.length(
    warnings.reduce((sum, { count }) => sum + count, 0),
  );
  return warnings.map(({ kind, count }) => [kind, count]);
};

describe('a check', () => {
  it('counts records, and names every fault of the refused ones', async () => {
    const { lines: _, ...summary } = await checked(
      snapshot(1),
      event('other', {}),
      '{"subject":"b-2"',
      snapshot(0, { price: -1 }),
    );
    expect(summary).to.deep.equal({
      records: 4,
      accepted: 1,
      refused: { 'not-json': 1, schema: 1 },
      skipped: 1,
      findings: [
        { line: 3, id: 'b-2', reason: 'not-json', path: '', value: '{"subject":"b-2"' },
        { line: 4, id: 'a-1', reason: 'schema', path: '/data/version', value: 0, limit: 1 },
        { line: 4, id: 'a-1', reason: 'schema', path: '/data/listing/price', value: -1, limit: 0 },
      ],
      listings: { visible: 1, hidden: {}, dropped: {} },
      warnings: [],
    });
  });

  it('keeps the first 1,000 findings, and reports all', async () => {
    const { refused, findings, lines } = await checked(...new Array<string>(1_500).fill('x'));
    expect(refused).to.deep.equal({ 'not-json': 1_500 });
    expect(findings).to.have.length(1_000);
    expect(lines).to.have.length(1_500);
  });

  it('reports hidden listings and dropped members, once per listing', async () => {
    const { listings, lines } = await checked(
      snapshot(1, { rating: 6, title: null }),
      changed(2, { rating: 7 }),
      snapshot(1, { images: ['x', 'y'] }, { subject: 'b-2' }),
      event('removed', { version: 3 }, { subject: 'b-2' }),
      snapshot(1, { provider: {} }, { subject: 'c-3' }),
    );
    expect(listings).to.deep.equal({
      visible: 1,
      hidden: { title: 1, removed: 1 },
      dropped: { rating: 1, provider: 1 },
    });
    expect(lines).to.have.deep.members([
      { id: 'a-1', hidden: 'title' },
      { id: 'a-1', dropped: 'rating', detail: '7 is not between 0 and 5' },
      { id: 'b-2', hidden: 'removed' },
      { id: 'c-3', dropped: 'provider', detail: 'has no name' },
    ]);
  });

  it('counts exactly the dates beyond the limit', async () => {
    const days = (from: number, count: number) =>
      Array.from({ length: count }, (_, day) =>
        new Date(Date.UTC(2026, 0, 1 + from + day)).toISOString().slice(0, 10),
      );
    const full = [0, 1_000, 2_000, 3_000].map((from, at) =>
      dates(at + 2, 'merge', ...days(from, from === 3_000 ? 660 : 1_000)),
    );
    expect((await checked(snapshot(1), ...full)).listings.dropped).to.deep.equal({});
    const more = [dates(6, 'merge', ...days(3_660, 2)), dates(7, 'merge', ...days(3_660, 2))];
    const { listings, lines } = await checked(snapshot(1), ...full, ...more);
    expect(listings.dropped).to.deep.equal({ availability: 1 });
    expect(lines).to.deep.include({
      id: 'a-1',
      dropped: 'availability',
      detail: '2 dates beyond the latest 3660',
    });
  });

  it("refuses a version above a bound that depends on the record's time", async () => {
    const versionBound = (timestamp = 0) => timestamp;
    const run = new CheckRun({ rules: RULES, report: undefined, now: NOW, versionBound });
    const value = Buffer.from(JSON.stringify(snapshot(100)));
    for (const timestamp of [100, 99]) run.add({ key: undefined, value }, { line: timestamp }, timestamp);
    const { summary } = await run.finish(new AbortController().signal);
    run.close();
    const place = { path: '/data/version', value: 100, limit: 99 };
    expect(summary).to.deep.include({
      accepted: 1,
      refused: { 'version-too-high': 1 },
      findings: [{ line: 99, id: 'a-1', reason: 'version-too-high', ...place }],
    });
  });

  it('ends when it is interrupted', async () => {
    const run = new CheckRun({ rules: RULES, report: undefined, now: NOW });
    for (let version = 1; version < 3_000; version++)
      run.add({ key: undefined, value: Buffer.from(JSON.stringify(snapshot(version))) }, { line: version });
    const error = await run.finish(AbortSignal.abort(new Error('stop'))).catch((reason: Error) => reason);
    run.close();
    expect(error).to.include({ message: 'stop' });
  });

  it('names rules that fail', async () => {
    const rules = {
      version: 1,
      derive: () => {
        throw new Error('no');
      },
    };
    const run = new CheckRun({ rules, report: undefined, now: NOW });
    run.add({ key: undefined, value: Buffer.from(JSON.stringify(snapshot(1))) }, { line: 1 });
    const { summary } = await run.finish(new AbortController().signal);
    run.close();
    expect(summary.listings).to.deep.equal({ visible: 0, hidden: { 'listing-failed': 1 }, dropped: {} });
  });
});

describe('the warnings of a check', () => {
  it('are absent for a correct source', async () =>
    expect(
      await warnings(
        snapshot(1, { ad_type: 'rent', availability: [{ date: '2026-12-01', available: true }] }),
        changed(2, { price: 90 }),
        dates(3, 'merge', '2026-12-02'),
        event('removed', { version: 4 }),
        snapshot(5),
      ),
    ).to.deep.equal([]));

  it('are absent if the same events arrive again', async () => {
    const load = [
      snapshot(3, { availability: [{ date: '2026-12-01', available: true }] }),
      changed(4, { price: 90 }),
    ];
    const again = load.map((one) => ({ ...one, id: 'other', time: '2026-11-02T00:00:00Z' }));
    expect(await warnings(...load, ...again, ...load)).to.deep.equal([]);
  });

  it('name events that an earlier event supersedes, whatever their times are', async () => {
    expect(
      await warnings(snapshot(5), changed(3, { price: 1 }, { time: '2026-10-01T00:00:00Z' })),
    ).to.deep.equal([['superseded', 1]]);
    expect(
      await warnings(snapshot(5), dates(6, 'replace', '2026-12-01'), dates(4, 'merge', '2026-12-01')),
    ).to.deep.equal([['superseded', 1]]);
    // Part of the event takes effect.
    expect(await warnings(snapshot(2), changed(5, { price: 1 }), snapshot(4))).to.deep.equal([]);
    const { lines } = await checked(snapshot(5), changed(3, { price: 1 }));
    expect(lines).to.deep.equal([
      {
        id: 'a-1',
        warning: 'superseded',
        detail: 'line 2: version 3 of /relay changes nothing, because price has version 5',
      },
    ]);
  });

  it('name a source with clock times beside one with a sequence', async () => {
    expect(await warnings(snapshot(1), changed(MS, { price: 1 }))).to.deep.equal([['clock-and-sequence', 1]]);
    expect(await warnings(snapshot(1), changed(MS, { price: 1 }, { source: '/backend' }))).to.deep.equal([
      ['version-scale', 1],
      ['clock-and-sequence', 1],
    ]);
  });

  it('name different events with the same version', async () => {
    expect(await warnings(snapshot(1), snapshot(1, { price: 5 }))).to.deep.equal([['same-version', 1]]);
    expect(
      await warnings(snapshot(1), changed(2, { price: 1 }), dates(2, 'merge', '2026-12-01')),
    ).to.deep.equal([['same-version', 1]]);
    const { data } = snapshot(1) as { data: Data };
    const inAnotherEpoch = { ...snapshot(1, { price: 5 }), data: { ...data, version_epoch: 1 } };
    expect(await warnings(snapshot(1), inAnotherEpoch)).to.deep.equal([]);
  });

  it('compare the content, not its notation', async () =>
    expect(
      await warnings(
        snapshot(1, {
          location: { city: 'Curitiba', lat: 1, lng: 2 },
          availability: [
            { date: '2026-12-01', available: true, price: null },
            { date: '2026-12-02', available: true },
          ],
        }),
        snapshot(1, {
          location: { lng: 2, lat: 1.0, city: 'Curitiba', more: 1 },
          availability: [
            { available: true, date: '2026-12-02' },
            { date: '2026-12-01', available: true, note: 'x' },
          ],
        }),
      ),
    ).to.deep.equal([]));

  it('name changes of a listing whose snapshot is missing or refused', async () => {
    expect(await warnings(changed(1, COMPLETE), changed(2, { price: 1 }))).to.deep.equal([
      ['no-snapshot', 1],
    ]);
    expect(await warnings(snapshot(1, { price: -1 }), changed(2, { price: 1 }))).to.deep.equal([
      ['no-snapshot', 1],
    ]);
    expect(await warnings(changed(2, { price: 1 }), snapshot(1))).to.deep.equal([]);
  });

  it('name times in the future, except for a small skew', async () => {
    const at = (ms: number) => snapshot(1, {}, { time: new Date(NOW + ms).toISOString() });
    expect(await warnings(at(30_000))).to.deep.equal([]);
    expect(await warnings(at(90_000))).to.deep.equal([['future-time', 1]]);
  });

  it('name a calendar that stays after its ad type', async () => {
    const rent = snapshot(1, {
      ad_type: 'rent',
      availability: [{ date: '2026-12-01', available: true }],
    });
    const sale = changed(2, { ad_type: 'sale' });
    expect(await warnings(rent, sale)).to.deep.equal([['calendar-stays', 1]]);
    expect(await warnings(rent, sale, dates(3, 'merge', '2026-12-01'))).to.deep.equal([]);
    expect(await warnings(rent, sale, dates(3, 'replace'))).to.deep.equal([]);
    expect(await warnings(rent, sale, changed(3, { ad_type: 'rent' }))).to.deep.equal([]);
    expect(await warnings(snapshot(1, { ad_type: 'rent' }), sale)).to.deep.equal([]);
    expect(await warnings(rent, changed(2, { ad_type: 'rent' }))).to.deep.equal([]);
  });
});
