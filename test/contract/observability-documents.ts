import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

/** The metrics in a PromQL expression. @throws if Prometheus' grammar does not accept the expression */
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

/** A service exports a histogram under three names. */
const OF_HISTOGRAM = /_(bucket|count|sum)$/;
/** Metrics that Prometheus itself adds. */
const SCRAPED = new Set(['up']);

/** The metrics that the alerts and the dashboard use, under the names that the services use. */
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
