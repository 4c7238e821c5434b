/**
 * Flags for commands whose memory has a documented limit (docs/decisions/0103, 0105). By default, V8 lets the
 * heap grow with the memory of the machine before it collects garbage.
 */
const FLAGS = new Map([
  ['reconcile', ['--max-old-space-size=160', '--max-semi-space-size=16']],
  // A listing with millions of events may need a larger heap, so only the space for new objects is bounded.
  ['check', ['--max-semi-space-size=16']],
]);

/**
 * The arguments with which Node must run a command line, if it is not already running with them. Pure.
 * @param argv the path of Node, the program, and the arguments of the command line
 */
export function boundedArguments(execArgv: readonly string[], argv: readonly string[]): string[] | undefined {
  const [node, program, ...args] = argv;
  const command = args.find((arg) => !arg.startsWith('-'));
  const flags = FLAGS.get(command ?? '') ?? [];
  if (node === undefined || program === undefined || flags.every((flag) => execArgv.includes(flag)))
    return undefined;
  return [node, ...execArgv, ...flags, program, ...args];
}
