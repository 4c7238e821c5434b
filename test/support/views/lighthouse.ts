import { freePorts } from '@vitrine/engines/testing';
import lighthouse, { defaultConfig, type Flags, type RunnerResult } from 'lighthouse';
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
  /** Measures a page, and estimates its performance on a phone with a slow network. */
  measure(url: string): Promise<ViewQuality>;
  /**
   * Measures only the best practices. The other figures for a page need a trace of its loading.
   * @returns the score from 0 to 100, and the audits below the full score
   */
  bestPractices(url: string): Promise<Pick<ViewQuality, 'bestPractices' | 'faults'>>;
  close(): Promise<void>;
}

const CATEGORIES = ['performance', 'accessibility', 'best-practices'];

/** The rules of axe from which Lighthouse computes the accessibility of a page. */
export const accessibilityRules = (): string[] =>
  (defaultConfig.categories?.accessibility?.auditRefs ?? [])
    .filter(({ weight = 0 }) => weight > 0)
    .map(({ id }) => id);

/** Starts Chromium with a debugging port. @throws ChromiumMissingError if the machine has none */
export async function startLighthouse(): Promise<LighthouseBrowser> {
  const [port = 0] = await freePorts(1);
  const browser = await launchChromium({ onlyLoopback: true, debuggingPort: port });
  return {
    measure: async (url) => qualityOf(await run(url, { port, onlyCategories: CATEGORIES })),
    bestPractices: async (url) =>
      qualityOf(
        await run(url, { port, onlyCategories: ['best-practices'], disableFullPageScreenshot: true }),
      ),
    close: () => browser.close(),
  };
}

/**
 * A page that reads its state repeatedly never becomes idle, so Lighthouse waits this long before it
 * measures.
 */
const LONGEST_LOAD_MS = 20_000;
/** On a busy machine, a trace can lack its beginning. Lighthouse then asks for another run. */
const ATTEMPTS = 4;

async function run(url: string, flags: Flags, attempt = 1): Promise<RunnerResult['lhr']> {
  const found = await lighthouse(url, {
    ...flags,
    // Any other throttling waits for five quiet seconds instead of one.
    throttlingMethod: 'simulate',
    logLevel: 'silent',
    maxWaitForLoad: LONGEST_LOAD_MS,
  });
  if (found && !found.lhr.runtimeError) return found.lhr;
  if (attempt < ATTEMPTS) return run(url, flags, attempt + 1);
  throw new Error(`Lighthouse failed ${attempt} times: ${found?.lhr.runtimeError?.message}`);
}

function qualityOf({ categories, audits }: RunnerResult['lhr']): ViewQuality {
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
