import type { ConsoleState } from './api-types.ts';

/** Whether a command of this console runs. The console runs one at a time. */
export const isBusy = ({ jobs }: Pick<ConsoleState, 'jobs'>): boolean =>
  jobs.some(({ endedAt }) => endedAt === undefined);
