import { addDays } from '@vitrine/fixtures';

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
