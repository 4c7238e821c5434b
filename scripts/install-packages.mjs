// This file runs with any Node.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onParentGone } from '../packages/runtime/src/processes/parent-watch.mjs';
import {
  isRunning,
  parentOf,
  signalProcess,
  startTimeOf,
} from '../packages/runtime/src/processes/process-identity.mjs';
import { InstallLock } from './install-lock.mjs';

const CLEANUP = fileURLToPath(
  new URL('../packages/runtime/src/processes/cleanup-process.mjs', import.meta.url),
);
const GRACE_MS = 5_000;
const POLL_MS = 500;
const INTERRUPTED = 130;
const ONE_KEY_PRESS_MS = 400;

/** This process's parent is the shell of npm's script. That shell outlives a killed npm. */
function onNpmGone(callback) {
  const pid = process.env.npm_lifecycle_event === undefined ? undefined : parentOf(process.ppid);
  if (pid === undefined) return;
  const npm = { pid, startTime: startTimeOf(pid) };
  const timer = setInterval(() => {
    if (isRunning(npm)) return;
    clearInterval(timer);
    callback();
  }, POLL_MS);
  timer.unref();
}

/**
 * Runs `npm ci` in `root` and then `finish`. If the function had to wait for another process and `isDone`
 * then returns true, it runs neither. After Ctrl-C, SIGTERM or SIGHUP, or after the end of the npm that runs
 * this script, the process ends `npm ci` and its children and exits with 130. The next call starts from
 * scratch, because `npm ci` first deletes node_modules.
 * @param finish returns undefined, or one sentence that names the problem
 * @returns undefined, or one sentence that names the problem
 */
export async function installPackages(root, isDone, finish) {
  const lock = new InstallLock(root);
  let npm;
  let ended;
  let isStopping = false;
  const stop = async (isSecond) => {
    isStopping = true;
    if (npm?.pid !== undefined) {
      signalProcess(-npm.pid, isSecond ? 'SIGKILL' : 'SIGTERM');
      const late = setTimeout(() => signalProcess(-npm.pid, 'SIGKILL'), GRACE_MS);
      await ended;
      clearTimeout(late);
    }
    lock.release();
    process.exit(INTERRUPTED);
  };
  let firstAt;
  const hear = () => {
    // npm forwards the terminal's Ctrl-C, so one key press may arrive twice.
    if (firstAt !== undefined && performance.now() - firstAt < ONE_KEY_PRESS_MS) return;
    const isSecond = firstAt !== undefined;
    firstAt = performance.now();
    void stop(isSecond);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, hear);
  onParentGone(() => void stop(false));
  onNpmGone(() => void stop(false));

  await lock.acquire((pid) => console.error(`Waiting for process ${pid}, which installs the packages …`));
  try {
    if (isDone()) return undefined;
    console.error('Installing packages (once per clone and lock file) …');
    // NODE_ENV=production and npm's own settings must not leave out packages that the commands need.
    const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
    // The cleanup process starts before npm, so that npm never runs without it.
    const cleanup = spawn(process.execPath, [CLEANUP], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    cleanup.on('error', () => {}); // the machine cannot start another process, which npm's start reports
    cleanup.stdin.on('error', () => {});
    cleanup.stdin.unref();
    cleanup.unref();
    // npm runs in its own session, so that only this process receives Ctrl-C. This process then waits for
    // npm.
    npm = spawn(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
      cwd: root,
      stdio: ['ignore', 2, 2],
      detached: true,
    });
    const failed = new Promise((resolve) => npm.once('error', ({ message }) => resolve(message)));
    ended = new Promise((resolve) =>
      npm.once('exit', (code) => {
        // Install scripts of packages may outlive npm.
        signalProcess(-npm.pid, 'SIGKILL');
        resolve(code ?? 1);
      }),
    );
    if (npm.pid === undefined) return `npm ci failed: ${await failed}.`;
    cleanup.stdin.write(`${JSON.stringify({ group: npm.pid, owned: true })}\n`);
    lock.installs(npm.pid);
    const code = await ended;
    // The signal handler ends this process.
    if (isStopping) await new Promise(() => {});
    cleanup.stdin.end(`${JSON.stringify({ group: npm.pid, owned: false })}\n`);
    return code === 0 ? finish() : 'npm ci failed. Its output is above.';
  } finally {
    lock.release();
  }
}
