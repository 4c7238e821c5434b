import type { Arena } from '../arena.ts';
import { get } from '../connection.ts';
import { load } from '../load.ts';
import { peakMegabytes } from '../process-figures.ts';
import { criteriaOf, QUERY_KINDS, targetOf } from '../query-kinds.ts';
import type { PartResult } from '../results.ts';
import { rounded } from '../statistics.ts';

const CONNECTIONS = 128;
const SECONDS = 20;
const AT_MOST_MB = 400;
/** More than it takes at once may be refused; it must not cost memory. */
const REFUSALS = [429, 503];
const ENCODINGS = ['', 'gzip', 'br', 'zstd'];

/** The most memory that a process of the query service takes: large pages in every coding, then ever new ones that fill the cache. */
export async function memory(arena: Arena): Promise<PartResult> {
  const service = await arena.query(await arena.market(arena.items));
  try {
    const largest = (n: number) =>
      get(`/api/ai-feed?pageSize=100&page=${1 + (n % 500)}`, { 'Accept-Encoding': ENCODINGS[n % ENCODINGS.length] ?? '' });
    const kinds = QUERY_KINDS.filter((kind) => kind.feed === 'public-feed' && (criteriaOf(kind, 0, arena.items).page ?? 0) < 100);
    const mixed = (n: number) => get(targetOf(kinds[n % kinds.length] as (typeof kinds)[number], n, arena.items));
    const figures: Record<string, { megabytes: number; requests: number; refused: number }> = {};
    for (const [name, request] of Object.entries({ 'largest pages': largest, 'every kind': mixed })) {
      const { requests, refused } = await load({
        port: service.port,
        request,
        connections: CONNECTIONS,
        seconds: SECONDS,
        status: 200,
        refusals: REFUSALS,
      });
      figures[name] = { megabytes: rounded(await peakMegabytes(service.pid)), requests, refused };
    }
    const ours = Math.max(...Object.values(figures).map(({ megabytes }) => megabytes));
    return { rows: [{ measure: 'memory of the query service under load', unit: 'MB', ours, target: { atMost: AT_MOST_MB } }], figures };
  } finally {
    await service.stop();
  }
}
