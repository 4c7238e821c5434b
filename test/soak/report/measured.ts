import { SERVICES } from '../plan/fault-kinds.ts';
import type { ServiceExit } from '../system/soak-system.ts';
import { MEASURED_HOURS, type MemorySlope } from './slope.ts';

/** A run of this length must measure the memory of each kind of service. */
const MEASURING_MINUTES = 60;

interface Measurement {
  readonly minutes: number;
  readonly memory: Readonly<Record<string, MemorySlope>>;
  readonly exits: readonly ServiceExit[];
}

interface Unmeasured {
  readonly service: string;
  /** Why this is no failure. Undefined if it is one. */
  readonly reason: string | undefined;
}

/**
 * The services whose memory a long run did not measure for long enough. The schedule spares the last service
 * of each kind, so one of its processes must be measured. A process that a fault made exit is a good reason.
 * @returns nothing for a run that is too short
 */
export function unmeasuredServices({ minutes, memory, exits }: Measurement): Unmeasured[] {
  if (minutes < MEASURING_MINUTES) return [];
  const isMeasurable = Object.keys(memory).length > 0;
  return [`projector ${SERVICES}`, `query ${SERVICES}`]
    .filter((service) => (memory[service]?.longestHours ?? 0) < MEASURED_HOURS)
    .map((service) => {
      if (!isMeasurable)
        return { service, reason: 'This system cannot be measured, because it is not Linux' };
      const exit = exits.find((exit) => exit.service === service && exit.permittedBy !== undefined);
      return { service, reason: exit && `It exited after ${exit.permittedBy}, which is permitted` };
    });
}
