import { Type } from 'typebox';

/** The names of the topics (docs/operate/configuration.md). */
export const topicSettings = {
  LISTING_EVENTS_TOPIC: Type.String({
    default: 'marketplace.listing-events',
    pattern: '^[a-zA-Z0-9._-]{1,249}$',
  }),
  DEAD_LETTER_TOPIC: Type.Optional(
    Type.String({ pattern: '^[a-zA-Z0-9._-]{1,249}$', description: 'default: <events topic>.dead-letters' }),
  ),
};

export const deadLetterTopic = (settings: {
  LISTING_EVENTS_TOPIC: string;
  DEAD_LETTER_TOPIC?: string;
}): string => settings.DEAD_LETTER_TOPIC ?? `${settings.LISTING_EVENTS_TOPIC}.dead-letters`;

/** Reports conflicts between the topic names. A cross-check for `readSettings` uses this function. */
export function checkTopics(settings: {
  LISTING_EVENTS_TOPIC?: string;
  DEAD_LETTER_TOPIC?: string;
}): string[] {
  const { LISTING_EVENTS_TOPIC = '', ...rest } = settings;
  const name = deadLetterTopic({ LISTING_EVENTS_TOPIC, ...rest });
  if (name === LISTING_EVENTS_TOPIC) return ['DEAD_LETTER_TOPIC must differ from LISTING_EVENTS_TOPIC'];
  return name.length > 249
    ? [
        'LISTING_EVENTS_TOPIC is too long for the default name of the dead-letter topic. Set ' +
          'DEAD_LETTER_TOPIC',
      ]
    : [];
}
