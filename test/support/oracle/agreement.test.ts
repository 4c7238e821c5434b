import { CURRENT_ITEMS } from '@vitrine/feed-index';
import { deriveItem, EMPTY_STATE, fold, normalizeText, normalizeUrl, slugify } from '@vitrine/listing';
import { decodeRecord, type ListingEvent, parseInstant } from '@vitrine/listing-events';
import { expect } from 'chai';
import fc from 'fast-check';
import { modelOf } from './model.ts';
import { instant, type LogRecord } from './record.ts';
import { slug, text } from './text.ts';
import { url } from './url.ts';

/** Characters and entities that the rules for text treat specially. */
// biome-ignore format: one value per line would hide the list.
const TEXT_PIECES = [
  '<', '>', '/', '!', 'a', 'K', '\u212a', '&lt;', '&gt;', '&#60;', '&amp;', '&eacute;', '\u200b', '\u200d',
  ' ', '\n', '\x85', '\x00', '\ud800', 'ã', '\u0303', '\u2062', '\ufe0f', '\u20e3', '1', '❤', '🏴',
  '\u{e0067}', '\u202e', '\u00ad', 'İ', 'ß', '日', '-',
];
/** Hosts, valid and invalid, with ports and credentials. */
// biome-ignore format: one value per line would hide the list.
const AUTHORITIES = [
  'a.example', 'A.Example:8080', 'são.example', '[::1]', '127.1', 'a_b', 'a{b', 'a"b', '@a', 'u:p@a', '',
  'a\u200bb', 'a`b',
];

const CLOCK = Date.UTC(2026, 0, 1);
/** The first version of each source: sequences, and clocks in milliseconds and microseconds. */
const FIRST_VERSIONS: Record<string, number> = {
  '/relay': 0,
  '/second-relay': 0,
  '/clock': CLOCK,
  '/fine-clock': CLOCK * 1_000,
};

/**
 * The oracle and the product share no code. If their results differ, the oracle or the product breaks a rule.
 */
describe('the product agrees with the oracle', () => {
  const nasty = fc.string({ unit: fc.constantFrom(...TEXT_PIECES), maxLength: 30 });
  const part = fc.string({
    unit: fc.constantFrom(
      ...'ab/?#%[]{}|\\^`"<>\' @:.~é'.split(''),
      '%zz',
      '%41',
      '\u200b',
      '\u200d',
      '\ufe0f',
      '\t',
      '\x00',
      '日',
    ),
    maxLength: 12,
  });
  const authority = fc.oneof(fc.constantFrom(...AUTHORITIES), part);
  const address = fc
    .tuple(
      fc.constantFrom('http://', 'HTTPS://', 'https:///', 'ftp://', ' http://', 'http:\\\\'),
      authority,
      part,
    )
    .map(([scheme, host, rest]) => `${scheme}${host}/${rest}`);

  it('about text and slugs', () => {
    fc.assert(
      fc.property(nasty, (raw) => {
        expect(normalizeText(raw)).to.equal(text(raw));
        expect(slugify(raw)).to.equal(slug(raw));
      }),
      { numRuns: 5_000 },
    );
  }).timeout(60_000);

  it('about URLs', () => {
    fc.assert(
      fc.property(fc.oneof(address, nasty), (raw) => {
        expect(normalizeUrl(raw)).to.equal(url(raw));
      }),
      { numRuns: 5_000 },
    );
  }).timeout(60_000);

  it('about times', () => {
    const year = fc.constantFrom('0000', '0001', '2026', '9998', '9999');
    const clock = fc.constantFrom('00:00:00', '02:59:59.9999', '23:59:59', '23:59:60');
    const zone = fc.constantFrom('Z', '+00:00', '-03:00', '+14:00', '-23:59');
    const time = fc
      .tuple(year, fc.constantFrom('01-01', '06-30', '12-31'), clock, zone)
      .map(([y, day, c, z]) => `${y}-${day}T${c}${z}`);
    const outcomeOf = (read: () => number) => {
      try {
        return read();
      } catch {
        return 'refused';
      }
    };
    fc.assert(
      fc.property(time, (raw) => {
        expect(outcomeOf(() => parseInstant(raw))).to.equal(outcomeOf(() => instant(raw)));
      }),
      { numRuns: 1_000 },
    );
  });

  // The generators use few versions, values and dates, so that ties, removals and replacements coincide.
  const version = fc.integer({ min: 1, max: 6 });
  const epoch = fc.constantFrom(undefined, undefined, undefined, 0, 1, 2, 1_000_000);
  const fields = fc.record(
    {
      ad_type: fc.constantFrom('sale', 'rent', null),
      title: fc.oneof(fc.constantFrom('a', 'b', '', null), nasty),
      description: fc.oneof(fc.constant(null), nasty),
      category: fc.constantFrom('Casa', '<b>', null),
      sub_category: fc.constantFrom('Casa de Praia', null),
      price: fc.constantFrom(0, 0.004, 0.005, 1, 1.005, 2.5, 1e12, null),
      location: fc.constantFrom(
        { city: 'x' },
        { city: 'São Paulo', state: null },
        { city: 'y', lat: 1, lng: 2 },
        { city: 'y', lat: 1 },
        { city: '' },
        null,
      ),
      provider: fc.constantFrom(
        { name: 'Ana', slug: 'x y' },
        { name: 'Ana Lima', slug: '★' },
        { slug: 'a' },
        { name: ' ' },
        null,
      ),
      rating: fc.constantFrom(-1, 0, 4.5, 5, 5.1, null),
      review_count: fc.constantFrom(0, 7, 2 ** 31 - 1, 2 ** 31, 1e300, null),
      images: fc.oneof(
        fc.constant(null),
        fc.array(fc.oneof(address, fc.constant('http://a/1.jpg')), { maxLength: 3 }),
      ),
      url: fc.oneof(fc.constantFrom('https://a.example/1', 'nonsense', null), address),
      published_at: fc.constantFrom(
        '2026-01-01T00:00:00Z',
        '2026-06-30T23:59:60.5Z',
        '2026-01-01t01:02:03.4567-03:00',
        null,
      ),
    },
    { requiredKeys: [] },
  );
  const dates = fc.array(
    fc.record(
      {
        date: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03'),
        available: fc.boolean(),
        price: fc.constantFrom(null, 0.001, 1, 2),
      },
      { requiredKeys: ['date', 'available'] },
    ),
    { maxLength: 4 },
  );
  const content = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('snapshot'), data: fc.record({ listing: fields }) }),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fields, dates).map(([listing, availability]) => ({
        type: 'snapshot',
        data: { listing: { ...listing, availability } },
      })),
    },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('changed'), data: fc.record({ changes: fields }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('availability_changed'),
        data: fc.record({ mode: fc.constantFrom('merge', 'replace'), dates }, { requiredKeys: ['dates'] }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'removed', data: {} }) },
    { weight: 1, arbitrary: fc.constant({ type: 'unknown', data: {} }) },
  );
  const time = fc.constantFrom(
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:01.5-03:00',
    '2025-12-31T23:59:60Z',
    'yesterday',
  );
  const key = fc.constantFrom('a', 'b');
  const recordOf = (subject: string, time: string, type: string, data: object, source = '/test') => ({
    key: subject,
    value: JSON.stringify({
      specversion: '1.0',
      id: 'e',
      source,
      type: `marketplace.listing.${type}`,
      subject,
      time,
      data,
    }),
  });
  const record: fc.Arbitrary<LogRecord> = fc.oneof(
    {
      weight: 12,
      // A few records have another listing's key.
      arbitrary: fc
        .tuple(
          key,
          fc.constantFrom(undefined, undefined, undefined, undefined, 'a'),
          content,
          version,
          epoch,
          time,
        )
        .map(([subject, key, { type, data }, version, version_epoch, time]) => ({
          ...recordOf(subject, time, type, { version, version_epoch, ...data }),
          ...(key && { key }),
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(key, fc.constantFrom('3', '0', 'x'), fc.constantFrom(undefined, '1', '00', '1000001', '', 'x'))
        .map(([key, version, epoch]) => ({
          key,
          value: null,
          headers: { version, ...(epoch !== undefined && { 'version-epoch': epoch }) },
        })),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        key,
        value: fc.oneof(fc.json(), fc.constantFrom(null, '{', '{"subject":"a"}')),
      }),
    },
  );

  /** Applies the product's functions batch by batch, as a projector does. */
  function projected(records: readonly LogRecord[], batch: number): ReturnType<typeof modelOf> {
    const states = new Map<string, ReturnType<typeof fold>>();
    const model: ReturnType<typeof modelOf> = {
      items: new Map(),
      hidden: new Map(),
      deadLetters: [],
      skipped: 0,
    };
    const bytes = (value: string | Buffer | null) => (typeof value === 'string' ? Buffer.from(value) : value);
    for (let i = 0; i < records.length; i += batch) {
      const events: ListingEvent[] = [];
      for (const record of records.slice(i, i + batch)) {
        const decoded = decodeRecord({
          key: bytes(record.key),
          value: bytes(record.value),
          ...(record.headers && { headers: record.headers }),
        });
        if (decoded.outcome === 'refused') model.deadLetters.push(record);
        else if (decoded.outcome === 'skipped') model.skipped++;
        else events.push(decoded.event);
      }
      for (const [id, ofListing] of Map.groupBy(events, (event) => event.id))
        states.set(id, fold(states.get(id) ?? EMPTY_STATE, ofListing));
    }
    for (const [id, state] of states) {
      const { item, hidden } = deriveItem(id, state);
      if (item) model.items.set(id, CURRENT_ITEMS.documentOf(item) as never);
      else model.hidden.set(id, hidden);
    }
    return model;
  }

  /** Compares both sides for the records in another order and with repetitions. */
  function expectAgreement(history: fc.Arbitrary<LogRecord[]>, numRuns: number): void {
    const histories = history.chain((records) => {
      const again = fc.subarray(records).map((repeated) => [...records, ...repeated]);
      return fc.tuple(
        fc.constant(records),
        again.chain((all) => fc.shuffledSubarray(all, { minLength: all.length })),
      );
    });
    fc.assert(
      fc.property(histories, ([records, disturbed]) => {
        const model = modelOf(disturbed);
        expect(projected(disturbed, 3)).to.deep.equal(model);
        const once = modelOf(records);
        expect([model.items, model.hidden]).to.deep.equal([once.items, once.hidden]);
      }),
      { numRuns },
    );
  }

  it('about every field, date, reason and dead letter of any history, in any order and with repetitions', () =>
    expectAgreement(fc.array(record, { maxLength: 14 }), 2_000)).timeout(60_000);

  it('about histories of several sources with sequences, clocks and epochs', () => {
    const step = fc.record({
      source: fc.constantFrom(...Object.keys(FIRST_VERSIONS)),
      key,
      content,
      isBurned: fc.boolean(),
      raisesEpoch: fc.boolean(),
      isTombstone: fc.boolean(),
    });
    const history = fc.array(step, { maxLength: 20 }).map((steps): LogRecord[] => {
      const sources = new Map<string, { epoch: number; version: number }>();
      return steps.map(({ source, key, content, isBurned, raisesEpoch, isTombstone }, index): LogRecord => {
        const first = FIRST_VERSIONS[source] as number;
        const last = sources.get(source) ?? { epoch: 0, version: first };
        const isExhausted = last.version === Number.MAX_SAFE_INTEGER;
        const next =
          raisesEpoch || isExhausted
            ? { epoch: last.epoch + 1, version: 1 }
            : { ...last, version: isBurned ? Number.MAX_SAFE_INTEGER : last.version + 1 };
        sources.set(source, next);
        if (isTombstone && index % 4 === 0) {
          const headers = { version: String(next.version), 'version-epoch': String(next.epoch) };
          return { key, value: null, headers };
        }
        const data = { version: next.version, ...(next.epoch > 0 && { version_epoch: next.epoch }) };
        const time = new Date(CLOCK + index * 1_000).toISOString();
        return recordOf(key, time, content.type, { ...data, ...content.data }, source);
      });
    });
    expectAgreement(history, 1_000);
  }).timeout(60_000);
});
