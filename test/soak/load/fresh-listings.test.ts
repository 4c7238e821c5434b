import { type EventRecord, generateListings, Random, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { modelOf } from '../../support/oracle/model.ts';
import { FreshListings } from './fresh-listings.ts';
import { MarketSource } from './market-source.ts';

const RECORDS = 40_000;
const STEADY = 20;

interface Life {
  readonly versions: Set<string>;
  readonly first: number;
  last: number;
}

const recordsOf = (seed: number): EventRecord[] => {
  const market = new MarketSource({ seed, restless: 1_500, steady: STEADY });
  return [...market.next(RECORDS), ...market.rest()];
};
const isFresh = ({ key }: EventRecord) => String(key).startsWith('fresh-');
const versionOf = ({ value, headers }: EventRecord) => {
  if (value === null) return String(headers?.version);
  const event = JSON.parse(String(value)) as { version?: number; data?: { version: number } };
  return String(event.data?.version ?? event.version);
};

/** The versions of each fresh listing, and the positions of its first and last record. */
function livesOf(records: readonly EventRecord[]): Map<string, Life> {
  const lives = new Map<string, Life>();
  for (const [at, record] of records.entries()) {
    if (!isFresh(record)) continue;
    const life = lives.get(String(record.key)) ?? { versions: new Set<string>(), first: at, last: at };
    life.versions.add(versionOf(record));
    life.last = at;
    lives.set(String(record.key), life);
  }
  return lives;
}

describe('the fresh listings of the market', () => {
  const records = recordsOf(5);
  const lives = livesOf(records);
  let staying: string[];

  // The oracle reads all records: 3 s on an idle machine, and far more alongside other tests.
  before(function () {
    this.timeout(120_000);
    staying = [...modelOf(records).items.keys()].filter((id) => id.startsWith('fresh-'));
  });

  it('are about 3 % of the records, and depend on the seed only', () => {
    expect(records.filter(isFresh).length / records.length).to.be.within(0.025, 0.035);
    const fresh = (seed: number) => JSON.stringify(recordsOf(seed).filter(isFresh));
    expect(fresh(5)).to.equal(JSON.stringify(records.filter(isFresh)));
    expect(fresh(6)).not.to.equal(fresh(5));
  });

  it('get 1 to 5 events within 8,000 records, and then none', () => {
    expect(lives.size).to.be.above(300);
    const counts = [...lives.values()].map(({ versions }) => versions.size);
    expect(new Set(counts)).to.deep.equal(new Set([1, 2, 3, 4, 5]));
    for (const [id, { first, last }] of lives) expect(last - first, id).to.be.below(8_000);
  });

  it('begin throughout the run, and about half of them stay in the feed', () => {
    for (let from = 0; from < RECORDS; from += 2_000)
      expect([...lives.values()].some(({ first }) => first >= from && first < from + 2_000)).to.equal(true);
    expect(staying.length / lives.size).to.be.within(0.4, 0.6);
  });

  it('add less than 5,000 items to the feed in 360,000 records', () => {
    expect((staying.length / records.length) * 360_000).to.be.within(1_000, 5_000);
  });

  it('are all removed when the feed has enough of them', () => {
    const pool = generateListings({ seed: 1, count: 5, today: TODAY });
    const fresh = new FreshListings(new Random(1), pool, 10);
    const ids = new Set<string>();
    const removed = new Set<string>();
    for (let now = 0; now < 20_000; now += 10) {
      const { id, content } = fresh.next(now);
      ids.add(id);
      if (content.type === 'removed') removed.add(id);
    }
    const open = 50;
    expect(ids.size).to.be.above(500);
    expect(ids.size - removed.size).to.be.within(10, 10 + open);
  });
});
