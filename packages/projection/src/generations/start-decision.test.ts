import type { PartitionOffsets } from '@vitrine/kafka';
import { expect } from 'chai';
import { decideStart, type FirstStart } from './start-decision.ts';

const log = (...partitions: [low: number, end: number, committed?: number][]): PartitionOffsets[] =>
  partitions.map(([low, end, committed], partition) => ({
    partition,
    low: BigInt(low),
    end: BigInt(end),
    stable: BigInt(end),
    committed: committed === undefined ? undefined : BigInt(committed),
    topicId: 'new',
  }));

/**
 * A log with commits that belong to an earlier topic of the same name, and possibly with commits of its own.
 */
const recreated = (...partitions: [low: number, end: number, committed?: number][]): PartitionOffsets[] =>
  log(...partitions).map((one) => (one.committed === undefined ? { ...one, staleId: 'old' } : one));

describe('decideStart', () => {
  const started: FirstStart = { at: '2026-01-01T00:00:00Z', low: { 0: '5', 1: '0' } };
  for (const [what, startOffset, firstStart, offsets, decision] of [
    ['a group with commits resumes', 'latest', null, log([0, 9, 9], [0, 9]), 'resume'],
    [
      'a group with commits resumes after an earlier start',
      'latest',
      started,
      log([0, 9], [0, 9, 0]),
      'resume',
    ],
    [
      'a group with commits refuses a partition that lost records before its first commit',
      'earliest',
      started,
      log([5, 9, 9], [1, 9]),
      'refuse',
    ],
    [
      'a group with commits resumes if another partition still holds all records since the first start',
      'earliest',
      started,
      log([5, 9], [3, 9, 9]),
      'resume',
    ],
    [
      'a group with commits and an unknown first start resumes, because a rebuild may have accepted the loss',
      'earliest',
      undefined,
      log([5, 9], [0, 9, 9]),
      'resume',
    ],
    [
      'a group without a first start begins at the beginning of the log',
      'earliest',
      null,
      log([3, 9], [0, 9]),
      'first start',
    ],
    [
      'a group without a first start begins at the end of the log',
      'latest',
      null,
      log([3, 9], [0, 9]),
      'first start',
    ],
    [
      'a group that lost its commits does not skip to the end',
      'latest',
      started,
      log([5, 9], [0, 9]),
      'refuse',
    ],
    [
      'a group that found no records to commit reads the empty log from its beginning',
      'latest',
      undefined,
      log([0, 0], [0, 0]),
      'read again',
    ],
    [
      'a group without commits and with an unknown first start does not skip to the end',
      'latest',
      undefined,
      log([0, 9], [0, 9]),
      'refuse',
    ],
    [
      'a group reads the log again if the log holds all records since the first start',
      'earliest',
      started,
      log([5, 9], [0, 9]),
      'read again',
    ],
    ['commits of another topic do not count', 'earliest', started, recreated([0, 2], [0, 9]), 'read again'],
    ['nor beside own commits', 'earliest', started, recreated([0, 2, 1], [0, 9]), 'read again'],
    ['nor before the first start', 'earliest', null, recreated([0, 2]), 'read again'],
    ['nor with the offset of the earlier log', 'earliest', started, recreated([5, 9], [0, 9]), 'refuse'],
    ['nor do they lead to the end of the log', 'latest', null, recreated([0, 2]), 'refuse'],
    ['a group reads a recreated log again', 'earliest', started, log([0, 2], [0, 0]), 'read again'],
    ['a group reads added partitions again', 'earliest', started, log([5, 9], [0, 9], [0, 9]), 'read again'],
    [
      'a group refuses a log that lost records since the first start',
      'earliest',
      started,
      log([6, 9], [0, 9]),
      'refuse',
    ],
    [
      'a group refuses a log that lost records of an added partition',
      'earliest',
      started,
      log([5, 9], [0, 9], [1, 9]),
      'refuse',
    ],
    [
      'a group with an unknown first start reads a complete log again',
      'earliest',
      undefined,
      log([0, 9]),
      'read again',
    ],
    [
      'a group with an unknown first start refuses a log without its beginning',
      'earliest',
      undefined,
      log([1, 9]),
      'refuse',
    ],
  ] as const)
    it(`${what}: ${decision}`, () =>
      expect(decideStart(startOffset, firstStart, offsets)).to.equal(decision));
});
