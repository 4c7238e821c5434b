import { type Client, errors } from '@elastic/elasticsearch';
import { expect } from 'chai';
import type { SendSearch } from './direct-search.ts';
import { ResponseReader } from './response-reader.ts';
import { createSearchClient } from './search-client.ts';
import { FeedUnavailable } from './search-failure.ts';
import { SearchLimiter } from './search-limiter.ts';

describe('search client', () => {
  it('ends the search if its caller disconnects at the moment it is admitted', async () => {
    const caller = new AbortController();
    class LeavingAtAdmission extends SearchLimiter {
      override async enter(signal: AbortSignal): Promise<() => void> {
        const release = await super.enter(signal);
        caller.abort();
        return release;
      }
    }
    const send: SendSearch = (_sender, _path, _body, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new errors.RequestAbortedError('aborted'))),
      );
    const limiter = new LeavingAtAdmission({ limit: 1 });
    const client = createSearchClient({
      elasticsearch: {} as Client,
      send,
      responses: new ResponseReader(1_000_000),
      indexPrefix: 'p',
      limiter,
      cancellation: { abandonedMs: 0, endingMs: 0 },
    });
    const failure = await client.search({}, caller.signal).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(FeedUnavailable);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(limiter.running).to.equal(0);
  });
});
