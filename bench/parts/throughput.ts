import { itemsAlias } from '@vitrine/feed-index';
import { type Arena, UNCACHED } from '../arena.ts';
import { get } from '../connection.ts';
import { load } from '../load.ts';
import { rawSearch, searchOf } from '../peers/raw-search.ts';
import { startPeer } from '../processes.ts';
import { criteriaOf, queryKind, targetOf } from '../query-kinds.ts';
import type { PartResult } from '../results.ts';
import { alternate, median, rounded } from '../statistics.ts';

const CONNECTIONS = 32;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
const ROUNDS = 3;
const AT_LEAST = 0.8;
/** What stands before the search takes no more than so many at once. */
const REFUSALS = [503];

/** Requests a second on 32 connections, no two under way at a time equal, against the same searches sent to Elasticsearch itself. */
export async function throughput(arena: Arena): Promise<PartResult> {
  const prefix = await arena.market(arena.items);
  const service = await arena.query(prefix, UNCACHED);
  const naive = await startPeer('peers/naive-service.ts', { ELASTICSEARCH_URL: arena.engines.settings.ELASTICSEARCH_URL, INDEX: itemsAlias(prefix) });
  const kind = queryKind('city');
  // The kind's requests repeat after 60: made before, so that the generator has nothing to do but to send them.
  const numbers = Array.from({ length: 60 }, (_, number) => number);
  const targets = numbers.map((number) => get(targetOf(kind, number, arena.items)));
  const searches = numbers.map((number) => rawSearch(prefix, searchOf(criteriaOf(kind, number, arena.items))));
  const run = (port: number, requests: Buffer[], seconds: number) =>
    load({
      port,
      request: (number) => requests[number % requests.length] as Buffer,
      connections: CONNECTIONS,
      seconds,
      status: 200,
      refusals: REFUSALS,
    });
  try {
    const contenders: [string, number, Buffer[]][] = [
      ['service', service.port, targets],
      ['raw', arena.elasticsearchPort, searches],
      ['naive', naive.port, targets],
    ];
    for (const [, port, requests] of contenders) await run(port, requests, WARM_UP_SECONDS);
    const figures = await alternate(
      ROUNDS,
      Object.fromEntries(contenders.map(([name, port, requests]) => [name, () => run(port, requests, SECONDS)])),
    );
    const rate = (name: string) => rounded(median((figures[name] ?? []).map(({ requestsPerSecond }) => requestsPerSecond)));
    const row = { measure: `page, city, ${CONNECTIONS} connections`, unit: 'requests/s' as const, ours: rate('service') };
    return {
      rows: [
        { ...row, peer: { name: 'raw _search', figure: rate('raw') }, ratio: rounded(rate('service') / rate('raw')), target: { atLeast: AT_LEAST } },
        { ...row, peer: { name: 'naive service', figure: rate('naive') }, ratio: rounded(rate('service') / rate('naive')) },
      ],
      figures,
    };
  } finally {
    await naive.stop();
    await service.stop();
  }
}
