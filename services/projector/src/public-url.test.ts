import { expect } from 'chai';
import { normalizeUrl } from './public-url.ts';

describe('normalizeUrl', () => {
  const cases: [raw: string | undefined, served: string | undefined][] = [
    ['https://example.com', 'https://example.com/'],
    ['  http://example.com/a?b#c ', 'http://example.com/a?b#c'],
    ['HTTPS://EXAMPLE.com:443/É', 'https://example.com/%C3%89'],
    ['http://münchen.example/', 'http://xn--mnchen-3ya.example/'],
    ['http://[::1]/', 'http://[::1]/'],
    ['ftp://example.com', undefined],
    ['//example.com', undefined],
    ['example.com', undefined],
    ['javascript:alert(1)', undefined],
    ['http:example.com', undefined],
    ['http:///example.com', undefined],
    ['http://\\example.com', undefined],
    ['http://', undefined],
    ['http://?x', undefined],
    ['http://user@example.com', undefined],
    ['http://user:pw@example.com', undefined],
    ['http://exa mple.com', undefined],
    ['http://example.com/a b', undefined],
    ['http://example.com/a\tb', undefined],
    ['http://example.com/a\u00a0b', undefined],
    ['http://256.256.256.256/', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [raw, served] of cases) it(`${JSON.stringify(raw)} -> ${served}`, () => expect(normalizeUrl(raw)).to.equal(served));
});
