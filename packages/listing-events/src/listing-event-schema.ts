import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { instantFault } from './instant.ts';
import { LISTING_EVENT_SCHEMA } from './published-schema.ts';
import { Refused } from './refusal.ts';

/** The members of a valid event that the decoder reads. */
export interface Envelope {
  traceparent?: unknown;
  source: string;
  type: string;
  subject: string;
  time: string;
  data: Record<string, unknown>;
}

interface Format {
  validate: (text: string) => boolean;
}
const { validate: isDateTime } = fullFormats['date-time'] as Format;
const { validate: isDate } = fullFormats.date as Format;
/** Caches valid dates, because calendars repeat dates, and date checks took most of the validation time. */
const knownDays = new Set<string>();
const MAX_KNOWN_DAYS = 10_000;

function isKnownDate(text: string): boolean {
  if (knownDays.has(text)) return true;
  if (!isDate(text)) return false;
  if (knownDays.size < MAX_KNOWN_DAYS) knownDays.add(text);
  return true;
}

function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    // Each error then contains the value that it refuses.
    verbose: true,
    // A test validates the schema. Validation here would delay the start of each process by a tenth of a
    // second.
    validateSchema: false,
    allErrors,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
  });
  ajvFormats.default(ajv);
  // With some time zones, ajv's own `date-time` format accepts hour 24, which RFC 3339 forbids.
  ajv.addFormat('date', isKnownDate);
  // Generators need this format. Validation does not, because the type and the bounds imply it.
  ajv.addFormat('int64', true);
  ajv.addFormat('date-time', (text: string) => isDateTime(text) && instantFault(text) === undefined);
  return ajv;
}

const ajv = createAjv(false);
const validate = ajv.compile<Envelope>(LISTING_EVENT_SCHEMA);
/** Whether a value is a listing id that the contract allows. */
export const isListingId = ajv.compile<string>({ $ref: 'listing-event.schema.json#/$defs/listingId' });

/** Validates an event with the contract's schema. @throws Refused that names the first error */
export function checkEnvelope(envelope: unknown): Envelope {
  if (validate(envelope)) return envelope;
  throw new Refused('schema', describe(validate.errors));
}

let validateAll: ValidateFunction | undefined;

/**
 * Returns all errors in an event, as ajv reports them. Decoding needs only the first error, which is cheaper
 * to find.
 */
export function envelopeErrors(envelope: unknown): ErrorObject[] {
  validateAll ??= createAjv(true).compile(LISTING_EVENT_SCHEMA);
  validateAll(envelope);
  return validateAll.errors ?? [];
}

/**
 * If the contract refuses a time that has the form of RFC 3339, returns the reason. Otherwise, returns
 * undefined.
 */
export const rangeFault = (text: unknown): string | undefined =>
  isDateTime(String(text)) ? instantFault(String(text)) : undefined;

function describe(errors: ErrorObject[] | null | undefined): string {
  const error = errors?.find(({ keyword }) => keyword !== 'if');
  if (!error) return 'the event is invalid';
  const { instancePath, keyword, message, params, data } = error;
  const fault = keyword === 'format' ? rangeFault(data) : undefined;
  if (fault !== undefined) return `${instancePath} is ${fault}`;
  return (
    `${instancePath || 'the event'} ` +
    `${message}${Object.keys(params).length ? ` ${JSON.stringify(params)}` : ''}`
  );
}
