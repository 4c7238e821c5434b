import { expect } from 'chai';
import { documentPage, documentsByOrigin } from './documents.ts';

describe('documents by origin', () => {
  const written: string[] = [];
  const write = (bytes: number) => (origin: string) => {
    written.push(origin);
    return documentPage('x'.repeat(bytes), 'text/plain');
  };
  beforeEach(() => void written.splice(0));

  it('are written once for each origin', () => {
    const pageOf = documentsByOrigin(100_000);
    const pages = ['http://a', 'http://b', 'http://a'].map((origin) => pageOf('llms', origin, write(1_000)));
    expect(pages[0]).to.equal(pages[2]);
    expect(written).to.deep.equal(['http://a', 'http://b']);
  });

  it('take a limited number of bytes, because clients choose their number and listings their size', () => {
    const pageOf = documentsByOrigin(100_000);
    for (const origin of ['http://a', 'http://b', 'http://c', 'http://a'])
      pageOf('page', origin, write(45_000));
    expect(written).to.deep.equal(['http://a', 'http://b', 'http://c', 'http://a']);
  });
});
