import { DROPPED_MEMBERS } from '@vitrine/listing';
import { DEAD_LETTER_REASONS } from '@vitrine/projection/dead-letters';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { TRANSITIONS } from '../../packages/feed-index/src/rebuild-phase.ts';
import { type Problem, problemText } from '../../packages/web/src/browser/components/words/problem-text.ts';
import { CODES } from '../../packages/web/src/browser/console/texts-codes.ts';
import {
  expectAccessible,
  expectNoOverflow,
  layoutShift,
  startBrowser,
  type TestBrowser,
  watchIssues,
} from '../support/browser.ts';
import { type LighthouseBrowser, startLighthouse } from '../support/views/lighthouse.ts';
import { expectScrollableByKeyboard } from '../support/views/scrolling.ts';
import { expectTargets } from '../support/views/targets.ts';
import { textsOf, untranslated } from '../support/views/texts.ts';
import {
  consoleViews,
  documentationViews,
  explorerViews,
  openAnew,
  untilShown,
  type View,
  withoutOutages,
} from '../support/views/view-list.ts';
import { startViewSystem, type ViewSystem } from '../support/views/view-system.ts';

/** The maximum size of a page's compressed scripts, in bytes (docs/decisions/0133-quality-of-views.md). */
const MAX_SCRIPTS: Record<string, number> = { explorer: 70_000, documentation: 30_000 };
const MAX_SHIFT = 0.05;
const SHIFTED = /: layout shift/;
const WIDTHS = [360, 768, 1_280];
/**
 * Each look combines a language with a theme, a width and a target size. Language and theme do not depend on
 * each other.
 */
const DESK = { locale: 'en-US', colorScheme: 'light', width: 1_280, target: 24 } as const;
const PHONE = { locale: 'pt-BR', colorScheme: 'dark', width: 360, target: 44 } as const;
type Look = typeof DESK | typeof PHONE;
/**
 * The views that Lighthouse opens. Together, they have every control. Each view reports its own issues
 * (`watchIssues`).
 */
const LIGHTHOUSE =
  /(explorer: (start|dates|listing|compare)|documentation: (start|reference\/getPublicFeed|guides\/crawlers)|console: (overview|rebuild|dead letters|explain a listing))$/;
/** Requests with each kind of invalid parameter. */
const INVALID = [
  'date=2026-99-99&lat=91&lng=x&nights=0&page=0&pageSize=1000&sort=x&localOnly=x&ad_type=x&min_rating=9',
  'page=1&cursor=*',
  'cursor=x',
  'lat=1',
  'localOnly=true',
  'sort=distance',
  'date_to=2027-01-01',
  'date=2027-01-02&date_to=2027-01-01',
  'date=2027-01-01&date_to=2029-01-01',
  'min_price=9&max_price=1',
  'date=2027-01-01&min_total_price=9&max_total_price=1',
  'nights=3',
  'date=2027-01-01&date_to=2027-01-02&nights=9',
  'city=a&city=b',
  'city=%FF',
  'city=a&cidade=b',
  `city=${Array.from({ length: 99 }, (_, i) => `c${i}`).join(',')}`,
];

/** What a view showed in one of the looks. */
interface SeenView {
  name: string;
  faults: string[];
  /** The texts in a wide window and, on a phone, also those in the narrow window. */
  texts: string[];
}

/** The compressed scripts that the page has loaded, in bytes. */
const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);

async function faultsOf(checks: readonly (() => Promise<unknown>)[]): Promise<string[]> {
  const faults: string[] = [];
  for (const check of checks)
    await check().catch((error: Error & { actual?: unknown }) =>
      faults.push(`${error.message} ${JSON.stringify(error.actual ?? '')}`),
    );
  return faults;
}

describe('the quality of every view', () => {
  let browser: TestBrowser;
  let system: ViewSystem;
  let lighthouse: LighthouseBrowser | undefined;
  const seen = new Map<string, Promise<SeenView[]>>();

  before(async function () {
    browser = await startBrowser(this);
    system = await startViewSystem();
  });
  after(async () => {
    await lighthouse?.close();
    await browser?.close();
    await system?.close();
  });

  const GROUPS: Record<string, (locale: string) => View[]> = {
    explorer: () => explorerViews(system),
    documentation: (locale) => documentationViews(system, locale === 'en-US' ? '' : locale),
    console: () => consoleViews(system),
  };

  /** Opens each view of a group once, and reads everything from it. */
  const look = (group: string, as: Look): Promise<SeenView[]> => {
    const key = `${group} ${as.locale}`;
    const found = seen.get(key) ?? visit(group, as);
    seen.set(key, found);
    return found;
  };

  async function visit(group: string, as: Look): Promise<SeenView[]> {
    const views = GROUPS[group]?.(as.locale) ?? [];
    expect(views).to.have.lengthOf.at.least(7);
    const size = { width: as.width, height: 900 };
    const touch = as === PHONE;
    const { locale, colorScheme } = as;
    const options = { locale, colorScheme, viewport: size, hasTouch: touch, isMobile: touch };
    // The views only read, so they share a page.
    const { page, faults } = await browser.open(views[0]?.url ?? '', options);
    const issues = await watchIssues(page);
    const found: SeenView[] = [];
    for (const view of views) {
      let seenView = await lookAt(page, group, view, as);
      // An outage that begins meanwhile adds lines that move the page.
      for (let again = 0; again < 2 && seenView.faults.some((fault) => SHIFTED.test(fault)); again++)
        seenView = await lookAt(page, group, view, as);
      found.push(seenView);
      // The page of an unknown listing has the status 404.
      const own = [...withoutOutages(faults.splice(0)), ...issues.splice(0)].filter(
        (fault) => !(view.name.includes('unknown listing') && fault.includes('404')),
      );
      found.at(-1)?.faults.push(...own.map((fault) => `${view.name}: ${fault}`));
    }
    await page.context().close();
    return found;
  }

  async function lookAt(page: Page, group: string, { name, url }: View, as: Look): Promise<SeenView> {
    await page.setViewportSize({ width: as.width, height: 900 });
    await openAnew(page, url);
    // The console reads its state every two seconds. These reads must not move the page.
    const isReadAgain =
      group === 'console' ? page.waitForResponse(/\/api\/console/).then((answer) => answer.finished()) : null;
    // A check below awaits this promise, which must have a handler even if another check fails first.
    isReadAgain?.catch(() => undefined);
    const limit = MAX_SCRIPTS[group] ?? Number.POSITIVE_INFINITY;
    const faults = await faultsOf([
      () => expectAccessible(page, name),
      () => expectTargets(page, name, as.target),
      () => expectScrollableByKeyboard(page, name),
      async () => {
        await isReadAgain;
        expect(await layoutShift(page), `${name}: layout shift`).to.be.at.most(MAX_SHIFT);
      },
      async () => expect(await scriptBytes(page), `${name}: bytes of scripts`).to.be.within(1_000, limit),
      async () =>
        expect(await page.locator('html').getAttribute('lang')).to.equal(as.locale.replace('-US', '')),
    ]);
    const texts = await textsOf(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      faults.push(...(await faultsOf([() => expectNoOverflow(page, name)])));
      // Between the widths of a phone and a desktop, the lists of the documentation fold differently.
      if (group === 'documentation' && width === 768 && as === DESK)
        faults.push(...(await faultsOf([() => expectAccessible(page, `${name}, ${width} px`)])));
    }
    if (as === PHONE) {
      // The explorer decides while it loads whether it has room for the map.
      if (group === 'explorer') await page.reload();
      await untilShown(page);
      texts.push(...(await textsOf(page)));
    }
    return { name, faults, texts };
  }

  const expectTranslated = (name: string, portuguese: readonly string[], english: readonly string[]) => {
    expect(portuguese, name).to.have.lengthOf.at.least(10);
    expect(english, name).to.have.lengthOf.at.least(10);
    const texts = untranslated(portuguese, english, system.data);
    return texts.length > 0 ? [`${name}: ${JSON.stringify([...new Set(texts)])}`] : [];
  };

  for (const group of Object.keys(GROUPS)) {
    for (const as of [DESK, PHONE])
      it(`${group}: accessible, large targets, no overflow, stable, small scripts, ${as.colorScheme} in ${as.locale}`, async () => {
        const faults = (await look(group, as)).flatMap((view) => view.faults);
        expect(faults, faults.join('\n')).to.deep.equal([]);
      });

    it(`${group}: the Portuguese views have no English text outside their examples`, async () => {
      const english = new Map((await look(group, DESK)).map(({ name, texts }) => [name, texts]));
      const found = (await look(group, PHONE)).flatMap(({ name, texts }) =>
        expectTranslated(name, texts, english.get(name) ?? []),
      );
      expect(found, found.join('\n')).to.deep.equal([]);
    });

    it(`${group}: Lighthouse's best practices on a phone`, async () => {
      lighthouse ??= await startLighthouse();
      const views = (GROUPS[group]?.('en-US') ?? []).filter(({ name }) => LIGHTHOUSE.test(name));
      expect(views).to.have.lengthOf.at.least(3);
      const all: string[] = [];
      for (const { name, url } of views) {
        const { bestPractices, faults } = await lighthouse.bestPractices(url);
        if (bestPractices < 96) all.push(`${name}: ${bestPractices} ${faults.join(' ')}`);
      }
      expect(all, all.join('\n')).to.deep.equal([]);
    });
  }

  it('console: the Portuguese views have no English text after a verification and in every dialog', async () => {
    const [overview, rebuild] = consoleViews(system);
    // The printed URL has the token, which a verification requires.
    const open = async (locale: string) => (await browser.open(system.console, { locale })).page;
    const [portuguese, english] = await Promise.all([open('pt-BR'), open('en-US')]);
    await portuguese.goto(rebuild?.url ?? '');
    await portuguese.locator('button[data-action=verify]:enabled').click();
    await portuguese.locator('dialog[open] button[type=submit]').click();
    const done = portuguese.locator('.job [data-job-state=done]').first();
    await done.waitFor({ state: 'attached' });
    const actions = await portuguese
      .locator('button[data-action]')
      .evaluateAll((all) => all.map((one) => (one as unknown as HTMLButtonElement).dataset.action ?? ''));
    expect(actions).to.include.members(['replay', 'verify', 'switch', 'prune']);
    const found: string[] = [];
    const states: [string, (page: Page) => Promise<unknown>][] = [
      ['overview', (page) => openAnew(page, overview?.url ?? '')],
      ['rebuild', (page) => openAnew(page, rebuild?.url ?? '')],
      ...[...new Set(actions)].map((action): [string, (page: Page) => Promise<unknown>] => [
        `dialog ${action}`,
        async (page) => {
          await page.locator(`button[data-action=${action}]:enabled`).first().click();
          await page.locator('dialog[open]').waitFor();
        },
      ]),
    ];
    for (const [name, bring] of states) {
      const texts: string[][] = [];
      for (const page of [portuguese, english]) {
        await bring(page);
        texts.push(await textsOf(page));
        if (!name.startsWith('dialog')) continue;
        await page.keyboard.press('Escape');
        await page.locator('dialog[open]').waitFor({ state: 'detached' });
      }
      found.push(...expectTranslated(name, texts[0] ?? [], texts[1] ?? []));
    }
    expect(found, found.join('\n')).to.deep.equal([]);
  });

  it('every code of the operator has words', () => {
    const { letterReasons, droppedTexts, phases } = CODES['pt-BR'];
    expect(letterReasons).to.include.all.keys(...DEAD_LETTER_REASONS);
    expect(droppedTexts).to.include.all.keys(...DROPPED_MEMBERS);
    expect(phases).to.include.all.keys(...Object.keys(TRANSITIONS));
  });

  it('every detail of an invalid parameter has a translation', async () => {
    const unknown: string[] = [];
    for (const query of INVALID) {
      const response = await fetch(`${system.origin}/api/ai-feed?${query}`);
      expect(response.status, query).to.equal(400);
      const problem = (await response.json()) as Problem;
      const translated = problemText('pt-BR', problem);
      expect(translated.title).to.equal('Parâmetros inválidos');
      for (const [index, { detail }] of (translated.errors ?? []).entries())
        if (detail === 'tem um valor inválido') unknown.push(problem.errors?.[index]?.detail ?? '');
    }
    expect(unknown).to.deep.equal([]);
  });
});
