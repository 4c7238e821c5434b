import { expect } from 'chai';
import { extensionName } from './ucp-names.ts';

describe('the name of the UCP extension', () => {
  it('is the reversed host of the service, and a placeholder if the host controls no name', () => {
    for (const [base, authority] of [
      ['https://feeds.example.com.br', 'br.com.example.feeds'],
      ['https://Example.COM:8443/prefix', 'com.example'],
      ['https://xn--bcher-kva.example', 'example.xn--bcher-kva'],
      ['http://localhost:8080', 'localhost'],
      ['http://127.0.0.1:8080', 'localhost'],
      ['http://[::1]:8080', 'localhost'],
      ['not a URL', 'localhost'],
    ] as const)
      expect(extensionName(base), base).to.equal(`${authority}.catalog.availability`);
  });
});
