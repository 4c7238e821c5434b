import { type Arena, totalOf, UNCACHED } from '../arena.ts';
import { Connection, get } from '../connection.ts';
import { QUERY_KINDS, targetOf } from '../query-kinds.ts';
import type { PartResult, Row } from '../results.ts';
import { rounded } from '../statistics.ts';
import { type Ask, type Latency, measure, warmUp } from './queries.ts';

const AT_MOST = 1.5;
/** How many times as many items the large market has. */
const TIMES = 10;

/** What ten times as many items do to every kind of query, total included: 100,000 and 1,000,000 for the default of 300,000. */
export async function growth(arena: Arena): Promise<PartResult> {
  const small = Math.round(arena.items / 3);
  const services = { small: await open(arena, small), large: await open(arena, small * TIMES) };
  try {
    const figures: Record<string, Record<'small' | 'large', Latency>> = {};
    const rows: Row[] = [];
    for (const { port } of Object.values(services)) await warmUp(port, (kind, number) => get(targetOf(kind, number, small)));
    for (const kind of QUERY_KINDS) {
      const ask =
        ({ connection, total }: Opened): Ask =>
        async (number) => {
          const { status } = await connection.send(get(targetOf(kind, number, total)));
          if (status !== 200) throw new Error(`${kind.name}: ${status}`);
        };
      const found = (await measure({ small: ask(services.small), large: ask(services.large) })) as Record<'small' | 'large', Latency>;
      figures[kind.name] = found;
      rows.push({
        measure: `${kind.name}, ${small * TIMES} items`,
        unit: 'ms',
        ours: found.large.p50,
        peer: { name: `${small} items`, figure: found.small.p50 },
        ratio: rounded(found.large.p50 / found.small.p50),
        ...(kind.linear ? { note: `linear by nature: ${kind.linear}` } : { target: { atMost: AT_MOST } }),
      });
    }
    return { rows, figures };
  } finally {
    for (const { stop } of Object.values(services)) await stop();
  }
}

interface Opened {
  port: number;
  connection: Connection;
  total: number;
  stop(): Promise<void>;
}

async function open(arena: Arena, count: number): Promise<Opened> {
  const service = await arena.query(await arena.market(count), UNCACHED);
  const connection = new Connection(service.port);
  const stop = async () => {
    connection.close();
    await service.stop();
  };
  return { port: service.port, connection, total: await totalOf(service.port), stop };
}
