import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const FOLDER = join(import.meta.dirname, '../docs/decisions');
const text = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const pages = readdirSync(FOLDER).filter((name) => /^\d{4}-/.test(name));

describe('decision pages', () => {
  it('state a date and a status below the title', () => {
    const head =
      /^# \d{4} .+\n\nDate: \d{4}-\d{2}-\d{2}\. Status: (accepted|superseded by \[\d{4}\]\(\S+\))\./;
    expect(pages.filter((name) => !head.test(text(name)))).to.deep.equal([]);
  });
  it('are all in the list, with distinct numbers', () => {
    const list = text('README.md');
    expect(pages.filter((name) => !list.includes(`](${name})`))).to.deep.equal([]);
    expect(new Set(pages.map((name) => name.slice(0, 4)))).to.have.property('size', pages.length);
  });
});
