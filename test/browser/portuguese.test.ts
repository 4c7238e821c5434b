import { DROPPED_MEMBERS } from '@vitrine/listing';
import { DEAD_LETTER_REASONS } from '@vitrine/projection/dead-letters';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { TRANSITIONS } from '../../packages/feed-index/src/rebuild-phase.ts';
import { type Problem, problemText } from '../../packages/web/src/browser/components/words/problem-text.ts';
import { CODES } from '../../packages/web/src/browser/console/texts-codes.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { textsOf, untranslated } from '../support/views/texts.ts';
import {
  consoleViews,
  documentationViews,
  explorerViews,
  untilShown,
  type View,
} from '../support/views/view-list.ts';
import { startViewSystem, type ViewSystem } from '../support/views/view-system.ts';

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

describe('the Portuguese pages', () => {
  let browser: TestBrowser;
  let system: ViewSystem;

  before(async function () {
    browser = await startBrowser(this);
    system = await startViewSystem();
  });
  after(async () => {
    await browser?.close();
    await system?.close();
  });

  const textsIn = async ({ url, act }: View, locale: string): Promise<string[]> => {
    const { page } = await browser.open(url, { locale });
    await untilShown(page);
    await act?.(page);
    const texts = await textsOf(page);
    await page.context().close();
    return texts;
  };
  const expectTranslated = async (portuguese: View[], english: View[]) => {
    const found: Record<string, string[]> = {};
    for (const [index, view] of portuguese.entries()) {
      const own = await textsIn(view, 'pt-BR');
      expect(own, view.name).to.have.lengthOf.at.least(10);
      const texts = untranslated(own, await textsIn(english[index] ?? view, 'en-US'), system.data);
      if (texts.length > 0) found[view.name] = texts;
    }
    expect(found).to.deep.equal({});
  };

  it('the explorer has no English text', async () => {
    const views = explorerViews(system);
    await expectTranslated(views, views);
  });

  it('the documentation has no English text outside its examples', async () => {
    const english = await documentationViews(system);
    const portuguese = await documentationViews(system, 'pt-BR');
    expect(portuguese).to.have.lengthOf(english.length);
    await expectTranslated(portuguese, english);
  });

  it('the console has no English text, even after a verification and in every dialog', async () => {
    const [, rebuild] = consoleViews(system);
    // The printed URL has the token, which a verification requires.
    const { page } = await browser.open(system.console);
    await page.goto(rebuild?.url ?? '');
    await page.locator('button[data-action=verify]:enabled').click({ timeout: 120_000 });
    await page.locator('dialog[open] button[type=submit]').click();
    await page.locator('.job [data-job-state=done]').first().waitFor({ state: 'attached', timeout: 120_000 });
    const dialogs = await Promise.all(
      (await page.locator('button[data-action]').all()).map((button) => button.getAttribute('data-action')),
    );
    await page.context().close();
    const withDialogs = dialogs.map((action) => ({
      name: `dialog ${action}`,
      url: rebuild?.url ?? '',
      act: (opened: Page) => opened.locator(`button[data-action=${action}]:enabled`).first().click(),
    }));
    const views = [...consoleViews(system), ...withDialogs];
    await expectTranslated(views, views);
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
