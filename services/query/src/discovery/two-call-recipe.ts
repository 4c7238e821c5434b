import { MAX_RANGE_DAYS } from '../filters/dates.ts';
import { NEIGHBORING_DAYS } from '../request/neighboring-dates.ts';

/**
 * Explains how a program without MCP answers a question about dates with two requests to the agent feed. Rules:
 * docs/reference/rules.md#dates, docs/reference/rules.md#date-summaries, docs/reference/rules.md#pages.
 * @param base the absolute URL of the base path
 */
export const twoCallRecipe = (base: string): string[] => [
  'Without MCP, two requests answer most questions about dates:',
  '',
  `1. Send \`GET ${base}/ai-feed/rent?city=sao-paulo&date=YYYY-MM-DD&date_to=YYYY-MM-DD&pageSize=5\`. The ` +
    'response contains the items that are available on every date from `date` to `date_to`. Both ends are ' +
    `included, and a range has at most ${MAX_RANGE_DAYS} dates. For a stay, \`date_to\` is the last night. In ` +
    'each item, `availability` has one entry per requested date, and the sum of their `price` values is the ' +
    'price of the stay. `meta.total` is the exact number of matching items. `rent` may be `sale` or `service`, ' +
    'or may be absent. The feed has no filter for prices: compare them yourself.',
  '2. Send a second request only in these cases:',
  '   - `meta.total` is 0. `meta.availability` then shows the dates that have items. It has one entry (`date`, ' +
    `\`items\`, \`min_price\`, \`max_price\`) per date, from ${NEIGHBORING_DAYS} days before \`date\` to ` +
    `${NEIGHBORING_DAYS} days after \`date_to\`, but not before today. Repeat the request with those dates. ` +
    'Each entry counts one date alone, so a range of dates can still have no item. If no entry has items, ' +
    'repeat the request without `city` or without `category`.',
  '   - `meta.pageCount` is above 1, and the first page is not enough. Repeat the request with `page=2`.',
];
