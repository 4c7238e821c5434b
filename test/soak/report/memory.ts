import { memoryOf } from '../../support/service-process.ts';
import { SERVICES } from '../plan/fault-kinds.ts';
import type { ServiceExit } from '../system/soak-system.ts';

interface Measured {
  readonly name: string;
  readonly pid: number | undefined;
}

/** Collects the resident memory of services. Linux only: elsewhere it collects nothing. */
export class MemorySamples {
  readonly #samples = new Map<string, MemorySample[]>();

  sample(services: readonly Measured[], hours: number): void {
    for (const { name, pid } of services) {
      const mib = residentMib(pid);
      if (pid === undefined || mib === undefined) continue;
      const samples = this.#samples.get(name) ?? [];
      samples.push({ pid, hours, mib });
      this.#samples.set(name, samples);
    }
  }

  /** All measurements by service. */
  all(): Record<string, MemorySample[]> {
    return Object.fromEntries(this.#samples);
  }

  slopes(): Record<string, MemorySlope> {
    return Object.fromEntries([...this.#samples].map(([name, samples]) => [name, memorySlope(samples)]));
  }
}

/** The resident memory of a process in MiB. Undefined if the process has ended. */
export function residentMib(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const mib = memoryOf(pid);
    return Number.isNaN(mib) ? undefined : mib;
  } catch {
    return undefined;
  }
}

/** A measurement of a process: hours since the start of the run, and resident memory in MiB. */
export interface MemorySample {
  readonly pid: number;
  readonly hours: number;
  readonly mib: number;
}

export interface MemorySlope {
  /** Growth in MiB per hour: least squares with one intercept for each process. Undefined without samples. */
  readonly mibPerHour: number | undefined;
  /** The hours that the samples cover, summed over the processes. */
  readonly hours: number;
  /** The most hours that the samples of one process cover. */
  readonly longestHours: number;
  readonly highest: number;
}

/**
 * A process grows until its caches and its heap have reached their full size. Earlier samples do not count.
 */
const WARM_UP_HOURS = 20 / 60;
const FEWEST_SAMPLES = 10;

/**
 * The growth of a service over its processes. A restart begins a new process, whose level differs, so the
 * slope is common and the levels are separate.
 */
export function memorySlope(samples: readonly MemorySample[], warmUpHours = WARM_UP_HOURS): MemorySlope {
  let [xx, xy, hours, longestHours] = [0, 0, 0, 0];
  for (const own of Object.values(Object.groupBy(samples, ({ pid }) => pid))) {
    const begin = own?.[0]?.hours ?? 0;
    const warm = (own ?? []).filter((sample) => sample.hours - begin >= warmUpHours);
    if (warm.length < FEWEST_SAMPLES) continue;
    const meanX = mean(warm.map((sample) => sample.hours));
    const meanY = mean(warm.map(({ mib }) => mib));
    for (const { hours, mib } of warm) {
      xx += (hours - meanX) ** 2;
      xy += (hours - meanX) * (mib - meanY);
    }
    const covered = (warm.at(-1)?.hours ?? 0) - (warm[0]?.hours ?? 0);
    hours += covered;
    longestHours = Math.max(longestHours, covered);
  }
  return {
    mibPerHour: xx > 0 ? xy / xx : undefined,
    hours,
    longestHours,
    highest: Math.max(0, ...samples.map(({ mib }) => mib)),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Growth beyond this fails a run that measured the process for long enough. */
export const SLOPE_LIMIT_MIB_PER_HOUR = 48;
/** Shorter measurements of a heap that is still settling are only reported. */
export const MEASURED_HOURS = 0.45;

/** The memory limits of the pods (docs/operate/deployment.md), in MiB. */
const LIMIT_MIB = { projector: 512, ingest: 512, query: 768 } as const;

/** Whether a service exceeded the memory limit of its pod. @param name begins with the name of the service */
export const exceedsItsLimit = (name: string, { highest }: MemorySlope): boolean =>
  Object.entries(LIMIT_MIB).some(([service, limit]) => name.startsWith(service) && highest > limit);

/** Whether the memory grows without a bound, as far as the measurement can tell. */
export const growsTooFast = ({ mibPerHour, hours }: MemorySlope): boolean =>
  mibPerHour !== undefined && hours >= MEASURED_HOURS && mibPerHour > SLOPE_LIMIT_MIB_PER_HOUR;

/** A run of this length must measure the memory of each kind of service. */
const MEASURING_MINUTES = 60;

interface Measurement {
  readonly minutes: number;
  readonly memory: Readonly<Record<string, MemorySlope>>;
  readonly exits: readonly ServiceExit[];
}

interface Unmeasured {
  readonly service: string;
  /** Why the missing measurement is not a failure. Undefined if it is a failure. */
  readonly reason: string | undefined;
}

/**
 * The services whose memory a long run did not measure for long enough. The schedule spares the last service
 * of each kind, so one of its processes must be measured. An exit that a fault caused is a good reason.
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
