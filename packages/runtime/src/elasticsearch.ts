import { Client } from '@elastic/elasticsearch';

export interface ElasticsearchOptions {
  url: string;
  /** Milliseconds after which a request counts as failed. */
  requestTimeout: number;
  /** Client-side repetitions of a failed request; 0 where the caller has its own loop. */
  maxRetries: number;
}

/** The Elasticsearch client as both services use it. Sniffing is off: the URL is the address. */
export function createElasticsearch({ url, requestTimeout, maxRetries }: ElasticsearchOptions): Client {
  return new Client({ node: url, requestTimeout, maxRetries, sniffOnStart: false, sniffOnConnectionFault: false });
}
