import { checkElasticsearch, checkKafka, checkTopics, kafkaSettings, port, sharedSettings } from '@vitrine/runtime';
import { type Static, Type } from 'typebox';

/** What the projector reads from its environment. */
export const projectorSettings = Type.Object({
  ...sharedSettings,
  ...kafkaSettings,
  CONSUMER_GROUP: Type.String({ default: 'feed-projector', minLength: 1, maxLength: 200 }),
  START_OFFSET: Type.String({ default: 'earliest', pattern: '^(earliest|latest)$' }),
  ADMIN_PORT: port(8082),
});

/** What is wrong between them; for `readSettings`. */
export const checkProjectorSettings = (settings: Partial<ProjectorSettings>): string[] =>
  [checkTopics, checkKafka, checkElasticsearch].flatMap((check) => check(settings));

export type ProjectorSettings = Static<typeof projectorSettings>;
