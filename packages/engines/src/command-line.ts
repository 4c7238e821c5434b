import { parseArgs } from 'node:util';

export const HELP = `npm run engines [-- options]

Starts Kafka and Elasticsearch (with Docker, otherwise with Java 21+ and Maven), prints their
connection settings, and runs until Ctrl-C. Ctrl-C stops both engines and deletes their data.

  --json   print the settings as one line of JSON on standard output; progress goes to standard error
  --help   print this help

  VITRINE_ENGINES=docker|java             use only Docker, or only Java
  VITRINE_CACHE=<folder>                  folder for downloads and data
  VITRINE_KAFKA_VERSION, VITRINE_ELASTICSEARCH_VERSION
                                          other versions than the default; docs/operate/versions.md
  KAFKA_BROKERS, ELASTICSEARCH_URL        addresses of engines that are already running
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

/** Returns a line for a POSIX shell that sets a variable. */
export function exportLine(name: string, value: string): string {
  return `export ${name}=${/^[\w.:/,@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
}
