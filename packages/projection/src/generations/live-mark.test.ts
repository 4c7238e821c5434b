import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generationNames } from '@vitrine/feed-index';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { ChangesStore } from '../store/changes-store.ts';
import { entryMark, LiveMarks } from './live-mark.ts';

const at = '2026-11-22T00:00:00.000Z';
const [first, second, third] = [
  { epoch: 1, generation: 1 },
  { epoch: 2, generation: 2 },
  { epoch: 3, generation: 1 },
];
const history = {
  kept: [],
  transitions: [
    { ...second, at, after: first, handover: { from: 100, to: 40 } },
    { ...third, at, after: second, handover: { from: 70, to: 150 } },
  ],
};

describe('the mark at which followers enter the live generation', () => {
  it('is that of the switch', () => expect(entryMark(second, history, 1)).to.equal(40));
  it('is that of the rollback', () => expect(entryMark(third, history, 2)).to.equal(150));
  it('is before the first entry if followers receive all items again', () => {
    const transitions = [{ ...second, at, after: first, handover: { from: 100, to: -1 } }];
    expect(entryMark(second, { kept: [], transitions }, 1)).to.equal(-1);
  });
  it('is absent for a generation that was never live, so that a rebuild touches nothing', () =>
    expect(entryMark(third, history, 3)).to.equal(undefined));
  it('is absent before the first switch', () => expect(entryMark(first, history, 1)).to.equal(undefined));
});

describe('the live mark', () => {
  it('does not delay a shutdown, although Elasticsearch is frozen', async () => {
    const frozen = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(frozen, 'listening');
    const url = `http://127.0.0.1:${(frozen.address() as AddressInfo).port}`;
    const client = createElasticsearch({ url, requestTimeout: 60_000, maxRetries: 0 });
    const marks = new LiveMarks(client, 'p', 1);
    const store = new ChangesStore(client, generationNames('p', 1), {
      liveMark: (signal) => marks.current(signal),
    });
    const stopping = new AbortController();
    const writing = store.write([{ id: 'a', state: 'updated', revision: 1 }], stopping.signal).catch(String);
    await once(frozen, 'request');
    stopping.abort();
    expect(await writing).to.include('could not touch live entries');
    await client.close();
    frozen.closeAllConnections();
    frozen.close();
  });
});
