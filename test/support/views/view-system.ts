import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generationNames, type ItemDocument } from '@vitrine/feed-index';
import {
  addDays,
  dateInSaoPaulo,
  generateListings,
  isComplete,
  listingEvent,
  recordOf,
} from '@vitrine/fixtures';
import { startQueryService } from '@vitrine/query';
import { createLog } from '@vitrine/runtime/log';
import { createDeployment, type Deployment } from '../deployment.ts';
import { fetchAccepted } from '../fetch-accepted.ts';
import { cli, runProjector } from '../in-process.ts';
import { PATIENT } from '../query-service.ts';
import { eventually, startService } from '../service-process.ts';

/** A system whose pages show something in every part. */
export interface ViewSystem {
  /** Scheme, host and port of the query service. */
  origin: string;
  /** The URL that the console prints, with its token. */
  console: string;
  deployment: Deployment;
  /** The listings that the feed shows. */
  ids: string[];
  /** Tomorrow in Brazil, YYYY-MM-DD. */
  tomorrow: string;
  /** The texts of the data, which no page translates. */
  data: string;
  close(): Promise<void>;
}

const LISTINGS = 60;

/**
 * Starts a projector, a query service and a console that can run actions. The feed has listings without pictures,
 * because the browser of a test reaches no other machine. The console has a hidden listing, a dropped member, an
 * ignored event, dead letters, and a verified generation with one difference.
 */
export async function startViewSystem(): Promise<ViewSystem> {
  const today = dateInSaoPaulo(new Date());
  const listings = generateListings({ seed: 7, count: LISTINGS, today }).filter(isComplete);
  const records = listings.map(({ id, adType, fields: { images: _, ...fields }, calendar }) =>
    recordOf(
      listingEvent(id, 1, `${today}T00:00:00Z`, {
        type: 'snapshot',
        data: {
          listing: { ...fields, ad_type: adType, ...(calendar.length > 0 && { availability: calendar }) },
        },
      }),
    ),
  );
  const changed = (id: string, version: number, changes: object) =>
    recordOf(listingEvent(id, version, `${today}T00:00:00Z`, { type: 'changed', data: { changes } }));
  const [first] = listings;
  const troubled = [
    changed('sem-preco', 1, { title: 'Casa' }),
    changed('ignora', 1_700_000_000_000, { ...first?.fields, images: null, rating: 9 }),
    changed('ignora', 5, { price: 100 }),
    { key: 'ruim', value: '{"specversion":"1.0",}' },
    {
      key: 'esquema',
      value: JSON.stringify({
        ...JSON.parse(changed('esquema', 1, {}).value),
        data: { version: 1, changes: { price: 'x' } },
      }),
    },
  ];
  const deployment = await createDeployment('views', 2);
  await deployment.publish([...records, ...troubled]);
  const projector = await runProjector(deployment);
  await deployment.caughtUp();
  await cli(deployment, ['replay']);
  const id = first?.id ?? '';
  const document = (await deployment.items(2)).get(id) as ItemDocument;
  const feed_item = { ...document.feed_item, title: `${document.feed_item.title} *` };
  const index = generationNames(deployment.prefix, 2).items;
  await deployment.client.index({ index, id, document: { ...document, feed_item }, refresh: true });
  const folder = await mkdtemp(join(tmpdir(), 'views-'));
  const source = join(folder, 'source.jsonl');
  await writeFile(source, '{"id":"id-desconhecido"}\n');
  await cli(deployment, ['reconcile', '--source', source]);
  await rm(folder, { recursive: true });
  const query = await startQueryService(
    { ...deployment.env, PORT: '0', ADMIN_PORT: '0', RATE_LIMIT: 'off' },
    createLog('query', 'silent'),
    PATIENT,
  );
  const feed = await fetchAccepted(`http://127.0.0.1:${query.port}/api/ai-feed?pageSize=100`);
  const openapi = await (await fetch(`http://127.0.0.1:${query.port}/api/openapi.json`)).text();
  const names = [...openapi.matchAll(/"[\w-]+"/g)].join(' ');
  const service = startService('cli', deployment.env, ['console', '--port=0', '--allow-actions']);
  const console = await eventually(
    'the console prints its URL',
    async () => /Console: (\S+)/.exec(service.log())?.[1],
  );
  return {
    origin: `http://127.0.0.1:${query.port}`,
    console,
    deployment,
    ids: listings.map(({ id }) => id),
    tomorrow: addDays(today, 1),
    data: JSON.stringify([...records, ...troubled]) + (await feed.text()) + names,
    close: async () => {
      await service.stop();
      await query.stop();
      await projector.stop();
      await deployment.close();
    },
  };
}
