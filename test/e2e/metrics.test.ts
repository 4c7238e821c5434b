import { generationNames } from '@vitrine/feed-index';
import { EXPECTED, listingEvent, POISON, RECORDS, recordOf, SKIPPED, TODAY } from '@vitrine/fixtures';
import type { StateDocument } from '@vitrine/projection/store';
import { type QueryService, startQueryService } from '@vitrine/query';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { documentedMetrics, usedMetrics } from '../contract/observability-documents.ts';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { PATIENT } from '../support/query-service.ts';
import { eventually, metricOf } from '../support/service-process.ts';

/** The number of valid events with known types in the fixture, and the number of its listings. */
const FOLDED = RECORDS.length - POISON - SKIPPED;
const LISTINGS = 6;

describe('the metrics of the projector and the query service', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let query: QueryService;
  const served = new Map<string, string>();
  const ofProjector = (name: string, labels?: string) => metricOf(projector.admin, name, labels);
  const ofQuery = (name: string, labels?: string) =>
    metricOf(`http://127.0.0.1:${query.adminPort}`, name, labels);
  const reaches = (what: string, read: () => Promise<number>, value: number) =>
    eventually(`${what} = ${value}`, async () => (await read()) === value);

  before(async () => {
    deployment = await createDeployment('metrics', 2);
    await deployment.publish(RECORDS);
    projector = await runProjector(deployment, {}, { observeEvery: 200, countEvery: 200 });
    await deployment.caughtUp();
    await deployment.client.indices.refresh({ index: generationNames(deployment.prefix, 1).states });
    query = await startQueryService(
      { ...deployment.env, FEED_TODAY: TODAY, CACHE_FRESH_SECONDS: '300' },
      createLog('query', 'silent'),
      PATIENT,
    );
    await reaches('ready', () => ofQuery('service_ready'), 1);
    for (const target of ['/public-feed', '/public-feed', '/ai-feed/rent', '/public-feed?page=x', '/nowhere'])
      await (
        await fetch(`http://127.0.0.1:${query.port}/api${target}`, { headers: { 'x-request-id': 'abc' } })
      ).text();
    for (const [service, port] of [
      ['projector', projector.admin],
      ['query', `http://127.0.0.1:${query.adminPort}`],
    ] as const)
      served.set(service, await (await fetch(`${port}/metrics`)).text());
  });
  after(async () => {
    await query.stop();
    await projector.stop();
    await deployment.close();
  });

  const namesIn = (service: string) =>
    [...(served.get(service) ?? '').matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string);
  const ownIn = (service: string) => namesIn(service).filter((name) => !/^(process|nodejs)_/.test(name));

  it('each service exports exactly the metrics that its table in the documents lists', () => {
    const shared = documentedMetrics('Metrics of both services');
    const ofBoth = shared.filter((name) => !/^(process|nodejs)_/.test(name));
    for (const [service, heading] of [
      ['projector', 'Metrics of the projector'],
      ['query', 'Metrics of the query service'],
    ] as const) {
      expect(namesIn(service), service).to.include.members(shared);
      expect(ownIn(service), service).to.have.members([...ofBoth, ...documentedMetrics(heading)]);
    }
  });

  it('the services export every metric that the alerts and the dashboard use', () => {
    expect(usedMetrics).to.have.length.above(20);
    const ofIngest = documentedMetrics('Metrics of the ingest');
    expect([...namesIn('projector'), ...namesIn('query'), ...ofIngest]).to.include.members(usedMetrics);
  });

  it('records, folds, skipped events, dead letters and writes are counted', async () => {
    // The projector counts a record shortly after its commit, so the counts may still be growing.
    await reaches('records', () => ofProjector('projector_records_total'), RECORDS.length);
    await reaches('folds', () => ofProjector('projector_folds_total'), FOLDED);
    expect(await ofProjector('projector_skipped_total')).to.equal(SKIPPED);
    expect(await ofProjector('projector_freshness_seconds_count')).to.equal(FOLDED);
    expect(await ofProjector('projector_dead_letters_total')).to.equal(POISON);
    for (const reason of ['not-json', 'tombstone-without-version'])
      expect(await ofProjector('projector_dead_letters_total', `"${reason}"`)).to.equal(1);
    expect(await ofProjector('projector_bulk_entries_total', 'index="states",outcome="done"')).to.be.at.least(
      LISTINGS,
    );
    expect(await ofProjector('projector_batch_bytes_sum')).to.be.at.least(
      await ofProjector('projector_record_bytes_total'),
    );
    expect(
      await ofProjector('elasticsearch_request_duration_seconds_count', 'operation="bulk",outcome="2xx"'),
    ).to.be.at.least(2);
  });

  it('gauges show the items, the hidden listings and the live generation', async () => {
    await reaches('items', () => ofProjector('projector_generation_items'), EXPECTED.length);
    for (const reason of ['removed', 'price'])
      await reaches(
        reason,
        () => ofProjector('projector_generation_hidden_listings', `reason="${reason}"`),
        1,
      );
    expect(
      await ofProjector('projector_generation_info', 'generation="1",role="live",phase="ready"'),
    ).to.equal(1);
    await reaches('lag', () => ofProjector('projector_lag_records'), 0);
    expect(await ofProjector('projector_lag_seconds')).to.equal(0);
  });

  it('changes are counted, measured until they are visible, and shown with their size', async () => {
    // The removed and the incomplete listing were never in the feed, so they have no entries.
    const entries = EXPECTED.length;
    await reaches('entries', () => ofProjector('projector_changes_entries', 'generation="1"'), entries);
    expect(await ofProjector('projector_changes_total', 'state="updated"')).to.equal(entries);
    expect(await ofProjector('projector_changes_total')).to.equal(entries);
    await eventually(
      'visible changes',
      async () => (await ofProjector('projector_change_visible_seconds_count')) >= entries,
    );
    await eventually(
      'bytes',
      async () => (await ofProjector('projector_changes_bytes', 'generation="1"')) > 0,
    );
    const now = Date.now() / 1_000;
    const since = await ofProjector('projector_changes_since_timestamp_seconds', 'generation="1"');
    expect(since).to.be.within(now - 600, now);
  });

  it('responses are counted by operation, status and cache outcome', async () => {
    const answers = (labels: string) => ofQuery('http_requests_total', labels);
    expect(await answers('operation="getPublicFeed",status="200",cache="miss"')).to.equal(1);
    expect(await answers('operation="getPublicFeed",status="200",cache="fresh"')).to.equal(1);
    expect(await answers('operation="getAiFeedByType",status="200",cache="miss"')).to.equal(1);
    expect(await answers('operation="getPublicFeed",status="400",cache="none"')).to.equal(1);
    expect(await answers('operation="none",status="404",cache="none"')).to.equal(1);
    expect(await ofQuery('http_request_duration_seconds_count', 'operation="getPublicFeed"')).to.equal(3);
    expect(await ofQuery('page_cache_reads_total', 'outcome="fresh"')).to.equal(1);
    expect(await ofQuery('elasticsearch_search_duration_seconds_count')).to.equal(2);
    expect(
      await ofQuery('elasticsearch_request_duration_seconds_count', 'operation="search",outcome="2xx"'),
    ).to.be.at.least(3);
  });

  it('the projector reports pauses, lag and unreadiness while Elasticsearch rejects writes, and then recovers', async () => {
    const { states } = generationNames(deployment.prefix, 1);
    const block = (on: true | null) =>
      deployment.client.indices.putSettings({ index: states, settings: { 'index.blocks.write': on } });
    await block(true);
    try {
      await deployment.publish(RECORDS.slice(0, 1));
      await reaches('paused', () => ofProjector('projector_paused_partitions', 'generation="1"'), 1);
      await eventually(
        'the lag is at least 2 s',
        async () => (await ofProjector('projector_lag_seconds')) >= 2,
      );
      expect(await ofProjector('projector_lag_records')).to.equal(1);
      expect(await ofProjector('service_ready')).to.equal(0);
      expect((await projector.reasons()).join()).to.match(
        /partition \d is paused: .*cluster_block_exception/,
      );
      expect(
        await ofProjector('projector_bulk_entries_total', 'index="states",outcome="unavailable"'),
      ).to.be.above(0);
      expect(await ofProjector('projector_elasticsearch_retries_total')).to.be.above(0);
    } finally {
      await block(null);
    }
    await deployment.caughtUp();
    for (const name of ['projector_paused_partitions', 'projector_lag_records', 'projector_lag_seconds'])
      await reaches(name, () => ofProjector(name), 0);
    await reaches('ready', () => ofProjector('service_ready'), 1);
    await reaches('folds', () => ofProjector('projector_folds_total'), FOLDED + 1);
  });

  it('superseded events are counted by source and noted in the state, but a reload is not', async () => {
    const superseded = () => ofProjector('projector_superseded_total');
    const folds = () => ofProjector('projector_folds_total');
    const publish = async (records: readonly Published[]) => {
      const before = await folds();
      await deployment.publish(records);
      await deployment.caughtUp();
      return before;
    };
    const event = (source: string, version: number, second: number) =>
      recordOf({
        ...listingEvent('two-sources', version, `2026-11-25T00:00:0${second}Z`, {
          type: 'changed',
          data: { changes: { price: second } },
        }),
        source,
      });
    const records = [event('/clock', 1_700_000_000_000, 1), event('/relay\n', 5, 2)];
    const counted = await superseded();
    let before = await publish(records);
    await reaches('folds', folds, before + 2);
    expect(await superseded()).to.equal(counted + 1);
    expect(await ofProjector('projector_superseded_total', 'source="/relay",kind="changed"')).to.equal(1);
    const { states } = generationNames(deployment.prefix, 1);
    const { _source } = await deployment.client.get<StateDocument>({ index: states, id: 'two-sources' });
    expect(_source?.state.ignored).to.deep.equal([
      {
        source: '/relay\n',
        kind: 'changed',
        version: 5,
        time: Date.parse('2026-11-25T00:00:02Z'),
        member: 'price',
        held: 1_700_000_000_000,
      },
    ]);
    before = await publish([...RECORDS, ...records, ...records.toReversed()]);
    await reaches('folds', folds, before + FOLDED + 4);
    expect(await superseded()).to.equal(counted + 1);
  });
});
