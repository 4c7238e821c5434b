import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';

/** UCP's own schemas. test/contract/ucp-schemas/README.md states their source. */
const FOLDER = join(import.meta.dirname, 'ucp-schemas');
const SITE = 'https://ucp.dev/';
/** The extension refers to the schemas of a release. */
const RELEASE = /"https:\/\/ucp\.dev\/\d{4}-\d{2}-\d{2}\/schemas\//g;

const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.json'),
);
const sources = names.map((name) => readFileSync(join(FOLDER, name), 'utf8'));

/** Every definition that the tests validate against. */
export const UCP_SCHEMAS = {
  search: 'shopping/catalog_search.json#/$defs/search_response',
  lookup: 'shopping/catalog_lookup.json#/$defs/lookup_response',
  product: 'shopping/catalog_lookup.json#/$defs/get_product_response',
  error: 'common/types/error_response.json',
  profile: 'profile.json#/$defs/business_schema',
  searchRequest: 'shopping/catalog_search.json#/$defs/search_request',
} as const;

/** A validator of UCP's schemas, and of the extension's schema if the test has read it from the service. */
export class UcpValidator {
  readonly #ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: false }));

  constructor() {
    for (const source of sources) this.#ajv.addSchema(JSON.parse(source) as object);
  }

  /** Expects that `value` matches one of UCP's definitions. */
  expectValid(definition: keyof typeof UCP_SCHEMAS, value: unknown): void {
    this.expectMatch(`${SITE}schemas/${UCP_SCHEMAS[definition]}`, value);
  }

  /** Adds the extension's schema, with references to the stored files. */
  addExtension(schema: object): void {
    this.#ajv.addSchema(JSON.parse(JSON.stringify(schema).replace(RELEASE, `"${SITE}schemas/`)) as object);
  }

  /** Expects that `value` matches the schema with this absolute URL. */
  expectMatch(url: string, value: unknown): void {
    const validate = this.#ajv.getSchema(url);
    if (!validate) throw new Error(`there is no schema ${url}`);
    const isValid = validate(value);
    expect(
      isValid,
      `${url}: ${JSON.stringify(validate.errors)}\n${JSON.stringify(value).slice(0, 2_000)}`,
    ).to.equal(true);
  }
}
