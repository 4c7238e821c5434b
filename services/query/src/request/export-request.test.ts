import { expect } from 'chai';
import { readExportRequest } from './export-request.ts';

describe('request for an export', () => {
  it('continues after an id', () => {
    expect(readExportRequest('after=l%2F7')).to.deep.equal({ after: 'l/7' });
    expect(readExportRequest('after=')).to.deep.equal({});
    const longest = '😀'.repeat(512);
    expect(readExportRequest(`after=${encodeURIComponent(longest)}`)).to.deep.equal({ after: longest });
  });

  it('continues after any Unicode text, even a NUL, and refuses a lone surrogate', () => {
    expect(readExportRequest('after=%00')).to.deep.equal({ after: '\0' });
    for (const surrogate of ['%ED%A0%80', '%ED%BF%BF', 'a%ED%A0%BDb'])
      expect(readExportRequest(`after=${surrogate}`), surrogate).to.have.property('bad');
  });

  it('refuses an id that no listing has', () => {
    expect(readExportRequest(`after=${'x'.repeat(513)}`)).to.have.property('bad');
    expect(readExportRequest('after=a&after=b')).to.have.property('bad');
  });
});
