import { createHash } from 'node:crypto';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { createChangesIndex, deleteChanges, writeEntries } from '../../support/changes-index.ts';
import { type QueryDeployment, startQuery } from '../../support/query-service.ts';
import { ask, type HttpAnswer } from '../http-answer.ts';
import type { RecordedRequest } from './request.ts';
import { nameOf } from './requests.ts';

const ITEMS = 120;
/** Short calendars keep the stored responses small. */
const LAST_DATE = day(16);
const ENTRY_TIME = Date.parse('2026-11-30T12:00:00Z');
/** Headers that differ between two equal responses, or that belong to the connection. */
const VOLATILE = ['date', 'age', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding'];
/** The times at which a response was generated. */
const GENERATED_AT = /((?:generatedAt|as_of)\\*": ?\\*")[^"\\]+/g;

/** Starts the query service with the market whose responses are recorded. */
export async function startRecordedMarket(): Promise<QueryDeployment> {
  const deployment = await startQuery({
    env: { FEED_TODAY: TODAY, PUBLIC_URL: 'https://feeds.example.com' },
  });
  const items = generateItems(ITEMS).map((item) => ({
    ...item,
    calendar: item.calendar.filter(({ date }) => date <= LAST_DATE),
  }));
  await deployment.createIndex(items);
  const { elasticsearch, prefix } = deployment;
  await createChangesIndex(elasticsearch, prefix, 1, 1);
  const entries = items.map(({ id }) => [id, 'updated'] as const);
  await writeEntries(elasticsearch, prefix, 1, [...entries, ['gone', 'deleted']], ENTRY_TIME);
  const close = async () => {
    await deleteChanges(elasticsearch, prefix);
    await deployment.close();
  };
  return { ...deployment, close };
}

/**
 * Sends the requests one after the other.
 * @returns the text of each response by its request's name, without values that differ between runs
 */
export async function responsesOf(
  origin: string,
  requests: readonly RecordedRequest[],
): Promise<Map<string, string>> {
  const responses = new Map<string, string>();
  for (const request of requests) {
    let path: string | undefined = request.path;
    for (let page = 1; path !== undefined && page <= request.pages; page++) {
      const answer: HttpAnswer = await ask(`${origin}${path}`, request);
      const name = nameOf(request) + (page === 1 ? '' : ` · page ${page}`);
      responses.set(name, responseText(answer));
      path = page < request.pages ? nextPath(path, answer) : undefined;
    }
  }
  return responses;
}

/** The status, the headers ordered by name, and the body. */
function responseText({ status, headers, text }: HttpAnswer): string {
  const isStable = (name: string) =>
    !VOLATILE.includes(name) && !(name === 'content-length' && headers['content-encoding']);
  const lines = Object.entries(headers)
    .filter(([name]) => isStable(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort();
  return [`${status}`, ...lines, '', text.replace(GENERATED_AT, '$1…')].join('\n');
}

function nextPath(path: string, { text }: HttpAnswer): string | undefined {
  const { meta, next } = JSON.parse(text) as { meta?: { nextCursor?: string }; next?: string };
  if (next !== undefined) return next.replace('https://feeds.example.com', '');
  if (meta?.nextCursor === undefined) return undefined;
  return path.replace(/cursor=[^&]*/, `cursor=${meta.nextCursor}`);
}

/** A short hash of a response. */
export const hashOf = (response: string): string =>
  createHash('sha256').update(response).digest('base64url').slice(0, 22);
