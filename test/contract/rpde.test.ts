import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import validator from '@openactive/rpde-validator';
import { generateItems } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const ITEMS = 1_200;
const TIMEOUT_MS = 60_000;

const validate = async (url: string) => {
  const { pages } = await validator.RpdeValidator(url, { pageLimit: 100, timeoutMs: TIMEOUT_MS });
  const errors = pages.flatMap((page) => page.errors);
  return { pages: pages.length, errors, failures: errors.filter(({ severity }) => severity === 'failure') };
};

/** The validator of OpenActive, the community that publishes RPDE, reads the changes page by page. */
describe('contract: RPDE validator', () => {
  let deployment: QueryDeployment;

  before(async () => {
    deployment = await startQuery();
    const items = generateItems(ITEMS);
    await deployment.createIndex(items);
    const { elasticsearch, prefix } = deployment;
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    await writeEntries(elasticsearch, prefix, 1, [
      ...items.map(({ id }) => [id, 'updated'] as const),
      ...Array.from({ length: 30 }, (_, i) => [`gone-${i}`, 'deleted'] as const),
    ]);
  });
  after(async () => {
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  it('finds no failures in pages of the default size, of one entry and of 100 entries', async () => {
    for (const [query, least] of [
      ['', 5],
      ['?limit=100', 14],
      [`?afterChangeNumber=${2 ** 40 + ITEMS + 9}&limit=1`, 20],
    ] as const) {
      const { pages, failures } = await validate(`${deployment.origin}/api/changes${query}`);
      expect(failures, query).to.deep.equal([]);
      expect(pages, query).to.be.at.least(least);
    }
  });

  it('warns only of the short lifetime of a page with entries that is not full', async () => {
    const { errors } = await validate(`${deployment.origin}/api/changes`);
    const warnings = errors.filter(({ severity }) => severity === 'warning').map(({ rule }) => rule);
    expect(new Set(warnings)).to.deep.equal(new Set(['HttpCacheHeaderRule']));
  });

  it('would find a failure in a feed that breaks the rules', async () => {
    const entry = { state: 'updated', kind: 'listing', id: 'a', modified: 'yesterday', data: {} };
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.setHeader('cache-control', 'no-store');
      response.end(JSON.stringify({ next: '/changes?afterChangeNumber=x', items: [entry], license: 'x' }));
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { failures } = await validate(
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/changes`,
      );
      expect(failures).not.to.deep.equal([]);
    } finally {
      server.close();
    }
  });
});
