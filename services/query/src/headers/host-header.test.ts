import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { hostHeaderError } from './request-headers.ts';

describe('Host header', () => {
  const faultOf = (values: string[], httpVersionMinor = 1) => {
    const rawHeaders = values.flatMap((value, i) => [i === 0 ? 'Host' : 'hOST', value]);
    return hostHeaderError({
      headers: values.length > 0 ? { host: values[0] } : {},
      rawHeaders,
      httpVersionMinor,
    } as unknown as IncomingMessage);
  };

  it('may be a name, an address, with or without a port, or empty', () => {
    const valid = [
      'example.com',
      'EXAMPLE.com.',
      'a_b.local:8080',
      'xn--bcher-kva.example',
      '127.0.0.1:80',
      '[::1]',
      '[2001:db8::1]:443',
      'a:',
      '',
      '%41',
    ];
    for (const host of [...valid, `${'a'.repeat(253)}:65535`])
      expect(faultOf([host]), host).to.equal(undefined);
  });

  it('is refused in any other form', () => {
    for (const host of [
      'a b',
      'a/b',
      'http://a',
      'a@b',
      '[::1',
      '::1',
      'a:b',
      'a:1:2',
      'é',
      '%4',
      '"a"',
      'a\\b',
      'a#',
      'a?b',
      'a'.repeat(261),
    ])
      expect(faultOf([host]), host).to.equal('The Host header is invalid.');
  });

  it('is required once in HTTP/1.1, and allowed once in HTTP/1.0', () => {
    expect(faultOf([])).to.equal('The Host header is missing.');
    expect(faultOf([], 0)).to.equal(undefined);
    for (const minor of [0, 1])
      expect(faultOf(['a', 'a'], minor)).to.equal('There is more than one Host header.');
  });
});
