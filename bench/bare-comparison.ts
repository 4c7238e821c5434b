import { availableParallelism } from 'node:os';
import type { BenchContext } from './bench-context.ts';
import type { HttpRequest } from './http-connection.ts';
import { cpuSeconds } from './process-figures.ts';
import { compared, type Row } from './results.ts';
import { alternate, medianOf, rounded } from './statistics.ts';
import type { Subject } from './subjects.ts';

const CONNECTIONS = 64;
/** The rounds are short and many, because the machine's speed changes within seconds. */
const SECONDS = 2;
const ROUNDS = 13;
const WARM_UP_SECONDS = 4;

interface Round {
  requestsPerSecond: number;
  cpuMicroseconds: number;
  generatorBusy: number;
}
type Rounds = Record<'service' | 'bare', Round[]>;

/** The load generator needs its own core. Otherwise, it would be the bottleneck. */
export const PROCESSES = Math.max(1, Math.min(2, availableParallelism() - 2));

/**
 * Starts node:http alone. It answers every request with the bytes of the service's response for `target`.
 */
export const startBareServer = (context: BenchContext, service: Subject, target: string): Promise<Subject> =>
  context.peer('peers/bare-server.ts', {
    ORIGIN_PORT: String(service.port),
    TARGET: target,
    PROCESSES: String(PROCESSES),
  });

/** Measures both sides' requests per second and CPU time, in turn. */
export async function compareWithBare(
  context: BenchContext,
  service: Subject,
  bare: Subject,
  { status, request }: { status: number; request: HttpRequest },
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

/** The row for a comparison. @param atLeast the ratio's target */
export function bareRow(measure: string, { service, bare }: Rounds, atLeast: number): Row {
  const rate = (rounds: Round[]) => medianOf(rounds, 'requestsPerSecond');
  const cpu = (rounds: Round[]) => medianOf(rounds, 'cpuMicroseconds');
  const busy = Math.round(medianOf([...service, ...bare], 'generatorBusy') * 100);
  return compared(
    measure,
    'requests/s',
    rate(service),
    { name: 'bare node:http', figure: rate(bare) },
    {
      target: { atLeast },
      note:
        `CPU time per request ${cpu(service)} µs, bare ${cpu(bare)} µs; ` + `load generator ${busy} % busy`,
    },
  );
}
