import { checkKafka, checkTopics, kafkaSettings, topicSettings } from '@vitrine/kafka';
import { versionBoundFault } from '@vitrine/listing-events';
import { checkElasticsearch } from '@vitrine/runtime/elasticsearch';
import { port, sharedSettings } from '@vitrine/runtime/settings';
import { type Static, Type } from 'typebox';

export const projectorSettings = Type.Object({
  ...sharedSettings,
  ...kafkaSettings,
  ...topicSettings,
  CONSUMER_GROUP: Type.String({ default: 'feed-projector', minLength: 1, maxLength: 200 }),
  START_OFFSET: Type.String({ default: 'earliest', pattern: '^(earliest|latest)$' }),
  INDEX_SHARDS: Type.Integer({ default: 1, minimum: 1, maximum: 1_024 }),
  INDEX_REPLICAS: Type.String({ default: '0-1', pattern: '^(\\d{1,2}|0-(\\d{1,2}|all)|1-([1-9]\\d?|all))$' }),
  CHANGES_RETENTION_DAYS: Type.Integer({ default: 7, minimum: 1, maximum: 3_650 }),
  MAX_VERSION: Type.Optional(Type.String({ description: 'for example now+1d' })),
  RULES_MODULE: Type.Optional(Type.String({ description: 'the file of the rules module' })),
  FEED_TODAY: Type.Optional(Type.String({ format: 'date' })),
  ADMIN_PORT: port(8082),
});

export const checkProjectorSettings = (settings: Partial<ProjectorSettings>): string[] =>
  [checkTopics, checkKafka, checkElasticsearch, checkMaxVersion].flatMap((check) => check(settings));

export function checkMaxVersion({ MAX_VERSION }: Partial<ProjectorSettings>): string[] {
  const fault = MAX_VERSION === undefined ? undefined : versionBoundFault(MAX_VERSION);
  return fault === undefined ? [] : [fault];
}

export type ProjectorSettings = Static<typeof projectorSettings>;
