import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { normalizeUrl } from './listing-url.ts';

describe('normalizeUrl', () => {
  const cases: [raw: string | undefined, served: string | undefined][] = [
    ['https://example.com', 'https://example.com/'],
    ['  http://example.com/a?b#c ', 'http://example.com/a?b#c'],
    ['HTTPS://EXAMPLE.com:443/É', 'https://example.com/%C3%89'],
    ['http://münchen.example/', 'http://xn--mnchen-3ya.example/'],
    ['http://[::1]/', 'http://[::1]/'],
    ['http://[2001:DB8::1]:8080/a', 'http://[2001:db8::1]:8080/a'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://example.com/?', 'http://example.com/?'],
    ['http://example.com/#', 'http://example.com/#'],
    ["http://a_b~!$&'()*+,;=.example/", "http://a_b~!$&'()*+,;=.example/"],
    ['ftp://example.com', undefined],
    ['//example.com', undefined],
    ['example.com', undefined],
    ['javascript:alert(1)', undefined],
    ['http:example.com', undefined],
    ['http:///example.com', undefined],
    ['http://\\example.com', undefined],
    ['http://', undefined],
    ['http://?x', undefined],
    ['http://:80/', undefined],
    ['http://256.256.256.256/', undefined],
    ['http://example.com:65536/', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [raw, served] of cases)
    it(`${JSON.stringify(raw)} -> ${served}`, () => expect(normalizeUrl(raw)).to.equal(served));

  const encoded: [raw: string, served: string][] = [
    ['https://x.com/a?b=[1]', 'https://x.com/a?b=%5B1%5D'],
    ['https://x.com/a|b', 'https://x.com/a%7Cb'],
    ['https://x.com/{x}?{x}#{x}', 'https://x.com/%7Bx%7D?%7Bx%7D#%7Bx%7D'],
    ['https://x.com/%zz?%z#%', 'https://x.com/%25zz?%25z#%25'],
    ['https://x.com/%41%e3', 'https://x.com/%41%e3'],
    ['https://x.com/[^`]?^`\\#[^\\]', 'https://x.com/%5B%5E%60%5D?%5E%60%5C#%5B%5E%5C%5D'],
    ['https://x.com/a#b#c', 'https://x.com/a#b%23c'],
    ['https://x.com/?q=a?b#c?d', 'https://x.com/?q=a?b#c?d'],
    ['https://x.com/❤️/👩‍🌾', 'https://x.com/%E2%9D%A4%EF%B8%8F/%F0%9F%91%A9%E2%80%8D%F0%9F%8C%BE'],
    ['https://x.com/\ud800', 'https://x.com/%EF%BF%BD'],
  ];
  for (const [raw, served] of encoded)
    it(`percent-encodes what RFC 3986 forbids: ${JSON.stringify(raw)}`, () =>
      expect(normalizeUrl(raw)).to.equal(served));

  for (const host of [
    'a{b',
    'a}b',
    'a"b',
    'a`b',
    '{',
    'a|b',
    'a^b',
    'a<b',
    '[::1',
    '[::1%25eth0]',
    '[v1.a]',
    'a%b',
    'a%00b',
    'a%40b',
  ])
    it(`refuses the host ${host}`, () => expect(normalizeUrl(`http://${host}/`)).to.equal(undefined));

  for (const userinfo of ['user@', 'user:pw@', '@', ':@', ':pw@', '@@', 'a%40@'])
    it(`refuses the credentials ${userinfo}`, () => {
      expect(normalizeUrl(`http://${userinfo}example.com/`)).to.equal(undefined);
      expect(normalizeUrl(`http://${userinfo}example.com`)).to.equal(undefined);
    });
  it('accepts an @ behind the host', () =>
    expect(normalizeUrl('http://example.com/@a?@b#@c')).to.equal('http://example.com/@a?@b#@c'));

  const INVISIBLE = [
    ' ',
    '\t',
    '\n',
    '\r',
    '\u00a0',
    '\u2028',
    '\0',
    '\x01',
    '\x7f',
    '\x85',
    '\u00ad',
    '\u200b',
    '\u200e',
    '\u202e',
    '\u2060',
  ];
  for (const character of [...INVISIBLE, '\u2062', '\u2066', '\u034f', '\u180e', '\u{e0041}'])
    it(`refuses U+${character.codePointAt(0)?.toString(16).padStart(4, '0')} instead of dropping it`, () => {
      for (const url of [
        `http://a${character}b/`,
        `http://a/b${character}c`,
        `http://a/?b${character}c`,
        `http://a/#b${character}c`,
      ])
        expect(normalizeUrl(url), JSON.stringify(url)).to.equal(undefined);
      // The function trims white space at the ends, and refuses any other invisible character.
      const trailing = character.trim() === '' ? 'http://a/' : undefined;
      expect(normalizeUrl(`http://a/${character}`)).to.equal(trailing);
      expect(normalizeUrl(`${character}http://a/`)).to.equal(trailing);
    });
  for (const host of ['a%E2%80%8Bb', 'a%C2%ADb', 'a\ufe0fb', 'a%EF%B8%8Fb'])
    it(`refuses the host ${JSON.stringify(host)}, of which the parser drops a character`, () =>
      expect(normalizeUrl(`http://${host}/`)).to.equal(undefined));
});

/**
 * The grammar of RFC 3986 appendix A, for the scheme `http(s)` with a host and without user information. This
 * grammar shares no expression with the code.
 */
const GRAMMAR = (() => {
  const pchar = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})`;
  const host = `(?:\\[[0-9A-Fa-f:.]+\\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)`;
  return new RegExp(
    `^https?://${host}(?::[0-9]+)?(?:/${pchar}*)*(?:\\?(?:${pchar}|[/?])*)?(?:#(?:${pchar}|[/?])*)?$`,
  );
})();

describe('normalizeUrl: every served URL is a URI', () => {
  const ajv = new Ajv();
  ajvFormats.default(ajv, { mode: 'full' });
  const isUri = ajv.compile({ type: 'string', format: 'uri' });
  const numRuns = process.env.VITRINE_FULL === '1' ? 200_000 : 5_000;

  const ascii = fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code));
  const nasty = fc.constantFrom(
    '%',
    '%2',
    '%2F',
    '#',
    '?',
    '[',
    ']',
    '{',
    '}',
    '|',
    '\\',
    '^',
    '`',
    '"',
    '<',
    '>',
    '@',
    ':',
    '/',
    '..',
    'é',
    '\u200b',
  );
  const part = fc.array(
    fc.oneof({ weight: 3, arbitrary: nasty }, ascii, fc.string({ unit: 'binary', maxLength: 2 })),
    { maxLength: 8 },
  );
  const host = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('x.com', 'münchen.example', '[::1]', '127.1', 'a_b.c') },
    { weight: 2, arbitrary: part.map((pieces) => pieces.join('')) },
    fc.ipV6().map((address) => `[${address}]`),
    fc.ipV4(),
  );
  const raw = fc
    .tuple(
      fc.constantFrom('http://', 'https://', 'HTTP://', ' https://'),
      host,
      fc.constantFrom('', ':80', ':8080'),
      part,
    )
    .map(([scheme, authority, port, rest]) => `${scheme}${authority}${port}/${rest.join('')}`);

  it('according to ajv-formats and the grammar, and is unchanged by another normalization', () => {
    let served = 0;
    fc.assert(
      fc.property(fc.oneof(raw, fc.webUrl({ withQueryParameters: true, withFragments: true })), (text) => {
        const url = normalizeUrl(text);
        if (url === undefined) return;
        served++;
        expect(isUri(url), url).to.equal(true);
        expect(url).to.match(GRAMMAR);
        expect(normalizeUrl(url)).to.equal(url);
        expect(URL.parse(url)?.href, 'the parser reads the same URL').to.equal(url);
      }),
      { numRuns },
    );
    expect(served).to.be.above(numRuns / 4);
  }).timeout(120_000);
});
