/** A measurement of a process: hours since the begin of the run, and resident memory in MiB. */
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
  /** The hours that the samples of one process cover at most. */
  readonly longestHours: number;
  readonly highest: number;
}

/** A process grows until its caches and its heap have their size. Its samples before do not count. */
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
/** Shorter measurements of a heap that still settles are only reported. */
export const MEASURED_HOURS = 0.45;

/** The memory limits of the pods (docs/operate/deployment.md), in MiB. */
const LIMIT_MIB = { projector: 512, query: 768 } as const;

/** Whether a service exceeded the memory limit of its pod. @param name begins with the name of the service */
export const exceedsItsLimit = (name: string, { highest }: MemorySlope): boolean =>
  Object.entries(LIMIT_MIB).some(([service, limit]) => name.startsWith(service) && highest > limit);

/** Whether the memory grows without a bound, as far as the measurement can tell. */
export const growsTooFast = ({ mibPerHour, hours }: MemorySlope): boolean =>
  mibPerHour !== undefined && hours >= MEASURED_HOURS && mibPerHour > SLOPE_LIMIT_MIB_PER_HOUR;
