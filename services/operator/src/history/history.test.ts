import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Histories } from './history.ts';
import { Prometheus } from './prometheus.ts';
import { SampleRings } from './status-samples.ts';

const NOW = 1_800_000_000_000;

/** Samples of one second each, with a lag of 1 s. */
function rings(): SampleRings {
  const samples = new SampleRings();
  for (let at = NOW - 60_000; at <= NOW; at += 2_000)
    samples.add({ at, live: 1, end: at / 1_000, lag: { records: 1, seconds: 1, position: at / 1_000 } });
  return samples;
}

describe('the history of the charts', () => {
  let server: Server | undefined;
  let requests: { url: URL; authorization: string | undefined }[] = [];
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
    requests = [];
  });

  /** A minimal Prometheus. */
  const prometheus = async (answer: (response: ServerResponse, query: string) => void): Promise<string> => {
    server = createServer(({ url = '', headers: { authorization } }, response) => {
      const asked = new URL(url, 'http://prometheus');
      requests.push({ url: asked, authorization });
      answer(response, asked.searchParams.get('query') ?? '');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const matrix = (...values: [number, string][]) =>
    JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values }] } });

  it('comes from the samples of the console, with the limits of the lag', async () => {
    const { source, series, from, to, thresholds } = await new Histories(rings(), undefined).read('1h', NOW);
    expect([source, to - from, thresholds.lagSeconds]).to.deep.equal([
      'console',
      3_600_000,
      { warn: 60, bad: 300 },
    ]);
    expect(series.arriving.map(({ value }) => value)).to.deep.equal([1, 1, 1, 1]);
    expect(series.lagSeconds.at(-1)).to.deep.equal({ at: NOW, value: 1 });
  });

  it('asks Prometheus for the longer ranges, with one bounded query for each series', async () => {
    const seconds = NOW / 1_000;
    const host = await prometheus((response, query) =>
      response.end(
        query.includes('lag_seconds')
          ? matrix([seconds - 300, '70'], [seconds - 200, 'NaN'], [seconds - 15, '2'], [seconds, '3'])
          : matrix([seconds, '5.5']),
      ),
    );
    const histories = new Histories(rings(), new Prometheus(`http://reader:s%20cret@${host}/prometheus`));
    const [{ source, series, prometheusFailed }] = await Promise.all([
      histories.read('1h', NOW),
      histories.read('1h', NOW),
    ]);
    expect([source, prometheusFailed]).to.deep.equal(['prometheus', undefined]);
    expect(series.applied).to.deep.equal([{ at: NOW, value: 5.5 }]);
    expect(series.lagSeconds).to.deep.equal([
      { at: NOW - 300_000, value: 70 },
      { at: NOW - 15_000, value: 2, isAfterGap: true },
      { at: NOW, value: 3 },
    ]);
    // Prometheus does not have these points.
    expect(series.arriving).to.have.length(4);
    expect(requests).to.have.length(3);
    for (const { url, authorization } of requests) {
      expect(url.pathname).to.equal('/prometheus/api/v1/query_range');
      const { start, end, step, timeout } = Object.fromEntries(url.searchParams);
      expect({ start, end, step, timeout }).to.deep.equal({
        start: String(seconds - 3_600),
        end: String(seconds),
        step: '15',
        timeout: '5s',
      });
      expect(authorization).to.equal(`Basic ${Buffer.from('reader:s cret').toString('base64')}`);
    }
    expect((await histories.read('5m', NOW)).source).to.equal('console');
    expect(requests).to.have.length(3);
  });

  for (const [what, answer, note] of [
    ['an error', (response: ServerResponse) => response.writeHead(503).end('no'), 'HTTP status 503'],
    ['HTML', (response: ServerResponse) => response.end('<html>'), 'the response is not from Prometheus'],
    [
      'another form of JSON',
      (response: ServerResponse) => response.end('{"data":{"result":{}}}'),
      'the response is not from Prometheus',
    ],
    [
      'a redirect',
      (response: ServerResponse) => response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end(),
      'unexpected redirect',
    ],
    [
      'too many bytes',
      (response: ServerResponse) => response.end('1'.repeat(2_000_000)),
      'the answer has more than 1048576 bytes',
    ],
    [
      'many points',
      (response: ServerResponse) =>
        response.end(`{"data":{"result":[{"values":[${Array(2_000).fill('[1,"2"]').join(',')}]}]}}`),
      'the answer has more than 1000 points',
    ],
    ['a cut connection', (response: ServerResponse) => response.destroy(), /UND_ERR_SOCKET|ECONNRESET/],
  ] as const)
    it(`falls back to the console's samples, and says why, if Prometheus sends ${what}`, async () => {
      const host = await prometheus(answer);
      const { source, series, prometheusFailed } = await new Histories(
        rings(),
        new Prometheus(`http://${host}`),
      ).read('24h', NOW);
      expect(source).to.equal('console');
      expect(series.lagSeconds.at(-1)).to.deep.equal({ at: NOW, value: 1 });
      expect(prometheusFailed).to.match(new RegExp(note));
    });

  it('does not wait for a Prometheus that never answers', async () => {
    const host = await prometheus(() => undefined);
    const history = await new Histories(rings(), new Prometheus(`http://${host}`)).read('24h', NOW);
    expect(history.prometheusFailed).to.equal('no answer within 5 s');
  }).timeout(60_000);
});
