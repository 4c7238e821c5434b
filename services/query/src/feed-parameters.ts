import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { type Static, Type } from 'typebox';

/** The largest integer that JSON readers everywhere hold exactly (decisions §3). */
const MAX_PAGE = Number.MAX_SAFE_INTEGER;
const MAX_PAGE_SIZE = 100;

const Slug = Type.String();
const CalendarDate = Type.String({ format: 'date' });

/** Form and default of every query parameter. API document, "Query parameters". */
const FeedParameters = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1 }),
  pageSize: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: 20 }),
  city: Type.Optional(Slug),
  cidade: Type.Optional(Slug),
  category: Type.Optional(Slug),
  categoria: Type.Optional(Slug),
  sub_category: Type.Optional(Slug),
  subcategoria: Type.Optional(Slug),
  date: Type.Optional(CalendarDate),
  data: Type.Optional(CalendarDate),
});

export type FeedParameters = Static<typeof FeedParameters>;
export type ParameterName = keyof FeedParameters;

/** What a malformed value is told; every text is a well-formed slug. */
const EXPECTED: Partial<Record<ParameterName, string>> = {
  page: `must be a decimal integer from 1 to ${MAX_PAGE}`,
  pageSize: `must be a decimal integer from 1 to ${MAX_PAGE_SIZE}`,
  date: 'must be a calendar date, written YYYY-MM-DD',
  data: 'must be a calendar date, written YYYY-MM-DD',
};

export const PARAMETER_NAMES = Object.keys(FeedParameters.properties) as ParameterName[];

/** Names of the first generation, accepted in place of today's (API document, "Versioning" 3). */
export const LEGACY_ALIASES = { city: 'cidade', category: 'categoria', sub_category: 'subcategoria', date: 'data' } as const;

/** One refused parameter, as a problem document's `errors` lists it. */
export interface BadParameter {
  parameter: string;
  detail: string;
}

const ajv = new Ajv({ allErrors: true, useDefaults: true });
ajvFormats.default(ajv, ['date']);
const validate = ajv.compile<FeedParameters>(FeedParameters);

/**
 * Checks the form of each given value, and fills in the defaults.
 * @param values decoded texts by parameter name
 * @returns the typed parameters, without those that are refused (these have their default), and every refused one.
 */
export function checkForms(values: Partial<Record<ParameterName, string>>): { parameters: FeedParameters; bad: BadParameter[] } {
  const typed: Partial<Record<ParameterName, string | number>> = { ...values };
  for (const name of ['page', 'pageSize'] as const) {
    const text = values[name];
    // Number() alone would also take '1e1', '0x1', '+1', '1.0' and ' 1'.
    if (text !== undefined && /^[0-9]+$/.test(text)) typed[name] = Number(text);
  }
  validate(typed);
  const refused = new Set((validate.errors ?? []).map(({ instancePath }) => instancePath.slice(1) as ParameterName));
  for (const name of refused) delete typed[name];
  const bad = [...refused].map((parameter) => ({ parameter, detail: EXPECTED[parameter] ?? 'is malformed' }));
  if (!validate(typed)) throw new Error('parameters without the refused ones are refused', { cause: validate.errors });
  return { parameters: typed, bad };
}
