export {
  EVENT_HEADERS,
  MAX_RECORD_BYTES,
  type RawRecord,
  type RecordOrEvent,
  readEnvelope,
} from './cloud-event.ts';
export {
  type ComposedEvent,
  composeEvent,
  dataOf,
  type EventParts,
  type EventType,
} from './compose-event.ts';
export { type Decoded, decodeRecord } from './decode.ts';
export { FIRST_INSTANT, instantFault, LAST_INSTANT, parseInstant } from './instant.ts';
export {
  type CalendarDate,
  FIELD_NAMES,
  type FieldChanges,
  type FieldName,
  type ListingEvent,
  type ListingFields,
} from './listing-event.ts';
export { EVENT_SCHEMA_NAMES, LISTING_EVENT_SCHEMA, PUBLISHED_SCHEMA } from './published-schema.ts';
export { type RecordFault, recordFaults } from './record-faults.ts';
export { REFUSALS, type Refusal } from './refusal.ts';
export { shortJson } from './short-json.ts';
export {
  compareVersions,
  describeVersion,
  epochOf,
  higherVersion,
  MAX_VERSION_EPOCH,
  numberOf,
  type Version,
  versionOf,
} from './version.ts';
export { type VersionBound, versionBound, versionBoundFault } from './version-bound.ts';
