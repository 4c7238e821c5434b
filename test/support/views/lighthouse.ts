import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import lighthouse, { type Flags } from 'lighthouse';
import { launchChromium } from '../chromium.ts';

/** What Lighthouse says about a page on a phone. */
export interface ViewQuality {
  /** Scores from 0 to 100. */
  performance: number;
  accessibility: number;
  bestPractices: number;
  /** Cumulative layout shift, without a unit. */
  layoutShift: number;
  /** Compressed bytes of all scripts that the page loaded. */
  scriptBytes: number;
  /** The audits below the full score, with their explanations. */
  faults: string[];
}

/** A Chromium that Lighthouse drives through its debugging port. */
export interface LighthouseBrowser {
  /**
   * Measures a page.
   * @param throttling `simulate` estimates a phone on a slow network. `provided` measures this machine, which is enough
   * for everything but the performance.
   */
  measure(url: string, throttling: 'simulate' | 'provided'): Promise<ViewQuality>;
  close(): Promise<void>;
}

const CATEGORIES = ['performance', 'accessibility', 'best-practices'];

/** Starts Chromium with a debugging port. @throws ChromiumMissingError if the machine has none */
export async function startLighthouse(): Promise<LighthouseBrowser> {
  const port = await freePort();
  const browser = await launchChromium({ onlyLoopback: true, debuggingPort: port });
  return {
    measure: (url, throttlingMethod) => measure(url, { port, throttlingMethod }),
    close: () => browser.close(),
  };
}

async function measure(url: string, flags: Flags): Promise<ViewQuality> {
  const run = await lighthouse(url, { ...flags, onlyCategories: CATEGORIES, logLevel: 'silent' });
  if (!run || run.lhr.runtimeError) throw new Error(`Lighthouse failed: ${run?.lhr.runtimeError?.message}`);
  const { categories, audits } = run.lhr;
  const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100);
  const requests =
    (audits['network-requests']?.details as { items?: NetworkRequest[] } | undefined)?.items ?? [];
  const ranked = ['accessibility', 'best-practices'].flatMap((name) => categories[name]?.auditRefs ?? []);
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    layoutShift: audits['cumulative-layout-shift']?.numericValue ?? Number.NaN,
    scriptBytes: requests
      .filter(({ resourceType }) => resourceType === 'Script')
      .reduce((sum, { transferSize }) => sum + transferSize, 0),
    faults: ranked.flatMap(({ id, weight }) => {
      const audit = audits[id];
      if (weight === 0 || !audit || audit.score === null || audit.score === 1) return [];
      return [`${id}: ${audit.title} ${JSON.stringify(audit.details ?? {}).slice(0, 1_000)}`];
    }),
  };
}

interface NetworkRequest {
  resourceType: string;
  /** Bytes on the network, headers included. */
  transferSize: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
