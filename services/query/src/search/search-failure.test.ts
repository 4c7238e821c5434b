import { expect } from 'chai';
import { FeedUnavailable, incompleteSearch, PointInTimeLost, refusedSearch } from './search-failure.ts';

/** A response from Elasticsearch 9.5. */
const error = (type: string, cause?: string) =>
  Buffer.from(
    JSON.stringify({
      error: {
        root_cause: cause ? [{ type: cause, reason: 'x' }] : [],
        type,
        reason: 'all shards failed',
        ...(cause && {
          failed_shards: [{ shard: 0, index: 'items-1', node: null, reason: { type: cause, reason: 'x' } }],
        }),
      },
    }),
  );
const PHASE = 'search_phase_execution_exception';
const kindOf = (failure: Error | undefined) => failure?.constructor.name;

describe('search failure', () => {
  for (const [status, type, cause] of [
    [404, PHASE, 'search_context_missing_exception'],
    [404, 'index_not_found_exception', 'index_not_found_exception'],
    [503, PHASE, 'no_shard_available_action_exception'],
    [404, PHASE, 'shard_not_found_exception'],
    [502, PHASE, 'node_not_connected_exception'],
    [502, PHASE, 'node_disconnected_exception'],
  ] as const) {
    it(`${status} ${cause}: the point in time is lost`, () => {
      expect(kindOf(refusedSearch(status, error(type, cause)))).to.equal('PointInTimeLost');
    });
  }

  for (const [status, type, cause] of [
    [429, PHASE, 'es_rejected_execution_exception'],
    [429, 'circuit_breaking_exception', 'circuit_breaking_exception'],
    [503, 'cluster_block_exception', 'cluster_block_exception'],
    [500, PHASE, 'io_exception'],
    [504, PHASE, 'timeout_exception'],
    [400, 'index_closed_exception', 'index_closed_exception'],
    [401, 'security_exception', 'security_exception'],
    [403, 'security_exception', 'security_exception'],
  ] as const) {
    it(`${status} ${cause}: unavailable, and the point in time stays`, () => {
      expect(kindOf(refusedSearch(status, error(type, cause)))).to.equal('FeedUnavailable');
    });
  }

  it('400 for any other reason: the request was invalid', () => {
    for (const cause of ['parsing_exception', 'query_shard_exception', 'illegal_argument_exception']) {
      const failure = refusedSearch(400, error(PHASE, cause));
      expect(failure).to.be.instanceOf(Error).and.not.instanceOf(FeedUnavailable);
      expect(failure.message).to.include(cause);
    }
  });

  it('400 because of a cluster setting: unavailable, with the setting and its repair', () => {
    for (const name of ['search.max_keep_alive', 'search.max_buckets', 'search.allow_expensive_queries']) {
      const reason = `refused. This limit can be set by changing the [${name}] cluster level setting.`;
      const body = Buffer.from(JSON.stringify({ error: { type: 'illegal_argument_exception', reason } }));
      const failure = refusedSearch(400, body);
      expect(kindOf(failure)).to.equal('FeedUnavailable');
      expect(failure.message).to.include(`the cluster setting ${name} `).and.to.include('_cluster/settings');
    }
  });

  it('a body that is not from Elasticsearch: unavailable', () => {
    const causes = [
      '"gone"',
      'null',
      '{"root_cause":"x"}',
      '{"root_cause":[null]}',
      '{"failed_shards":[null,{}]}',
      '{"type":7}',
    ];
    for (const body of [
      '',
      '<html>Bad Gateway</html>',
      'null',
      ...causes.map((cause) => `{"error":${cause}}`),
    ]) {
      expect(kindOf(refusedSearch(502, Buffer.from(body))), body).to.equal('FeedUnavailable');
    }
  });

  it('reports rejected credentials to the operator', () => {
    expect(refusedSearch(401, error('security_exception')).message).to.include(
      "rejected this service's credentials",
    );
    expect(refusedSearch(403, error('security_exception')).message).to.include('do not permit this search');
  });

  it('a partial result is a failure, and the point in time is lost only if something is missing', () => {
    const shards = (...types: string[]) => ({
      timed_out: false,
      _shards: {
        total: 4,
        successful: 2,
        failed: 2,
        failures: types.map((type) => ({ shard: 0, reason: { type } })),
      },
    });
    expect(incompleteSearch({ timed_out: false, _shards: { total: 1, successful: 1, failed: 0 } })).to.equal(
      undefined,
    );
    expect(incompleteSearch(shards('no_shard_available_action_exception'))).to.be.instanceOf(PointInTimeLost);
    expect(incompleteSearch(shards('io_exception', 'search_context_missing_exception'))).to.be.instanceOf(
      PointInTimeLost,
    );
    expect(kindOf(incompleteSearch(shards('es_rejected_execution_exception')))).to.equal('FeedUnavailable');
    expect(kindOf(incompleteSearch(shards()))).to.equal('FeedUnavailable');
    expect(
      kindOf(incompleteSearch({ timed_out: true, _shards: { total: 1, successful: 1, failed: 0 } })),
    ).to.equal('FeedUnavailable');
  });
});
