export {
  type DeadLetter,
  LISTING_FAILED,
  OWN_HEADERS_BYTES,
  sendDeadLetters,
  toMessage,
} from './dead-letter.ts';
export { DeadLetterSink } from './dead-letter-sink.ts';
export { listingDeadLetter } from './listing-dead-letter.ts';
export { recordIdentity } from './record-identity.ts';
