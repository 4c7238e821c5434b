import type { ClassCounts } from '../checks/ledger.ts';

export interface Progress {
  readonly seconds: number;
  readonly published: number;
  readonly lag: number | undefined;
  readonly items: number;
  readonly byClass: Readonly<Record<string, ClassCounts>>;
  readonly serverErrors: number;
  readonly failed: number;
  readonly followed: number;
  readonly current: readonly string[];
  readonly memory: readonly { name: string; mib: number | undefined }[];
}

/** One line about a running soak. */
export function progressLine(progress: Progress): string {
  const { seconds, byClass, memory, current } = progress;
  const minutes = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
  const requests = Object.entries(byClass).map(([name, { requests }]) => `${name} ${requests}`);
  const resident = memory.map(({ name, mib }) => `${name} ${mib === undefined ? '-' : Math.round(mib)}`);
  return [
    minutes,
    `events ${progress.published}`,
    `lag ${progress.lag ?? '?'}`,
    `items ${progress.items}`,
    requests.join(' '),
    `5xx ${progress.serverErrors}`,
    `changes ${progress.followed}`,
    `violations ${progress.failed}`,
    `now: ${current.join(' + ') || 'no fault'}`,
    `MiB: ${resident.join(', ')}`,
  ].join(' | ');
}
