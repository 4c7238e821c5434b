import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runSteps, type Step } from './steps.ts';

const STEPS: readonly Step[] = [
  {
    title: 'One',
    run: async ({ line, progress }) => {
      line('hello');
      progress('1 of 2');
      return 'One is done';
    },
  },
  { title: 'Two', run: () => Promise.reject(new Error('boom')) },
];

const STEPS_URL = import.meta.resolve('./steps.ts');
const SCREEN_URL = import.meta.resolve('./screen.ts');
const PROGRAM = `
  import { runSteps } from '${STEPS_URL}';
  import { Screen } from '${SCREEN_URL}';
  const screen = new Screen(process.stdout, process.env);
  const run = async ({ line }) => { line('hello'); return 'One is done'; };
  await runSteps([{ title: 'One', run }], screen);
  screen.status('1 of 2');
  screen.status('2 of 2');
  screen.keepStatus();
`;

describe('the steps of npm start', () => {
  it('are plain lines without a terminal, and leave the error to the caller', async () => {
    const lines: string[] = [];
    const failure = await runSteps(STEPS, { rewrites: false, line: (text) => lines.push(text) }).catch(
      String,
    );
    expect(failure).to.equal('Error: boom');
    expect(lines).to.deep.equal(['One …', '  hello', '✔ One is done', 'Two …', '✖ Two']);
  });

  for (const [name, value] of [
    ['TERM', 'dumb'],
    ['NO_COLOR', '1'],
  ] as const) {
    it(`write no escape sequence on a terminal with ${name}=${value}`, function () {
      try {
        execFileSync('script', ['--version'], { stdio: 'ignore' });
      } catch {
        this.skip(); // This machine lacks util-linux, so the test cannot create a pseudo-terminal.
      }
      const program = join(tmpdir(), `vitrine-steps-${process.pid}.mjs`);
      writeFileSync(program, PROGRAM);
      const { FORCE_COLOR: _, NO_COLOR: __, ...env } = process.env;
      const command = ['-qec', `'${process.execPath}' '${program}'`, '/dev/null'];
      const onTerminal = (peculiar: NodeJS.ProcessEnv) =>
        spawnSync('script', command, { env: { ...env, TERM: 'xterm', ...peculiar }, encoding: 'utf8' })
          .stdout;
      try {
        // The escape sequence proves that the output is a terminal.
        expect(onTerminal({})).to.include(String.fromCharCode(27));
        const plain = onTerminal({ [name]: value });
        expect(plain)
          .to.include('One is done')
          .and.to.include('2 of 2')
          .and.not.to.include(String.fromCharCode(27));
      } finally {
        rmSync(program);
      }
    });
  }
});
