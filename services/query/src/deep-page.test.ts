import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { readDeepPage } from './deep-page.ts';

/** Ten hits, their rank as sort key, searched as Elasticsearch does. */
function searchTen(request: estypes.SearchRequest): Promise<estypes.SearchResponse<unknown>> {
  const [after = -1] = (request.search_after ?? []) as number[];
  const hits = Array.from({ length: 10 }, (_, rank) => ({ _index: 'i', _id: String(rank), sort: [rank] })).slice(
    after + 1,
    after + 1 + (request.size ?? 10),
  );
  return Promise.resolve({
    took: 1,
    timed_out: false,
    _shards: { failed: 0, successful: 1, total: 1 },
    hits: { ...(request.track_total_hits && { total: { value: 10, relation: 'eq' } }), hits },
  });
}

describe('deep page', () => {
  for (const window of [1, 3, 4, 100]) {
    it(`is exact wherever it begins, in steps of ${window}`, async () => {
      for (let from = 0; from <= 12; from++) {
        const sizes: number[] = [];
        const { hits } = await readDeepPage({ from, size: 4, track_total_hits: true }, window, (step) => {
          sizes.push(step.size ?? 10);
          return searchTen(step);
        });
        expect(hits.map(({ _id }) => Number(_id))).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].slice(from, from + 4));
        expect(Math.max(...sizes.slice(0, -1))).to.be.at.most(window);
      }
    });
  }

  it('past the end only counts', async () => {
    const steps: estypes.SearchRequest[] = [];
    const { counted, hits } = await readDeepPage({ from: Number.MAX_SAFE_INTEGER * 100, size: 100, track_total_hits: true, aggs: {} }, 10, (step) => {
      steps.push(step);
      return searchTen(step);
    });
    expect(hits).to.deep.equal([]);
    expect(counted.hits.total).to.deep.equal({ value: 10, relation: 'eq' });
    expect(steps).to.deep.equal([{ from: 0, size: 0, track_total_hits: true, aggs: {} }]);
  });
});
