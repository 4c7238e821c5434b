import { expect } from 'chai';
import { readChangesRequest } from './changes-request.ts';

const bad = (query: string) => {
  const read = readChangesRequest(query);
  return 'bad' in read ? read.bad.map(({ parameter }) => parameter) : [];
};

describe('request for changes', () => {
  it('begins at the beginning and has 500 changes by default', () => {
    const defaults = { after: 0, hasAfter: false, limit: 500, hasLimit: false };
    for (const query of ['', 'afterChangeNumber=&limit=', 'other=1'])
      expect(readChangesRequest(query), query).to.deep.equal(defaults);
    expect(readChangesRequest('afterChangeNumber=0')).to.deep.equal({ ...defaults, hasAfter: true });
  });

  it('accepts every change number that is a safe integer', () => {
    expect(readChangesRequest('afterChangeNumber=9007199254740991&limit=1000')).to.deep.equal({
      after: Number.MAX_SAFE_INTEGER,
      hasAfter: true,
      limit: 1000,
      hasLimit: true,
    });
  });

  it('accepts leading zeros, like the page numbers of the feeds', () => {
    expect(readChangesRequest('afterChangeNumber=00012&limit=007')).to.deep.equal({
      after: 12,
      hasAfter: true,
      limit: 7,
      hasLimit: true,
    });
  });

  it('refuses every other form', () => {
    for (const value of [
      ...['-1', '+1', '1.0', '1e3', '0x1', ' 1', '9007199254740992', 'x', '%', '1%00', '%ED%A0%80'],
      ...['٣', '9'.repeat(4_000)],
    ])
      expect(bad(`afterChangeNumber=${value}`), value).to.deep.equal(['afterChangeNumber']);
    for (const value of ['0', '1001', '-1', '1.5', 'x'])
      expect(bad(`limit=${value}`), value).to.deep.equal(['limit']);
    expect(bad('limit=1&limit=1')).to.deep.equal(['limit']);
    expect(bad('limit=0&afterChangeNumber=x')).to.deep.equal(['afterChangeNumber', 'limit']);
  });
});
