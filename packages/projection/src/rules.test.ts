import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULES } from '@vitrine/listing';
import { SettingsError } from '@vitrine/runtime/settings';
import { expect } from 'chai';
import { createMetrics } from './metrics.ts';
import { loadRules } from './rules.ts';

const MODULE = `import { defineRules } from '@vitrine/listing';
export default defineRules({ name: 'shop', version: 1, reasons: { image: 'x' }, hide: () => 'image' });
`;

describe('RULES_MODULE', () => {
  let folder: string;
  const load = (name: string, content?: string) => {
    if (content !== undefined) writeFileSync(join(folder, name), content);
    // The path is relative to the folder from which the operator called npm.
    return loadRules({ RULES_MODULE: `./${name}` }, { INIT_CWD: folder });
  };
  const failure = async (name: string, content?: string): Promise<Error> =>
    load(name, content).then(
      () => new Error('no error'),
      (error: Error) => error,
    );
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'vitrine-rules-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is optional', async () => expect(await loadRules({})).to.equal(RULES));

  it('names a file outside of the clone, which is part of the version of the rules', async () => {
    const { version } = await load('rules.ts', MODULE);
    expect(version).to.match(new RegExp(`^${RULES.version}\\+shop@1:[0-9a-f]{12}$`));
    expect((await load('windows.ts', MODULE.replaceAll('\n', '\r\n'))).version).to.equal(version);
    expect((await load('rules.ts', `${MODULE}// a comment\n`)).version).not.to.equal(version);
  });

  it('is loaded again after its file has changed, for long-running processes', async () => {
    const reasons = async (content: string) => Object.keys((await load('again.ts', content)).reasons ?? {});
    expect(await reasons(MODULE)).to.deep.equal(['image']);
    expect(await reasons(MODULE.replace('image:', 'photo:'))).to.deep.equal(['photo']);
  });

  it('is refused with every fault, a missing file, and an error of the module', async () => {
    const wrong = await failure('wrong.ts', 'export default { name: "A", version: "1", hide: true };');
    expect(wrong).to.be.instanceOf(SettingsError);
    expect(wrong.message.split('\n')).to.have.length(5);
    expect(wrong.message).to.include('RULES_MODULE: version must be a positive integer');
    expect((await failure('none.ts')).message).to.match(/RULES_MODULE: the module .*none\.ts does not exist/);
    expect((await failure('folder.ts/')).message).to.include('RULES_MODULE: the module');
    expect((await failure('syntax.ts', 'export default {')).message).to.match(
      /syntax\.ts could not be loaded/,
    );
    expect((await failure('enum.ts', 'enum A { B }')).message).to.match(/enum.*could not be loaded/);
    expect((await failure('throws.ts', 'throw new Error("why")')).message).to.include('why');
    expect((await failure('nothing.ts', 'export const rules = {};')).message).to.include('default export');
  });

  it('starts the counter of each of its reasons at 0', async () => {
    const metrics = createMetrics(['price', 'image']);
    expect(await metrics.registry.metrics()).to.include('projector_items_hidden_total{reason="image"} 0');
  });
});
