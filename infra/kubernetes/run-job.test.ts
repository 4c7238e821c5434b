import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';

/**
 * A stand-in for kubectl. Each `get job` prints the next line of the file `states`. The first attempt to read the
 * pod's log fails.
 */
const KUBECTL = `#!/bin/sh
echo "$*" >>"$FOLDER/calls"
case "$1 $2" in
  "create job") exit "\${CREATES:-0}" ;;
  "get job") state=$(head -1 "$FOLDER/states")
    sed 1d "$FOLDER/states" >"$FOLDER/rest"; mv "$FOLDER/rest" "$FOLDER/states"
    echo "$state" ;;
  "get pods") echo the-pod ;;
  logs*) [ -e "$FOLDER/started" ] && { echo 'the log'; exit 0; }; touch "$FOLDER/started"; exit 1 ;;
esac
`;

describe('infra/kubernetes/run-job.sh', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vitrine-run-job-'));
    writeFileSync(join(folder, 'kubectl'), KUBECTL);
    chmodSync(join(folder, 'kubectl'), 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (states: string[], env: NodeJS.ProcessEnv = {}) => {
    writeFileSync(join(folder, 'states'), states.map((state) => `${state}\n`).join(''));
    const script = join(import.meta.dirname, 'run-job.sh');
    const PATH = `${folder}${delimiter}${process.env.PATH}`;
    return spawnSync(script, ['vitrine', 'replay-1', 'replay'], {
      encoding: 'utf8',
      timeout: 100_000,
      env: { ...process.env, ...env, FOLDER: folder, PATH },
    });
  };

  it('prints the log of a job once, although its container starts later, and succeeds with it', () => {
    const { status, stdout } = run(['', '', '', 'SuccessCriteriaMet Complete']);
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: 'the log\n' });
    const [create] = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
    expect(create).to.equal('create job replay-1 -n vitrine --from=cronjob/replay');
  });

  it('fails as soon as the job has failed', () => {
    const { status, stderr } = run(['', 'FailureTarget Failed']);
    expect({ status, stderr }).to.deep.equal({ status: 1, stderr: 'The job replay-1 failed.\n' });
  });

  it('fails if the job cannot be created', () => {
    expect(run([], { CREATES: '1' }).status).to.equal(2);
  });
});
