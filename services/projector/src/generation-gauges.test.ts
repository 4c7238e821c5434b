import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GenerationRecord, Registry } from '@vitrine/feed-index';
import { createMetrics } from '@vitrine/projection';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { keepCounting, showGenerations } from './generation-gauges.ts';

describe('keepCounting', () => {
  it('ends at once after an abort, although Elasticsearch is frozen', async () => {
    const frozen = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(frozen, 'listening');
    const url = `http://127.0.0.1:${(frozen.address() as AddressInfo).port}`;
    const client = createElasticsearch({ url, requestTimeout: 60_000, maxRetries: 0 });
    const stopping = new AbortController();
    const counting = keepCounting({
      client,
      prefix: 'p',
      metrics: createMetrics(),
      log: createLog('projector', 'silent'),
      everyMs: 60_000,
      signal: stopping.signal,
    });
    await once(frozen, 'request');
    stopping.abort();
    await counting;
    await client.close();
    frozen.closeAllConnections();
    frozen.close();
  });
});

describe('showGenerations', () => {
  const now = Date.parse('2026-11-01T00:00:00Z');
  const record = (number: number, phase: GenerationRecord['phase']): GenerationRecord => ({
    number,
    phase,
    versions: { states: 1, items: 1, rules: 1 },
    created_at: '2026-11-01T00:00:00Z',
    origin: { from: 'topic' },
  });
  const builder = {
    id: 'b',
    host: 'h',
    pid: 1,
    started_at: '2026-11-01T00:00:00Z',
    seen_at: '2026-11-01T00:00:00Z',
    done: 3,
    total: 10,
  };
  const lost = {
    ...builder,
    id: 'd',
    seen_at: '2026-11-01T00:00:01Z',
    done: 1,
    lost: { at: '2026-11-01T00:00:01Z', host: 'h', pid: 1 },
  };
  const samples = async (registries: Registry[], at = now) => {
    const metrics = createMetrics();
    for (const registry of registries) showGenerations(metrics, registry, { live: 1, previous: 2 }, at);
    const lines = (await metrics.registry.metrics()).split('\n');
    return lines.filter((line) => /^projector_(generation_info|replay)/.test(line));
  };

  it('shows the role of each generation and the progress of the replay', async () => {
    const registry = {
      generations: [record(1, 'ready'), record(2, 'ready'), record(3, 'deriving')],
      last: 3,
      // The progress with the latest heartbeat counts, not that of a lost builder.
      builders: [builder, { ...builder, id: 'c', seen_at: '2026-10-31T23:59:58Z', done: 2 }, lost],
    };
    expect(await samples([registry])).to.deep.equal([
      'projector_generation_info{generation="1",role="live",phase="ready"} 1',
      'projector_generation_info{generation="2",role="previous",phase="ready"} 1',
      'projector_generation_info{generation="3",role="building",phase="deriving"} 1',
      'projector_replay_done{generation="3",phase="deriving"} 3',
      'projector_replay_total{generation="3",phase="deriving"} 10',
    ]);
  });

  it('distinguishes a dead replay from a running one', async () => {
    const registry = {
      generations: [record(1, 'ready'), record(3, 'folding')],
      last: 3,
      builders: [builder],
    };
    expect((await samples([registry], now + 60_000)).join()).to.include(
      'generation="3",role="unfinished",phase="folding"',
    );
  });

  it('shows the last run of verify --self, and no metric before the first run', async () => {
    const metrics = createMetrics();
    const verifySamples = async (self_check?: Registry['self_check']) => {
      const registry = { generations: [record(1, 'ready')], last: 1, ...(self_check && { self_check }) };
      showGenerations(metrics, registry, { live: 1 }, now);
      const lines = (await metrics.registry.metrics()).split('\n');
      return lines.filter((line) => line.startsWith('projector_last_verify'));
    };
    expect(await verifySamples()).to.deep.equal([]);
    const since = '1970-01-01T00:00:10Z';
    expect(await verifySamples({ since })).to.deep.equal([
      'projector_last_verify_success_timestamp_seconds 10',
    ]);
    const repaired = { generation: 1, at: '1970-01-01T00:00:20Z', outcome: 'repaired' as const };
    const counts = { repaired: 3, unrepaired: 0 };
    expect(
      await verifySamples({ since, succeeded_at: repaired.at, last: { ...repaired, ...counts } }),
    ).to.deep.equal([
      'projector_last_verify_timestamp_seconds{outcome="repaired"} 20',
      'projector_last_verify_success_timestamp_seconds 20',
      'projector_last_verify_differences{result="repaired"} 3',
      'projector_last_verify_differences{result="unrepaired"} 0',
    ]);
    const failed = { ...repaired, at: '1970-01-01T00:00:30Z', outcome: 'failed' as const };
    expect(
      await verifySamples({ since, succeeded_at: repaired.at, last: { ...failed, ...counts } }),
    ).to.include.members([
      'projector_last_verify_timestamp_seconds{outcome="failed"} 30',
      'projector_last_verify_success_timestamp_seconds 20',
    ]);
  });

  it('shows the last complete run of reconcile and its age, and no metric before the first run', async () => {
    const metrics = createMetrics();
    const reconcileSamples = async (reconciliation?: Registry['reconciliation']) => {
      const registry = { generations: [], last: 1, ...(reconciliation && { reconciliation }) };
      showGenerations(metrics, registry, { live: 1 }, now);
      const lines = (await metrics.registry.metrics()).split('\n');
      return lines.filter((line) => line.startsWith('reconcile'));
    };
    expect(await reconcileSamples()).to.deep.equal([]);
    const run = { at: '2026-10-31T23:58:00Z', as_of: '2026-10-31T23:00:00Z', source: 9, equal: 4 };
    expect(await reconcileSamples({ ...run, missing: 3, extra: 2, different: 1, changed: 1 })).to.deep.equal([
      'reconcile_differences{kind="missing"} 3',
      'reconcile_differences{kind="extra"} 2',
      'reconcile_differences{kind="different"} 1',
      'reconcile_age_seconds 120',
    ]);
    expect(await reconcileSamples()).to.deep.equal([]);
  });

  it('removes the metrics of removed generations', async () => {
    const before = { generations: [record(1, 'ready'), record(3, 'deriving')], last: 3, builders: [builder] };
    expect(await samples([before, { generations: [record(1, 'ready')], last: 3 }])).to.deep.equal([
      'projector_generation_info{generation="1",role="live",phase="ready"} 1',
    ]);
  });
});
