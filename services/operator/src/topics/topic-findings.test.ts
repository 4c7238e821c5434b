import { deadLetterConfig, eventsConfig, planReplication, type TopicState } from '@vitrine/projection/topics';
import { expect } from 'chai';
import { renderTopics } from '../text/render-topics.ts';
import { checkTopicStates } from './topic-findings.ts';

const NAMES = { events: 'events', deadLetters: 'dead-letters' };

/** A topic that `topics create` created on three brokers. */
const made = (topic: string, config: { name: string; value: string }[]): TopicState => ({
  topic,
  partitions: 12,
  replicationFactor: 3,
  underReplicated: [],
  settings: {
    'retention.bytes': '-1',
    'message.timestamp.type': 'CreateTime',
    'unclean.leader.election.enable': 'false',
    'remote.storage.enable': 'false',
    ...Object.fromEntries(config.map(({ name, value }) => [name, value])),
  },
});
const { minInsyncReplicas } = planReplication(3);
const EVENTS = made('events', eventsConfig(minInsyncReplicas));
const LETTERS = made(
  'dead-letters',
  deadLetterConfig(Number(EVENTS.settings['max.message.bytes']), minInsyncReplicas),
);

const having = (settings: TopicState['settings'], state: Partial<TopicState> = {}): TopicState => ({
  ...EVENTS,
  ...state,
  settings: { ...EVENTS.settings, ...settings },
});
const told = (events: TopicState | undefined, deadLetters: TopicState | undefined): string[] =>
  checkTopicStates(NAMES, events, deadLetters).map(
    ({ severity, topic, subject }) => `${severity} ${topic} ${subject}`,
  );

describe('judgeTopics', () => {
  it('reports nothing for the topics that `topics create` creates', () =>
    expect(checkTopicStates(NAMES, EVENTS, LETTERS)).to.deep.equal([]));

  it('requires the events topic, and only warns if the dead-letter topic is missing', () =>
    expect(told(undefined, undefined)).to.deep.equal(['error events topic', 'warning dead-letters topic']));

  for (const [what, events, finding] of [
    ['compaction', having({ 'cleanup.policy': 'compact' }), ['error events cleanup.policy']],
    [
      'compaction beside deletion',
      having({ 'cleanup.policy': 'compact,delete' }),
      ['error events cleanup.policy'],
    ],
    ['no clean-up at all', having({ 'cleanup.policy': '', 'retention.ms': '604800000' }), []],
    [
      'deletion by time, with timestamps of the producer',
      having({ 'retention.ms': '604800000' }),
      ['warning events retention.ms', 'warning events message.timestamp.type'],
    ],
    [
      'deletion by time, with timestamps of the brokers',
      having({ 'retention.ms': '604800000', 'message.timestamp.type': 'LogAppendTime' }),
      ['warning events retention.ms'],
    ],
    ['deletion by size', having({ 'retention.bytes': '1073741824' }), ['warning events retention.bytes']],
    ['tiered storage that keeps everything', having({ 'remote.storage.enable': 'true' }), []],
    [
      'the brokers’ default size',
      having({ 'max.message.bytes': '1048588' }),
      ['warning events max.message.bytes'],
    ],
    ['one partition', having({}, { partitions: 1 }), ['warning events partitions']],
    [
      'one replica',
      having({ 'min.insync.replicas': '1' }, { replicationFactor: 1 }),
      ['warning events replicas'],
    ],
    [
      'an acknowledgement by one replica',
      having({ 'min.insync.replicas': '1' }),
      ['warning events min.insync.replicas'],
    ],
    [
      'an acknowledgement by all replicas',
      having({ 'min.insync.replicas': '3' }),
      ['warning events min.insync.replicas'],
    ],
    [
      'an acknowledgement by more replicas than the topic has',
      having({ 'min.insync.replicas': '4' }),
      ['error events min.insync.replicas'],
    ],
    ['a replica that is behind', having({}, { underReplicated: [3, 7] }), ['warning events replicas']],
    [
      'unclean elections',
      having({ 'unclean.leader.election.enable': 'true' }),
      ['warning events unclean.leader.election.enable'],
    ],
  ] as const)
    it(`of the events topic: ${what}`, () => expect(told(events, LETTERS)).to.deep.equal(finding));

  for (const [what, settings, finding] of [
    ['compaction', { 'cleanup.policy': 'compact' }, ['error dead-letters cleanup.policy']],
    ['deletion', { 'retention.ms': '604800000' }, ['warning dead-letters retention.ms']],
    [
      'too little room for the largest record and its headers',
      { 'max.message.bytes': EVENTS.settings['max.message.bytes'] },
      ['error dead-letters max.message.bytes'],
    ],
    [
      'too little room for a record that gzip compresses badly',
      { 'max.message.bytes': '2000000' },
      ['warning dead-letters max.message.bytes'],
    ],
  ] as const)
    it(`of the dead-letter topic: ${what}`, () =>
      expect(
        told(EVENTS, {
          ...LETTERS,
          settings: { ...LETTERS.settings, ...settings } as TopicState['settings'],
        }),
      ).to.deep.equal(finding));

  it('warns if the brokers delete the offsets of a stopped projector within a month', () => {
    const told = (minutes: number | undefined) =>
      checkTopicStates(NAMES, EVENTS, LETTERS, minutes).map(
        ({ severity, subject }) => `${severity} ${subject}`,
      );
    expect(told(10_080)).to.deep.equal(['warning offsets.retention.minutes']);
    expect(checkTopicStates(NAMES, EVENTS, LETTERS, 10_080)[0]?.detail).to.contain('after 7.0 d');
    expect(told(43_200)).to.deep.equal([]);
    expect(told(undefined)).to.deep.equal([]);
  });

  it('lists errors first', () =>
    expect(
      told(
        having({
          'retention.ms': '1000',
          'message.timestamp.type': 'LogAppendTime',
          'min.insync.replicas': '4',
        }),
        LETTERS,
      ),
    ).to.deep.equal(['error events min.insync.replicas', 'warning events retention.ms']));
});

describe('planReplication', () => {
  for (const [brokers, chosen, plan] of [
    [1, {}, { replicationFactor: 1, minInsyncReplicas: 1 }],
    [2, {}, { replicationFactor: 2, minInsyncReplicas: 1 }],
    [5, {}, { replicationFactor: 3, minInsyncReplicas: 2 }],
    [5, { replicationFactor: 5 }, { replicationFactor: 5, minInsyncReplicas: 4 }],
    [5, { minInsyncReplicas: 1 }, { replicationFactor: 3, minInsyncReplicas: 1 }],
  ] as const)
    it(`${brokers} brokers, ${JSON.stringify(chosen)}`, () =>
      expect(planReplication(brokers, chosen)).to.deep.equal(plan));
});

describe('renderTopics', () => {
  it('shows both topics and their findings', () => {
    const events = having({
      'retention.ms': '604800000',
      'message.timestamp.type': 'LogAppendTime',
      'remote.storage.enable': 'true',
    });
    const text = renderTopics({
      brokers: 3,
      events,
      deadLetters: LETTERS,
      findings: checkTopicStates(NAMES, events, LETTERS),
    });
    expect(text).to.match(/^3 brokers\n/);
    expect(text).to.match(
      /│ events +│ +12 │ +3 │ +2 │ delete +│ after 7\.0 d, tiered │ +1\.1 MiB │ LogAppendTime +│/,
    );
    expect(text).to.match(
      /│ dead-letters +│ +12 │ +3 │ +2 │ delete +│ unlimited +│ +2\.1 MiB │ CreateTime +│/,
    );
    expect(text).to.match(
      /\n\nwarning: events, retention\.ms: Kafka deletes events \(after 7\.0 d\), so a replay/,
    );
  });
  it('reports that there are no findings', () =>
    expect(renderTopics({ brokers: 1, events: EVENTS, deadLetters: LETTERS, findings: [] })).to.match(
      /Both topics have suitable settings\.$/,
    ));
});
