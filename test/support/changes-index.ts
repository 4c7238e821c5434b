import type { Client } from '@elastic/elasticsearch';
import type { ChangeEntry } from '@vitrine/feed-index';

/** An entry of a changes index with its sequence number and version. */
export interface FoundEntry extends ChangeEntry {
  id: string;
  sequence: number;
  version: number;
}

/** All entries of a changes index, in the order of their sequence numbers. */
export async function entriesOf(client: Client, index: string): Promise<FoundEntry[]> {
  await client.indices.refresh({ index });
  const { hits } = await client.search<ChangeEntry>({
    index,
    size: 10_000,
    sort: [{ _seq_no: 'asc' }],
    seq_no_primary_term: true,
    version: true,
  });
  return hits.hits.map(({ _id, _source, _seq_no, _version }) => ({
    ...(_source as ChangeEntry),
    id: _id as string,
    sequence: _seq_no as number,
    version: _version as number,
  }));
}
