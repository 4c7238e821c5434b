import type { Client, estypes } from '@elastic/elasticsearch';
import { isTooLarge } from './elasticsearch-unavailable.ts';

/**
 * Reads documents of an index by id, in real time and in the order of the ids. If Elasticsearch or a proxy
 * refuses the request because of its size (413), reads each half of the ids separately.
 * @throws the client's errors
 */
export async function multiGet<D>(
  client: Client,
  { ids, ...request }: Omit<estypes.MgetRequest, 'ids' | 'docs'> & { index: string; ids: readonly string[] },
  signal?: AbortSignal,
): Promise<estypes.MgetResponseItem<D>[]> {
  try {
    const { docs } = await client.mget<D>({ ...request, ids: [...ids] }, signal && { signal });
    return docs;
  } catch (error) {
    if (!isTooLarge(error) || ids.length < 2) throw error;
    const middle = Math.ceil(ids.length / 2);
    const read = (some: readonly string[]) => multiGet<D>(client, { ...request, ids: some }, signal);
    return [...(await read(ids.slice(0, middle))), ...(await read(ids.slice(middle)))];
  }
}
