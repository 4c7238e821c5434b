import { expect } from 'chai';
import type { PartitionOffsets } from '../kafka/topic-offsets.ts';
import { decideStart, type FirstStart } from './start-decision.ts';

const log = (...partitions: [low: number, end: number, committed?: number][]): PartitionOffsets[] =>
  partitions.map(([low, end, committed], partition) => ({
    partition,
    low: BigInt(low),
    end: BigInt(end),
    committed: committed === undefined ? undefined : BigInt(committed),
  }));

describe('decideStart', () => {
  const started: FirstStart = { at: '2026-01-01T00:00:00Z', low: { 0: '5', 1: '0' } };
  for (const [what, startOffset, firstStart, offsets, decision] of [
    ['a group with commits resumes', 'latest', null, log([0, 9, 9], [0, 9]), 'resume'],
    ['so does one that started before', 'latest', started, log([0, 9], [0, 9, 0]), 'resume'],
    [
      'a group that never started begins at the beginning',
      'earliest',
      null,
      log([3, 9], [0, 9]),
      'first start',
    ],
    ['or at the end', 'latest', null, log([3, 9], [0, 9]), 'first start'],
    ['commits that are gone do not move it to the end', 'latest', started, log([5, 9], [0, 9]), 'refuse'],
    [
      'nor those of a record that an earlier version wrote',
      'latest',
      undefined,
      log([0, 9], [0, 9]),
      'refuse',
    ],
    [
      'it reads a log again that holds everything since',
      'earliest',
      started,
      log([5, 9], [0, 9]),
      'read again',
    ],
    ['also a log that was recreated', 'earliest', started, log([0, 2], [0, 0]), 'read again'],
    ['also partitions that were added', 'earliest', started, log([5, 9], [0, 9], [0, 9]), 'read again'],
    ['it refuses a log that lost records since', 'earliest', started, log([6, 9], [0, 9]), 'refuse'],
    ['or that lost them in an added partition', 'earliest', started, log([5, 9], [0, 9], [1, 9]), 'refuse'],
    [
      'without a record of the first start, the log must be whole',
      'earliest',
      undefined,
      log([0, 9]),
      'read again',
    ],
    ['which it is not without its beginning', 'earliest', undefined, log([1, 9]), 'refuse'],
  ] as const)
    it(`${what}: ${decision}`, () =>
      expect(decideStart(startOffset, firstStart, offsets)).to.equal(decision));
});
