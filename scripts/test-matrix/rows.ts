import { readFileSync } from 'node:fs';
import { ENGINES, pinnedVersions } from '../../packages/engines/src/testing.ts';

/** One row of the matrix: the versions that it tests, and how it runs the tests. */
export interface Row {
  /** The key that `--only` names, for example { es: '9.2.0', kafka: '4.1.2' }. */
  key: Readonly<Record<string, string>>;
  title: string;
  /** The selection of scripts/test.ts. */
  selection: 'engines' | 'rolling-elasticsearch' | 'rolling-kafka' | 'node';
  env: Readonly<Record<string, string>>;
  /** The version of Node that runs the tests. It is undefined for the version in the lock file. */
  node?: string;
}

/** The oldest version that package.json allows, and the newest one that the packages include anywhere. */
export const OTHER_NODES = ['24.18.0', '26.10.0'] as const;

/** All rows: each pair of engine versions, the rolling changes, and the other versions of Node. */
export function allRows(): Row[] {
  const pinned = pinnedVersions(readFileSync(ENGINES.pom, 'utf8'));
  const own = { KAFKA_BROKERS: '', ELASTICSEARCH_URL: '', VITRINE_ENGINES: 'java' };
  const pairs = pinned.elasticsearch.flatMap((es) =>
    pinned.kafka.map(
      (kafka): Row => ({
        key: { es, kafka },
        title: `Elasticsearch ${es}, Kafka ${kafka}`,
        selection: 'engines',
        env: { ...own, VITRINE_ELASTICSEARCH_VERSION: es, VITRINE_KAFKA_VERSION: kafka },
      }),
    ),
  );
  const rolling = (['elasticsearch', 'kafka'] as const).map((engine): Row => {
    const name = engine === 'kafka' ? 'Kafka' : 'Elasticsearch';
    return {
      key: { rolling: engine },
      title: `Rolling upgrade of ${name} from ${pinned[engine].at(-1)} to ${pinned[engine][0]}`,
      selection: `rolling-${engine}`,
      env: { ...own, VITRINE_FULL: '1' },
    };
  });
  const nodes = OTHER_NODES.map(
    (node): Row => ({ key: { node }, title: `Node ${node}`, selection: 'node', env: own, node }),
  );
  return [...pairs, ...rolling, ...nodes];
}

/**
 * Returns the rows that match at least one of these conditions, for example `es=9.2.0,kafka=4.1.2`,
 * `es=9.2.0` or `rolling`. Without conditions, it returns all rows.
 * @throws an Error that lists the rows if a condition matches none
 */
export function selectRows(rows: readonly Row[], only: readonly string[]): Row[] {
  const chosen = only.flatMap((condition) => {
    const parts = condition.split(',').map((part) => part.split('='));
    const found = rows.filter(({ key }) =>
      parts.every(
        ([name = '', value]) => Object.hasOwn(key, name) && (value === undefined || key[name] === value),
      ),
    );
    if (found.length > 0) return found;
    throw new Error(`--only ${condition} matches no row. The rows are:\n${rows.map(nameOf).join('\n')}`);
  });
  return only.length === 0 ? [...rows] : rows.filter((row) => chosen.includes(row));
}

/** The row as an argument of `--only`. */
export const nameOf = ({ key }: Row): string =>
  Object.entries(key)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
