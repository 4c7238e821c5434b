import { resolve } from 'node:path';

/**
 * The absolute path of a file that an operator names. npm changes the working directory to the project's
 * folder, but the path is relative to the operator's directory.
 */
export const operatorPath = (env: NodeJS.ProcessEnv, path: string): string =>
  resolve(env.INIT_CWD ?? '.', path);
