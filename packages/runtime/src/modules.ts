import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { operatorPath } from './operator-path.ts';

/** A module that an operator has written. */
export interface OwnModule {
  /** The module's default export. */
  value: unknown;
  /** The first 12 hexadecimal digits of the file's SHA-256. Line endings do not count. */
  fingerprint: string;
}

const FINGERPRINT_DIGITS = 12;

/**
 * Imports a JavaScript or TypeScript module that an operator has written. The module may be outside this
 * clone and still import `@vitrine` packages. A module whose file has changed is imported again.
 * @param path relative to the folder from which the operator called npm, or to the working directory
 * @param importer the URL of the code that needs the module. The `@vitrine` packages are resolved from this
 * URL
 * @throws Error that begins with the path, if the file is missing or cannot be loaded
 */
export async function importModule(
  path: string,
  importer: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<OwnModule> {
  const file = operatorPath(env, path);
  const content = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'does not exist' : `could not be read: ${cause.message}`;
    throw new Error(`${file} ${why}`, { cause });
  });
  const fingerprint = hash('sha256', content.replaceAll('\r\n', '\n'), 'hex').slice(0, FINGERPRINT_DIGITS);
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, specifier.startsWith('@vitrine/') ? { ...context, parentURL: importer } : context),
  });
  try {
    const { default: value } = (await import(`${pathToFileURL(file).href}?${fingerprint}`)) as {
      default?: unknown;
    };
    return { value, fingerprint };
  } catch (cause) {
    throw new Error(`${file} could not be loaded: ${String(cause)}`, { cause });
  } finally {
    hooks.deregister();
  }
}
