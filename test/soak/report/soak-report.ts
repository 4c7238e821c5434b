import type { Comparison } from '../checks/final-comparison.ts';
import type { ClassCounts, RequestClass, TimelineEntry, Violation } from '../checks/ledger.ts';
import type { FaultName, OperatorStep } from '../plan/fault-kinds.ts';
import type { ServiceExit } from '../system/soak-system.ts';
import {
  exceedsItsLimit,
  growsTooFast,
  MEASURED_HOURS,
  type MemorySample,
  type MemorySlope,
  SLOPE_LIMIT_MIB_PER_HOUR,
  unmeasuredServices,
} from './memory.ts';

export type Verdict = 'passed' | 'failed' | 'interrupted';

export interface SoakReport {
  readonly seed: number;
  readonly minutes: number;
  readonly rate: number;
  /** The command that repeats this run. */
  readonly command: string;
  readonly startedAt: string;
  readonly loadSeconds: number;
  readonly events: { readonly published: number; readonly repeatedBatches: number };
  /** The marketplace's rows: their changes, and the changes that never reached the topic. */
  readonly rows: { readonly changes: number; readonly lost: number };
  readonly faults: Partial<Record<FaultName, number>>;
  readonly operator: Partial<Record<OperatorStep, number>>;
  /** Kinds that did not occur in this run. */
  readonly leftOut: readonly string[];
  /** Exits of services that no fault ordered. */
  readonly exits: readonly ServiceExit[];
  readonly requests: Record<RequestClass, ClassCounts>;
  readonly serverErrors: number;
  /** Permitted failures by the fault that permits them. */
  readonly permitted: Partial<Record<FaultName, number>>;
  readonly changesFollowed: number;
  /** Seconds until the projector had read everything after the end of the load. */
  readonly caughtUpAfterSeconds: number | undefined;
  readonly comparisons: readonly Comparison[];
  readonly memory: Record<string, MemorySlope>;
  /** The measurements of each service. */
  readonly memorySamples: Record<string, readonly MemorySample[]>;
  readonly violationCount: number;
  readonly violations: readonly Violation[];
  /** When each fault began and ended. */
  readonly timeline: readonly TimelineEntry[];
  readonly folder: string;
  readonly verdict: Verdict;
}

/** A run passes if it compared and measured everything, found no difference, and violated no invariant. */
export function verdictOf(
  report: Pick<SoakReport, 'comparisons' | 'memory' | 'violationCount' | 'minutes' | 'exits'>,
  isInterrupted: boolean,
): Verdict {
  const { comparisons, memory, violationCount } = report;
  if (violationCount > 0 || comparisons.some(({ differences }) => differences > 0)) return 'failed';
  const isTooMuch = ([name, slope]: [string, MemorySlope]) =>
    growsTooFast(slope) || exceedsItsLimit(name, slope);
  if (Object.entries(memory).some(isTooMuch)) return 'failed';
  if (isInterrupted) return 'interrupted';
  if (unmeasuredServices(report).some(({ reason }) => reason === undefined)) return 'failed';
  return comparisons.length > 0 ? 'passed' : 'failed';
}

const counted = (counts: Partial<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';
const share = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(3)} %`;
const SHOWN_VIOLATIONS = 20;

/** The report as text for a terminal. */
export function renderReport(report: SoakReport): string {
  const { requests, memory, comparisons, violations, leftOut, exits } = report;
  const classes = Object.entries(requests);
  const total = classes.reduce((sum, [, { requests }]) => sum + requests, 0);
  const lines = [
    `seed ${report.seed}, ${report.minutes} min, ${report.rate} events/s; load ${Math.round(report.loadSeconds)} s`,
    `repeat: ${report.command}`,
    `events: ${report.events.published} published, ${report.events.repeatedBatches} batches repeated`,
    `rows of the marketplace: ${report.rows.changes} changes, of which the source lost ${report.rows.lost}`,
    `faults: ${counted(report.faults)}`,
    `operator: ${counted(report.operator)}`,
    ...(leftOut.length > 0 ? [`left out, because the run is too short: ${leftOut.join(', ')}`] : []),
    ...(exits.length > 0 ? [`exits that no fault ordered: ${exits.length}`, ...exits.map(renderExit)] : []),
    `requests: ${total}, of them 5xx ${report.serverErrors}; changes followed: ${report.changesFollowed}`,
    ...classes.map(
      ([name, { requests, permitted, failed, longestMs }]) =>
        `  ${name}: ${requests}, permitted failures ${permitted} (${share(permitted, requests)}), ` +
        `other failures ${failed} (${share(failed, requests)}), longest success ${Math.round(longestMs)} ms`,
    ),
    `permitted failures by fault: ${counted(report.permitted)}`,
    ...(report.caughtUpAfterSeconds === undefined
      ? []
      : [`caught up ${report.caughtUpAfterSeconds.toFixed(1)} s after the end of the load`]),
    ...comparisons.map(
      ({ what, size, differences, detail }) =>
        `compared ${what}: ${size}, ${differences === 0 ? 'equal' : `${differences} differences: ${detail}`}`,
    ),
    ...Object.entries(memory).map(([name, slope]) => `memory of ${name}: ${renderSlope(name, slope)}`),
    ...unmeasuredServices(report).map(
      ({ service, reason }) =>
        `memory of ${service}: not measured long enough. ${reason ?? 'This is a failure'}`,
    ),
    `violations: ${report.violationCount}`,
    ...violations.slice(0, SHOWN_VIOLATIONS).map(({ at, what }) => `  ${Math.round(at)} s: ${what}`),
    `logs: ${report.folder}`,
    `verdict: ${report.verdict}`,
  ];
  return lines.join('\n');
}

const renderExit = ({ what, permittedBy }: ServiceExit): string =>
  `  ${what} (${permittedBy === undefined ? 'not permitted' : `permitted after ${permittedBy}`})`;

function renderSlope(name: string, slope: MemorySlope): string {
  const { mibPerHour, hours, highest } = slope;
  const level = `highest ${Math.round(highest)} MiB${exceedsItsLimit(name, slope) ? ' (above its limit)' : ''}`;
  if (mibPerHour === undefined) return `${level}, too short for a slope`;
  const grown = `${level}, ${mibPerHour.toFixed(1)} MiB per hour over ${(hours * 60).toFixed(0)} min`;
  if (hours < MEASURED_HOURS) return `${grown} (reported only)`;
  return `${grown} (limit ${SLOPE_LIMIT_MIB_PER_HOUR}${growsTooFast(slope) ? ', exceeded' : ''})`;
}
