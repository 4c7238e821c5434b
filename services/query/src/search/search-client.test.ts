import { setImmediate as turn } from 'node:timers/promises';
import { type Client, errors } from '@elastic/elasticsearch';
import { expect } from 'chai';
import type { SendSearch } from './direct-search.ts';
import { ResponseReader } from './response-reader.ts';
import { createSearchClient } from './search-client.ts';
import { FeedUnavailable } from './search-failure.ts';
import { SearchLimiter } from './search-limiter.ts';

/** Simulates a search that Elasticsearch runs until the connection is closed. */
const sendForever: SendSearch = (_sender, _path, _body, { signal }) =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new errors.RequestAbortedError('aborted'))),
  );

const clientOf = (limiter: SearchLimiter) =>
  createSearchClient({
    elasticsearch: {} as Client,
    send: sendForever,
    responses: new ResponseReader(1_000_000),
    indexPrefix: 'p',
    limiter,
    cancellation: { abandonedMs: 0, endingMs: 0 },
  });

describe('search client', () => {
  it('ends a search if the caller disconnects while the search is running', async () => {
    const caller = new AbortController();
    const searching = clientOf(new SearchLimiter({ limit: 1 }))
      .search({}, caller.signal)
      .catch((error: unknown) => error);
    await turn();
    caller.abort();
    expect(await searching).to.be.instanceOf(FeedUnavailable);
  });

  it('ends the search if its caller disconnects at the moment it is admitted', async () => {
    const caller = new AbortController();
    class LeavingAtAdmission extends SearchLimiter {
      override async enter(signal: AbortSignal): Promise<() => void> {
        const release = await super.enter(signal);
        caller.abort();
        return release;
      }
    }
    const limiter = new LeavingAtAdmission({ limit: 1 });
    const failure = await clientOf(limiter)
      .search({}, caller.signal)
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(FeedUnavailable);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(limiter.running).to.equal(0);
  });
});
