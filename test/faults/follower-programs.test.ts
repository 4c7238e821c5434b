import { once } from 'node:events';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { changesEpochAlias, generationNames, type Item, itemsAlias } from '@vitrine/feed-index';
import { generateItems } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createChangesIndex, deleteChanges, writeEntries, writeHistory } from '../support/changes-index.ts';
import { canRun, FOLLOWERS, FollowerProgram } from '../support/follower-program.ts';
import { createItemsIndex, indexItems } from '../support/items-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

/** This number of items exceeds one slice of an export, and also what the followers save at once. */
const ITEMS = 2_500;
const LONG_AGO = Date.now() - 3_600_000;
/**
 * A time much longer than all of a follower's pauses, because these tests do not show how long a follower
 * needs.
 */
const WITHIN_MS = 120_000;

const dataOf = ({ feed_item, calendar, ad_type, published_at }: Item) => ({
  ...feed_item,
  availability: calendar,
  ...(ad_type && { ad_type }),
  published_at: new Date(published_at).toISOString(),
});

/** Ways in which a proxy ends a response of which it has received only a part. */
const ENDINGS: readonly { afterBytes: number; end: (response: ServerResponse) => unknown }[] = [
  { afterBytes: 200_000, end: ({ socket }) => socket?.resetAndDestroy() },
  { afterBytes: 200_000, end: ({ socket }) => socket?.end() },
  // A proxy that speaks HTTP/1.0 with the service mistakes the part for the whole response.
  { afterBytes: 200_000, end: (response) => response.end() },
  { afterBytes: 0, end: (response) => response.end() },
];

/**
 * A proxy that breaks the first exports off, each in a different way. It records the paths of all requests,
 * and of the exports that the service began.
 * @param saved the number of listings that the client has saved
 */
async function startBreakingProxy(port: number, saved: () => number) {
  const paths: string[] = [];
  const exports: string[] = [];
  const endings = [...ENDINGS];
  const server: Server = createServer(({ url = '', headers }, outgoing) => {
    paths.push(url);
    const before = saved();
    let sent = 0;
    request({ host: '127.0.0.1', port, path: url, headers }, (answer) => {
      // The service may refuse an export while it still ends the previous one. A refusal is not cut short.
      const isExport = url.startsWith('/api/export') && answer.statusCode === 200;
      if (isExport) exports.push(url);
      const ending = isExport ? endings.shift() : undefined;
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (ending?.afterBytes === 0) {
        ending.end(outgoing);
        answer.destroy();
        return;
      }
      answer.on('data', (piece: Buffer) => {
        outgoing.write(piece);
        sent += piece.length;
        if (!ending || sent < ending.afterBytes || answer.isPaused()) return;
        answer.pause();
        void eventually('the client saves some listings', async () => saved() > before).finally(() => {
          ending.end(outgoing);
          answer.destroy();
        });
      });
      answer.on('end', () => outgoing.end());
      answer.on('error', () => undefined);
    })
      .on('error', () => outgoing.destroy())
      .end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    paths,
    exports,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

for (const program of FOLLOWERS)
  describe(`the follower docs/start/${program}`, () => {
    let deployment: QueryDeployment;
    let proxy: Awaited<ReturnType<typeof startBreakingProxy>>;
    let follower: FollowerProgram;
    const items = new Map(generateItems(ITEMS).map((item) => [item.id, item]));
    const ids = [...items.keys()];

    /** Waits until the copy equals the items. */
    const becomesCurrent = async () => {
      const isCurrent = async () => {
        const copy = follower.copy();
        return (
          copy.size === items.size &&
          [...items.values()].every((item) => {
            const held = copy.get(item.id);
            return held !== undefined && JSON.stringify(JSON.parse(held)) === JSON.stringify(dataOf(item));
          })
        );
      };
      await eventually('the copy equals the feed', isCurrent, WITHIN_MS).catch((error: Error) => {
        throw new Error(`${error.message}. ${follower.copy().size} listings. ${follower.log()}`, {
          cause: error,
        });
      });
    };
    /** Changes an item and removes another one, with their entries. */
    const change = async (changed: string, removed: string, generation: number) => {
      const { elasticsearch, prefix } = deployment;
      const { items: index } = generationNames(prefix, generation);
      const item = items.get(changed) as Item;
      const document = { ...item, feed_item: { ...item.feed_item, title: `Novo título ${changed}` } };
      items.set(changed, document);
      items.delete(removed);
      await elasticsearch.delete({ index, id: changed });
      await indexItems(elasticsearch, index, [document]);
      await elasticsearch.delete({ index, id: removed });
      await writeEntries(elasticsearch, prefix, generation, [
        [changed, 'updated'],
        [removed, 'deleted'],
      ]);
    };

    before(async function () {
      if (!canRun(program)) {
        process.stderr.write(`# skipped: ${program} needs Python 3 with sqlite3\n`);
        return this.skip();
      }
      deployment = await startQuery();
      const { elasticsearch, prefix } = deployment;
      await deployment.createIndex([...items.values()]);
      await createChangesIndex(elasticsearch, prefix, 1, 1);
      const entries = ids.map((id) => [id, 'updated'] as const);
      await writeEntries(elasticsearch, prefix, 1, entries, LONG_AGO);
      proxy = await startBreakingProxy(deployment.port, () => follower.copy().size);
      follower = new FollowerProgram(program, proxy.base);
    });
    after(async () => {
      await follower?.close();
      proxy?.close();
      if (!deployment) return;
      await deployment.elasticsearch.indices.delete({
        index: generationNames(deployment.prefix, 2).items,
        ignore_unavailable: true,
      });
      await deleteChanges(deployment.elasticsearch, deployment.prefix);
      await deployment.close();
    });

    it('G6: exports all listings, and continues an export that is cut short in any way', async () => {
      follower.start();
      await becomesCurrent();
      const { exports } = proxy;
      // One request reads the rest, and another one proves the end.
      await eventually('the end is proven', async () => exports.length >= ENDINGS.length + 2, WITHIN_MS);
      for (const path of exports.slice(1)) expect(path).to.match(/^\/api\/export\?after=./);
    });

    it('follows changes and removals', async () => {
      await change(ids[3] as string, ids[4] as string, 1);
      await becomesCurrent();
    });

    it('continues at its place after a kill', async () => {
      await follower.kill();
      await change(ids[5] as string, ids[6] as string, 1);
      const before = proxy.paths.length;
      follower.start();
      await becomesCurrent();
      const since = proxy.paths.slice(before);
      expect(since.filter((path) => path.startsWith('/api/export'))).to.deep.equal([]);
    });

    it('starts over after 410, and then has no listing that left the feed meanwhile', async () => {
      await follower.kill();
      const { elasticsearch, prefix } = deployment;
      await createItemsIndex(elasticsearch, prefix, 2, { live: false });
      for (const id of ids.slice(10, 200)) items.delete(id);
      await indexItems(elasticsearch, generationNames(prefix, 2).items, [...items.values()]);
      await createChangesIndex(elasticsearch, prefix, 2);
      const entries = [...items.keys()].map((id) => [id, 'updated'] as const);
      await writeEntries(elasticsearch, prefix, 2, entries, LONG_AGO);
      // The new epoch does not lead back to the epoch that the follower knows.
      const transition = { epoch: 2, generation: 2, at: new Date().toISOString() };
      await writeHistory(elasticsearch, prefix, { transitions: [transition], kept: [] });
      const [one, two] = [generationNames(prefix, 1), generationNames(prefix, 2)];
      await elasticsearch.indices.updateAliases({
        actions: [
          { remove: { index: one.changes, alias: changesEpochAlias(prefix, 1) } },
          { add: { index: two.changes, alias: changesEpochAlias(prefix, 2) } },
          { remove: { index: one.items, alias: itemsAlias(prefix) } },
          { add: { index: two.items, alias: itemsAlias(prefix) } },
        ],
      });
      const before = proxy.paths.length;
      follower.start();
      await becomesCurrent();
      expect(proxy.paths.slice(before)).to.include('/api/export?after=');
      await change(ids[300] as string, ids[301] as string, 2);
      await becomesCurrent();
    });
  });
