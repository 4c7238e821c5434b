import { parser } from '@prometheus-io/lezer-promql';

/** The metrics in a PromQL expression. @throws if Prometheus' grammar does not accept it */
export function metricNames(expression: string): string[] {
  const names = new Set<string>();
  parser.parse(expression).iterate({
    enter({ name, type, from, to }) {
      if (type.isError) throw new Error(`no PromQL at ${JSON.stringify(expression.slice(from, from + 20))}: ${expression}`);
      if (name === 'Identifier') names.add(expression.slice(from, to));
    },
  });
  return [...names];
}
