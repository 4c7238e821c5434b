import type { Page } from 'playwright-core';
import type { ViewSystem } from './view-system.ts';

/** One state of a page. */
export interface View {
  name: string;
  url: string;
}

/** The explorer with every kind of content and problem. */
export function explorerViews({ origin, ids, tomorrow }: ViewSystem): View[] {
  const views: Record<string, string> = {
    start: '/',
    dates: `/?date=${tomorrow}&type=rent`,
    stay: `/?date=${tomorrow}&nights=3&type=rent&sort=price`,
    place: '/?lat=-23.551&lng=-46.633&localOnly=true',
    'an empty result': '/?city=curitiba&min_price=99999999',
    'a past date': '/?date=2020-01-01',
    'a page beyond the last': '/?page=99',
    cursor: '/?cursor=*',
    listing: `/?listing=${ids[1]}`,
    'unknown listing': '/?listing=id-desconhecido',
    compare: `/?compare=${ids.slice(0, 3).join(',')}`,
  };
  return Object.entries(views).map(([name, path]) => ({
    name: `explorer: ${name}`,
    url: `${origin}${path}`,
  }));
}

/** The opened pages of the documentation. Together they have every form of content (site-pages.test.ts). */
export const OPENED_PAGES = [
  '',
  'guides/first-program',
  'guides/stays',
  'guides/crawlers',
  'guides/changes',
  'reference',
  'reference/getPublicFeed',
  'reference/getChanges',
  'reference/objects',
  'reference/headers',
  'rules',
  'errors',
  'errors/unavailable',
  'limits',
];

/** Opened pages of the documentation. @param language the beginning of their paths, such as `pt-BR` */
export function documentationViews({ origin }: ViewSystem, language = ''): View[] {
  const start = `${origin}/api/docs${language && `/${language}`}`;
  return OPENED_PAGES.map((path) => ({
    // A page has the same name in both languages.
    name: `documentation: ${path || 'start'}`,
    url: path === '' ? start : `${start}/${path}`,
  }));
}

/** The console with every kind of content. */
export function consoleViews({ console, ids }: ViewSystem): View[] {
  const views: Record<string, string> = {
    overview: '',
    rebuild: 'rebuild',
    'hidden listings': 'listings?list=hidden',
    'dropped members': 'listings?list=dropped',
    'superseded events': 'listings?list=superseded',
    'listings with dead letters': 'listings?list=dead-letters',
    explain: 'explain',
    'explain a listing': `explain/${ids[0]}?history=true`,
    'explain a hidden listing': 'explain/sem-preco',
    'explain an ignored event': 'explain/ignora?history=true',
    'explain a dead letter': 'explain/esquema',
    'explain an unknown listing': 'explain/id-desconhecido',
    'dead letters': 'dead-letters',
    'a dead letter': 'dead-letters/1:0',
    reconciliation: 'reconciliation',
  };
  return Object.entries(views).map(([name, hash]) => ({
    name: `console: ${name}`,
    url: new URL(`#/${hash}`, console).href,
  }));
}

/** Waits until a page shows its content. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator('main').first().waitFor();
  await page.locator('[aria-busy=true], .skeleton').first().waitFor({ state: 'detached' });
}

/**
 * Opens a view of the console in a new document, and waits until it shows its content. A change of the
 * fragment alone would leave the last view visible for a moment, and a slow machine would mistake it for the
 * new one.
 */
export async function openAnew(page: Page, url: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(url);
  await untilShown(page);
}

/**
 * A page's faults, except those from an engine that did not respond in time. After such a fault, the page
 * reads again by itself.
 */
export const withoutOutages = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !/status of 503/.test(fault));
