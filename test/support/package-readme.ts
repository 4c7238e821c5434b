import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../..');

/** The packages that other projects can use. Each has a README with an example, and a table per export. */
export const DOCUMENTED_PACKAGES = ['listing', 'projection', 'engines', 'kafka'] as const;
/** The packages whose examples need no engines, so a unit test can run these examples. */
export const EXAMPLES_WITHOUT_ENGINES = [
  'listing',
  'listing-events',
  'feed-index',
  'fixtures',
  'runtime',
] as const;

/** The example in a package's README, and the output that the README states. */
export interface ReadmeExample {
  code: string;
  output: string;
}

export const readmeOf = (name: string): string =>
  readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');

/** Finds the one block of TypeScript, and the block of text that follows it. */
export function exampleOf(name: string): ReadmeExample {
  const blocks = [...readmeOf(name).matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const [code, ...others] = blocks.filter(([, language]) => language === 'ts');
  const output = blocks.find(([, language]) => language === 'text');
  if (code?.[2] === undefined || output?.[2] === undefined || others.length > 0)
    throw new Error(`The README of ${name} needs one block with ts, and one with text for its output.`);
  return { code: code[2], output: output[2] };
}

/** Runs an example as a reader would in the root of the repository. @returns its standard output */
export async function runExample({ code }: ReadmeExample, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', code],
    { cwd: ROOT, env: { ...process.env, ...env }, timeout: 300_000 },
  );
  return stdout;
}
