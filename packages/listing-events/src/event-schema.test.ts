import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import schema from './listing-event.schema.json' with { type: 'json' };

describe('the schema of listing events', () => {
  it('is a valid schema of JSON Schema 2020-12', async () => {
    const ajv = new Ajv2020();
    expect(await ajv.validateSchema(schema), ajv.errorsText()).to.equal(true);
  });
});
