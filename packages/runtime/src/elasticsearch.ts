import { Client } from '@elastic/elasticsearch';
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
  /** Without user and password, so fit for messages. */
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
  /** Connections that are opened at most, and kept alive; 256 unless told. */
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

/** The Elasticsearch client as both services use it. Sniffing is off: the URL is the address. */
export function createElasticsearch({ url, auth, ca, requestTimeout, maxRetries, connections = 256 }: ElasticsearchOptions): Client {
  return new Client({
    node: url,
    ...(auth && { auth }),
    ...(ca !== undefined && { tls: { ca } }),
    requestTimeout,
    maxRetries,
    sniffOnStart: false,
    sniffOnConnectionFault: false,
    agent: { connections },
  });
}
