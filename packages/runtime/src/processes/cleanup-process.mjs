/**
 * Ends the children of a main process after the main process has ended for any reason. This process runs in
 * its own session, so neither Ctrl-C, nor a closed terminal, nor a SIGKILL of the main process ends it. A
 * closed channel means that the main process is gone. Usage: `fork` this file, then send `{ group, owned }`
 * and `{ folder, owned }`. The file is plain JavaScript, because `scripts/prepare.mjs` needs it before the
 * packages are installed, on any version of Node.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { signalProcess } from './process-identity.mjs';

const GRACE_MS = 5_000;
const AFTER_KILL_MS = 3_000;
const POLL_MS = 50;

/** Ids of process groups. */
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
      // The next start deletes the rest.
    }
  }
  process.exit();
}

process.on('message', ({ group, folder, owned }) => {
  const [owner, thing] = group === undefined ? [folders, folder] : [groups, group];
  if (owned) owner.add(thing);
  else owner.delete(thing);
});
process.once('disconnect', () => void end());
// Only the end of the main process may end this process.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});
