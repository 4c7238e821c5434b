import { expect } from 'chai';
import type { Page } from 'playwright-core';
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

  it('the console has no English text, also after a verification and in every dialog', async () => {
    const [, rebuild] = consoleViews(system);
    const { page } = await browser.open(rebuild?.url ?? '', { locale: 'pt-BR' });
    await page.locator('button[data-action=verify]:enabled').click({ timeout: 120_000 });
    await page.locator('dialog[open] button[type=submit]').click();
    await page.locator('.job [data-job-state=done]').first().waitFor({ timeout: 120_000 });
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
});
