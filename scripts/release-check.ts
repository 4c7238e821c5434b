import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import release from '../package.json' with { type: 'json' };
import {
  endOnSignals,
  exitWithReader,
  INTERRUPTED_EXIT_CODE,
  ProcessSupervisor,
} from '../packages/runtime/src/processes/index.ts';
import { changelogProblems } from './release/changelog.ts';
import { tagProblems, treeProblems } from './release/repository.ts';

const HELP = `Checks whether this commit can be released as version ${release.version}.

Usage: npm run release:check -- [options]

  --without-tests   leaves \`npm test\` out. The release is then not checked completely: exit code 1.
  --allow-no-audit  accepts that the registry cannot audit the dependencies
  --json            prints one JSON document
  --help            prints this text

Exit code: 0 if every check passed, 1 if not, 2 for unknown options, 130 after an interrupt.
docs/operate/releasing.md describes the checks.`;

const ROOT = join(import.meta.dirname, '..');

/** The result of one check. `impossible`: this machine cannot run it. `left out`: an option excluded it. */
interface CheckResult {
  status: 'ok' | 'failed' | 'impossible' | 'left out';
  /** Problems or reasons, one per line. */
  details: string[];
}
interface Check {
  name: string;
  /** How to repair the problems that this check finds. */
  repair: string;
  run(): CheckResult | Promise<CheckResult>;
}
const resultOf = (problems: string[]): CheckResult => ({
  status: problems.length > 0 ? 'failed' : 'ok',
  details: problems,
});

exitWithReader(process.stdout, process.stderr);
const options = readOptions();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const supervisor = new ProcessSupervisor();
const ending = new AbortController();
endOnSignals(ending);
ending.signal.addEventListener(
  'abort',
  () => void supervisor.end().finally(() => process.exit(INTERRUPTED_EXIT_CODE)),
);

const tree = (name: string): Check => ({
  name,
  repair:
    'Commit or remove these files. `git update-index --no-assume-unchanged --no-skip-worktree FILE` ' +
    'shows the changes of a file that git ignores.',
  run: () => resultOf(treeProblems(ROOT)),
});
const CHECKS: Check[] = [
  tree('clean tree'),
  {
    name: 'tag',
    repair: 'Raise the version (docs/operate/releasing.md, steps 1 to 3).',
    run: () => resultOf(tagProblems(ROOT, release.version)),
  },
  {
    name: 'changelog',
    repair:
      'Move the lines of "Unreleased" to an entry "## [VERSION] - YYYY-MM-DD" (docs/operate/releasing.md).',
    run: () => {
      const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
      const today = new Date().toISOString().slice(0, 10);
      return resultOf(changelogProblems(changelog, release.version, today));
    },
  },
  {
    name: 'audit',
    repair:
      'Update the vulnerable packages. Without an audit, repeat the check with a registry that supports ' +
      '`npm audit`, or accept the gap with --allow-no-audit.',
    run: audit,
  },
  {
    name: 'tests',
    repair: 'Run `npm test` and repair what fails.',
    run: async () => {
      if (options['without-tests']) return { status: 'left out', details: ['--without-tests'] };
      // The tests' report goes to the terminal, so that a long run shows its progress.
      const { code } = await npm(['test'], process.stderr);
      return resultOf(code === 0 ? [] : [`npm test ended with exit code ${code}`]);
    },
  },
  // A test may have changed a file.
  tree('clean tree after the tests'),
];

const results: (CheckResult & Omit<Check, 'run'>)[] = [];
for (const { name, repair, run } of CHECKS) {
  const result = await Promise.resolve()
    .then(run)
    .catch((error: Error) => resultOf([error.message]));
  results.push({ name, repair, ...result });
  if (options.json) continue;
  console.log(`${result.status}: ${name}`);
  if (result.status !== 'ok')
    for (const line of [...result.details, `To repair: ${repair}`]) console.log(`  ${line}`);
}
const left = results.filter(
  ({ name, status }) =>
    status !== 'ok' && !(name === 'audit' && status === 'impossible' && options['allow-no-audit']),
);
const verdict =
  left.length > 0
    ? `Version ${release.version} cannot be released: ${left.map(({ name, status }) => `${name} (${status})`).join(', ')}.`
    : `Version ${release.version} can be released.`;
console.log(
  options.json
    ? JSON.stringify(
        { version: release.version, passed: left.length === 0, verdict, checks: results },
        undefined,
        2,
      )
    : verdict,
);
await supervisor.end();
process.exit(left.length === 0 ? 0 : 1);

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

/** Runs `npm audit`. A registry without this operation, or no network, makes the check impossible. */
async function audit(): Promise<CheckResult> {
  const { output } = await npm(['audit', '--omit=dev', '--json'], 'pipe');
  let report: {
    metadata?: { vulnerabilities?: { total?: number } };
    vulnerabilities?: Record<string, { severity?: string }>;
    message?: string;
  } | null = null;
  try {
    report = JSON.parse(output);
  } catch {
    // npm reports some errors as plain text.
  }
  if (typeof report?.metadata?.vulnerabilities?.total === 'number')
    return resultOf(
      Object.entries(report.vulnerabilities ?? {}).map(([name, { severity }]) => `${name}: ${severity}`),
    );
  const reason = report?.message ?? (output.trim().slice(0, 200) || 'no output');
  return { status: 'impossible', details: [`the registry gives no audit: ${reason}`] };
}

/** Runs npm in the repository. */
async function npm(
  args: string[],
  stdout: 'pipe' | NodeJS.WriteStream,
): Promise<{ code: number; output: string }> {
  const { child } = supervisor.spawn('npm', args, {
    cwd: ROOT,
    stdio: ['ignore', stdout, stdout === 'pipe' ? 'ignore' : stdout],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, output };
}
