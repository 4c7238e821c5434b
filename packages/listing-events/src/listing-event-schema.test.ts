import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { LISTING_EVENT_SCHEMA } from './published-schema.ts';

describe('the schema of listing events', () => {
  it('is a valid schema of JSON Schema 2020-12', async () => {
    const ajv = new Ajv2020();
    expect(await ajv.validateSchema(LISTING_EVENT_SCHEMA), ajv.errorsText()).to.equal(true);
  });
});
