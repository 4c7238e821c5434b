import { parseArgs } from 'node:util';

export const HELP = `npm run test:matrix [-- options]

Runs tests on each supported version of Elasticsearch, Kafka and Node, and rolling upgrades of both
engines. Prints one line for each row of the matrix, and the counts in the last line. All rows take about
45 minutes on two cores. The engines need Java 21 or newer and Maven, and 500 MB for each pair of versions.

  --only <row>   run only some rows; can be repeated. Examples: es=9.2.0,kafka=4.1.2 or es=9.2.0 or
                 rolling or rolling=kafka or node=26.10.0
  --list         print the rows
  --json         print one JSON document on standard output; progress goes to standard error
  --help         print this help
`;

export type Command =
  | { readonly do: 'run' | 'list'; readonly only: readonly string[]; readonly json: boolean }
  | { readonly do: 'help' }
  | { readonly do: 'refuse'; readonly reason: string };

/** Reads the arguments of `npm run test:matrix`. */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true, default: [] },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { do: 'help' };
    return { do: values.list ? 'list' : 'run', only: values.only, json: values.json };
  } catch (error) {
    return { do: 'refuse', reason: error instanceof Error ? error.message : String(error) };
  }
}
