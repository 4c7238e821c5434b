import { expect } from 'chai';
import { type ContentEncoding, chooseEncoding } from './content-encoding.ts';

describe('content encoding', () => {
  const cases: [
    header: string | undefined,
    large: ContentEncoding | undefined,
    small: ContentEncoding | undefined,
  ][] = [
    [undefined, undefined, undefined],
    ['', undefined, undefined],
    ['gzip', 'gzip', undefined],
    ['x-gzip', 'gzip', undefined],
    ['GZIP', 'gzip', undefined],
    ['zstd', 'zstd', undefined],
    ['gzip, deflate, br, zstd', 'br', undefined],
    ['gzip,zstd', 'zstd', undefined],
    ['gzip;q=1.0, br;q=0.5', 'gzip', undefined],
    ['br ; q=0.5 , gzip;Q=0.501', 'gzip', undefined],
    ['br;q=0, gzip', 'gzip', undefined],
    ['gzip;q=0', undefined, undefined],
    ['gzip;q=0.1', 'gzip', undefined],
    ['*', 'br', undefined],
    ['*;q=0.1', 'br', undefined],
    ['br;q=0, *', 'zstd', undefined],
    ['*;q=0', undefined, undefined],
    ['*;q=0, gzip', 'gzip', 'gzip'],
    ['identity', undefined, undefined],
    ['identity, gzip', 'gzip', undefined],
    ['identity;q=1, gzip;q=0.5', undefined, undefined],
    ['identity;q=0.5, gzip', 'gzip', undefined],
    ['identity;q=0', undefined, undefined],
    ['identity;q=0, gzip', 'gzip', 'gzip'],
    ['identity;q=0, *', 'br', 'br'],
    ['identity;q=0, *;q=0', undefined, undefined],
    ['compress, deflate', undefined, undefined],
    ['x;q=9', undefined, undefined],
    ['gzip;q=2', undefined, undefined],
    ['gzip;q=-1', undefined, undefined],
    ['gzip;q=0.1234', undefined, undefined],
    ['gzip;level=9', undefined, undefined],
    ['gzip gzip', undefined, undefined],
    [',,gzip,,', 'gzip', undefined],
    ['gzip;q=0, gzip', undefined, undefined],
    ['constructor, __proto__', undefined, undefined],
  ];
  for (const [header, large, small] of cases) {
    it(`${JSON.stringify(header)} gets ${large ?? 'identity'}, and ${small ?? 'identity'} for a small body`, () => {
      expect([chooseEncoding(header, true), chooseEncoding(header, false)]).to.deep.equal([large, small]);
    });
  }
});
