import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, type ListedProcess, listProcesses, signal } from './process-table.ts';

/** Where the instances of a cache live: one folder each. */
function instancesFolder(cache: string): string {
  return join(cache, 'instances');
}

/** Chooses (does not make) the folder of a new instance: its keeper makes it, so that a folder without a keeper is a dead one. */
export async function newInstanceFolder(cache: string): Promise<string> {
  await mkdir(instancesFolder(cache), { recursive: true, mode: 0o755 });
  return join(instancesFolder(cache), `${machinePrefix()}${randomBytes(4).toString('hex')}`);
}

/** What to do about one instance folder. */
export interface Verdict {
  readonly abandoned: boolean;
  /** The engines that a dead keeper left behind. */
  readonly leftBehind: readonly number[];
}

/** Judges by the command lines: the keeper names the folder as its argument, the engines name files in it. */
export function judge(folder: string, processes: readonly ListedProcess[]): Verdict {
  const kept = processes.some(({ command }) => command.includes('keeper.ts ') && command.endsWith(folder));
  const engines = processes.filter(({ command }) => command.includes(`${folder}/`) && /\bjava\b|server-launcher/.test(command));
  return kept ? { abandoned: false, leftBehind: [] } : { abandoned: true, leftBehind: engines.map(({ pid }) => pid) };
}

/** Ends the engines and deletes the folders of instances of this machine and user whose keeper is dead; the living are left alone. */
export async function sweepInstances(cache: string): Promise<void> {
  const instances = instancesFolder(cache);
  const entries = await readdir(instances).catch(() => []);
  // First the folders, then the processes: a keeper lives before its folder does, so none can be missed.
  const folders = entries.filter((entry) => entry.startsWith(machinePrefix())).map((entry) => join(instances, entry));
  if (folders.length === 0) return;
  const processes = await listProcesses();
  for (const folder of folders) if (await isOurs(folder)) await sweep(folder, judge(folder, processes));
}

/** As `sweepInstances`, for one folder whose keeper was seen to die. */
export async function sweepInstance(folder: string): Promise<void> {
  await sweep(folder, judge(folder, await listProcesses()));
}

async function sweep(folder: string, { abandoned, leftBehind }: Verdict): Promise<void> {
  if (!abandoned) return;
  for (const pid of leftBehind) signal(pid, 'SIGKILL');
  for (let waits = 0; waits < 40 && leftBehind.some(isAlive); waits += 1) await delay(50);
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Containers that share a cache do not see each other's processes, so each may only judge its own folders. */
function machinePrefix(): string {
  return `${createHash('sha256').update(hostname()).digest('hex').slice(0, 6)}-`;
}

async function isOurs(folder: string): Promise<boolean> {
  return stat(folder).then(
    ({ uid }) => uid === process.getuid?.(),
    () => false,
  );
}
