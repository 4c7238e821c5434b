import { bareRow, compareWithBare, PROCESSES, startBareServer } from '../bare-comparison.ts';
import type { BenchContext } from '../bench-context.ts';
import { get } from '../http-connection.ts';

const TARGET = '/api/public-feed?city=city-3&pageSize=20';
const AT_LEAST = 0.9;

/**
 * Measures requests per second for a cached page and for a 304, relative to node:http alone with the same
 * bytes.
 */
export async function cached(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  const service = await context.query(prefix, { PROCESSES: String(PROCESSES) });
  const bare = await startBareServer(context, service, TARGET);
  context.report([], { processes: PROCESSES, target: TARGET });

  const page = await context.step('cached page', 120, () =>
    compareWithBare(context, service, bare, { status: 200, request: get(TARGET) }),
  );
  context.report([bareRow('cached page', page, AT_LEAST)], { '200': page });

  const { headers } = await context.connect(service.port).send(get(TARGET));
  const request = get(TARGET, { 'if-none-match': String(headers.etag) });
  const unchanged = await context.step('304', 120, () =>
    compareWithBare(context, service, bare, { status: 304, request }),
  );
  context.report([bareRow('304', unchanged, AT_LEAST)], { '304': unchanged });
}
