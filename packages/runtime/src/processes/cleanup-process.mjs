/**
 * Ends the children of a main process after the main process has ended for any reason. This process runs in
 * its own session, so neither Ctrl-C, nor a closed terminal, nor a SIGKILL of the main process ends it. The
 * end of its standard input means that the main process is gone. Usage: `spawn` this file, then write one
 * line of JSON per change: `{ group, owned }` or `{ folder, owned }`. A pipe keeps what was written before
 * this process could read it, even if the writer is gone. (An IPC channel would lose such data.) The file is
 * plain JavaScript, because `scripts/prepare.mjs` needs it before the packages are installed, on any version
 * of Node.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { signalProcess } from './process-identity.mjs';

const GRACE_MS = 5_000;
const AFTER_KILL_MS = 3_000;
const POLL_MS = 50;

const groups = new Set();
/** Folders to delete after the groups have ended. */
const folders = new Set();

async function groupsGone(withinMs) {
  for (let waited = 0; waited < withinMs; waited += POLL_MS) {
    if (![...groups].some((group) => signalProcess(-group, 0))) return true;
    await delay(POLL_MS);
  }
  return false;
}

async function end() {
  for (const group of groups) {
    signalProcess(-group, 'SIGTERM');
    // A suspended process would not handle SIGTERM.
    signalProcess(-group, 'SIGCONT');
  }
  if (!(await groupsGone(GRACE_MS))) {
    for (const group of groups) signalProcess(-group, 'SIGKILL');
    await groupsGone(AFTER_KILL_MS);
  }
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    } catch {
      // The next start deletes what remains.
    }
  }
  process.exit();
}

// Only the end of the main process may end this process.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});
for await (const line of createInterface({ input: process.stdin })) {
  const { group, folder, owned } = JSON.parse(line);
  const [owner, thing] = group === undefined ? [folders, folder] : [groups, group];
  if (owned) owner.add(thing);
  else owner.delete(thing);
}
await end();
