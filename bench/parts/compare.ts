import { basename } from 'node:path';
import { metricOf } from '@vitrine/test/service-process';
import { type BenchContext, totalOf } from '../bench-context.ts';
import { type CompareGroup, type Comparison, compareGroups } from '../compare-groups.ts';
import type { HttpConnection } from '../http-connection.ts';
import { bodyOf } from '../measure.ts';
import { threadSeconds } from '../process-figures.ts';
import type { Row } from '../results.ts';
import { median, rounded } from '../statistics.ts';
import type { ServiceSubject } from '../subjects.ts';

const ROUNDS = 24;
const WARM_UP_ROUNDS = 3;
/** The bounds for a slice's length. A slice is a number of consecutive requests to one checkout. */
const [FEWEST, MOST] = [4, 40];
const SLICE_MS = 120;
const WARM_UP_MS = 4_000;
const LIMIT_SECONDS = 240;
/**
 * Elasticsearch's threads that work for requests. Its compiler and its garbage collector work at any time,
 * even for another checkout's requests.
 */
const ELASTICSEARCH_THREADS = 'elasticsearch[';

/** One checkout with its service and connections. */
interface Side {
  name: string;
  service: ServiceSubject;
  connections: HttpConnection[];
}
/** Per request: milliseconds, CPU microseconds in the service and in Elasticsearch, number of searches. */
interface Slice {
  ms: number;
  service: number;
  elasticsearch: number;
  searches: number;
}
/** A checkout's medians, and the medians of its ratios to this checkout in the same round. */
interface Figures extends Slice {
  msRatio: number;
  cpuRatio: number;
}

/**
 * Measures the query service of this checkout and of other checkouts (`--with`) in turn, on the same
 * datasets: latency, CPU time in the service and in Elasticsearch, and searches per page.
 */
export async function compare(context: BenchContext): Promise<void> {
  if (context.checkouts.length === 0) throw new Error('compare needs --with and the folder of a checkout');
  for (const group of compareGroups(context.items))
    await compareGroup(context, group, context.elasticsearchPid);
}

async function compareGroup(
  context: BenchContext,
  group: CompareGroup,
  elasticsearch: number,
): Promise<void> {
  const prefix = await context.dataset(group.items, group.days);
  const start = async (root?: string): Promise<Side> => {
    const service = await context.query(prefix, group.env, root);
    const connections = Array.from({ length: group.connections }, () => context.connect(service.port));
    return { name: root === undefined ? 'this' : basename(root), service, connections };
  };
  const sides = [await start(), ...(await Promise.all(context.checkouts.map(start)))];
  const [{ port }] = sides.map(({ service }) => service) as [ServiceSubject];
  const comparisons = await group.comparisons(await totalOf(port), context.connect(port));
  await context.step(`${group.name}: warm-up`, LIMIT_SECONDS, async () => {
    for (const side of sides) {
      const end = performance.now() + WARM_UP_MS;
      for (let number = 0; performance.now() < end; number++)
        for (const comparison of comparisons) await send(side, comparison, number, group.connections);
    }
  });
  for (const comparison of comparisons) {
    const figures = await context.step(comparison.name, LIMIT_SECONDS, () =>
      compareSides(sides, comparison, elasticsearch),
    );
    context.report(rowsOf(comparison.name, figures), { [comparison.name]: figures });
    for (const [name, each] of Object.entries(figures))
      context.tell(`${comparison.name}: ${name}: ${JSON.stringify(each)}`);
  }
  for (const { service } of sides) await service.stop();
}

/** Sends `count` requests on all connections of a side. @returns the milliseconds of each request */
async function send(
  { connections }: Side,
  { request, status = 200 }: Comparison,
  first: number,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  let next = first;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < first + count) {
        const wanted = request(next++);
        const start = performance.now();
        if (status === 200) await bodyOf(connection, wanted);
        else if ((await connection.send(wanted)).status !== status) throw new Error(`no ${status}`);
        times.push(performance.now() - start);
      }
    }),
  );
  return times;
}

async function compareSides(
  sides: readonly Side[],
  comparison: Comparison,
  elasticsearch: number,
): Promise<Record<string, Figures>> {
  const connections = sides[0]?.connections.length ?? 1;
  const most = connections * (comparison.perConnection ?? MOST);
  const slices = sides.map((): Slice[] => []);
  let number = 0;
  let count = FEWEST;
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    // Each round begins with another side, because a side benefits from the previous side's caches.
    for (let turn = 0; turn < sides.length; turn++) {
      const index = (turn + round) % sides.length;
      const slice = await measureSlice(sides[index] as Side, comparison, { number, count, elasticsearch });
      if (round >= WARM_UP_ROUNDS) slices[index]?.push(slice);
      else if (index === 0)
        count = Math.min(Math.max(Math.round((SLICE_MS * connections) / slice.ms), FEWEST), most);
    }
    number += count;
  }
  const [ours = []] = slices;
  const of = (own: readonly Slice[], figure: (slice: Slice, same: Slice) => number) =>
    rounded(median(own.map((slice, i) => figure(slice, ours[i] as Slice))));
  const cpu = ({ service, elasticsearch: theirs }: Slice) => service + theirs;
  return Object.fromEntries(
    sides.map(({ name }, index) => {
      const own = slices[index] ?? [];
      const figures: Figures = {
        ms: of(own, ({ ms }) => ms),
        service: of(own, ({ service }) => service),
        elasticsearch: of(own, (slice) => slice.elasticsearch),
        searches: rounded(own.reduce((sum, { searches }) => sum + searches, 0) / own.length),
        msRatio: of(own, ({ ms }, same) => ms / same.ms),
        cpuRatio: of(own, (slice, same) => cpu(slice) / cpu(same)),
      };
      return [name, figures];
    }),
  );
}

async function measureSlice(
  side: Side,
  comparison: Comparison,
  { number, count, elasticsearch }: { number: number; count: number; elasticsearch: number },
): Promise<Slice> {
  const cpu = () =>
    Promise.all([threadSeconds(side.service.pid), threadSeconds(elasticsearch, ELASTICSEARCH_THREADS)]);
  const searches = await searchesOf(side);
  const before = await cpu();
  const times = await send(side, comparison, number, count);
  const after = await cpu();
  const [service, theirs] = after.map((seconds, i) => ((seconds - (before[i] ?? 0)) * 1e6) / count);
  return {
    ms: median(times),
    service: service ?? Number.NaN,
    elasticsearch: theirs ?? Number.NaN,
    searches: ((await searchesOf(side)) - searches) / count,
  };
}

const searchesOf = ({ service }: Side): Promise<number> =>
  metricOf(service.admin, 'elasticsearch_request_duration_seconds_count', 'operation="search"');

function rowsOf(measure: string, figures: Readonly<Record<string, Figures>>): Row[] {
  const { this: ours, ...others } = figures;
  if (!ours) return [];
  const cpu = ({ service, elasticsearch }: Figures) => rounded(service + elasticsearch);
  return Object.entries(others).flatMap(([name, theirs]): Row[] => [
    {
      measure,
      unit: 'ms',
      ours: ours.ms,
      peer: { name, figure: theirs.ms },
      ratio: theirs.msRatio,
    },
    {
      measure,
      unit: 'CPU µs',
      ours: cpu(ours),
      peer: { name, figure: cpu(theirs) },
      ratio: theirs.cpuRatio,
    },
  ]);
}
