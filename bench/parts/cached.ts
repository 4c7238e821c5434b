import { availableParallelism } from 'node:os';
import type { BenchContext } from '../bench-context.ts';
import { get, type HttpRequest } from '../http-connection.ts';
import { cpuSeconds } from '../process-figures.ts';
import type { Row } from '../results.ts';
import { alternate, median, rounded } from '../statistics.ts';
import type { Subject } from '../subjects.ts';

const TARGET = '/api/public-feed?city=city-3&pageSize=20';
const CONNECTIONS = 64;
const SECONDS = 4;
const WARM_UP_SECONDS = 2;
const ROUNDS = 5;
const AT_LEAST = 0.9;

interface Round {
  requestsPerSecond: number;
  cpuMicroseconds: number;
  generatorBusy: number;
}
type Rounds = Record<'service' | 'bare', Round[]>;

/**
 * Measures requests per second of a cached page and of a 304, relative to node:http alone with the same
 * bytes.
 */
export async function cached(context: BenchContext): Promise<void> {
  // The load generator needs its own core. Otherwise, it would be the bottleneck.
  const processes = Math.max(1, Math.min(2, availableParallelism() - 2));
  const prefix = await context.dataset(context.items);
  const service = await context.query(prefix, { PROCESSES: String(processes) });
  const bare = await context.peer('peers/bare-server.ts', {
    ORIGIN_PORT: String(service.port),
    TARGET,
    PROCESSES: String(processes),
  });
  context.report([], { processes, connections: CONNECTIONS, target: TARGET });

  const page = await context.step('cached page', 120, () =>
    compare(context, service, bare, 200, get(TARGET)),
  );
  context.report([row('cached page', page)], { '200': page });

  const { headers } = await context.connect(service.port).send(get(TARGET));
  const conditional = get(TARGET, { 'if-none-match': String(headers.etag) });
  const unchanged = await context.step('304', 120, () => compare(context, service, bare, 304, conditional));
  context.report([row('304', unchanged)], { '304': unchanged });
}

async function compare(
  context: BenchContext,
  service: Subject,
  bare: Subject,
  status: number,
  request: HttpRequest,
): Promise<Rounds> {
  const options = { request: () => request, connections: CONNECTIONS, status };
  for (const { port } of [service, bare]) await context.load({ ...options, port, seconds: WARM_UP_SECONDS });
  const measured =
    ({ port, pid }: Subject) =>
    async (): Promise<Round> => {
      const before = await cpuSeconds(pid);
      const { requestsPerSecond, requests, generatorBusy } = await context.load({
        ...options,
        port,
        seconds: SECONDS,
      });
      const cpuMicroseconds = (((await cpuSeconds(pid)) - before) / requests) * 1e6;
      return {
        requestsPerSecond: rounded(requestsPerSecond),
        cpuMicroseconds: rounded(cpuMicroseconds),
        generatorBusy: rounded(generatorBusy, 2),
      };
    };
  return alternate(ROUNDS, { service: measured(service), bare: measured(bare) });
}

function row(measure: string, { service, bare }: Rounds): Row {
  const medianOf = (rounds: Round[], figure: keyof Round) => median(rounds.map((round) => round[figure]));
  const [ours, peer] = [medianOf(service, 'requestsPerSecond'), medianOf(bare, 'requestsPerSecond')];
  const cpu =
    `CPU time per request ${medianOf(service, 'cpuMicroseconds')} µs, bare ` +
    `${medianOf(bare, 'cpuMicroseconds')} µs`;
  const note =
    `${cpu}; load generator ` +
    `${Math.round(medianOf([...service, ...bare], 'generatorBusy') * 100)} % busy`;
  return {
    measure,
    unit: 'requests/s',
    ours,
    peer: { name: 'bare node:http', figure: peer },
    ratio: rounded(ours / peer),
    target: { atLeast: AT_LEAST },
    note,
  };
}
