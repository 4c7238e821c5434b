import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import { PARAMETER_NAMES } from './feed-parameters.ts';
import { openApiDocument } from './openapi.ts';

const document = openApiDocument('/api');
const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, ...get }));

describe('OpenAPI document', () => {
  it('passes the linter at its strictest, without a warning, wherever it is mounted', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    for (const basePath of ['/api', '', '/a/b']) {
      const problems = await lintFromString({ source: JSON.stringify(openApiDocument(basePath)), absoluteRef: 'openapi.json', config });
      expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).to.deep.equal([]);
    }
  }).timeout(30_000);

  it('has the operations, tags and version of the API document', () => {
    expect(operations.map(({ path, operationId, tags }) => [path, operationId, tags])).to.deep.equal([
      ['/public-feed', 'getPublicFeed', ['public-feed']],
      ['/public-feed/{adType}', 'getPublicFeedByType', ['public-feed']],
      ['/ai-feed', 'getAiFeed', ['ai-feed']],
      ['/ai-feed/{adType}', 'getAiFeedByType', ['ai-feed']],
    ]);
    expect(document.info.version).to.equal('1.0.0');
    expect(document.servers.map(({ url }) => url)).to.deep.equal(['/api']);
    expect(openApiDocument('').servers.map(({ url }) => url)).to.deep.equal(['/']);
  });

  it('has every query parameter on every operation; the legacy ones are deprecated', () => {
    for (const { parameters } of operations) {
      const named = parameters.map(({ $ref }) => $ref.split('/').at(-1));
      expect(named).to.include.members(PARAMETER_NAMES);
    }
    const deprecated = Object.values(document.components.parameters).filter((parameter) => parameter.deprecated);
    expect(deprecated.map(({ name }) => name)).to.have.members(['cidade', 'categoria', 'subcategoria', 'data']);
  });

  it('has every refusal on every operation', () => {
    for (const { responses, path } of operations) {
      const byType = path.endsWith('}') ? ['404'] : [];
      expect(Object.keys(responses)).to.have.members(['200', '304', '400', ...byType, '405', '408', '413', '414', '429', '431', '500', '503']);
    }
  });

  it('has examples that are as their schemas say', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    ajvFormats.default(ajv);
    ajv.addSchema({ $id: 'openapi', components: document.components });
    for (const [name, { value }] of Object.entries(document.components.examples)) {
      const schema = typeof value === 'object' && value !== null && 'status' in value ? 'Problem' : 'FeedResponse';
      expect(ajv.validate({ $ref: `openapi#/components/schemas/${schema}` }, value), `${name}: ${ajv.errorsText()}`).to.equal(true);
    }
    for (const { name, schema, example } of Object.values(document.components.parameters)) {
      if (example !== undefined) expect(ajv.validate(schema, example), `${name}: ${ajv.errorsText()}`).to.equal(true);
    }
  });
});
