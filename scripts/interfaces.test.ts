import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { interfaces } from './interfaces.ts';

describe('the stored interfaces', () => {
  for (const [path, text] of Object.entries(interfaces()))
    it(`${path} is what \`npm run interfaces\` writes. A reviewer decides about each difference`, () =>
      expect(readFileSync(join(import.meta.dirname, '..', path), 'utf8')).to.equal(text));

  it('openapi.pt-BR.json translates every text of openapi.json, and no other', () => {
    const folder = join(import.meta.dirname, '../docs/reference/interfaces');
    const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const texts = new Set<string>();
    const visit = (value: unknown, isExample = false): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, member] of Object.entries(value)) {
        if (['description', 'summary'].includes(name) && typeof member === 'string' && !isExample)
          for (const line of member.split('\n')) if (line !== '') texts.add(line.replace(/^- /, ''));
        visit(member, isExample || name === 'value');
      }
    };
    visit(read('openapi.json'));
    expect(Object.keys(read('openapi.pt-BR.json') as object)).to.have.members([...texts]);
  });
});
