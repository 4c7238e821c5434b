import type { Client, estypes } from '@elastic/elasticsearch';
import { type FaultProxy, type ProxiedRequest, startFaultProxy, type Verdict } from './fault-proxy.ts';
import { eventually } from './service-process.ts';

/** Number of reads of the checkpoint while the entry is in progress. Each view of the changes reads it once. */
const READS_IN_PROGRESS = 3;
const WITHIN_MS = 60_000;

interface LateEntry {
  client: Client;
  index: string;
  id: string;
  /** The sequence number of the listing's previous entry. */
  before: number;
  reads: number;
  phase: 'in progress' | 'complete' | 'searchable';
  /** The points in time that do not show the entry. */
  without: Set<string>;
}

/**
 * A proxy in front of Elasticsearch that makes one entry of a changes index late. A shard numbers its operations
 * before it executes them. Therefore a later entry can be searchable first, but this happens rarely. In the
 * responses that pass this proxy, it happens at the moments for which a reader must be prepared:
 * - While the entry is in progress, the checkpoint is below it, and searches show only the later entries.
 * - The entry completes immediately before a read of the checkpoint, which now includes the entry.
 * - Searches show the entry only in points in time after the next refresh.
 */
export class LateEntryProxy {
  readonly #proxy: FaultProxy;
  #late: LateEntry | undefined;

  static async start(elasticsearchUrl: string): Promise<LateEntryProxy> {
    return new LateEntryProxy(await startFaultProxy(elasticsearchUrl));
  }

  private constructor(proxy: FaultProxy) {
    this.#proxy = proxy;
    proxy.hook = (_, moment, request) => {
      if (this.#late === undefined) return 'pass';
      return moment === 'before' ? refreshed(this.#late, request) : rewritten(this.#late, request);
    };
  }

  get url(): string {
    return this.#proxy.url;
  }

  /**
   * Makes the next entry of a listing late. `write` must write this entry, and later at least one other
   * entry.
   * @returns as soon as the entry is complete
   */
  async delay(client: Client, index: string, id: string, write: () => Promise<void>): Promise<void> {
    const { _seq_no } = await client.get({ index, id });
    const without = new Set<string>();
    this.#late = { client, index, id, before: _seq_no as number, reads: 0, phase: 'in progress', without };
    await write();
    await eventually(
      'the late entry is complete',
      async () => this.#late?.phase !== 'in progress',
      WITHIN_MS,
    );
  }

  /** Shows all entries from now on. */
  async close(): Promise<void> {
    await this.#proxy.close();
  }
}

function refreshed(late: LateEntry, { path }: ProxiedRequest): Verdict {
  if (late.phase === 'complete' && path.startsWith(`/${late.index}/_refresh`)) late.phase = 'searchable';
  return 'pass';
}

async function rewritten(late: LateEntry, { path, body, answer = Buffer.alloc(0) }: ProxiedRequest) {
  if (path.startsWith(`/${late.index}/_stats`)) return withCheckpoint(late, answer);
  if (path.startsWith(`/${late.index}/_pit`) && late.phase !== 'searchable')
    late.without.add((JSON.parse(answer.toString()) as { id: string }).id);
  if (path.startsWith('/_search') && body.length > 0) {
    const { pit } = JSON.parse(body.toString()) as estypes.SearchRequest;
    if (pit && late.without.has(pit.id)) return withoutEntry(late, answer);
  }
  return 'pass';
}

/** Lowers the checkpoint while the entry is in progress. */
async function withCheckpoint(late: LateEntry, answer: Buffer): Promise<Verdict> {
  if (late.phase !== 'in progress') return 'pass';
  const { _seq_no: sequence = -1 } = await late.client.get({ index: late.index, id: late.id });
  if (sequence <= late.before) return 'pass';
  const response = JSON.parse(answer.toString()) as estypes.IndicesStatsResponse;
  for (const copy of Object.values(response.indices?.[late.index]?.shards ?? {}).flat()) {
    if (!copy.seq_no || copy.seq_no.global_checkpoint < sequence) continue;
    const hasLaterEntry = copy.seq_no.global_checkpoint > sequence;
    if (hasLaterEntry && late.reads++ === READS_IN_PROGRESS) {
      late.phase = 'complete';
      return 'pass';
    }
    copy.seq_no.global_checkpoint = sequence - 1;
  }
  return { answer: Buffer.from(JSON.stringify(response)) };
}

function withoutEntry({ id, before }: LateEntry, answer: Buffer): Verdict {
  const response = JSON.parse(answer.toString()) as estypes.SearchResponse;
  response.hits.hits = response.hits.hits.filter(
    ({ _id, sort }) => _id !== id || Number(sort?.[0]) <= before,
  );
  return { answer: Buffer.from(JSON.stringify(response)) };
}
