import type { BenchContext } from '../bench-context.ts';
import { get } from '../http-connection.ts';
import { peakMegabytes } from '../process-figures.ts';
import { criteriaOf, QUERY_KINDS, targetOf } from '../query-kinds.ts';
import { rounded } from '../statistics.ts';

const CONNECTIONS = 128;
const SECONDS = 20;
const AT_MOST_MB = 400;
/** The service with the default settings, and with several processes. */
const PROCESSES = [1, 2, 4];
/** The service may refuse excess requests with these statuses, but refused requests must not cost memory. */
const REFUSALS = [429, 503];
const ENCODINGS = ['', 'gzip', 'br', 'zstd'];

/**
 * Measures the peak memory of the query service with one and with several processes: first with large pages in
 * every encoding, and then with different pages that fill the cache of each process.
 */
export async function memory(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  for (const processes of PROCESSES) {
    const megabytes = await peakOf(context, prefix, processes);
    context.report(
      [
        {
          measure: `memory under load${processes === 1 ? '' : `, ${processes} processes`}`,
          unit: 'MB',
          ours: megabytes,
          target: { atMost: AT_MOST_MB * processes },
        },
      ],
      {},
    );
  }
}

/** The sum of all processes' peaks. Each process has as many connections as a single process would have. */
async function peakOf(context: BenchContext, prefix: string, processes: number): Promise<number> {
  const service = await context.query(prefix, { PROCESSES: String(processes) });
  const largest = (n: number) =>
    get(`/api/ai-feed?pageSize=100&page=${1 + (n % 500)}`, {
      'accept-encoding': ENCODINGS[n % ENCODINGS.length] ?? '',
    });
  const kinds = QUERY_KINDS.filter(
    (kind) => kind.feed === 'public-feed' && (criteriaOf(kind, 0, context.items).page ?? 0) < 100,
  );
  const mixed = (n: number) =>
    get(targetOf(kinds[n % kinds.length] as (typeof kinds)[number], n, context.items));
  const peaks = [rounded(await peakMegabytes(service.pid))];
  context.report([], { [`idle, processes: ${processes}`]: { megabytes: peaks[0] } });
  for (const [name, request] of Object.entries({ 'largest pages': largest, 'every kind': mixed })) {
    const step = `${name}, processes: ${processes}`;
    const { requests, refused } = await context.step(step, 90, () =>
      context.load({
        port: service.port,
        request,
        connections: CONNECTIONS * processes,
        seconds: SECONDS,
        refusals: REFUSALS,
      }),
    );
    const megabytes = rounded(await peakMegabytes(service.pid));
    peaks.push(megabytes);
    context.report([], { [step]: { megabytes, requests, refused } });
  }
  await service.stop();
  return Math.max(...peaks);
}
