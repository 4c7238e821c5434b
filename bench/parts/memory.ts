import type { BenchContext } from '../bench-context.ts';
import { get } from '../http-connection.ts';
import { peakMegabytes } from '../process-figures.ts';
import { criteriaOf, QUERY_KINDS, targetOf } from '../query-kinds.ts';
import { rounded } from '../statistics.ts';

const CONNECTIONS = 128;
const SECONDS = 20;
const AT_MOST_MB = 400;
/** The service may refuse excess requests with these statuses, but refused requests must not cost memory. */
const REFUSALS = [429, 503];
const ENCODINGS = ['', 'gzip', 'br', 'zstd'];

/**
 * Measures the peak memory of a query process, first with large pages in every encoding, and then with
 * different pages that fill the cache.
 */
export async function memory(context: BenchContext): Promise<void> {
  const service = await context.query(await context.dataset(context.items));
  const largest = (n: number) =>
    get(`/api/ai-feed?pageSize=100&page=${1 + (n % 500)}`, {
      'accept-encoding': ENCODINGS[n % ENCODINGS.length] ?? '',
    });
  const kinds = QUERY_KINDS.filter(
    (kind) => kind.feed === 'public-feed' && (criteriaOf(kind, 0, context.items).page ?? 0) < 100,
  );
  const mixed = (n: number) =>
    get(targetOf(kinds[n % kinds.length] as (typeof kinds)[number], n, context.items));
  const peaks: number[] = [];
  for (const [name, request] of Object.entries({ 'largest pages': largest, 'every kind': mixed })) {
    const { requests, refused } = await context.step(name, 90, () =>
      context.load({
        port: service.port,
        request,
        connections: CONNECTIONS,
        seconds: SECONDS,
        status: 200,
        refusals: REFUSALS,
      }),
    );
    const megabytes = rounded(await peakMegabytes(service.pid));
    peaks.push(megabytes);
    context.report([], { [name]: { megabytes, requests, refused } });
  }
  context.report(
    [
      {
        measure: 'memory of the query service under load',
        unit: 'MB',
        ours: Math.max(...peaks),
        target: { atMost: AT_MOST_MB },
      },
    ],
    {},
  );
}
