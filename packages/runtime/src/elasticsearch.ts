import { Client } from '@elastic/elasticsearch';

export interface ElasticsearchOptions {
  url: string;
  /** Milliseconds after which a request counts as failed. */
  requestTimeout: number;
  /** Client-side repetitions of a failed request; 0 where the caller has its own loop. */
  maxRetries: number;
  /** Connections that are opened at most, and kept alive; 256 unless told. */
  connections?: number;
}

/** The Elasticsearch client as both services use it. Sniffing is off: the URL is the address. */
export function createElasticsearch({ url, requestTimeout, maxRetries, connections = 256 }: ElasticsearchOptions): Client {
  return new Client({ node: url, requestTimeout, maxRetries, sniffOnStart: false, sniffOnConnectionFault: false, agent: { connections } });
}
