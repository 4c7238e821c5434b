import { addDays } from '@vitrine/fixtures';
import type { DemoSettings } from './settings.ts';

export interface Greeted {
  hasDemo: boolean;
  hasConsole: boolean;
  /** The settings with which other processes reach the engines. */
  engines: Record<string, string>;
}

/**
 * The lines that `npm start` prints once everything runs: the addresses and the next commands. Pure.
 */
export function greetingLines(settings: DemoSettings, { hasDemo, hasConsole, engines }: Greeted): string[] {
  const { feedsUrl, today } = settings;
  const examples = exampleLines(feedsUrl, today);
  return [
    '',
    `The feeds:  ${feedsUrl}/public-feed  and  ${feedsUrl}/ai-feed`,
    '',
    'Try:',
    ...(hasDemo ? examples : examples.slice(0, 1)).map((example) => `  ${example}`),
    '',
    ...serviceLines(settings, hasConsole),
    '',
    'In another terminal:',
    `  ${exportLine(engines)}`,
    '  npm run cli -- status',
    '  npm run publish-event    publishes an event of your own: docs/start/publish-an-event.md',
    '',
    hasDemo
      ? 'From now on, about one listing changes per second. Ctrl-C stops everything.'
      : 'Ctrl-C stops everything that npm start has started.',
    '',
  ];
}

/** The lines that name the addresses of the services. */
export function serviceLines(
  { feedsUrl, adminPort, projectorAdminPort, ingestAdminPort, consolePort, site }: DemoSettings,
  hasConsole: boolean,
  hasIngest = false,
): string[] {
  const service = (name: string, port: number): string =>
    `${`${name}:`.padEnd(16)}http://localhost:${port}/health/ready  http://localhost:${port}/metrics`;
  return [
    `Explorer:       ${new URL('/', feedsUrl)}`,
    `Listings:       ${site}/  (the marketplace's website, which only the demo has)`,
    service('Query service', adminPort),
    service('Projector', projectorAdminPort),
    ...(hasIngest ? [service('Ingest', ingestAdminPort)] : []),
    hasConsole
      ? `Console:        http://127.0.0.1:${consolePort}/`
      : `Console:        not started, because port ${consolePort} is in use (CONSOLE_PORT moves it)`,
  ];
}

/** One line for a POSIX shell, for people to copy. */
export const exportLine = (settings: Record<string, string>): string =>
  `export ${Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`;

/** Days from today to the date in the second example. */
export const DAYS_AHEAD = 5;

/** Four example requests as lines for any shell. @param today first date of the calendars */
export function exampleLines(feedsUrl: string, today: string): string[] {
  return [
    `curl "${feedsUrl}/public-feed?pageSize=3"`,
    `curl "${feedsUrl}/ai-feed/rent?city=florianopolis&date=${addDays(today, DAYS_AHEAD)}"`,
    `curl "${feedsUrl}/public-feed/service?category=aulas-particulares"`,
    `curl -G "${feedsUrl}/public-feed" --data-urlencode "city=São Paulo"`,
  ];
}
