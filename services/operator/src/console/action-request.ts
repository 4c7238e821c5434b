/** An invalid request for an action. */
export class ActionRequestError extends Error {
  override readonly name = 'ActionRequestError';
}

type Value = 'flag' | 'positive' | 'natural' | 'text' | readonly string[];

interface Action {
  command: readonly string[];
  options: Readonly<Record<string, Value>>;
  /** The name of the positional argument, its kind, and whether the page must provide it. */
  argument?: { name: string; kind: 'positive' | 'ref'; isRequired: boolean };
}

const generation = (isRequired: boolean) => ({ name: 'generation', kind: 'positive', isRequired }) as const;

const CAUSE_AND_TIME = { cause: 'text', since: 'text', until: 'text' } as const;

/**
 * The console's actions as command-line commands. An action on a generation always names its number, so that
 * the action cannot affect any generation but the one that the confirmation has shown.
 */
const ACTIONS: Readonly<Record<string, Action>> = {
  replay: {
    command: ['replay'],
    options: { from: ['topic', 'states'], rate: 'positive', workers: 'positive', 'incomplete-log': 'flag' },
  },
  resume: {
    command: ['replay', 'resume'],
    options: { rate: 'positive', workers: 'positive' },
    argument: generation(true),
  },
  cancel: { command: ['replay', 'cancel'], options: {}, argument: generation(true) },
  verify: { command: ['verify'], options: {}, argument: generation(true) },
  'verify-self': { command: ['verify', '--self'], options: {}, argument: generation(false) },
  switch: {
    command: ['switch'],
    options: { 'allow-diff': 'natural', 'allow-explained': 'flag' },
    argument: generation(true),
  },
  rollback: { command: ['rollback'], options: {}, argument: generation(true) },
  prune: { command: ['prune'], options: {}, argument: generation(true) },
  retry: {
    command: ['dead-letters', 'retry'],
    options: { reason: 'text', key: 'text', ...CAUSE_AND_TIME },
    argument: { name: 'ref', kind: 'ref', isRequired: false },
  },
  dismiss: {
    command: ['dead-letters', 'dismiss'],
    options: { reason: 'text', refusal: 'text', key: 'text', ...CAUSE_AND_TIME },
    argument: { name: 'ref', kind: 'ref', isRequired: false },
  },
};

const MAX_TEXT = 2_000;

/** A checked request: the action, its arguments for the log, and the arguments of the command line. */
export interface ActionRequest {
  action: string;
  arguments: Record<string, unknown>;
  argv: string[];
}

/**
 * Converts the body of a request to a command-line command. Pure.
 * @param body `{"action": "switch", "arguments": {"generation": 2, "allow-diff": 1}}`
 * @throws ActionRequestError that names the wrong member
 */
export function actionRequest(body: unknown): ActionRequest {
  if (!isRecord(body) || typeof body.action !== 'string')
    throw new ActionRequestError('the body must have the member action');
  const { action: name, arguments: given = {} } = body;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    throw new ActionRequestError(`action must be one of these: ${Object.keys(ACTIONS).join(', ')}`);
  if (!isRecord(given)) throw new ActionRequestError('arguments must be an object');
  const argv = [...action.command];
  for (const [option, value] of Object.entries(given)) {
    if (option === action.argument?.name) continue;
    const kind = Object.hasOwn(action.options, option) ? action.options[option] : undefined;
    if (!kind) throw new ActionRequestError(`${name} has no argument ${option}`);
    if (!isValid(value, kind)) throw new ActionRequestError(`${option} has an invalid value`);
    // The option and its value form one word, so a value that begins with a hyphen does not become an option.
    if (kind !== 'flag') argv.push(`--${option}=${value}`);
    else if (value) argv.push(`--${option}`);
  }
  const { argument } = action;
  const value = argument && given[argument.name];
  if (argument?.isRequired && value === undefined)
    throw new ActionRequestError(`${name} requires the argument ${argument.name}`);
  if (argument && value !== undefined) {
    const isRight =
      argument.kind === 'ref'
        ? typeof value === 'string' && /^\d{1,9}:\d{1,19}$/.test(value)
        : isValid(value, 'positive');
    if (!isRight) throw new ActionRequestError(`${argument.name} has an invalid value`);
    argv.push('--', String(value));
  }
  return { action: name, arguments: given, argv };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isValid(value: unknown, kind: Value): boolean {
  if (kind === 'flag') return typeof value === 'boolean';
  if (kind === 'text') return typeof value === 'string' && value.length <= MAX_TEXT;
  if (kind === 'positive' || kind === 'natural')
    return Number.isSafeInteger(value) && (value as number) >= (kind === 'positive' ? 1 : 0);
  return typeof value === 'string' && kind.includes(value);
}
