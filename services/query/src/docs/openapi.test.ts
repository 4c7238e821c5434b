import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import { openApiDocument } from './openapi.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
const document = openApiDocument('/api');

type ExampleValue = { status?: number; meta?: { endpoint: string }; license?: string };

/** The schema that an example illustrates. */
function schemaOf({ status, meta, license }: ExampleValue): string {
  if (status) return 'Problem';
  if (meta) return meta.endpoint.startsWith('ai-feed') ? 'AgentFeedResponse' : 'FeedResponse';
  return license ? 'ChangesResponse' : 'ChangedItem';
}

// scripts/interfaces.test.ts compares the whole document with the stored one.
describe('OpenAPI document', () => {
  it('passes the strictest linter without a warning, under any base path', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    for (const [basePath, publicUrl] of [
      ['/api'],
      [''],
      ['/a/b'],
      ['/api', 'https://feeds.vitrine.test/x'],
    ] as const) {
      const source = JSON.stringify(openApiDocument(basePath, publicUrl));
      const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
      expect(
        problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
      ).to.deep.equal([]);
    }
  }).timeout(30_000);

  it('has the version of the contract, and a server for each base path', () => {
    expect(document.info.version).to.equal(version);
    expect(document.servers.map(({ url }) => url)).to.deep.equal(['/api']);
    expect(openApiDocument('').servers.map(({ url }) => url)).to.deep.equal(['/']);
  });

  it('contains the public URL if it is set', () => {
    const { servers, info, components } = openApiDocument('/api', 'https://feeds.vitrine.test/x');
    expect(servers.map(({ url }) => url)).to.deep.equal(['https://feeds.vitrine.test/x/api']);
    expect(info.contact).to.deep.equal({ name: 'Vitrine', url: 'https://feeds.vitrine.test/x/api/docs' });
    expect(components.headers.DeprecationLink?.example).to.match(
      /^<https:\/\/feeds\.vitrine\.test\/x\/api\/docs\/crawlers#/,
    );
    expect(document.info.contact).to.deep.equal({ name: 'Vitrine' });
  });

  it('gives every integer a format and bounds that fit the format, and no parameter a default', () => {
    let count = 0;
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Record<string, unknown>;
      if (schema.type === 'integer') {
        count++;
        const largest = { int32: 2 ** 31 - 1, int64: Number.MAX_SAFE_INTEGER }[String(schema.format)];
        expect(schema.minimum, path).to.be.a('number').and.at.least(0);
        expect(schema.maximum, path)
          .to.be.a('number')
          .and.at.most(largest ?? Number.NaN);
      }
      for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`);
    };
    visit(document, '#');
    expect(count).to.be.at.least(9);
    for (const { name, schema, description } of Object.values(document.components.parameters)) {
      expect(schema, name).not.to.have.property('default');
      expect(schema, name).to.have.property('type');
      const stated = { page: 'The default is 1.', pageSize: 'The default is 20.' }[name];
      if (stated) expect(description).to.match(new RegExp(`${stated}$`));
    }
  });

  it('has examples that satisfy their schemas', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    ajvFormats.default(ajv, { mode: 'full' });
    ajv.addSchema({ $id: 'openapi', components: document.components });
    for (const [name, { value }] of Object.entries(document.components.examples)) {
      const schema = schemaOf(value as ExampleValue);
      expect(
        ajv.validate({ $ref: `openapi#/components/schemas/${schema}` }, value),
        `${name}: ${ajv.errorsText()}`,
      ).to.equal(true);
    }
    for (const { name, schema, example } of Object.values(document.components.parameters)) {
      if (example !== undefined)
        expect(ajv.validate(schema, example), `${name}: ${ajv.errorsText()}`).to.equal(true);
    }
  });
});
