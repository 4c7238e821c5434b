// This file is plain JavaScript, because `scripts/prepare.mjs` needs it before the packages are installed.
const EVERY_MS = 500;
const FIRST_PROCESS = 1;

/**
 * Calls `callback` once, within half a second after the end of the parent process. npm does not notify its
 * script when a SIGTERM or SIGKILL ends npm. This function does nothing if npm did not start this process,
 * because such a process may outlive its parent (nohup, a supervisor). The function also does nothing if the
 * parent is the first process of a system or container, because this process then ends with its parent. The
 * timer does not keep the process alive.
 */
export function onParentGone(callback) {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined || parent === FIRST_PROCESS) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, EVERY_MS);
  timer.unref();
}
