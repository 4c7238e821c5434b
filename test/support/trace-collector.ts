import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The members of an OTLP/JSON span that tests read. */
export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}
type OtlpSpan = Omit<ReceivedSpan, 'service' | 'attributes' | 'links'> & {
  attributes: OtlpAttribute[];
  links?: ReceivedSpan['links'];
};
interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

export interface Collector {
  endpoint: string;
  /** The spans from requests in JSON. */
  spans: ReceivedSpan[];
  /** The bodies of requests in protobuf. */
  protobufs: Buffer[];
  close(): Promise<void>;
}

/** Starts a collector that receives and stores traces (OTLP over HTTP). */
export async function startCollector(): Promise<Collector> {
  const [spans, protobufs]: [ReceivedSpan[], Buffer[]] = [[], []];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.method !== 'POST' || request.url !== '/v1/traces') return response.writeHead(404).end();
    if (request.headers['content-type'] === 'application/json')
      spans.push(...spansOf(JSON.parse(body.toString()) as OtlpRequest));
    else protobufs.push(body);
    response.writeHead(200, { 'content-type': request.headers['content-type'] }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    protobufs,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function spansOf({ resourceSpans }: OtlpRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, links = [], ...span }) => ({
        ...span,
        service,
        attributes: valuesOf(attributes),
        links,
      })),
    );
  });
}

const valuesOf = (attributes: OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
