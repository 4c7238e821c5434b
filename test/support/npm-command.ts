import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/**
 * The command that an npm script of the root package ends with, without the preparation of the clone.
 * @returns its words; the first one is `node`
 * @throws if the script does not exec the runtime of the packages
 */
export function npmCommand(script: string): string[] {
  const command = / exec node_modules\/\.bin\/(node .+)$/.exec(scripts[script] ?? '')?.[1];
  if (command === undefined) throw new Error(`npm run ${script} does not exec node_modules/.bin/node`);
  return command.split(' ');
}
