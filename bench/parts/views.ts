import { startLighthouse } from '@vitrine/test/lighthouse';
import { eventually, startService } from '@vitrine/test/service-process';
import type { BenchContext } from '../bench-context.ts';
import { TODAY } from '../dataset.ts';
import { median } from '../statistics.ts';

const AT_LEAST = 95;
const RUNS = 3;
/** Pages of the query service, by name. */
const PAGES = {
  explorer: '/',
  'explorer with dates': `/?date=${TODAY}`,
  'explorer with a listing': '/?listing=',
  documentation: '/api/docs',
  guide: '/api/docs/guides/crawlers',
  reference: '/api/docs/reference/getPublicFeed',
};
const CONSOLE = { console: '#/', 'console, dead letters': '#/dead-letters' };

/**
 * Lighthouse's performance score for each view, on a simulated phone with a slow network: the median of three
 * runs.
 */
export async function views(context: BenchContext): Promise<void> {
  const prefix = await context.market(context.items);
  const { port } = await context.query(prefix);
  const origin = `http://127.0.0.1:${port}`;
  const feed = (await (await fetch(`${origin}/api/public-feed?pageSize=1`)).json()) as {
    data: { id: string }[];
  };
  const console = startService('cli', context.deployment(prefix), ['console', '--port=0']);
  context.onEnd(() => console.stop());
  const lighthouse = await startLighthouse();
  context.onEnd(() => lighthouse.close());
  const consoleUrl = await eventually(
    'the console prints its URL',
    async () => /Console: ([^\s#]+)/.exec(console.log())?.[1],
  );
  const urls = [
    ...Object.entries(PAGES).map(([name, path]) => [
      name,
      `${origin}${path}${path.endsWith('=') ? feed.data[0]?.id : ''}`,
    ]),
    ...Object.entries(CONSOLE).map(([name, hash]) => [name, `${consoleUrl}${hash}`]),
  ] as [string, string][];
  for (const [name, url] of urls) {
    const runs = await context.step(`Lighthouse, ${name}`, 300, async () => {
      const found = [];
      for (let run = 0; run < RUNS; run++) {
        context.signal.throwIfAborted();
        found.push(await lighthouse.measure(url));
      }
      return found;
    });
    const ours = median(runs.map(({ performance }) => performance));
    context.report(
      [{ measure: `Lighthouse performance, ${name}`, unit: 'points', ours, target: { atLeast: AT_LEAST } }],
      { [name]: runs.map(({ faults: _, ...quality }) => quality) },
    );
  }
}
