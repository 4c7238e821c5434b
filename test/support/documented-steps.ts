import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { eventually } from './service-process.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The origin in the pages' commands, which tests replace. */
const ORIGIN = 'http://localhost:8080';

export interface Step {
  command: string;
  /** Lines that the page shows as output. A line that contains only `…` replaces omitted lines. */
  output: string[];
}

/** The commands on a page (`sh` blocks) in order, each with the block of output that follows it. */
export function stepsOf(path: string): Step[] {
  const page = readFileSync(join(ROOT, path), 'utf8');
  const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, content]) => ({
    language,
    content: content ?? '',
  }));
  return blocks.flatMap(({ language, content }, index) => {
    const next = blocks[index + 1];
    return language === 'sh'
      ? [{ command: content, output: next?.language === '' ? next.content.trimEnd().split('\n') : [] }]
      : [];
  });
}

/** The first line of the page's output that the actual output lacks, in the given order. */
export function missing(expected: readonly string[], actual: string): string | undefined {
  let from = 0;
  return expected
    .filter((line) => line.trim() !== '…')
    .find((line) => {
      const found = actual.indexOf(line, from);
      from = found + line.length;
      return found < 0;
    });
}

/** Runs the command as the page shows it, at the given origin. @returns both outputs */
export async function runStep({ command }: Step, origin: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', command.replaceAll(ORIGIN, origin)], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return stdout + stderr;
}

/** Repeats a command until it prints what the page shows, because events may still be on their way. */
export async function untilPrinted({ output }: Step, run: () => Promise<string>): Promise<void> {
  let actual = '';
  const matches = async () => {
    actual = await run();
    return missing(output, actual) === undefined;
  };
  await eventually('the output on the page', matches, 120_000, 500).catch(() =>
    expect.fail(`the output lacks ${JSON.stringify(missing(output, actual))}:\n${actual}`),
  );
}
