import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import release from '../package.json' with { type: 'json' };
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';
import { auditResult } from './release/audit.ts';
import type { ReleaseCheck } from './release/check-result.ts';
import { fileChecks, treeCheck } from './release/checks.ts';
import { AUDIT, type CheckedItem, checkLines, mayRelease, verdictLine } from './release/report.ts';

const HELP = `Checks whether this commit can be released as version ${release.version}.

Usage: npm run release:check -- [options]

  --without-tests   leaves \`npm test\` out. The release is then not checked completely: exit code 1.
  --allow-no-audit  accepts that the registry cannot audit the dependencies
  --json            prints one JSON document
  --help            prints this text

Exit code: 0 if every check passed, 1 if not, 2 for unknown options, 130 after an interrupt.
docs/operate/releasing.md describes the checks.`;

const ROOT = join(import.meta.dirname, '..');

function readOptions() {
  try {
    return parseArgs({
      options: {
        'without-tests': { type: 'boolean', default: false },
        'allow-no-audit': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

exitWithReader(process.stdout, process.stderr);
const options = readOptions();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const allowances = { noAudit: options['allow-no-audit'] };
const supervisor = new ProcessSupervisor();
const ending = new AbortController();
endOnSignals(ending);
ending.signal.addEventListener(
  'abort',
  () => void supervisor.end().finally(() => process.exit(INTERRUPTED_EXIT_CODE)),
);

const checks: ReleaseCheck[] = [
  ...fileChecks(ROOT, release.version),
  {
    name: AUDIT,
    repair:
      'Update the vulnerable packages. Without an audit, repeat the check with a registry that supports ' +
      '`npm audit`, or accept the gap with --allow-no-audit.',
    run: async () => auditResult((await npm(['audit', '--omit=dev', '--json'], 'pipe')).output),
  },
  {
    name: 'tests',
    repair: 'Run `npm test` and repair what fails.',
    run: async () => {
      if (options['without-tests']) return { status: 'left out', details: ['--without-tests'] };
      // The report of the tests goes to the terminal, so that a long run shows its progress.
      const { code } = await npm(['test'], 'terminal');
      return code === 0
        ? { status: 'ok', details: ['npm test'] }
        : { status: 'failed', details: [`npm test ended with exit code ${code}`] };
    },
  },
  // A test may have changed a file.
  treeCheck(ROOT, 'clean tree after the tests'),
];

const items: CheckedItem[] = [];
for (const { name, repair, run } of checks) {
  const result = await Promise.resolve()
    .then(run)
    .catch((error: Error) => ({ status: 'failed' as const, details: [error.message] }));
  if (ending.signal.aborted) {
    // The result only says that the check was interrupted.
    await supervisor.end();
    process.exit(INTERRUPTED_EXIT_CODE);
  }
  items.push({ name, repair, ...result });
  if (!options.json) for (const line of checkLines({ name, repair, ...result })) console.log(line);
}
const passed = mayRelease(items, allowances);
const verdict = verdictLine(release.version, items, allowances);
console.log(
  options.json
    ? JSON.stringify({ version: release.version, passed, verdict, checks: items }, undefined, 2)
    : verdict,
);
await supervisor.end();
process.exit(passed ? 0 : 1);

/** Runs npm in the repository. `terminal`: its output goes to standard error, because standard output is ours. */
async function npm(args: string[], output: 'pipe' | 'terminal'): Promise<{ code: number; output: string }> {
  const { child } = supervisor.spawn('npm', args, {
    cwd: ROOT,
    stdio: [
      'ignore',
      output === 'pipe' ? 'pipe' : process.stderr,
      output === 'pipe' ? 'ignore' : process.stderr,
    ],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, output: Buffer.concat(chunks).toString() };
}
