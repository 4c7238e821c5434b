import { rm } from 'node:fs/promises';
import { itemsAlias } from '@vitrine/feed-index';
import { expect } from 'chai';
import type { Schedule } from '../soak/plan/schedule.ts';
import { runSoak, type SoakOptions } from '../soak/run-soak.ts';

const SEED = 11;
/** A schedule with a little of everything, so that the test is short. */
const SCHEDULE: Schedule = {
  faults: [
    { at: 10, kind: 'kill-query', target: 1, duration: 1 },
    { at: 20, kind: 'kill-projector', target: 2, duration: 1 },
    { at: 35, kind: 'kill-follower', target: 1, duration: 1 },
    { at: 40, kind: 'lost-responses', target: 0, duration: 8 },
    { at: 60, kind: 'kill-ingest', target: 1, duration: 1 },
  ],
  operator: [
    { at: 15, kind: 'reconcile' },
    { at: 30, kind: 'rebuild' },
  ],
  leftOut: [],
};
const QUIET: Schedule = { faults: [], operator: [], leftOut: [] };

describe('a soak', () => {
  const run = async (options: Partial<SoakOptions>) => {
    const tell = (message: string) => process.stderr.write(`# ${message}\n`);
    const { signal } = new AbortController();
    const report = await runSoak({
      minutes: 2.5,
      seed: SEED,
      rate: 25,
      signal,
      tell,
      schedule: SCHEDULE,
      ...options,
    });
    await rm(report.folder, { recursive: true });
    return report;
  };

  it('passes although services and followers are killed, responses are lost and a rebuild runs', async () => {
    const report = await run({});
    expect(report.violations).to.deep.equal([]);
    expect(report.comparisons.filter(({ differences }) => differences > 0)).to.deep.equal([]);
    expect(report.comparisons.map(({ what }) => what)).to.include.members([
      'index: items',
      'dead letters',
      'feed: rows of the marketplace',
      'query 2: pages of the agent feed',
      'follower 1: copy',
      'follower of both services: copy',
    ]);
    expect(report.faults).to.deep.equal({
      'kill-query': 1,
      'kill-projector': 1,
      'kill-ingest': 1,
      'kill-follower': 1,
      'lost-responses': 1,
    });
    // One reconciliation follows the load.
    expect(report.operator).to.deep.equal({ rebuild: 1, reconcile: 2 });
    expect(report.rows.lost).to.be.above(0);
    expect(report.verdict).to.equal('passed');
  });

  it('fails if the index loses items and contains a removed one, and if a copy differs', async () => {
    let row = '';
    const report = await run({
      minutes: 0.5,
      schedule: QUIET,
      equalWithinMs: 15_000,
      beforeComparison: async ({ deployment: { client, prefix } }, { follower }) => {
        const index = itemsAlias(prefix);
        const { _source } = await client.get<object>({ index, id: 'steady-00001' });
        await client.index({
          index,
          id: 'returned',
          document: { ..._source, id: 'returned' },
          refresh: true,
        });
        const { hits } = await client.search({ index, size: 1, query: { prefix: { id: 'row-' } } });
        row = hits.hits[0]?._id ?? expect.fail('no row is in the feed');
        for (const id of ['steady-00000', row]) await client.delete({ index, id, refresh: true });
        follower.copy.delete('steady-00002');
      },
    });
    expect(report.verdict).to.equal('failed');
    const wrong = report.comparisons.filter(({ differences }) => differences > 0);
    const detailOf = (name: string) => wrong.find(({ what }) => what === name)?.detail;
    expect(detailOf('index: items')).to.match(/^2 missing \(.*steady-00000.*\), 1 extra \(returned\)$/);
    expect(detailOf('query 1: export')).to.match(/^2 missing \(.*steady-00000/);
    expect(detailOf('feed: rows of the marketplace')).to.equal(`1 missing (${row})`);
    expect(detailOf('follower of both services: copy')).to.include('missing (steady-00002)');
    expect(report.violations.map(({ what }) => what).join()).to.include('verify --self');
  });
});
