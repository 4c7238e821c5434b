import { join } from 'node:path';
import { expect } from 'chai';
import release from '../../package.json' with { type: 'json' };
import { fileChecks, versionCheck } from './checks.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('checks of a release', () => {
  it('find the version of package.json in every workspace, interface, image and manifest', () => {
    expect(versionCheck(ROOT, release.version)).to.deep.include({ status: 'ok' });
  });
  it('find every place that names another version', () => {
    const { status, details } = versionCheck(ROOT, '99.0.0');
    expect(status).to.equal('failed');
    for (const place of [
      'package.json',
      'packages/listing/package.json',
      'services/query/package.json',
      'test/package.json',
      'package-lock.json (root)',
      'package-lock.json (services/query)',
      'OpenAPI',
      'AsyncAPI',
      'asyncapi.yaml',
      'docs/reference/rules.md',
      'MCP server card',
    ])
      expect(details).to.include(`${place} names ${release.version} instead of 99.0.0`);
    expect(details.join('\n'))
      .to.match(/infra\/docker\/Dockerfile names/)
      .and.to.match(/compose\.yaml names/)
      .and.to.match(/infra\/kubernetes\/\S+ names/);
  });
  it('fail for a version that has neither an entry in the changelog nor stored interfaces', async () => {
    const run = async (name: string) =>
      fileChecks(ROOT, '99.0.0')
        .find((one) => one.name === name)
        ?.run();
    expect(await run('changelog')).to.have.property('status', 'failed');
    expect(await run('stored interfaces')).to.have.property('status', 'failed');
  });
});
