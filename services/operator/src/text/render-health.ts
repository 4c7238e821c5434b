import { continueOrCancel } from '@vitrine/feed-index';
import type { HealthProblem } from '../status/health-problem.ts';
import { counted, duration, printable } from './plain-text.ts';

/** Formats what needs attention, one line for each problem. Pure. */
export const renderHealth = (problems: readonly HealthProblem[]): string =>
  problems
    .map((problem) => `${problem.level === 'bad' ? 'FAULT' : 'warning'}: ${textOf(problem)}`)
    .join('\n');

function textOf(problem: HealthProblem): string {
  switch (problem.code) {
    case 'no-live-generation':
      return 'no generation is live';
    case 'projector-missing':
      return problem.records > 0
        ? `no projector runs, so the feed is behind by ${counted(problem.records, 'event|events')}`
        : 'no projector runs, so the feed will not show new events';
    case 'feed-behind':
      return `the feed is ${age(problem)} behind`;
    case 'open-transaction':
      return `an open transaction has held back partition ${problem.partition} for ${age(problem)}`;
    case 'generation-trouble':
      return `generation ${problem.generation}: ${printable(problem.message)}`;
    case 'rebuild-interrupted':
      return `the rebuild of generation ${problem.generation} is interrupted. ${continueOrCancel(problem.generation)}`;
    case 'verify-failed':
      return problem.unrepaired > 0
        ? `verify --self left ${counted(problem.unrepaired, 'wrong item|wrong items')}`
        : 'the last verify --self failed';
    case 'reconcile-differs':
      return `the feed and the database differ in ${counted(problem.differences, 'listing|listings')}`;
    case 'reconcile-failed':
      return `the last reconcile failed (${printable(problem.message)})`;
    case 'other-rules-module':
      return printable(problem.message);
    default:
      return problem.code;
  }
}

const age = ({ seconds, capped }: { seconds: number; capped: boolean }): string =>
  `${capped ? 'more than ' : ''}${duration(seconds)}`;
