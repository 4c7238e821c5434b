import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

/** The sum of a metric on the admin port over its labels, or over the labels that match `labels`. */
export async function metricOf(admin: string, name: string, labels = ''): Promise<number> {
  const lines = (await (await fetch(`${admin}/metrics`)).text()).split('\n');
  return lines
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** The metrics in a PromQL expression. @throws if Prometheus' grammar does not accept it */
export function metricNames(expression: string): string[] {
  const names = new Set<string>();
  parser.parse(expression).iterate({
    enter({ name, type, from, to }) {
      if (type.isError)
        throw new Error(`no PromQL at ${JSON.stringify(expression.slice(from, from + 20))}: ${expression}`);
      if (name === 'Identifier') names.add(expression.slice(from, to));
    },
  });
  return [...names];
}

const ROOT = join(import.meta.dirname, '../..');
export const ALERTS = join(ROOT, 'infra/prometheus/alerts.yaml');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

export const alerts = (
  parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules);

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const { panels } = JSON.parse(text('infra/grafana/vitrine.json')) as { panels: Panel[] };
/** The dashboard's expressions, with Grafana's variables replaced. */
export const dashboard = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '5m') })),
);

export const runbook = text('docs/operate/runbook.md');

/** A histogram is served under three names. */
const OF_HISTOGRAM = /_(bucket|count|sum)$/;
/** Metrics of Prometheus itself. */
const SCRAPED = new Set(['up']);

/** The metrics that alerts and dashboard use, under the services' names. */
export const usedMetrics = [
  ...new Set(
    [...alerts, ...dashboard]
      .flatMap(({ expr }) => metricNames(expr))
      .map((name) => name.replace(OF_HISTOGRAM, '')),
  ),
].filter((name) => !SCRAPED.has(name));

/** The metrics that docs/operate/observability.md explains, by the heading of their table. */
export const documentedMetrics = (heading: string): string[] => {
  const section =
    text('docs/operate/observability.md')
      .split(/^## /m)
      .find((part) => part.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, name]) => name as string),
  );
};

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
  /** Spans of requests in JSON. */
  spans: ReceivedSpan[];
  /** Bodies of requests in protobuf. */
  protobufs: Buffer[];
  close(): Promise<void>;
}

/** A collector that receives and stores traces (OTLP over HTTP). */
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
