import { checkKafka, kafkaSettings, topicSettings } from '@vitrine/kafka';
import { versionBoundFault } from '@vitrine/listing-events';
import { port, sharedSettings } from '@vitrine/runtime/settings';
import { type Static, Type } from 'typebox';
import { checkRegistry, registrySettings } from './formats/registry-settings.ts';

const { LOG_LEVEL } = sharedSettings;
const { LISTING_EVENTS_TOPIC } = topicSettings;

/** The environment variables of the ingest (docs/operate/configuration.md). */
export const ingestSettings = Type.Object({
  ...kafkaSettings,
  LISTING_EVENTS_TOPIC,
  INGEST_DEAD_LETTER_TOPIC: Type.Optional(
    Type.String({
      pattern: '^[a-zA-Z0-9._-]{1,249}$',
      description: 'default: <events topic>.ingest-dead-letters',
    }),
  ),
  INGEST_GROUP: Type.String({ default: 'listing-ingest', minLength: 1, maxLength: 200 }),
  MAPPING: Type.Optional(Type.String({ description: 'the file of the mapping module' })),
  MAX_VERSION: Type.Optional(Type.String({ description: 'for example now+1d' })),
  ...registrySettings,
  ADMIN_PORT: port(8083),
  LOG_LEVEL,
});

/** The default is the events topic's name with a suffix, as for the projector's dead-letter topic. */
export const ingestDeadLetterTopic = ({
  LISTING_EVENTS_TOPIC,
  INGEST_DEAD_LETTER_TOPIC,
}: Pick<IngestSettings, 'LISTING_EVENTS_TOPIC' | 'INGEST_DEAD_LETTER_TOPIC'>): string =>
  INGEST_DEAD_LETTER_TOPIC ?? `${LISTING_EVENTS_TOPIC}.ingest-dead-letters`;

export function checkIngestSettings(settings: Partial<IngestSettings>): string[] {
  const { LISTING_EVENTS_TOPIC = '', MAX_VERSION } = settings;
  const deadLetters = ingestDeadLetterTopic({ ...settings, LISTING_EVENTS_TOPIC });
  const fault = MAX_VERSION === undefined ? undefined : versionBoundFault(MAX_VERSION);
  return [
    ...checkKafka(settings),
    ...checkRegistry(settings),
    ...(deadLetters === LISTING_EVENTS_TOPIC
      ? ['INGEST_DEAD_LETTER_TOPIC must differ from LISTING_EVENTS_TOPIC']
      : []),
    ...(deadLetters.length > 249
      ? ['LISTING_EVENTS_TOPIC is too long for the default of INGEST_DEAD_LETTER_TOPIC. Set this setting']
      : []),
    ...(fault === undefined ? [] : [fault]),
  ];
}

export type IngestSettings = Static<typeof ingestSettings>;
