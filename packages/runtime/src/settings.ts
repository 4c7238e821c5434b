import { Ajv, type ErrorObject } from 'ajv';
import ajvFormats from 'ajv-formats';
import { type Static, type TObject, Type } from 'typebox';

/** What both services read from the environment: name, form and default (decisions §4). */
export const sharedSettings = {
  ELASTICSEARCH_URL: Type.String({ format: 'http-urls', description: 'Elasticsearch, as http(s)://host:port, several nodes with commas' }),
  INDEX_PREFIX: Type.String({ default: 'marketplace-feed', pattern: '^[a-z0-9][a-z0-9._-]{0,99}$' }),
  LOG_LEVEL: Type.String({ default: 'info', pattern: '^(trace|debug|info|warn|error|fatal|silent)$' }),
};

/** A TCP port; 0 lets the system choose. */
export const port = (preset: number) => Type.Integer({ default: preset, minimum: 0, maximum: 65_535 });

/** One bad setting stops a service at once, with one message that names every bad one. */
export class SettingsError extends Error {
  constructor(problems: string[]) {
    super(`bad settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

const ajv = new Ajv({ allErrors: true, useDefaults: true });
ajvFormats.default(ajv);
ajv.addFormat('http-urls', (text: string) => text.split(',').every((url) => /^\s*https?:\/\/[^/]/.test(url) && URL.canParse(url)));
ajv.addFormat('brokers', (text: string) => text.split(',').every(isBroker));

function isBroker(text: string): boolean {
  const port = /^[^\s/]+:(\d{1,5})$/.exec(text.trim())?.[1];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

/**
 * Reads the named settings out of `env`; an empty value counts as absent, other variables are
 * ignored, and a number is plain decimal digits.
 * @param crossCheck says what is wrong between settings that are each right
 * @throws SettingsError naming every variable that is missing or malformed.
 */
export function readSettings<T extends TObject>(
  schema: T,
  env: NodeJS.ProcessEnv,
  crossCheck: (settings: Static<T>) => string[] = () => [],
): Static<T> {
  const given = Object.entries(env).flatMap(([name, value]) => (name in schema.properties && value?.trim() ? [[name, value] as const] : []));
  const settings: Record<string, unknown> = Object.fromEntries(
    given.map(([name, value]) => [name, Type.IsInteger(schema.properties[name]) && /^\d+$/.test(value) ? Number(value) : value]),
  );
  const validate = ajv.compile<Static<T>>(schema);
  if (validate(settings)) {
    const problems = crossCheck(settings);
    if (problems.length > 0) throw new SettingsError(problems);
    return settings;
  }
  const names = new Set((validate.errors ?? []).map(nameOf));
  throw new SettingsError(
    [...names].map((name) =>
      describe(
        name,
        env[name],
        (validate.errors ?? []).filter((error) => nameOf(error) === name),
      ),
    ),
  );
}

const nameOf = ({ instancePath, params }: ErrorObject): string => instancePath.slice(1) || String(params.missingProperty);

function describe(name: string, value: string | undefined, errors: ErrorObject[]): string {
  if (!value?.trim()) return `${name} is not set`;
  return `${name}=${JSON.stringify(value)} ${errors.map((error) => error.message).join(', ')}`;
}

/** As `readSettings`, for a process at its start: prints what is wrong on standard error and exits 1. */
export function settingsOrExit<T extends TObject>(schema: T, env: NodeJS.ProcessEnv, crossCheck?: (settings: Static<T>) => string[]): Static<T> {
  try {
    return readSettings(schema, env, crossCheck);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
