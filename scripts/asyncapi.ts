import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import schema from '../packages/listing-events/src/listing-event.schema.json' with { type: 'json' };
import { deadLetterConfig, eventsConfig, LARGEST_EVENT_BYTES, PARTITIONS, planReplication } from '../services/projector/src/topics/topic-plan.ts';
import { type Json, LETTERS, messages, moved } from './asyncapi-messages.ts';

// `npm run asyncapi` writes the contract of the topics: made of the schema that validates, and of what `topics create` sets.

/** Where the document is committed. */
export const FILE = join(import.meta.dirname, '..', 'asyncapi.yaml');
const EVENTS = 'marketplace.listing-events';
const DEAD_LETTERS = `${EVENTS}.dead-letters`;

/** AsyncAPI wants numbers where Kafka takes texts, and the policies as a list; it has no name for copies in sync. */
function topicBinding(topic: string, config: { name: string; value: string }[]): Json {
  const settings = Object.fromEntries(config.map(({ name, value }) => [name, name === 'cleanup.policy' ? [value] : Number(value)]));
  const { 'min.insync.replicas': _, ...topicConfiguration } = settings;
  return { kafka: { topic, partitions: PARTITIONS, replicas: planReplication(3).replicationFactor, topicConfiguration, bindingVersion: '0.5.0' } };
}

const channel = (address: string, description: string, names: string[], bindings: Json): Json => ({
  address,
  description,
  messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
  bindings,
});

/** The contract of both topics as an AsyncAPI 3 document. Pure. */
export function asyncApiDocument(): Json {
  const { $schema: _, $id: __, allOf: ___, $defs, ...cloudEvent } = schema;
  const accepted = Object.keys(messages).filter((name) => !LETTERS.includes(name));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Vitrine: listing events',
      version: '1.0.0',
      description:
        'What the projector reads from Kafka, and what it puts aside. The topics’ names are settings (LISTING_EVENTS_TOPIC, DEAD_LETTER_TOPIC). A well-formed event of another type is skipped and counted; what matches none of these messages becomes a dead letter. Events may come partial, duplicated, late and in any order.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: {
      listingEvents: channel(
        EVENTS,
        'CloudEvents 1.0, one a record, structured or binary (Kafka protocol binding). The key is the listing’s id. A value has at most 1 MiB and is nested at most 32 deep.',
        accepted,
        topicBinding(EVENTS, eventsConfig(planReplication(3).minInsyncReplicas)),
      ),
      deadLetters: channel(
        DEAD_LETTERS,
        'Records that could not become part of the projection.',
        LETTERS,
        topicBinding(DEAD_LETTERS, deadLetterConfig(LARGEST_EVENT_BYTES)),
      ),
    },
    operations: {
      readListingEvents: { action: 'receive', channel: { $ref: '#/channels/listingEvents' }, summary: 'The projector folds them into listings.' },
      putAside: { action: 'send', channel: { $ref: '#/channels/deadLetters' }, summary: 'The projector keeps what it cannot use.' },
      retry: {
        action: 'send',
        channel: { $ref: '#/channels/listingEvents' },
        summary: '`dead-letters retry` sends the records of letters again that the code now accepts.',
      },
    },
    components: { messages, schemas: { cloudEvent: moved(cloudEvent), ...(moved($defs) as Json) } },
  };
}

/** The document as it is committed. */
export const asyncApiYaml = (): string =>
  `# Made by \`npm run asyncapi\`; do not edit.\n${stringify(asyncApiDocument(), { lineWidth: 120, aliasDuplicateObjects: false })}`;

if (import.meta.main) writeFileSync(FILE, asyncApiYaml());
