import { availableParallelism } from 'node:os';
import type { Arena } from '../arena.ts';
import { Connection, get } from '../connection.ts';
import { load } from '../load.ts';
import { cpuSeconds } from '../process-figures.ts';
import { type Contender, startPeer } from '../processes.ts';
import type { PartResult, Row } from '../results.ts';
import { alternate, median, rounded } from '../statistics.ts';

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

/** Requests a second of a page that is in the cache, and of a 304, against node:http alone with the same bytes. */
export async function cached(arena: Arena): Promise<PartResult> {
  // The generator needs a core of its own, or it would be what is measured.
  const processes = Math.max(1, Math.min(2, availableParallelism() - 2));
  const prefix = await arena.market(arena.items);
  const service = await arena.query(prefix, { PROCESSES: String(processes) });
  const bare = await startPeer('peers/bare-server.ts', { ORIGIN_PORT: String(service.port), TARGET, PROCESSES: String(processes) });
  try {
    const etag = await etagOf(service.port);
    const page = await compare(service, bare, 200, get(TARGET));
    const unchanged = await compare(service, bare, 304, get(TARGET, { 'If-None-Match': etag }));
    return {
      rows: [row('cached page', page), row('304', unchanged)],
      figures: { processes, connections: CONNECTIONS, target: TARGET, '200': page, '304': unchanged },
    };
  } finally {
    await bare.stop();
    await service.stop();
  }
}

type Rounds = Record<'service' | 'bare', Round[]>;

async function compare(service: Contender, bare: Contender, status: number, request: Buffer): Promise<Rounds> {
  const options = { request: () => request, connections: CONNECTIONS, status };
  for (const { port } of [service, bare]) await load({ ...options, port, seconds: WARM_UP_SECONDS });
  const measured =
    ({ port, pid }: Contender) =>
    async (): Promise<Round> => {
      const before = await cpuSeconds(pid);
      const { requestsPerSecond, requests, generatorBusy } = await load({ ...options, port, seconds: SECONDS });
      const cpuMicroseconds = (((await cpuSeconds(pid)) - before) / requests) * 1e6;
      return { requestsPerSecond: rounded(requestsPerSecond), cpuMicroseconds: rounded(cpuMicroseconds), generatorBusy: rounded(generatorBusy, 2) };
    };
  return alternate(ROUNDS, { service: measured(service), bare: measured(bare) });
}

function row(measure: string, { service, bare }: Rounds): Row {
  const middle = (rounds: Round[], figure: keyof Round) => median(rounds.map((round) => round[figure]));
  const [ours, peer] = [middle(service, 'requestsPerSecond'), middle(bare, 'requestsPerSecond')];
  const cpu = `CPU a request ${middle(service, 'cpuMicroseconds')} and ${middle(bare, 'cpuMicroseconds')} µs`;
  const note = `${cpu}; load generator ${Math.round(middle([...service, ...bare], 'generatorBusy') * 100)} % busy`;
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

async function etagOf(port: number): Promise<string> {
  const connection = new Connection(port);
  const { head } = await connection.send(get(TARGET));
  connection.close();
  return /\r\netag: (.*)/i.exec(head)?.[1] ?? '';
}
