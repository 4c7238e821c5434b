export {
  type Decoded,
  decodeRecord,
  MAX_NESTING,
  MAX_RECORD_BYTES,
  type RawRecord,
  REFUSALS,
  type Refusal,
} from './decode.ts';
export { parseInstant } from './instant.ts';
export {
  type CalendarDate,
  FIELD_NAMES,
  type FieldChanges,
  type FieldName,
  type ListingEvent,
  type ListingFields,
} from './listing-event.ts';
