import { Client, ClusterConnectionPool } from '@elastic/elasticsearch';

export interface ElasticsearchOptions {
  /** One node, or several with commas. */
  url: string;
  /** Milliseconds after which a request counts as failed. */
  requestTimeout: number;
  /** Client-side repetitions of a failed request; 0 where the caller has its own loop. */
  maxRetries: number;
  /** Connections to a node that are opened at most, and kept alive; 256 unless told. */
  connections?: number;
}

/**
 * The Elasticsearch client as both services use it: all named nodes in turn. A request that a node did not answer because
 * it is gone goes to each of the others, whatever `maxRetries` says; so what is written must bear to be written twice.
 * Sniffing is off: the URLs are the addresses.
 */
export function createElasticsearch({ url, requestTimeout, maxRetries, connections = 256 }: ElasticsearchOptions): Client {
  const nodes = url.split(',').map((node) => node.trim());
  return new Client({
    nodes,
    requestTimeout,
    maxRetries: Math.max(maxRetries, nodes.length - 1),
    sniffOnStart: false,
    sniffOnConnectionFault: false,
    agent: { connections },
    ConnectionPool: NodePool,
  });
}

/** For so long a node that did not answer is left out; then it is asked, beside the requests, whether it is back. */
const LEFT_OUT_MS = 2_000;
const ASK_EVERY_MS = 1_000;

/**
 * The client's own pools bring a node back late: after up to half an hour, since each request that fails with it doubles
 * the wait, or after a request that they still send to it and that has its answer parsed, which searches here have not.
 */
class NodePool extends ClusterConnectionPool {
  override resurrectTimeout = LEFT_OUT_MS;
  override resurrectTimeoutCutoff = 0;
  #askedAt = 0;

  /** Asks one node at a time: a machine that is gone lets each question wait. */
  override resurrect(options: Parameters<ClusterConnectionPool['resurrect']>[0]): void {
    if (options.now - this.#askedAt < ASK_EVERY_MS) return;
    this.#askedAt = options.now;
    super.resurrect(options);
  }
}
