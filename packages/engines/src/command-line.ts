import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { exitWithReader } from '@vitrine/runtime/processes';

const WRONG_CALL = 2;

/** A command with no arguments, at most one flag of its own, and `--help`. */
export interface FlagCommand {
  flag?: string;
  help: string;
  run(isSet: boolean): Promise<void>;
}

/**
 * Runs the command of this process. If the arguments are wrong, prints the help and ends the process with
 * exit code 2. The process ends without a message if the reader of its output is gone.
 */
export async function runFlagCommand({ flag, help, run }: FlagCommand): Promise<void> {
  exitWithReader(process.stdout, process.stderr);
  const flags = readFlags(process.argv.slice(2), flag);
  if (flags instanceof Error) {
    console.error(`${flags.message}\n\n${help}`);
    process.exitCode = WRONG_CALL;
  } else if (flags.help) console.log(help);
  else await run(flags.isSet);
}

/** Reads the arguments. Returns the reason if they are wrong. */
export function readFlags(args: readonly string[], flag?: string): { help: boolean; isSet: boolean } | Error {
  try {
    const options: ParseArgsOptionsConfig = {
      help: { type: 'boolean' },
      ...(flag !== undefined && { [flag]: { type: 'boolean' } }),
    };
    const { values } = parseArgs({ args: [...args], options });
    return { help: values['help'] === true, isSet: flag !== undefined && values[flag] === true };
  } catch (error) {
    return error as Error;
  }
}

/** Returns a line for a POSIX shell that sets a variable. */
export function exportLine(name: string, value: string): string {
  return `export ${name}=${/^[\w.:/,@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
}
