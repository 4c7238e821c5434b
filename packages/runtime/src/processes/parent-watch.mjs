// Plain JavaScript, because `scripts/prepare.mjs` needs it before the packages exist, on any Node.
const EVERY_MS = 500;
const FIRST_PROCESS = 1;

/**
 * Calls back once when the parent of this process is gone, within half a second. npm dies of a SIGTERM or
 * SIGKILL without telling its script. A process that npm did not start may outlive its parent (nohup, a
 * supervisor), and a process of the first process of a system or container ends with it, so neither is
 * watched. The watch does not keep the process alive.
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
