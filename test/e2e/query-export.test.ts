import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { changeNumber, generationNames } from '@vitrine/feed-index';
import { generateItems } from '@vitrine/fixtures';
import { startQueryService } from '@vitrine/query';
import { expect } from 'chai';
import { pino } from 'pino';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { engines } from '../support/engines.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { PATIENT, type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually, metricOf } from '../support/service-process.ts';

const LONG_AGO = Date.now() - 3_600_000;
/** Enough items for more than two slices, and for more bytes than a connection's buffers hold. */
const ITEMS = 5_000;

describe('query service: export', () => {
  let deployment: QueryDeployment;
  const items = generateItems(ITEMS);
  const first = items.reduce((one, other) => (one.id < other.id ? one : other));
  const ids = items.map(({ id }) => id).sort();
  const read = async (path = '/export', headers: Record<string, string> = {}) => {
    const response = await fetchAccepted(`${deployment.origin}/api${path}`, { headers });
    const body = await response.text();
    return {
      response,
      lines: body
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { id: string }),
    };
  };
  /** Sends a request for an export and reads nothing from the response. */
  const stopped = (port = deployment.port, client = '192.0.2.1') => {
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.on('error', () => undefined);
    socket.write(`GET /api/export HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\n\r\n`);
    return socket;
  };
  const noExportRuns = () =>
    eventually('no export runs', async () => (await metricOf(deployment.admin, 'exports_running')) === 0);

  before(async () => {
    deployment = await startQuery({ env: { TRUSTED_PROXIES: '1' } });
    const { elasticsearch, prefix } = deployment;
    await deployment.createIndex(items);
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    const entries = items.map(({ id }) => [id, 'updated'] as const);
    await writeEntries(elasticsearch, prefix, 1, entries, LONG_AGO);
    await writeEntries(elasticsearch, prefix, 1, [['gone', 'deleted']], Date.now());
  });
  after(async () => {
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  it('contains every item, ascending by id, and continues before the latest changes', async () => {
    const { response, lines } = await read();
    expect(response.headers.get('content-type')).to.equal('application/x-ndjson');
    expect(lines.map(({ id }) => id)).to.deep.equal(ids);
    const { feed_item, calendar, ad_type, published_at } = first;
    expect(lines[0]).to.deep.equal({
      ...feed_item,
      availability: calendar,
      ...(ad_type && { ad_type }),
      published_at: new Date(published_at).toISOString(),
    });
    const number = changeNumber(1, ITEMS - 1);
    expect(response.headers.get('link')).to.equal(
      `<${deployment.origin}/api/changes?afterChangeNumber=${number}>; rel="next"`,
    );
    await eventually(
      'it is counted as complete',
      async () => (await metricOf(deployment.admin, 'exports_total', '{outcome="complete"}')) === 1,
    );
    const counted = (status: number) =>
      metricOf(deployment.admin, 'http_requests_total', `operation="getExport",status="${status}"`);
    await eventually('it is counted as delivered', async () => (await counted(200)) === 1);
    expect(await counted(499)).to.equal(0);
  });

  it('continues after an id', async () => {
    const { lines } = await read(`/export?after=${ids[ITEMS - 3]}`);
    expect(lines.map(({ id }) => id)).to.deep.equal(ids.slice(-2));
    expect((await read(`/export?after=${ids.at(-1)}`)).lines).to.deep.equal([]);
  });

  it('has the same headers for HEAD, and then sends nothing', async () => {
    const response = await fetchAccepted(`${deployment.origin}/api/export`, { method: 'HEAD' });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/x-ndjson');
    expect(response.headers.get('link')).to.include(`afterChangeNumber=${changeNumber(1, ITEMS - 1)}>`);
    expect(await response.text()).to.equal('');
  });

  it('continues after any text, and rejects text that is not UTF-8 or is too long', async () => {
    for (const [after, status] of [
      ['%00', 200],
      ['%22%5C%0A', 200],
      ['%F0%9F%8F%A0', 200],
      ['%ED%A0%80', 400],
      ['%FF', 400],
      ['a'.repeat(513), 400],
    ] as const) {
      const response = await fetchAccepted(`${deployment.origin}/api/export?after=${after}`);
      await response.body?.cancel();
      expect(response.status, after).to.equal(status);
      await noExportRuns();
    }
  });

  it('is compressed in each encoding', async () => {
    const decoders = { br: createBrotliDecompress, zstd: createZstdDecompress, gzip: createGunzip };
    for (const [encoding, decoder] of Object.entries(decoders)) {
      const received = Promise.withResolvers<string>();
      request(`${deployment.origin}/api/export`, { headers: { 'Accept-Encoding': encoding } }, (response) => {
        expect(response.headers['content-encoding']).to.equal(encoding);
        textOf(response.pipe(decoder())).then(received.resolve, received.reject);
      }).end();
      expect((await received.promise).trimEnd().split('\n')).to.have.length(ITEMS);
    }
  });

  it('G4: refuses a second export of one client, and then a third one, until one ends', async () => {
    const runs = (count: number) =>
      eventually('exports run', async () => (await metricOf(deployment.admin, 'exports_running')) === count);
    const requested = async (client: string, method = 'GET') => {
      const headers = { 'X-Forwarded-For': client };
      const response = await fetch(`${deployment.origin}/api/export?after=${ids.at(-2)}`, {
        method,
        headers,
      });
      await response.text();
      return response;
    };
    expect((await requested('192.0.2.2')).status).to.equal(200);
    await noExportRuns();
    // The service cuts off an export whose client reads nothing for 30 s, so the test sends only a few
    // requests while the exports run.
    const first = stopped(deployment.port, '192.0.2.1');
    await runs(1);
    const second = stopped(deployment.port, '192.0.2.2');
    await runs(2);
    expect((await requested('192.0.2.1')).status).to.equal(503);
    const { status, headers } = await requested('192.0.2.3');
    expect(status).to.equal(503);
    expect(headers.get('retry-after')).to.match(/^\d+$/);
    for (const client of ['192.0.2.1', '192.0.2.3'])
      expect((await requested(client, 'HEAD')).status, 'HEAD takes no place').to.equal(200);
    for (const socket of [first, second]) socket.destroy();
    await noExportRuns();
    expect((await requested('192.0.2.1')).status).to.equal(200);
    const refused = (outcome: string) => metricOf(deployment.admin, 'exports_total', `outcome="${outcome}"`);
    expect([await refused('over_share'), await refused('refused')]).to.deep.equal([1, 1]);
  });

  it('is broken off when the service stops, and this is not logged as a failure', async () => {
    let lines = '';
    const log = pino({ level: 'warn' }, { write: (line) => (lines += line) });
    const { settings } = await engines();
    const env = {
      ...settings,
      INDEX_PREFIX: deployment.prefix,
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'warn',
    };
    const service = await startQueryService(env, log, PATIENT);
    const socket = stopped(service.port);
    socket.resume();
    const [piece] = (await once(socket, 'data')) as [Buffer];
    expect(piece.toString()).to.match(/^HTTP\/1\.1 200/);
    socket.pause();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await service.stop();
    socket.resume();
    await closed;
    // On a busy machine, a readiness probe may fail, but no request may.
    const logged = lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { level: number; url?: string; requests?: number });
    const ofRequests = logged.filter(
      ({ level, url, requests = 0 }) =>
        level > Number(pino.levels.values.warn) || url !== undefined || requests > 0,
    );
    expect(ofRequests).to.deep.equal([]);
  });

  it('states its end although a later item was just removed', async () => {
    const [beforeLast, last] = ids.slice(-2);
    const { items: index } = generationNames(deployment.prefix, 1);
    await deployment.elasticsearch.delete({ index, id: last as string, refresh: true });
    const response = await fetchAccepted(`${deployment.origin}/api/export?after=${beforeLast}`);
    expect([response.headers.get('content-length'), await response.text()]).to.deep.equal(['0', '']);
  });

  it('never ends as if it were complete if Elasticsearch fails', async () => {
    const socket = stopped();
    await eventually('it runs', async () => (await metricOf(deployment.admin, 'exports_running')) === 1);
    // An export that has sent nothing would be refused with 503.
    const begun = once(socket, 'data');
    socket.resume();
    const pieces = (await begun) as Buffer[];
    socket.pause();
    await deployment.elasticsearch.indices.delete({ index: generationNames(deployment.prefix, 1).items });
    socket.on('data', (piece) => pieces.push(piece));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
    const body = Buffer.concat(pieces).toString();
    expect(body).to.match(/^HTTP\/1\.1 200/);
    expect(body.endsWith('0\r\n\r\n'), 'the last chunk').to.equal(false);
    expect(await metricOf(deployment.admin, 'exports_total', '{outcome="failed"}')).to.equal(1);
  });
});
