import { Client, ClusterConnectionPool } from '@elastic/elasticsearch';
import type { Static, TObject } from 'typebox';
import { missingPartner } from '../credentials.ts';
import type { sharedSettings } from '../settings.ts';

type Shared = Static<TObject<typeof sharedSettings>>;
type ElasticsearchSettings = Pick<Shared, 'ELASTICSEARCH_URL'> & Partial<Shared>;

/** Elasticsearch's address, the service's credentials, and the trusted authorities. */
export interface ElasticsearchConnection {
  /** One or more nodes, separated by commas. The URLs contain no credentials, so messages can show them. */
  url: string;
  auth?: { username: string; password: string } | { apiKey: string };
  /** The authorities in PEM format. The default is Node's own list. */
  ca?: string;
}

interface ElasticsearchOptions extends ElasticsearchConnection {
  /** The timeout for a request, in milliseconds. */
  requestTimeout: number;
  /** The number of retries by the client. It is 0 if the caller has its own retry loop. */
  maxRetries: number;
  /** The maximum number of kept-alive connections per node. Default: 256. */
  connections?: number;
}

/** Converts settings that `checkElasticsearch` accepts to a connection. */
export function elasticsearchConnection(settings: ElasticsearchSettings): ElasticsearchConnection {
  const {
    ELASTICSEARCH_USERNAME: username,
    ELASTICSEARCH_PASSWORD: password,
    ELASTICSEARCH_API_KEY: apiKey,
    ELASTICSEARCH_TLS_CA: ca,
  } = settings;
  const user = username !== undefined && password !== undefined ? { username, password } : undefined;
  const auth = apiKey === undefined ? user : { apiKey };
  return { url: settings.ELASTICSEARCH_URL, ...(auth && { auth }), ...(ca !== undefined && { ca }) };
}

/** Reports conflicts between the connection settings. A cross-check for `readSettings` uses this function. */
export function checkElasticsearch(settings: Partial<ElasticsearchSettings>): string[] {
  const { ELASTICSEARCH_URL: url = '' } = settings;
  const user = ['ELASTICSEARCH_USERNAME', 'ELASTICSEARCH_PASSWORD'] as const;
  return [
    // Many messages contain the address, so the address must not contain a secret.
    ...(/@/.test(url)
      ? [
          'ELASTICSEARCH_URL must not contain a user or a password. ' +
            'Set ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD instead',
        ]
      : []),
    ...missingPartner(settings, ...user),
    ...user
      .filter((name) => name in settings && 'ELASTICSEARCH_API_KEY' in settings)
      .map((name) => `ELASTICSEARCH_API_KEY and ${name} must not both be set`),
    ...('ELASTICSEARCH_TLS_CA' in settings && /http:/.test(url)
      ? ['ELASTICSEARCH_TLS_CA requires an ELASTICSEARCH_URL that begins with https://']
      : []),
  ];
}

/**
 * Creates the Elasticsearch client for both services. The client sends its requests to all configured nodes
 * in turn. If a node is down, the client tries each of the other nodes, regardless of `maxRetries`, so all
 * writes must be idempotent. Sniffing is off.
 */
export function createElasticsearch({
  url,
  auth,
  ca,
  requestTimeout,
  maxRetries,
  connections = 256,
}: ElasticsearchOptions): Client {
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
    // With this option, an error keeps no headers, because they contain the credentials. The default,
    // `replace`, copies the request byte by byte. For a bulk request of 5 MiB, this would block the process
    // for seconds.
    redaction: { type: 'remove' },
    ConnectionPool: NodePool,
  });
}

/**
 * How long the client avoids a failed node, in milliseconds. The client then probes the node with a separate
 * request.
 */
const LEFT_OUT_MS = 2_000;
const ASK_EVERY_MS = 1_000;

/**
 * A pool that returns to a recovered node sooner than the client's own pools. The first of these pools
 * doubles its wait with each failed request, up to half an hour. The second pool waits until the client
 * parses a response, but the query service streams its searches, which the client does not parse.
 */
class NodePool extends ClusterConnectionPool {
  override resurrectTimeout = LEFT_OUT_MS;
  override resurrectTimeoutCutoff = 0;
  #askedAt = 0;

  /** Probes one node at a time, because each probe of an unreachable machine lasts until it times out. */
  override resurrect(options: Parameters<ClusterConnectionPool['resurrect']>[0]): void {
    if (options.now - this.#askedAt < ASK_EVERY_MS) return;
    this.#askedAt = options.now;
    super.resurrect(options);
  }
}
