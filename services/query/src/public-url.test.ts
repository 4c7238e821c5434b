import { expect } from 'chai';
import { readPublicUrl } from './public-url.ts';

describe('PUBLIC_URL', () => {
  for (const [text, url] of [
    ['https://feeds.example.com', 'https://feeds.example.com'],
    ['HTTPS://Feeds.Example.com:443/', 'https://feeds.example.com'],
    ['http://localhost:8080/vitrine/v1', 'http://localhost:8080/vitrine/v1'],
    ['http://localhost:8080/vitrine/', 'http://localhost:8080/vitrine'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ] as const)
    it(`${text} is ${url}`, () => expect(readPublicUrl(text)).to.equal(url));

  for (const text of [
    'feeds.example.com',
    '//feeds.example.com',
    'ftp://feeds.example.com',
    'https:feeds.example.com',
    'https:///feeds',
    'https://',
    'https://user:secret@feeds.example.com',
    'https://@feeds.example.com',
    'https://feeds.example.com/@x',
    'https://feeds.example.com?x',
    'https://feeds.example.com/?',
    'https://feeds.example.com/#x',
    'https://feeds.example.com//x',
    'https://feeds.example.com/a b',
    'https://feeds.example.com/ç',
    'https://feeds.example.com/%41',
    'https://fe{ds.example.com',
    'https://feeds.example.com:65536',
  ])
    it(`refuses ${text}`, () => expect(readPublicUrl(text)).to.equal(undefined));
});
