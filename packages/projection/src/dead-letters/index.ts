export {
  DEAD_LETTER_REASONS,
  type DeadLetter,
  LISTING_FAILED,
  listingDeadLetter,
  OWN_HEADERS_BYTES,
  recordIdentity,
  sendDeadLetters,
  toMessage,
} from './dead-letter.ts';
export { DeadLetterSink } from './dead-letter-sink.ts';
