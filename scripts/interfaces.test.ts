import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { interfaces } from './interfaces.ts';

describe('the stored interfaces', () => {
  for (const [path, text] of Object.entries(interfaces()))
    it(`${path} is what \`npm run interfaces\` writes. A reviewer decides about each difference`, () =>
      expect(readFileSync(join(import.meta.dirname, '..', path), 'utf8')).to.equal(text));
});
