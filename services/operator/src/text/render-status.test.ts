import { expect } from 'chai';
import type { GenerationStatus, Status } from '../status/status.ts';
import { duration, printable, size } from './plain-text.ts';
import { renderStatus } from './render-status.ts';

describe('renderStatus', () => {
  const now = new Date('2026-01-02T00:00:00Z');
  const generation: GenerationStatus = {
    number: 1,
    role: 'live',
    phase: 'ready',
    createdAt: '2026-01-01T00:00:00Z',
    ageSeconds: 86_400,
    origin: { from: 'topic' },
    versions: { states: 1, items: 1, rules: 1 },
    items: 1_234_567,
    states: 2_345_678,
    hidden: { title: 12, removed: 1_111_099 },
    sizeBytes: { states: 1, items: 2, changes: 3, total: 5 * 1024 ** 3 },
    groupId: 'feed-projector-1',
    lag: {
      position: 0,
      records: 1_500,
      seconds: 61,
      capped: false,
      partitions: [
        { partition: 0, records: 0, seconds: 0, capped: false },
        { partition: 1, records: 1_500, seconds: 61, capped: false },
      ],
      openTransactions: [{ partition: 1, offset: 7, records: 1_400, seconds: 60, capped: false }],
    },
    members: [{ clientId: 'vitrine', host: '10.0.0.1', partitions: 2 }],
    verification: { against: 2, at: '2026-01-01T12:00:00Z', compared: 10, explained: 1, unexplained: 2 },
  };
  const times = { host: 'h', startedAt: '2026-01-01T23:58:00Z', seenAt: '2026-01-01T23:59:00Z' };
  const status: Status = {
    health: [],
    prefix: 'vitrine',
    topic: 'events',
    generations: [
      generation,
      {
        number: 2,
        role: 'unfinished',
        phase: 'deriving',
        createdAt: '2026-01-01T00:00:00Z',
        ageSeconds: 1,
        origin: { from: 'states', of: 1 },
        versions: generation.versions,
        trouble: 'missing indices: vitrine-items-2',
        groupId: 'feed-projector-2',
        members: [],
      },
    ],
    deadLetters: { topic: 'events.dead-letters', records: 3 },
    running: {
      generation: 2,
      phase: 'deriving',
      done: 50,
      total: 100,
      alive: true,
      builders: [
        {
          ...times,
          pid: 6,
          alive: false,
          lost: { at: '2026-01-01T23:59:40Z', host: 'h', pid: 7 },
        },
        { ...times, pid: 7, alive: true, slices: { done: 3, inProgress: 1, takenOver: 2 } },
        { ...times, pid: 8, alive: true, partitions: 1 },
        { ...times, pid: 9, alive: false },
      ],
    },
    changes: { epoch: 7, generation: 1, lastChange: 7_696_581_394_442, since: '2025-12-20T00:00:00.000Z' },
    keptChanges: [{ generation: 8, until: '2026-01-05T00:00:00.000Z' }],
    events: { end: 0 },
    orphanedIndices: ['vitrine-items-9'],
  };

  it('shows generations, lag and trouble within 120 columns', () => {
    const text = renderStatus(status, now);
    for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(120);
    for (const part of [
      '1,234,567',
      '5.0 GiB',
      'hidden: 1,111,099 removed, 12 title',
      'partition 1: 1,500 records, 61 s behind',
      'partition 1: an open transaction hides 1,400 records from offset 7; the first one is 60 s old',
      'projector vitrine@10.0.0.1: 2 partitions',
      '3 differ (1 explained, 2 not)',
      'missing indices: vitrine-items-2',
      'states of 1',
      'none',
      'Replay of generation 2: deriving, 50 of 100 (50 %)\n' +
        '  process 6 on h, since 2 min; lost 20 s ago: process 7 on h saw no heartbeat\n' +
        '  process 7 on h, since 2 min; slices: 3 done, 1 in progress, 2 taken over\n' +
        '  process 8 on h, since 2 min; 1 partition\n' +
        '  process 9 on h, since 2 min; no heartbeat for 60 s\n',
      'events.dead-letters: 3 records',
      'Changes: epoch 7 of generation 1, last change number 7696581394442\n' +
        '  followers that were up to date at 2025-12-20T00:00:00.000Z can continue\n' +
        '  changes of generation 8, which was pruned, are kept until 2026-01-05T00:00:00.000Z\n',
      'vitrine-items-9',
    ])
      expect(text).to.contain(part);
    expect(text).not.to.contain('partition 0:');
    expect(text).not.to.contain('\x1b');
  });

  it('shows the texts of a rules module, and that the module of the command is another one', () => {
    const reasons = { title: 'no title\x1b', unused: 'never' };
    const text = renderStatus({ ...status, reasons, otherModule: 'generation 1 was built with …' }, now);
    expect(text).to.match(/hidden: 1,111,099 removed, 12 title\n.*title: no title/);
    expect(text).to.include('\n\ngeneration 1 was built with …').and.not.to.include('unused');
    expect(text).not.to.include('\x1b');
  });

  it('says first what needs attention', () => {
    const health: Status['health'] = [
      { code: 'projector-missing', level: 'bad', records: 1_200 },
      { code: 'generation-trouble', level: 'bad', generation: 1, message: 'missing\nindices' },
      { code: 'reconcile-differs', level: 'warn', differences: 3 },
    ];
    expect(renderStatus({ ...status, health }, now)).to.match(
      /^.* from events\n\nFAULT: no projector runs, so the feed is behind by 1,200 events\nFAULT: generation 1: missing\\u000aindices\nwarning: the feed and the database differ in 3 listings\n\n/,
    );
  });

  it('names the next step if no builder is alive', () => {
    const running = { generation: 2, phase: 'deriving' as const, alive: false, builders: [] };
    expect(renderStatus({ ...status, running }, now)).to.contain(
      'Replay of generation 2: deriving\n  No builder is alive. Run replay resume 2 or replay cancel 2',
    );
  });

  it('names the next step if the live generation has no changes index', () => {
    const { changes: _, ...withoutChanges } = status;
    expect(renderStatus(withoutChanges, now)).to.contain(
      'The live generation has no changes index, so /changes returns 503. Run replay and switch\n  changes of',
    );
  });

  it('shows the last run of verify --self and the last success', () => {
    const since = '2026-01-01T03:30:00Z';
    expect(renderStatus({ ...status, selfCheck: { since } }, now)).to.contain(
      `verify --self: no run since ${since} has succeeded`,
    );
    const run = { generation: 1, at: '2026-01-03T03:31:00Z', repaired: 0, unrepaired: 0 };
    const failed = { ...run, outcome: 'failed' as const, error: 'no\nanswer' };
    expect(
      renderStatus({ ...status, selfCheck: { since, succeededAt: since, last: failed } }, now),
    ).to.contain(`verify --self: generation 1 at ${run.at} failed (no\\u000aanswer); last success ${since}`);
    const repaired = { ...run, outcome: 'repaired' as const, repaired: 3 };
    expect(
      renderStatus({ ...status, selfCheck: { since, succeededAt: run.at, last: repaired } }, now),
    ).to.contain(`at ${run.at} repaired, 3 items repaired, 0 not; last success ${run.at}`);
  });

  it('shows the last run of reconcile, and a later failure', () => {
    const reconciliation = {
      at: '2026-01-01T04:31:00Z',
      as_of: '2026-01-01T04:00:00Z',
      source: 20_000,
      equal: 19_990,
      missing: 7,
      extra: 1_017,
      different: 2,
      changed: 1,
    };
    expect(renderStatus({ ...status, reconciliation }, now)).to.contain(
      'reconcile: 20,000 source lines at 2026-01-01T04:31:00Z, 7 missing, 1,017 extra, 2 different\n',
    );
    const equal = { ...reconciliation, missing: 0, extra: 0, different: 0 };
    const failed = { at: '2026-01-02T04:31:00Z', error: 'no\nanswer' };
    expect(renderStatus({ ...status, reconciliation: { ...equal, failed } }, now)).to.contain(
      '04:31:00Z, no difference; the run at 2026-01-02T04:31:00Z failed (no\\u000aanswer)\n',
    );
  });

  it('names the next step if there are no generations', () => {
    const text = renderStatus(
      {
        health: [{ code: 'no-live-generation', level: 'bad' }],
        prefix: 'p',
        topic: 't',
        generations: [],
        deadLetters: { topic: 'd', records: 0 },
        keptChanges: [],
        events: { end: 0 },
        orphanedIndices: [],
      },
      now,
    );
    expect(text).to.match(/^p from t\n\nFAULT: no generation is live\n/);
    expect(text).to.contain('No generation exists yet').and.to.contain('No replay is running.');
  });

  it('formats sizes, times and texts of unknown origin for people', () => {
    expect([0, 1_023, 1_536, 1024 ** 4].map(size)).to.deep.equal(['0 B', '1023 B', '1.5 KiB', '1.0 TiB']);
    expect([3, 120, 7_200, 2_592_000].map(duration)).to.deep.equal(['3 s', '2 min', '2.0 h', '30.0 d']);
    expect(printable('a\x1b[2J\n\u202eb')).to.equal('a\\u001b[2J\\u000a\\u202eb');
  });
});
