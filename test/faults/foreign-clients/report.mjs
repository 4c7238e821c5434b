// What the JavaScript programs share: the task in the first argument, and the report on standard output.

/**
 * The `url` of the endpoint, or the `command`, `args` and `env` of the program that serves standard input.
 * `calls` are the tools' names with their arguments.
 */
export const task = JSON.parse(process.argv[2]);

const { command, args, env } = task;
/** The options of the transports that start the program. */
export const program = { command, args, env };

/** Reports `isError` and `value` of each call, and the input schemas by tool. */
export function report(answers, schemas) {
  console.log(JSON.stringify({ answers, schemas }));
}
