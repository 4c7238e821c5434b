import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedPage } from './feed-crawl.ts';
import { eventually, type ServiceProcess, spawnService } from './service-process.ts';

/** The experience of readers since the last `note`, in milliseconds. */
export interface ClientStats {
  pages: number;
  /** Number of 503 responses, and the time of the last one after the note. */
  refused: number;
  refusedUntil: number;
  /** Number of connections that ended with a killed process. */
  cut: number;
  /** The longest wait of a reader for its page, over all attempts. */
  longestWait: number;
}

interface Served {
  process: ServiceProcess;
  origin: string;
  killed: boolean;
}

const AGAIN_AFTER_MS = 100;

/**
 * Starts `count` query services as processes, and clients that reach them as through a load balancer: in
 * turn, with the next service after a lost connection, and with a retry after 503.
 */
export async function startBalancedFeed(count: number, env: Record<string, string>) {
  const start = async (): Promise<Served> => {
    const process = spawnService('query', { ...env, LOG_LEVEL: 'info' });
    const [, port, adminPort] = await eventually(
      'started',
      async () => /"port":(\d+),.*"adminPort":(\d+),.*the feeds are served/.exec(process.log()) ?? undefined,
    );
    const ready = async () => (await fetch(`http://127.0.0.1:${adminPort}/health/ready`)).status === 200;
    await eventually('ready', ready);
    return { process, origin: `http://127.0.0.1:${port}`, killed: false };
  };
  const services = await Promise.all(Array.from({ length: count }, start));
  let turn = 0;
  let notedAt = performance.now();
  let felt: ClientStats = { pages: 0, refused: 0, refusedUntil: 0, cut: 0, longestWait: 0 };

  /**
   * One response, or undefined if the client must retry.
   * @throws on any status but 200 and 503, and if a running process does not respond
   */
  const attempt = async (target: string): Promise<FeedPage | undefined> => {
    const service = services[turn++ % services.length] as Served;
    try {
      const response = await fetch(`${service.origin}/api${target}`);
      const text = await response.text();
      if (response.status === 200) return JSON.parse(text) as FeedPage;
      if (response.status !== 503) throw new Error(`${target}: ${response.status} ${text}`);
      felt.refused++;
      felt.refusedUntil = performance.now() - notedAt;
      await sleep(AGAIN_AFTER_MS);
    } catch (error) {
      if (!service.killed || !(error instanceof TypeError)) throw error;
      felt.cut++;
    }
    return undefined;
  };

  return {
    /** One attempt. Undefined if the response is 503. */
    once: attempt,
    /** The page, from the first service that returns it. */
    async page(target: string): Promise<FeedPage> {
      const asked = performance.now();
      for (;;) {
        const page = await attempt(target);
        felt.longestWait = Math.max(felt.longestWait, performance.now() - asked);
        if (!page) continue;
        felt.pages++;
        return page;
      }
    },
    /** The experience of readers since the last call. */
    note(): ClientStats {
      const before = felt;
      felt = { pages: 0, refused: 0, refusedUntil: 0, cut: 0, longestWait: 0 };
      notedAt = performance.now();
      return before;
    },
    /** Kills one process with SIGKILL. The others continue, and `restart` replaces it. */
    async kill(index: number): Promise<void> {
      const service = services[index] as Served;
      service.killed = true;
      await service.process.end('SIGKILL');
    },
    async restart(index: number): Promise<void> {
      services[index] = await start();
    },
    async stop(): Promise<void> {
      await Promise.all(services.map(({ process }) => process.end('SIGKILL')));
    },
  };
}

export type BalancedFeed = Awaited<ReturnType<typeof startBalancedFeed>>;
