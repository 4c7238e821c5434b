import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { ResponseReader } from '../response-reader.ts';
import { FeedUnavailable } from '../search-failure.ts';
import { SearchLimiter } from '../search-limiter.ts';
import { ChangesClient } from './changes-client.ts';

interface Copy {
  routing: { primary: boolean };
  seq_no?: object;
}

/** Reads the checkpoint of an index that has these copies. */
function checkpointOf(copies: readonly Copy[]): Promise<number> {
  const stats = async () => ({ indices: { index: { shards: { 0: copies } } } });
  const elasticsearch = { indices: { stats } } as unknown as Client;
  const limiter = new SearchLimiter({ limit: 1 });
  const responses = new ResponseReader(1_000);
  return new ChangesClient({ elasticsearch, responses, indexPrefix: 'p', limiter }).checkpoint(1);
}
const copy = (primary: boolean, global_checkpoint: unknown): Copy => ({
  routing: { primary },
  seq_no: { max_seq_no: 9, local_checkpoint: 8, global_checkpoint },
});

describe('checkpoint of the changes', () => {
  it("is the primary's global checkpoint, because a failover can take back later entries", async () => {
    expect(await checkpointOf([copy(false, 5), copy(true, 7)])).to.equal(7);
    expect(await checkpointOf([copy(true, -1)]), 'an empty index').to.equal(-1);
  });

  it('is unavailable if no primary has started, or if the response is damaged', async () => {
    for (const copies of [[], [copy(false, 5)], [{ routing: { primary: true } }], [copy(true, undefined)]]) {
      const failure = await checkpointOf(copies).catch((error: unknown) => error);
      expect(failure, JSON.stringify(copies)).to.be.instanceOf(FeedUnavailable);
    }
  });
});
