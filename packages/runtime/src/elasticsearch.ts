import { Client, ClusterConnectionPool } from '@elastic/elasticsearch';
import { missingPartner } from './credentials.ts';

/** The settings of the connection, as `sharedSettings` reads them. */
interface ElasticsearchSettings {
  ELASTICSEARCH_URL: string;
  ELASTICSEARCH_USERNAME?: string;
  ELASTICSEARCH_PASSWORD?: string;
  ELASTICSEARCH_API_KEY?: string;
  ELASTICSEARCH_TLS_CA?: string;
}

/** Where Elasticsearch is, who we are to it, and whose certificates we trust. */
export interface ElasticsearchConnection {
  /** One node, or several with commas; without user and password, so fit for messages. */
  url: string;
  auth?: { username: string; password: string } | { apiKey: string };
  /** PEM; Node's own authorities unless told. */
  ca?: string;
}

export interface ElasticsearchOptions extends ElasticsearchConnection {
  /** Milliseconds after which a request counts as failed. */
  requestTimeout: number;
  /** Client-side repetitions of a failed request; 0 where the caller has its own loop. */
  maxRetries: number;
  /** Connections to a node that are opened at most, and kept alive; 256 unless told. */
  connections?: number;
}

/** The connection under settings that `checkElasticsearch` has nothing against. */
export function elasticsearchConnection(settings: ElasticsearchSettings): ElasticsearchConnection {
  const { ELASTICSEARCH_USERNAME: username, ELASTICSEARCH_PASSWORD: password, ELASTICSEARCH_API_KEY: apiKey, ELASTICSEARCH_TLS_CA: ca } = settings;
  const user = username !== undefined && password !== undefined ? { username, password } : undefined;
  const auth = apiKey === undefined ? user : { apiKey };
  return { url: settings.ELASTICSEARCH_URL, ...(auth && { auth }), ...(ca !== undefined && { ca }) };
}

/** What is wrong between the settings of the connection; for `readSettings`. */
export function checkElasticsearch(settings: Partial<ElasticsearchSettings>): string[] {
  const { ELASTICSEARCH_URL: url = '' } = settings;
  const user = ['ELASTICSEARCH_USERNAME', 'ELASTICSEARCH_PASSWORD'] as const;
  return [
    // An address is shown in many places, a secret in none.
    ...(/@/.test(url) ? ['ELASTICSEARCH_URL holds a user or password: set ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD instead'] : []),
    ...missingPartner(settings, ...user),
    ...user
      .filter((name) => name in settings && 'ELASTICSEARCH_API_KEY' in settings)
      .map((name) => `ELASTICSEARCH_API_KEY and ${name} exclude each other`),
    ...('ELASTICSEARCH_TLS_CA' in settings && /http:/.test(url) ? ['ELASTICSEARCH_TLS_CA needs an ELASTICSEARCH_URL with https://'] : []),
  ];
}

/**
 * The Elasticsearch client as both services use it: all named nodes in turn. A request that a node did not answer because
 * it is gone goes to each of the others, whatever `maxRetries` says; so what is written must bear to be written twice.
 * Sniffing is off: the URLs are the addresses.
 */
export function createElasticsearch({ url, auth, ca, requestTimeout, maxRetries, connections = 256 }: ElasticsearchOptions): Client {
  const nodes = url.split(',').map((node) => node.trim());
  return new Client({
    nodes,
    ...(auth && { auth }),
    ...(ca !== undefined && { tls: { ca } }),
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
