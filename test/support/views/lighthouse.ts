import { freePorts } from '@vitrine/engines/testing';
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
  const [port = 0] = await freePorts(1);
  const browser = await launchChromium({ onlyLoopback: true, debuggingPort: port });
  return {
    measure: (url, throttlingMethod) => measure(url, { port, throttlingMethod }),
    close: () => browser.close(),
  };
}

/** A page that reads its state again and again never rests, so Lighthouse waits this long before it measures. */
const LONGEST_LOAD_MS = 20_000;
/** On a busy machine, a trace can lack its beginning. Lighthouse then asks for another run. */
const ATTEMPTS = 4;

async function measure(url: string, flags: Flags, attempt = 1): Promise<ViewQuality> {
  const run = await lighthouse(url, {
    ...flags,
    onlyCategories: CATEGORIES,
    logLevel: 'silent',
    maxWaitForLoad: LONGEST_LOAD_MS,
  });
  if (!run || run.lhr.runtimeError) {
    if (attempt < ATTEMPTS) return measure(url, flags, attempt + 1);
    throw new Error(`Lighthouse failed ${attempt} times: ${run?.lhr.runtimeError?.message}`);
  }
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
  /** Bytes on the network, including headers. */
  transferSize: number;
}
