import { parseArgs } from 'node:util';

export const HELP = `npm run engines [-- options]

Starts a Kafka and an Elasticsearch (with Docker, else with Java 21+ and Maven), prints their
connection settings, and runs until Ctrl-C. Then it stops both and deletes their data.

  --json   prints one line of JSON with the settings on standard output; progress goes to standard error
  --help   prints this

  VITRINE_ENGINES=docker|java             allows only Docker, or only Java
  VITRINE_CACHE=<folder>                  folder of downloads and data
  KAFKA_BROKERS, ELASTICSEARCH_URL        addresses of engines that already run
`;

export type Command =
  | { readonly do: 'run'; readonly json: boolean }
  | { readonly do: 'help' }
  | { readonly do: 'refuse'; readonly reason: string };

/** Reads the arguments of `npm run engines`. */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    return values.help ? { do: 'help' } : { do: 'run', json: values.json };
  } catch (error) {
    return { do: 'refuse', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A line for a POSIX shell that sets a variable. */
export function exportLine(name: string, value: string): string {
  return `export ${name}=${/^[\w.:/,@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
}
