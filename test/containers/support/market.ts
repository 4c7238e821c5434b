import { type EventRecord, listingEvent, recordOf } from '@vitrine/fixtures';
import { createKafka, type KafkaProducer } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { fetchAccepted } from '../../support/fetch-accepted.ts';

const TOPIC = 'marketplace.listing-events';
const BATCH = 500;
/** The time for one page of a crawl, with the waits after 503 responses. */
const CRAWLED_WITHIN_MS = 120_000;

/** Connects to the broker at the port that Compose publishes. */
export async function connectProducer(broker: string): Promise<KafkaProducer> {
  const kafka = createKafka({ brokers: broker }, createLog('containers', 'silent'));
  const producer = kafka.producer({ idempotent: true });
  await producer.connect();
  return producer;
}

export async function publish(producer: KafkaProducer, records: readonly EventRecord[]): Promise<void> {
  for (let begin = 0; begin < records.length; begin += BATCH)
    await producer.send({ topic: TOPIC, messages: records.slice(begin, begin + BATCH) });
}

/** The event that creates a complete listing. */
export const completeListing = (id: string): EventRecord =>
  recordOf(
    listingEvent(id, 1, new Date(), {
      type: 'snapshot',
      data: {
        listing: {
          title: `Casa ${id}`,
          ad_type: 'sale',
          price: 450_000,
          location: { city: 'Curitiba', state: 'PR', country: 'BR' },
          url: `https://vitrine.example/${id}`,
        },
      },
    }),
  );

interface Page {
  data: (Record<string, unknown> & { id: string })[];
  meta: { total: number; nextCursor?: string };
}

/** Reads one page, or returns undefined if the service does not respond with 200 in time. */
export async function readPage(
  url: string,
  request: typeof fetchAccepted = fetch,
  withinMs = 10_000,
): Promise<Page | undefined> {
  try {
    const response = await request(url, { signal: AbortSignal.timeout(withinMs) });
    const text = await response.text();
    return response.status === 200 ? (JSON.parse(text) as Page) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads every item of the agents' feed by cursor. @throws on any status but 200 */
export async function crawl(feedUrl: string): Promise<Page['data']> {
  const items: Page['data'] = [];
  for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
    const url = `${feedUrl}/ai-feed?pageSize=100&cursor=${encodeURIComponent(cursor)}`;
    const page = await readPage(url, fetchAccepted, CRAWLED_WITHIN_MS);
    if (page === undefined) throw new Error(`${url} did not respond with 200`);
    items.push(...page.data);
    cursor = page.meta.nextCursor;
  }
  return items;
}
