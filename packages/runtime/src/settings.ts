import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';
import ajvFormats from 'ajv-formats';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { withoutCredentials } from './credentials.ts';

/** A TCP port. With 0, the operating system chooses a free port. */
export const port = (preset: number) => Type.Integer({ default: preset, minimum: 0, maximum: 65_535 });

/** A user name. Messages never contain the value, because a malformed one is `user:password`. */
export const userName = () => Type.Optional(Type.String({ pattern: '^[^:]+$', isPrivate: true }));

/** A value that a file can supply through `<name>_FILE`. Messages never contain the value. */
const fromFile = (options: { pattern?: string; format?: string }) =>
  Type.Optional(Type.String({ ...options, minLength: 1, fromFile: true }));

/** A password or key. The value must not contain line breaks, because no client accepts them. */
export const secret = (pattern = '^[^\\r\\n]*$') => fromFile({ pattern });

export const certificates = () => fromFile({ format: 'certificates' });

/**
 * The environment variables of both services, with their formats and defaults
 * (docs/operate/configuration.md).
 */
export const sharedSettings = {
  ELASTICSEARCH_URL: Type.String({
    format: 'http-urls',
    description: 'comma-separated list of Elasticsearch nodes, each as http(s)://host:port',
  }),
  ELASTICSEARCH_USERNAME: userName(),
  ELASTICSEARCH_PASSWORD: secret(),
  ELASTICSEARCH_API_KEY: secret('^[A-Za-z0-9+/_-]+=*$'),
  ELASTICSEARCH_TLS_CA: certificates(),
  INDEX_PREFIX: Type.String({ default: 'marketplace-feed', pattern: '^[a-z0-9][a-z0-9._-]{0,99}$' }),
  LOG_LEVEL: Type.String({ default: 'info', pattern: '^(trace|debug|info|warn|error|fatal|silent)$' }),
};

/** The error for bad settings, which prevent a service from starting. The message names every bad setting. */
export class SettingsError extends Error {
  constructor(problems: string[]) {
    super(`bad settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

// The schemas are part of the code, so validating them at each start would only waste processor time.
const ajv = new Ajv({ allErrors: true, useDefaults: true, validateSchema: false });
ajvFormats.default(ajv);
ajv.addKeyword('fromFile');
ajv.addKeyword('isPrivate');
ajv.addFormat('http-urls', (text: string) =>
  text.split(',').every((url) => /^\s*https?:\/\/[^/]/.test(url) && URL.canParse(url)),
);
ajv.addFormat('brokers', (text: string) => text.split(',').every(isBroker));
ajv.addFormat('certificates', isCertificate);

function isBroker(text: string): boolean {
  const port = /^[^\s/]+:(\d{1,5})$/.exec(text.trim())?.[1];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

function isCertificate(text: string): boolean {
  try {
    new X509Certificate(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads the settings of a schema from `env`. An empty value counts as absent. A number must consist of
 * decimal digits. The function ignores variables that are not in the schema, and ignores a line break at the
 * end of a file.
 * @param crossCheck reports conflicts between settings. Its argument also contains malformed values, but does
 * not contain missing ones.
 * @throws SettingsError that names every missing, malformed or conflicting variable
 */
export function readSettings<T extends TObject>(
  schema: T,
  env: NodeJS.ProcessEnv,
  crossCheck: (settings: Partial<Static<T>>) => string[] = () => [],
): Static<T> {
  const settings: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = given(env, name);
    if (value !== undefined)
      settings[name] = Type.IsInteger(property) && /^\d+$/.test(value) ? Number(value) : value;
    const file = isFromFile(property) ? given(env, `${name}_FILE`) : undefined;
    if (file === undefined) continue;
    if (value !== undefined) problems.push(`${name} and ${name}_FILE must not both be set`);
    else
      try {
        settings[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      } catch (error) {
        settings[name] = undefined; // prevents a second report of this setting as missing
        // The message omits the path, because an operator may have put the secret itself into this variable.
        problems.push(
          `could not read the file that ${name}_FILE names (${(error as NodeJS.ErrnoException).code})`,
        );
      }
  }
  const validate = ajv.compile<Static<T>>(schema);
  const errors = validate(settings) ? [] : (validate.errors ?? []);
  for (const [name, ofName] of Map.groupBy(errors, nameOf))
    problems.push(describe(name, schema.properties[name], env, ofName));
  problems.push(...crossCheck(settings as Partial<Static<T>>));
  if (problems.length > 0) throw new SettingsError(problems);
  return settings as Static<T>;
}

const given = (env: NodeJS.ProcessEnv, name: string): string | undefined =>
  env[name]?.trim() ? env[name] : undefined;

const isFromFile = (property: TSchema | undefined): boolean =>
  property !== undefined && 'fromFile' in property;

const nameOf = ({ instancePath, params }: ErrorObject): string =>
  instancePath.slice(1) || String(params.missingProperty);

function describe(
  name: string,
  property: TSchema | undefined,
  env: NodeJS.ProcessEnv,
  errors: ErrorObject[],
): string {
  const reasons = errors.map((error) => error.message).join(', ');
  if (isFromFile(property))
    return given(env, `${name}_FILE`)
      ? `the content of the file that ${name}_FILE names ${reasons}`
      : `the value of ${name} ${reasons}`;
  if (property !== undefined && 'isPrivate' in property) return `the value of ${name} ${reasons}`;
  const value = given(env, name);
  return value === undefined
    ? `${name} is not set`
    : `${name}=${JSON.stringify(withoutCredentials(value))} ${reasons}`;
}

/**
 * Reads the settings at the start of a process. If a setting is bad, prints the error to standard error and
 * exits with 1.
 */
export function settingsOrExit<T extends TObject>(
  schema: T,
  env: NodeJS.ProcessEnv,
  crossCheck?: (settings: Partial<Static<T>>) => string[],
): Static<T> {
  try {
    return readSettings(schema, env, crossCheck);
  } catch (error) {
    return exitBecause(error);
  }
}

/**
 * Waits for something that the settings name, at the start of a process. After a SettingsError, exits as
 * `settingsOrExit` does.
 */
export const loadedOrExit = <T>(loading: Promise<T>): Promise<T> => loading.catch(exitBecause);

function exitBecause(error: unknown): never {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
