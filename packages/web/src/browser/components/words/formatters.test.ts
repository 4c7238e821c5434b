import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dateFormat, numberFormat, pluralRules } from './formatters.ts';

const SOURCES = join(import.meta.dirname, '../../..');

describe('formatters', () => {
  it('are created once for each language and its options', () => {
    const day = { day: 'numeric', timeZone: 'UTC' } as const;
    expect(dateFormat('pt-BR', day)).to.equal(dateFormat('pt-BR', { ...day }));
    expect(dateFormat('pt-BR', day)).not.to.equal(dateFormat('en', day));
    expect(dateFormat('pt-BR', day)).not.to.equal(dateFormat('pt-BR', { ...day, day: '2-digit' }));
    expect(numberFormat('en')).to.equal(numberFormat('en'));
    expect(numberFormat('en')).not.to.equal(numberFormat('en', { style: 'percent' }));
    expect(pluralRules('en')).to.equal(pluralRules('en'));
  });

  it('are created nowhere else, because a page of results formats a thousand dates and prices', () => {
    const others = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
      (name) =>
        /\.tsx?$/.test(name) &&
        !/formatters(\.test)?\.ts$/.test(name) &&
        /new Intl\.|\.toLocale(?:String|DateString|TimeString)\(/.test(
          readFileSync(join(SOURCES, name), 'utf8'),
        ),
    );
    expect(others).to.deep.equal([]);
  });
});
